"""`python -m bench.first_use`: how long commands take on a machine that never ran them, and the second time.

Each command runs in a process of its own on the documentation of Python's standard library. The first time, the
cache of compiled code is empty, so each pays for itself what it has compiled; the second time it is full. Results
go to bench/results/first_use.{json,md}.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.report import circumstances, keep, made_by, table, tell

NAME = "first_use"
INDEX = "first.index"
SAID = """\
Seconds of whole commands on the documentation of Python's standard library, and in brackets how long processors
worked for them, which other work on the machine changes less. *Alone*: nothing was ever compiled on this machine.
*In order*: the first time, after the commands above it. *Again*: the second time. *Alone* is measured last, in the
same folder: layers that the first `train` added are there then, so that it may be below *in order*."""
HEAD = ("command", "alone", "in order", "again")
WHEN = ("alone", "in_order", "again")
COMMANDS = (
    "--version",
    "--help",
    f"index stdlib -o {INDEX} --overwrite",
    f"search {INDEX} compress data",
    f"search {INDEX} compress data --explain",
    f"train {INDEX} default",
    f"search {INDEX} compress data -k 3",
    f"train {INDEX} word2vec",
    f"search {INDEX} compress data -r iwcs",
    f"search {INDEX} compress data -r wmd",
    f"neighbours {INDEX} compress",
    f"explain {INDEX} compress zlib.compress -r desm-in-out",
    f"train {INDEX} epv",
    f"search {INDEX} compress data -r epv-drj-lm",
    f"train {INDEX} lsa",
    f"add {INDEX} more.jsonl --update",
    f"sync {INDEX} stdlib",
    f"info {INDEX}",
    f"check {INDEX} --deep",
    f"run {INDEX} questions.tsv -r bm25 -o bm25.trec",
    "evaluate qrels.txt bm25.trec",
    "models",
    "measures",
)
"""What a newcomer does, in this order; each needs what those before it made."""
QUIET = 0.1  # of a core for others is not worth a word


def prepared(folder: Path) -> None:
    """Write the files that commands speak of."""
    (folder / "more.jsonl").write_text('{"id": "more", "text": "compress and pack data"}\n', "utf-8")
    (folder / "questions.tsv").write_text("q1\tcompress data\nq2\tparse options\n", "utf-8")
    (folder / "qrels.txt").write_text("q1 0 zlib.compress 1\nq2 0 argparse 1\n", "utf-8")


def seconds(command: str, folder: Path, cache: Path) -> dict[str, float]:
    """Return how long a command takes, from its start to its end, and how long processors work for it."""
    environment = {**os.environ, "ABOUTNESS_CACHE": str(cache)}
    start, worked = time.perf_counter(), processors()
    subprocess.run(
        [sys.executable, "-m", "aboutness", *command.split()],
        cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return {"wall": time.perf_counter() - start, "cpu": processors() - worked}


def processors() -> float:
    """Return for how many seconds processors have worked for commands that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_all() -> float:
    """Return for how many seconds processors have worked for anybody; 0 where Linux does not tell."""
    try:
        user, nice, system, _idle, _waiting, *rest = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    except OSError:
        return 0.0
    return sum(map(int, (user, nice, system, *rest))) / os.sysconf("SC_CLK_TCK")


def emptied(cache: Path) -> Path:
    """Return the cache of compiled code, with nothing in it, and for nobody else."""
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(mode=0o700)
    return cache


def measure() -> list[dict[str, Any]]:
    """Return for each command how long it takes after nothing, after those before it, and once more."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder, alone, shared = Path(name, "here"), Path(name, "alone"), emptied(Path(name, "shared"))
        folder.mkdir()
        prepared(folder)
        for command in COMMANDS:
            row: dict[str, Any] = {
                "command": command,
                "in_order": seconds(command, folder, shared),
                "again": seconds(command, folder, shared),
                "alone": seconds(command, folder, emptied(alone)),
            }
            took = ", ".join(f"{key} {shown(row[key])} s" for key in WHEN)
            tell(f"{command}: {took}")
            rows.append(row)
    return rows


def shown(took: dict[str, float]) -> str:
    """Return how long something took, and in brackets how long processors worked.

    >>> shown({"wall": 2.04, "cpu": 1.5})
    '2.0 (1.5)'
    """
    return f"{took['wall']:.1f} ({took['cpu']:.1f})"


def cells(results: Mapping[str, Any]) -> list[list[str]]:
    """Return the rows of the table."""
    return [[f"`aboutness {row['command']}`", *(shown(row[key]) for key in WHEN)] for row in results["rows"]]


def worked(results: Mapping[str, Any]) -> list[list[str]]:
    """Return the rows of a table with the time of processors alone, short enough for a page."""
    return [[f"`{row['command']}`", *(f"{row[key]['cpu']:.1f}" for key in WHEN)] for row in results["rows"]]


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    return "\n".join(
        ["# First use", "", made_by(f"bench.{NAME}", results), "",
         SAID,
         "", *table(HEAD, cells(results)), ""]
    )  # fmt: skip


def main() -> None:
    started, before = time.perf_counter(), of_all() - processors()
    rows = measure()
    others = (of_all() - processors() - before) / (time.perf_counter() - started)
    busy = {"note": f"Meanwhile other work took {others:.1f} of the cores."} if others >= QUIET else {}
    results = {**circumstances("aboutness", "numba"), **busy, "rows": rows}
    keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
