"""What an experiment found: comparisons, how their differences are tested, and how all of it was made."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from aboutness._version import __version__
from aboutness.core import clock
from aboutness.experiment.compare import Comparison

if TYPE_CHECKING:
    from aboutness.frames.frame import Frame

SHOWN_VERSIONS = ("numpy", "numba", "scipy", "ir-measures")


@dataclass(frozen=True)
class Made:
    """How results came about: all that is needed to make them again."""

    command: str = ""
    date: str = ""
    seconds: float = 0.0
    peak_mb: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 1
    parameters: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    """By collection: source, documents, queries, judgements, checksum."""

    @classmethod
    def now(
        cls,
        *,
        command: str = "",
        seconds: float = 0.0,
        seed: int = 1,
        parameters: Mapping[str, Any] | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Made:
        """Return what is known of results that are made here and now."""
        date = clock.now()
        return cls(
            command, date, seconds, peak_memory(), versions(), seed, dict(parameters or {}), dict(data or {})
        )


@dataclass(frozen=True)
class Results:
    """Comparisons of the same rankers: one for each collection and setting."""

    name: str
    comparisons: tuple[Comparison, ...]
    baseline: str | None = None  # the name of the ranker that others are tested against; None: all pairs
    test: str = "fisher"
    correction: str = "holm"
    made: Made = field(default_factory=Made.now)

    @classmethod
    def of(
        cls,
        comparison: Comparison,
        *,
        name: str = "",
        baseline: str | None = None,
        test: str = "fisher",
        correction: str = "holm",
        made: Made | None = None,
    ) -> Results:
        """Return the results that one comparison is."""
        data = {comparison.collection: {"documents": comparison.documents, "queries": comparison.queries}}
        made = Made.now(data=data) if made is None else made
        return cls(name or comparison.collection, (comparison,), baseline, test, correction, made)

    def to_json(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return the results in plain values."""
        comparisons = [one.to_json(per_query=per_query) for one in self.comparisons]
        for one, plain in zip(self.comparisons, comparisons, strict=True):
            for row, said in zip(one.rows, plain["rows"], strict=True):
                said.update(expression=str(row.ranker), seconds=round(row.seconds, 3), cached=row.cached)
        return {
            "name": self.name,
            "baseline": self.baseline,
            "test": self.test,
            "correction": self.correction,
            "comparisons": comparisons,
            "made": asdict(self.made),
        }

    @property
    def table(self) -> list[dict[str, Any]]:
        """Return one row for each collection, setting and ranker: seconds, and the mean of each measure."""
        return [
            {"collection": one.collection, "setting": one.setting, "ranker": row.name, "seconds": row.seconds}
            | row.evaluation.mean
            for one in self.comparisons
            for row in one.rows
        ]

    @property
    def per_query(self) -> list[dict[str, Any]]:
        """Return one row for each collection, setting, ranker, query and measure, with its value."""
        return [
            {"collection": one.collection, "setting": one.setting, "ranker": row.name, "query": query}
            | {"measure": measure, "value": values[measure]}
            for one in self.comparisons
            for row in one.rows
            for query, values in row.evaluation.per_query.items()
            for measure in one.measures
        ]

    def to_frame(self, *, per_query: bool = False) -> Frame:
        """Return `table` as a data frame; with `per_query`, the tidy one that has a row for each value."""
        from aboutness.frames.frame import frame_of

        if per_query:
            return frame_of(self.per_query, ["collection", "setting", "ranker", "query", "measure", "value"])
        return frame_of(self.table, ["collection", "setting", "ranker", "seconds"])

    def __str__(self) -> str:
        return "\n\n".join(f"{one.title}\n{one}" for one in self.comparisons)


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python, of what numbers depend on, and of the system."""
    found = {"aboutness": __version__, "python": platform.python_version()}
    for name in SHOWN_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "system": f"{platform.system()} {platform.machine()}"}


def peak_memory() -> float:
    """Return the most megabytes that this process has held; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1 << 20) if sys.platform == "darwin" else most / 1024, 1)
