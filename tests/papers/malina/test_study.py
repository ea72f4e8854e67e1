"""The whole study on a small corpus in which topics can be told by their words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aboutness.core.errors import NotFound, UsageError
from aboutness.experiment.labels import read_groups
from aboutness.papers.malina2016.methods import ENSEMBLES, OTHERS, SEVEN, names
from aboutness.papers.malina2016.modapte import modapte, write_folder
from aboutness.papers.malina2016.protocol import Malina2016, other_settings
from aboutness.papers.malina2016.run import Sizes, on_other_queries, run_of
from aboutness.papers.paper import PAPERS, Work
from aboutness.report.figures.sheet import is_there
from aboutness.report.study import Sheet, Study, Value, Verdict
from papers.malina.stories import GROUPS, Stories, small_corpus

SMALL = Malina2016(queries=40, dim=16, window=3, epochs=20, map_documents=60, samples=50)
CORPUS = "reuters21578_sgml"


def work(data: Path, **changed: object) -> Work:
    return Work(**{"data": data, "cache": False, "threads": 1, **changed})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collections")
    small_corpus(folder / CORPUS)
    return folder


@pytest.fixture(scope="module")
def study(data: Path) -> Study:
    return SMALL.study(work(data))


def sheet(study: Study, name: str) -> Sheet:
    return next(one for one in study.sheets if one.name == name)


def number(of: Sheet, row: str, column: str) -> float:
    cell = of.rows[row][list(of.columns).index(column)]
    assert isinstance(cell, Value)
    assert cell.here is not None
    return cell.here


def test_it_is_registered_with_the_papers_sizes() -> None:
    assert PAPERS["malina2016"] is Malina2016
    assert (Malina2016().queries, Malina2016().dim) == (1000, 100)


def test_the_corpus_is_counted_beside_the_papers(study: Study) -> None:
    one = sheet(study, "The corpus")
    topics = sum(map(len, GROUPS.values()))
    assert number(one, "documents", "count") == 14 * topics + 1
    assert number(one, "single-label documents", "count") == 14 * topics
    assert number(one, "documents to be found", "count") == 14 * topics - 40
    assert number(one, "documents of the split, with or without a category", "count") == 14 * topics + 3
    (cell,) = one.rows["documents"]
    assert isinstance(cell, Value)
    assert cell.paper == 12895


def test_planted_topics_are_found(study: Study) -> None:
    f1 = sheet(study, "Max F1")
    for name in names(SEVEN):
        assert number(f1, name, "same label (40)") > 0.5, name
    assert number(f1, "TF-IDF", "same label (40)") > 0.9
    assert number(f1, "Algorithm 1", "same label (40)") > 0.9
    curve = sheet(study, "Precision over recall 0 to .1, same label")
    assert number(curve, "Algorithm 1", "0.000") > 0.95


def test_all_methods_and_groups_are_there(study: Study) -> None:
    assert list(sheet(study, "Max F1").rows) == names(SEVEN)
    assert list(sheet(study, "Max F1 of further methods").rows) == names(OTHERS)
    assert set(names(ENSEMBLES)) < set(sheet(study, "Ensembles, same group").rows)
    early = sheet(study, "Early precision")
    assert list(early.columns) == ["same label", "same group", *GROUPS]
    assert list(sheet(study, "Kruskal-Wallis").rows) == ["all", *GROUPS]
    for name in ("all", "bulk", "acq", "earn", "currency", "fuel"):
        assert len(list(sheet(study, f"Dunn's z, {name}").values)) == 21
        assert len(list(sheet(study, f"Dunn's p, {name}").values)) == 21
    assert number(sheet(study, "Agreement with the paper's tables of Dunn's test"), "together", "pairs") == 126


def test_groups_are_the_queries_of_both_missions(study: Study) -> None:
    queries = {name: int(str(cells[0])) for name, cells in sheet(study, "Kruskal-Wallis").rows.items()}
    assert sum(queries[group] for group in GROUPS) == queries["all"] == 40


def test_claims_have_numbers_and_rules(study: Study) -> None:
    assert len(study.claims) == 22
    assert all(re.search(r"\d", one.found) and one.where for one in study.claims)
    assert {one.verdict for one in study.claims} <= {Verdict.HOLDS, Verdict.FAILS}
    said = {one.says: one for one in study.claims}
    (metal,) = (one for says, one in said.items() if says.startswith("On metal"))
    assert metal.verdict is Verdict.FAILS  # all methods find these documents


def test_what_was_replaced_is_said(study: Study) -> None:
    said = [one.paper for one in study.replaced]
    assert said[0].startswith("12,895 documents")
    assert f"{14 * sum(map(len, GROUPS.values())):,}" in study.replaced[0].here


def test_the_same_seed_gives_the_same(study: Study, data: Path) -> None:
    again = SMALL.study(work(data))
    assert again.table == study.table
    assert again.claims == study.claims


def test_figures_are_drawn(study: Study) -> None:
    if not is_there():
        pytest.skip("figures need matplotlib")
    drawn = {one.name for one in study.drawings}
    assert {"curve-1", "curve-2", "curve-3", "curve-4", "histograms", "boxes", "map", "agreement"} <= drawn
    assert {f"curve-{group}" for group in GROUPS} < drawn
    for one in study.drawings:
        if one.name in ("map", "agreement", "curve-2"):
            assert one.draw().axes


def test_what_is_trained_is_kept(data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        told.append("again")
        SMALL.study(work(data, cache=tmp_path, tell=lambda step: told.append(step.what)))
    first, second = told[: told.index("again", 1)], told[told.index("again", 1) :]
    assert "training word2vec" in first
    assert not any(what.startswith("training") for what in second)


def test_groups_without_a_query_cannot_be_tested(tmp_path: Path) -> None:
    made = Stories()
    for place in range(20):
        for topic in ("wheat", "coffee", "gold"):
            made.add(topic, split="TEST" if place % 4 else "TRAIN")
    made.write(tmp_path / CORPUS)
    found = Malina2016(queries=20, dim=8, window=2, epochs=2, map_documents=20, samples=10).study(work(tmp_path))
    verdicts = {one.says.split(" ")[1]: one.verdict for one in found.claims if one.says.startswith("On ")}
    assert verdicts["economy"] is verdicts["acq"] is verdicts["fuel"] is verdicts["earn"] is Verdict.UNTESTED
    assert verdicts["metal"] is Verdict.FAILS


def test_an_ensemble_is_tested_by_other_queries(data: Path, tmp_path: Path) -> None:
    corpus, groups = modapte(data / CORPUS), read_groups("malina2016")
    folder, sizes = str(write_folder(corpus, tmp_path)), Sizes(20, 8, 2, 2, "english", 1)
    first = run_of(work(data), corpus, folder, groups, sizes)
    fresh = on_other_queries(work(data), corpus, folder, groups, sizes, first)
    assert 0 < len(fresh.same_label.queries) <= 20
    assert not set(fresh.same_label.queries) & first.on.hidden
    best, combined = fresh.same_label.f1
    assert best in names(SEVEN)
    assert combined in names(ENSEMBLES)
    for name, some in ((best, SEVEN), (combined, ENSEMBLES)):
        means = {one: first.measured.same_label.f1[one].mean() for one in names(some)}
        assert means[name] == max(means.values())


def test_full_adds_other_settings(data: Path) -> None:
    quick = Malina2016(queries=20, dim=8, window=2, epochs=2, map_documents=20, samples=10)
    found = quick.study(work(data, full=True))
    one = sheet(found, "Max F1 in other settings")
    assert list(one.rows) == ["as above", *other_settings(Sizes(20, 8, 2, 2, "english", 1))]


def test_another_folder_can_be_given(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one collection"):
        SMALL.study(work(data, on=("a", "b")))
    with pytest.raises(NotFound, match=CORPUS):
        SMALL.study(work(tmp_path))
    assert SMALL.study(work(tmp_path, on=(str(data / CORPUS),))).claims
