"""Expressions of rankers done by hand: with dictionaries and sorted lists, from the scores that models define."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.record import Document
from aboutness.models.question import Question
from aboutness.rank.bound import bind
from aboutness.rank.combination import Combination
from aboutness.rank.fusion import RRF, CombMNZ, CombSUM, Fusion
from aboutness.rank.grammar import ranker
from aboutness.rank.normalised import MinMax, OfBest, Rank, Softmax, ZScore
from aboutness.rank.pipelines import Pipeline
from aboutness.vectors.kept import KIND
from models.drawing import word_vectors

WORDS = ["aa", "bb", "cc", "dd", "ee"]
TITLES = ["ff", "gg"]  # words of titles alone; the last has no vector
MODELS = [
    "bm25",
    "bm25[k1=0]",
    "ql",
    "ql[smoothing=jm]",
    "tfidf",
    "bm25-cosine",
    "bm25[fields=text]",
    "ql[fields=title]",
    "tfidf[layer=pairs]",
    "wcs",
    "desm-in-out[fields=text]",
    "bm25-desm",
]


def texts(count, seed):
    chance = np.random.default_rng(seed)
    for n in range(count):
        words = chance.choice(WORDS, int(chance.integers(0, 9)), p=[0.4, 0.3, 0.15, 0.1, 0.05])
        title = " ".join(chance.choice(TITLES, int(chance.integers(0, 3))))
        fields = {"text": " ".join(words), "title": title} if n != 7 else {"title": TITLES[-1]}
        yield Document(f"d{n}", fields, {"even": n % 2 == 0})


@cache
def sixty() -> Index:
    """Sixty documents in three segments, some of them dead, and word vectors."""
    documents = list(texts(60, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        index = Index.build(documents[:20], analyzer="plain", layers={"pairs": "plain[words=1-2]"})
        index.add(documents[20:45])
        index.add(documents[45:])
        index.delete(["d3", "d21", "d22", "d59"])
        with index.changes() as writer:
            writer.save_artefact("words", KIND, word_vectors().arrays(), {})
    assert len(index.snapshot.segments) == 3
    return index


def living(index: Index) -> list[int]:
    return index.snapshot.live_numbers().tolist()


class ByHand:
    """What expressions give for one question, from what models say of single documents.

    A search is told by its match step and its pool, the documents that may be found.
    """

    def __init__(self, index: Index, text: str) -> None:
        self.snapshot = index.snapshot
        self.question = Question(text)
        self.everywhere = ("or", tuple(living(index)))
        self.model = cache(lambda model: bind(model, self.snapshot))
        self.ranking = cache(self._ranking)
        self.counted = cache(self._counted)

    def _ranking(self, expression: Ranker, match: str, pool: tuple[int, ...]) -> list[tuple[int, float]]:
        """Rank all of some documents that match: numbers and scores, the best first."""
        expression = opened(expression)
        if isinstance(expression, Cut):
            return self.ranking(expression.ranker, match, pool)[: expression.depth]
        if isinstance(expression, Rerank):
            first = self.ranking(expression.first, match, pool)
            return self.ranking(expression.second, "all", tuple(sorted(number for number, _ in first)))
        if expression.rankers:
            terms = [term for _, term in weighted(expression)]
            found = sorted({number for term in terms for number, _ in self.ranking(term, match, pool)})
        else:
            found = [number for number in pool if self.matches(expression, number, match)]
            found = found if self.knows(expression) else []
        scores = [(number, self.counts(expression, number, match, pool)) for number in found]
        return sorted(scores, key=lambda pair: (-pair[1], pair[0]))

    def counts(self, expression: Ranker, number: int, match: str, pool: tuple[int, ...]) -> float:
        """What a document counts, whether or not it is found."""
        expression = opened(expression)
        if isinstance(expression, (Cut, Rerank)):
            found = dict(self.ranking(expression, match, pool))
            return found[number] if number in found else self.left_out(expression, match, pool)
        if isinstance(expression, (Sum, Scaled)):
            known = [(weight, term) for weight, term in weighted(expression) if self.knows(term)]
            return rounded(weight * self.counts(term, number, match, pool) for weight, term in known)
        if isinstance(expression, Combination):
            values = self.counted(expression, match, pool)
            return values[number] if number in values else self.left_out(expression, match, pool)
        return float(self.model(expression).scores(self.question, np.array([number]))[0])

    def _counted(self, expression: Combination, match: str, pool: tuple[int, ...]) -> dict[int, float]:
        """What the documents count that a combination finds."""
        known = [(weight, term) for weight, term in weighted(expression) if self.knows(term)]
        rankings = [dict(self.ranking(term, match, pool)) for _, term in known]
        made = {}
        for number in sorted({number for found in rankings for number in found}):
            shares = [
                weight * self.share(expression, term, number, match, pool) for weight, term in known
            ]  # of all rankers, whether or not they find it
            times = sum(number in found for found in rankings) if isinstance(expression, CombMNZ) else 1
            made[number] = float(np.float32(sum(shares, 0.0) * times))
        return made

    def share(
        self, expression: Combination, term: Ranker, number: int, match: str, pool: tuple[int, ...]
    ) -> float:
        """What a document counts in one ranker of a combination, on its scale."""
        if isinstance(expression, (CombSUM, CombMNZ)) and expression.norm == "none":
            return self.counts(term, number, match, pool)
        values = scaled(expression, self.ranking(term, match, pool))
        return values.get(number, self.unfound(expression, values))

    def unfound(self, expression: Combination, values: Mapping[int, float]) -> float:
        """What a document counts on the scale of a combination that a ranker of it does not find."""
        lowest = isinstance(expression, ZScore) or getattr(expression, "norm", "") == "zscore"
        return min(values.values(), default=0.0) if lowest else 0.0

    def left_out(self, expression: Ranker, match: str, pool: tuple[int, ...]) -> float:
        """What a document counts that is not found in a search."""
        expression = opened(expression)
        if isinstance(expression, Cut):
            return self.left_out(expression.ranker, match, pool)
        if isinstance(expression, Rerank):
            first = self.ranking(expression.first, match, pool)
            return self.left_out(expression.second, "all", tuple(sorted(number for number, _ in first)))
        if isinstance(expression, CombMNZ):
            return min([0.0, *self.counted(expression, match, pool).values()])
        if expression.rankers:
            known = [(weight, term) for weight, term in weighted(expression) if self.knows(term)]
            raw = isinstance(expression, (Sum, Scaled)) or getattr(expression, "norm", "") == "none"
            return rounded(
                weight
                * (
                    self.left_out(term, match, pool)
                    if raw
                    else self.unfound(expression, scaled(expression, self.ranking(term, match, pool)))
                )
                for weight, term in known
            )
        return self.model(expression).floor(self.question)

    def knows(self, expression: Ranker) -> bool:
        expression = opened(expression)
        if isinstance(expression, Cut):
            return self.knows(expression.ranker)
        if isinstance(expression, Rerank):
            return self.knows(expression.first) and self.knows(expression.second)
        if expression.rankers:
            return any(self.knows(term) for _, term in weighted(expression))
        return self.model(expression).knows(self.question)

    def floor(self, expression: Ranker) -> float:
        """The lowest score in a search among all documents."""
        expression = opened(expression)
        if isinstance(expression, (Cut, Rerank)):
            return self.floor(expression.rankers[-1])
        if isinstance(expression, (Sum, Scaled)):
            known = [(weight, term) for weight, term in weighted(expression) if self.knows(term)]
            return rounded(weight * self.floor(term) for weight, term in known)
        return self.left_out(expression, *self.everywhere)

    def matches(self, model: Ranker, number: int, match: str) -> bool:
        """Tell whether a document has any or all terms of the question in the model's fields."""
        terms = self.snapshot.analyzer(model.layer or "main").terms
        fields, wanted = self.snapshot.document(number).fields, set(terms(self.question.text))
        chosen = [name for name, _ in model.fields] if model.fields else list(fields)
        there = {term for name in chosen for term in terms(fields.get(name, ""))}
        return {"or": bool(wanted & there), "and": wanted <= there, "all": True}[match]


