from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

import aboutness as ab
from aboutness.app.comparing import compare
from aboutness.app.experimenting import run_experiment, user_cache, without_train
from aboutness.app.tuning import cross_validate, sweep
from aboutness.core.errors import NotFound, UsageError
from aboutness.experiment.collection import collection
from aboutness.experiment.folds import training_split
from aboutness.experiment.hashes import code_version
from aboutness.experiment.kept_runs import StoredRun
from aboutness.experiment.results import Results
from aboutness.experiment.toml_form import experiment_of
from aboutness.models.bm25 import BM25
from aboutness.models.known import MODELS
from cli.running import environment
from experiment.drawn import DRAWN, RECORDS
from experiment.small import lines, write_collection

EXAMPLES = Path(__file__).parents[2] / "examples"
RANKERS = ["bm25", "ql", "minmax(bm25) + .3*minmax(ql)"]


@pytest.fixture
def drawn(tmp_path):
    folder = tmp_path / "drawn"
    folder.mkdir()
    records = [
        {"_id": one["id"], "title": one["text"][:20], "text": one["text"], "topics": one["text"].split()[0]}
        for one in RECORDS
    ]
    (folder / "corpus.jsonl").write_text(lines(records))
    queries = [
        {"_id": one.id, "text": one.text, "title": one.text, "narrative": f"{one.text} sea"}
        for one in DRAWN.queries
    ]
    (folder / "queries.jsonl").write_text(lines(queries))
    judged = [f"{query}\t{d}\t{grade}\n" for query, grades in DRAWN.qrels.items() for d, grade in grades.items()]
    (folder / "qrels.tsv").write_text("".join(judged))
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def told(results):
    """Return all that results say, but for when and how fast they were made."""
    return [
        (one.title, one.documents, one.unknown, one.note, row.name, dict(row.run), row.evaluation)
        for one in results.comparisons
        for row in one.rows
    ]


def cached(results):
    return [row.cached for one in results.comparisons for row in one.rows]


# --- results are those of `compare` --------------------------------------------------------------------


def test_each_condition_is_a_comparison(drawn):
    found = run_experiment(
        collections=[drawn], rankers=RANKERS, measures=["AP", "nDCG@10"], fields=["title", "all"],
        queries=["text", "narrative"], match=["or", "all", "judged", "bm25 % 5"], depth=20, cache=False,
    )  # fmt: skip
    assert len(found.comparisons) == 16
    conditions = list(found.declared.conditions)
    for one, condition in zip(found.comparisons, conditions, strict=True):
        wanted = compare(
            RANKERS, drawn, ["AP", "nDCG@10"], fields=condition.fields, queries=condition.queries,
            match=condition.match, depth=20,
        )  # fmt: skip
        assert [row.ranker for row in one.rows] == [row.ranker for row in wanted.rows]
        assert [row.run for row in one.rows] == [row.run for row in wanted.rows]
        assert [row.evaluation for row in one.rows] == [row.evaluation for row in wanted.rows]
        assert one.setting == wanted.setting == str(condition)
        assert [row.name for row in one.rows] == list(map(str, map(ab.ranker, RANKERS)))
        assert (one.qrels, one.texts, one.unknown) == (wanted.qrels, wanted.texts, wanted.unknown)
    assert ab.run_experiment is run_experiment


def test_every_document_for_every_query(drawn):
    found = run_experiment(collections=[drawn], rankers=RANKERS, match="all", depth="all", cache=False)
    assert {len(ranking) for row in found.comparisons[0].rows for ranking in row.run.values()} == {40}
    assert {len(ranking) for ranking in compare("bm25", drawn, match="all", depth=None).rows[0].run.values()} == {
        40
    }


def test_it_says_what_it_was_made_of(drawn, cache):
    found = run_experiment(collections=[drawn], rankers=RANKERS, seed=4, name="mine", cache=cache, command="do it")
    made = found.made
    assert (made.command, made.seed, found.name) == ("do it", 4, "mine")
    assert made.parameters == found.declared.to_json()
    (data,) = made.data.values()
    assert data["source"] == str(drawn)
    assert (data["documents"], data["queries"], data["judgements"]) == (
        40,
        17,
        sum(map(len, DRAWN.qrels.values())),
    )
    assert data["checksum"] == collection(drawn).checksum
    assert made.seconds > 0


