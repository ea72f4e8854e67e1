"""Links: of pages written by hand, in the repository and on the site, and those of a finished site."""

from __future__ import annotations

import pytest
from docsite.built import read_page
from docsite.checking import problems_in
from docsite.hand_written import HandWritten, with_links
from docsite.navigation import navigation
from docsite.page import Page

from aboutness.core.errors import BadInput

HEAD = "<!doctype html><title>t</title>"


@pytest.fixture
def repository(tmp_path):
    for name, text in {
        "README.md": "# Read\n\n[a](docs/a.md#x) [folder](docs/decisions) [code](src/one.py) [results](bench/results)",
        "docs/a.md": "# A\n\n[up](../README.md) ![p](pictures/p.png) `[no](link)` [made](models/bm25.md)\n\n[r]: b/c.md#y\n",
        "docs/b/c.md": "# C\n\n```\n[no](link)\n```\n[out](https://example.org) [here](#y)",
        "docs/decisions/README.md": "# Decisions",
        "docs/pictures/p.png": "",
        "src/one.py": '"""One."""\n',
        "bench/results/x.md": "# X\n\n[a](../../docs/a.md)",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_links_between_files_become_links_between_pages(repository):
    pages = {one.path: one for one in HandWritten({"models/bm25.md"}, repository).pages()}
    assert pages["index.md"].text == (
        "# Read\n\n[a](a.md#x) [folder](decisions/README.md) [code](source/src/one.py.md) [results](benchmarks/index.md)"
    )
    assert pages["a.md"].text == (
        "# A\n\n[up](index.md) ![p](pictures/p.png) `[no](link)` [made](models/bm25.md)\n\n[r]: b/c.md#y\n"
    )
    assert pages["b/c.md"].text.endswith("```\n[no](link)\n```\n[out](https://example.org) [here](#y)")
    assert pages["benchmarks/x.md"].text == "# X\n\n[a](../a.md)"
    assert '"""One."""' in pages["source/src/one.py.md"].text
    assert pages["decisions/README.md"].title == "Decisions"


def test_the_first_page_may_be_one_of_its_own(repository):
    (repository / "docs" / "index.md").write_text("# Home\n\n[r](../README.md)")
    pages = {one.path: one.text for one in HandWritten({"models/bm25.md"}, repository).pages()}
    assert pages["index.md"] == "# Home\n\n[r](readme.md)"
    assert pages["readme.md"].startswith("# Read")
    assert pages["a.md"].startswith("# A\n\n[up](readme.md)")


@pytest.mark.parametrize("link", ["nowhere.md", "../../outside.md", "models/none.md"])
def test_a_link_that_leads_nowhere_is_refused(repository, link):
    (repository / "docs" / "bad.md").write_text(f"# Bad\n\n[x]({link})")
    with pytest.raises(BadInput, match=r"docs/bad\.md: the link .* leads nowhere"):
        HandWritten({"models/bm25.md"}, repository).pages()


def test_a_page_without_a_heading_is_refused(repository):
    (repository / "docs" / "bad.md").write_text("text")
    with pytest.raises(BadInput, match=r"docs/bad\.md: a page begins with a heading"):
        HandWritten({"models/bm25.md"}, repository).pages()


def test_code_keeps_its_links_and_text_does_not():
    text = "[a](b 'c') ``[x](y)``\n~~~\n[p](q)\n~~~\n[d]( e )"
    assert (
        with_links(text, lambda address: f"<{address}>") == "[a](b 'c') ``[x](y)``\n~~~\n[p](q)\n~~~\n[d]( <e> )"
    )


# --- the finished site ---------------------------------------------------------------------------------------------


@pytest.fixture
def finished(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "style.css").write_text("p { background: url(p.png) }")
    (tmp_path / "p.png").write_text("")
    (tmp_path / "index.html").write_text(
        f'{HEAD}<link href="style.css"><main id="m"><a href="sub/b.html#part">b</a></main>'
    )
    (tmp_path / "sub" / "b.html").write_text(
        f'{HEAD}<h2 id="part">b</h2><a href="../index.html#m">a</a><img src="../p.png">'
    )
    return tmp_path


def test_a_sound_site_has_no_problems(finished):
    assert list(problems_in(finished)) == []


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ('<a href="gone.html">x</a>', "index.html: the link 'gone.html' leads nowhere"),
        ('<a href="sub/b.html#no">x</a>', "index.html: the link 'sub/b.html#no' leads to a page that has no such part"),
        ('<a href="#no">x</a>', "index.html: the link '#no' leads to a page that has no such part"),
        ('<a href="../../etc/passwd">x</a>', "index.html: the link '../../etc/passwd' leads nowhere"),
        ('<script src="https://example.org/x.js"></script>', "index.html: it needs 'https://example.org/x.js', which is elsewhere"),
        ('<img src="//example.org/x.png">', "index.html: it needs '//example.org/x.png', which is elsewhere"),
        ('<img src="none.png">', "index.html: it needs 'none.png', which is not there"),
        ('<link rel="stylesheet" href="http://example.org/x.css">', "index.html: it needs 'http://example.org/x.css', which is elsewhere"),
        ('<style>@import "https://example.org/f.css";</style>', "index.html: it needs 'https://example.org/f.css', which is elsewhere"),
        ('<p style="background: url(https://example.org/b.png)">', "index.html: it needs 'https://example.org/b.png', which is elsewhere"),
    ],
)  # fmt: skip
def test_what_does_not_work_is_found(finished, planted, found):
    page = finished / "index.html"
    page.write_text(page.read_text() + planted)
    assert list(problems_in(finished)) == [found]


