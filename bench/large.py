"""`python -m bench.large [--quick] [--parts PART …]`: paragraph vectors of 653,478 library records.

Training is measured end to end, from an index on disk to rows and normalisers that are kept in it; and the
normaliser of the softmax by itself, on one core. Each runs in a process of its own, whose memory is looked at.
Results go to bench/results/large.{json,md}.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.trainer import Progress
from aboutness.vectors.words import OUT
from bench.data import records
from bench.report import circumstances, keep, kept, made_by, met, table, tell

NAME = "large"
PARTS = ("training", "normaliser")
COLLECTION, ANALYZER = "yso_finna_en", "plain"
KINDS = ("pv", "epv")
DIM, EPOCHS, THREADS = 100, 5, 2
DOCUMENTS, WORDS = 653_478, 30_000
LENGTHS = 3.0, 2.0  # of random rows of documents and of words: about what those of real ones are
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
MEMORY_BAR = 3.0  # times the matrices
SECONDS_BAR, SECONDS_STRETCH, ABOVE_BAR = 120.0, 60.0, 200.0
MB = 1e6
TRAINING = (
    f"`index.train(kind, dim={DIM}, epochs={EPOCHS}, threads={THREADS})`, everything else as declared, on "
    f"{COLLECTION} ({{documents:,}} documents), analyzer {ANALYZER}, from an index on disk, with kernels compiled "
    "before: the vocabulary, checkpoints, the normalisers and keeping it all in the index are part of it. "
    "Matrices are those that are trained: documents, words and, for epv, words as context. Memory is the peak "
    "above what the process has before (libraries, and the index as it lies open)."
)
NORMALISER = (
    f"ln of the sum over words w of exp(w . d) for every document d, dim {DIM}, on one core; seconds are the "
    "processor's. {rows_are} Memory is the peak above what the process has with both matrices in memory. The "
    "values of a thousand documents differ from those in float64 by {off:.1g} at most."
)

# --- what runs in a process of its own --------------------------------------------------------------------------


def memory(what: str) -> int:
    """Return memory of this process: VmRSS is what it has, VmHWM the most it had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def forget_peak() -> int:
    """Let the peak of memory begin anew; return what this process has."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def train(kind: str, folder: str) -> None:
    """Train on the index in a folder, and print what it took."""
    small = [{"id": str(number), "text": f"the sun and the moon {number % 9}"} for number in range(100)]
    Index.build(small, analyzer=ANALYZER).train(kind, dim=DIM, epochs=1, threads=THREADS)
    index = Index.open(folder)
    told: list[float] = []

    def tell_time(progress: Progress) -> None:
        if progress.done == progress.total:
            told.append(time.perf_counter())

    before, begin = forget_peak(), time.perf_counter()
    space = index.train(kind, dim=DIM, epochs=EPOCHS, threads=THREADS, progress=tell_time)
    end = time.perf_counter()
    assert isinstance(space, DocumentSpace)
    outward = space.words.space(OUT).nbytes
    matrices = space.rows.nbytes + outward * (2 if kind == "epv" else 1)
    print(
        json.dumps(
            {
                "kind": kind,
                "words": len(space.words),
                "tokens": space.provenance["tokens"],
                "seconds": end - begin,
                "seconds_reading": told[0] - begin if told else None,
                "matrices_mb": matrices / MB,
                "peak_mb": (memory("VmHWM") - before) / MB,
            }
        )
    )


def normalise(folder: str, documents: int) -> None:
    """Work out normalisers, of rows that an index has or of random ones, and print what it took."""
    real = (Path(folder) / "index.db").is_file() and "pv" in Index.open(folder).snapshot.trained.entries
    if real:
        space = Index.open(folder).trained("pv")
        assert isinstance(space, DocumentSpace)
        rows, words = np.array(space.rows), np.array(space.words.space(OUT)[:WORDS])
    else:
        chance = np.random.default_rng(1)
        rows, words = (chance.standard_normal((count, DIM), np.float32) for count in (documents, WORDS))
        rows *= np.float32(LENGTHS[0] / DIM**0.5)
        words *= np.float32(LENGTHS[1] / DIM**0.5)
    log_normalisers(rows[:10], words[:10], threads=1)
    before, begin, processor = forget_peak(), time.perf_counter(), time.process_time()
    found = log_normalisers(rows, words, threads=1)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    above = memory("VmHWM") - before
    some = slice(None, None, max(1, len(rows) // 1000))
    exact = np.log(np.exp(rows[some].astype(np.float64) @ words.T.astype(np.float64)).sum(axis=1))
    print(
        json.dumps(
            {
                "real": real,
                "documents": len(rows),
                "words": len(words),
                "lengths": [float(np.linalg.norm(matrix, axis=1).mean()) for matrix in (rows, words)],
                "of_zeros": int((~rows.any(axis=1)).sum()),
                "seconds": seconds,
                "processor_seconds": processor,
                "matrices_mb": (rows.nbytes + words.nbytes) / MB,
                "above_mb": above / MB,
                "off": float(np.abs(found[some] - exact).max()),
            }
        )
    )


def in_child(call: str, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run a call of this module in a process of its own; return what it prints."""
    command = [sys.executable, "-c", f"import bench.large; bench.large.{call}"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **(environment or {})}, check=False
    )
    if done.returncode:
        sys.exit(f"{call} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    tell(f"{call}: {found}")
    return found


# --- the report -------------------------------------------------------------------------------------------------


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = ["# Paragraph vectors of a large collection", "", made_by("bench.large", results)]
    if results.get("training"):
        said = TRAINING.format(documents=results["documents"])
        lines += ["", "## Training, end to end", "", said, "", *_training_lines(results["training"])]
    if results.get("normaliser"):
        lines += ["", "## The normaliser of the softmax", "", *_normaliser_lines(results["normaliser"])]
    return "\n".join([*lines, ""])


def _training_lines(rows: list[dict[str, Any]]) -> list[str]:
    cells = []
    for row in rows:
        ratio = row["peak_mb"] / row["matrices_mb"]
        reading = "" if row["seconds_reading"] is None else f"{row['seconds_reading']:.0f}"
        cells.append(
            [row["kind"], f"{row['tokens']:,}", f"{row['words']:,}", f"{row['seconds']:.0f}", reading,
             f"{row['matrices_mb']:.0f}", f"{row['peak_mb']:.0f}", f"{ratio:.2f}",
             f"≤ {MEMORY_BAR:g} {met(ratio <= MEMORY_BAR)}"]
        )  # fmt: skip
    head = ["kind", "tokens", "words", "seconds", "of these until all text was read", "matrices, MB", "peak, MB",
            "peak / matrices", "bar"]  # fmt: skip
    return table(head, cells)


def _normaliser_lines(row: dict[str, Any]) -> list[str]:
    length = "mean length {:.2f}, words' {:.2f}".format(*row["lengths"])
    rows_are = (
        f"Rows as `pv` trained them above ({length}; {row['of_zeros']:,} have no known word), and the most "
        "frequent of its words."
        if row["real"]
        else f"Rows are random ({length})."
    )
    seconds, above = row["processor_seconds"], row["above_mb"]
    cells = [
        f"{row['documents']:,}", f"{row['words']:,}", f"{seconds:.0f} ({row['seconds']:.0f} by the clock)",
        f"≤ {SECONDS_BAR:g} {met(seconds <= SECONDS_BAR)}",
        f"≤ {SECONDS_STRETCH:g} {met(seconds <= SECONDS_STRETCH)}",
        f"{row['matrices_mb']:.0f}", f"{above:.0f}", f"≤ {ABOVE_BAR:g} {met(above <= ABOVE_BAR)}",
    ]  # fmt: skip
    head = ["documents", "words", "seconds", "bar", "stretch", "matrices, MB", "above them, MB", "bar"]
    return [NORMALISER.format(rows_are=rows_are, off=row["off"]), "", *table(head, [cells])]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.large", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20,000 documents; nothing is stored")
    parser.add_argument("--rounds", type=int, default=2, help="of the normaliser")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    options = parser.parse_args()
    documents, rounds = (20_000, 1) if options.quick else (DOCUMENTS, options.rounds)
    results: dict[str, Any] = {} if options.quick else kept(NAME)
    dates = results.get("measured", {})
    results |= circumstances("numba", "numpy")
    with tempfile.TemporaryDirectory() as parent:
        folder = str(Path(parent) / "index")
        if "training" in options.parts:
            index = Index.build(records(COLLECTION, documents), folder, analyzer=ANALYZER)
            results |= {
                "documents": len(index),
                "training": [in_child(f"train({k!r}, {folder!r})") for k in KINDS],
            }
        if "normaliser" in options.parts:
            call = f"normalise({folder!r}, {documents})"
            runs = [in_child(call, ONE_CORE) for _ in range(rounds)]
            results["normaliser"] = min(runs, key=lambda run: float(run["processor_seconds"]))
    results["measured"] = dates | dict.fromkeys(options.parts, results["date"])
    shown = report(results)
    print(shown)
    if not options.quick:
        keep(NAME, results, shown)


if __name__ == "__main__":
    main()
