"""Reports on results: one file that says everything, in the form that its name asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from aboutness.app.comparing import results_of
from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.atomic import write_whole
from aboutness.experiment.compare import Comparison
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import read_results
from aboutness.report.findings import Section, sections
from aboutness.report.latex import latex_report
from aboutness.report.markdown import markdown_report
from aboutness.report.page import report_page
from aboutness.report.tidy import csv_report, json_report

__all__ = ["FORMS", "write_report"]

FORMS: dict[str, Callable[[Results, Sequence[Section]], str]] = {
    ".html": report_page,
    ".tex": latex_report,
    ".md": markdown_report,
    ".csv": csv_report,
    ".json": json_report,
}


def write_report(of: Results | Comparison | str | Path, *targets: str | Path) -> list[Path]:
    """Write reports on results, on a comparison, or on a folder of results; return the files.

    The ending of a name says its form: .html (one page that loads nothing), .tex, .md, .csv or .json. Each says
    what the data were, what was tested and how, and how all was made.

        write_report(compare(["bm25", "ql"], "cranfield"), "report.html", "table.tex")
    """
    forms = [_form(target) for target in targets]
    if not targets:
        raise UsageError(f"name a file to write, that ends in {', '.join(FORMS)}")
    with ExitStack() as opened:  # a name that cannot be written is told before the work, not after it
        files = [opened.enter_context(write_whole(target)) for target in targets]
        results = of if isinstance(of, Results) else results_of(of) if isinstance(of, Comparison) else _read(of)
        found = sections(results)
        for form, file in zip(forms, files, strict=True):
            file.write(form(results, found).encode("utf-8", "replace"))
    return [Path(target) for target in targets]


def _form(target: str | Path) -> Callable[[Results, Sequence[Section]], str]:
    ending = Path(target).suffix.lower()
    if ending not in FORMS:
        raise UsageError(f"a report's file ends in {', '.join(FORMS)}, got {shown(str(target))}")
    return FORMS[ending]


def _read(of: object) -> Results:
    if not isinstance(of, str | Path):
        raise UsageError(f"a report is on results, a comparison or a folder of results, got {shown(of)}")
    return read_results(of)