def test_style_sheets_are_looked_through(finished):
    (finished / "style.css").write_text("@font-face { src: url('https://example.org/f.woff2') }")
    assert list(problems_in(finished)) == ["style.css: it needs 'https://example.org/f.woff2', which is elsewhere"]


def test_a_page_is_read_by_its_parts(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<nav>a <a href='x'>b</a></nav><main><h1>One<a class='headerlink' href='#'>#</a></h1><p>first <b>words<p>more"
        "<h2 id='two'>Two</h2><svg><text>none</text></svg>second<nav><a href='p'>p</a> q <a href='r'>r</a></nav> end</main>z"
    )
    found = read_page(page)
    assert [(part.anchor, part.heading, part.text) for part in found.parts] == [
        ("", "One", "first wordsmore"),
        ("two", "Two", "second end"),
    ]
    assert found.links == ["x", "#", "p", "r"]


def test_links_to_other_hosts_may_be_followed(finished):
    page = finished / "index.html"
    page.write_text(page.read_text() + '<a href="https://example.org/">x</a>')
    assert list(problems_in(finished)) == []


# --- the navigation ------------------------------------------------------------------------------------------------


def pages(*paths):
    return [Page(path, path.removesuffix(".md"), "") for path in paths]


def test_sections_come_in_their_order_and_only_if_they_have_pages():
    made = navigation(
        pages("changelog.md", "concepts/why-idf.md", "index.md", "concepts/aboutness.md", "models/bm25.md")
    )
    assert made == [
        {"Start": [{"index": "index.md"}]},
        {
            "Concepts": [
                {"concepts/aboutness": "concepts/aboutness.md"},
                {"concepts/why-idf": "concepts/why-idf.md"},
            ]
        },
        {"Reference": [{"Rankers": [{"models/bm25": "models/bm25.md"}]}]},
        {"Project": [{"changelog": "changelog.md"}]},
    ]


def test_pages_that_nobody_named_are_shown_too():
    made = navigation(pages("how-to/tune.md", "how-to/anew.md", "other.md", "new/one.md", "source/a.py.md"))
    assert made == [
        {"How to": [{"how-to/tune": "how-to/tune.md"}, {"how-to/anew": "how-to/anew.md"}]},
        {"Project": [{"other": "other.md"}, {"new/one": "new/one.md"}]},
    ]
