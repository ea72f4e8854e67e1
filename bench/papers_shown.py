"""How reproductions are shown: verdicts in short, and each claim with what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.report import table

VERDICTS = ("holds here", "does not hold here", "cannot be tested here")


def report(results: Mapping[str, Any]) -> str:
    """Return all reproductions as one page."""
    blocks = shown(results)
    parts = ["# The papers done again", "", "Made by `make reproduce`.", "", blocks["papers"]]
    for name, one in results.items():
        parts += ["", f"## {name}", "", one["reference"], "", one["summary"], "", blocks[name]]
        parts += ["", blocks[f"{name}_replaced"]]
    return "\n".join([*parts, ""])


def shown(results: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables by name: all papers in short, and for each its claims and what was replaced."""
    made = {
        "papers": table(
            ["paper", *VERDICTS, "numbers in its report"],
            [
                [f"`{name}`", *(_count(one, verdict) for verdict in VERDICTS), f"{one['numbers']:,}"]
                for name, one in results.items()
            ],
        )
    }
    for name, one in results.items():
        made[name] = table(
            ["the paper claims", "here", "what was found"],
            [[_cell(claim["says"]), f"**{claim['verdict']}**", _cell(claim["found"])] for claim in one["claims"]],
        )
        made[f"{name}_replaced"] = table(
            ["in the paper", "here", "why"],
            [[_cell(some[key]) for key in ("paper", "here", "why")] for some in one["replaced"]],
        )
    return {name: "\n".join(lines) for name, lines in made.items()}


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def _count(one: Mapping[str, Any], verdict: str) -> int:
    return sum(claim["verdict"] == verdict for claim in one["claims"])
