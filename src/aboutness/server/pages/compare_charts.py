"""Where the marks of the comparing page's pictures stand: numbers for templates, which draw them as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aboutness.app.compared import Box, Curve, QueryValues
from aboutness.app.two_rankings import OneRanking

LOOKS = 8  # rankers that can be told apart in one picture
MOST_BARS = 300
SIZE = 4.0  # of a mark, from its middle


@dataclass(frozen=True)
class Tick:
    """A number at an axis."""

    place: float
    text: str


@dataclass(frozen=True)
class Frame:
    """A picture's size, and the place of its axes in it."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    def x(self, share: float) -> float:
        """Return how far to the right a share of the horizontal axis is."""
        return round(self.left + share * (self.right - self.left), 2)

    def y(self, share: float) -> float:
        """Return how far down a share of the vertical axis is."""
        return round(self.bottom - share * (self.bottom - self.top), 2)


def ticks(highest: float, most: int = 5) -> list[float]:
    """Return round numbers from 0 to the highest or just above it.

    >>> ticks(0.43), ticks(1.0), ticks(0.0)
    ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    highest = highest if highest > 0 else 1.0
    rough = highest / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * one for one in (1, 2, 2.5, 5, 10) if size * one >= rough * (1 - 1e-9))
    return [round(step * number, 10) for number in range(math.ceil(round(highest / step, 9)) + 1)]


def told(value: float) -> str:
    """Return a number of an axis.

    >>> told(0.2), told(1.0), told(0.25)
    ('0.2', '1', '0.25')
    """
    return f"{value:g}"


@dataclass(frozen=True)
class Mark:
    """One number in a picture."""

    x: float
    y: float
    path: str
    text: str


@dataclass(frozen=True)
class CurveDrawn:
    """A ranker's curve."""

    look: int
    ranker: str
    letter: str
    path: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class CurvesDrawn:
    """Precision over recall."""

    frame: Frame
    across: tuple[Tick, ...]
    upwards: tuple[Tick, ...]
    places: tuple[float, ...]  # of the points of recall
    curves: tuple[CurveDrawn, ...]


def mark_path(look: int, x: float, y: float, size: float = SIZE) -> str:
    """Return the outline of a mark: circle, square, triangle or diamond; colour is not all that differs."""
    s = size
    shapes = (
        f"M{x - s:g} {y:g}a{s:g} {s:g} 0 1 0 {2 * s:g} 0a{s:g} {s:g} 0 1 0 {-2 * s:g} 0z",
        f"M{x - s:g} {y - s:g}h{2 * s:g}v{2 * s:g}h{-2 * s:g}z",
        f"M{x:g} {y - s:g}l{s:g} {2 * s:g}h{-2 * s:g}z",
        f"M{x:g} {y - 1.3 * s:g}l{1.3 * s:g} {1.3 * s:g}l{-1.3 * s:g} {1.3 * s:g}l{-1.3 * s:g} {-1.3 * s:g}z",
    )
    return shapes[look % len(shapes)]


def draw_curves(curves: Sequence[Curve], recall: Sequence[float], letters: Mapping[str, str]) -> CurvesDrawn:
    """Place the curves of up to eight rankers."""
    frame = Frame(width=440, height=300, left=44, right=428, top=12, bottom=252)
    upwards = ticks(max((max(curve.precision) for curve in curves), default=1.0))
    highest = upwards[-1]
    drawn = []
    for look, curve in enumerate(curves):
        places = [
            (frame.x(point), frame.y(value / highest))
            for point, value in zip(recall, curve.precision, strict=True)
        ]
        marks = tuple(
            Mark(x, y, mark_path(look, x, y), f"{curve.ranker}: precision {value:.4f} at recall {told(point)}")
            for (x, y), point, value in zip(places, recall, curve.precision, strict=True)
        )
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in places)
        drawn.append(CurveDrawn(look, curve.ranker, letters[curve.ranker], path, marks))
    return CurvesDrawn(
        frame,
        tuple(Tick(frame.x(one), told(one)) for one in ticks(1.0)),
        tuple(Tick(frame.y(one / highest), told(one)) for one in upwards),
        tuple(frame.x(one) for one in recall),
        tuple(drawn),
    )


