"""The numbers of a ranker that one may move: weights, cuts and parameters, each with a range for a slider."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from aboutness.core.algebra import WEIGHT, Cut, Ranker, Scaled, Sum
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Number, OptionalNumber, Whole, checked
from aboutness.core.parameters import Parameter, Parameters
from aboutness.rank.grammar import ranker as named_ranker

DEPTH = Whole(1, 10**18 - 1)  # of a cut, as the grammar reads it
NARROW = 10.0  # a range that is no wider is shown whole
STEPS = 100  # at least so many in a range
MOST_SHOWN = 40  # characters of a ranker in a label

Change: TypeAlias = Callable[[float], Ranker]


@dataclass(frozen=True)
class Place:
    """One number of a ranker: where it stands, what it is, and between what it may be moved.

    `path` is the way from part to part and then the sign: `1*` is the weight of the second part, `0%` the cut of
    the first one, `0/1[k1]` a parameter. A weight is no step of the way, so paths stay when one is put in.
    """

    path: str
    kind: str  # "weight", "cut" or "parameter"
    label: str
    value: float
    low: float
    high: float
    step: float
    help: str

    def to_json(self) -> dict[str, Any]:
        """Return the place in plain values."""
        return asdict(self)


def places(ranker: str | Ranker) -> list[Place]:
    """Return the numbers of a ranker that can be moved, from left to right.

    >>> [(one.path, one.label, one.value) for one in places("bm25 % 100 >> .5*wcs + wmd")]
    [('0%', 'documents of bm25', 100), ('0/0[k1]', 'k1 of bm25', 1.2), ('0/0[b]', 'b of bm25', 0.75), \
('1/0*', 'weight of wcs', 0.5), ('1/1*', 'weight of wmd', 1.0)]
    """
    return [place for place, _ in _places(named_ranker(ranker), ())]


def with_value(ranker: str | Ranker, path: str, value: float) -> str:
    """Return the text of a ranker with another number at a place.

    >>> with_value("bm25 + .3*ql", "0*", 2)
    '2*bm25 + 0.3*ql'
    """
    changes = {place.path: change for place, change in _places(named_ranker(ranker), ())}
    if path not in changes:
        known = ", ".join(changes) or "none"
        raise UsageError(f"the ranker {shown(str(ranker))} has no number at {shown(path)}. It has: {known}")
    return str(changes[path](value))


def _places(ranker: Ranker, way: tuple[int, ...]) -> Iterator[tuple[Place, Change]]:
    """Yield each place of a ranker, and what makes the ranker with another number there."""
    at = "/".join(map(str, way))
    if isinstance(ranker, Scaled):
        yield _weight(ranker.ranker, at, ranker.weight), lambda value: Scaled(value, ranker.ranker)
        for place, change in _places(ranker.ranker, way):
            yield place, _then(change, lambda changed: ranker.made_of([changed]))
        return
    if isinstance(ranker, Cut):
        label, help_ = f"documents of {_short(ranker.ranker)}", "how many documents, the first, are kept"
        low, high, step = _whole_range(DEPTH, ranker.depth, ranker.depth)
        place = Place(f"{at}%", "cut", label, ranker.depth, low, high, step, help_)
        yield place, lambda value: Cut(ranker.ranker, checked(DEPTH, "a cut", value))
    if isinstance(ranker, Parameters):
        for declared in ranker.declared():
            yield from _parameter(ranker, declared, at)
    for number, part in enumerate(ranker.rankers):
        yield from _inside(ranker, number, part, (*way, number))


def _inside(whole: Ranker, number: int, part: Ranker, way: tuple[int, ...]) -> Iterator[tuple[Place, Change]]:
    """Yield the places of one part of a ranker; each part of a mixture has a weight, 1 unless it is said."""

    def put(changed: Ranker) -> Ranker:
        parts = list(whole.rankers)
        parts[number] = changed
        return whole.made_of(parts)

    if isinstance(whole, Sum) and not _says_weight(part):
        place = _weight(part, "/".join(map(str, way)), 1.0)
        yield place, lambda value: whole if value == 1 else put(Scaled(value, part))
    for place, change in _places(part, way):
        yield place, _then(change, put)


def _then(change: Change, put: Callable[[Ranker], Ranker]) -> Change:
    """Return a change of a part, and what puts the part into the whole, as one."""
    return lambda value: put(change(value))


def _says_weight(part: Ranker) -> bool:
    """Tell whether a part has its weight already, perhaps inside a cut: `2*bm25 % 100`."""
    while isinstance(part, Cut):
        part = part.ranker
    return isinstance(part, Scaled)


def _weight(of: Ranker, at: str, value: float) -> Place:
    high = min(max(_nice(2 * value), 1.0), WEIGHT.most)
    return Place(
        f"{at}*", "weight", f"weight of {_short(of)}", value, 0.0, high, _step(high), "how much its score counts"
    )


def _parameter(ranker: Ranker, declared: Parameter, at: str) -> Iterator[tuple[Place, Change]]:
    """Yield the place of a parameter that is a number."""
    value, kind, default = getattr(ranker, declared.name), declared.kind, declared.default
    if value is None or not isinstance(kind, Number | Whole):
        return
    usual = value if default is None else default
    low, high, step = (
        _whole_range(kind, value, usual) if isinstance(kind, Whole) else _number_range(kind, value, usual)
    )
    label = f"{declared.name} of {_short(ranker)}"
    place = Place(f"{at}[{declared.name}]", "parameter", label, value, low, high, step, declared.help)
    made: Any = ranker  # a frozen record of declared parameters
    yield place, lambda value: replace(made, **{declared.name: value})


def _number_range(kind: Number | OptionalNumber, value: float, usual: float) -> tuple[float, float, float]:
    """Return between what a number is moved, and by how much: as declared, or around what is usual if too wide."""
    high = kind.most
    if high - kind.least > NARROW:
        high = min(high, _nice(4 * max(abs(value), abs(usual), 0.25)))
    step = _step(high - kind.least)
    low = _first(kind.least, step)
    if kind.open and low == kind.least:
        low = _rounded(low + step, step)
    return min(low, value), max(high, value), step


def _whole_range(kind: Whole, value: int, usual: int) -> tuple[int, int, int]:
    """Return the same for a whole number."""
    high = min(kind.most, int(_nice(4 * max(value, usual, 1))))
    step = max(int(_step(high - kind.least)), 1)
    return min(int(_first(kind.least, step)), value), max(high, value), step


def _nice(number: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, … (and .5, .2, …) that is not below a number; 0 for 0."""
    if number <= 0:
        return 0.0
    power = math.floor(math.log10(number))
    return next(
        (nice for times in (1, 2, 5) if (nice := float(f"{times}e{power}")) >= number), float(f"1e{power + 1}")
    )


def _step(span: float) -> float:
    """Return a power of ten of which a range has at least a hundred, but for a tenth part."""
    return float(f"1e{math.floor(math.log10(span / STEPS * 1.000001))}") if span > 0 else 1.0


def _first(least: float, step: float) -> float:
    """Return the first multiple of a step that is not below a bound: sliders stop at round numbers."""
    return _rounded(math.ceil(least / step) * step, step)


def _rounded(number: float, step: float) -> float:
    return round(number, max(0, -math.floor(math.log10(step))))


def _short(ranker: Ranker) -> str:
    """Return the name of a ranker, or the text of an expression as far as a label has room."""
    text = ranker.name if isinstance(ranker, Parameters) and not ranker.rankers else str(ranker)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
