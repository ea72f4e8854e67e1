"""`python -m bench.scale_running [--quick] [--folder DIR]`: many queries run embedded, and by Ray over shards.

Both write the same run, byte for byte, each by a command of its own; Ray has one node on this machine, with all
cores. Times are of whole commands: the shards are opened, too, and the run is written. Results go to
bench/results/scale_running.{json,md}.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.scale.raylets import SETTINGS, Raylets

from bench.data import source
from bench.report import circumstances, keep, made_by, met, table, tell
from bench.scale_identical import COLLECTION, QUIET, SHARDS, prepare

NAME = "scale_running"
TIMES = {"bm25": 5, "default": 1}  # how often all queries of the collection are asked: both are long jobs
BAR, LONG_S = 1.5, 60
HEAD = ["ranker", "queries", "embedded s", "Ray, one node s", "times", "the same run", "bar"]


def write_queries(target: Path, times: int, most: int | None) -> int:
    """Write the queries several times, with other ids each time; return how many."""
    with (source(COLLECTION) / "queries.jsonl").open(encoding="utf-8") as lines:
        every = [json.loads(line) for line in lines][:most]
    with target.open("w", encoding="utf-8") as file:
        for copy in range(times):
            again = ({"_id": f"{copy}-{one['_id']}", "text": one["text"]} for one in every)
            file.writelines(f"{json.dumps(one)}\n" for one in again)
    return times * len(every)


def seconds(*arguments: str) -> float:
    """Return how long a command takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "aboutness", "run", *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(folder: Path, most: int | None) -> list[dict[str, Any]]:
    """Return for each ranker how long both sides take, and whether they write the same."""
    rows = []
    queries, one, other = (folder / name for name in ("queries.jsonl", "embedded.trec", "ray.trec"))
    with Raylets(1, cores=os.cpu_count() or 1) as nodes:
        for name, times in TIMES.items():
            count = write_queries(queries, times, most)
            what = (str(folder / "sharded.index"), str(queries), "--ranker", name, "--tag", "run")
            embedded = seconds(*what, "-o", str(one))
            tell(f"{name}, embedded: {embedded:.1f} s")
            ray = seconds(*what, "-o", str(other), "--ray", nodes.address)
            tell(f"{name}, Ray: {ray:.1f} s")
            same = filecmp.cmp(one, other, shallow=False)
            rows.append({"ranker": name, "queries": count, "embedded": embedded, "ray": ray, "same": same})
            one.unlink()
            other.unlink()
    return rows


def report(results: dict[str, Any]) -> str:
    rows = []
    for row in results["rows"]:
        ratio = row["ray"] / row["embedded"]
        bar = f"≤ {BAR} {met(ratio <= BAR)}" if row["embedded"] >= LONG_S else f"for jobs over {LONG_S} s"
        rows.append(
            [row["ranker"], f"{row['queries']:,}", f"{row['embedded']:.1f}", f"{row['ray']:.1f}", f"{ratio:.2f}",
             "yes" if row["same"] else "NO", bar]
        )  # fmt: skip
    how = (
        f"{results['documents']:,} documents ({COLLECTION}) in {SHARDS} shards; 1,000 documents of each query are "
        "written. Whole commands, from their start to their end."
    )
    busy = f" The load of the machine was {results['load']} when it began" + (
        ": others worked on it, and times tell little." if results["load"] > QUIET else "."
    )
    return "\n".join(
        ["# Runs by Ray on one node", "", made_by(f"bench.{NAME}", results), "", f"{how}{busy}", "",
         *table(HEAD, rows), ""]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 documents, 100 queries; nothing is written")
    parser.add_argument("--folder", type=Path, help="where the index is kept, to be used again")
    options = parser.parse_args()
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        index = prepare(folder, 10_000 if options.quick else None)
        load = os.getloadavg()[0]
        results = {
            **circumstances("aboutness", "ray", "numpy"), "documents": len(index), "load": round(load, 1),
            "rows": measure(folder, 100 if options.quick else None),
        }  # fmt: skip
    text = report(results)
    print(text)
    if not options.quick:
        keep(NAME, results, text)


if __name__ == "__main__":
    main()
