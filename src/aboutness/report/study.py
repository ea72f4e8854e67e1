"""A paper done again: its figures beside ours, its claims and whether they hold, and what had to be replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from aboutness.experiment.results import Made

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLERANCE = 0.01


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds here"
    FAILS = "does not hold here"
    UNTESTED = "cannot be tested here"


@dataclass(frozen=True)
class Value:
    """One number of a table: ours (`here`) and the paper's, each with a deviation and a mark where it has one.

    `said` stands in place of our number, `paper_said` in place of the paper's ("did not finish"). `shown` is our
    number in words of its own ("<.001"). The paper's numbers have so many digits after the point, or the table's.
    """

    here: float | None = None
    paper: float | None = None
    deviation: float | None = None
    paper_deviation: float | None = None
    mark: str = ""
    paper_mark: str = ""
    said: str = ""
    paper_said: str = ""
    best: bool = False
    shown: str = ""
    paper_digits: int | None = None
    paper_deviation_digits: int | None = None

    @property
    def difference(self) -> float | None:
        """Return ours less the paper's, where both are there."""
        return None if self.here is None or self.paper is None else self.here - self.paper


Cell: TypeAlias = Value | str


@dataclass(frozen=True)
class Sheet:
    """A table: rows by name, each with one cell for each column.

    `digits` are those after the point. `tolerance` says how far our numbers may be from what is expected the next
    time; None: they are not checked, for they are times or the like.
    """

    name: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[Cell]]
    caption: str = ""
    corner: str = "method"
    digits: int = 3
    tolerance: float | None = TOLERANCE

    def __post_init__(self) -> None:
        for row, cells in self.rows.items():
            if len(cells) != len(self.columns):
                raise ValueError(f"{self.name}: {row} has {len(cells)} cells for {len(self.columns)} columns")

    @property
    def values(self) -> Iterator[tuple[str, str, Value]]:
        """Yield all numbers, with the names of their row and column."""
        for row, cells in self.rows.items():
            for column, cell in zip(self.columns, cells, strict=True):
                if isinstance(cell, Value):
                    yield row, column, cell


@dataclass(frozen=True)
class Drawing:
    """A figure, drawn when it is needed; `name` is that of its file."""

    name: str
    draw: Callable[[], Figure] = field(repr=False)
    caption: str
    wide: bool = False


@dataclass(frozen=True)
class Passage:
    """A text whose words are marked: each piece of it with "" or a kind of mark ("query", "evidence")."""

    title: str
    pieces: Sequence[tuple[str, str]]
    caption: str = ""


Item: TypeAlias = str | Sheet | Drawing | Passage
"""A paragraph, a table, a figure or a marked text."""


@dataclass(frozen=True)
class Part:
    """A section of a report."""

    title: str
    items: Sequence[Item]


@dataclass(frozen=True)
class Claim:
    """What a paper says, where it says so, and what was found here, in one sentence with its numbers."""

    says: str
    where: str
    verdict: Verdict
    found: str


@dataclass(frozen=True)
class Replaced:
    """What the paper used, what stands in its place here, and why."""

    paper: str
    here: str
    why: str


@dataclass(frozen=True)
class Study:
    """A paper done again."""

    name: str  # galke2017
    reference: str  # who, what, where, when
    summary: str  # in one or two sentences: what was done, and what came of it
    claims: Sequence[Claim]
    replaced: Sequence[Replaced]
    parts: Sequence[Part]
    made: Made
    earlier: str = ""  # what of it was made before, and not in the time that is told

    def __post_init__(self) -> None:
        for what, names in (
            ("tables", [one.name for one in self.sheets]),
            ("figures", [one.name for one in self.drawings]),
            ("claims", [one.says for one in self.claims]),
        ):
            if twice := next((one for place, one in enumerate(names) if one in names[:place]), None):
                raise ValueError(f"{self.name}: two {what} are called {twice!r}")

    @property
    def sheets(self) -> list[Sheet]:
        """Return all tables."""
        return [item for part in self.parts for item in part.items if isinstance(item, Sheet)]

    @property
    def drawings(self) -> list[Drawing]:
        """Return all figures."""
        return [item for part in self.parts for item in part.items if isinstance(item, Drawing)]

    @property
    def table(self) -> list[dict[str, Any]]:
        """Return each number of all tables as one row: where it stands, ours, the paper's, and the difference."""
        return [
            {
                "table": sheet.name, "row": row, "column": column, "here": value.here, "paper": value.paper,
                "difference": value.difference, "deviation": value.deviation,
                "paper deviation": value.paper_deviation, "mark": value.mark, "paper mark": value.paper_mark,
            }
            for sheet in self.sheets
            for row, column, value in sheet.values
        ]  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(f"{one.verdict}: {one.says} {one.found}" for one in self.claims)
