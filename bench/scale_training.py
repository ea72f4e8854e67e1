"""`python -m bench.scale_training [--quick] [--seeds N] [--parts PART …]`: training by shards against one process.

Both read the same words as often. Quality: nDCG@10 of rankers that read what was trained, with several seeds; by
shards it must not be below one process by more than one process differs from seed to seed. Overhead: a training of
over a minute, by this process and on a Ray cluster with one node. Results go to
bench/results/scale_training.{json,md}.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aboutness import ByShards, Index, collection, ranker
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import compare_on
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.word2vec import Word2Vec
from bench.report import circumstances, deviation, keep, kept, made_by, met, table, tell
from bench.vectors import data

NAME = "scale_training"
PARTS = ("quality", "overhead")
COLLECTIONS, ANALYZER = ("cranfield", "cacm", "nfcorpus_preprocessed"), "english"
WAYS: dict[str, tuple[type[Trainer], tuple[str, ...]]] = {
    "word2vec": (Word2Vec, ("iwcs[vectors=trained]",)),
    "pv": (PV, ("pv-lm[vectors=trained]", "doc2vec[vectors=trained]")),
    "epv": (EPV, ("epv-drj-lm[vectors=trained]",)),
}
MEASURE = "nDCG@10"
SHARDS = 6
LARGE, LARGE_EPOCHS = "yso_finna_en", {"word2vec": 12, "epv": 6}
LARGE_KINDS, LARGE_SEEDS, LARGE_QUERIES = ("word2vec",), 3, 1000
LEAST_S, MOST_RATIO = 60.0, 1.5
QUALITY = (
    f"{MEASURE} of rankers that read what was trained, analyzer {ANALYZER}, all parameters as declared: by one "
    f"process with one thread, and by {SHARDS} shards, with the same seeds. Rounds: how often in an epoch the "
    f"word matrices become one. Of {LARGE} the first {LARGE_QUERIES:,} queries are asked. Met: the mean by shards "
    "is not below that of one process by more than the latter differs from seed to seed."
)
OVERHEAD = (
    f"Seconds for a whole training, kept in the index: in this process with all {os.cpu_count()} cores, and by "
    f"{SHARDS} shards on a Ray cluster with one node that has as many (`--ray local`, its start included)."
)


def nDCG(index: Index, test: Any, rankers: Sequence[str]) -> dict[str, float]:  # noqa: N802 - its name
    """Return the mean over queries for each ranker."""
    found = compare_on(index.snapshot, test, [ranker(one) for one in rankers], [MEASURE], threads=1).rows
    return {name: row.evaluation.mean[MEASURE] for name, row in zip(rankers, found, strict=True)}


def some_queries(test: Collection) -> Collection:
    """Return a collection with as many of its queries as are asked of a large one."""
    return replace(test, queries=test.queries[:LARGE_QUERIES])


def quality(
    names: Sequence[str], seeds: int, kinds: Sequence[str] = tuple(WAYS), rounds: int = 0
) -> Iterator[dict[str, Any]]:
    """Train by one process and by shards with several seeds; yield the values of each ranker."""
    tests = {name: some_queries(collection(str(data(name)))) for name in names}
    indexes = {name: Index.build(test.documents(), analyzer=ANALYZER) for name, test in tests.items()}
    for kind in kinds:
        way, rankers = WAYS[kind]
        for name, index in indexes.items():
            sides: dict[str, dict[str, list[float]]] = {one: {"one": [], "shards": []} for one in rankers}
            for seed in range(1, seeds + 1):
                how = way(seed=seed)  # type: ignore[call-arg]
                index.train(how, name="trained", threads=1)
                for one, value in nDCG(index, tests[name], rankers).items():
                    sides[one]["one"].append(value)
                made = index.train(how, name="trained", by=ByShards(SHARDS, rounds))
                for one, value in nDCG(index, tests[name], rankers).items():
                    sides[one]["shards"].append(value)
                last = {one: [f"{of[-1]:.4f}" for of in values.values()] for one, values in sides.items()}
                tell(f"{name} {kind} seed {seed}: {last}")
            index.drop("trained")
            about = {"collection": name, "tokens": made.provenance["tokens"], "rounds": made.provenance["rounds"]}
            for one, values in sides.items():
                yield {**about, "ranker": one.replace("[vectors=trained]", ""), "kind": kind, **values}


def overhead(kinds: Sequence[str], most: int | None = None) -> Iterator[dict[str, Any]]:
    """Train on a large collection in this process, by all cores, and on a cluster of one node with as many."""
    from bench.data import records

    with tempfile.TemporaryDirectory() as folder:
        index = Index.build(records(LARGE, most), Path(folder, "x.index"), analyzer=ANALYZER)
        for kind in kinds:
            way = WAYS[kind][0]
            seconds = {}
            for side, how in (("one", {}), ("shards", {"by": ByShards(SHARDS, ray="local")})):
                start = time.perf_counter()
                made = index.train(way(epochs=LARGE_EPOCHS[kind]), name="trained", **how)  # type: ignore[call-arg,arg-type]
                seconds[side] = time.perf_counter() - start
                tell(f"{kind} {side}: {seconds[side]:.1f} s")
            index.drop("trained")
            about = {"tokens": made.provenance["tokens"], "rounds": made.provenance["rounds"]}
            yield {"collection": LARGE, "kind": kind, "documents": len(index), **about, **seconds}


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = ["# Training by shards", "", made_by("bench.scale_training", results)]
    if results.get("quality"):
        note = results.get("quality_note", "")
        lines += ["", "## Quality", "", f"{QUALITY} {note}".strip(), "", *_quality_lines(results["quality"])]
    if results.get("overhead"):
        note = results.get("overhead_note", "")
        lines += ["", "## Overhead", "", f"{OVERHEAD} {note}".strip(), "", *_overhead_lines(results["overhead"])]
    return "\n".join([*lines, ""])


def _quality_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        cells = [f"{statistics.mean(row[side]):.4f} ± {deviation(row[side]):.4f}" for side in ("one", "shards")]
        gap = statistics.mean(row["shards"]) - statistics.mean(row["one"])
        verdict = met(gap >= -deviation(row["one"]))
        about = [
            row["collection"],
            f"{row['tokens']:,}",
            row["kind"],
            row["ranker"],
            row["rounds"],
            len(row["one"]),
        ]
        lines.append([*about, *cells, f"{gap:+.4f}", verdict])
    head = [
        "collection",
        "tokens",
        "trained",
        "ranker",
        "rounds",
        "seeds",
        "one process",
        f"{SHARDS} shards",
        "difference",
        "bar",
    ]
    return table(head, lines)


def _overhead_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        ratio = row["shards"] / row["one"]
        verdict = met(ratio <= MOST_RATIO) if row["one"] >= LEAST_S else "(too short)"
        about = [row["collection"], f"{row['documents']:,}", f"{row['tokens']:,}", row["kind"], row["rounds"]]
        lines.append([*about, f"{row['one']:.1f}", f"{row['shards']:.1f}", f"{ratio:.2f}", verdict])
    head = ["collection", "documents", "tokens", "trained", "rounds", "one process, s", "on Ray, s", "ratio",
            f"bar: ≤ {MOST_RATIO:g}"]  # fmt: skip
    return table(head, lines)


def measure(parts: Sequence[str] = PARTS, seeds: int = 5, *, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Measure some parts; yield what the report needs of them as soon as it is there."""
    rows: list[dict[str, Any]] = []
    if "quality" in parts:
        for row in quality(COLLECTIONS[:1] if quick else COLLECTIONS, seeds):
            rows.append(row)
            yield {"quality": rows}
        for row in [] if quick else quality((LARGE,), min(seeds, LARGE_SEEDS), LARGE_KINDS):
            rows.append(row)
            yield {"quality": rows}
    rows = []
    if "overhead" in parts:
        for row in overhead(("word2vec",) if quick else tuple(LARGE_EPOCHS), 20_000 if quick else None):
            rows.append(row)
            yield {"overhead": rows}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale_training", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, cranfield; nothing is stored")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    options = parser.parse_args()
    results: dict[str, Any] = {} if options.quick else kept(NAME)
    dates = results.get("measured", {})
    results |= circumstances("numba", "numpy", "ray")
    for found in measure(options.parts, 1 if options.quick else options.seeds, quick=options.quick):
        results |= found
        dates |= {part: results["date"] for part in PARTS if part in found}
        results["measured"] = dates
        if not options.quick:  # a run takes long: what is done is kept
            keep(NAME, results, report(results))
    tell(report(results))


if __name__ == "__main__":
    main()
