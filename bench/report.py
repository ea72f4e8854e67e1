"""What reports have in common: tables, verdicts, on what machine, and where results go."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def tell(text: str) -> None:
    """Say how far it is."""
    print(f"  {text}", file=sys.stderr, flush=True)


def met(is_met: bool) -> str:
    """Return the word for a bar that is met, or is not."""
    return "met" if is_met else "MISSED"


def deviation(values: Sequence[float]) -> float:
    """Return the deviation of values from seed to seed."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return a table as lines of Markdown."""
    return [f"| {' | '.join(map(str, cells))} |" for cells in (head, ["---"] * len(head), *rows)]


def circumstances(*packages: str) -> dict[str, Any]:
    """Return when and where something is measured."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def made_by(module: str, results: dict[str, Any]) -> str:
    """Return by which command, when and where results were made, and a note on them if there is one."""
    parts = results.get("measured")
    dates = ", ".join(f"{part} {date}" for part, date in parts.items()) if parts else results["date"]
    made = f"Made by `python -m {module}` ({dates}): {results['machine']}; {results['versions']}."
    return f"{made} {results['note']}" if results.get("note") else made


def kept(name: str) -> dict[str, Any]:
    """Return the results that are there, if any are."""
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def keep(name: str, results: dict[str, Any], report: str) -> None:
    """Write results for machines and for people."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / f"{name}.md").write_text(report)
