"""Rankings fused: the papers' formulas on small examples, weights, and who is counted."""

from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.models.bm25 import BM25
from aboutness.models.ql import QL
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.fusion import RRF, CombMNZ, CombSUM
from aboutness.rank.grammar import ranker
from rank.by_hand import pairs, sixty

QUERY = "aa ff"
NAMES = ["rrf", "combsum", "combmnz"]
BY_TEXT, BY_TITLE = "bm25[fields=text]", "ql[fields=title]"  # each finds documents that the other does not


@pytest.fixture(scope="module")
def index() -> Index:
    return sixty()


def found(index: Index, text: str, query: str = QUERY, **how: object) -> dict[int, float]:
    return dict(pairs(bind(ranker(text), index.snapshot).top_many([Question(query)], 1000, **how)[0]))


def f32(value: float) -> float:
    return float(np.float32(value))


@pytest.mark.parametrize("k", [0, 1, 60])
def test_reciprocal_ranks_are_added(index, k):
    parts = [list(found(index, text)) for text in (BY_TEXT, BY_TITLE)]
    fused = found(index, f"rrf[k={k}]({BY_TEXT}, {BY_TITLE})")
    assert set(parts[0]) - set(parts[1])
    assert set(parts[1]) - set(parts[0])
    assert set(fused) == {*parts[0], *parts[1]}
    for number, score in fused.items():
        shares = [f32(1 / (k + 1 + part.index(number))) for part in parts if number in part]
        assert score == f32(sum(shares))


def test_a_weighted_part_counts_so_many_times(index):
    parts = [list(found(index, text)) for text in ("bm25", "ql")]
    fused = found(index, "rrf(bm25, .5*ql)")
    for number, score in fused.items():
        first, second = (f32(1 / (61 + part.index(number))) for part in parts)
        assert score == f32(first + 0.5 * second)
    assert found(index, "rrf(bm25, 0*ql)") == found(index, "rrf(bm25, 0*tfidf)")
    assert list(found(index, "rrf(bm25, 0*ql)")) == parts[0]
    assert found(index, "combsum(bm25, .3*ql)") == found(index, "minmax(bm25) + .3*minmax(ql)")
    once, half = found(index, "combmnz(bm25, ql)"), found(index, "combmnz(bm25, .5*ql)")
    assert once != half
    assert set(once) == set(half)


def test_the_order_of_rankers_does_not_matter(index):
    """Documents with ranks 1, 2, 3 and 3, 1, 2 are equal, and come by arrival."""
    for name in NAMES:
        one, other = (found(index, f"{name}({text})") for text in ("bm25, ql, tfidf", "tfidf, bm25, ql"))
        assert list(one.items()) == list(other.items())


@pytest.mark.parametrize("norm", ["minmax", "best", "zscore", "softmax", "rank"])
def test_combsum_is_the_sum_of_what_is_normalised(index, norm):
    for parts in (("bm25", "ql"), (BY_TEXT, BY_TITLE, "tfidf % 4"), ("bm25 % 9 >> ql", "minmax(bm25)")):
        fused = found(index, f"combsum[norm={norm}]({', '.join(parts)})")
        added = " + ".join(f"{norm}({part})" for part in parts)
        assert list(fused.items()) == list(found(index, added).items())
    assert found(index, "combsum(bm25, ql)") == found(index, "combsum[norm=minmax](bm25, ql)")


def test_without_a_norm_raw_scores_are_added(index):
    assert found(index, f"combsum[norm=none]({BY_TEXT}, 2*{BY_TITLE})") == found(
        index, f"{BY_TEXT} + 2*{BY_TITLE}"
    )


@pytest.mark.parametrize("norm", ["minmax", "best", "zscore", "softmax", "rank", "none"])
def test_combmnz_counts_who_finds_a_document(index, norm):
    sums = found(index, f"combsum[norm={norm}]({BY_TEXT}, {BY_TITLE})")
    parts = [found(index, text) for text in (BY_TEXT, BY_TITLE)]
    fused = found(index, f"combmnz[norm={norm}]({BY_TEXT}, {BY_TITLE})")
    times = {number: sum(number in part for part in parts) for number in sums}
    assert set(times.values()) == {1, 2}
    assert fused == pytest.approx({number: times[number] * score for number, score in sums.items()}, rel=1e-6)
    last = list(found(index, BY_TEXT))[-1]
    if norm == "minmax":
        assert found(index, f"minmax({BY_TEXT})")[last] == 0
        assert times[last] == 2 or fused[last] == 0  # found, even though as the last, with 0


