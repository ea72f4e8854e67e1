"""The words of the ranking algebra: rankers, and how rankers are made of rankers.

`a % 100` keeps the first 100 of a; `a % 100 >> b` ranks these by b; `a + 30 * b` adds scores. Python's precedence
is that of the text: `*` and `%` bind alike, from left to right, then `+`, then `>>`. So a cut applies to its own
term, and cutting a mixture needs parentheses: `(a + b) % 100`. What else is made of rankers has a name, and stands
where a single ranker may: `minmax(a) + .3*rrf(b, c)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Number, checked

MOST_SIGNS = 100  # of an expression: it is read, shown and bound by recursion
WEIGHT = Number(0, 1e9)


class Ranker:
    """Anything that can be bound to an index and then ranks documents: a model, or an expression of rankers.

    A ranker's text makes it again.
    """

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """Return the rankers that it is made of."""
        return ()

    def made_of(self, rankers: Sequence[Ranker]) -> Ranker:  # noqa: ARG002 - where there are some
        """Return the same made of other rankers."""
        return self

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return 0

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return False

    def __mod__(self, depth: int) -> Cut:
        return Cut(self, depth)

    def __mul__(self, weight: float) -> Scaled:
        return Scaled(weight, self)

    __rmul__ = __mul__

    def __add__(self, other: Ranker) -> Sum:
        return Sum((self, other))

    def __radd__(self, other: object) -> Ranker:
        if other == 0:  # where `sum` begins
            return self
        raise UsageError(
            f"only rankers can be added to a ranker, got {shown(other)}; `ab.ranker` reads one from text"
        )

    def __truediv__(self, other: object) -> Ranker:
        raise UsageError("rankers are not divided: write a weight before one, such as .5*bm25")

    def __sub__(self, other: object) -> Ranker:
        raise UsageError("rankers have no minus: a mixture adds, such as bm25 + 30*ql, and weights are at least 0")

    def __rshift__(self, other: Ranker) -> Rerank:
        return Rerank(self, other)


@dataclass(frozen=True)
class Cut(Ranker):
    """The first `depth` documents of a ranker."""

    ranker: Ranker
    depth: int

    def __post_init__(self) -> None:
        depth: Any = self.depth
        if isinstance(depth, bool) or not isinstance(depth, Integral) or int(depth) < 1:
            raise UsageError(f"a ranking must be cut to a whole number of at least 1, got {shown(depth)}")
        object.__setattr__(self, "depth", int(depth))
        check_parts(self, self.ranker)

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """Return the ranker that is cut."""
        return (self.ranker,)

    def made_of(self, rankers: Sequence[Ranker]) -> Cut:
        """Return the same cut of another ranker."""
        return Cut(rankers[0], self.depth)

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return 1 + self.ranker.signs

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents: it does."""
        return True

    def __str__(self) -> str:
        return f"{_within(self.ranker, Sum, Rerank)} % {self.depth}"


@dataclass(frozen=True)
class Scaled(Ranker):
    """A ranker whose scores count `weight` times; a weight of a weight is their product."""

    weight: float
    ranker: Ranker

    def __post_init__(self) -> None:
        weight, ranker = checked(WEIGHT, "the weight of a ranker", self.weight), self.ranker
        if isinstance(ranker, Scaled):
            weight, ranker = checked(WEIGHT, "the weight of a ranker", weight * ranker.weight), ranker.ranker
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "ranker", ranker)
        check_parts(self, ranker)

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """Return the ranker that is weighted."""
        return (self.ranker,)

    def made_of(self, rankers: Sequence[Ranker]) -> Scaled:
        """Return another ranker with the same weight."""
        return Scaled(self.weight, rankers[0])

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return 1 + self.ranker.signs

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return self.ranker.limited

    def __str__(self) -> str:
        return f"{WEIGHT.show(self.weight)}*{_within(self.ranker, Cut, Sum, Rerank)}"


@dataclass(frozen=True)
class Sum(Ranker):
    """What any of some rankers finds, by the sum of their scores; a sum of sums is one sum."""

    parts: tuple[Ranker, ...]

    def __post_init__(self) -> None:
        flat: list[Ranker] = []
        for part in self.parts:
            flat.extend(part.parts if isinstance(part, Sum) else [part])
        object.__setattr__(self, "parts", tuple(flat))
        if len(flat) < 2:
            raise UsageError(f"a mixture must have at least two rankers, got {len(flat)}")
        check_parts(self, *flat)

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """Return the rankers that are added."""
        return self.parts

    def made_of(self, rankers: Sequence[Ranker]) -> Sum:
        """Return the sum of other rankers."""
        return Sum(tuple(rankers))

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return len(self.parts) - 1 + sum(part.signs for part in self.parts)

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return all(part.limited for part in self.parts)

    def __str__(self) -> str:
        return " + ".join(_within(part, Rerank) for part in self.parts)


@dataclass(frozen=True)
class Rerank(Ranker):
    """What one ranker finds, ranked by another."""

    first: Ranker
    second: Ranker

    def __post_init__(self) -> None:
        check_parts(self, self.first, self.second)
        if not self.first.limited:
            example = Rerank(self.first % 100, self.second)
            raise UsageError(f"say how many documents are ranked anew, such as '{example}'")

    @property
    def rankers(self) -> tuple[Ranker, ...]:
        """Return the two rankers."""
        return self.first, self.second

    def made_of(self, rankers: Sequence[Ranker]) -> Rerank:
        """Return the same with other rankers."""
        return Rerank(*rankers)

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return 1 + self.first.signs + self.second.signs

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents: it does."""
        return True

    def __str__(self) -> str:
        return f"{self.first} >> {_within(self.second, Rerank)}"


def _within(ranker: Ranker, *looser: type[Ranker]) -> str:
    """Return the text of a ranker inside another's, in parentheses where it would be taken apart."""
    return f"({ranker})" if isinstance(ranker, looser) else str(ranker)


def inside(ranker: Ranker) -> Iterator[Ranker]:
    """Yield a ranker and all that it is made of, from left to right."""
    yield ranker
    for part in ranker.rankers:
        yield from inside(part)


def check_parts(expression: Ranker, *rankers: object) -> None:
    """Raise where an expression is made of something else than rankers, or of too many."""
    for one in rankers:
        if not isinstance(one, Ranker):
            raise UsageError(f"each part of an expression must be a ranker such as BM25(), got {shown(one)}")
    if expression.signs > MOST_SIGNS:
        raise UsageError(
            f"a ranker may have at most {MOST_SIGNS} of + * % >> and inner rankers, got {expression.signs}"
        )
