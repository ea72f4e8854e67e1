"""The one table from errors to exit codes and HTTP statuses."""

from __future__ import annotations

from typing import NamedTuple

from aboutness.core import errors


class Outcome(NamedTuple):
    """How an error is told to a shell and to an HTTP client."""

    exit_code: int
    http_status: int
    meaning: str


OUTCOMES: dict[type[BaseException], Outcome] = {
    errors.UsageError: Outcome(2, 400, "wrong usage"),
    errors.BadInput: Outcome(3, 422, "bad input"),
    errors.NotFound: Outcome(4, 404, "not found"),
    errors.IndexProblem: Outcome(5, 500, "the index is damaged or of another version"),
    errors.StorageError: Outcome(6, 507, "disk trouble"),
    errors.IndexBusy: Outcome(7, 409, "another process is writing to the index"),
    errors.Overloaded: Outcome(8, 503, "too busy"),
    errors.Unreachable: Outcome(9, 503, "a cluster, or a part of it, does not answer"),
    KeyboardInterrupt: Outcome(130, 503, "interrupted, the index is unchanged"),
    errors.AboutnessError: Outcome(1, 500, "something else went wrong"),
}


def outcome(error: BaseException) -> Outcome:
    """Return how to tell `error`."""
    return next(outcome for kind, outcome in OUTCOMES.items() if isinstance(error, kind))
