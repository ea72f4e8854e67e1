"""Rankers that are added, or of which the scores are brought to one scale before: one shape for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from aboutness.models.model import Scorer
from aboutness.models.question import Question
from aboutness.models.ranking import LARGEST, Explanation, Part
from aboutness.rank.searching import (
    F32,
    Asked,
    Batch,
    Candidates,
    Composed,
    Find,
    Ints,
    Searcher,
    among,
    finder_of,
    floor_in,
    listed,
)

F64 = NDArray[np.float64]
NOT_FOUND = "not among the documents that it finds"
SHIFT = "shift"  # the name of a part of a linear scale
ROUNDING = 1e-6  # of the greatest part: less is no shift


@dataclass(frozen=True)
class Scale:
    """How the scores that a ranker gives to what it finds become others: all together, in the order of arrival.

    A document that is not found counts 0, or as the lowest that is found.
    """

    name: str
    made: Callable[[F64], F64]
    lowest: bool = False
    linear: bool = False  # differences between scores stay in proportion

    def __call__(self, found: Candidates) -> Candidates:
        """Return the same documents with other scores, which are rounded."""
        if not len(found.documents):
            return listed(found.documents, np.zeros(0, np.float32), lambda: 0.0, found.explain)
        values = self.made(found.own().astype(np.float64)).astype(np.float32)
        left_out = float(values.min()) if self.lowest else 0.0
        return listed(found.documents, values, lambda: left_out, found.explain)

    def slope(self, found: Candidates) -> float:
        """Return what one point of score counts, where the scale is linear; also where all scores are equal."""
        before, after = found.own().astype(np.float64), self(found).own().astype(np.float64)
        if np.ptp(before):
            return float(np.ptp(after) / np.ptp(before))
        return float(after[0] / before[0]) if before[0] > 0 else 0.0


@dataclass(frozen=True)
class Member:
    """A bound ranker that takes part: its weight, what its parts are called in an explanation, and its scale."""

    weight: float
    searcher: Searcher
    name: str
    scale: Scale | None = None


class Combined(Composed):
    """What any of some rankers finds, by the sum of weight x score, which is rounded at the end.

    The scores of a member with a scale are brought to it first. Without one, a model gives every document its own
    score, and what a cut or a re-ranking did not find counts as the lowest score there. If `counted`, the sum is
    multiplied by how many of the rankers find the document; what nobody finds is never above what somebody does.
    A ranker that does not know a question finds nothing, and adds nothing to any document.
    """

    quick = False  # whether few documents are found sooner than all

    def __init__(self, text: str, members: Sequence[Member], size: int, *, counted: bool = False) -> None:
        self.text = text
        self.members = members
        self.size = size
        self.counted = counted
        # whether a document's score does not depend on what else is found, if it does not in any part
        self.plain = not counted and all(one.scale is None for one in members)

    def knows(self, question: Question) -> bool:
        """Tell whether the question means anything to any of the rankers."""
        return len(self._known(question)) > 0

    def floor(self, question: Question) -> float:
        """Return the sum of the lowest scores, or what a document counts that nobody finds."""
        if not self.plain:
            return floor_in(self, Asked(0, question, "or", None))
        lowest = [(one.weight, one.searcher.floor(question)) for one in self._known(question)]
        return float(_mixed(_single(lowest), 1)[0])

    def scores(self, question: Question, documents: Ints) -> F32:
        """Return the score of each of some documents: as if everybody had found them, where that is possible."""
        if not self.plain:
            return self.candidates(question).scores(documents)
        scores = [(one.weight, one.searcher.scores(question, documents)) for one in self._known(question)]
        return _mixed(scores, len(documents))

    def finder(self, batch: Batch) -> Find:
        """Return what finds documents for one question of a batch."""
        finders = [finder_of(one.searcher, batch, self.size) for one in self.members]

        def find(asked: Asked) -> Candidates:
            shares = []
            for one, find in zip(self.members, finders, strict=True):
                if one.searcher.knows(asked.question):
                    found = find(asked)
                    shares.append(Share(one, found, one.scale(found) if one.scale else found))
            return self._together(shares)

        return find

    def _together(self, shares: Sequence[Share]) -> Candidates:
        """Return the sum of what some rankers found."""
        documents = _union([one.scaled.documents for one in shares])

        def scores(wanted: Ints, times: F64 | float = 1.0) -> F32:
            return _mixed([(one.member.weight, one.scaled.scores(wanted)) for one in shares], len(wanted), times)

        def floor() -> float:
            return float(_mixed(_single([(one.member.weight, one.scaled.floor()) for one in shares]), 1)[0])

        if not self.counted:
            return Candidates(documents, scores, floor, partial(self._explained, shares, floor=floor))
        times = np.zeros(len(documents))
        for one in shares:
            times += among(one.scaled.documents, documents)[0]
        values = scores(documents, times)
        left_out = float(values.min(initial=0.0))
        explain = partial(self._explained, shares, floor=lambda: left_out)
        return listed(documents, values, lambda: left_out, explain)

    def _known(self, question: Question) -> list[Member]:
        return [one for one in self.members if one.searcher.knows(question)]

    # --- explanations -------------------------------------------------------------------------------------------

    def _explained(self, shares: Sequence[Share], document: int, floor: Callable[[], float]) -> Explanation:
        """Return the parts of the rankers' own explanations, as they count here, or one part for each ranker."""
        said = [_Said(one, document, self.counted) for one in shares]
        times = sum(one.there for one in said) if self.counted else 1
        if said and not times:
            return Explanation(floor(), (Part(NOT_FOUND, floor()),), self.text)
        score = float(_mixed(_single((one.share.member.weight, one.value) for one in said), 1, float(times))[0])
        return Explanation(score, tuple(part for one in said for part in self._parts(one, times)), self.text)

    def _parts(self, said: _Said, times: int) -> list[Part]:
        """Return the parts of what one ranker adds, which sum to it."""
        member = said.share.member
        weight, name, scale = member.weight * times, member.name, member.scale
        if said.why is None:
            return [Part(NOT_FOUND, weight * said.value, by=name)]
        if self.counted or (scale and not scale.linear):
            details = {"rank": float(said.rank), "score": said.why.score}
            details |= {"found_by": float(times)} if self.counted else {}
            return [Part(scale.name if scale else "score", weight * said.value, details, by=name)]
        factor = weight * (scale.slope(said.share.found) if scale else 1.0)
        inner = said.why.parts or (Part(said.why.formula, said.why.score),)
        if scale:  # one shift for all of them
            inner = tuple(one for one in inner if one != Part(SHIFT, one.value))
        parts = [replace(one, value=factor * one.value, by=one.by or name) for one in inner]
        shift = weight * said.value - math.fsum(part.value for part in parts)
        if scale and abs(shift) > ROUNDING * max((abs(part.value) for part in parts), default=0.0):
            parts.append(Part(SHIFT, shift, by=name))
        return parts


