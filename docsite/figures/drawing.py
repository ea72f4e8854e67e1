"""Pictures of what a ranker does on the small corpus: each is small, so that several fit beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aboutness.core.kinds import Choice
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import BLUE, INK, ORANGE, drawn, fitting, look, panels
from docsite.figures.shown import TIMES, Shown, Sweep
from docsite.figures.small_corpus import PASSAGES, QUERY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from aboutness.models.ranking import Part

WIDTH, HEIGHT = 4.2, 2.7  # inches
MOST_PARTS = 8
LABEL = 26  # characters in a line
WIDE = 20.0  # times the smallest value: the scale is logarithmic


def pictures(name: str, shown: Shown) -> Iterator[tuple[str, str]]:
    """Yield the pictures of a ranker as SVG, each with what stands below it."""
    told = f"the query “{QUERY}”"
    yield (
        inline_svg(passages_figure(shown), f"{name}-passages", f"Scores of five passages by {shown.ranker}"),
        f"Five passages among {shown.documents} documents, by `{shown.ranker}` for {told}: score, and rank.",
    )
    if len(shown.parts) > 1:
        yield (
            inline_svg(parts_figure(shown), f"{name}-parts", f"Parts of the score of {PASSAGES[0]}"),
            f"Why the passage {PASSAGES[0]} has its score: the largest parts of the explanation.",
        )
    if shown.by_count:
        yield (
            inline_svg(count_figure(shown), f"{name}-count", f"Score by how often {QUERY} is said"),
            f"The passage about elephants, of one length, when it says “{QUERY}” more and more often.",
        )
    if shown.sweep is not None:
        named = shown.sweep.parameter.name
        yield (
            inline_svg(sweep_figure(shown.sweep), f"{name}-sweep", f"Scores by {named}"),
            f"The same passages when `{named}` is changed (by default `{shown.sweep.parameter.default}`).",
        )


def side_by_side(drawings: Iterable[tuple[str, str]]) -> str:
    """Return HTML of pictures beside each other, each an SVG and what stands below it."""
    figures = (f"<figure>{svg}<figcaption>{_html(caption)}</figcaption></figure>" for svg, caption in drawings)
    return f'<div class="figures">{"".join(figures)}</div>'


def _html(caption: str) -> str:
    pieces = caption.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split("`")
    return "".join(f"<code>{piece}</code>" if place % 2 else piece for place, piece in enumerate(pieces))


@drawn
def passages_figure(shown: Shown) -> Figure:
    """Return a bar for each passage."""
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    scores = [shown.found[name][0] if name in shown.found else 0.0 for name in PASSAGES]
    colours = [look(number).colour for number in range(len(PASSAGES))]
    axis.barh(range(len(PASSAGES)), scores, color=colours, height=0.62)
    axis.axvline(0, color=INK, linewidth=0.8)
    low, high = min(0.0, *scores), max(0.0, *scores)
    room = (high - low or 1.0) * 0.75  # for the numbers
    axis.set_xlim(low - (room if low < 0 else 0.0), high + (room if high > 0 else 0.0))
    for place, (name, score) in enumerate(zip(PASSAGES, scores, strict=True)):
        text = f"{score:.3g}, rank {shown.found[name][1]}" if name in shown.found else "not found"
        side = -1 if score < 0 else 1
        axis.annotate(
            text, (score, place), (4 * side, 0), textcoords="offset points", va="center", fontsize=8,
            ha="right" if side < 0 else "left",
        )  # fmt: skip
    _labelled(axis, list(PASSAGES))
    axis.set_xlabel("score")
    return figure


@drawn
def parts_figure(shown: Shown) -> Figure:
    """Return a bar for each of the largest parts of an explanation, and one for the rest."""
    first = [(_one_line(part), part.value) for part in shown.parts[:MOST_PARTS]]
    rest = shown.parts[MOST_PARTS:]
    if rest:
        first.append((f"{len(rest)} others", math.fsum(part.value for part in rest)))
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    values = [value for _, value in first]
    axis.barh(range(len(first)), values, color=[BLUE if value >= 0 else ORANGE for value in values], height=0.62)
    axis.axvline(0, color=INK, linewidth=0.8)
    _labelled(axis, [name for name, _ in first])
    axis.set_xlabel("part of the score")
    return figure


@drawn
def count_figure(shown: Shown) -> Figure:
    """Return the score by how often a passage says the word of the query."""
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    axis.plot(TIMES, shown.by_count, color=look(PASSAGES.index(PASSAGES[-1])).colour, marker="o", markersize=4)
    axis.set_xlabel(f"times “{QUERY}” is said")
    axis.set_ylabel("score")
    return figure


@drawn
def sweep_figure(sweep: Sweep) -> Figure:
    """Return a line for each passage: its score by the value of a parameter."""
    figure, (axis,) = panels(1, columns=1, width=WIDTH, height=HEIGHT)
    parameter, values = sweep.parameter, list(sweep.values)
    chosen = isinstance(parameter.kind, Choice)
    places = list(range(len(values))) if chosen else values
    for number, name in enumerate(PASSAGES):
        found = [math.nan if score is None else score for score in sweep.scores[name]]
        one = look(number)
        axis.plot(
            places, found, color=one.colour, linestyle="" if chosen else one.dash, marker=one.marker, markersize=4
        )
    if chosen:
        axis.set_xticks(places, [fitting(str(value), 10) for value in values])
        axis.margins(x=0.12)
    else:
        if min(values) > 0 and max(values) / min(values) > WIDE:
            _logarithmic(axis, values, parameter.default)
        axis.axvline(parameter.default, color=INK, linewidth=0.8, linestyle=":")
    axis.set_xlabel(parameter.name)
    axis.set_ylabel("score")
    return figure


def _logarithmic(axis: Axes, values: list[float], default: float) -> None:
    from matplotlib.ticker import NullLocator

    axis.set_xscale("log")
    axis.set_xlim(min(values) / 1.1, max(values) * 1.1)
    ticks = [min(values), default, max(values)]
    axis.set_xticks(ticks, [f"{value:g}" for value in ticks])
    axis.xaxis.set_minor_locator(NullLocator())


def _one_line(part: Part) -> str:
    """Return the name of a part, and by which ranker it is, as far as there is room."""
    told = f"{part.name} ({part.by})" if part.by else part.name
    return told if len(told) <= LABEL else f"{told[: LABEL - 1]}…"


def _labelled(axis: Axes, names: list[str]) -> None:
    """Name the bars, the first at the top."""
    axis.set_yticks(range(len(names)), [fitting(name, LABEL, lines=2) for name in names], fontsize=8)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)
    axis.locator_params(axis="x", nbins=5)