def test_collections_of_the_same_name_are_told_apart(drawn, tmp_path):
    other = shutil.copytree(drawn, tmp_path / "deep" / "drawn")
    found = run_experiment(collections=[drawn, other], rankers=["bm25", "ql"], cache=False)
    names = [one.collection for one in found.comparisons]
    assert names == list(found.made.data) == ["drawn", f"drawn ({other})"]
    found.save(tmp_path / "out")
    assert [one.collection for one in ab.read_results(tmp_path / "out").comparisons] == names


def test_names_of_rankers(drawn):
    rankers = {"ours": "bm25 + ql", "theirs": {"ranker": "bm25", "k1": 2}}
    found = run_experiment(collections=drawn, rankers=rankers, fields="title", cache=False)
    assert [row.name for row in found.comparisons[0].rows] == ["ours", "theirs"]
    assert [str(row.ranker) for row in found.comparisons[0].rows] == [
        "bm25[fields=title] + ql[fields=title]", "bm25[fields=title,k1=2]",
    ]  # fmt: skip


def test_what_rankers_need_is_trained(tmp_path, cache):
    small = write_collection(tmp_path / "small")
    rankers = ["bm25", "wcs", "lsa", "doc2vec"]
    way = {"train": "word2vec", "dim": 8, "min_count": 1, "epochs": 2}
    found = run_experiment(collections=[small], rankers=rankers, vectors=way, cache=cache)
    wanted = compare(rankers, small, vectors=ab.Word2Vec(dim=8, min_count=1, epochs=2))
    for row, other in zip(found.comparisons[0].rows, wanted.rows, strict=True):
        assert dict(row.run) == dict(other.run)
    assert not list((cache / "indexes").iterdir())
    again = run_experiment(collections=[small], rankers=rankers, vectors=way, cache=cache)
    assert cached(again) == [True] * 4
    other = run_experiment(collections=[small], rankers=rankers, vectors={**way, "dim": 9}, cache=cache)
    assert cached(other) == [True, False, True, True]  # of these, only that one reads words


def test_fields_are_what_is_trained_on(drawn, cache):
    found = run_experiment(collections=[drawn], rankers=["doc2vec"], fields=["title", "text"], cache=cache)
    alone = run_experiment(collections=[drawn], rankers=["doc2vec"], fields=["text"], cache=False)
    assert told(found)[1] == told(alone)[0]
    assert told(found)[0][5] != told(found)[1][5]
    assert cached(run_experiment(collections=[drawn], rankers=["doc2vec"], fields=["text"], cache=cache)) == [True]


# --- tuned, split, labels, samples ---------------------------------------------------------------------


def test_tuned_rankers(drawn, cache):
    grid = {"k1": [0.5, 1.2, 2], "b": [0.1, 0.9]}
    given = {"collections": [drawn], "rankers": ["bm25", {"ranker": "bm25", "name": "tuned", "grid": grid}]}
    for folder in (False, cache, cache):
        found = run_experiment(**given, tune={"by": "nDCG@10", "folds": 4}, seed=3, measures=["AP"], cache=folder)
        wanted = cross_validate("bm25", drawn, grid, "nDCG@10", ["AP"], folds=4, seed=3)
        row = found.comparisons[0].rows[1]
        assert dict(row.run) == dict(wanted.run)
        assert row.evaluation.mean["AP"] == wanted.evaluation.mean["AP"]
        chosen = {str(fold.setting) for fold in wanted.folds}
        assert all(one in found.comparisons[0].note for one in chosen)
    assert cached(found) == [True, True]
    other = run_experiment(**given, tune={"by": "nDCG@10", "folds": 5}, seed=3, measures=["AP"], cache=cache)
    assert cached(other) == [True, False]


