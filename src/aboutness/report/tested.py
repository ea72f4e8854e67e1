"""What every report says of its tests: which and why, what p is corrected for, and how chance was drawn."""

from __future__ import annotations

from collections.abc import Sequence

from aboutness.evaluate.intervals import SAMPLES
from aboutness.evaluate.significance import MOST_EXACT
from aboutness.experiment.results import Results
from aboutness.report.findings import Section
from aboutness.report.levels import ONE_SIDED, TOGETHER, level_of
from aboutness.report.numbers import LEVEL, told_p

CORRECTIONS = {
    "holm": "Holm's correction: so that no more than one of twenty such families of tests has any false finding",
    "bonferroni": "Bonferroni's correction: each p is multiplied by the number of tests",
    "none": "not corrected: of many tests, one in twenty finds a difference by chance alone",
}


def test_facts(results: Results, sections: Sequence[Section]) -> list[tuple[str, str]]:
    """Return which test was made, why, how p was corrected, and how often chance was drawn."""
    why = list(dict.fromkeys(section.why for section in sections))
    test, level = results.test, level_of(results.test)
    against = f"all others against {results.baseline}" if results.baseline else "all pairs of rankers"
    counts = f"p below {level:g} counts as more than chance"
    if test in ONE_SIDED:
        counts += f": p is for one side, and which one is taken from the data, so that this is {LEVEL:g} for both"
    correction = "none is needed: p of this test is already for all pairs together"
    if test not in TOGETHER:
        correction = CORRECTIONS.get(results.correction, results.correction)
    chance = _chance(results, sections)
    intervals = f"95 %, by bootstrap: the queries are drawn again {SAMPLES:,} times (seed {results.made.seed})"
    return [
        ("test", " ".join(why)),
        *([("permutations", chance)] if chance else []),
        ("tested", f"{against}, by each measure for itself; {counts}"),
        ("correction", correction),
        ("intervals", f"{intervals}, and the middle of the means is taken"),
    ]


def _chance(results: Results, sections: Sequence[Section]) -> str:
    """Return how often the values of rankers were swapped by Fisher's test."""
    every = [pairs for section in sections for pairs in section.pairs.values()]
    if results.test != "fisher" or not every:
        return ""
    sampled = sum(pairs.sampled for pairs in every)
    tests = sum(len(pairs.names) * (len(pairs.names) - 1) // 2 for pairs in every)
    if not sampled:
        return "exact: all of them were tried"
    drawn = f"{max(pairs.permutations for pairs in every):,} sampled (seed {results.made.seed})"
    if sampled == tests:
        return drawn
    return f"{drawn} for {sampled:,} of {tests:,} pairs; all of them where at most {MOST_EXACT} queries differ"


def omnibus(section: Section) -> list[str]:
    """Return for each measure what the test of all rankers together says, where one was made."""
    return [
        f"{measure}: {test.why.partition(':')[0]} of all rankers together, chi-squared {test.statistic:.2f}, "
        f"{test.df} df, p {told_p(test.p_value)}."
        for measure, pairs in section.pairs.items()
        if (test := pairs.omnibus) is not None
    ]


def against(section: Section) -> str:
    """Return against which ranker alone others were tested, as it stands behind what is said of p."""
    return f"; tested against {section.baseline} alone" if section.baseline else ""


def all_against_all(section: Section) -> str:
    """Return what is to be said where p is for all pairs, but others were tested against one ranker alone."""
    if not section.baseline:
        return ""
    return f" Here p is for all pairs: it may be larger than in the tests against {section.baseline} alone."
