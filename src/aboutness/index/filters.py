"""Which documents have the metadata one wants: conditions on keys and values, met by reading postings."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError, shown
from aboutness.index.segment import Segment

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, ">=": operator.ge, "!=": operator.ne, "=": operator.eq, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
CONDITION = re.compile(
    r"\s*(?P<key>[^<>=!\s][^<>=!]*?)\s*(?P<sign><=|>=|!=|=|<|>)\s*(?P<value>(?![<>=!]).*?)\s*", re.DOTALL
)
MOST_TOLD = 8  # values that are named where none is met
MOST_LOOKED_AT = 10_000  # of a key that has very many
ORDER = ("<", "<=", ">", ">=")
NUMBER = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")

Where: TypeAlias = "Mapping[str, Any] | Iterable[str | Condition] | str | Condition"


@dataclass(frozen=True)
class Condition:
    """A key, a comparison and the values of which one must hold; of a list, one item must.

    A document without the key meets no condition; `!=` asks for the key with none of the values.
    """

    key: str
    sign: str
    values: tuple[Any, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read `year>=1987` or `topics=acq`; a value that looks like a number is taken as either."""
        match = CONDITION.fullmatch(text)
        if not match:
            raise UsageError(f"a condition is written key=value (or !=, <, <=, >, >=), got {text!r}")
        value = match["value"]
        if not value and match["sign"] not in ("=", "!="):
            raise UsageError(f"a condition has a value to compare with, such as 'year>=1987', got {text!r}")
        try:
            decoded = json.loads(value)
        except (ValueError, RecursionError):
            decoded = value
        scalar = isinstance(decoded, (str, int, float))
        return cls(match["key"], match["sign"], (value, decoded) if scalar and decoded != value else (value,))

    def holds(self, value: object) -> bool:
        """Tell whether a value meets the condition; texts compare with texts, numbers with numbers.

        A text that is written as a number, as the cells of tables are, is more or less than a number as that is.
        """
        compare = COMPARE["=" if self.sign == "!=" else self.sign]
        if self.sign in ORDER and isinstance(value, str) and any(map(_is_number, self.values)):
            value = _as_number(value)
        return any(_comparable(value, wanted) and compare(value, wanted) for wanted in self.values)


def conditions(where: Where) -> list[Condition]:
    """Return the conditions that must all hold.

    `{"topics": "acq", "year": [1986, 1987]}` asks for equal values (one of a list); a text, or a list of texts,
    is read by `Condition.parse`.
    """
    if isinstance(where, Condition):
        return [where]
    if isinstance(where, str):
        return [Condition.parse(where)]
    if isinstance(where, Mapping):
        return [
            Condition(key, "=", tuple(value) if isinstance(value, (list, tuple)) else (value,))
            for key, value in where.items()
        ]
    if not isinstance(where, Iterable):
        raise UsageError(f"conditions are texts such as 'year>=1987', a list of them or a mapping, got {where!r}")
    return [condition for part in where for condition in conditions(part)]


def matching(segments: Sequence[Segment], where: Where) -> NDArray[np.bool_]:
    """Return for each document number whether it is alive and all conditions hold."""
    asked = conditions(where)
    masks = [np.zeros(0, np.bool_)]
    for segment in segments:
        mask = ~segment.dead_mask()
        for condition in asked:
            mask &= _holds(segment, condition)
        masks.append(mask)
    return np.concatenate(masks)


def unknown_key(segments: Sequence[Segment], where: Where) -> str | None:
    """Return in words which key of conditions no document has; None where there are documents with each."""
    known = {key for segment in segments for key in segment.values_by_key}
    lacking = next((condition.key for condition in conditions(where) if condition.key not in known), None)
    if lacking is None:
        return None
    return f"no document has metadata {lacking!r}; there are: {', '.join(sorted(known)) or 'none'}"


def no_number(segments: Sequence[Segment], where: Where) -> str | None:
    """Return in words which condition compares a text with a key that has only numbers; None where none does."""
    for condition in conditions(where):
        texts = [one for one in condition.values if isinstance(one, str)]
        is_met = condition.sign == "!=" or len(texts) < len(condition.values)
        if texts and not is_met and _has_only_numbers(segments, condition.key):
            return f"{condition.key} holds numbers, and {texts[0]!r} is none"
    return None


def no_value(segments: Sequence[Segment], where: Where) -> str | None:
    """Return in words which condition asks for a value that no document has, and some that are there; or None."""
    for condition in conditions(where):
        key, values = condition.key, condition.values
        if condition.sign != "=" or not values:
            continue
        if not matching(segments, {key: list(values)}).any():
            known = _values_of(segments, key)
            some = ", ".join([*known[:MOST_TOLD], *(["…"] if known[MOST_TOLD:] else [])])
            asked = " or ".join(dict.fromkeys(shown(str(value)) for value in values[:MOST_TOLD]))
            return f"no document has {asked} as {key}; there are: {some or 'none'}"
    return None


def _values_of(segments: Sequence[Segment], key: str) -> list[str]:
    """Return the first values that documents have, one more than are told; of very many, some are looked at."""
    held = ((shown(value), segment, number) for segment in segments
            for number, value in segment.values_by_key.get(key, ()))  # fmt: skip
    known: list[str] = []
    for value, segment, number in sorted(islice(held, MOST_LOOKED_AT), key=itemgetter(0)):
        if value not in known and not segment.dead_mask()[_having(segment, number)].all():
            known.append(value)
        if len(known) > MOST_TOLD:
            break
    return known


def _has_only_numbers(segments: Sequence[Segment], key: str) -> bool:
    values = (value for segment in segments for _, value in segment.values_by_key.get(key, ()))
    return all(map(_is_number, values))


def _holds(segment: Segment, condition: Condition) -> NDArray[np.bool_]:
    of_key = segment.values_by_key.get(condition.key, ()) if condition.sign != "=" else ()
    if condition.sign in ("=", "!="):
        equal = [n for value in condition.values for n in segment.value_numbers(condition.key, value)]
        mask = _documents_with(segment, equal)
        return mask if condition.sign == "=" else _documents_with(segment, [n for n, _ in of_key]) & ~mask
    return _documents_with(segment, [number for number, value in of_key if condition.holds(value)])


def _documents_with(segment: Segment, values: Iterable[int]) -> NDArray[np.bool_]:
    mask = np.zeros(len(segment), np.bool_)
    for number in values:
        mask[_having(segment, number)] = True
    return mask


def _having(segment: Segment, value: int) -> NDArray[Any]:
    start = int(segment.value_ends[value - 1]) if value else 0
    return segment.value_documents[start : segment.value_ends[value]]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _as_number(text: str) -> str | int | float:
    """Return the number that a text is written as, or else the text."""
    if not NUMBER.fullmatch(text):
        return text
    try:
        return int(text)
    except ValueError:
        return float(text)


def _comparable(value: object, wanted: object) -> bool:
    if isinstance(value, str) or isinstance(wanted, str):
        return isinstance(value, str) and isinstance(wanted, str)
    return isinstance(value, bool) == isinstance(wanted, bool)
