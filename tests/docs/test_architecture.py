"""What ARCHITECTURE.md and the list of decisions say there is, is there; and what is there is said."""

from __future__ import annotations

import re
import tomllib

import pytest

from e2e.pages import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROOMS = dict(re.findall(r"^\| `(\w+)/` \|(.*)\|$", TEXT, re.MULTILINE))
PACKAGE = ROOT / "src" / "aboutness"
DECISIONS = ROOT / "docs" / "decisions"


def test_rooms_stand_in_the_order_in_which_they_may_import():
    assert set(ROOMS) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = [re.findall(r"\w+$|\w+(?= \|)", layer) for layer in settings["contracts"][0]["layers"]]
    level = {room: height for height, rooms in enumerate(reversed(layers)) for room in rooms}
    assert set(level) == set(ROOMS)
    levels = [level[room] for room in ROOMS]
    assert levels == sorted(levels)


@pytest.mark.parametrize("room", ROOMS)
def test_files_that_a_room_is_said_to_have_are_there(room):
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", ROOMS[room]):
        assert (PACKAGE / room / name).exists(), name


def test_all_kernels_are_named():
    named = re.split(r", ", ROOMS["kernels"].rpartition("|")[2].strip())
    there = {path.stem for path in (PACKAGE / "kernels").glob("*.py")} - {"__init__", "compiled"}
    assert {name.replace(" ", "_") for name in named} == there


def test_every_decision_is_listed_by_its_title():
    listed = dict(
        re.findall(r"^- \[(.+)\]\((.+\.md)\)$", (DECISIONS / "README.md").read_text("utf-8"), re.MULTILINE)
    )
    there = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))
    assert list(listed.values()) == there
    for title, name in listed.items():
        assert title[:5] == f"{name[:4]} "
        assert (DECISIONS / name).read_text("utf-8").startswith(f"# {title}\n")
