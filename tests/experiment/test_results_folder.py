from __future__ import annotations

import json
from dataclasses import replace

import pytest

import aboutness as ab
from aboutness.app.index import Index
from aboutness.core.errors import BadInput, NotFound
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment import results_folder
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import compare_on
from aboutness.experiment.results import Made, Results, peak_memory, versions
from aboutness.experiment.results_folder import RunFile, per_query_table, read_results, save_results
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS
from experiment.small import QRELS, QUERIES, documents, texts


@pytest.fixture(scope="module")
def comparison():
    rankers = [ranker("bm25"), ranker("minmax(bm25) + .3*minmax(ql)")]
    return compare_on(Index.build(RECORDS).snapshot, DRAWN, rankers, ["AP", "P(rel=2)@5"])


@pytest.fixture(scope="module")
def results(comparison):
    small = Collection("small", "nowhere", tuple(texts(QUERIES)), QRELS)
    other = compare_on(Index.build(documents()).snapshot, small, [ranker("ql")], ["AP"])
    rows = (replace(other.rows[0], named='ours, "odd"', seconds=1.5, cached=True),)
    made = Made.now(
        command="aboutness experiment x.toml", seconds=2.5, seed=3, parameters={"a": [1]}, data={"b": {}}
    )
    title = replace(comparison, setting="fields title", note="a note", left_out={"lsa": "why"})
    return Results("two", (comparison, title, replace(other, rows=rows)), None, "t", "none", made)


def plain(results):
    return json.loads(json.dumps(results.to_json(per_query=True)))


def test_what_is_saved_is_read_again(results, tmp_path):
    written = save_results(results, tmp_path / "out")
    assert {path for path in (tmp_path / "out").rglob("*") if path.is_file()} == set(written)
    found = read_results(tmp_path / "out")
    assert plain(found) == plain(results)
    assert found.made == results.made
    for one, other in zip(found.comparisons, results.comparisons, strict=True):
        assert (one.qrels, one.texts, one.unknown) == (other.qrels, dict(other.texts), other.unknown)
        for row, wanted in zip(one.rows, other.rows, strict=True):
            assert (row.ranker, row.name, row.cached) == (wanted.ranker, wanted.name, wanted.cached)
            assert row.evaluation == wanted.evaluation
            assert evaluate(one.qrels, row.run, one.measures).per_query == wanted.evaluation.per_query
    assert ab.read_results is read_results
    assert str(found) == str(results)
    assert read_results(tmp_path / "out" / "results.json").name == "two"


def test_what_comparisons_share_is_written_once(results, tmp_path):
    names = [str(path.relative_to(tmp_path)) for path in save_results(results, tmp_path)]
    assert names == [
        "results.json", "runs/01-drawn-bm25.trec", "runs/02-drawn-minmax-bm25-0.3-minmax-ql.trec",
        "runs/03-drawn-fields-title-bm25.trec", "runs/04-drawn-fields-title-minmax-bm25-0.3-minmax-ql.trec",
        "runs/05-small-ours-odd.trec", "qrels/01-drawn.tsv", "queries/01-drawn.jsonl", "qrels/02-small.tsv",
        "queries/02-small.jsonl", "per_query.csv",
    ]  # fmt: skip


def test_saving_again_removes_what_is_not_written_again(results, comparison, tmp_path):
    save_results(results, tmp_path)
    (tmp_path / "runs" / "99-mine.trec").write_text("mine")
    written = save_results(Results.of(comparison), tmp_path)
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {*written, tmp_path / "runs" / "99-mine.trec"}


def test_further_files(comparison, tmp_path):
    (tmp_path / "experiment.toml").write_text("mine")
    more = {"declared.toml": "seed = 1\n", "samples.csv": "a,b\n"}
    assert len(save_results(Results.of(comparison), tmp_path, more)) == 8
    assert (tmp_path / "samples.csv").read_text() == "a,b\n"
    save_results(Results.of(comparison), tmp_path, {"declared.toml": "seed = 2\n"})
    assert (tmp_path / "declared.toml").read_text() == "seed = 2\n"
    assert not (tmp_path / "samples.csv").exists()
    save_results(Results.of(comparison), tmp_path)
    assert not (tmp_path / "declared.toml").exists()
    (tmp_path / "samples.csv").write_text("mine")
    save_results(Results.of(comparison), tmp_path)
    assert {(tmp_path / name).read_text() for name in ("samples.csv", "experiment.toml")} == {"mine"}


