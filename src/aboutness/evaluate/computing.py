"""Measures computed by ir_measures' providers, which are shown ranks in place of ids and scores.

The providers do not agree on the order of documents with the same score, and the one that wraps trec_eval ends
the process over ids with a zero character, empty rankings, and queries with negative grades only. So they get
numbers for queries and documents, scores that fall with the rank, and no query that would be fatal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadInput, UsageError
from aboutness.evaluate.judgements import LARGEST_GRADE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ir_measures import Measure

PROVIDERS = ("pytrec_eval", "judged", "msmarco", "compat")
"""Those we use; the first that can compute a measure does.

Not among them: accuracy, which divides by zero where all that was found is relevant; gdeval, which needs
Perl, rounds to five digits and refuses grades above 4; and those that would need another package.
"""


def load_ir_measures() -> Any:  # noqa: ANN401 - the package has few types
    """Return the package ir_measures, which is imported when it is first used."""
    try:
        import ir_measures
    except ImportError:
        raise UsageError("evaluation needs ir_measures; install it with: pip install ir-measures") from None
    return ir_measures


def is_computable(measure: Measure) -> bool:
    """Tell whether the measure is one that `values` can compute, and one whose mean over queries makes sense."""
    if not isinstance(measure.aggregator(), load_ir_measures().MeanAgg):
        return False
    if _is_exponential(measure) and "gains" in measure.params:
        return False
    return bool(_providers().supports(_as_computed(measure, 1)))


def values(
    judged: Sequence[Mapping[str, int]], ranked: Sequence[Sequence[str]], measures: Iterable[Measure]
) -> list[dict[str, float]]:
    """Return the values of the measures for each query, given its grades and its documents, best first.

    No query may be without either, and no document may be ranked twice.
    """
    highest = max((grade for grades in judged for grade in grades.values()), default=0)
    runs = {count: _run(count) for count in set(map(len, ranked))}
    run = {str(query): runs[len(documents)] for query, documents in enumerate(ranked)}
    qrels = {
        str(query): _numbered(grades, documents)
        for query, (grades, documents) in enumerate(zip(judged, ranked, strict=True))
    }
    found: list[dict[str, float]] = [{} for _ in judged]
    measures = tuple(measures)
    for group in _groups(measures) if run else ():
        names = {_as_computed(measure, highest): str(measure) for measure in group}
        for metric in _providers().iter_calc(list(names), qrels, run):
            found[int(metric.query_id)][names[metric.measure]] = float(metric.value)
    return [{str(measure): row[str(measure)] for measure in measures} for row in found]


def _run(count: int) -> dict[str, float]:
    # All above zero, for "compat" takes zero as the score of what was not retrieved.
    return {str(rank): float(count - rank) for rank in range(count)}


def _numbered(grades: Mapping[str, int], documents: Sequence[str]) -> dict[str, int]:
    """Return the grades under the ranks of the documents, and under other names where there is no rank."""
    ranks = {document: rank for rank, document in enumerate(documents) if document in grades}
    numbered = {str(ranks.get(document, -1 - n)): grade for n, (document, grade) in enumerate(grades.items())}
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
