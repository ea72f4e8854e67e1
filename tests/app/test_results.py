from __future__ import annotations

import json
import os

import pytest

from aboutness.app.results import MOST_OPEN, SavedResults
from aboutness.core.errors import BadInput, NotFound
from aboutness.experiment.results_folder import RESULTS, VALUES, save_results
from report.made_results import MADE, comparison, results


def small(name: str = "Made by chance", **more):
    return results(comparison(["one", "two"], 3), **more)


@pytest.fixture
def folder(tmp_path):
    save_results(small(), tmp_path / "first")
    save_results(results(comparison(), comparison(setting="titles")), tmp_path / "deep" / "second")
    (tmp_path / "no results").mkdir()
    return tmp_path


def test_what_is_there(folder):
    found = {one.name: one for one in SavedResults(folder).all()}
    assert list(found) == ["deep/second", "first"]
    second = found["deep/second"]
    assert second.title == "Made by chance"
    assert second.date == MADE.date
    assert second.collections == ("chance",)
    assert second.parts == ("chance", "chance, titles")
    assert second.rankers == ("one", "two", "three")
    assert second.measures == ("nDCG@10", "AP")
    assert (second.queries, found["first"].queries) == (9, 3)
    assert second.to_json()["parts"] == ("chance", "chance, titles")


def test_the_newest_first(folder):
    plain = json.loads((folder / "first" / RESULTS).read_text())
    plain["made"]["date"] = "2027-01-01T00:00:00+00:00"
    (folder / "first" / RESULTS).write_text(json.dumps(plain))
    saved = SavedResults(folder)
    assert [one.name for one in saved.all()] == ["first", "deep/second"]
    assert saved.open().name == "first"


def test_a_folder_that_is_results_itself(folder):
    assert [one.name for one in SavedResults(folder / "first").all()] == ["first"]
    assert SavedResults(folder / "first").open("first").results.name == "Made by chance"


@pytest.mark.parametrize("place", [None, "nowhere"])
def test_nothing_is_there(tmp_path, place):
    saved = SavedResults(None if place is None else tmp_path / place)
    assert saved.all() == []
    with pytest.raises(
        NotFound, match=r"no results are served: make some by `aboutness experiment … -o results/NAME`"
    ):
        saved.open()


@pytest.mark.parametrize("name", ["", ".", "..", "../first", "first/", "/etc", "deep", "deep/../first", "first\0"])
def test_names_never_become_paths(folder, name):
    with pytest.raises(NotFound, match=r"there are no results .*; there are deep/second, first$"):
        SavedResults(folder).open(name)


def test_links_to_other_folders_are_not_followed(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    save_results(small(), elsewhere / "third")
    (folder / "link").symlink_to(elsewhere)
    assert [one.name for one in SavedResults(folder).all()] == ["deep/second", "first"]


def test_damaged_results_are_listed_with_the_problem(folder):
    (folder / "broken").mkdir()
    (folder / "broken" / RESULTS).write_text("{")
    (folder / "other").mkdir()
    (folder / "other" / RESULTS).write_text('{"comparisons": 3}')
    found = {one.name: one.problem for one in SavedResults(folder).all()}
    assert "no results of `aboutness experiment -o`" in found["broken"]
    assert "or of another version" in found["other"]
    assert not found["first"]
    saved = SavedResults(folder)
    for name in ("broken", "other"):
        with pytest.raises((BadInput, NotFound), match=r"no JSON|which belongs to the results"):
            saved.open(name)
    assert saved.open().name == "deep/second"


def test_a_mean_that_is_no_number(folder):
    text = (folder / "first" / RESULTS).read_text()
    plain = json.loads(text)
    plain["comparisons"][0]["rows"][0]["AP"] = float("nan")
    (folder / "first" / RESULTS).write_text(json.dumps(plain))
    with pytest.raises(BadInput, match="the mean AP of one is no number"):
        SavedResults(folder).open("first")


def test_a_value_that_is_lacking(folder):
    table = folder / "first" / VALUES
    table.write_text("".join(line for line in table.read_text().splitlines(True) if "two,q1,AP" not in line))
    with pytest.raises(BadInput, match=r"first: per_query.csv lacks values of two"):
        SavedResults(folder).open("first")


def test_only_broken_ones(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / RESULTS).write_text("[]")
    with pytest.raises(NotFound, match="none of the results that are served can be read: broken"):
        SavedResults(tmp_path).open()


def test_half_a_character(folder):
    plain = json.loads((folder / "first" / RESULTS).read_text())
    plain["name"] = "half \ud800"
    (folder / "first" / RESULTS).write_text(json.dumps(plain))
    assert {one.title for one in SavedResults(folder).all()} == {"Made by chance", "half ?"}


def test_a_name_that_is_no_text(folder):
    try:
        os.mkdir(os.fsencode(folder) + b"/\xff")
    except OSError:
        pytest.skip("this file system takes only text")
    save_results(small(), folder / os.fsdecode(b"\xff"))
    assert [one.name for one in SavedResults(folder).all()] == ["deep/second", "first"]


def test_kept_until_they_change(folder):
    saved = SavedResults(folder)
    first = saved.open("first")
    assert saved.open("first") is first
    save_results(results(comparison(["one", "two", "new"], 4)), folder / "first")
    again = saved.open("first")
    assert again is not first
    assert [row.name for row in again.results.comparisons[0].rows] == ["one", "two", "new"]
    assert next(one for one in saved.all() if one.name == "first").queries == 4


def test_only_some_are_kept(tmp_path):
    given = small()
    for number in range(MOST_OPEN + 1):
        save_results(given, tmp_path / str(number))
    saved = SavedResults(tmp_path)
    opened = [saved.open(str(number)) for number in range(MOST_OPEN + 1)]
    assert saved.open(str(MOST_OPEN)) is opened[-1]
    assert saved.open("0") is not opened[0]


def test_computed_once(folder):
    opened, asked = SavedResults(folder).open("first"), []
    for _ in range(2):
        assert opened.once("key", lambda: asked.append(1) or "value") == "value"
    assert asked == [1]
