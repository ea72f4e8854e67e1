"""Building: a warning ends it, and so do two pages at one place."""

from __future__ import annotations

import pytest
from docsite import building
from docsite.page import Page
from docsite.repository import FIRST

from aboutness.core.errors import BadInput

HOME = Page(FIRST, "Home", "# Home\n\n[other](other.md#part)\n")
OTHER = Page("other.md", "Other", "# Other\n\n## Part\n\nSome words.\n")


@pytest.fixture
def build(tmp_path, monkeypatch):
    def building_of(*pages):
        monkeypatch.setattr(building, "all_pages", lambda _: list(pages))
        return building.build(tmp_path / "site", tmp_path)

    return building_of


def test_pages_become_a_site(build, tmp_path):
    assert build(HOME, OTHER) == 2
    assert 'href="other.html#part"' in (tmp_path / "site" / "index.html").read_text("utf-8")
    assert not (tmp_path / "site" / "sitemap.xml").exists()
    assert '["other.html#part","Other","Part","Some words."]' in (
        tmp_path / "site" / "assets" / "search-index.js"
    ).read_text("utf-8")


def test_what_was_there_is_replaced(build, tmp_path):
    build(HOME, OTHER)
    build(Page(FIRST, "Home", "# Home"))
    assert [path.name for path in (tmp_path / "site").glob("*.html")] == ["index.html"]


@pytest.mark.parametrize(
    "text", ["# Home\n\n[x](none.md)", "# Home\n\n[x](other.md#none)", "# Home\n\n[x](/other.md)"]
)
def test_a_link_that_leads_nowhere_ends_it(build, capfd, text):
    with pytest.raises(BadInput, match="the site was not built"):
        build(Page(FIRST, "Home", text), OTHER)
    assert "index.md" in capfd.readouterr().err


def test_a_link_in_html_that_leads_nowhere_ends_it(build):
    with pytest.raises(BadInput, match=r"index\.html: it needs 'none\.png', which is not there"):
        build(Page(FIRST, "Home", '# Home\n\n<div><img src="none.png" alt=""></div>'), OTHER)


def test_two_pages_at_one_place_are_refused(build):
    with pytest.raises(BadInput, match=r"two pages would be at other\.md"):
        build(HOME, OTHER, OTHER)
