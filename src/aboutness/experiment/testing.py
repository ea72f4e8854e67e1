"""Whether rankers of a comparison differ by more than chance: each against a baseline, or all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.corrections import CORRECTIONS
from aboutness.evaluate.pairs import PAIR_TESTS, Pairs, all_pairs
from aboutness.evaluate.rank_tests import ManyRankers
from aboutness.evaluate.significance import TESTS
from aboutness.experiment.compare import Comparison
from aboutness.rank.grammar import ranker as named_ranker


@dataclass(frozen=True)
class Tested:
    """One ranker against another by one measure."""

    measure: str
    ranker: str
    other: str
    difference: float  # of the means
    p: float
    adjusted: float  # p, corrected for the number of pairs that are tested
    effect: float


@dataclass(frozen=True)
class Tests:
    """The tests of a comparison."""

    test: str
    correction: str
    baseline: str | None
    why: str  # which test it is, and why
    rows: tuple[Tested, ...]
    omnibus: dict[str, ManyRankers] = field(default_factory=dict)  # by measure: of all rankers, where one was made

    def to_json(self) -> dict[str, Any]:
        """Return the tests in plain values."""
        plain = asdict(self) | {"rows": [asdict(row) for row in self.rows]}
        return plain if self.omnibus else {name: plain[name] for name in plain if name != "omnibus"}


def check_test(test: str, correction: str) -> None:
    """Raise where there is no such test, or no such correction."""
    _ = PAIR_TESTS[test], CORRECTIONS[correction]


def one_of(names: Sequence[str], baseline: str) -> str:
    """Return the ranker that is meant, by its name or its text, however that is written."""
    if baseline in names:
        return baseline
    try:
        written = str(named_ranker(baseline))
    except UsageError:
        written = ""
    if written not in names:
        raise UsageError(f"baseline must be one of the rankers {', '.join(names)}, got {shown(baseline)}")
    return written


def differences_of(
    comparison: Comparison,
    test: str = "fisher",
    correction: str = "holm",
    baseline: str | None = None,
    seed: int = 1,
) -> Tests:
    """Test by each measure all rankers against a baseline or, without one, each against each.

    The correction is for the number of pairs that are tested by one measure.
    """
    check_test(test, correction)
    names = [row.name for row in comparison.rows]
    if len(names) < 2:
        raise UsageError(f"a test compares rankers: name at least two, got {len(names)}")
    baseline = None if baseline is None else one_of(names, baseline)
    rows: list[Tested] = []
    omnibus: dict[str, ManyRankers] = {}
    why = ""
    for measure in comparison.measures:
        values = {
            row.name: {query: one[measure] for query, one in row.evaluation.per_query.items()}
            for row in comparison.rows
        }
        if baseline is None:
            found = all_pairs(values, measure=measure, test=test, correction=correction, seed=seed)
            rows += [Tested(measure, *row.values()) for row in found.rows()]
        else:
            found, some = _against(values, baseline, measure, test, correction, seed)
            rows += some
        why, used = found.why, found.correction
        if found.omnibus is not None:
            omnibus[measure] = found.omnibus
    return Tests(test, used, baseline, why, tuple(rows), omnibus)


def _against(
    values: dict[str, dict[str, float]], baseline: str, measure: str, test: str, correction: str, seed: int
) -> tuple[Pairs, list[Tested]]:
    """Return the tests against one ranker, corrected for their number alone."""
    others = [name for name in values if name != baseline]
    paired = test in TESTS  # two rankers are tested without a look at the others
    groups = [[one, baseline] for one in others] if paired else [list(values)]
    how: dict[str, Any] = {"measure": measure, "test": test, "correction": correction, "seed": seed}
    found = [all_pairs({name: values[name] for name in some}, **how) for some in groups]
    found = found if paired else found * len(others)
    places = [
        (pairs.names.index(one), pairs.names.index(baseline)) for pairs, one in zip(found, others, strict=True)
    ]
    p_values = [float(pairs.p_values[place]) for pairs, place in zip(found, places, strict=True)]
    adjusted = CORRECTIONS[found[0].correction](np.array(p_values)).tolist()
    rows = [
        Tested(measure, one, baseline, float(pairs.differences[place]), p, q, float(pairs.effects[place]))
        for one, pairs, place, p, q in zip(others, found, places, p_values, adjusted, strict=True)
    ]
    return found[0], rows
