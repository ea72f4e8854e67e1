"""The whole study, small, on generated data: short and long queries, titles and longer fields, two embeddings."""

from __future__ import annotations

from statistics import pstdev
from typing import Any

import pytest
from tests.papers.galke import planted

from aboutness.app.comparing import compare
from aboutness.papers.galke2017.protocol import Galke2017
from aboutness.papers.galke2017.tables import how_far
from aboutness.papers.paper import Step, Work
from aboutness.papers.reproducing import reproduce
from aboutness.report.study import Sheet, Study, Value, Verdict

STEPS: list[Step] = []


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("galke")
    first = planted.embedding(folder / "glove.txt")
    second = planted.embedding(folder / "word2vec.txt", without=planted.WITHOUT_VECTOR, seed=4)
    on = (str(planted.ntcir(folder / "ntcir2")), str(planted.rcv1(folder / "rcv1")))
    return {"on": on, "embeddings": (str(first), str(second)), "cache": folder / "cache", "threads": 1}


@pytest.fixture(scope="module")
def study(work: dict[str, Any]) -> Study:
    return Galke2017(k=5, stories=30).study(Work(tell=STEPS.append, **work))


def sheet(study: Study, name: str) -> Sheet:
    return next(one for one in study.sheets if one.name == name)


def test_tables_are_laid_out_as_the_papers(study: Study) -> None:
    found = sheet(study, "ntcir2, long queries (galke2017)")
    assert list(found.rows) == [
        "TF-IDF", "WCS GLV", "WCS W2V", "IWCS GLV", "IWCS W2V", "IWCS-WMD GLV", "IWCS-WMD W2V", "WMD GLV", "WMD W2V",
        "D2V",
    ]  # fmt: skip
    assert list(found.columns) == [
        f"{one}, {metric}" for one in ("title", "abstract") for metric in ("MAP", "MRR", "NDCG")
    ]
    cell = found.rows["IWCS-WMD GLV"][0]
    assert isinstance(cell, Value)
    assert (cell.paper, cell.paper_deviation) == (0.42, 0.36)
    assert cell.here is not None
    assert 0 < cell.here <= 1
    assert list(sheet(study, "rcv1 (trec_eval)").columns)[3:] == [
        "full-text, MAP",
        "full-text, MRR",
        "full-text, NDCG",
    ]


def test_conventions_are_views_of_the_same_rankings(study: Study) -> None:
    for name in ("ntcir2, short queries", "ntcir2, long queries", "rcv1"):
        galke, printed, trec = (
            {(row, column): value.here for row, column, value in sheet(study, f"{name} ({one})").values}
            for one in ("galke2017", "galke2017-printed", "trec_eval")
        )
        for place, value in galke.items():
            assert value is not None
            assert trec[place] is not None
            if place[1].endswith("MRR"):
                assert value == printed[place] == trec[place]
            elif place[1].endswith("MAP"):
                assert value >= (trec[place] or 0)  # what was not found costs nothing
        assert galke != trec
        assert printed != trec


def test_the_distance_of_each_convention_is_told(study: Study) -> None:
    found = sheet(study, "Which average precision it is")
    far = how_far(found)
    for convention, cells in found.rows.items():
        each = [abs((cell.here or 0) - (cell.paper or 0)) for cell in cells if isinstance(cell, Value)]
        assert far[convention] == pytest.approx(sum(each) / 3)  # short and long queries, and stories
    nearest = min(far, key=lambda one: far[one])
    said = [item for part in study.parts for item in part.items if isinstance(item, str)]
    assert any(f"nearest to that of the paper's tables by {nearest}" in item for item in said)


def test_numbers_are_those_of_a_plain_comparison(study: Study, work: dict[str, Any]) -> None:
    measures = ["AP(convention='galke2017')@5", "RR@5"]
    one = compare(["tfidf[fields=title]", "iwcs[fields=title]", "wmd[fields=title]"], work["on"][0],
                  measures=measures, analyzer="galke2017", vectors=work["embeddings"][0], depth=5)  # fmt: skip
    rows = sheet(study, "ntcir2, short queries (galke2017)").rows
    for row, model in zip(one.rows, ("TF-IDF", "IWCS GLV", "WMD GLV"), strict=True):
        cell = rows[model][0]
        assert isinstance(cell, Value)
        assert cell.here == pytest.approx(row.evaluation.mean[measures[0]])
        values = [of_query[measures[0]] for of_query in row.evaluation.per_query.values()]
        assert cell.deviation == pytest.approx(pstdev(values))  # of all queries, as the paper's


