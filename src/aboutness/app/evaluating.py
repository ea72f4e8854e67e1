"""Measuring runs that others made, and testing how they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.corrections import CORRECTIONS, adjusted
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.evaluate.intervals import Interval, bootstrap
from aboutness.evaluate.measures import DEFAULT_MEASURES, known_measures
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.pairs import PAIR_TESTS, Pairs, all_pairs, r_table
from aboutness.evaluate.rank_tests import critical_difference
from aboutness.evaluate.run_lines import read_scores
from aboutness.evaluate.runs import Ranked
from aboutness.evaluate.significance import TESTS, Tested, compare_evaluations, values_of
from aboutness.experiment.parts import Judged, judgements_of
from aboutness.frames.frame import Frame, frame_of, is_frame
from aboutness.frames.runs import run_from_frame

if TYPE_CHECKING:
    from ir_measures import Measure

__all__ = [
    "DEFAULT_MEASURES", "EvaluatedRun", "EvaluatedRuns", "Pairs", "critical_difference", "evaluate_run",
    "evaluate_runs", "is_of_all", "known_measures", "pairs_of_runs", "r_table",
]  # fmt: skip


AnyRun: TypeAlias = str | Path | Mapping[str, Ranked] | Frame


@dataclass(frozen=True)
class EvaluatedRun:
    """A run file and how good it is; and, where it was tested, the result by test and measure."""

    name: str
    evaluation: Evaluation
    against: str | None = None  # the run that it was tested against
    tests: dict[str, dict[str, Tested]] = field(default_factory=dict)
    adjusted: dict[str, float] = field(default_factory=dict)  # p by measure, corrected for the number of runs
    intervals: dict[str, Interval] = field(default_factory=dict)  # of the means
    differences: dict[str, Interval] = field(default_factory=dict)  # of the means less those of the other run

    def to_json(self) -> dict[str, Any]:
        """Return the means, their deviations, and the tests, in plain values."""
        found = self.evaluation
        return {
            "run": self.name,
            "queries": found.queries,
            "unanswered": len(found.unanswered),
            "unjudged": len(found.unjudged),
            "without_relevant": len(found.without_relevant),
            **found.mean,
            "deviation": found.deviation,
            **({"against": self.against} if self.against is not None else {}),
            **{
                test: {
                    measure: {**result.to_json(), "adjusted": self.adjusted[measure]}
                    for measure, result in results.items()
                }
                for test, results in self.tests.items()
            },
            **{
                name: {measure: interval.to_json() for measure, interval in intervals.items()}
                for name, intervals in (("intervals", self.intervals), ("differences", self.differences))
                if intervals
            },
        }


class EvaluatedRuns(list[EvaluatedRun]):
    """Several runs that were measured alike."""

    def to_frame(self) -> Frame:
        """Return a data frame with a row for each run: its name, the mean of each measure and, where runs were
        tested against the first, the corrected p of each as `p (measure)`.
        """
        rows = [
            {"run": one.name, "queries": one.evaluation.queries, **one.evaluation.mean}
            | {f"p ({measure})": p for measure, p in one.adjusted.items()}
            for one in self
        ]
        return frame_of(rows, ["run", "queries", *(self[0].evaluation.measures if self else ())])


def evaluate_run(
    qrels: Judged,
    run: AnyRun,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str | None = None,
) -> Evaluation:
    """Measure a run by judgements, each a file, a mapping by query or a data frame, as `trec_eval -c` does.

    >>> print(evaluate_run({"q": {"d1": 1, "d2": 1}}, {"q": {"d3": 2.0, "d2": 1.5}}, "AP,RR").mean)
    {'AP': 0.25, 'RR': 0.5}
    """
    chosen = parse_measures(measures, convention)
    return evaluate(judgements_of(qrels), _scores(run), chosen)


def _scores(run: AnyRun) -> Mapping[str, Ranked]:
    """Return rankings by query, from a file, a data frame, or as they are."""
    if is_frame(run):
        return run_from_frame(run)
    if isinstance(run, str | Path):
        return read_scores(run)
    if not isinstance(run, Mapping):
        raise UsageError(f"a run must be a file, a data frame or rankings by query, got {shown(run)}")
    return run


def evaluate_runs(
    qrels: Judged,
    runs: Sequence[AnyRun] | Mapping[str, AnyRun],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: str | None = None,
    test: str | None = None,
    correction: str = "holm",
    interval: bool = False,
) -> EvaluatedRuns:
    """Measure runs by judgements, each in a file (or a collection's folder), as `trec_eval -c` does.

    Runs and judgements may also be data frames, or mappings by query. Runs have the names of their files or, where
    `runs` is a mapping, those that they have there; others are called "run 1", "run 2" and so on.

    With a test ("fisher", "t", "wilcoxon", "sign"), all runs but the first are tested against the first one, by
    each measure, and p is corrected for how many they are. With `interval`, there are 95 % intervals of all means,
    and of the differences that are tested. `convention` is as in `evaluate`.

    >>> judged = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> runs = {"good": {"q1": {"d1": 2.0}, "q2": {"d3": 1.0}}, "bad": {"q1": {"d2": 2.0, "d1": 1.0}}}
    >>> [(one.name, one.evaluation.mean) for one in evaluate_runs(judged, runs, "AP")]
    [('good', {'AP': 1.0}), ('bad', {'AP': 0.25})]
    """
    known = None if test is None else TESTS[test]
    _ = CORRECTIONS[correction]
    if known is not None:
        _at_least_two(runs)
    chosen = parse_measures(measures, convention)
    judged = judgements_of(qrels)
    found = [EvaluatedRun(name, evaluate(judged, _scores(run), chosen)) for name, run in _named(runs)]
    if interval:
        found = [replace(one, intervals=_intervals(one.evaluation)) for one in found]
    if test is None:
        return EvaluatedRuns(found)
    first, *others = found
    results = [compare_evaluations(one.evaluation, first.evaluation, test) for one in others]
    corrected = {
        name: adjusted([result[name].p_value for result in results], correction).tolist()
        for name in first.evaluation.measures
    }
    compared = [
        replace(
            one,
            against=first.name,
            tests={test: result},
            adjusted={name: values[number] for name, values in corrected.items()},
            differences=_intervals(one.evaluation, first.evaluation) if interval else {},
        )
        for number, (one, result) in enumerate(zip(others, results, strict=True))
    ]
    return EvaluatedRuns([first, *compared])


def _named(runs: Sequence[AnyRun] | Mapping[str, AnyRun]) -> list[tuple[str, AnyRun]]:
    """Return runs with their names."""
    if isinstance(runs, Mapping):
        return list(runs.items())
    if isinstance(runs, str | Path) or is_frame(runs):
        got = "a data frame" if is_frame(runs) else shown(runs)
        raise UsageError(f"evaluate_runs takes a list of runs, got {got}; evaluate_run takes one")
    return [
        (str(run) if isinstance(run, str | Path) else f"run {number}", run) for number, run in enumerate(runs, 1)
    ]


def pairs_of_runs(
    found: Sequence[EvaluatedRun], test: str = "fisher", correction: str = "holm"
) -> dict[str, Pairs]:
    """Test each of several runs that were measured alike against each, by each measure."""
    _at_least_two(found)
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise UsageError("a run is named twice; to test all pairs, name each once")
    return {
        measure: all_pairs(
            {one.name: values_of(one.evaluation, measure) for one in found},
            measure=measure,
            test=test,
            correction=correction,
        )
        for measure in found[0].evaluation.measures
    }


def is_of_all(test: str) -> bool:
    """Tell whether a test is one of all runs together only; raise UsageError for one that is unknown."""
    return PAIR_TESTS[test] is not None and test not in TESTS


def _at_least_two(runs: Sized) -> None:
    if len(runs) < 2:
        raise UsageError(f"a test compares runs with each other: name at least two, got {len(runs)}")


def _intervals(one: Evaluation, other: Evaluation | None = None) -> dict[str, Interval]:
    """Return the interval of each mean, or of its difference from the other's."""
    return {
        name: bootstrap(values_of(one, name), None if other is None else values_of(other, name))
        for name in one.measures
    }
