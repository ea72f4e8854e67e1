from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.intervals import bootstrap
from aboutness.evaluate.pairs import all_pairs
from aboutness.experiment.testing import differences_of
from aboutness.report.findings import letters, overview, section, sections
from aboutness.report.numbers import LEVEL
from report.made_results import comparison, names_of, results

MANY = comparison(names_of(4), 15)


def values(row, measure="AP"):
    return {query: one[measure] for query, one in row.evaluation.per_query.items()}


def test_all_pairs_without_a_baseline():
    found = section(results(MANY), MANY)
    pairs = all_pairs({row.name: values(row) for row in MANY.rows}, measure="AP", seed=7)
    assert found.reference == "ranker 0"
    assert np.array_equal(found.pairs["AP"].adjusted, pairs.adjusted)
    for place, row in enumerate(MANY.rows):
        one = found.findings[row.name]["AP"]
        better = [
            "abcd"[other]
            for other in range(4)
            if pairs.differences[place, other] > 0 and pairs.adjusted[place, other] < LEVEL
        ]
        assert one.beats == tuple(better)
        assert (one.mean, one.deviation) == (row.evaluation.mean["AP"], row.evaluation.deviation["AP"])
    assert found.findings["ranker 3"]["AP"].beats == ("a", "b", "c")[: len(found.findings["ranker 3"]["AP"].beats)]
    assert found.findings["ranker 3"]["AP"].beats


def test_against_a_baseline_fewer_tests_are_corrected_for():
    baseline = section(results(MANY, baseline="ranker 1"), MANY)
    pairs = all_pairs({row.name: values(row) for row in MANY.rows}, seed=7)
    wanted = adjusted(pairs.p_values[1, [0, 2, 3]], "holm")
    others = ["ranker 0", "ranker 2", "ranker 3"]
    assert baseline.reference == "ranker 1"
    assert [baseline.findings[name]["AP"].p_value for name in others] == wanted.tolist()
    assert {letter for name in others for letter in baseline.findings[name]["AP"].beats} <= {"b"}
    first = baseline.findings["ranker 1"]["AP"]
    assert (first.difference, first.interval, first.p_value, first.sure) == (None, None, None, False)


def test_differences_with_intervals():
    found = section(results(MANY), MANY).findings["ranker 2"]["AP"]
    interval = bootstrap(values(MANY.rows[2]), values(MANY.rows[0]), seed=7)
    assert found.difference == pytest.approx(interval.mean)
    assert found.interval == (interval.low, interval.high)
    assert found.sure == (found.p_value < LEVEL)


def test_the_best_may_be_several():
    one = comparison(["a", "b"], 5)
    same = replace(one, rows=(replace(one.rows[1], named="a"), one.rows[1]))
    found = section(results(same), same)
    assert all(of["AP"].best for of in found.findings.values())
    assert found.findings["b"]["AP"].difference == 0
    assert not found.findings["b"]["AP"].beats
    different = section(results(one), one)
    assert [different.findings[name]["AP"].best for name in "ab"] == [False, True]


def test_one_ranker_and_none():
    one = section(results(), comparison(["only"]))
    assert (one.pairs, one.findings["only"]["AP"].beats, one.why) == (
        {},
        (),
        "One ranker: there is no difference to test.",
    )
    nothing = section(results(), comparison([]))
    assert (nothing.names, nothing.pairs, nothing.reference) == ([], {}, "")


def test_a_baseline_that_is_not_there_is_none():
    assert section(results(MANY, baseline="bm25"), MANY).reference == "ranker 0"


def test_the_test_and_its_reason_are_those_of_the_results():
    found = sections(results(comparison(), test="wilcoxon", correction="bonferroni"))[0]
    assert found.why.startswith("Wilcoxon")
    assert {pairs.correction for pairs in found.pairs.values()} == {"bonferroni"}


def test_pairs_of_some():
    found = section(results(MANY), MANY)
    some = found.pairs_of(["ranker 3", "ranker 1"], "AP")
    assert some.names == ("ranker 3", "ranker 1")
    assert some.differences[0, 1] == found.pairs["AP"].differences[3, 1]
    assert some.adjusted[1, 0] == found.pairs["AP"].adjusted[1, 3]


def test_the_best_rows_and_the_reference():
    found = section(results(MANY), MANY)
    assert [row.name for row in found.best_rows(2)] == ["ranker 0", "ranker 3"]
    assert [row.name for row in found.best_rows(9)] == names_of(4)


def test_one_sided_p_counts_from_half_the_level():
    def found(test):
        return section(results(MANY, test=test, correction="none"), MANY)

    one, two = found("dunn-one-sided"), found("dunn")
    assert (one.level, two.level) == (0.025, 0.05)
    halved = [pairs.adjusted[0, 1:] * 2 for pairs in one.pairs.values()]
    assert np.allclose(halved, [pairs.adjusted[0, 1:] for pairs in two.pairs.values()])
    between = [p for pairs in one.pairs.values() for p in pairs.adjusted.ravel() if 0.025 <= p < 0.05]
    assert between  # else the test says nothing
    for name in one.names:
        for measure in MANY.measures:
            assert one.findings[name][measure].beats == two.findings[name][measure].beats
            assert one.findings[name][measure].sure == two.findings[name][measure].sure
            assert (one.findings[name][measure].level, two.findings[name][measure].level) == (0.025, 0.05)


def test_letters():
    assert letters(3) == ["a", "b", "c"]
    assert len(set(letters(100))) == 100


def test_the_same_as_where_results_are_tested():
    tested = differences_of(MANY, baseline="ranker 2", seed=7)
    found = section(results(MANY, baseline="ranker 2"), MANY)
    for row in tested.rows:
        one = found.findings[row.ranker][row.measure]
        assert (one.difference, one.p_value, one.effect) == pytest.approx(
            (row.difference, row.adjusted, row.effect)
        )
    assert len(tested.rows) == 6


def test_all_comparisons_together():
    several = results(comparison(["a", "b"]), comparison(["b", "c"], 4, setting="title"))
    found = overview(sections(several))
    assert (found.measure, found.titles, list(found.rows)) == (
        "nDCG@10",
        ["chance", "chance, title"],
        ["a", "b", "c"],
    )
    first, second = sections(several)
    assert found.rows["a"] == [first.findings["a"]["nDCG@10"], None]
    assert found.rows["b"] == [first.findings["b"]["nDCG@10"], second.findings["b"]["nDCG@10"]]
    assert overview(sections(results())) is None
    assert overview([]) is None
    apart = results(comparison(measures=["AP"]), comparison(measures=["RR", "P@10"]))
    assert overview(sections(apart)) is None
    shared = results(comparison(measures=["AP", "RR"]), comparison(measures=["RR", "P@10"]))
    assert overview(sections(shared)).measure == "RR"
