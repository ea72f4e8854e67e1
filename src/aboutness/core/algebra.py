"""The words of the ranking algebra: rankers, and how rankers are made of rankers."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from aboutness.core.errors import UsageError, shown


class Ranker:
    """Anything that can be bound to an index and then ranks documents: a model, or an expression of rankers.

    `a % 100` keeps the first 100 of a; `a % 100 >> b` ranks these by b. A ranker's text makes it again.
    """

    def __mod__(self, depth: int) -> Cut:
        return Cut(self, depth)

    def __rshift__(self, other: Ranker) -> Rerank:
        if not isinstance(other, Ranker):
            raise UsageError(f"what ranks anew must be a ranker such as BM25(), got {shown(other)}")
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

    def __str__(self) -> str:
        inner = f"({self.ranker})" if isinstance(self.ranker, Rerank) else str(self.ranker)
        return f"{inner} % {self.depth}"


@dataclass(frozen=True)
class Rerank(Ranker):
    """What one ranker finds, ranked by another."""

    first: Ranker
    second: Ranker

    def __post_init__(self) -> None:
        if not isinstance(self.first, (Cut, Rerank)):
            raise UsageError(
                f"say how many documents are ranked anew, such as '{self.first} % 100 >> {self.second}'"
            )

    def __str__(self) -> str:
        second = f"({self.second})" if isinstance(self.second, Rerank) else str(self.second)
        return f"{self.first} >> {second}"