def test_large_files_are_packed(comparison, tmp_path, monkeypatch):
    monkeypatch.setattr(results_folder, "MOST_PLAIN", 50)
    monkeypatch.setattr(results_folder, "FEW", 1)
    monkeypatch.setattr(results_folder, "LARGE", 50)
    written = save_results(Results.of(comparison), tmp_path)
    assert [path.suffix for path in written[1:-1]] == [".gz"] * 4
    assert plain(read_results(tmp_path))["comparisons"] == plain(Results.of(comparison))["comparisons"]
    assert dict(read_results(tmp_path).comparisons[0].rows[0].run)


def test_values_by_query_are_tidy(results):
    lines = per_query_table(results).splitlines()
    assert lines[0] == "collection,setting,ranker,query,measure,value"
    assert len(lines) == 1 + 2 * 2 * 17 * 2 + len(QRELS)
    assert lines[-1].startswith('small,,"ours, ""odd""",q6,AP,')
    assert lines[1 + 2 * 17 * 2].startswith("drawn,fields title,bm25,q0,AP,")


def test_tables(results):
    assert [(row["collection"], row["setting"], row["ranker"]) for row in results.table] == [
        (one.collection, one.setting, row.name) for one in results.comparisons for row in one.rows
    ]
    last = results.table[-1]
    assert (last["seconds"], last["AP"]) == (1.5, results.comparisons[-1].rows[0].evaluation.mean["AP"])
    assert results.per_query[0].keys() == {"collection", "setting", "ranker", "query", "measure", "value"}


def test_a_run_is_read_when_it_is_looked_into(comparison, tmp_path):
    save_results(Results.of(comparison), tmp_path)
    run = read_results(tmp_path).comparisons[0].rows[0].run
    assert isinstance(run, RunFile)
    run.path.unlink()
    with pytest.raises(NotFound):
        len(run)


def test_what_are_no_results(comparison, tmp_path):
    with pytest.raises(NotFound, match="these are no results of `aboutness experiment -o`"):
        read_results(tmp_path)
    for text in ("nonsense", "{}", "[]", '{"comparisons": 5}'):
        (tmp_path / "results.json").write_text(text)
        with pytest.raises((BadInput, NotFound), match=r"results\.json|per_query\.csv"):
            read_results(tmp_path)
    save_results(Results.of(comparison), tmp_path)
    whole = (tmp_path / "results.json").read_text()
    (tmp_path / "results.json").write_text(whole.replace('"expression": "bm25"', '"expression": "bm26"'))
    with pytest.raises(BadInput, match="unknown ranker 'bm26'"):
        read_results(tmp_path)
    (tmp_path / "results.json").write_text(whole.replace('"rows"', '"lines"'))
    with pytest.raises(BadInput, match="of another version"):
        read_results(tmp_path)
    (tmp_path / "results.json").write_text(whole)
    (tmp_path / "per_query.csv").write_text("a,b\n")
    with pytest.raises(BadInput, match="its columns must be collection, setting"):
        read_results(tmp_path)
    (tmp_path / "per_query.csv").unlink()
    with pytest.raises(NotFound, match="which belongs to the results"):
        read_results(tmp_path)


def test_how_results_were_made(comparison):
    made = Results.of(comparison).made
    assert made.date.endswith("+00:00")
    assert made.versions == versions()
    assert {"aboutness", "python", "numpy", "system"} <= set(made.versions)
    assert 10 < made.peak_mb <= peak_memory()
    assert made.data == {"drawn": {"documents": 40, "queries": 17}}
    assert Results.of(comparison).name == "drawn"
    said = Results.of(comparison, name="x", baseline="bm25", test="t", correction="none").to_json()
    assert [said[name] for name in ("name", "baseline", "test", "correction")] == ["x", "bm25", "t", "none"]
    assert said["comparisons"][0]["rows"][0].items() >= {"ranker": "bm25", "cached": False}.items()
