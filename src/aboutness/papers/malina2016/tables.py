"""The tables of what was measured: the corpus, max F1, precision over recall, and parts of the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aboutness.experiment.collection import Collection
from aboutness.papers.malina2016.measured import EARLY, FIRST, Floats, Measured, Mission
from aboutness.papers.malina2016.methods import (
    DEEPWALK,
    DEEPWALK_WEIGHTED,
    DOC2VEC_WEIGHTED,
    OTHERS,
    SEVEN,
    SHIFTED,
    WALKS,
    Method,
    names,
)
from aboutness.papers.malina2016.modapte import SAME_LABEL as GRADE
from aboutness.papers.malina2016.modapte import ModApte
from aboutness.papers.malina2016.shapes import EVEN, Shape
from aboutness.papers.malina2016.testing import PAPER, against
from aboutness.papers.printed import beside, mean_and_deviation, with_best
from aboutness.report.numbers import LEVEL, signed, told_p
from aboutness.report.study import Cell, Sheet, Value

SAME_LABEL, SAME_GROUP = "same label", "same group"
STAR = "*"
# How far numbers may move on another machine, where training rounds otherwise: two to ten times as far as another
# seed of the training moved them. Some groups have few queries.
MEANS, POINTS = 0.01, 0.02
MEANS_OF_GROUPS, EARLY_OF_GROUPS = 0.03, 0.07
COUNTERPARTS = {
    WALKS.name: DEEPWALK.name,
    SHIFTED[0].name: DOC2VEC_WEIGHTED.name,
    SHIFTED[1].name: DEEPWALK_WEIGHTED.name,
}


def corpus_sheet(corpus: ModApte, on: Collection) -> Sheet:
    """Return how many documents there are, of which kinds."""
    documents, only = len(corpus.documents), on.only or frozenset()
    counts = {
        "documents of the split, with or without a category": corpus.in_split,
        "documents": documents,
        "single-label documents": corpus.single,
        "single-label documents, % of all": 100 * corpus.single / documents,
        "the same, where documents without a category count as such, % of the split": (
            100 * (corpus.single + corpus.without) / corpus.in_split
        ),
        "categories": len(corpus.categories),
        "query documents": len(on.hidden),
        "documents to be found": len(only - on.hidden),
        "queries whose label no document to be found has": sum(
            GRADE not in grades.values() for grades in on.qrels.values()
        ),
    }
    rows: dict[str, list[Cell]] = {
        name: [beside(PAPER, "corpus", name, "count", count)] for name, count in counts.items()
    }
    return Sheet(
        "The corpus",
        ["count"],
        rows,
        "ModApte with the categories that occur in both of its parts, read from the SGML files. All methods score "
        "0 on a query whose label no document to be found has.",
        corner="what is counted",
        digits=0,
        tolerance=0,
    )


def missions_of(found: Measured) -> dict[str, Mission]:
    """Return all queries by both missions, then those of each group."""
    return {SAME_LABEL: found.same_label, SAME_GROUP: found.same_group, **found.groups}


def methods_sheet(every: Sequence[Method]) -> Sheet:
    """Return which ranker stands for which method."""
    return Sheet(
        "Methods",
        ["kind", "what it is", "ranker"],
        {one.name: [str(one.kind), one.about, one.ranker] for one in every},
        "By the paper's names. Each compares vectors by cosine; the ensembles add up rankings.",
        tolerance=None,
    )


def f1_sheet(found: Measured) -> Sheet:
    """Return mean and deviation of max F1 of the seven methods."""
    missions = missions_of(found)
    rows: dict[str, list[Cell]] = {
        name: [_mean(one.f1[name]) for one in missions.values()] for name in names(SEVEN)
    }
    return Sheet(
        "Max F1",
        [f"{name} ({len(one.queries):,})" for name, one in missions.items()],
        with_best(rows),
        "Mean (standard deviation) of the highest F1 of each query over its whole ranking. The first column is "
        "the first mission, all others are the second; in brackets how many queries. The paper prints no means.",
        tolerance=MEANS_OF_GROUPS,
    )


def others_sheet(found: Measured, seed: int) -> Sheet:
    """Return the same of methods that the paper does not have, each beside the one that it varies."""
    missions = missions_of(found)
    rows: dict[str, list[Cell]] = {}
    for name in names(OTHERS):
        usual = COUNTERPARTS[name]
        cells: list[Cell] = []
        for one in missions.values():
            p = against(one.f1_of([usual, name]), usual, seed)[name]
            cells.append(_mean(one.f1[name], STAR if p < LEVEL else ""))
        rows[name] = cells
    return Sheet(
        "Max F1 of further methods",
        list(missions),
        rows,
        f"As above, for what the paper leaves open. {STAR}: other than the method it varies, by Fisher's paired "
        "test at .05, not corrected.",
        tolerance=MEANS_OF_GROUPS,
    )


def others_told(found: Measured, seed: int) -> str:
    """Return in words how much further methods change max F1 on the first mission."""
    values = found.same_label.f1
    told = []
    for name, usual in COUNTERPARTS.items():
        p = against({one: values[one] for one in (usual, name)}, usual, seed)[name]
        difference = float(values[name].mean() - values[usual].mean())
        told.append(f"{name}, in place of {usual}: {signed(difference)} (paired p {told_p(p)})")
    return f"Mean max F1, same label. {'; '.join(told)}."


def curve_sheet(one: Mission, every: Sequence[str], name: str) -> Sheet:
    """Return mean interpolated precision at the paper's ten points of recall."""
    rows: dict[str, list[Cell]] = {method: [Value(here) for here in one.curve(method)] for method in every}
    return Sheet(
        name,
        [f"{point:.3f}" for point in FIRST],
        with_best(rows),
        "Interpolated precision of each query at ten points of recall from 0 to .1, mean of all queries. The "
        "paper shows these as figures only.",
        corner="recall",
        tolerance=POINTS,
    )


def early_sheet(found: Measured) -> Sheet:
    """Return mean interpolated precision over recall 0 to .1, for each group."""
    rows: dict[str, list[Cell]] = {
        name: [Value(float(one.segment(name, EARLY).mean())) for one in missions_of(found).values()]
        for name in names(SEVEN)
    }
    return Sheet(
        "Early precision",
        list(missions_of(found)),
        with_best(rows),
        "Mean interpolated precision over recall 0 to .1: the height of the paper's curves in one number.",
        tolerance=EARLY_OF_GROUPS,
    )


def shape_sheet(shapes: Mapping[str, Shape]) -> Sheet:
    """Return how many modes the distribution of max F1 has."""
    rows: dict[str, list[Cell]] = {
        name: [*(Value(p, shown=told_p(p)) for p in (one.one_mode, one.two_modes)), Value(one.sarle)]
        for name, one in shapes.items()
    }
    return Sheet(
        "The shape of max F1",
        ["p of one mode", "p of two modes", "Sarle's coefficient"],
        rows,
        "Silverman's test: p that max F1 comes from a distribution with at most one mode, and at most two. "
        f"Sarle's coefficient is {EVEN:.3f} for an even spread; it looks at skewness and kurtosis alone.",
        tolerance=None,
    )


def _mean(values: Floats, mark: str = "") -> Value:
    mean, deviation = mean_and_deviation(values.tolist())
    return Value(mean, deviation=deviation, mark=mark)