@pytest.mark.parametrize("match", ["or", "ql % 7", "judged"])
def test_tuned_by_some_queries_and_reported_on_the_others(drawn, tmp_path, match):
    train, test = training_split([query.id for query in DRAWN.queries], 0.4, 1)
    (tmp_path / "train.txt").write_text("\n".join(train))
    grid = ["k1=0.5,1.2,2"]
    for split in (0.4, str(tmp_path / "train.txt")):
        found = run_experiment(
            collections=[drawn], rankers=["bm25", {"name": "bm25", "grid": grid}], tune={"train": split},
            match=match, measures=["AP"], cache=False,
        )  # fmt: skip
        (one,) = found.comparisons
        for row in one.rows:
            assert set(row.evaluation.per_query) == set(test)
        assert [row.name for row in one.rows] == ["bm25", "bm25 (tuned)"]
        if match != "judged":
            wanted = sweep("bm25", drawn, grid, "AP", ["AP"], split=split, match=match)
            assert dict(one.rows[1].run) == dict(wanted.run)
            assert str(wanted.best) in one.note
    left = without_train(collection(drawn), 0.4)
    assert compare("bm25", left, ["AP"], match=match).rows[0].evaluation == one.rows[0].evaluation


def test_documents_as_queries(drawn, cache):
    given = {"collections": [drawn], "rankers": ["bm25", "tfidf"], "match": "all", "depth": "all"}
    for folder in (False, cache):
        found = run_experiment(**given, labels={"field": "topics", "queries": 6}, seed=2, cache=folder)
        wanted = compare(
            ["bm25", "tfidf"], ab.by_label(drawn, "topics", queries=6, seed=2), match="all", depth=None
        )
        (one,) = found.comparisons
        assert [dict(row.run) for row in one.rows] == [dict(row.run) for row in wanted.rows]
        assert one.collection == "drawn by topics"
        hidden = {query for row in one.rows for query in row.run}
        assert len(hidden) == 6
        assert not hidden & {d for row in one.rows for ranking in row.run.values() for d, _ in ranking}
    other = run_experiment(**given, labels={"field": "topics", "queries": 6}, seed=3, cache=cache)
    assert cached(other) == [False, False]
    with pytest.raises(UsageError, match="documents, which have no form 'narrative'"):
        run_experiment(**given, labels={"field": "topics", "queries": 6}, queries="narrative", cache=False)


def test_samples_are_saved(drawn, tmp_path):
    found = run_experiment(
        collections=[drawn], rankers=["bm25", "ql"], samples={"random": 3, "first": "ql % 4"}, seed=5, cache=False
    )
    (some,) = found.samples
    wanted = ab.sample_scores(["bm25", "ql"], drawn, random=3, first="ql % 4", seed=5)
    assert (some.documents, some.kinds) == (wanted.documents, wanted.kinds)
    written = found.save(tmp_path / "out")
    assert (tmp_path / "out" / "samples.csv") in written
    assert len((tmp_path / "out" / "samples.csv").read_text().splitlines()) == 1 + 2 * len(some.documents)


# --- kept runs -----------------------------------------------------------------------------------------


def test_what_is_kept_is_not_done_again(drawn, cache, monkeypatch):
    first = run_experiment(collections=[drawn], rankers=RANKERS, fields=["title", "all"], cache=cache)
    assert cached(first) == [False] * 6
    assert {type(row.run) for one in first.comparisons for row in one.rows} == {StoredRun}  # not in memory
    monkeypatch.setattr("aboutness.app.kept_indexes.Index.build", None)  # no index is made
    again = run_experiment(collections=[drawn], rankers=RANKERS, fields=["title", "all"], cache=cache)
    assert cached(again) == [True] * 6
    assert told(again) == told(first)
    assert [row.seconds for one in again.comparisons for row in one.rows] == [
        row.seconds for one in first.comparisons for row in one.rows
    ]
    some = run_experiment(
        collections=[drawn],
        rankers=[RANKERS[1], RANKERS[0]],
        measures=["RR"],
        baseline="ql",
        name="x",
        cache=cache,
    )
    assert cached(some) == [True, True]  # measures and names are not what a run depends on