def test_what_nobody_finds_counts_0_or_less_than_what_somebody_does(index):
    question, numbers = Question(QUERY), index.snapshot.live_numbers()
    for text, left in (("rrf", 0), ("combsum", 0), ("combmnz", 0), ("combmnz[norm=none]", None)):
        bound = bind(ranker(f"{text}(bm25 % 5, ql % 5)"), index.snapshot)
        ranking = dict(pairs(bound.top_many([question], 100)[0]))
        scores = dict(zip(numbers.tolist(), bound.scores(question, numbers).tolist(), strict=True))
        others = {scores[number] for number in scores if number not in ranking}
        assert others == {min(ranking.values()) if left is None else left}
        assert bound.floor(question) in others
        outside = next(number for number in scores if number not in ranking)
        why = explain(bound, question, outside)
        assert why.score == scores[outside] == pytest.approx(why.total)
        assert {part.name for part in why.parts} == {"not among the documents that it finds"}


@pytest.mark.parametrize("name", NAMES)
def test_who_does_not_know_the_question_takes_no_part(index, name):
    assert found(index, f"{name}(ql, wcs)", "gg") == found(index, f"{name}(ql, ql % 1 >> wcs)", "gg")
    alone = "rrf(ql, 0*ql)" if name == "rrf" else "minmax(ql)"
    assert found(index, f"{name}(ql, wcs)", "gg") == found(index, alone, "gg")
    assert found(index, f"{name}(wcs, wcs)", "gg") == {}
    bound = bind(ranker(f"{name}(wcs, wcs)"), index.snapshot)
    assert not bound.knows(Question("gg"))
    assert explain(bound, Question("gg"), 4).score == 0
    assert explain(bound, Question("gg"), 4).parts == ()


@pytest.mark.parametrize("name", NAMES)
def test_any_ranker_can_be_fused_and_a_fusion_is_one(index, name):
    for text in (
        f"{name}(bm25 % 5, ql % 3 >> tfidf, minmax(wcs) + ql) % 7 >> bm25",
        f"bm25 % 9 >> {name}(ql, zscore(tfidf))",
        f"softmax({name}(bm25, {name}(ql, tfidf)))",
        f"{name}(iwcs-wmd[k=4], bm25-desm) + 2*ql",
    ):
        assert len(found(index, text, "aa dd")) > 3


# --- explanations -----------------------------------------------------------------------------------------------


def test_each_ranker_tells_rank_score_and_what_it_adds(index):
    parts = {text: found(index, text) for text in ("bm25", "ql % 4")}
    for text, name in (("rrf[k=5](bm25, 2*(ql % 4))", "1/(5 + rank)"), ("combmnz(bm25, 2*(ql % 4))", "min-max")):
        bound, fused = bind(ranker(text), index.snapshot), found(index, text)
        assert len(fused) > 4
        for number in fused:
            why = explain(bound, Question(QUERY), number)
            assert why.total == pytest.approx(fused[number], rel=1e-6)
            assert [part.by for part in why.parts] == list(parts)
            times = sum(number in part for part in parts.values())
            for part in why.parts:
                inner = parts[part.by]
                if number not in inner:
                    assert (part.name, part.value) == ("not among the documents that it finds", 0)
                    continue
                expected = {"rank": 1 + list(inner).index(number), "score": inner[number]}
                assert part.details == (expected if "rrf" in text else expected | {"found_by": times})
                assert part.name == name
        assert why.formula == text


def test_combsum_tells_the_words(index):
    why = explain(bind(ranker("combsum(bm25, .5*ql)"), index.snapshot), Question("aa bb"), 5)
    by_ranker = {by: [part.name for part in why.parts if part.by == by] for by in ("bm25", "ql")}
    assert {by: sorted(names) for by, names in by_ranker.items()} == {
        by: ["aa", "bb", "shift"] for by in by_ranker
    }
    assert why.total == pytest.approx(why.score)
    plain = explain(bind(ranker("combmnz[norm=none](bm25, ql)"), index.snapshot), Question("aa bb"), 5)
    assert [part.name for part in plain.parts] == ["score", "score"]


# --- records ----------------------------------------------------------------------------------------------------


def test_made_in_python_as_in_text():
    bm25, ql = BM25(), QL()
    assert RRF.of(bm25, 0.5 * ql, k=10) == ranker("rrf[k=10](bm25, .5*ql)")
    assert str(RRF.of(bm25, ql)) == "rrf(bm25, ql)"
    assert CombSUM.of(bm25, ql, bm25 % 3, norm="rank") == ranker("combsum[norm=rank](bm25, ql, bm25 % 3)")
    assert CombMNZ.of(bm25, ql).norm == "minmax"
    assert RRF.of(bm25, ql) != RRF.of(ql, bm25)
    assert RRF.of(bm25 % 3, ql % 4).limited
    assert not RRF.of(bm25 % 3, ql).limited
    with pytest.raises(UsageError, match="rrf: k must be a number at least 0"):
        RRF.of(bm25, ql, k=-1)
    with pytest.raises(
        UsageError, match="norm must be one of minmax, best, zscore, softmax, rank, none, got 'max'"
    ):
        CombSUM.of(bm25, ql, norm="max")
