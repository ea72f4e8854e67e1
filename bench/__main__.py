"""`python -m bench [TASK...] [--quick] [--rounds N]`: run, print and store every measurement.

The sides of a comparison take turns, each in a fresh process, and the best of the rounds counts: the machine is
shared, so only ratios within one run mean anything. Results go to bench/results/indexing.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.jobs import JOBS

RESULTS = Path(__file__).parent / "results"
BARS = {
    ("matrix", "bm25s"): 5.0,
    ("matrix", "scikit-learn"): 5.0,
    ("index", "bm25s"): 2.5,
    ("index", "tantivy, 1 thread"): 1.3,
    ("index", "tantivy, 2 threads"): 1.3,
}
TASKS = {
    "matrix": "text → matrix (tokens, vocabulary, postings), from records in memory",
    "index": "text → committed index, documents stored, from records in memory",
    "index-english": "the same with stop words and stems (tantivy: stems)",
    "metadata": "the same, plain, with every concept to filter by",
    "file": "file (jsonl.gz) → committed index, parsing included",
}
EXPLANATION = (
    "Times are the best of three rounds where there is a bar (else of one), all sides in turns, each in a fresh "
    "process after a warm-up; ratio = the peer's time / ours. Memory is the process's peak (with the records, "
    "which lie in memory for all alike)."
)
HEAD = "| collection | side | seconds | CPU s | peak MB | disk MB | ratio | bar |"
GROWTH = (10_000, 50_000, 100_000, 300_000, 653_478)


def measure(task: str, side: str, collection: str, most: int | None = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.jobs", task, side, collection, *([str(most)] if most else [])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def compare(task: str, collection: str, rounds: int, most: int | None) -> list[dict[str, Any]]:
    """Measure all sides in turns; return the best round of each, with its ratio to ours."""
    sides = [side for one, side in JOBS if one == task]
    best: dict[str, dict[str, Any]] = {}
    for turn in range(rounds):
        for side in sides:
            found = measure(task, side, collection, most)
            print(f"  {task} {collection} round {turn + 1} {side}: {found['wall']:.2f} s", file=sys.stderr)
            if side not in best or found["wall"] < best[side]["wall"]:
                best[side] = found
    ours = best["aboutness"]["wall"]
    return [
        {"task": task, "collection": collection, "side": side, "ratio": found["wall"] / ours, **found}
        for side, found in best.items()
    ]


def growth(rounds: int, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    rows = []
    for most in sizes:
        found = min((measure("growth", "aboutness", "yso_finna_en", most) for _ in range(rounds)), key=_wall)
        rows.append({"documents": most, **found, "us_per_document": found["wall"] / most * 1e6})
        print(f"  growth {most:,}: {found['wall']:.2f} s", file=sys.stderr)
    return rows


def _wall(found: dict[str, Any]) -> float:
    return float(found["wall"])


def opening(collection: str, rounds: int) -> dict[str, float]:
    """Time opening an index beyond imports, and with the first document and the first posting list."""
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "index")
        build = (
            "from bench.data import records; from aboutness import Index;"
            f"Index.build(records({collection!r}), {place!r})"
        )
        subprocess.run([sys.executable, "-c", build], check=True)
        probe = (
            "import json, time; from aboutness.app.index import Index; t = time.perf_counter();"
            f"i = Index.open({place!r}); a = time.perf_counter() - t; n = len(i); i.snapshot.document(n // 2);"
            "v = i.view(); v.postings(int(v.term_numbers(v.analyzer.terms('economics'))[0])); v.df; v.lengths;"
            "print(json.dumps([a, time.perf_counter() - t]))"
        )
        times = [
            json.loads(subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True).stdout)
            for _ in range(rounds)
        ]
    return {"open_s": min(t[0] for t in times), "open_and_use_s": min(t[1] for t in times)}


def help_cpu(rounds: int) -> float:
    """Return the CPU seconds of `aboutness --help`."""
    best = float("inf")
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "aboutness", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Indexing",
        "",
        f"Made by `make bench` on {results['date']}: {results['machine']}; {results['versions']}.",
        EXPLANATION,
    ]
    for task, title in TASKS.items():
        rows = [row for row in results["comparisons"] if row["task"] == task]
        if not rows:
            continue
        lines += ["", f"## {title}", "", HEAD,
                  "|---|---|---|---|---|---|---|---|"]  # fmt: skip
        for row in rows:
            bar = BARS.get((task, row["side"]))
            met = "" if bar is None else f"≥ {bar} {_met(row['ratio'] >= bar)}"
            if task == "index" and row["side"] == "aboutness":
                met = f"≤ 1,500 MB {_met(row['peak_mb'] <= 1500)}"
            disk = f"{row['disk_mb']:.0f}" if row["disk_mb"] else "-"
            lines.append(
                f"| {row['collection']} | {row['side']} | {row['wall']:.2f} | {row['cpu']:.2f} | "
                f"{row['peak_mb']:.0f} | {disk} | {row['ratio']:.2f} | {met} |"
            )
    if results["growth"]:
        lines += ["", "## Growth (yso_finna_en, english)", "", "| documents | seconds | µs a document | peak MB |",
                  "|---|---|---|---|"]  # fmt: skip
        lines += [
            f"| {row['documents']:,} | {row['wall']:.2f} | {row['us_per_document']:.2f} | {row['peak_mb']:.0f} |"
            for row in results["growth"]
        ]
        first, last = results["growth"][0], results["growth"][-1]
        factor = last["us_per_document"] / first["us_per_document"]
        lines += [
            "",
            f"A document of the largest costs {factor:.2f} times one of the smallest: {_met(factor <= 1.25)}.",
        ]
    opened = results["opening"]["open_s"]
    lines += [
        "",
        "## Start",
        "",
        "| work | seconds | bar |",
        "|---|---|---|",
        f"| opening {results['opened']}, beyond imports | {opened:.3f} | ≤ 0.2 {_met(opened <= 0.2)} |",
        f"| … and its statistics, one document, one posting list | {results['opening']['open_and_use_s']:.3f} | |",
        f"| `aboutness --help`, CPU | {results['help_cpu']:.2f} | ≤ 0.4 {_met(results['help_cpu'] <= 0.4)} |",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}, growth; all unless named")
    parser.add_argument("--quick", action="store_true", help="Reuters only, one round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    wanted = options.tasks or [*TASKS, "growth"]
    rounds = 1 if options.quick else options.rounds
    collections = ["reuters"] if options.quick else ["reuters", "yso_finna_en"]
    start = time.perf_counter()
    comparisons = []
    for task in (task for task in TASKS if task in wanted):
        for collection in collections:
            if task in ("file", "metadata") and collection == "reuters":
                continue
            with_bar = any(task == one for one, _ in BARS)
            comparisons += compare(task, collection, rounds if with_bar else 1, None)
    opened = collections[-1]
    results = {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(
            f"{n} {version(n)}" for n in ("aboutness", "bm25s", "tantivy", "scikit-learn", "numba")
        ),
        "comparisons": comparisons,
        "growth": growth(1, GROWTH) if "growth" in wanted and not options.quick else [],
        "opened": opened,
        "opening": opening(opened, 5),
        "help_cpu": help_cpu(5),
        "seconds": round(time.perf_counter() - start),
    }
    text = report(results)
    print(text)
    if not options.quick and not options.tasks:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "indexing.json").write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "indexing.md").write_text(text)


if __name__ == "__main__":
    main()
