"""pandas, which need not be installed: what is a data frame, and making one."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from aboutness.core import columns
from aboutness.core.errors import BadInput, UsageError, shown

Frame: TypeAlias = Any  # a pandas.DataFrame: pandas is an optional part, and has no types of its own

PLAIN = (str, int, float, bool)
NEEDED = "data frames need pandas; run: pip install 'aboutness[frames]'"


def is_frame(thing: object) -> TypeGuard[Frame]:
    """Tell whether something is a data frame; pandas is not imported for that, since whoever made one has."""
    pandas = sys.modules.get("pandas")
    kind = getattr(pandas, "DataFrame", None)
    return kind is not None and isinstance(thing, kind)


def pandas() -> Any:  # noqa: ANN401 - the module, which has no types
    """Return pandas, or say how to get it."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(NEEDED) from None
    return pd


def frame_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Frame:
    """Make a frame of rows, with columns of these names, first and also where there are no rows; others follow."""
    made = list(rows)
    every = dict.fromkeys([*names, *(name for row in made for name in row)])
    return pandas().DataFrame(made, columns=list(every))


def column(frame: Frame, what: str, *names: str) -> list[Any]:
    """Return the plain values of the column with one of some names, or raise BadInput where there is none."""
    place = columns.need(list(frame.columns), what, *names)
    return plain_values(frame.iloc[:, place])


def check_names(frame: Frame) -> None:
    """Raise BadInput where two columns have the same name: which of the two were meant?"""
    twice = next((name for name, count in Counter(map(str, frame.columns)).items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"two columns of the data frame are named {shown(twice)}; rename one")


def plain_values(series: Any) -> list[Any]:  # noqa: ANN401 - a pandas.Series
    """Return the values of a column as Python has them, with None for what is missing, and times as texts."""
    missing = series.isna().tolist()
    return [None if gone else plain(value) for value, gone in zip(series.tolist(), missing, strict=True)]


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever stands in a column
    """Return a value as Python has it: numpy's numbers as numbers, and times as texts."""
    if type(value) in PLAIN:  # as most are
        return value
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    elif isinstance(value, np.generic) and not isinstance(value, np.timedelta64):
        value = value.item()
    return value.isoformat() if hasattr(value, "isoformat") else value


def ids(frame: Frame, what: str, *names: str) -> list[str]:
    """Return a column of ids as texts: whole numbers are, too; raise BadInput where one is missing."""
    found = []
    for row, value in enumerate(column(frame, what, *names)):
        identifier = id_of(value)
        if identifier is None:
            raise BadInput(f"row {row} of the data frame: {not_an_id(what, value)}")
        found.append(identifier)
    return found


def id_of(value: object) -> str | None:
    """Return a text or a whole number as an id; None for what is neither.

    >>> id_of("d1"), id_of(7), id_of(7.0), id_of(0.5)
    ('d1', '7', '7', None)
    """
    value = plain(value)
    if isinstance(value, float) and value.is_integer():  # as pandas makes of whole numbers where one is missing
        value = int(value)
    usable = isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    return str(value) if usable else None


def not_an_id(what: str, value: object) -> str:
    """Return what to say of an id that is none."""
    return f"the id of {what} must be a text or a whole number, got {shown(value)}"
