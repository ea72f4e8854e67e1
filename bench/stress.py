"""`python -m bench.stress [NAME …] [--quick]`: the long versions of the tests of reliability, one after the other.

Each is bounded in count and time, works on folders of its own and on the loopback only. Figures go to
bench/results/stress.{json,md}; those of parts that are not run this time are kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import circumstances, keep, kept, made_by, table, tell

ROOT = Path(__file__).parents[1]
NAME = "stress"
PARTS = {  # by name: what each is run with
    "kill": ["--count", "2000", "--seconds", "600"],
    "power": ["--count", "200000", "--seconds", "400"],
    "damage": ["--count", "10000", "--seconds", "600"],
    "concurrency": ["--count", "6", "--seconds", "240"],
    "state_machine": ["--count", "3000", "--seconds", "600"],
    "parsers": ["--count", "100000", "--seconds", "240"],
    "overload": ["--count", "150000", "--seconds", "240"],
    "shutdown": ["--count", "50", "--seconds", "400"],
}
QUICK = ["--seconds", "10"]
HEAD = ["part", "figures", "failures", "time", "command"]


def run(name: str, arguments: list[str]) -> dict[str, Any]:
    """Return the figures of one part."""
    command = [sys.executable, "-m", f"tests.stress.{name}", *arguments]
    start = time.perf_counter()
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    figures: dict[str, Any] = json.loads(lines[-1]) if lines else {"failures": [f"ended with {ended.returncode}"]}
    return {
        **figures,
        "command": f"python -m tests.stress.{name} {' '.join(arguments)}".strip(),
        "wall_s": round(time.perf_counter() - start, 1),
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
    }


def rows(parts: dict[str, Any]) -> list[list[str]]:
    """Return a row for each part: what was done how often, and what failed."""
    hidden = ("command", "wall_s", "date", "failures", "seconds", "wanted")
    return [
        [
            name.replace("_", " "),
            ", ".join(
                f"{key.replace('_', ' ')} {_shown(value)}" for key, value in one.items() if key not in hidden
            ),
            f"{len(one['failures'])}",
            f"{one['wall_s']:.0f} s",
            f"`{one['command']}`",
        ]
        for name, one in parts.items()
    ]


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_shown(one)}" for key, one in value.items()) + ")"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="ten seconds each, and nothing is written")
    options = parser.parse_args()
    parts = {} if options.quick else dict(kept(NAME).get("parts", {}))
    failed = []
    for name in options.names or PARTS:
        tell(name)
        parts[name] = run(name, QUICK if options.quick else PARTS[name])
        failed += [name] if parts[name]["failures"] else []
        if not options.quick:
            results = {**circumstances("aboutness", "numpy"), "parts": parts}
            keep(NAME, results, report(results))
    print("\n".join(table(HEAD, rows(parts))))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def report(results: dict[str, Any]) -> str:
    lines = ["# Stress", "", made_by("bench.stress", results), "", *table(HEAD, rows(results["parts"])), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
