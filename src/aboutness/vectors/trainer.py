"""The contract of what is trained from text: declared parameters -> vectors, with progress and resume."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from aboutness.core.parameters import Parameters
from aboutness.core.registry import Registry
from aboutness.text.analyzer import Analyzer
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.training_text import Source
from aboutness.vectors.words import WordVectors

DEFAULT_ANALYZER = "plain"


@dataclass(frozen=True)
class Progress:
    """How far a training is: tokens read so far and in all, over all epochs, and how fast it goes."""

    done: int
    total: int
    per_second: float

    @property
    def seconds_left(self) -> float:
        """Return how long the rest will take at this speed."""
        return (self.total - self.done) / self.per_second if self.per_second else float("inf")


Tell = Callable[[Progress], None]
Made: TypeAlias = WordVectors | DocumentSpace


@dataclass(frozen=True)
class Trainer(Parameters, ABC):
    """A way of training: a frozen record of declared parameters."""

    summary: ClassVar[str] = ""
    source: ClassVar[str] = ""
    layers: ClassVar[dict[str, str]] = {}  # further ways to analyse the documents that belong to it

    @abstractmethod
    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
        tell: Tell | None = None,
    ) -> Made:
        """Train on the view of an index, or on texts (strings, or lists of terms).

        With a checkpoint, go on from it if it is there, write it from time to time, when interrupted and at the
        end. `analyzer` is for strings. With several threads (all cores unless said) no two trainings are alike.
        """


@dataclass(frozen=True)
class DocumentTrainer(Trainer):
    """A way of training that gives each document a row, and further texts, too."""

    space: ClassVar[type[DocumentSpace]]  # what it makes

    @abstractmethod
    def train(
        self,
        source: Source,
        *,
        analyzer: str | Analyzer = DEFAULT_ANALYZER,
        threads: int | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
        tell: Tell | None = None,
    ) -> DocumentSpace:
        """Train on the documents of a view, or on texts, each of which is a document (see `Trainer.train`)."""


TRAINERS: Registry[type[Trainer]] = Registry("way of training")


def register(trainer: type[Trainer]) -> type[Trainer]:
    """Make a way of training known under its name."""
    return TRAINERS.register(trainer.name, trainer)


def plain(parameters: Parameters) -> dict[str, Any]:
    """Return declared parameters as plain values."""
    return {one.name: getattr(parameters, one.name) for one in parameters.declared()}