def opened(expression: Ranker) -> Ranker:
    return expression.expression if isinstance(expression, Pipeline) else expression


def weighted(expression: Ranker) -> list[tuple[float, Ranker]]:
    """The rankers whose scores are added, with their weights; of a fusion before they are fused."""
    if isinstance(expression, Scaled):
        return [(expression.weight, expression.ranker)]
    split = isinstance(expression, (Sum, Fusion))
    return [
        (term.weight, term.ranker) if split and isinstance(term, Scaled) else (1.0, term)
        for term in expression.rankers
    ]


def scaled(expression: Combination, ranking: Sequence[tuple[int, float]]) -> dict[int, float]:
    """What documents count on the scale of a combination."""
    name = getattr(expression, "norm", expression.name)
    n = len(ranking)
    scores = dict(sorted(ranking))  # by arrival: so sums are rounded alike
    values = np.array(list(scores.values()))
    if name in ("minmax", "best"):
        low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
        low = min(low, 0.0) if name == "best" else low
        made = {number: (score - low) / (high - low) if low < high else 1.0 for number, score in ranking}
    elif name == "zscore":
        same = len(set(scores.values())) <= 1
        made = {number: 0.0 if same else (score - values.mean()) / values.std() for number, score in ranking}
    elif name == "softmax":
        shares = np.exp((values - max(values, default=0.0)) / getattr(expression, "temperature", 1.0))
        made = dict(zip(scores, (shares / shares.sum()).tolist(), strict=True))
    elif name == "rank":
        made = {number: (n - rank + 1) / n for rank, (number, _) in enumerate(ranking, 1)}
    else:
        made = {number: 1 / (expression.k + rank) for rank, (number, _) in enumerate(ranking, 1)}
    return {number: float(np.float32(value)) for number, value in made.items()}


