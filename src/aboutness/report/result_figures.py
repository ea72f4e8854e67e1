"""The figures of results: of one comparison of rankers, and of a sweep."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from aboutness.core.errors import UsageError, shown
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results import Results
from aboutness.experiment.sweep import Sweep
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.report.figures import curves, differences, spreads
from aboutness.report.kinds import figure_kind

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def chosen_rows(comparison: Comparison, rankers: Sequence[str] | None) -> Sequence[Row]:
    """Return the rows of some rankers by name, or all."""
    rows = {row.name: row for row in comparison.rows}
    if rankers is None:
        return comparison.rows
    return [rows[name] for name in dict.fromkeys(_row_name(comparison, rows, name) for name in rankers)]


def _row_name(comparison: Comparison, rows: Container[str], name: str) -> str:
    """Return the name of a row as the comparison has it: a ranker may be written in other ways, too."""
    if name in rows:
        return name
    with suppress(UsageError):
        wanted = str(named_ranker(name))
        for row in comparison.rows:
            if str(row.ranker) == wanted:
                return row.name
    names = ", ".join(row.name for row in comparison.rows)
    raise UsageError(f"{comparison.title} has no ranker {shown(name)}. It has: {names}")


def chosen_measure(comparison: Comparison, measure: str | None) -> str:
    """Return the name of a measure that the comparison has: the given one, or the first."""
    if measure is not None and measure not in comparison.measures:
        raise UsageError(
            f"{comparison.title} was not measured by {shown(measure)}. It was by: {', '.join(comparison.measures)}"
        )
    return measure or comparison.measures[0]


@figure_kind("pr", "precision at points of recall from 0 to 1, a line for each ranker", "results")
def draw_precision_recall(_: Results, comparison: Comparison, *, rankers: Sequence[str] | None = None) -> Figure:
    """Draw mean interpolated precision over recall."""
    return _precision_recall(comparison, rankers, curves.WHOLE)


@figure_kind("pr-zoom", "the same from 0 to 0.1: what is found first", "results")
def draw_first_recall(_: Results, comparison: Comparison, *, rankers: Sequence[str] | None = None) -> Figure:
    """Draw mean interpolated precision over the first tenth of recall."""
    return _precision_recall(comparison, rankers, curves.ZOOMED)


def _precision_recall(comparison: Comparison, rankers: Sequence[str] | None, recalls: Sequence[float]) -> Figure:
    return curves.precision_recall(mean_precision(comparison, rankers, recalls), recalls)


def mean_precision(
    comparison: Comparison, rankers: Sequence[str] | None, recalls: Sequence[float]
) -> dict[str, list[float]]:
    """Return for each ranker the mean of all queries' interpolated precision at points of recall."""
    from aboutness.evaluate.curves import precision_at_recall

    found = {
        row.name: precision_at_recall(comparison.qrels, row.run, recalls)
        for row in chosen_rows(comparison, rankers)
    }
    return {name: np.mean(list(by_query.values()), axis=0).tolist() for name, by_query in found.items()}


def largest_f1(comparison: Comparison, rankers: Sequence[str] | None) -> dict[str, dict[str, float]]:
    """Return for each ranker the largest F1 of each query."""
    from aboutness.evaluate.curves import max_f1

    return {row.name: max_f1(comparison.qrels, row.run) for row in chosen_rows(comparison, rankers)}


@figure_kind("f1-box", "box plots of each query's largest F1, also for groups of queries", "results")
def draw_boxes(
    _: Results,
    comparison: Comparison,
    *,
    rankers: Sequence[str] | None = None,
    groups: Mapping[str, str] | None = None,
) -> Figure:
    """Draw a box of max F1 for each ranker; with `groups` (a query's group by its id), for each group."""
    found = largest_f1(comparison, rankers)
    if groups is None:
        return spreads.box_plots({"": {name: list(values.values()) for name, values in found.items()}})
    queries = [query for query in comparison.qrels if query in groups]
    if not queries:
        raise UsageError(f"none of the {len(comparison.qrels):,} queries is in a group")
    names = sorted({groups[query] for query in queries})
    by_group = {
        group: {
            name: [value for query, value in values.items() if groups.get(query) == group]
            for name, values in found.items()
        }
        for group in names
    }
    return spreads.box_plots(by_group)


