"""Two pictures of a measure: what the place of one document is worth, and what whole rankings are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from aboutness.app.evaluating import evaluate_run
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import BLUE, INK, drawn, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 4.2, 2.7  # inches
DEPTH = 20  # documents of a ranking
PLACES = tuple(range(1, DEPTH + 1))
TO_FIND = 3  # documents, of which one is found
BEST = "aabb" + "-" * 16
ORDERS = {
    "the best order": BEST,
    "relevant first, lowest grade first": "bbaa" + "-" * 16,
    "every second relevant": "a-a-b-b-" + "-" * 12,
    "first one relevant, others last": "a" + "-" * 16 + "abb",
    "the best order, half of the rest not judged": "aabb" + "-?" * 8,
    "half of them not found": "ab" + "-" * 18,
    "the worst order": "-" * 16 + "bbaa",
}
"""Rankings, from the first rank on: a has grade 2, b grade 1, - grade 0, ? none."""
GRADES = {"a": 2, "b": 1, "-": 0}


def measure_pictures(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the pictures of a measure as SVG, each with what stands below it; `name` begins their ids."""
    yield (
        inline_svg(places_figure(by_place(text)), f"{name}-places", f"{text} by the rank of a relevant document"),
        f"`{text}` by the rank of the only relevant document found, of {TO_FIND}; {DEPTH} documents are ranked.",
    )
    yield (
        inline_svg(orders_figure(by_order(text)), f"{name}-orders", f"{text} of rankings of the same documents"),
        f"`{text}` of rankings of {DEPTH} documents: two have grade 2, two grade 1, the others 0 or none.",
    )


def by_place(text: str) -> list[float]:
    """Return a measure's value when the relevant document is first, second, …"""
    missing = {f"missing-{number}": 1 for number in range(1, TO_FIND)}
    return _values(
        text,
        [{f"d{rank}": int(rank == place) for rank in PLACES} | missing for place in PLACES],
    )


def by_order(text: str) -> list[float]:
    """Return a measure's value for each of the rankings."""
    every = [
        {f"d{rank}": GRADES[one] for rank, one in zip(PLACES, order, strict=True) if one in GRADES}
        for order in ORDERS.values()
    ]
    return _values(text, [grades | _missing(grades) for grades in every])


def _missing(grades: Mapping[str, int]) -> dict[str, int]:
    """Return the documents with a grade that the best order has and this one has not."""
    return {
        f"missing-{letter}-{number}": GRADES[letter]
        for letter in "ab"
        for number in range(BEST.count(letter) - list(grades.values()).count(GRADES[letter]))
    }


def _values(text: str, judged: Sequence[Mapping[str, int]]) -> list[float]:
    qrels = {f"{number:02}": dict(grades) for number, grades in enumerate(judged)}
    run = {query: {f"d{rank}": -float(rank) for rank in PLACES} for query in qrels}
    measured = evaluate_run(qrels, run, [text]).per_query
    return [value for query in qrels for value in measured[query].values()]


@drawn
def places_figure(values: Sequence[float]) -> Figure:
    """Return the value by the rank of the relevant document."""
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    axis.plot(PLACES, values, color=BLUE, marker="o", markersize=4)
    axis.set_ylim(-0.03, 1.03)
    axis.set_xticks([1, *range(5, DEPTH + 1, 5)])
    axis.set_xlabel("rank of the relevant document")
    axis.set_ylabel("value")
    return figure


@drawn
def orders_figure(values: Sequence[float]) -> Figure:
    """Return a bar for each ranking."""
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    axis.barh(range(len(values)), values, color=BLUE, height=0.62)
    for place, value in enumerate(values):
        axis.annotate(
            f"{value:.3f}", (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8, color=INK
        )
    axis.set_yticks(range(len(ORDERS)), [name.replace(", ", ",\n") for name in ORDERS], fontsize=8)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(0, 1.2)
    axis.set_xticks([0, 0.5, 1])
    axis.set_xlabel("value")
    return figure
