"""Which documents are candidates, which queries are tested, and what a stand-in is called."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.papers.mitra.planted import write_collection

from aboutness.experiment.collection import collection
from aboutness.models.bm25 import BM25
from aboutness.models.desm import DESM
from aboutness.papers.mitra2016.rankings import FIRST_ROW, measured
from aboutness.papers.mitra2016.replaced import prepared
from aboutness.papers.mitra2016.stand_ins import BODY, EXPLICIT, IMPLICIT, StandIn, indexed, short_names, split
from aboutness.vectors.word2vec import CBOW, Word2Vec

WAY = Word2Vec(architecture=CBOW, dim=8, epochs=8)


def stand_in(folder: Path) -> StandIn:
    opened = collection(folder)
    index = indexed(opened, WAY, 8, lambda *_: None)
    return StandIn("planted", opened, index, split(opened, 1 / 3, 1)[0], 10, {"body text": BODY})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return stand_in(write_collection(tmp_path_factory.mktemp("x") / "judged", graded=False, irrelevant=40))


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> StandIn:
    return stand_in(write_collection(tmp_path_factory.mktemp("x") / "unjudged", graded=True))


def test_grades_say_which_test_set_it_stands_in_for(judged: StandIn, unjudged: StandIn) -> None:
    assert (judged.kind, unjudged.kind) == (IMPLICIT, EXPLICIT)


def test_judged_documents_are_the_candidates_where_half_of_them_are_irrelevant(
    judged: StandIn, unjudged: StandIn
) -> None:
    assert (judged.by_judgements, judged.telescoping) == (True, "all judged documents")
    assert (unjudged.by_judgements, unjudged.telescoping) == (False, "the first 10 of default")


def test_no_query_that_parameters_are_chosen_by_is_tested(judged: StandIn) -> None:
    tested = {query.id for query in judged.test.judged_queries}
    assert len(judged.train) == 8
    assert len(tested) == 16
    assert tested.isdisjoint(judged.train)
    values = judged.values({"bm25": BM25()}, telescoped=False)["bm25"]
    assert values.keys() == tested


def test_candidates_are_those_of_the_first_stage(unjudged: StandIn) -> None:
    listed = unjudged.listed()
    assert all(len(found) == 10 for found in listed.values())
    over = unjudged.values({"desm": DESM("in-in", vectors=BODY)}, telescoped=True)["desm"]
    for query, value in over.items():  # all ten candidates are among the first ten
        relevant = {one for one, grade in unjudged.test.qrels[query].items() if grade > 0}
        assert (value["nDCG@10"] > 0) == bool(relevant & listed[query])


def test_without_a_first_stage_there_is_no_row_of_it(judged: StandIn) -> None:
    found = measured(judged, "alpha=0:1:.5", 1)
    assert FIRST_ROW not in found.telescoped
    assert found.telescoped.keys() == found.everything.keys()
    assert {found.alpha(row, telescoped=True) for row in found.mixed} <= {0.0, 0.5, 1.0}
    best = max(setting.train["nDCG@10"] for setting in found.bm25.settings)
    assert found.bm25.best.train["nDCG@10"] == best


def test_texts_that_come_without_stop_words_are_known(judged: StandIn, tmp_path: Path) -> None:
    assert judged.without_stop_words  # planted words alone
    assert prepared([judged]) == "The documents of planted come without stop words and in lower case."
    folder = write_collection(tmp_path / "whole", graded=False)
    file = folder / "corpus.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(row | {"text": f"It is of the {row['text']}"}) + "\n" for row in rows))
    whole = stand_in(folder)
    assert whole.stop_words >= 4
    assert not whole.lower_case
    assert prepared([whole]) == ""


def test_names_are_short_where_that_tells_them_apart(judged: StandIn) -> None:
    named = [replace(judged.collection, name=name) for name in ("nfcorpus_preprocessed", "scifact")]
    assert short_names(named) == ["nfcorpus", "scifact"]
    alike = [replace(judged.collection, name=name) for name in ("yso_econ", "yso_finna")]
    assert short_names(alike) == ["yso_econ", "yso_finna"]