def changed(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda drawn, _: changed(drawn / "qrels.tsv", "\t0\n", "\t2\n"),
        lambda drawn, _: changed(drawn / "corpus.jsonl", "city", "river"),
        lambda drawn, _: changed(drawn / "queries.jsonl", '"text": "', '"text": "dog '),
        lambda _, given: given.update(depth=7),
        lambda _, given: given.update(analyzer="plain"),
        lambda _, given: given.update(match="and"),
        lambda _, given: given.update(fields="text"),
        lambda _, given: given.update(rankers=["bm25[k1=1.3]", "ql[mu=5]"]),
    ],
    ids=["qrels", "corpus", "queries", "depth", "analyzer", "match", "fields", "rankers"],
)
def test_what_a_run_depends_on(drawn, cache, change):
    given = {"collections": [drawn], "rankers": ["bm25", "ql"], "measures": ["AP"]}
    before = run_experiment(**given, cache=cache)
    change(drawn, given)
    after = run_experiment(**given, cache=cache)
    assert cached(after) == [False, False]
    assert told(after) == told(run_experiment(**given, cache=False))
    assert told(after) != told(before)
    assert cached(run_experiment(**given, cache=cache)) == [True, True]


def test_other_code_makes_other_runs(drawn, cache, monkeypatch):
    run_experiment(collections=[drawn], rankers=["bm25"], cache=cache)
    monkeypatch.setattr("aboutness.app.under_condition.code_version", lambda: f"{code_version()} changed")
    assert cached(run_experiment(collections=[drawn], rankers=["bm25"], cache=cache)) == [False]


@dataclass(frozen=True)
class Mine(BM25):
    """BM25, or its reverse."""

    name: ClassVar[str] = "mine-or-its-reverse"
    sign: ClassVar[int] = 1

    def saturation(self, tf, length):
        return self.sign * super().saturation(tf, length) + (self.sign < 0)


def test_code_from_elsewhere_is_run_each_time(drawn, cache, monkeypatch):
    monkeypatch.setitem(MODELS._things, Mine.name, Mine)
    given = {
        "collections": [drawn],
        "rankers": [
            "bm25",
            Mine.name,
            f"minmax({Mine.name}) % 5",
            {"ranker": Mine.name, "grid": {"k1": [0.1, 3]}},
        ],
    }
    before = run_experiment(**given, cache=cache)
    monkeypatch.setattr(Mine, "sign", -1)
    after = run_experiment(**given, cache=cache)
    assert cached(after) == [True, False, False, False]
    assert told(after) == told(run_experiment(**given, cache=False)) != told(before)


def test_vectors_from_a_file_that_changes(tmp_path, cache):
    small = write_collection(tmp_path / "small")
    path = tmp_path / "words.txt"
    path.write_text("mexico 1 0\nriver 0 1\nold .5 .5\nsongs .5 1\nrivers 1 .2\n")
    given = {"collections": [small], "rankers": ["wcs", "bm25"], "vectors": str(path), "analyzer": "plain"}
    before = run_experiment(**given, cache=cache)
    assert cached(run_experiment(**given, cache=cache)) == [True, True]
    path.write_text("mexico 1 0\nriver .7 .2\nold .1 .5\nsongs .5 1\nrivers 1 .2\n")
    after = run_experiment(**given, cache=cache)
    assert cached(after) == [False, True]
    assert told(after)[0] != told(before)[0]


def test_vectors_that_do_not_fit_are_told(tmp_path, cache):
    small = write_collection(tmp_path / "small")
    (tmp_path / "words.txt").write_text("nowhere 1 0\nnothing 0 1\n")
    given = {"collections": [small], "vectors": str(tmp_path / "words.txt"), "analyzer": "plain"}
    note = compare("wcs", small, vectors=tmp_path / "words.txt", analyzer="plain").note
    assert note
    for folder in (False, cache, cache):
        assert run_experiment(**given, rankers=["bm25", "wcs"], cache=folder).comparisons[0].note == note
        assert run_experiment(**given, rankers=["bm25"], cache=folder).comparisons[0].note is None


