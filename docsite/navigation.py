"""The navigation: sections in a fixed order, each with the pages that are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from docsite.page import Page
from docsite.repository import FIRST
from docsite.source_pages import FOLDER as SOURCES

Entry: TypeAlias = dict[str, "str | list[Entry]"]


@dataclass(frozen=True)
class Section:
    """A part of the navigation: sections, and pages by path; one that ends in / means all others there."""

    title: str
    holds: Sequence[str | Section]


HOW_TO = (
    "add-a-collection", "judge-results", "tune", "write-an-experiment", "reproduce-a-paper",
    "pretrained-vectors", "add-a-model", "serve", "scale-out", "back-up",
)  # fmt: skip
CONCEPTS = ("data-flow", "matching-and-scoring", "aboutness", "in-and-out", "why-idf")
SECTIONS: tuple[Section, ...] = (
    Section("Start", [FIRST, "tutorial.md", "tour.md", "readme.md"]),
    Section("How to", [*(f"how-to/{name}.md" for name in HOW_TO), "how-to/"]),
    Section("Concepts", [*(f"concepts/{name}.md" for name in CONCEPTS), "concepts/"]),
    Section(
        "Reference",
        [
            Section("Rankers", ["models/index.md", "models/"]),
            Section("Measures", ["measures/index.md", "measures/"]),
            Section("Training", ["trainers/index.md", "trainers/"]),
            "reference/analyzers.md",
            "reference/formats.md",
            "reference/figures.md",
            Section("Command line", ["reference/cli.md", "reference/cli/"]),
            Section("Python", ["reference/python.md", "reference/python/"]),
            Section("HTTP", ["reference/http.md", "reference/http/"]),
        ],
    ),
    Section(
        "Evidence",
        [
            "default.md", "speed.md", "papers.md", "scale.md", "approximate.md", "reliability.md",
            Section("Measurements", ["benchmarks/index.md", "benchmarks/"]),
        ],
    ),
    Section(
        "Project",
        [
            "architecture.md", "contributing.md", "changelog.md", "licences.md",
            Section("Decisions", ["decisions/README.md", "decisions/"]),
            "",
        ],
    ),
)  # fmt: skip
"""What is not named, and lies in no folder that is, comes at the end of the last section."""


def navigation(pages: Iterable[Page]) -> list[Entry]:
    """Return the navigation of pages; pages of source files are in none."""
    left = {page.path: page for page in pages if not page.path.startswith(f"{SOURCES}/")}
    named = set(_named(SECTIONS))
    made = [_section(section, left, named) for section in SECTIONS]
    return [entry for entry in made if next(iter(entry.values()))]


def _named(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        for one in section.holds:
            if isinstance(one, Section):
                yield from _named([one])
            else:
                yield one


def _section(section: Section, left: dict[str, Page], named: set[str]) -> Entry:
    """Return the entry of a section, and take its pages out of those that are left."""
    entries: list[Entry] = []
    for one in section.holds:
        if isinstance(one, Section):
            inner = _section(one, left, named)
            entries += [inner] if inner[one.title] else []
        elif one == "" or one.endswith("/"):
            some = [path for path in left if path.startswith(one) and path not in named]
            entries += [{left[path].title: path} for path in some]
            for path in some:
                del left[path]
        elif one in left:
            entries.append({left[one].title: one})
            del left[one]
    return {section.title: entries}
