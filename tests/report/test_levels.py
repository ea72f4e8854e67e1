from __future__ import annotations

import pytest

from aboutness.report.findings import sections
from aboutness.report.levels import by_test, level_of
from report.made_results import results


@pytest.mark.parametrize(
    ("test", "correction", "said"),
    [
        ("fisher", "holm", "fisher, holm-corrected"),
        ("t", "bonferroni", "t, bonferroni-corrected"),
        ("wilcoxon", "none", "wilcoxon, not corrected"),
        ("nemenyi", "holm", "nemenyi, for all pairs together"),
        ("nemenyi", "none", "nemenyi, for all pairs together"),
    ],
)
def test_the_test_in_short(test, correction, said):
    (found,) = sections(results(test=test, correction=correction))
    assert {by_test(pairs) for pairs in found.pairs.values()} == {said}
    assert by_test(found.pairs["AP"], str.upper).startswith(test.upper())


def test_the_level():
    assert [level_of(test) for test in ("fisher", "dunn", "dunn-one-sided")] == [0.05, 0.05, 0.025]
