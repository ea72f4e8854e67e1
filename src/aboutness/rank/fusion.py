"""Rankings fused: several rankers are asked the same, and documents are ranked by what all of them say.

Each is made of two rankers or more. A model finds all documents that match, so that all of these have a rank; of
`bm25 % 100` only the first hundred have, which is quicker. A part with a weight, such as `.5*ql`, counts
so many times; the weight is applied after ranks are taken or scores are normalised. A ranker that does not know a
question takes no part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from aboutness.core.algebra import Ranker, Scaled
from aboutness.core.kinds import Choice, Number
from aboutness.core.parameters import parameter
from aboutness.index.snapshot import Snapshot
from aboutness.rank.combination import MANY, Combination, register
from aboutness.rank.combined import F64, Combined, Member, Scale
from aboutness.rank.normalised import SCALES, ranks
from aboutness.rank.searching import Searcher

NORMS = (*SCALES, "none")


@dataclass(frozen=True)
class Fusion(Combination):
    """Several rankers fused: a sum over these of what each gives a document on its own scale.

    Unknown words: as in each ranker; one that does not know a question takes no part.

    Empty documents: a document counts what the rankers that find it say.

    Cost: that of all rankers, each of which scores all documents that it finds; of `bm25 % 100` these are the
    first hundred.
    """

    least: ClassVar[int] = 2
    most: ClassVar[int] = MANY
    counted: ClassVar[bool] = False  # the sum counts as often as rankers find the document

    @property
    @abstractmethod
    def scale(self) -> Scale | None:
        """Return the scale to which the scores of each ranker are brought."""

    @property
    def told(self) -> Sequence[tuple[str, Ranker]]:
        """Return the rankers of whose parts its explanations are made, by their own names."""
        rankers = [one.ranker if isinstance(one, Scaled) else one for one in self.rankers]
        return [(str(one), one) for one in rankers]

    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> Searcher:
        """Return it bound to an index."""
        members = [replace(one, scale=self.scale) for one in _members(self.rankers, searchers)]
        return Combined(str(self), members, snapshot.size, counted=self.counted)


def _members(rankers: Sequence[Ranker], searchers: Sequence[Searcher]) -> Iterator[Member]:
    """Yield the rankers with their weights, which are taken off those that have one."""
    for ranker, searcher in zip(rankers, searchers, strict=True):
        if isinstance(ranker, Scaled):
            assert isinstance(searcher, Combined)
            yield from searcher.members
        else:
            yield Member(1.0, searcher, str(ranker))


@register
@dataclass(frozen=True)
class RRF(Fusion):
    """Reciprocal rank fusion: a document counts the more, the nearer it is to the top of each ranking.

    Paper: Cormack, Clarke and Büttcher (2009; its one formula).

        sum over the rankers that find the document of 1 / (k + rank)

    Symbols: `k` is the paper's, 60 there: the smaller, the more the first ranks count. Ranks are from 1; equal
    scores have different ranks, by arrival. Scores do not count, so rankers of any kind can be fused.

    Differs from the paper: a ranker may have a weight, such as `.5*ql`; otherwise nothing.

    >>> from aboutness import BM25, QL, RRF
    >>> print(RRF.of(BM25(), 0.5 * QL(), k=10))
    rrf[k=10](bm25, 0.5*ql)
    """

    name: ClassVar[str] = "rrf"
    summary: ClassVar[str] = "reciprocal rank fusion: the sum of 1/(k + rank)"
    source: ClassVar[str] = "Cormack et al. 2009"

    k: float = parameter(
        60.0, Number(0, 1e9), "added to each rank: the smaller, the more the first count", symbol="k"
    )

    @property
    def scale(self) -> Scale:
        """Return the scale: the reciprocal of k + rank."""

        def reciprocal(scores: F64) -> F64:
            return 1.0 / (self.k + ranks(scores))

        return Scale(f"1/({self.k:g} + rank)", reciprocal)


@dataclass(frozen=True)
class _Comb(Fusion):
    """What CombSUM and CombMNZ have in common."""

    source: ClassVar[str] = "Fox and Shaw 1994"

    norm: str = parameter("minmax", Choice(NORMS), "how the scores of each ranker are normalised before")

    @property
    def scale(self) -> Scale | None:
        """Return the scale to which the scores of each ranker are brought."""
        return SCALES.get(self.norm)


@register
@dataclass(frozen=True)
class CombSUM(_Comb):
    """The sum of the rankers' scores, each brought to one scale first.

    Paper: Fox and Shaw (1994, "CombSUM").

        combsum(a, b) = minmax(a) + minmax(b);   with norm=none  a + b

    Symbols: a and b are scores of rankers, of which there may be more; minmax is the ranker of that name, in place
    of which `norm` puts another.

    Differs from the paper: it adds raw scores, of systems whose scores are alike; that is norm=none.

    Empty documents: a document that a ranker does not find counts 0 there; with norm=zscore the lowest that is
    found, with norm=none as in any mixture.
    """

    name: ClassVar[str] = "combsum"
    summary: ClassVar[str] = "the sum of the rankers' normalised scores"


@register
@dataclass(frozen=True)
class CombMNZ(_Comb):
    """The sum of the rankers' scores, each brought to one scale first, times how many rankers find the document.

    Paper: Fox and Shaw (1994, "CombMNZ").

        n(d) * (minmax(a) + minmax(b) + ...)

    Symbols: a and b are scores of rankers; n(d) is how many of them find the document d; minmax is the ranker of
    that name, in place of which `norm` puts another. Weights do not change n(d). Scores should not be below 0, as
    they may be with norm=zscore or norm=none: being found by more rankers then counts against a document.

    Differs from the paper: its n(d) counts scores that are not zero; ours counts the rankers that find the
    document, also where it is their last, with 0.

    Empty documents: one that no ranker finds counts 0, or as the lowest that is found where that is less.
    """

    name: ClassVar[str] = "combmnz"
    summary: ClassVar[str] = "the sum of normalised scores, times how many rankers find the document"
    counted: ClassVar[bool] = True
