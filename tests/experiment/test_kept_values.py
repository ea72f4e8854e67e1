"""Values that are kept: found again where all is the same, and never where anything differs or is damaged."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import StorageError, UsageError
from aboutness.core.record import Query
from aboutness.experiment import kept_values, measuring
from aboutness.experiment.compare import rankings
from aboutness.experiment.kept_values import KeptValues, index_contents
from aboutness.experiment.sweep import sweep
from aboutness.experiment.validate import cross_validate
from aboutness.models.bm25 import BM25
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS
from experiment.small import QRELS, QUERIES, documents, texts, with_vectors

GRID = {"k1": [0, 0.5, 2], "b": [0, 1]}


@pytest.fixture(scope="module")
def index():
    return Index.build(RECORDS)


@pytest.fixture
def ranked(monkeypatch):
    """Return a list to which the number of queries is added whenever some are ranked."""
    counts = []

    def counted(searcher, queries, *rest):
        counts.append(len(queries))
        return rankings(searcher, queries, *rest)

    monkeypatch.setattr(measuring, "rankings", counted)
    return counts


def plain(found):
    return found.to_json(per_query=True)


def files(folder):
    return sorted(folder.glob("*.json"))


# --- measured once -------------------------------------------------------------------------------------


def test_the_second_time_only_what_was_chosen_is_ranked(index, tmp_path, ranked):
    wanted = cross_validate(index.snapshot, DRAWN, "bm25", GRID, "AP", measures="RR")
    ranked.clear()
    first = cross_validate(index.snapshot, DRAWN, "bm25", GRID, "AP", measures="RR", cache=tmp_path / "kept")
    assert ranked.count(17) >= 7  # six settings and the ranker as it was given
    assert len(files(tmp_path / "kept")) == 7
    ranked.clear()
    told = []
    second = cross_validate(
        index.snapshot, DRAWN, "bm25", GRID, "AP", measures="RR", cache=str(tmp_path / "kept"),
        progress=lambda *news: told.append(news),
    )  # fmt: skip
    assert sum(ranked) == 17
    assert [news[1:] for news in told] == [(17, 17)] * 7
    assert plain(first) == plain(second) == plain(wanted)
    assert dict(first.run) == dict(second.run) == dict(wanted.run)


def test_folds_and_splits_share_what_is_kept(index, tmp_path, ranked):
    cross_validate(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    ranked.clear()
    found = sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    assert ranked == [len(found.test)]
    assert plain(found) == plain(sweep(index.snapshot, DRAWN, "bm25", GRID, "AP"))


def test_what_was_interrupted_goes_on(index, tmp_path, ranked):
    def stop_at_the_fourth(name, done, total):
        if len(files(tmp_path)) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path, progress=stop_at_the_fourth)
    assert len(files(tmp_path)) == 3
    ranked.clear()
    found = sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    assert ranked == [17] * 3 + [len(found.test)] + [17]
    assert plain(found) == plain(sweep(index.snapshot, DRAWN, "bm25", GRID, "AP"))


# --- damage --------------------------------------------------------------------------------------------


def first_value(text):
    """Return kept values with one of them changed."""
    kept = json.loads(text)
    kept["values"]["q1"]["AP"] = 0.125
    return json.dumps(kept)


def of_another(text):
    """Return kept values with one query less."""
    kept = json.loads(text)
    del kept["values"]["q1"]
    return json.dumps(kept)


DAMAGE = {
    "empty": lambda _: "",
    "cut": lambda text: text[: len(text) // 2],
    "zeros": lambda text: "\0" * len(text),
    "a changed value": first_value,
    "a query less": of_another,
    "no seal": lambda text: json.dumps({"values": json.loads(text)["values"]}),
    "a list": lambda _: "[]",
    "a text": lambda _: '"values"',
    "null": lambda _: "null",
    "deep": lambda _: "[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_values_are_measured_again(index, tmp_path, ranked, name):
    wanted = sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    for file in files(tmp_path)[:2]:
        file.write_text(DAMAGE[name](file.read_text()))
    ranked.clear()
    found = sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    assert ranked.count(17) == 2
    assert plain(found) == plain(wanted)
    ranked.clear()
    sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    assert ranked.count(17) == 0  # they are whole again


def test_one_ranker_s_file_is_not_taken_for_another_s(index, tmp_path, ranked):
    wanted = sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    one, two, *_ = files(tmp_path)
    one.write_bytes(two.read_bytes())
    ranked.clear()
    assert plain(sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)) == plain(wanted)
    assert ranked.count(17) == 1


def test_values_that_the_chosen_ranker_no_longer_has_are_told(index, tmp_path):
    """As if a ranker's code had changed without its text: the file is whole, and yet wrong."""
    found = sweep(index.snapshot, DRAWN, "bm25", {"k1": [1]}, "AP", cache=tmp_path)
    kept = KeptValues(tmp_path, index.snapshot, DRAWN.queries, DRAWN.qrels, ["AP"], 1000, "or")
    values = kept.get(ranker("bm25[k1=1]"))
    kept.put(ranker("bm25[k1=1]"), values | {found.test[0]: {"AP": values[found.test[0]]["AP"] / 2 + 0.001}})
    with pytest.raises(UsageError, match=r"are not those that the ranker has now.*choose another folder"):
        sweep(index.snapshot, DRAWN, "bm25", {"k1": [1]}, "AP", cache=tmp_path)