@dataclass(frozen=True)
class Share:
    """What one ranker of a mixture finds, on its own scale and on the common one."""

    member: Member
    found: Candidates
    scaled: Candidates


class _Said:
    """What one ranker says of a document: what it counts, and why; nothing where it does not find it."""

    def __init__(self, share: Share, document: int, counted: bool) -> None:
        member = share.member
        self.share = share
        self.value = float(share.scaled.scores(np.array([document], np.int64))[0])
        self._place = share.found.place_of(document)
        gives_all = not counted and member.scale is None and isinstance(member.searcher, Scorer | Combined)
        self.why = share.found.explain(document) if gives_all or self._place is not None else None

    @property
    def there(self) -> bool:
        """Tell whether the ranker finds the document."""
        return self.why is not None

    @property
    def rank(self) -> int:
        """Return the document's rank among those that are found."""
        own, place = self.share.found.own(), self._place
        assert place is not None
        return 1 + int((own > own[place]).sum() + (own[:place] == own[place]).sum())


def _single(scores: Iterable[tuple[float, float]]) -> Iterator[tuple[float, F32]]:
    """Yield weights with the scores of one document, as they are kept."""
    return ((weight, np.array([score], np.float32)) for weight, score in scores)


def _mixed(scores: Iterable[tuple[float, F32]], size: int, times: F64 | float = 1.0) -> F32:
    """Return the sum of weighted scores of so many documents, added in their order; never infinite."""
    total = np.zeros(size, np.float64)
    for weight, one in scores:
        total += weight * one.astype(np.float64)
    total *= times
    return np.clip(total, -LARGEST, LARGEST).astype(np.float32)


def _union(found: Sequence[Ints]) -> Ints:
    """Return the numbers that stand in any of some arrays, ascending: mostly the longest has all of them."""
    different = {id(one): one for one in found}.values()  # models of one view share what matches
    union = max(different, key=len, default=np.zeros(0, np.int64))
    for one in different:
        there, _ = among(union, one)
        if not there.all():
            union = np.sort(np.concatenate([union, one[~there]]))
    return union
