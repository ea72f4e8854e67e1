from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.resources import files

import pytest

from aboutness.app.demo import (
    MEASURES,
    SEARCHES,
    TRAININGS,
    build_demo,
    compare_demo,
    demo_collection,
    search_demo,
    train_demo,
)
from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.rank.known import known_rankers
from experiment.small import BY_WORDS, TERM_MODELS

USED = {
    "default",
    *TERM_MODELS,
    *BY_WORDS,
    "lsa",
    "epv-drj-lm",
}  # the others need what takes too long to train for a demonstration

LINES = files("aboutness.experiment").joinpath("stdlib_questions.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = build_demo(tmp_path_factory.mktemp("demo") / "demo.index")
    for way in TRAININGS:
        train_demo(index, replace(way, epochs=3) if way.name == "epv" else way)  # the command has them all
    return index


@pytest.fixture(scope="module")
def compared(index):
    return compare_demo(index)


def test_the_questions():
    assert len(QUESTIONS) >= 55
    for question in QUESTIONS:
        assert list(question) == ["id", "text", "relevant"]
        assert question["text"] == question["text"].strip() != ""
        assert question["relevant"]
        assert set(question["relevant"].values()) <= {1, 2}
    for key in ("id", "text"):
        assert len({question[key] for question in QUESTIONS}) == len(QUESTIONS)


def test_no_answer_stands_twice():
    for line in LINES:
        pairs = json.loads(line, object_pairs_hook=lambda pairs: pairs)
        answers = [name for name, _ in dict(pairs)["relevant"]]
        assert len(set(answers)) == len(answers)


def test_this_python_has_the_answers(index):
    answers = {answer for question in QUESTIONS for answer in question["relevant"]}
    missing = sorted(answer for answer in answers if answer not in index)
    assert len(missing) <= 0.05 * len(answers), missing
    collection = demo_collection(index)
    assert [query.id for query in collection.queries] == [question["id"] for question in QUESTIONS]
    assert [query.text for query in collection.queries] == [question["text"] for question in QUESTIONS]
    for question in QUESTIONS:
        known = {answer: grade for answer, grade in question["relevant"].items() if answer not in missing}
        assert collection.qrels[question["id"]] == known


def test_answers_that_are_not_there_are_left_out_and_so_are_questions_without_any():
    first = next(iter(QUESTIONS[0]["relevant"]))
    few = Index.build([{"id": first, "text": "x"}])
    wanted = [question for question in QUESTIONS if first in question["relevant"]]
    collection = demo_collection(few)
    assert [query.id for query in collection.queries] == [question["id"] for question in wanted]
    assert collection.qrels == {question["id"]: {first: question["relevant"][first]} for question in wanted}


def test_every_ranker_answers_the_questions(index, compared):
    assert [str(row.ranker) for row in compared.rows] == [name for name in known_rankers() if name in USED]
    assert list(compared.left_out) == [name for name in known_rankers() if name not in USED]
    assert all("aboutness train" in why or name == "default-vectors" for name, why in compared.left_out.items())
    assert (compared.queries, compared.documents, compared.measures) == (len(QUESTIONS), len(index), MEASURES)
    assert compared.unknown == {}
    for row in compared.rows:
        assert row.evaluation.mean["nDCG@10"] > (0.1 if str(row.ranker) in TERM_MODELS else 0.05)
        assert not row.evaluation.unanswered
    bm25 = next(row for row in compared.rows if str(row.ranker) == "bm25")
    assert bm25.evaluation.mean["nDCG@10"] > 0.2


def test_vectors_are_trained_by_one_thread_on_the_documentation(index):
    vectors = index.vectors()
    assert (vectors.dim, sorted(vectors.spaces)) == (100, ["in", "out"])
    assert vectors.provenance["threads"] == 1
    assert {"file", "list", "random"} <= set(vectors)
    for name in ("lsa", "epv"):
        rows = index.trained(name)
        assert (len(rows), rows.dim) == (len(index), 100)
    assert list(index.snapshot.manifest.artefacts) == [way.name for way in TRAININGS]


def test_without_vectors_terms_are_compared():
    few = Index.build([{"id": next(iter(QUESTIONS[0]["relevant"])), "text": "x"}])
    found = compare_demo(few)
    assert [str(row.ranker) for row in found.rows] == [name for name in known_rankers() if name in TERM_MODELS]
    assert set(found.left_out) == set(known_rankers()) - set(TERM_MODELS)


def test_the_searches(index):
    found = search_demo(index)
    assert [hits.query for hits in found] == list(SEARCHES)
    for hits in found:
        assert len(hits) == 3
        for hit in hits:
            explanation = hit.explain()
            assert hit.id in index
            assert len(explanation.parts) > 1
            assert math.isclose(explanation.total, hit.score, rel_tol=1e-5)
    assert [len(hits) for hits in search_demo(index, 7)] == [7, 7, 7]


def test_a_demonstration_replaces_an_earlier_one_and_nothing_else(tmp_path, monkeypatch):
    few = [{"id": "a", "text": "x"}]
    monkeypatch.setattr("aboutness.app.demo.Sources.documents", lambda _self: iter(few))
    assert len(build_demo(tmp_path / "x")) == len(build_demo()) == 1
    few.append({"id": "b", "text": "y"})
    assert len(build_demo(str(tmp_path / "x"))) == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("x")
    with pytest.raises(UsageError, match="is not an index"):
        build_demo(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["precious"]
