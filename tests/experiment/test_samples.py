from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aboutness as ab
from aboutness.app.experimenting import sample_scores
from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.experiment.samples import sampled_scores, samples_table
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS

RANKERS = ["bm25", "ql", "bm25 + 3*ql"]


@pytest.fixture(scope="module")
def index():
    return Index.build(RECORDS)


def without_zeros(collection):
    qrels = {
        query: {d: grade for d, grade in judged.items() if grade > 0} for query, judged in collection.qrels.items()
    }
    return replace(collection, qrels=qrels)


def by_query(found):
    kinds = {}
    for query, document, kind in zip(found.queries, found.documents, found.kinds, strict=True):
        kinds.setdefault(query, {}).setdefault(kind, set()).add(document)
    return kinds


def test_documents_of_three_kinds(index):
    found = sampled_scores(index.snapshot, DRAWN, RANKERS, random=7, first="bm25 % 3")
    assert found.sets == ("relevant", "judged irrelevant", "random")
    assert found.rankers == tuple(RANKERS)
    for query, kinds in by_query(found).items():
        grades = DRAWN.qrels[query]
        assert kinds.get("relevant", set()) == {one for one, grade in grades.items() if grade > 0}
        assert kinds.get("judged irrelevant", set()) == {one for one, grade in grades.items() if grade <= 0}
        text = next(one.text for one in DRAWN.queries if one.id == query)
        first = {hit.id for hit in index.search(text, 3, "bm25")}
        assert len(kinds["random"]) == 7
        assert not kinds["random"] & (set(grades) | first)


def test_scores_are_those_of_the_rankers(index):
    found = sampled_scores(index.snapshot, DRAWN, RANKERS, random=3)
    queries = {query.id: query.text for query in DRAWN.queries}
    numbers = index.snapshot.numbers(found.documents)
    for row, name in enumerate(RANKERS):
        searcher = bind(ranker(name), index.snapshot)
        wanted = [
            searcher.scores(Question(queries[query]), np.array([number]))[0]
            for query, number in zip(found.queries, numbers, strict=True)
        ]
        assert found.scores[row].tolist() == pytest.approx(wanted)
    assert found.of("random").shape == (3, found.kinds.count("random"))
    np.testing.assert_array_equal(found.of("relevant")[1], found.scores[1][np.array(found.kinds) == "relevant"])


def test_without_judged_irrelevant_ones_those_of_another_ranker_are_taken_and_named_so(index):
    collection = without_zeros(DRAWN)
    found = sampled_scores(index.snapshot, collection, ["bm25"], random=2, first="ql % 5")
    assert found.sets == ("relevant", "irrelevant in ql % 5", "random")
    for query, kinds in by_query(found).items():
        text = next(one.text for one in DRAWN.queries if one.id == query)
        first = {hit.id for hit in index.search(text, 5, "ql")}
        assert kinds.get("irrelevant in ql % 5", set()) == first - set(collection.qrels[query])


def test_the_seed_draws_random_documents_and_nothing_else(index):
    one, same, other = (sampled_scores(index.snapshot, DRAWN, ["bm25"], random=5, seed=n) for n in (1, 1, 2))
    assert one.documents == same.documents
    assert one.documents != other.documents
    np.testing.assert_array_equal(one.of("relevant"), other.of("relevant"))
    assert RECORDS and len(sampled_scores(index.snapshot, DRAWN, ["bm25"], random=10**6).documents) <= 17 * 40
    assert sampled_scores(index.snapshot, DRAWN, ["bm25"], random=0).kinds.count("random") == 0


def test_what_is_refused(index):
    with pytest.raises(UsageError, match="the number of random documents must be a whole number"):
        sampled_scores(index.snapshot, DRAWN, ["bm25"], random=-1)
    with pytest.raises(UsageError, match="the rankers know no word of any judged query"):
        sampled_scores(Index.build([{"id": "x", "text": "else"}]).snapshot, DRAWN, ["bm25"])


def test_as_a_table(index):
    found = sampled_scores(index.snapshot, DRAWN, ["bm25", "ql"], random=1)
    lines = samples_table([found, found]).splitlines()
    assert lines[0] == "collection,query,document,kind,ranker,score"
    assert len(lines) == 1 + 2 * 2 * len(found.documents)
    assert lines[1].split(",")[:2] == ["drawn", found.queries[0]]
    assert float(lines[2].split(",")[5]) == found.scores[1][0]


def test_with_an_index_of_its_own(index, tmp_path):
    found = sample_scores(["bm25"], DRAWN, index=index, random=2)
    assert found.documents == sampled_scores(index.snapshot, DRAWN, ["bm25"], random=2).documents
    assert ab.sample_scores is sample_scores
    from experiment.small import write_collection

    own = ab.sample_scores(
        "wcs", write_collection(tmp_path / "small"), vectors=ab.Word2Vec(dim=8, min_count=1), random=2
    )
    assert own.rankers == ("wcs",)
    assert set(own.kinds) == {"relevant", "judged irrelevant", "random"}
    with pytest.raises(UsageError, match="give `index` or `vectors`, not both"):
        ab.sample_scores("wcs", DRAWN, index=index, vectors="word2vec")
