"""The list of stored results; the results themselves are pages that the benchmarks write."""

from __future__ import annotations

import re
from collections.abc import Iterable

from docsite.markdown import page, table
from docsite.page import Page

FOLDER = "benchmarks"
PATH = f"{FOLDER}/index.md"


def benchmarks_page(results: Iterable[Page]) -> Page:
    """Return the list of pages with results."""
    rows = ([f"[{one.title}]({one.path.removeprefix(f'{FOLDER}/')})", _made_by(one.text)] for one in results)
    return Page(
        PATH,
        "All measurements",
        page(
            "# Measurements",
            "What was measured, as it was written down, by which command and when. Bars that were missed are "
            "said to be missed. `make bench` measures again, against the same peers.",
            table(["measurement", "made by"], rows),
        ),
    )


def _made_by(text: str) -> str:
    """Return the command by which results were made."""
    found = re.search(r"^Made by (`[^`]+`)", text, re.MULTILINE)
    return found[1] if found else ""
