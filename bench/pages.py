"""`python -m bench.pages`: write measured figures into the pages that show them.

In a page, what stands between `<!-- measured: NAME -->` and `<!-- /measured -->` is replaced; where the line goes
on, it is the one number behind `<!-- measured: NAME -->`. A test compares the pages with the stored results.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import beside, first_use, sentences, serving, stress
from bench.papers_shown import shown
from bench.report import RESULTS, kept, table

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"<!-- measured: (\w+) -->\n.*?<!-- /measured -->", re.DOTALL)
NUMBER = re.compile(r"<!-- measured: (\w+) -->(?!\n)(?:\.\d+)?")
FIRST = "nDCG@10"
NOT_YET = "Not measured yet."


def short(value: float) -> str:
    """Return a share in three digits, as papers print it."""
    return f"{value:.3f}".removeprefix("0")


def default_ranker(results: Mapping[str, Any]) -> dict[str, str]:
    """Return what was measured of the default ranker, by name."""
    effect, rows = results["effect"], results["speed"]
    seven, others = effect["seven"], effect["others"]
    adjusted = holm([one["p"][FIRST] for one in seven.values()])
    names = list(next(iter(seven.values()))["means"])
    first = [name for name in names if name in ("bm25", "default") or name.startswith("default-vectors")]

    def mean(name: str) -> float:
        return statistics.mean(one["means"][name][FIRST] for one in seven.values())

    blocks = {
        "seven": table(
            ["", *seven, "mean"],
            [
                *([name, *(short(one["means"][name][FIRST]) for one in seven.values()), short(mean(name))]
                  for name in first),
                ["p of default and bm25", *(f"{p:.2g}" for p in adjusted), ""],
            ],
        ),
        "others": table(
            ["collection", "documents", "queries", "bm25", "default", "p"],
            [
                [name, f"{one['documents']:,}", f"{one['queries']:,}", short(one["means"]["bm25"][FIRST]),
                 short(one["means"]["default"][FIRST]), f"{one['p'][FIRST]:.2g}"]
                for name, one in others.items()
            ],
        ),
        "left": [short(statistics.mean(one[FIRST] for one in effect["left_out"].values()))],
        "ingredients": table(
            ["", "mean"], [[name, short(mean(name))] for name in names if not name.startswith("default-vectors")]
        ),
        "speed": table(
            ["documents", "training s", "disk MB", "query, p50 ms", "p95 ms", "CPU ms", "memory MB"],
            [
                [f"{row['documents']:,}", f"{row['training_seconds']:.0f}", f"{row['disk_mb']:.0f}",
                 *(f"{row['questions']['default'][key]:.1f}" for key in ("p50_ms", "p95_ms", "cpu_ms")),
                 f"{row['questions']['default']['peak_mb']:.0f}"]
                for row in rows
            ],
        ),
    }  # fmt: skip
    return {name: "\n".join(lines) for name, lines in blocks.items()}


def holm(p_values: list[float]) -> list[float]:
    """Return p-values corrected by Holm's method."""
    from aboutness.evaluate.corrections import adjusted

    return list(adjusted(p_values, "holm").tolist())


def filled(page: str, figures: Mapping[str, str]) -> str:
    """Return a page with its figures."""
    page = BLOCK.sub(lambda found: f"<!-- measured: {found[1]} -->\n{figures[found[1]]}\n<!-- /measured -->", page)
    return NUMBER.sub(lambda found: f"<!-- measured: {found[1]} -->{figures[found[1]]}", page)


def measuring(results: Mapping[str, Any]) -> dict[str, str]:
    """Return how fast runs are measured, by name."""
    rows = {(row["source"], row["side"]): row for row in results["comparisons"]}
    sides = ("aboutness", "ranx", "ranx, nothing compiled")
    return {
        "measuring": "\n".join(
            table(
                ["work, seconds", *sides],
                [
                    [f"from {source}, {words}", *(f"{rows[source, side][key]:.2f}" for side in sides)]
                    for source in ("dictionaries", "files")
                    for key, words in (("fresh", "in a new process"), ("again", "again in the same one"))
                ],
            )
        )
    }


def served(results: Mapping[str, Any]) -> dict[str, str]:
    """Return how fast the server answers, by name."""
    return {"serving": "\n".join(table(serving.HEAD, serving.cells(results)))}


def first_used(results: Mapping[str, Any]) -> dict[str, str]:
    """Return how long processors work for commands the first time, by name."""
    return {"first": "\n".join(table(first_use.HEAD, first_use.worked(results)))}


def stressed(results: Mapping[str, Any]) -> dict[str, str]:
    """Return what the long tests of reliability found, by name."""
    return {"stress": "\n".join(table(stress.HEAD, stress.rows(results["parts"])))}


def reported(results: Mapping[str, Any]) -> dict[str, str]:  # noqa: ARG001 - they are written already
    """Return the reports of what is measured beyond one machine, by name."""
    parts = ("identical", "building", "running", "training", "growth", "approximate", "calculation")
    return {part: _report(RESULTS / f"scale_{part}.md") for part in parts}


def _report(path: Path) -> str:
    """Return a report as a part of a page: without its title, and its headings two levels down."""
    if not path.is_file():
        return NOT_YET
    text = path.read_text("utf-8").split("\n", 1)[1]
    return re.sub(r"^##", "####", text, flags=re.MULTILINE).strip()


def ranked(results: Mapping[str, Any]) -> dict[str, str]:
    """Return how good rankings are beside those of a sentence transformer, and what they cost, by name."""
    return {"ranked": "\n".join(sentences.both(results["rows"]))}


def compared(results: Mapping[str, Any]) -> dict[str, str]:  # noqa: ARG001 - they come from many files
    """Return how fast it is beside others, in all kinds of work and in some, by name."""
    return {"beside": "\n".join(beside.lines()), "fast": "\n".join(beside.lines(beside.FIRST))}


PAGES = {
    "README.md": {"sentences": ranked, "search": compared},
    "docs/tour.md": {"default": default_ranker, "papers": shown},
    "docs/speed.md": {"search": compared, "measures": measuring, "serving": served, "first_use": first_used},
    "docs/reliability.md": {"stress": stressed},
    "docs/scale.md": {"scale": reported},
    "docs/approximate.md": {"scale": reported},
    "docs/default.md": {"default": default_ranker},
    "docs/papers.md": {"papers": shown},
}
"""Pages, and for each the results that they show."""


def figures_of(page: str) -> dict[str, str]:
    """Return all figures of a page by name."""
    return {name: text for results, made in PAGES[page].items() for name, text in made(kept(results)).items()}


def main() -> None:
    for name in PAGES:
        path = ROOT / name
        path.write_text(filled(path.read_text("utf-8"), figures_of(name)), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
