from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.evaluate.pairs import all_pairs
from aboutness.report.figures.differences import MOST_STEPS, significance_matrix, wins
from report.figures.looking import NAMES, check_texts, texts_of, words

LONGER = "<img src=x onerror=alert(1)> and more"
CHANCE = np.random.default_rng(2)


@pytest.mark.parametrize("count", [1, 11])
def test_wins_with_names_of_any_length(count):
    given = {name: CHANCE.normal(size=30) for name in NAMES[1 : count + 1]}
    check_texts(wins(given, NAMES[2], "nDCG@10"))


@pytest.mark.parametrize("queries", [1, 30, MOST_STEPS, 1000])
def test_wins_and_losses(queries):
    values = CHANCE.normal(size=queries).round(1)
    figure = wins({"a": values}, "b", "AP")
    won, lost = int((values > 0).sum()), int((values < 0).sum())
    assert f"{won} better, {queries - won - lost} equal, {lost} worse" in words(figure)
    above, below, _ = figure.axes[0].patches
    drawn = above.get_data().values + below.get_data().values
    assert len(drawn) == min(queries, MOST_STEPS)
    assert (drawn[0], drawn[-1]) == (values.max(), values.min())
    assert (np.diff(drawn) <= 0).all()
    if queries <= MOST_STEPS:
        assert drawn.tolist() == sorted(values, reverse=True)
    assert above.get_data().edges[-1] == queries


def pairs_of(count: int, **more):
    chance = np.random.default_rng(2)
    values = {name: chance.random(20) + 0.4 * place for place, name in enumerate(NAMES[:count])}
    return all_pairs(values, measure="nDCG@10", permutations=200, **more)


@pytest.mark.parametrize("count", [2, 3, 12])
@pytest.mark.parametrize("test", ["fisher", "nemenyi", "dunn-one-sided"])
def test_a_matrix_with_names_of_any_length(count, test):
    pairs = pairs_of(count, test=test)
    figure = significance_matrix(pairs)
    check_texts(figure)
    assert len(figure.axes[0].patches) == count * (count - 1)


@pytest.mark.parametrize("names", [["a", "b"], [LONGER, "b"], [LONGER, "b", "c"], [LONGER] * 3])
@pytest.mark.parametrize("measure", ["AP", "nDCG(dcg='exp-log2',gains={0:0,1:1,2:3,3:7,4:15})@10" * 3])
def test_what_is_said_below_stays_on_the_sheet(names, measure):
    pairs = all_pairs(
        {f"{name}{' ' * place}": CHANCE.random(9) for place, name in enumerate(names)},
        measure=measure, test="dunn-one-sided", correction="bonferroni",
    )  # fmt: skip
    figure = significance_matrix(pairs)
    check_texts(figure)
    assert "p < 0.025; 9 queries" in words(figure)


def test_sign_size_and_p_without_colour():
    pairs = pairs_of(2)
    figure = significance_matrix(pairs, level=0.05)
    assert float(pairs.adjusted[0, 1]) < 0.05
    difference = f"{abs(pairs.differences[0, 1]):.3f}".removeprefix("0")
    found = [one.get_text() for one in texts_of(figure)]
    assert {f"▼ \u2212{difference}", f"▲ +{difference}"} <= set(found)
    assert "p <.001" in found
    framed = [patch.get_linewidth() for patch in figure.axes[0].patches]
    assert framed == [1.2, 1.2]
    unsure = significance_matrix(pairs, level=1e-9)
    assert "▲" not in words(unsure).split("row better")[0].replace("▲ ", "", 1)
    assert [patch.get_linewidth() for patch in unsure.axes[0].patches] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("test", "correction", "said"),
    [
        ("t", "holm", "t, holm-corrected"),
        ("t", "none", "t, not corrected"),
        ("nemenyi", "holm", "for all pairs together"),
    ],
)
def test_it_says_which_test(test, correction, said):
    assert said in words(significance_matrix(pairs_of(3, test=test, correction=correction)))