@dataclass(frozen=True)
class BoxDrawn:
    """A ranker's box, lying."""

    look: int
    ranker: str
    letter: str
    label: float  # how far down its name stands
    top: float
    middle: float
    height: float
    lower: float
    upper: float
    median: float
    mean: str  # the outline of a mark
    whiskers: tuple[float, float]
    outside: tuple[float, ...]
    numbers: str
    text: str


@dataclass(frozen=True)
class BoxesDrawn:
    """How values are spread, a box for each ranker."""

    frame: Frame
    across: tuple[Tick, ...]
    boxes: tuple[BoxDrawn, ...]


def draw_boxes(boxes: Sequence[Box], letters: Mapping[str, str]) -> BoxesDrawn:
    """Place the boxes of up to eight rankers below each other, each under its name."""
    row, label, high, top = 44, 14, 16, 4
    bottom = top + row * len(boxes) + 4
    frame = Frame(width=440, height=bottom + 44, left=14, right=426, top=top, bottom=bottom)
    across = ticks(max(max((box.highest for box in boxes), default=1.0), 1e-9))
    highest = across[-1]
    drawn = []
    for look, box in enumerate(boxes):
        down = top + row * look
        middle = down + label + 5 + high / 2
        low, end = box.whiskers
        drawn.append(
            BoxDrawn(
                look, box.ranker, letters[box.ranker], down + label, middle - high / 2, middle, high,
                frame.x(box.lower / highest), frame.x(box.upper / highest), frame.x(box.median / highest),
                mark_path(3, frame.x(box.mean / highest), middle),
                (frame.x(low / highest), frame.x(end / highest)),
                tuple(frame.x(one / highest) for one in box.outside),
                f"median {box.median:.3f}, mean {box.mean:.3f}",
                f"{box.ranker}: lowest {box.lowest:.4f}, quartiles {box.lower:.4f} and {box.upper:.4f}, "
                f"median {box.median:.4f}, mean {box.mean:.4f}, highest {box.highest:.4f}",
            )
        )  # fmt: skip
    return BoxesDrawn(frame, tuple(Tick(frame.x(one / highest), told(one)) for one in across), tuple(drawn))


@dataclass(frozen=True)
class Bar:
    """One query: how much better one ranker is than another, in a picture that is 200 high."""

    query: str
    text: str
    first: float
    second: float
    difference: float
    x: int
    y: float
    height: float

    @property
    def side(self) -> str:
        """Return who wins."""
        return "first" if self.difference > 0 else "second" if self.difference < 0 else "same"


@dataclass(frozen=True)
class BarsDrawn:
    """Two rankers query by query, from the most won to the most lost."""

    bars: tuple[Bar, ...]
    left_out: int  # queries in the middle for which there is no room
    largest: float
    won: int
    lost: int
    same: int


def draw_bars(values: Sequence[QueryValues], first: int, second: int) -> BarsDrawn:
    """Place a bar for each query; `first` and `second` are the places of the two rankers."""
    order = sorted(values, key=lambda one: (one.values[second] - one.values[first], one.query))
    apart = [one.values[first] - one.values[second] for one in order]
    largest = max(map(abs, apart), default=0.0) or 1.0
    half = MOST_BARS // 2
    shown = order if len(order) <= MOST_BARS else [*order[:half], *order[-half:]]
    bars = []
    for x, one in enumerate(shown):
        a, b = one.values[first], one.values[second]
        height = round(abs(a - b) / largest * 96, 2)
        y = 100 - height if a > b else 100
        bars.append(Bar(one.query, one.text, a, b, a - b, x, round(y, 2), height))
    won, lost = sum(one > 0 for one in apart), sum(one < 0 for one in apart)
    return BarsDrawn(tuple(bars), len(order) - len(shown), largest, won, lost, len(apart) - won - lost)


@dataclass(frozen=True)
class Move:
    """A line from a document's place in one ranking to that in another, in rows of ten."""

    document: str
    start: int
    end: int
    kind: str  # of its grade
    pair: int  # a number that both places share


def draw_moves(a: OneRanking, b: OneRanking) -> tuple[Move, ...]:
    """Place a line for each document that both rankings show."""
    there = {one.document: one.rank for one in b.documents}
    return tuple(
        Move(one.document, 10 * one.rank - 5, 10 * there[one.document] - 5, grade_kind(one.grade), number)
        for number, one in enumerate(a.documents)
        if one.document in there
    )


def grade_kind(grade: int | None) -> str:
    """Return how a grade is shown."""
    return "unjudged" if grade is None else "relevant" if grade > 0 else "irrelevant"
