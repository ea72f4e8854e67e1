"""`python -m bench.serving [--quick] [--folder DIR]`: how fast the server answers ten clients at once.

Our server and a FastAPI wrapper around bm25s (with both of its backends) take turns on the same machine, with the
same clients, which share the two cores with them. Results go to bench/results/serving.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aboutness as ab
from bench.data import records, source
from bench.report import circumstances, keep, made_by, met, table, tell

COLLECTION, CLIENTS, SECONDS, ROUNDS, QUERIES = "yso_finna_en", 10, 20.0, 3, 500
BM25_BAR, DEFAULT_BAR, DEFAULT_STRETCH, TIMES_BAR = 50.0, 400.0, 150.0, 3.0
OURS, PEERS = "aboutness", {"numpy": "FastAPI + bm25s, numpy", "numba": "FastAPI + bm25s, numba"}


def prepare(folder: Path, most: int | None) -> None:
    """Make what both sides serve, unless it is there: an index with what `default` needs, and the documents."""
    if (folder / "served.index").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    found = records(COLLECTION, most)
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in found)
    tell("indexing")
    index = ab.Index.build(found, folder / "made.index")
    tell("training what default needs")
    index.train("default")
    (folder / "made.index").rename(folder / "served.index")


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[int]:
    """Run a server until the block ends."""
    process = subprocess.Popen([sys.executable, *command])
    try:
        for _ in range(3000):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                sys.exit(f"the server ended: {' '.join(command)}")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def megabytes(process: int) -> float:
    """Return how much memory a process has."""
    found = Path(f"/proc/{process}/status").read_text().split("VmRSS:")[1].split()[0]
    return int(found) * 1024 / 1e6


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


def asked(port: int, seconds: float, ranker: str, queries: Sequence[str]) -> dict[str, Any]:
    """Return how ten clients fared."""
    command = [sys.executable, "-m", "bench.serving_load", str(port), str(seconds), str(CLIENTS), ranker]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, input="\n".join(queries), capture_output=True, text=True, check=True).stdout
    )
    ms = sorted(found["ms"])
    return {
        "a_second": len(ms) / found["seconds"],
        "p50": statistics.median(ms),
        "p95": ms[int(0.95 * len(ms))],
        "p99": ms[int(0.99 * len(ms))],
        "answers": len(ms),
        "statuses": found["statuses"],
    }


def measured(folder: Path, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Return each side's figures in each round; the sides take turns."""
    lines = (source(COLLECTION) / "queries.jsonl").open(encoding="utf-8")
    queries = [json.loads(line)["text"].replace("\n", " ") for _, line in zip(range(QUERIES), lines, strict=False)]
    rows = []
    for turn in range(rounds):
        port = free_port()
        command = ["-m", "aboutness", "serve", str(folder / "served.index"), "--port", str(port)]
        with running(command, port) as process:
            for ranker in ("bm25", "default"):
                asked(port, 3.0, ranker, queries)  # warm
                tell(f"round {turn + 1}: {OURS}, {ranker}")
                rows.append({"side": OURS, "ranker": ranker, **asked(port, seconds, ranker, queries)})
                rows[-1]["megabytes"] = megabytes(process)
        for backend, name in PEERS.items():
            port = free_port()
            with running(["-m", "bench.serving_peer", str(folder), str(port), backend], port) as process:
                asked(port, 3.0, "", queries)
                tell(f"round {turn + 1}: {name}")
                rows.append({"side": name, "ranker": "bm25", **asked(port, seconds, "", queries)})
                rows[-1]["megabytes"] = megabytes(process)
    return rows


HEAD = ["server", "ranker", "answers/s", "p50 ms", "p95 ms", "p99 ms", "MB"]
FIGURES = {"a_second": 0, "p50": 1, "p95": 1, "p99": 1, "megabytes": 0}  # with digits behind the point


def middle(rows: Sequence[Mapping[str, Any]], side: str, ranker: str, figure: str) -> float:
    """Return the median of the rounds."""
    return statistics.median(row[figure] for row in rows if (row["side"], row["ranker"]) == (side, ranker))


def cells(results: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each side and ranker."""
    rows = results["rows"]
    return [
        [side, ranker, *(f"{middle(rows, side, ranker, one):,.{digits}f}" for one, digits in FIGURES.items())]
        for side, ranker in dict.fromkeys((row["side"], row["ranker"]) for row in rows)
    ]


def report(results: dict[str, Any]) -> str:
    rows = results["rows"]
    ours = middle(rows, OURS, "bm25", "a_second")
    others = {side: middle(rows, side, "bm25", "a_second") for side in PEERS.values()}
    bm25, default = (middle(rows, OURS, ranker, "p95") for ranker in ("bm25", "default"))
    how = (
        f"{results['documents']:,} documents ({COLLECTION}), {CLIENTS} clients that ask one query after the other "
        f"for {results['seconds']:g} s, {results['rounds']} rounds in turns (medians). Clients and server share "
        "the cores."
    )
    verdicts = (
        f"BM25 p95 at most {BM25_BAR:g} ms: {met(bm25 <= BM25_BAR)} ({bm25:.1f}). "
        f"default p95 at most {DEFAULT_BAR:g} ms: {met(default <= DEFAULT_BAR)} ({default:.1f}), "
        f"stretch {DEFAULT_STRETCH:g} ms: {met(default <= DEFAULT_STRETCH)}. "
        f"Answers a second at least {TIMES_BAR:g} times a wrapper's: "
        + ", ".join(
            f"{side} {met(ours >= TIMES_BAR * other)} ({ours / other:.2f})" for side, other in others.items()
        )
    )
    lines = ["# Serving", "", made_by("bench.serving", results), "", how, "", *table(HEAD, cells(results))]
    return "\n".join([*lines, "", f"{verdicts}.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 documents, short rounds")
    parser.add_argument("--folder", type=Path, help="where what is served is kept, to be used again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        prepare(folder, 10_000 if options.quick else None)
        seconds, rounds = (3.0, 1) if options.quick else (SECONDS, ROUNDS)
        documents = len(ab.Index.open(folder / "served.index"))
        results = {
            **circumstances("aboutness", "bm25s", "fastapi", "uvicorn"),
            "documents": documents, "seconds": seconds, "rounds": rounds,
            "rows": measured(folder, seconds, rounds),
        }  # fmt: skip
    text = report(results)
    print(text)
    if not options.quick:
        keep("serving", results, text)


if __name__ == "__main__":
    main()