def test_nothing_half_written_is_left(index, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    kept = KeptValues(tmp_path, index.snapshot, DRAWN.queries, DRAWN.qrels, ["AP"], 1000, "or")
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(StorageError, match=r"cannot write .*No space left on device"):
        kept.put(ranker("bm25"), {"q1": {"AP": 0.5}})
    assert [file.name for file in tmp_path.iterdir()] == ["about.txt"]


def test_folders_that_cannot_be_written(index, tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError, match="cannot make the folder"):
            sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=folder)
    (tmp_path / "odd" / "about.txt").mkdir(parents=True)
    with pytest.raises(UsageError, match="is a folder"):
        sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path / "odd")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_without_permission(index, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="ermission denied"):
        sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)


# --- what values depend on -----------------------------------------------------------------------------


def shared(index, queries=DRAWN.queries, qrels=DRAWN.qrels, measures=("AP",), depth=10, match="or", *, folder):
    return KeptValues(folder, index.snapshot, queries, qrels, measures, depth, match).shared


def test_all_that_values_depend_on_is_in_the_key(index, tmp_path, monkeypatch):
    some = DRAWN.queries
    grades = DRAWN.qrels["q1"]
    named = [
        {},
        {"queries": some[:-1]},
        {"queries": (*some[:-1], Query(some[-1].id, "other words"))},
        {"qrels": {query: DRAWN.qrels[query] for query in list(DRAWN.qrels)[1:]}},
        {"qrels": {**DRAWN.qrels, "q1": {**grades, next(iter(grades)): 3}}},
        {"qrels": {**DRAWN.qrels, "q1": {**grades, "new": 0}}},
        {"measures": ("RR",)},
        {"measures": ("AP", "RR")},
        {"depth": 11},
        {"match": "and"},
    ]
    keys = [shared(index, **one, folder=tmp_path) for one in named]
    monkeypatch.setattr(kept_values, "code_version", lambda: "0.0.0")
    keys.append(shared(index, folder=tmp_path))
    assert len(set(keys)) == len(named) + 1


def test_the_ranker_is_in_the_key(index, tmp_path):
    kept = KeptValues(tmp_path, index.snapshot, DRAWN.queries, DRAWN.qrels, ["AP"], 10, "or")
    kept.put(ranker("bm25"), {"q1": {"AP": 0.1}})
    kept.put(ranker("bm25[k1=2]"), {"q1": {"AP": 0.2}})
    assert kept.get(ranker("bm25")) == {"q1": {"AP": 0.1}}
    assert kept.get(ranker("bm25[k1=2.0]")) == {"q1": {"AP": 0.2}}
    assert kept.get(ranker("bm25[k1=3]")) is None


