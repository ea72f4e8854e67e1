"""What a paper is here: how its experiments are done again, and what they are done with."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

from aboutness.app.experimenting import ExperimentResults, Pace, run_experiment, user_cache
from aboutness.core.errors import NotFound
from aboutness.core.registry import Registry
from aboutness.experiment.results import Made
from aboutness.report.study import Study
from aboutness.vectors.trainer import Progress

DATA, VECTORS = "ABOUTNESS_DATA", "ABOUTNESS_VECTORS"


class Step(NamedTuple):
    """How far a paper is."""

    what: str
    part: float | None = None  # of this step, if known
    seconds_left: float | None = None


@dataclass
class Work:
    """What the experiments of a paper are done with.

    `data` and `vectors` are the folders of collections and of word vectors (those of ABOUTNESS_DATA and
    ABOUTNESS_VECTORS unless said), `on` collections in place of those that stand in for the paper's, `queries` a
    file of queries to train on, `full` whether the grids are searched too.
    """

    data: Path | None = None
    vectors: Path | None = None
    on: tuple[str, ...] = ()
    embeddings: tuple[str, ...] = ()
    queries: Path | None = None
    full: bool = False
    seed: int = 1
    threads: int | None = None
    cache: str | Path | bool = True
    tell: Callable[[Step], None] | None = None
    used: dict[str, Any] = field(default_factory=dict)  # what is known of the data that was read, by name
    begun: float = field(default_factory=perf_counter)
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)  # of runs and the like: from before, and all

    def collection(self, name: str) -> str:
        """Return the folder of a collection."""
        return str(_inside(self.data, DATA, "--data", "collections", name))

    def vector_file(self, name: str) -> str:
        """Return a file of word vectors, by its path in the folder of word vectors."""
        return str(_inside(self.vectors, VECTORS, "--vectors", "word vectors", name))

    @property
    def kept(self) -> Path | None:
        """Return the folder in which finished runs are kept; None where none are."""
        return (user_cache() if self.cache else None) if isinstance(self.cache, bool) else Path(self.cache)

    def step(self, what: str, part: float | None = None, seconds_left: float | None = None) -> None:
        """Tell what is being done."""
        if self.tell:
            self.tell(Step(what, part, seconds_left))

    def experiment(self, **declared: Any) -> ExperimentResults:  # noqa: ANN401 - as in a TOML file
        """Run an experiment, as `run_experiment`; what it has done is kept, and not done again."""
        found = run_experiment(
            cache=self.cache,
            threads=self.threads,
            progress=self._pace,
            training=self.trained,
            **{"seed": self.seed, **declared},
        )
        self.used |= found.made.data
        rows = [row for one in found.comparisons for row in one.rows]
        self.count("runs", sum(row.cached for row in rows), len(rows))
        return found

    def count(self, what: str, kept: int, of: int) -> None:
        """Take down that some of so many runs, or what else, were kept from before."""
        before, every = self.counts.get(what, (0, 0))
        self.counts[what] = before + kept, every + of

    @property
    def earlier(self) -> str:
        """Return what was kept from before, for the time that is told does not have it; nothing if all is new."""
        told = [f"{kept:,} of {of:,} {what}" for what, (kept, of) in self.counts.items() if kept]
        return f", with {' and '.join(told)} from before" if told else ""

    def _pace(self, pace: Pace) -> None:
        self.step(f"{pace.what} ({pace.done + 1} of {pace.total})", pace.part, pace.seconds_left)

    def trained(self, name: str, progress: Progress) -> None:
        """Tell how far the training of something is."""
        left = progress.seconds_left if progress.per_second else None
        self.step(f"training {name}", progress.done / progress.total if progress.total else None, left)

    def made(self, parameters: Mapping[str, Any]) -> Made:
        """Return how a study came about, up to now."""
        return Made.now(
            seconds=round(perf_counter() - self.begun, 1), seed=self.seed, parameters=parameters, data=self.used
        )


def _inside(folder: Path | None, variable: str, option: str, what: str, name: str) -> Path:
    root = folder or (Path(found) if (found := os.environ.get(variable)) else None)
    if root is None:
        raise NotFound(f"{name} is needed: say in which folder {what} are, by {option} or {variable}")
    if not (root / name).exists():
        raise NotFound(f"{root}: there is no {name} in this folder, which {option} or {variable} names")
    return root / name


class Paper(ABC):
    """One paper. A subclass is a frozen record of the sizes that it uses, those of the paper unless said.

    `takes` names what it can use besides collections: "queries" to train on, and files of "embeddings".
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def study(self, work: Work) -> Study:
        """Do the paper's experiments; return its tables, figures and claims with what was found."""


PAPERS: Registry[type[Paper]] = Registry("paper")