def rounded(values: Iterable[float]) -> float:
    return float(np.float32(sum(values, 0.0)))


def pairs(ranking):
    return list(zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True))


FORMS = ["model", "cut", "scaled", "sum", "sum", "rerank", "normalised", "fused"]
norms = st.sampled_from(["minmax", "best", "zscore", "softmax", "rank", "none"])


@st.composite
def expressions(
    draw: st.DrawFn, steps: int = 3, names: Sequence[str] = MODELS, forms: Sequence[str] = FORMS
) -> Ranker:
    form = draw(st.sampled_from(forms)) if steps else "model"
    if form == "model":
        return ranker(draw(st.sampled_from(names)))
    depth = draw(st.integers(1, 20) | st.just(1000))
    one = draw(expressions(steps - 1, names))
    if form == "cut":
        return one % depth
    if form == "scaled":
        return draw(st.sampled_from([0, 0.3, 1, 30])) * one
    if form == "normalised":
        return draw(normalised(one))
    other = draw(expressions(steps - 1, names))
    if form == "sum":
        return one + draw(st.sampled_from([1, 0.7, 5])) * other
    if form == "fused":
        more = [draw(expressions(0, names))] if draw(st.booleans()) else []
        return draw(fused(one, draw(st.sampled_from([1, 0.5])) * other if draw(st.booleans()) else other, *more))
    return (one if one.limited else one % depth) >> other


def normalised(one: Ranker) -> st.SearchStrategy[Ranker]:
    temperatures = st.sampled_from([1e-9, 0.1, 1, 20, 1e9])
    kinds = st.sampled_from([MinMax, OfBest, ZScore, Rank]).map(lambda kind: kind.of(one))
    return kinds | temperatures.map(lambda temperature: Softmax.of(one, temperature=temperature))


def fused(*rankers: Ranker) -> st.SearchStrategy[Ranker]:
    return (
        st.sampled_from([0, 1, 60, 2.5]).map(lambda k: RRF.of(*rankers, k=k))
        | norms.map(lambda norm: CombSUM.of(*rankers, norm=norm))
        | norms.map(lambda norm: CombMNZ.of(*rankers, norm=norm))
    )


questions = st.lists(st.sampled_from([*WORDS, *TITLES, "unknown"]), max_size=4, unique=True).map(" ".join)
matches = st.sampled_from(["or", "and", "all"])
