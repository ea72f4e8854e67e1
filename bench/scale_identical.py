"""`python -m bench.scale_identical [--quick] [--folder DIR]`: an index in shards on three raylets, and embedded.

The same queries are asked of the index as it lies and of its shards: rankings must be the same, all of them, with
scores to the bit. Times are of one batch by rankers that are bound and have been asked before; all share the cores
of one machine. Results go to bench/results/scale_identical.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tests.scale.raylets import SETTINGS, Raylets

import aboutness as ab
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking
from aboutness.rank.bound import Searcher, bind
from aboutness.scale.engine import engine_of
from aboutness.scale.spread import Spread
from bench.data import records, source
from bench.report import circumstances, keep, made_by, met, table, tell

NAME = "scale_identical"
COLLECTION, SHARDS, RAYLETS, QUERIES, DEPTH, FIRST = "yso_finna_en", 6, 3, 1000, 1000, 64
RANKERS = ("bm25", "ql", "iwcs", "default")
QUIET = 1.0  # the load of a machine on which times can be measured
HEAD = ["ranker", "queries", "identical", "embedded s", "shards s", "times"]


def prepare(folder: Path, most: int | None) -> ab.Index:
    """Make the index in shards, with what the rankers need, unless it is there."""
    path, glove = folder / "sharded.index", Path(os.environ.get("ABOUTNESS_VECTORS", "vectors")) / "glove6b_100d"
    if not path.exists():
        with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(one)}\n" for one in records(COLLECTION, most))
        tell("indexing")
        shutil.rmtree(folder / "made.index", ignore_errors=True)
        command = [
            "-m",
            "aboutness",
            "index",
            file.name,
            "-o",
            str(folder / "made.index"),
            "--shards",
            str(SHARDS),
        ]
        subprocess.run([sys.executable, *command], check=True)
        made = ab.Index.open(folder / "made.index")
        tell("training what default needs")
        made.train("default")
        made.import_vectors(glove / "vectors.f16.npy", vocab=glove / "vocab.txt", name="glove")
        (folder / "made.index").rename(path)
    return ab.Index.open(path)


def queries(most: int) -> list[Question]:
    with (source(COLLECTION) / "queries.jsonl").open(encoding="utf-8") as lines:
        return [Question(json.loads(line)["text"]) for line in islice(lines, most)]


def asked(searcher: Searcher, questions: Sequence[Question]) -> tuple[list[Ranking], float]:
    """Return the rankings, and the seconds they took."""
    searcher.top_many(questions[:FIRST], DEPTH)
    start = time.perf_counter()
    return searcher.top_many(questions, DEPTH), time.perf_counter() - start


def same(one: Ranking, other: Ranking) -> bool:
    return bool(
        (one.documents.tobytes(), one.scores.tobytes()) == (other.documents.tobytes(), other.scores.tobytes())
    )


def measured(index: ab.Index, questions: Sequence[Question], address: str) -> list[dict[str, Any]]:
    """Return for each ranker how many rankings are the same, and the time of both sides."""
    rows = []
    for name in RANKERS:
        tell(f"{name}, embedded")
        ranker = ab.ranker(name)
        expected, embedded = asked(bind(ranker, index.snapshot), questions)
        tell(f"{name}, over shards")
        with engine_of(address) as engine:
            spread = Spread(index.snapshot, engine)
            assert len(spread.shards) == SHARDS
            found, seconds = asked(spread.bind(ranker), questions)
        equal = sum(map(same, found, expected))
        hits = sum(map(len, expected))
        rows.append(
            {"ranker": name, "queries": len(expected), "identical": equal, "hits": hits, "embedded": embedded,
             "shards": seconds}
        )  # fmt: skip
        tell(f"{name}: {equal} of {len(expected)}, {embedded:.1f} s and {seconds:.1f} s")
    return rows


def report(results: dict[str, Any]) -> str:
    rows = [
        [row["ranker"], f"{row['queries']:,}", f"{row['identical']:,}", f"{row['embedded']:.1f}",
         f"{row['shards']:.1f}", f"{row['shards'] / row['embedded']:.2f}"]
        for row in results["rows"]
    ]  # fmt: skip
    all_same = all(row["identical"] == row["queries"] for row in results["rows"])
    how = (
        "The vectors of iwcs are GloVe's (6B, 100 dimensions). "
        f"{results['documents']:,} documents ({COLLECTION}) in {SHARDS} shards, on {RAYLETS} raylets of one core "
        f"each, on one machine; {results['queries']:,} queries, {DEPTH:,} documents of each, in one batch."
    )
    busy = f" The load of the machine was {results['load']} when it began" + (
        ": others worked on it, and times tell little." if results["load"] > QUIET else "."
    )
    lines = ["# Rankings over shards", "", made_by(f"bench.{NAME}", results), "", f"{how}{busy}"]
    lines += ["", results["note"]] if "note" in results else []
    return "\n".join(
        [*lines, "", *table(HEAD, rows), "", f"Identical rankings for all queries: {met(all_same)}.", ""]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10,000 documents, 100 queries; nothing is written")
    parser.add_argument("--folder", type=Path, help="where the index is kept, to be used again")
    parser.add_argument("--port", type=int, help="of the cluster, where not any that is free will do")
    options = parser.parse_args()
    os.environ.update(SETTINGS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        index = prepare(folder, 10_000 if options.quick else None)
        questions = queries(100 if options.quick else QUERIES)
        load = os.getloadavg()[0]
        with Raylets(RAYLETS, options.port) as raylets:
            rows = measured(index, questions, raylets.address)
        results = {
            **circumstances("aboutness", "ray", "numpy"), "documents": len(index), "queries": len(questions),
            "load": round(load, 1), "rows": rows,
        }  # fmt: skip
    text = report(results)
    print(text)
    if not options.quick:
        keep(NAME, results, text)


if __name__ == "__main__":
    main()
