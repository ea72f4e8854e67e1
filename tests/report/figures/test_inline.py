from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("matplotlib")

from aboutness.report.figures.curves import precision_recall
from aboutness.report.figures.differences import wins
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import as_bytes

DESCRIPTION = 'curves <b> & "more"'


def curves():
    return precision_recall({"one": [0.9, 0.5], "a & b": [0.7, 0.6]}, [0, 1])


def won():
    return wins({"one": [0.5, -0.25, 0.0], "two": [0.1, 0.2, -0.3]}, "three", "AP")


@pytest.fixture(scope="module", params=[curves, won])
def figure(request):
    return request.param()


def test_no_style_that_a_strict_page_refuses(figure):
    root = ET.fromstring(inline_svg(figure, "f1", DESCRIPTION))
    assert {element.tag for element in root.iter()}.isdisjoint({"style", "script", "metadata", "image"})
    names = {name for element in root.iter() for name in element.attrib}
    assert "style" not in names
    assert not any(name.startswith(("on", "{", "xmlns")) for name in names)
    assert {"fill", "stroke", "stroke-width", "d", "href"} <= names


def test_ids_are_its_own_and_all_references_lead_somewhere(figure):
    text = inline_svg(figure, "c0-f1", DESCRIPTION)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"c0-f1-(\d+|title)", one) for one in ids)
    used = {*re.findall(r'href="#([^"]+)"', text), *re.findall(r"url\(#([^)]+)\)", text)}
    assert used
    assert used | {"c0-f1-title"} == set(ids)


def test_the_ink_is_the_page_s(figure):
    text = inline_svg(figure, "f1", DESCRIPTION)
    assert "currentColor" in text
    assert "#000000" not in text
    assert "#6e6e6e" not in text
    assert ET.fromstring(text).attrib["fill"] == "currentColor"


def test_described_for_who_cannot_see_it(figure):
    root = ET.fromstring(inline_svg(figure, "f1", DESCRIPTION))
    assert root.attrib["role"] == "img"
    title = root.find("title")
    assert (root.attrib["aria-labelledby"], title.attrib["id"], title.text) == (
        "f1-title",
        "f1-title",
        DESCRIPTION,
    )


def test_smaller_than_a_file_and_as_large_on_the_page(figure):
    text = inline_svg(figure, "f1", DESCRIPTION)
    assert len(text) < len(as_bytes(figure, "svg"))
    root = ET.fromstring(text)
    width = float(root.attrib["viewBox"].split()[2])
    assert float(root.attrib["width"]) == pytest.approx(width * 4 / 3, abs=1)


@pytest.mark.parametrize("draw", [curves, won])
def test_the_same_however_often_it_was_drawn(draw):
    figure = draw()
    first = inline_svg(figure, "f1", DESCRIPTION)
    as_bytes(figure, "svg")
    assert inline_svg(figure, "f1", DESCRIPTION) == first == inline_svg(draw(), "f1", DESCRIPTION)
