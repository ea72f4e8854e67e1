"""Build the site: pages are written to a folder, made into HTML by ProperDocs, and looked through."""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from aboutness.core.errors import BadInput
from docsite.checking import problems_in
from docsite.making import all_pages
from docsite.navigation import navigation
from docsite.page import Page
from docsite.repository import ROOT, pictures
from docsite.searching import write_search

HERE = Path(__file__).parent
SITEMAPS = ("sitemap.xml", "sitemap.xml.gz")  # for crawlers, which need an address that this site has not


def build(target: Path, root: Path = ROOT) -> int:
    """Make the site in a folder, in place of what is there; return the number of pages.

    A warning ends it, and so does a link of the finished site that leads nowhere or to another host's files.
    """
    pages = all_pages(root)
    with tempfile.TemporaryDirectory(prefix="docsite-") as folder:
        staged = Path(folder) / "pages"
        _stage(staged, pages, root)
        _make(staged, target.resolve(), pages)
    for name in SITEMAPS:
        (target / name).unlink(missing_ok=True)
    write_search(target)
    if found := list(problems_in(target)):
        raise BadInput("the site has links that do not work:\n" + "\n".join(found))
    return len(pages)


def _stage(folder: Path, pages: Iterable[Page], root: Path) -> None:
    """Write all pages, and the pictures beside them, to a folder."""
    for page in pages:
        path = folder / page.path
        if path.exists():
            raise BadInput(f"two pages would be at {page.path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, "utf-8")
    for source, target in pictures(root).items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, folder / target)


def _make(staged: Path, target: Path, pages: Iterable[Page]) -> None:
    """Let ProperDocs make HTML of pages; a warning ends it."""
    from properdocs.commands.build import build as make
    from properdocs.config import load_config
    from properdocs.exceptions import Abort

    log = logging.getLogger("properdocs")
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.WARNING)
    log.addHandler(handler)
    try:
        config = load_config(
            str(HERE / "properdocs.yml"),
            docs_dir=str(staged),
            site_dir=str(target),
            nav=navigation(pages),
            strict=True,
        )
        make(config)
    except Abort as error:
        raise BadInput(f"the site was not built: {error}; what was wrong is said above") from None
    finally:
        log.removeHandler(handler)