class Mine(BM25):
    """BM25, or its reverse."""

    sign = 1

    def saturation(self, tf, length):
        return self.sign * super().saturation(tf, length) + (self.sign < 0)


def test_of_code_from_elsewhere_nothing_is_kept(index, tmp_path, monkeypatch):
    before = sweep(index.snapshot, DRAWN, Mine(), {"k1": [0.5, 2]}, "AP", cache=tmp_path)
    monkeypatch.setattr(Mine, "sign", -1)
    after = sweep(index.snapshot, DRAWN, Mine(), {"k1": [0.5, 2]}, "AP", cache=tmp_path)
    assert not files(tmp_path)
    assert plain(after) == plain(sweep(index.snapshot, DRAWN, Mine(), {"k1": [0.5, 2]}, "AP")) != plain(before)


def test_an_index_that_is_built_again_is_the_same_and_any_other_is_not(tmp_path):
    def contents(index):
        return json.dumps(index_contents(index.snapshot))

    records = [*RECORDS[:5], {"id": "title", "title": "old", "text": "sea"}]
    wanted = contents(Index.build(records))
    assert contents(Index.build(records)) == wanted
    assert contents(Index.build(records, tmp_path / "on.disk")) == wanted
    other = [
        Index.build(records[1:]),
        Index.build(records[::-1]),
        Index.build([{**records[0], "id": "other"}, *records[1:]]),
        Index.build([{**records[0], "text": records[0]["text"].swapcase()}, *records[1:]]),
        Index.build(records, analyzer="plain"),
        Index.build(records, weights={"title": 3}),
    ]
    deleted = Index.build(records)
    deleted.delete("d0")
    assert len({wanted, *map(contents, [*other, deleted])}) == len(other) + 2


def test_what_was_trained_is_in_the_key():
    made = [Index.build(documents()) for _ in range(4)]
    for index, parameters in zip(made[1:], ({}, {}, {"seed": 2}), strict=True):
        index.train("word2vec", dim=4, min_count=1, epochs=1, threads=1, **parameters)
    bare, one, same, other = (json.dumps(index_contents(index.snapshot)) for index in made)
    assert one == same
    assert len({bare, one, other, json.dumps(index_contents(with_vectors(made[0]).snapshot))}) == 4


def test_changed_judgements_and_documents_are_measured_anew(index, tmp_path, ranked):
    sweep(index.snapshot, DRAWN, "bm25", GRID, "AP", cache=tmp_path)
    changed = replace(DRAWN, qrels={**DRAWN.qrels, "q1": {"d1": 1}})
    more = Index.build([*RECORDS, {"id": "new", "text": "city river song old sea"}])
    for held, collection in ((index, changed), (more, DRAWN)):
        ranked.clear()
        found = sweep(held.snapshot, collection, "bm25", GRID, "AP", cache=tmp_path)
        assert ranked.count(17) == 7
        assert plain(found) == plain(sweep(held.snapshot, collection, "bm25", GRID, "AP"))


def test_odd_ids_are_kept(tmp_path):
    index = with_vectors(Index.build(documents()))
    odd = {"q1": "\xe9 \u2028", "q2": '"', "q3": "3", "q4": "\\"}
    queries = tuple(Query(odd.get(query.id, query.id), query.text) for query in texts(QUERIES))
    collection = replace(DRAWN, queries=queries, qrels={odd.get(query, query): QRELS[query] for query in QRELS})
    first, second = (
        sweep(index.snapshot, collection, "bm25-desm", "alpha=0,1", "AP", cache=tmp_path) for _ in range(2)
    )
    assert plain(first) == plain(second)
    assert len(files(tmp_path)) == 3
