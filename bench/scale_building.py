"""`python -m bench.scale_building [--quick] [--copies N]`: an index built embedded, in shards, and by Ray.

All make the same index of the same files, each in a fresh process, in turns; Ray has one node on this machine.
Times are of whole commands, with the reading of the files. Results go to bench/results/scale_building.{json,md}.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.scale.raylets import SETTINGS, Raylets

from bench.data import source
from bench.report import circumstances, keep, made_by, met, table, tell

NAME = "scale_building"
COLLECTION, COPIES, SHARDS, ROUNDS = "yso_finna_en", 10, 12, 2
BAR, LONG_S = 1.5, 60
HEAD = ["how", "seconds", "times embedded", "bar"]


def write_copies(folder: Path, copies: int) -> int:
    """Write the collection several times, with other ids each time; return the number of documents."""
    with gzip.open(source(COLLECTION) / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        lines = file.readlines()
    for copy in range(copies):
        with (folder / f"{copy:03d}.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(line.replace('"_id": "', f'"_id": "{copy}-', 1) for line in lines)
    return copies * len(lines)


def seconds(folder: Path, target: Path, *options: str) -> float:
    """Return how long a command takes that makes an index, which is then removed."""
    command = [sys.executable, "-m", "aboutness", "index", str(folder), "-o", str(target), "--json", *options]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - start
    shutil.rmtree(target)
    return took


def measure(copies: int = COPIES, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the best time of each way to make the same index."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, Raylets(1, cores=os.cpu_count() or 1) as nodes:
        folder = Path(name, "files")
        folder.mkdir()
        documents = write_copies(folder, copies)
        ways: dict[str, list[str]] = {
            "embedded": [],
            f"{SHARDS} shards, one process": ["--shards", str(SHARDS)],
            f"{SHARDS} shards, Ray, one node": ["--shards", str(SHARDS), "--ray", nodes.address],
        }
        for round_ in range(rounds):
            for way, options in ways.items():
                found.setdefault(way, []).append(seconds(folder, Path(name, "made.index"), *options))
                tell(f"{way}, round {round_ + 1}: {found[way][-1]:.1f} s")
    return {"documents": documents, "seconds": {way: min(times) for way, times in found.items()}}


def report(results: dict[str, Any]) -> str:
    times = results["seconds"]
    first = times["embedded"]
    rows = [
        [way, f"{took:.1f}", f"{took / first:.2f}", f"≤ {BAR} {met(took <= BAR * first)}" if "Ray" in way else ""]
        for way, took in times.items()
    ]
    short = (
        "" if first >= LONG_S else f" The embedded build took less than {LONG_S} s: the bar is for longer ones."
    )
    return "\n".join(
        ["# Building in shards", "", made_by("bench.scale_building", results), "",
         f"{results['documents']:,} documents ({COLLECTION} again and again, with other ids).{short}",
         "", *table(HEAD, rows), ""]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one copy, one round; nothing is written")
    parser.add_argument("--copies", type=int, default=COPIES)
    options = parser.parse_args()
    os.environ.update(SETTINGS)
    measured = measure(1, 1) if options.quick else measure(options.copies)
    results = {**circumstances("aboutness", "ray"), **measured}
    if not options.quick:
        keep(NAME, results, report(results))
    print(report(results))
    print(json.dumps(results["seconds"]), file=sys.stderr)


if __name__ == "__main__":
    main()
