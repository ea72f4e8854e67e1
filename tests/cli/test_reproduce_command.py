from __future__ import annotations

import json

import pytest

from aboutness.papers import NAMES, reproducing
from aboutness.papers.expected import Expected, Place, found_in
from papers.drawn import Drawn, study


@pytest.fixture
def wanted(monkeypatch):
    """Let `malina2016` be the tests' own paper; return what is expected of it, which can be changed."""
    found = found_in(study())
    monkeypatch.setattr(reproducing, "known_paper", lambda _name: Drawn())
    monkeypatch.setattr(reproducing, "expected_of", lambda _name: found)
    return found


def test_help_names_the_papers(call):
    told = " ".join(call("reproduce", "--help").out.split())
    assert all(name in told for name in NAMES)


def test_a_paper_is_done_again(call, wanted, tmp_path):
    ran = call("reproduce", "malina2016", "--check", "-o", "out")
    assert ran.code == 0
    assert "HOLDS HERE: a is best\n    a has 0.5." in ran.out
    assert "The report is out/index.html" in ran.out
    assert "half about 1:01 left of this" in ran.err
    assert "7 of 7 numbers and verdicts are as expected" in ran.err
    assert (tmp_path / "out" / "index.html").is_file()


def test_the_report_has_a_folder_unless_said(call, wanted, tmp_path):
    assert call("reproduce", "malina2016").code == 0
    assert (tmp_path / "reproduced" / "malina2016" / "report.md").is_file()


def test_a_number_that_moved_ends_a_check(call, wanted, tmp_path):
    for row in range(30):
        wanted[Place("means", f"z{row}", "MAP")] = Expected("0.7", 0.01)
    ran = call("reproduce", "malina2016", "--check", "-o", "out")
    assert ran.code == 1
    assert "30 are not." in ran.err
    assert "means: z0, MAP: missing" in ran.err
    assert "and 10 more" in ran.err
    assert (tmp_path / "out" / "index.html").is_file()  # which says so, too
    assert call("reproduce", "malina2016", "-o", "out").code == 0


def test_other_seeds_cannot_be_checked(call, wanted):
    ran = call("reproduce", "malina2016", "--check", "--seed", "2", "-o", "out")
    assert ran.code == 2
    assert "--check knows what to expect of the usual data and seed alone" in ran.err


def test_what_a_paper_makes_no_use_of_is_refused_and_leaves_nothing(call, tmp_path):
    for given in (["--queries", "q.txt"], ["--embedding", "a.bin"]):
        ran = call("reproduce", "malina2016", *given, "-o", "out")
        assert ran.code == 2
        assert "malina2016 makes no use of" in ran.err
    ran = call("reproduce", "malina2016", "--data", "nowhere", "-o", "out")
    assert ran.code != 0
    assert not (tmp_path / "out").exists()


def test_as_json(call, wanted):
    ran = call("reproduce", "malina2016", "--json", "-o", "out")
    assert ran.code == 0
    assert json.loads(ran.out)["claims"][0]["verdict"] == "holds here"


def test_refusals(call, tmp_path):
    ran = call("reproduce", "malina2017")
    assert ran.code == 2
    assert "these can be reproduced: galke2017, ai2016, malina2016, mitra2016" in ran.err
    assert not (tmp_path / "reproduced").exists()
    assert call("reproduce", "malina2016", "--cache", "x", "--no-cache").code == 2
