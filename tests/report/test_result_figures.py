from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.core.errors import UsageError
from aboutness.evaluate.curves import max_f1, precision_at_recall
from aboutness.report import illustrations
from aboutness.report.figures.curves import WHOLE
from aboutness.report.figures.sheet import as_bytes
from aboutness.report.findings import section
from aboutness.report.result_figures import (
    chosen_measure,
    chosen_rows,
    draw_boxes,
    draw_first_recall,
    draw_histograms,
    draw_precision_recall,
    draw_significance,
    draw_sweep,
    draw_wins,
)
from report.figures.looking import words
from report.made_results import comparison, results

ONE = comparison()
ALL = results(ONE)


def test_precision_over_recall():
    lines = draw_precision_recall(ALL, ONE).axes[0].get_lines()
    for line, row in zip(lines, ONE.rows, strict=True):
        wanted = np.mean(list(precision_at_recall(ONE.qrels, row.run, WHOLE).values()), axis=0)
        assert line.get_ydata().tolist() == wanted.tolist()
    first = draw_first_recall(ALL, ONE, rankers=["two"]).axes[0].get_lines()
    assert len(first) == 1
    assert max(first[0].get_xdata()) == 0.1


def test_the_largest_f1():
    figure = draw_boxes(ALL, ONE)
    for row in ONE.rows:
        values = list(max_f1(ONE.qrels, row.run).values())
        assert f"median {np.median(values):.2f}, mean {np.mean(values):.2f}" in words(figure)
    heights = [patch.get_height() for patch in draw_histograms(ALL, ONE).axes[0].patches]
    assert sum(heights) == 9


def test_groups_of_queries():
    figure = draw_boxes(ALL, ONE, groups={"q0": "even", "q2": "even", "q1": "odd", "other": "none"})
    told = words(figure)
    assert "even (2 queries)" in told
    assert "odd (1 query)" in told
    assert "none" not in told
    with pytest.raises(UsageError, match="none of the 9 queries is in a group"):
        draw_boxes(ALL, ONE, groups={"x": "y"})


def test_wins_against_the_baseline():
    values = [row.evaluation.per_query for row in ONE.rows]
    for given, choices, first in (
        (ALL, {}, 0),
        (results(ONE, baseline="two"), {}, 1),
        (ALL, {"baseline": "three"}, 2),
    ):
        told = words(draw_wins(given, ONE, measure="AP", **choices))
        assert f"against\n{ONE.rows[first].name}" in told
        for other in {0, 1, 2} - {first}:
            won = sum(one["AP"] > values[first][query]["AP"] for query, one in values[other].items())
            assert f"{ONE.rows[other].name}\n{won} better" in told
    with pytest.raises(UsageError, match="no ranker to compare with one"):
        draw_wins(ALL, ONE, rankers=["one"])


def test_all_pairs_by_the_test_of_the_results():
    told = words(draw_significance(results(ONE, test="t", correction="bonferroni"), ONE, measure="AP"))
    assert "AP: row less column; p by t, bonferroni-corrected" in told
    with pytest.raises(UsageError, match="at least two, got 1"):
        draw_significance(ALL, ONE, rankers=["one"])


def test_rankers_by_name_or_as_they_are_written():
    assert [row.name for row in chosen_rows(ONE, ["three", "one", "three"])] == ["three", "one"]
    assert [row.name for row in chosen_rows(ONE, ["bm25[k1=1.010]"])] == ["two"]
    with pytest.raises(UsageError, match=r"chance has no ranker 'ql'\. It has: one, two, three"):
        chosen_rows(ONE, ["ql"])
    with pytest.raises(UsageError, match="has no ranker '%%%'"):
        chosen_rows(ONE, ["%%%"])


def test_measures():
    assert chosen_measure(ONE, None) == "nDCG@10"
    with pytest.raises(UsageError, match=r"was not measured by 'RR'\. It was by: nDCG@10, AP"):
        chosen_measure(ONE, "RR")


def setting(alpha, other, train, test=0.0):
    return {
        "parameters": {"alpha": alpha, "way": "x", "other": other},
        "train": {"AP": train},
        "test": {"AP": test, "RR": 1},
    }


SWEEP = {
    "measure": "AP",
    "settings": [
        setting(0.0, 1, 0.1, 0.5),
        setting(0.0, 2, 0.2, 0.6),
        setting(1.0, 1, 0.4, 0.7),
        setting(1.0, 2, 0.3, 0.8),
    ],
    "best": setting(1.0, 1, 0.4, 0.7),
}


def test_a_sweep():
    train, test, best = draw_sweep(SWEEP).axes[0].get_lines()
    assert train.get_ydata().tolist() == [0.2, 0.4]  # the better of two settings with the same alpha
    assert test.get_ydata().tolist() == [0.6, 0.7]
    assert best.get_xdata()[0] == 1
    assert draw_sweep(SWEEP, parameter="other").axes[0].get_lines()[0].get_xdata().tolist() == [1, 2]


def test_what_is_no_sweep():
    with pytest.raises(UsageError, match=r"no parameter 'way' with numbers\. It has: alpha, other"):
        draw_sweep(SWEEP, parameter="way")
    with pytest.raises(UsageError, match=r"no measure 'RR'\. It has: AP, RR"):
        draw_sweep(SWEEP, measure="RR")
    for wrong in ({}, {"settings": 1}, {**SWEEP, "best": None}, {**SWEEP, "settings": [{}]}):
        with pytest.raises(UsageError, match=r"no results of a sweep; make some: aboutness tune"):
            draw_sweep(wrong)


def test_more_rankers_than_can_be_told_apart():
    many = comparison([f"r{number}" for number in range(13)], 3)
    with pytest.raises(UsageError, match="1 to 12 rankers, got 13; choose some"):
        draw_precision_recall(results(many), many)
    replaced = replace(ALL, baseline="not there")
    assert "against\none" in words(draw_wins(replaced, ONE))


def test_a_report_has_the_same_figures(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        illustrations, "inline_svg", lambda figure, *_: drawn.append(as_bytes(figure, "svg")) or ""
    )
    given = results(ONE, baseline="two")
    illustrations.illustrations(section(given, ONE), given, "x")
    kinds = [
        draw_precision_recall, draw_first_recall, draw_boxes, draw_histograms, draw_wins, draw_significance,
    ]  # fmt: skip
    assert drawn == [as_bytes(draw(given, ONE), "svg") for draw in kinds]