def test_short_and_long_queries_are_tested_where_there_are_both(study: Study) -> None:
    told = {one.says: one for one in study.claims}
    length = next(one for says, one in told.items() if "long queries" in says)
    assert length.verdict is not Verdict.UNTESTED
    untested = [says for says, one in told.items() if one.verdict is Verdict.UNTESTED]
    assert untested == [
        "The cost of Word Mover's Distance disqualifies it for full texts.",
        "Doc2Vec trained on Wikipedia reaches a mean MAP of 0.31.",
    ]
    assert "data sets" in study.summary


def test_stories_are_drawn_and_all_is_counted(study: Study) -> None:
    rows = sheet(study, "Data sets").rows
    counts = [[cell.here for cell in cells if isinstance(cell, Value)] for cells in rows.values()]
    assert counts == [[60, 4], [30, 4]]


def test_words_without_a_vector(study: Study) -> None:
    found = sheet(study, "Words without a vector")
    values = {(row, column): value.here for row, column, value in found.values}
    assert values["ntcir2, abstract", "GloVe, as in the paper"] == 0
    assert 0 < (values["ntcir2, abstract", "Word2Vec, as in the paper"] or 0) < 0.2
    assert list(found.rows) == [
        "ntcir2, title", "ntcir2, abstract", "ntcir2, queries", "rcv1, title", "rcv1, full-text", "rcv1, queries",
    ]  # fmt: skip
    assert "48 words" in next(one.found for one in study.claims if "words that they share" in one.says)


def test_doc2vec_that_has_not_seen_the_documents(study: Study) -> None:
    found = sheet(study, "Doc2Vec that has not seen the documents")
    assert list(found.rows) == ["D2V, trained on the others"]
    values = [value.here for _, _, value in found.values]
    assert all(one is not None and 0 < one <= 1 for one in values[:-1])  # the same words are in both sets
    wikipedia = next(one for one in study.claims if "Wikipedia" in one.says)
    assert f"{values[-2]:.3f} where it was trained on the other data sets" in wikipedia.found


def test_what_matching_leaves(study: Study) -> None:
    found = sheet(study, "What matching leaves").rows
    short, long = (found[f"ntcir2, {form}, title"] for form in ("short queries", "long queries"))
    assert isinstance(short[0], Value)
    assert isinstance(long[0], Value)
    assert isinstance(short[1], Value)
    assert 0 < (short[0].here or 0) < (long[0].here or 0)  # a longer query matches more
    assert 0 < (short[1].here or 0) <= 100


def test_seconds_are_not_checked_and_all_else_is(study: Study) -> None:
    unchecked = [one.name for one in study.sheets if one.tolerance is None]
    assert unchecked == ["Seconds"]
    assert all(value.here is not None for _, _, value in sheet(study, "Seconds").values if not value.said)


def test_the_same_comes_again(study: Study, work: dict[str, Any]) -> None:
    again = reproduce(Galke2017(k=5, stories=30), **{**work, "cache": False})
    assert again.check is None  # nothing is expected of other data

    def numbers(one: Study) -> list[dict[str, Any]]:
        return [line for line in one.table if line["table"] != "Seconds"]

    assert numbers(again.study) == numbers(study)
    quick = "The cost of Word Mover's Distance"  # whose seconds differ
    assert [one for one in again.study.claims if quick not in one.says] == [
        one for one in study.claims if quick not in one.says
    ]


def test_the_report_has_all_figures(study: Study) -> None:
    assert [one.name for one in study.drawings] == ["aggregates", "wins-glv", "wins-w2v", "average-precision"]
    assert all(one.draw().axes for one in study.drawings)
    assert STEPS
