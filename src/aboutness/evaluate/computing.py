"""Measures computed by our formulas and, where we have none, by ir_measures' providers.

The providers do not agree on the order of documents with the same score, and the one that wraps trec_eval ends
the process over ids with a zero character, empty rankings, and queries with negative grades only. So they get
numbers for queries and documents, scores that fall with the rank, and no query that would be fatal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aboutness.core.errors import BadInput
from aboutness.evaluate.conventions import conventional
from aboutness.evaluate.formulas import FORMULAS, Floats, Formula
from aboutness.evaluate.judgements import LARGEST_GRADE
from aboutness.evaluate.own_measures import load_ir_measures
from aboutness.evaluate.places import NOWHERE, Ints, Places

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ir_measures import Measure

PROVIDERS = ("pytrec_eval", "judged", "compat")
"""Those we use; the first that can compute a measure does.

Not among them: accuracy, which divides by zero where all that was found is relevant; gdeval, which needs
Perl, rounds to five digits and refuses grades above 4; and those that would need another package.
"""


def is_computable(measure: Measure) -> bool:
    """Tell whether the measure is one that `values` can compute, and one whose mean over queries makes sense."""
    if not isinstance(measure.aggregator(), load_ir_measures().MeanAgg):
        return False
    if _is_exponential(measure) and "gains" in measure.params:
        return False
    if formula(measure) is not None:
        return True
    return "convention" not in measure.params and bool(_providers().supports(_as_computed(measure, 1)))


def values(places: Places, measures: Iterable[Measure]) -> dict[str, Floats]:
    """Return the values of each measure for all queries; those of a query without a ranking are 0."""
    highest = int(places.grade.max(initial=0))
    found: dict[str, Floats] = {}
    others: list[Measure] = []
    for measure in measures:
        computed = _as_computed(measure, highest)
        own = formula(computed)
        if own is None:
            others.append(measure)
            found[str(measure)] = np.zeros(places.queries)
        else:
            looked_at = places.judged_only() if computed.params.get("judged_only") else places
            found[str(measure)] = own(looked_at, computed.params)
    if others:
        _fill(found, places, others, highest)
    return found


def formula(measure: Measure) -> Formula | None:
    """Return our own formula for a measure, if there is one; a convention has its own."""
    if measure.params.get("convention"):
        return conventional(measure)
    if measure.params.get("relative"):
        return None
    return FORMULAS.get(str(measure.NAME))


def _fill(found: dict[str, Floats], places: Places, measures: Iterable[Measure], highest: int) -> None:
    """Fill in the values that the providers give."""
    ends = np.searchsorted(places.query, np.arange(places.queries), "right")
    runs = {count: _run(count) for count in set(places.ranked.tolist()) if count}
    run = {str(query): runs[count] for query, count in enumerate(places.ranked.tolist()) if count}
    qrels = {
        str(query): _numbered(places.rank[start:end], places.grade[start:end])
        for query, (start, end) in enumerate(zip([0, *ends], ends, strict=False))
        if str(query) in run
    }
    for group in _groups(measures) if run else ():
        names = {_as_computed(measure, highest): str(measure) for measure in group}
        for metric in _providers().iter_calc(list(names), qrels, run):
            found[names[metric.measure]][int(metric.query_id)] = float(metric.value)


def _run(count: int) -> dict[str, float]:
    # All above zero, for "compat" takes zero as the score of what was not retrieved.
    return {str(rank): float(count - rank) for rank in range(count)}


def _numbered(ranks: Ints, grades: Ints) -> dict[str, int]:
    """Return the grades under the ranks of the documents, and under other names where there is no rank."""
    numbered = {
        str(rank if rank < NOWHERE else -1 - n): grade
        for n, (rank, grade) in enumerate(zip(ranks.tolist(), grades.tolist(), strict=True))
    }
    # One that is not relevant and was never found changes no value, and keeps trec_eval from a crash.
    return numbered if max(numbered.values()) >= 0 else numbered | {"-": 0}


def _groups(measures: Iterable[Measure]) -> Iterable[list[Measure]]:
    """Return the measures by their parameters: ir_measures mixes up some that differ in them if asked at once."""
    groups: dict[str, list[Measure]] = {}
    for measure in measures:
        parameters = {name: value for name, value in measure.params.items() if name != measure.AT_PARAM}
        groups.setdefault(repr(sorted(parameters.items())), []).append(measure)
    return groups.values()


def _is_exponential(measure: Measure) -> bool:
    return measure.params.get("dcg") == "exp-log2"


def _as_computed(measure: Measure, highest: int) -> Measure:
    """Return the measure to ask for: in place of exponential gains the same gains written out."""
    if not _is_exponential(measure):
        return measure
    if 2**highest - 1 > LARGEST_GRADE:
        raise BadInput(
            f"{measure} doubles the gain with each grade, so that grades may be at most "
            f"{LARGEST_GRADE.bit_length()}, got {highest}"
        )
    gains = {grade: 2**grade - 1 for grade in range(1, highest + 1)}
    written_out: Measure = measure(dcg="log2", gains=gains)
    return written_out


def _providers() -> Any:  # noqa: ANN401
    providers = load_ir_measures().providers
    return providers.FallbackProvider([providers.registry[name] for name in PROVIDERS])
