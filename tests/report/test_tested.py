from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from aboutness.evaluate.rank_tests import friedman, kruskal_wallis
from aboutness.report import tested
from aboutness.report.findings import sections
from aboutness.report.latex import escaped, latex_report
from aboutness.report.markdown import escaped as as_markdown
from aboutness.report.markdown import markdown_report
from aboutness.report.markup import as_text
from aboutness.report.numbers import told_p
from aboutness.report.page import report_page
from aboutness.report.tidy import csv_report, json_report
from report.made_results import comparison, names_of, results

FORMS = {report_page: as_text, latex_report: escaped, markdown_report: as_markdown}
MANY = comparison(names_of(4), 15)


def told(given) -> dict[str, str]:
    return dict(tested.test_facts(given, sections(given)))


@pytest.fixture(autouse=True)
def without_figures(monkeypatch):
    monkeypatch.setattr("aboutness.report.illustrations.is_there", lambda: False)  # to be quick


def test_the_test_and_why():
    found = told(results(baseline="two", correction="bonferroni"))
    assert found["test"].startswith("Fisher's randomisation test")
    assert found["tested"].startswith("all others against two")
    assert found["correction"].startswith("Bonferroni's correction")
    assert dict(tested.test_facts(results(), []))["tested"].startswith("all pairs")


def test_how_often_chance_was_drawn():
    assert told(results())["permutations"] == "exact: all of them were tried"
    assert "10,000 times (seed 7)" in told(results())["intervals"]
    large = comparison(["one", "two"], 120)
    assert told(results(large))["permutations"] == "100,000 sampled (seed 7)"
    both = told(results(large, comparison(setting="small")))
    assert both["permutations"] == (
        "100,000 sampled (seed 7) for 2 of 8 pairs; all of them where at most 32 queries differ"
    )
    assert "permutations" not in told(results(test="t"))


def test_no_correction_is_told_that_was_not_made():
    given = results(test="nemenyi", correction="holm")
    assert told(given)["correction"] == "none is needed: p of this test is already for all pairs together"
    for form in FORMS:
        text = form(given, sections(given))
        assert "nemenyi, for all pairs together" in text
        assert "olm" not in text


def test_one_side():
    assert "p below 0.025" in told(results(test="dunn-one-sided"))["tested"]
    assert "one side" in told(results(test="dunn-one-sided"))["tested"]
    assert told(results(test="dunn"))["tested"].split("; ")[1] == "p below 0.05 counts as more than chance"
    given = results(MANY, test="dunn-one-sided")
    for form, told_level in zip(FORMS, ("p &lt; 0.025", "$p<0.025$", "p \\< 0.025"), strict=True):
        text = form(given, sections(given))
        assert told_level in text
        assert told_level.replace("0.025", "0.05") not in text


@pytest.mark.parametrize(("test", "omnibus"), [("nemenyi", friedman), ("dunn", kruskal_wallis)])
def test_the_test_of_all_rankers_together(test, omnibus):
    given = results(MANY, test=test)
    found = sections(given)
    lines = tested.omnibus(found[0])
    wanted = {
        measure: omnibus(
            {row.name: {q: v[measure] for q, v in row.evaluation.per_query.items()} for row in MANY.rows}
        )
        for measure in MANY.measures
    }
    assert [line.partition(":")[0] for line in lines] == list(MANY.measures)
    for line, one in zip(lines, wanted.values(), strict=True):
        assert f"chi-squared {one.statistic:.2f}, 3 df, p {told_p(one.p_value)}." in line
        for form, plain in FORMS.items():
            assert plain(line) in form(given, found)
    rows = {(row[4], row[5]): row[6] for row in csv.reader(io.StringIO(csv_report(given, found)))}
    name = wanted["AP"].why.partition(":")[0]
    assert float(rows["AP", f"{name}: p"]) == wanted["AP"].p_value
    assert float(rows["AP", f"{name}: chi-squared"]) == wanted["AP"].statistic
    plain = json.loads(json_report(given, found))["comparisons"][0]["pairs"]["AP"]["omnibus"]
    assert plain["p_value"] == wanted["AP"].p_value
    assert not tested.omnibus(sections(results(MANY, test="t"))[0])


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_the_pairs_are_headed_by_their_correction(correction):
    given = results(MANY, test="t", correction=correction)
    told = "t, not corrected" if correction == "none" else "t, holm-corrected"
    assert f">p ({told})</th>" in report_page(given, sections(given))


def test_rankings_made_earlier_have_a_star():
    one = replace(MANY, rows=(replace(MANY.rows[0], cached=True), *MANY.rows[1:]))
    for form, star in zip(FORMS, ("*", "*", "\\*"), strict=True):
        text = form(results(one), sections(results(one)))
        assert f"0.50{star}" in text
        assert f"{star} made earlier" in text
        assert "1.50*" not in text
        assert "made earlier" not in form(results(MANY), sections(results(MANY)))


def test_against_a_baseline_captions_say_so():
    given = results(MANY, baseline="ranker 1")
    for form, raised in zip(
        FORMS, ("Raised letters name", "Raised letters: better", "Raised: better"), strict=True
    ):
        text = form(given, sections(given))
        (caption,) = [part for part in text.split("\n") if raised in part]
        assert "tested against ranker 1 alone" in caption
        assert text.count("tested against ranker 1 alone") == 2
        assert "tested against" not in form(results(MANY), sections(results(MANY)))
    page = report_page(given, sections(given))
    assert "Here p is for all pairs: it may be larger than in the tests against ranker 1 alone." in page
