"""A figure as a part of a page: it takes the page's ink, and no style that a strict page would refuse."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from aboutness.report.figures.sheet import INK, PALE, SOFT, house_style
from aboutness.report.markup import without_unwanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LONG_NUMBER = re.compile(r"(\.\d\d)\d+")
STRENGTHS = {INK: "", SOFT: ".7", PALE: ".22"}  # of the page's ink, by our colours
PLACES = frozenset({"d", "x", "y", "width", "height"})
NO_ATTRIBUTES = frozenset({"mix-blend-mode", "white-space"})  # of styles, as SVG has none of that name


def inline_svg(figure: Figure, name: str, description: str) -> str:
    """Return a figure as an SVG element to stand within a page; `name`, unlike any other there, begins its ids."""
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
    root = ET.fromstring(content.getvalue())  # noqa: S314 - made above
    _drop(root, {"metadata", "style"})
    used = [one[1:] for element in root.iter() for value in element.attrib.values() for one in _references(value)]
    made = {old: f"{name}-{number}" for number, old in enumerate(dict.fromkeys(used), 1)}
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.attrib = _attributes(element, made)
        element.text = element.tail = None
    width, height = (root.attrib.pop(key) for key in ("width", "height"))
    root.attrib.pop("version", None)
    title = ET.Element("title", {"id": f"{name}-title"})
    title.text = without_unwanted(description)
    root.insert(0, title)
    root.attrib |= {
        "role": "img", "aria-labelledby": f"{name}-title", "width": _pixels(width),
        "height": _pixels(height), "fill": "currentColor", "stroke-linejoin": "round", "stroke-linecap": "butt",
    }  # fmt: skip
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _pixels(points: str) -> str:
    return f"{float(points.removesuffix('pt')) * 4 / 3:.0f}"


def _drop(element: ET.Element, tags: set[str]) -> None:
    for child in list(element):
        if child.tag.removeprefix(SVG) in tags:
            element.remove(child)
        else:
            _drop(child, tags)


def _references(value: str) -> list[str]:
    return re.findall(r"#[^)\s\"']+", value) if "url(#" in value or value.startswith("#") else []


def _attributes(element: ET.Element, made: dict[str, str]) -> dict[str, str]:
    """Return an element's attributes with its style among them, short numbers, the page's ink, and ids as made."""
    found: dict[str, str] = {}
    for key, value in element.attrib.items():
        if key == "style":
            pairs = [one.split(":", 1) for one in value.split(";") if ":" in one]
            found |= {
                name.strip(): setting.strip() for name, setting in pairs if name.strip() not in NO_ATTRIBUTES
            }
        elif key == "id":
            found |= {"id": made[value]} if value in made else {}
        else:
            found["href" if key == LINK else key] = _shorter(key, value)
    ink = {
        f"{key}-opacity": strength for key in ("fill", "stroke") if (strength := STRENGTHS.get(found.get(key, "")))
    }
    return {key: _own(value, made) for key, value in found.items()} | ink


def _shorter(key: str, value: str) -> str:
    """Return a place with as many digits as can be seen."""
    if key in PLACES:
        return " ".join(LONG_NUMBER.sub(r"\1", value).split())
    return LONG_NUMBER.sub(r"\1", value) if key == "transform" and "scale" not in value else value


def _own(value: str, made: dict[str, str]) -> str:
    if value in STRENGTHS:
        return "currentColor"
    if value.startswith("#") and value[1:] in made:
        return f"#{made[value[1:]]}"
    return re.sub(r"url\(#([^)]+)\)", lambda found: f"url(#{made[found[1]]})", value)
