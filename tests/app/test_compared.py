from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from aboutness.app.compared import compared
from aboutness.app.reporting import write_report
from aboutness.app.results import OpenResults, SavedResults
from aboutness.core.errors import NotFound
from aboutness.evaluate.curves import precision_at_recall
from aboutness.experiment.results_folder import save_results
from report.made_results import HOSTILE_NAMES, comparison, results


def opened(given=None, **more):
    return OpenResults("here", results(given or comparison(), **more), ())


@pytest.mark.parametrize("baseline", [None, "two"])
@pytest.mark.parametrize("test", ["fisher", "dunn"])
def test_the_same_numbers_as_the_report(tmp_path, baseline, test):
    texts = {"q0": "a question"}
    given = results(
        comparison(texts=texts), comparison(texts=texts, setting="titles", seed=2), baseline=baseline, test=test
    )
    save_results(given, tmp_path / "here")
    write_report(tmp_path / "here", tmp_path / "report.json")
    said = json.loads((tmp_path / "report.json").read_text("utf-8"))
    here = SavedResults(tmp_path).open("here")
    for part, on in zip(said["comparisons"], ("chance", "chance, titles"), strict=True):
        for measure in ("nDCG@10", "AP"):
            found = compared(here, on, measure)
            for row in found.table:
                told = part["findings"][row.ranker][measure]
                assert {name: getattr(row.means[measure], name) for name in ("mean", "deviation", "best")} == {
                    name: told[name] for name in ("mean", "deviation", "best")
                }
                letters = {one.letter: one.ranker for one in found.table}
                assert [letters[one] for one in row.better_than] == told["better_than"]
                if row.against is None:
                    assert row.ranker == found.reference == part["reference"]
                else:
                    keys = ("difference", "low", "high", "p", "effect")
                    assert [getattr(row.against, key) for key in keys] == [told[key] for key in keys]
            pairs, names = part["pairs"][measure], part["pairs"][measure]["names"]
            assert len(found.significance.pairs) == 3
            for pair in found.significance.pairs:
                i, j = names.index(pair.ranker), names.index(pair.other)
                keys = ("differences", "p_values", "adjusted", "effects")
                assert [pairs[key][i][j] for key in keys] == [pair.difference, pair.p, pair.adjusted, pair.effect]
            assert (found.significance.test, found.significance.correction) == (pairs["test"], pairs["correction"])
            for number, row in enumerate(found.table):
                values = {one.query: one.values[number] for one in found.values}
                assert values == {query: of[measure] for query, of in part["per_query"][row.ranker].items()}
            assert list(found.notes) == part["notes"]
    assert found.parts == ("chance", "chance, titles")
    assert found.made["command"] == said["made"]["command"]


def test_curves_are_means_of_interpolated_precision(tmp_path):
    given = results()
    save_results(given, tmp_path / "here")
    found = compared(SavedResults(tmp_path).open())
    assert found.recall == tuple(tenth / 10 for tenth in range(11))
    for curve, row in zip(found.curves, given.comparisons[0].rows, strict=True):
        each = precision_at_recall(given.comparisons[0].qrels, row.run)
        assert curve.ranker == row.name
        assert curve.precision == pytest.approx(np.mean(list(each.values()), axis=0))
        assert all(one >= other for one, other in zip(curve.precision, curve.precision[1:], strict=False))


def test_boxes():
    from matplotlib.cbook import boxplot_stats

    given = comparison(queries=40)
    found = compared(opened(given, test="t"))
    assert list(found.boxes) == ["nDCG@10", "AP"]
    for measure, boxes in found.boxes.items():
        for box, row in zip(boxes, given.rows, strict=True):
            values = [of[measure] for of in row.evaluation.per_query.values()]
            assert box.ranker == row.name
            assert [box.lowest, box.lower, box.median, box.upper, box.highest] == pytest.approx(
                np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
            )
            drawn = boxplot_stats(values)[0]
            assert box.whiskers == pytest.approx((drawn["whislo"], drawn["whishi"]))
            assert box.outside == pytest.approx(np.unique(drawn["fliers"]))
            assert box.mean == pytest.approx(row.evaluation.mean[measure])


def test_decisions():
    given = comparison(["worst", "best"], 40, seed=4)
    rows = [replace(row) for row in given.rows]
    found = compared(opened(replace(given, rows=tuple(rows[::-1]))))
    assert [pair.decision for pair in found.significance.pairs] == ["better"]
    assert found.table[0].better_than == ("b",)
    assert [pair.decision for pair in compared(opened(given)).significance.pairs] == ["worse"]
    same = replace(given, rows=(rows[0], replace(rows[0], named="again")))
    assert [pair.decision for pair in compared(opened(same)).significance.pairs] == ["unsure"]
    assert [row.means["AP"].best for row in compared(opened(same)).table] == [True, True]


def test_a_size_without_bounds_is_none():
    given = comparison(["one", "two"], 3)
    worse = {query: dict.fromkeys(values, 0.0) for query, values in given.rows[0].evaluation.per_query.items()}
    better = {query: dict.fromkeys(values, 1.0) for query, values in worse.items()}
    rows = [
        replace(row, evaluation=replace(row.evaluation, per_query=values))
        for row, values in zip(given.rows, (worse, better), strict=True)
    ]
    found = compared(opened(replace(given, rows=tuple(rows))))
    assert found.significance.pairs[0].effect is None
    json.dumps(found.to_json(), allow_nan=False)


def test_one_ranker_has_no_tests():
    found = compared(opened(comparison(["alone"], 3)))
    assert found.significance is None
    assert found.table[0].against is None
    assert len(found.curves) == len(found.boxes["AP"]) == 1


def test_what_is_computed_is_kept():
    here = opened()
    assert compared(here) is compared(here, "chance", "nDCG@10")
    assert compared(here, measure="AP").curves is compared(here).curves


def test_no_more_is_tested_than_is_looked_at(monkeypatch):
    from aboutness.report import findings

    tested, all_pairs = [], findings.all_pairs
    monkeypatch.setattr(
        findings, "all_pairs", lambda values, **how: tested.append(how["measure"]) or all_pairs(values, **how)
    )
    here = opened()
    for _ in range(2):
        compared(here, measure="AP")
    assert tested == ["AP"]


def test_runs_are_not_kept_in_memory(tmp_path):
    save_results(results(), tmp_path / "here")
    here = SavedResults(tmp_path).open("here")
    compared(here)
    assert not [row for row in here.results.comparisons[0].rows if "_run" in vars(row.run)]


def test_queries_with_texts_and_relevant_documents():
    found = compared(opened(comparison(queries=2, texts={"q0": "a question"})))
    assert [(one.query, one.text, one.relevant) for one in found.values] == [
        ("q0", "a question", 2),
        ("q1", "", 2),
    ]


def test_names_of_any_kind(tmp_path):
    save_results(results(comparison(HOSTILE_NAMES, 3), test="t"), tmp_path / "odd")
    found = compared(SavedResults(tmp_path).open("odd"))
    assert tuple(row.ranker for row in found.table) == HOSTILE_NAMES
    json.dumps(found.to_json(), allow_nan=False)


def test_refusals():
    with pytest.raises(NotFound, match=r"the results 'here' have no part 'there'; there are chance$"):
        compared(opened(), "there")
    with pytest.raises(NotFound, match=r"the measure must be one of nDCG@10, AP, got 'ap'"):
        compared(opened(), measure="ap")
    with pytest.raises(NotFound, match="hold no comparison"):
        compared(OpenResults("here", replace(results(), comparisons=()), ()))
