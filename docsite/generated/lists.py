"""Pages with lists: analyzers, formats that can be read, and kinds of figures."""

from __future__ import annotations

from aboutness.app import sources, vectors
from aboutness.app.picturing import known_figures
from aboutness.core.errors import UsageError
from aboutness.text.analyzers import ANALYZERS, OPTIONS, analyzer, known_analyzers
from docsite.markdown import block, code, page, prose, table
from docsite.page import Page

TEXT = "The cities' libraries lend 1,200 books a day!"
MOST_TERMS = 12


def analyzers_page() -> Page:
    """Return the ways in which text becomes terms."""
    languages = [name for name in known_analyzers() if name not in ANALYZERS]
    rows = ([code(name), prose(named.summary), _terms(name)] for name, named in ANALYZERS.items())
    return Page(
        "reference/analyzers.md",
        "Analyzers",
        page(
            "# Analyzers",
            "An analyzer makes terms of text. It is chosen when an index is made, and kept in it: whoever asks, "
            "a query is analysed as the documents were. `aboutness analyzers` prints the list.",
            f"The last column shows the terms of “{TEXT}”.",
            table(["analyzer", "what it does", "terms"], rows),
            "## Languages",
            f"There is one for each language that Snowball has stems for: {', '.join(map(code, languages))}. The "
            "last step of each is its language's stems, all else is as in `plain`.",
            "## Options",
            "Options in brackets vary an analyzer:",
            table(["option", "allowed"], ([code(name), prose(option[2])] for name, option in OPTIONS.items())),
            block("aboutness index notes/ -o notes.index --analyzer 'english[stop=none,words=1-2]'", "sh"),
        ),
    )


def _terms(name: str) -> str:
    try:
        terms = analyzer(name).terms(TEXT)
    except UsageError:  # it needs a package that is not installed
        return ""
    return " ".join(map(code, terms[:MOST_TERMS])) + (" …" if len(terms) > MOST_TERMS else "")


def formats_page() -> Page:
    """Return the formats of documents and of word vectors that can be read."""
    return Page(
        "reference/formats.md",
        "Formats",
        page(
            "# Formats",
            "## Documents",
            "What `aboutness index` and `ab.read` read. The first format that recognises a source reads it, "
            "unless one is named; files may be packed (`.gz` and others). `aboutness formats` prints the list.",
            _records(sources.formats()),
            "## Word vectors",
            "What `aboutness vectors import` and `ab.load_vectors` read; `aboutness vectors formats` prints the "
            "list.",
            _records(vectors.formats()),
            "## What can be done to vectors",
            _records(vectors.steps()),
        ),
    )


def figure_kinds_page() -> Page:
    """Return the kinds of figures."""
    return Page(
        "reference/figures.md",
        "Figures",
        page(
            "# Figures",
            "What `aboutness figure KIND` and `ab.figure` draw, as SVG, PDF or PNG: from results of "
            "experiments, from a tuning, or from an index. `aboutness figures` prints the list.",
            _records(known_figures()),
            block("aboutness figure pr first-look -o curves.pdf", "sh"),
        ),
    )


def _records(records: list[dict[str, str]]) -> str:
    """Return a table of records, whose first key is the name."""
    head = list(records[0])
    rows = ([code(str(one[head[0]])), *(prose(str(one[key] or "")) for key in head[1:])] for one in records)
    return table([key.replace("_", " ") for key in head], rows)
