"""The flow of a Word Mover's Distance as a drawing: words of the query, words of the document, ribbons between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aboutness.app.explained import Flow
from aboutness.report.explained import shown_number

MOST_RIBBONS = 24
WIDTH, LEFT, RIGHT = 480.0, 150.0, 330.0  # of the drawing, and where its columns are
TALL = 220.0  # all that flows
GAP = 20.0  # between the words' middles at least
LONGEST_WORD = 18
SHADES = 5  # of distance


@dataclass(frozen=True)
class Node:
    """A word, where it stands, and how high its share is."""

    word: str
    full: str
    y: float
    height: float

    @property
    def middle(self) -> float:
        """Return where its text stands."""
        return round(self.y + self.height / 2, 1)


@dataclass(frozen=True)
class Ribbon:
    """What goes from a word to another."""

    path: str
    width: float
    shade: int  # 1 is near, 5 far
    says: str


@dataclass(frozen=True)
class Drawing:
    """A drawing of flows."""

    height: float
    sources: Sequence[Node]
    targets: Sequence[Node]
    ribbons: Sequence[Ribbon]
    left_out: int


def drawn(flows: Sequence[Flow]) -> Drawing:
    """Return the drawing of the greatest flows."""
    some = list(flows[:MOST_RIBBONS])
    order = {word: place for place, word in enumerate(dict.fromkeys(flow.word for flow in some))}
    some.sort(key=lambda flow: (order[flow.word], flow.distance))
    total = sum(flow.amount for flow in some) or 1.0
    scale = TALL / total
    columns = [
        _heights((flow.word, flow.amount * scale) for flow in some),
        _heights((flow.to, flow.amount * scale) for flow in some),
    ]
    height = max(sum(max(one + 4.0, GAP) for one in column.values()) for column in columns)
    sources, targets = (_column(column, height) for column in columns)
    farthest = max((flow.distance for flow in some), default=0.0) or 1.0
    at_source = {node.full: node.y for node in sources}
    at_target = {node.full: node.y for node in targets}
    ribbons = []
    for flow in some:
        size = flow.amount * scale
        y1, y2 = at_source[flow.word] + size / 2, at_target[flow.to] + size / 2
        at_source[flow.word] += size
        at_target[flow.to] += size
        middle = (LEFT + RIGHT) / 2
        ribbons.append(
            Ribbon(
                f"M{LEFT + 6:.0f} {y1:.1f}C{middle:.0f} {y1:.1f} {middle:.0f} {y2:.1f} {RIGHT - 6:.0f} {y2:.1f}",
                round(max(size, 1.0), 1),
                1 + min(int(flow.distance / farthest * SHADES), SHADES - 1),
                f"{flow.word} → {flow.to}: amount {shown_number(flow.amount)}, "
                f"distance {shown_number(flow.distance)}, cost {shown_number(flow.cost)}",
            )
        )
    return Drawing(round(height, 1), sources, targets, ribbons, len(flows) - len(some))


def _heights(sizes: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return for each word how high all is that flows through it."""
    heights: dict[str, float] = {}
    for word, size in sizes:
        heights[word] = heights.get(word, 0.0) + size
    return heights


def _column(heights: Mapping[str, float], height: float) -> list[Node]:
    """Return words below each other, with the room that is left divided among them; texts do not overlap."""
    rooms = [max(one + 4.0, GAP) - one for one in heights.values()]
    more = (height - sum(heights.values()) - sum(rooms)) / max(len(rooms), 1)
    nodes, y = [], 0.0
    for (word, own), room in zip(heights.items(), rooms, strict=True):
        short = word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"
        nodes.append(Node(short, word, round(y + (room + more) / 2, 1), round(own, 1)))
        y += own + room + more
    return nodes
