"""The sections of the report."""

from __future__ import annotations

from collections.abc import Mapping

from aboutness.papers.malina2016 import curve_parts, decisions, figures, tables
from aboutness.papers.malina2016.claims import RULES
from aboutness.papers.malina2016.measured import Measured
from aboutness.papers.malina2016.methods import EVERY, PARTS, SEVEN, names
from aboutness.papers.malina2016.modapte import ModApte
from aboutness.papers.malina2016.run import Run
from aboutness.papers.malina2016.settings import settings_sheet
from aboutness.papers.malina2016.shapes import Shape
from aboutness.papers.malina2016.testing import ALL, Tests, dunn_cells
from aboutness.report.study import Part

PROTOCOL = (
    "All documents with a single label are indexed and trained on, queries too. Some of them, drawn by a seed, "
    "are the queries: each asks with its own vector, and none is ever found. Every other document is ranked for "
    "every query, and the whole ranking is measured."
)
PAIRED = (
    "The paper's tests take the seven values of a query for independent, though all methods answer the same "
    "queries. Paired tests see smaller differences."
)
ENSEMBLE = (
    "The paper proposes to combine methods. Here all that are combined count alike. The first two ensembles, of "
    "one method of each kind, were chosen before anything was measured; that of all seven was added when these "
    "were known, since it leaves no method to choose. So whether an ensemble helps is decided by other queries, "
    "which had no part in any choice."
)


def corpus_part(corpus: ModApte, run: Run, groups: Mapping[str, str], *, most: int, seed: int) -> Part:
    """Return what is searched, and by which methods; `most` documents are in the map."""
    return Part(
        "Corpus and methods",
        [
            PROTOCOL,
            tables.corpus_sheet(corpus, run.on),
            tables.methods_sheet(EVERY),
            figures.map_drawing(run.index, groups, most, seed),
        ],
    )


def rules_part() -> Part:
    """Return how claims are decided."""
    return Part("How claims are decided", [RULES])


def first_part(found: Measured, shapes: Mapping[str, Shape], seed: int) -> Part:
    """Return the first mission: curves, max F1 and its shape."""
    one = found.same_label
    return Part(
        "First mission: the same label",
        [
            tables.curve_sheet(one, names(SEVEN), "Precision over recall 0 to .1, same label"),
            *figures.first_mission_curves(one),
            tables.f1_sheet(found),
            tables.others_sheet(found, seed),
            tables.others_told(found, seed),
            figures.histogram_drawing(one),
            tables.shape_sheet(shapes),
        ],
    )


def second_part(found: Measured) -> Part:
    """Return the second mission, group by group."""
    return Part(
        "Second mission: the same group",
        [tables.early_sheet(found), *figures.group_curves(found), figures.box_drawing(found)],
    )


def tests_part(tests: Mapping[str, Tests]) -> Part:
    """Return the paper's tests beside its own."""
    some = with_table(tests)
    return Part(
        "The paper's tests",
        [
            decisions.kruskal_sheet(tests),
            decisions.agreement_sheet(tests),
            figures.agreement_drawing(some),
            *map(decisions.dunn_sheet, some),
        ],
    )


def paired_part(found: Measured, tests: Mapping[str, Tests], seed: int) -> Part:
    """Return paired tests, and parts of the curve."""
    return Part(
        "Paired tests, and parts of the curve",
        [
            PAIRED,
            decisions.decisions_sheet(tests),
            decisions.paired_sheet(tests[ALL]),
            curve_parts.segments_sheet(found.same_label, tables.SAME_LABEL, seed),
            curve_parts.segments_sheet(found.same_group, tables.SAME_GROUP, seed),
        ],
    )


def ensembles_part(found: Measured, fresh: Measured, seed: int) -> Part:
    """Return ensembles beside their parts and the best method."""
    return Part(
        "Ensembles",
        [
            ENSEMBLE,
            curve_parts.ensemble_sheet(found.same_label, tables.SAME_LABEL, [one.name for one in PARTS], seed),
            curve_parts.ensemble_sheet(found.same_group, tables.SAME_GROUP, [one.name for one in PARTS], seed),
            curve_parts.fresh_sheet(fresh, seed),
            figures.whole_curve_drawing("whole-label", found.same_label, "First mission, the whole curve."),
            figures.whole_curve_drawing("whole-group", found.same_group, "Second mission, the whole curve."),
        ],
    )


def settings_part(every: Mapping[str, Measured], seed: int) -> Part:
    """Return the same in other settings."""
    return Part("In other settings", [settings_sheet(every, seed)])


def p_values_part(tests: Mapping[str, Tests]) -> Part:
    """Return all p-values that the paper prints, beside ours."""
    return Part("All p-values of Dunn's test", list(map(decisions.dunn_p_sheet, with_table(tests))))


def with_table(tests: Mapping[str, Tests]) -> list[Tests]:
    """Return the tests of which the paper prints all pairs."""
    return [one for one in tests.values() if dunn_cells(one)]
