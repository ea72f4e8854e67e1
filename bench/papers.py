"""`python -m bench.papers`: keep what `make reproduce` found, which docs/papers.md and the README show.

It reads the folders that `make reproduce` wrote; a paper that is not there stays as it was.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from aboutness.papers import NAMES
from bench.pages import main as fill_pages
from bench.papers_shown import report
from bench.report import keep, kept, tell

NAME = "papers"
FOLDER = Path(__file__).parents[1] / "reproduced"


def found_in(folder: Path) -> dict[str, Any]:
    """Return what is kept of a reproduction: claims and verdicts, and how its numbers were checked."""
    plain = json.loads((folder / "report.json").read_text("utf-8"))
    made = plain["made"]
    return {
        **{name: plain[name] for name in ("reference", "summary", "checked", "claims", "replaced")},
        "numbers": len(plain["values"]),
        **{name: made[name] for name in ("date", "versions")},
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.papers", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where reproductions are")
    options = parser.parse_args()
    results = kept(NAME)
    for name in NAMES:
        if (options.folder / name / "report.json").is_file():
            results[name] = found_in(options.folder / name)
        else:
            tell(f"{options.folder / name}: nothing there; make it: aboutness reproduce {name}")
    results = {name: results[name] for name in NAMES if name in results}
    keep(NAME, results, report(results))
    fill_pages()


if __name__ == "__main__":
    main()
