"""Rankers made of rankers by name: `rrf[k=60](bm25, ql)`, `minmax(bm25)`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from aboutness.core.algebra import Ranker, check_parts
from aboutness.core.errors import UsageError
from aboutness.core.parameters import Parameters
from aboutness.core.registry import Registry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.model import MODELS
from aboutness.vectors.trainer import Trainer

if TYPE_CHECKING:
    from aboutness.rank.searching import Searcher

MANY = 100


@dataclass(frozen=True)
class Combination(Parameters, Ranker):
    """A way to combine rankers: a frozen record of these and of declared parameters."""

    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    least: ClassVar[int] = 1  # rankers
    most: ClassVar[int] = 1

    rankers: tuple[Ranker, ...] = ()

    @classmethod
    def of(cls, *rankers: Ranker, **parameters: Any) -> Self:  # noqa: ANN401 - as declared
        """Return some rankers combined."""
        return cls(rankers, **parameters)

    def __post_init__(self) -> None:
        given: Any = self.rankers
        if isinstance(given, Ranker):
            example = f"{type(self).__name__}.of({self._some('BM25()', 'QL()')})"
            raise UsageError(f"rankers are combined by `of`: write {example}")
        super().__post_init__()
        object.__setattr__(self, "rankers", tuple(self.rankers))
        check_parts(self, *self.rankers)
        if not self.least <= len(self.rankers) <= self.most:
            raise UsageError(
                f"{self.name} is made of {self._how_many()}, such as "
                f"{self.name}({self._some('bm25', 'ql')}), got {len(self.rankers)}"
            )

    @classmethod
    def written(cls) -> str:
        """Return how it is written, with letters for the rankers that it is made of."""
        needed, room = "abcdefgh"[: cls.least], "abcdefgh"[cls.least : cls.most]
        more = ", …" if cls.most > 2 else "".join(f"[, {letter}]" for letter in room)
        return f"{cls.name}({', '.join(needed)}{more})"

    @classmethod
    def _how_many(cls) -> str:
        if cls.most > 2:
            return f"at least {cls.least} rankers"
        return {(1, 1): "one ranker", (1, 2): "one ranker or two", (2, 2): "two rankers"}[cls.least, cls.most]

    def _some(self, *examples: str) -> str:
        return ", ".join(examples[: self.least])

    def made_of(self, rankers: Sequence[Ranker]) -> Self:
        """Return the same made of other rankers."""
        return replace(self, rankers=tuple(rankers))

    @property
    def signs(self) -> int:
        """Return how many signs the ranker's text has."""
        return len(self.rankers) + sum(part.signs for part in self.rankers)

    @property
    def limited(self) -> bool:
        """Tell whether it finds only so many documents, however many match."""
        return all(part.limited for part in self.rankers)

    @property
    def told(self) -> Sequence[tuple[str, Ranker]]:
        """Return the rankers of whose parts its explanations are made, each with the name that its parts have."""
        return [("", self.rankers[-1])]

    def needs(self, trained: Trained) -> list[tuple[str, Trainer]]:  # noqa: ARG002 - for those that need something
        """Return what has to be trained for it, by name, besides what its rankers need."""
        return []

    def note(self, snapshot: Snapshot) -> str | None:  # noqa: ARG002 - for those that have one
        """Return what to say of its use in an index."""
        return None

    @abstractmethod
    def bound(self, searchers: Sequence[Searcher], snapshot: Snapshot) -> Searcher:
        """Return it bound to an index, to which its rankers are bound already."""

    def __str__(self) -> str:
        return f"{Parameters.__str__(self)}({', '.join(map(str, self.rankers))})"


COMBINATIONS: Registry[type[Combination]] = Registry(MODELS.kind)


def register(combination: type[Combination]) -> type[Combination]:
    """Add a combination under its name: expressions can then be made with it."""
    return COMBINATIONS.register(combination.name, combination)