@figure_kind("f1-histogram", "how many queries have which largest F1", "results")
def draw_histograms(_: Results, comparison: Comparison, *, rankers: Sequence[str] | None = None) -> Figure:
    """Draw a histogram of max F1 for each ranker."""
    return spreads.histograms(
        {name: list(values.values()) for name, values in largest_f1(comparison, rankers).items()}
    )


@figure_kind("wins", "each query's difference to a baseline, sorted: queries won and lost", "results")
def draw_wins(
    results: Results,
    comparison: Comparison,
    *,
    rankers: Sequence[str] | None = None,
    measure: str | None = None,
    baseline: str | None = None,
) -> Figure:
    """Draw, for each other ranker, the differences to the baseline (that of the results, or the first ranker)."""
    name = chosen_measure(comparison, measure)
    own = results.baseline if results.baseline in [row.name for row in comparison.rows] else None
    (first,) = chosen_rows(comparison, [baseline or own or comparison.rows[0].name])
    others = [row for row in chosen_rows(comparison, rankers) if row.name != first.name]
    if not others:
        raise UsageError(f"there is no ranker to compare with {first.name}")
    values = first.evaluation.per_query
    lost_or_won = {
        row.name: [one[name] - values[query][name] for query, one in row.evaluation.per_query.items()]
        for row in others
    }
    return differences.wins(lost_or_won, first.name, name)


@figure_kind("significance", "all pairs of rankers: difference, sign and p", "results")
def draw_significance(
    results: Results, comparison: Comparison, *, rankers: Sequence[str] | None = None, measure: str | None = None
) -> Figure:
    """Draw what the test of the results says of all pairs of rankers."""
    from aboutness.evaluate.pairs import all_pairs

    name = chosen_measure(comparison, measure)
    rows = chosen_rows(comparison, rankers)
    if len(rows) < 2:
        raise UsageError(f"a test compares rankers: there must be at least two, got {len(rows)}")
    values = {row.name: {query: one[name] for query, one in row.evaluation.per_query.items()} for row in rows}
    pairs = all_pairs(
        values, measure=name, test=results.test, correction=results.correction, seed=results.made.seed
    )
    return differences.significance_matrix(pairs)


@figure_kind("alpha", "a measure over the values of a parameter, from a sweep (tune --train)", "tuning")
def draw_sweep(
    sweep: Sweep | Mapping[str, Any], *, parameter: str | None = None, measure: str | None = None
) -> Figure:
    """Draw the curve of a sweep over one parameter (the first); of several settings with one value, the best."""
    plain = sweep.to_json() if isinstance(sweep, Sweep) else sweep
    try:
        settings, best, by = plain["settings"], plain["best"], str(plain["measure"])
        known = [name for name, value in best["parameters"].items() if isinstance(value, int | float)]
        chosen, shown_measure = parameter or next(iter(known), ""), measure or by
        if chosen not in known:
            raise UsageError(
                f"the sweep has no parameter {shown(chosen)} with numbers. It has: {', '.join(known) or 'none'}"
            )
        if shown_measure not in best["train"] or shown_measure not in best["test"]:
            raise UsageError(f"the sweep has no measure {shown(shown_measure)}. It has: {', '.join(best['test'])}")
        of_value: dict[float, Mapping[str, Any]] = {}
        for one in settings:
            value = float(one["parameters"][chosen])
            if value not in of_value or one["train"][by] > of_value[value]["train"][by]:
                of_value[value] = one
        train, test = ([one[part][shown_measure] for one in of_value.values()] for part in ("train", "test"))
        return curves.sweep_curve(
            list(of_value), train, test, float(best["parameters"][chosen]), chosen, shown_measure
        )
    except (KeyError, TypeError, AttributeError):
        raise UsageError(
            "these are no results of a sweep; make some: aboutness tune COLLECTION -r RANKER --grid ... "
            "--train .5 -o DIR"
        ) from None
