"""Which values the parameters of measures may have.

ir_measures checks types by `assert` and no ranges, and what it passes on can end the process; so we check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.judgements import LARGEST_GRADE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ir_measures import Measure

LARGEST_CUTOFF = 10**9


class Allowed(NamedTuple):
    """The values a parameter may have: in words, and as a test of values of the right type."""

    words: str
    holds: Callable[[Any], bool]


def _are_gains(table: dict[object, object]) -> bool:
    return all(
        type(grade) is int and type(gain) is int and 0 <= gain <= LARGEST_GRADE for grade, gain in table.items()
    )


ALLOWED = {
    "cutoff": Allowed(
        f"a whole number from 1 to {LARGEST_CUTOFF:,}", lambda cutoff: 1 <= cutoff <= LARGEST_CUTOFF
    ),
    "rel": Allowed(f"a grade from 1 to {LARGEST_GRADE}", lambda grade: 1 <= grade <= LARGEST_GRADE),
    "recall": Allowed("a number from 0 to 1", lambda level: 0 <= level <= 1),
    "beta": Allowed("a number from 0.01 to 100", lambda beta: 0.01 <= beta <= 100),
    "p": Allowed("a number between 0 and 1", lambda p: 0 < p < 1),
    "gains": Allowed(f"gains from 0 to {LARGEST_GRADE} for grades, such as {{1: 1, 2: 3}}", _are_gains),
}


def checked_parameters(measure: Measure, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters given for a measure, or raise UsageError; a whole number may stand for a float."""
    supported: dict[str, Any] = measure.SUPPORTED_PARAMS
    for name, info in supported.items():
        if info.required and name not in given and name not in measure.params:
            raise UsageError(f"it needs the parameter {name!r}{f', {words}' if (words := _words(name)) else ''}")
    checked = {}
    for name, value in given.items():
        if name not in supported:
            has = f"it has: {', '.join(supported)}" if supported else "it has none"
            raise UsageError(f"there is no parameter {name!r}; {has}")
        info = supported[name]
        right = float(value) if info.dtype is float and type(value) is int else value
        if type(right) is not info.dtype or not info.validate(right) or not _holds(name, right):
            words = _words(name) or _choices(info)
            raise UsageError(f"{name} must be {words}, got {shown(value)}")
        checked[name] = right
    return checked


def _words(name: str) -> str:
    return ALLOWED[name].words if name in ALLOWED else ""


def _holds(name: str, value: object) -> bool:
    return name not in ALLOWED or ALLOWED[name].holds(value)


def _choices(info: Any) -> str:  # noqa: ANN401 - ir_measures' ParamInfo
    if info.dtype is bool:
        return "True or False"
    return " or ".join(map(repr, info.choices)) if isinstance(info.choices, list) else f"a {info.dtype.__name__}"
