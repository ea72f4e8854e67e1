"""Links between pages lead somewhere: to files of the repository, or to pages that are made with the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aboutness.evaluate.measures import known_measures
from aboutness.rank.known import known_rankers
from e2e.blocks import blocks_of
from e2e.pages import PAGES, ROOT, name_in_page

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
DOCS = ROOT / "docs"
REFERENCE = {"cli", "python", "http"}
LISTS = {"models", "measures", "trainers", "benchmarks"}  # which have a page that lists theirs


def text_of(page: Path) -> str:
    """A page without its code, in which brackets mean something else."""
    lines = page.read_text("utf-8").split("\n")
    for block in blocks_of("\n".join(lines)):
        lines[block.first : block.last] = [""] * (block.last - block.first)
    return re.sub(r"`(?:(?!\n\n)[^`])+`", "``", "\n".join(lines))


def links_of(page: Path) -> list[str]:
    return [one for one in LINK.findall(text_of(page)) if not one.startswith(("http://", "https://", "#"))]


def is_made(target: Path) -> bool:
    """Tell whether a page is one that is made with the site."""
    if not target.is_relative_to(DOCS) or target.suffix != ".md":
        return False
    kind, _, name = target.relative_to(DOCS).with_suffix("").as_posix().partition("/")
    made = {"models": set(known_rankers(combinations=True)), "measures": measures(), "reference": REFERENCE}
    return name in made.get(kind, ()) or (kind in LISTS and name == "index")


def measures() -> set[str]:
    return {one["name"].lower() for one in known_measures()}


PAGES_WITH_LINKS = [page for page in [*PAGES, ROOT / "ARCHITECTURE.md"] if links_of(page)]


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=[name_in_page(ROOT, page) for page in PAGES_WITH_LINKS])
def test_links_lead_somewhere(page):
    for link in links_of(page):
        assert not link.startswith("/"), f"{link} is not relative"
        target = (page.parent / link.partition("#")[0]).resolve()
        assert target.exists() or is_made(target), f"{name_in_page(ROOT, page)}: {link} leads nowhere"


def test_every_page_of_the_docs_can_be_reached_from_the_first():
    found, todo = set(), [DOCS / "index.md"]
    while todo:
        page = todo.pop()
        if page in found or page.suffix != ".md" or not page.is_file():
            continue
        found.add(page)
        todo += [(page.parent / link.partition("#")[0]).resolve() for link in links_of(page)]
    assert {page for page in PAGES if page.is_relative_to(DOCS)} <= found


def test_links_that_lead_nowhere_are_found():
    assert is_made(DOCS / "models" / "bm25.md")
    assert is_made(DOCS / "measures" / "ndcg.md")
    assert not is_made(DOCS / "models" / "bm26.md")
    assert not is_made(DOCS / "tutorials.md")
    assert not is_made(ROOT / "models" / "bm25.md")
