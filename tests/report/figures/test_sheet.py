from __future__ import annotations

import builtins
import re
from itertools import pairwise

import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl

from aboutness.core.errors import UsageError
from aboutness.report.figures import sheet
from aboutness.report.figures.curves import precision_recall
from aboutness.report.figures.sheet import (
    as_bytes,
    check_names,
    ending_of,
    fitting,
    legend_height,
    look,
    printable,
)

CURVES = {"one": [0.9, 0.5], "two": [0.7, 0.6]}


def drawing():
    return precision_recall(CURVES, [0, 1])


def test_looks_differ_without_colour():
    every = [look(number) for number in range(sheet.MOST_RANKERS)]
    assert len({one.marker for one in every}) == len({one.hatch for one in every}) == len(every)
    assert len({(one.colour, one.dash) for one in every}) == len(every)
    for one, other in pairwise(every):
        assert one.dash != other.dash
        assert one.colour != other.colour


@pytest.mark.parametrize("ending", sheet.ENDINGS)
def test_the_same_bytes_every_time(ending):
    first = as_bytes(drawing(), ending)
    assert first == as_bytes(drawing(), ending)
    assert not re.search(rb"20\d\d-\d\d-\d\d|CreationDate|dc:date", first)


def test_forms():
    assert as_bytes(drawing(), "svg").startswith(b"<?xml")
    assert as_bytes(drawing(), "png").startswith(b"\x89PNG")
    pdf = as_bytes(drawing(), "pdf")
    assert pdf.startswith(b"%PDF")
    assert b"/FontFile2" in pdf  # the font is inside, and whole
    assert b"/Type3" not in pdf
    assert b"<text" not in as_bytes(drawing(), "svg")  # letters are shapes


def test_settings_of_a_user_change_nothing_and_stay():
    plain = as_bytes(drawing(), "svg")
    own = {"font.size": 20.0, "lines.linewidth": 9.0, "axes.facecolor": "red", "svg.fonttype": "none"}
    with mpl.rc_context(own):
        assert as_bytes(drawing(), "svg") == plain
        assert {name: mpl.rcParams[name] for name in own} == own
    with mpl.rc_context(own):
        with pytest.raises(UsageError):
            precision_recall({})
        assert {name: mpl.rcParams[name] for name in own} == own


def test_no_state_of_pyplot():
    import sys

    drawing()
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


def test_without_matplotlib(monkeypatch):
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[figures\]'"):
        precision_recall(CURVES, [0, 1])


def test_names_in_lines():
    assert fitting("bm25 % 100 >> desm-in-out", 14) == "bm25 % 100 >>\ndesm-in-out"
    assert fitting("x" * 100, 10, 2) == f"{'x' * 10}\n{'x' * 9}…"
    assert fitting(" \n ", 10) == "(no name)"
    assert max(map(len, fitting("word " * 50, 12).split("\n"))) <= 12


def test_what_the_font_lacks():
    assert printable("a\tb\nc  d") == "a b c d"
    assert printable("日本 é א \ud800\x07") == "\ufffd\ufffd é א \ufffd"


def test_more_names_need_more_room():
    heights = [legend_height(["name"] * count) for count in (1, 3, 4, 12)]
    assert heights == sorted(heights)
    assert heights[0] == heights[1] < heights[2] < heights[3]
    assert legend_height(["x" * 100] * 9) > legend_height(["x" * 38] * 9) > legend_height(["x"] * 9)


@pytest.mark.parametrize("count", [0, 13])
def test_too_many_or_none(count):
    with pytest.raises(UsageError, match=f"1 to 12 rankers, got {count}; choose some"):
        check_names(["name"] * count)


@pytest.mark.parametrize("name", ["a.jpg", "svg", "", "a.svg.gz"])
def test_endings(name):
    with pytest.raises(UsageError, match=r"ends in \.svg, \.pdf or \.png, got"):
        ending_of(name)
    assert ending_of("b/a.SVG") == "svg"
