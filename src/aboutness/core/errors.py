"""Every error this package raises on purpose, in one tree.

AboutnessError
├── UsageError          a value, option or name that is not allowed
│   └── Diverged        a training whose learning rate is too high
├── BadInput            data that cannot be read
│   └── BadRecord       one record of it; can be skipped, the others are fine
├── NotFound            a file, index, document or artefact that is not there
│   └── NoIndex         a folder that is not there, or is no index
├── IndexProblem        an index that cannot be used as it is
│   ├── DamagedIndex    files missing, truncated or changed
│   └── FormatMismatch  written by another version of this package
├── IndexBusy           another process is writing to the index
├── Overloaded          a server has more to do than it can
├── Unreachable         a cluster, or a part of it, that does not answer
└── StorageError        the disk is full or does not work

A message says what was wrong, the value, what is allowed, and what to do next. The front ends map the tree
to exit codes and HTTP statuses in one table (`aboutness.app.outcome`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from aboutness.core.record import Origin

RAW_SHOWN = 60


class AboutnessError(Exception):
    """Base of every error raised on purpose."""


class UsageError(AboutnessError):
    """A value, option or name that is not allowed."""


class Diverged(UsageError):
    """A training whose vectors grew beyond all bounds: its learning rate is too high."""


class BadInput(AboutnessError):
    """Data that cannot be read."""


class BadRecord(BadInput):
    """One record that cannot be used; `origin` says where it stands and `raw` is what stood there."""

    def __init__(self, problem: str, *, origin: Origin | None = None, raw: str | bytes = "") -> None:
        super().__init__(f"{origin}: {problem}" if origin else problem)
        self.problem = problem
        self.origin = origin
        self.raw = raw


class NotFound(AboutnessError):
    """A file, index, document or artefact that is not there."""


class NoIndex(NotFound):
    """A folder that is not there, or is no index; `folder` says which."""

    def __init__(self, problem: str, *, folder: Path | None = None) -> None:
        super().__init__(problem)
        self.folder = folder


class IndexProblem(AboutnessError):
    """An index that cannot be used as it is."""


class DamagedIndex(IndexProblem):
    """Files of the index are missing, truncated or changed."""


class FormatMismatch(IndexProblem):
    """The index was written by another version of this package."""


class IndexBusy(AboutnessError):
    """Another process is writing to the index."""


class Overloaded(AboutnessError):
    """A server has more to do than it can: to be asked again after some seconds."""

    def __init__(self, message: str, after: int = 1) -> None:
        super().__init__(message)
        self.after = after


class Unreachable(AboutnessError):
    """A cluster, or a part of it, that does not answer."""


class StorageError(AboutnessError):
    """The disk is full or does not work."""


def shown(value: object) -> str:
    """Return `value` as an error message quotes it: on one line and not too long."""
    text = repr(value)
    if "\n" in text:  # as an array's may
        text = " ".join(text.split())
    return text if len(text) <= RAW_SHOWN else f"{text[: RAW_SHOWN - 1]}… ({len(text):,} characters)"