def test_the_first_ranker_of_samples_is_trained_too(drawn):
    found = run_experiment(collections=[drawn], rankers=["bm25"], samples={"first": "lsa % 3"}, cache=False)
    assert found.samples[0].rankers == ("bm25",)


def test_a_damaged_file_is_made_anew(drawn, cache):
    first = run_experiment(collections=[drawn], rankers=RANKERS, cache=cache)
    some = sorted(cache.glob("*.run"))
    whole = some[1].read_bytes()
    for path, damaged in zip(some, (b"", whole[:-1] + bytes([whole[-1] ^ 1])), strict=False):
        path.unlink()  # the first results read from it still
        path.write_bytes(damaged)
    again = run_experiment(collections=[drawn], rankers=RANKERS, cache=cache)
    assert sorted(cached(again)) == [False, False, True]
    assert told(again) == told(first)
    assert cached(run_experiment(collections=[drawn], rankers=RANKERS, cache=cache)) == [True] * 3


def test_the_user_s_own_folder(drawn, tmp_path, monkeypatch):
    monkeypatch.setenv("ABOUTNESS_CACHE", str(tmp_path / "mine"))
    assert user_cache() == tmp_path / "mine" / "experiments"
    run_experiment(collections=[drawn], rankers=["bm25"])
    assert len(list((tmp_path / "mine" / "experiments").glob("*.run"))) == 1
    run_experiment(collections=[drawn], rankers=["ql"], cache=False)
    assert len(list((tmp_path / "mine" / "experiments").glob("*.run"))) == 1
    monkeypatch.delenv("ABOUTNESS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert user_cache() == tmp_path / "x" / "aboutness" / "experiments"


# --- interrupted ---------------------------------------------------------------------------------------

CHILD = """
import sys, time
import aboutness as ab

def tell(pace):
    print(pace.done, flush=True)
    if pace.done == int(sys.argv[4]):
        time.sleep(600)

def training(name, progress):
    print("training", flush=True)
    if sys.argv[4] == "-1":
        time.sleep(600)

ab.run_experiment(collections=[sys.argv[1]], rankers=sys.argv[3].split(";"), cache=sys.argv[2], progress=tell,
                  training=training)
"""


def killed(drawn, cache, rankers, last, wait_for):
    """Kill an experiment in a process of its own as soon as it tells a certain thing."""
    code_version.cache_clear()  # so that both have that of now
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(drawn), str(cache), ";".join(rankers), str(last)],
        stdout=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert child.stdout is not None
    for line in child.stdout:
        if line.strip() == wait_for:
            break
    os.kill(child.pid, signal.SIGKILL)
    child.stdout.close()
    assert child.wait(60) == -signal.SIGKILL


def test_it_goes_on_after_a_kill(drawn, cache):
    killed(drawn, cache, RANKERS, 2, "2")
    assert len(list(cache.glob("*.run"))) == 2
    found = run_experiment(collections=[drawn], rankers=RANKERS, cache=cache)
    assert cached(found) == [True, True, False]
    assert told(found) == told(run_experiment(collections=[drawn], rankers=RANKERS, cache=False))
    assert not list((cache / "indexes").iterdir())


def test_it_goes_on_with_its_index_after_a_kill_while_training(drawn, cache, monkeypatch):
    rankers = ["bm25", "lsa"]
    killed(drawn, cache, rankers, -1, "training")
    assert not list(cache.glob("*.run"))
    (left,) = (cache / "indexes").iterdir()
    monkeypatch.setattr("aboutness.app.kept_indexes.Index.build", None)  # it is there already
    found = run_experiment(collections=[drawn], rankers=rankers, cache=cache)
    monkeypatch.undo()
    assert told(found) == told(run_experiment(collections=[drawn], rankers=rankers, cache=False))
    assert not left.exists()


