"""All pages of the site, made and written by hand."""

from __future__ import annotations

from pathlib import Path

from docsite.generated.benchmarks import FOLDER, PATH, benchmarks_page
from docsite.generated.commands import command_pages
from docsite.generated.http_api import http_pages
from docsite.generated.lists import analyzers_page, figure_kinds_page, formats_page
from docsite.generated.measures import measure_pages
from docsite.generated.python_api import python_pages
from docsite.generated.rankers import ranker_pages
from docsite.generated.trainers import trainer_pages
from docsite.hand_written import HandWritten
from docsite.page import Page
from docsite.repository import ROOT


def generated_pages() -> list[Page]:
    """Return the pages that the package makes of what it says about itself."""
    return [
        *ranker_pages(),
        *measure_pages(),
        *trainer_pages(),
        analyzers_page(),
        formats_page(),
        figure_kinds_page(),
        *command_pages(),
        *python_pages(),
        *http_pages(),
    ]


def all_pages(root: Path = ROOT) -> list[Page]:
    """Return all pages of the site, in no order that matters."""
    made = generated_pages()
    written = HandWritten({PATH, *(page.path for page in made)}, root).pages()
    results = [page for page in written if page.path.startswith(f"{FOLDER}/")]
    return [*made, benchmarks_page(results), *written]