def interrupted(drawn, cache, rankers):
    """Interrupt an experiment while it trains; return the folder of its index."""

    def stop(name, progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(collections=[drawn], rankers=rankers, cache=cache, training=stop)
    (left,) = (cache / "indexes").iterdir()
    return left


def test_it_goes_on_with_its_index_in_the_same_process(drawn, cache, monkeypatch):
    rankers = ["bm25", "lsa"]
    left = interrupted(drawn, cache, rankers)
    monkeypatch.setattr("aboutness.app.kept_indexes.Index.build", None)  # it is there already
    run_experiment(collections=[drawn], rankers=rankers, cache=cache)
    assert not left.exists()


def test_an_index_with_which_nobody_went_on_is_removed_in_time(drawn, cache):
    left = interrupted(drawn, cache, ["bm25", "lsa"])
    for age, there in ((29, True), (31, False)):
        long_ago = time.time() - age * 24 * 3600
        os.utime(left, (long_ago, long_ago))
        run_experiment(collections=[drawn], rankers=[f"bm25[k1={age / 10}]"], cache=cache)
        assert left.exists() is there


def test_a_kept_index_that_is_damaged_is_made_anew(drawn, cache):
    rankers = ["bm25", "lsa"]
    left = interrupted(drawn, cache, rankers)
    for file in (left / "kept.index" / "arrays").iterdir():
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2 : -64] = bytes(len(whole[len(whole) // 2 : -64]))
        file.write_bytes(whole)
    found = run_experiment(collections=[drawn], rankers=rankers, cache=cache)
    assert told(found) == told(run_experiment(collections=[drawn], rankers=rankers, cache=False))


def test_ctrl_c_says_what_is_kept(drawn, cache):
    def stop(pace):
        if pace.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(
        KeyboardInterrupt, match=f"what is done is kept in {cache}: the same again goes on from there"
    ):
        run_experiment(collections=[drawn], rankers=RANKERS, cache=cache, progress=stop)
    with pytest.raises(KeyboardInterrupt, match="nothing is kept"):
        run_experiment(collections=[drawn], rankers=RANKERS, cache=False, progress=stop)
    assert cached(run_experiment(collections=[drawn], rankers=RANKERS, cache=cache)) == [True, False, False]


def test_a_ranker_that_fails_leaves_those_before_it(drawn, cache):
    with pytest.raises(UsageError, match="nope"):
        run_experiment(collections=[drawn], rankers=["bm25", "bm25[layer=nope]"], cache=cache)
    assert cached(run_experiment(collections=[drawn], rankers=["bm25"], cache=cache)) == [True]


def test_two_at_once_share_a_folder(drawn, cache):
    """While one trains, another has its index in memory, and neither takes the other's away."""
    rankers = ["bm25", "lsa"]
    found = []

    def another(name, progress):
        if not found:
            found.append(None)  # once
            found.append(run_experiment(collections=[drawn], rankers=rankers, cache=cache))
            assert len(list((cache / "indexes").iterdir())) == 1

    first = run_experiment(collections=[drawn], rankers=rankers, cache=cache, training=another)
    assert told(first) == told(found[1])
    assert cached(found[1]) == [False, False]
    assert not list((cache / "indexes").iterdir())


def test_progress_and_the_time_left(drawn, cache):
    paces = []
    run_experiment(collections=[drawn], rankers=RANKERS, match=["or", "all"], cache=cache, progress=paces.append)
    assert {pace.total for pace in paces} == {6}
    assert [pace.done for pace in paces] == sorted(pace.done for pace in paces)
    assert {pace.done for pace in paces} == set(range(6))
    assert paces[0].seconds_left is None
    assert all(pace.seconds_left > 0 for pace in paces if pace.done > 0 and pace.part < 1)
    assert paces[0].what == "drawn: bm25"
    assert paces[-1].what == "drawn, all documents: minmax(bm25) + 0.3*minmax(ql)"
    assert paces[-1].part == 1.0


# --- declared, saved, reported -------------------------------------------------------------------------


def test_a_file_and_what_is_saved_of_it(drawn, cache, tmp_path):
    (tmp_path / "e.toml").write_text('collections = "drawn"\nrankers = ["bm25", "ql"]\nbaseline = "ql"\n')
    found = run_experiment(tmp_path / "e.toml", cache=cache)
    assert found.declared == ab.Experiment.read(tmp_path / "e.toml")
    assert (found.name, found.baseline) == ("e", "ql")
    assert told(run_experiment(found.declared, cache=cache)) == told(found)
    found.save(tmp_path / "out")
    again = run_experiment(tmp_path / "out" / "declared.toml", cache=cache)
    assert again.declared == found.declared
    assert cached(again) == [True, True]
    read = ab.read_results(tmp_path / "out")
    assert [one.rows[0].evaluation for one in read.comparisons] == [
        one.rows[0].evaluation for one in found.comparisons
    ]
    with pytest.raises(UsageError, match="give an experiment or what it is made of, not both"):
        run_experiment(tmp_path / "e.toml", rankers=["bm25"])


@pytest.mark.parametrize("name", ["first_look", "documents_as_queries"])
def test_examples(name):
    made = ab.Experiment.read(EXAMPLES / f"{name}.toml")
    assert made.units == {"first_look": 20, "documents_as_queries": 7}[name]
    assert experiment_of(tomllib.loads(made.to_toml())) == made


def test_what_is_wrong_is_told_before_anything_is_done(drawn, cache, tmp_path):
    with pytest.raises(UsageError, match="unknown key 'ranks'"):
        run_experiment(collections=[drawn], ranks=["bm25"], cache=cache)
    with pytest.raises(NotFound, match="no such way of training"):
        run_experiment(collections=[drawn], rankers=["wcs"], vectors="nope", cache=cache)
    with pytest.raises(NotFound, match="there is no such folder"):
        run_experiment(collections=[tmp_path / "gone"], rankers=["bm25"], cache=cache)
    with pytest.raises(UsageError, match="the number of folds of 17 queries"):
        rankers = [{"name": "bm25", "grid": "k1=1,2"}]
        run_experiment(collections=[drawn], rankers=rankers, tune={"folds": 18}, cache=cache)
    with pytest.raises(
        UsageError, match="query 'q0' has no form 'summary'; its queries have the forms text, title"
    ):
        run_experiment(collections=[drawn], rankers=["bm25"], queries=["text", "summary"], cache=cache)
    with pytest.raises(NotFound, match="there is no such folder"):
        run_experiment(collections=[drawn, tmp_path / "gone"], rankers=["bm25"], cache=cache)
    assert not list(cache.glob("*.run"))


@pytest.mark.parametrize("make", [
    lambda drawn: compare(["bm25", "ql"], drawn, ["AP"]),
    lambda drawn: run_experiment(collections=[drawn], rankers=["bm25", "ql"], measures=["AP"], cache=False),
], ids=["compare", "experiment"])  # fmt: skip
def test_reports(drawn, tmp_path, make):
    found = make(drawn)
    found.report(tmp_path / "report.html", tmp_path / "report.md")
    assert "bm25" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "report.html").read_text().lower().startswith("<!doctype html>")


def test_results_are_of_one_kind(drawn):
    found = run_experiment(collections=[drawn], rankers=["bm25", "ql"], cache=False)
    assert isinstance(found, Results)
    assert isinstance(replace(found, name="x"), Results)


# --- real data -----------------------------------------------------------------------------------------


def test_reuters_by_label(data_folder):
    found = run_experiment(
        collections=[data_folder / "reuters21578_apte90"], rankers=["tfidf[variant=malina]", "bm25-cosine"],
        labels={"field": "qrels", "groups": "malina2016", "queries": 20}, measures=["P@10", "AP"], match="all",
        depth=1000, cache=False,
    )  # fmt: skip
    (one,) = found.comparisons
    assert (one.documents, one.queries) == (9161, 20)
    assert all(row.evaluation.mean["P@10"] > 0.6 for row in one.rows)
