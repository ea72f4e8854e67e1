"""`python -m bench.scale_training [--quick] [--seeds N] [--parts PART …] [--again] [--collections …] [--kinds …]`.

Training by shards and by one process, which read the same words as often. Quality: nDCG@10 of rankers that read
what was trained, with several seeds; by shards it must not be below one process by more than one process differs
from seed to seed. Overhead: a training of over a minute, by this process and on a Ray cluster with one node. With
`--again` what is chosen is measured once more; all else stays. Results go to
bench/results/scale_training.{json,md}.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Collection as Collection_
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.scale.raylets import SETTINGS, Raylets, of_session

from aboutness import ByShards, Index, collection, ranker
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import compare_on
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.word2vec import Word2Vec
from bench.data import records
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
LARGE, LARGE_EPOCHS = "yso_finna_en", {"word2vec": 30}
LARGE_KINDS, LARGE_QUERIES = ("word2vec",), 1000
LISTED = 8  # epochs whose rounds are shown
LEAST_S, MOST_RATIO, EVERY_S = 60.0, 1.5, 0.5
QUALITY = (
    f"{MEASURE} of rankers that read what was trained, analyzer {ANALYZER}, all parameters as declared: by one "
    f"process with one thread, and by {SHARDS} shards, with the same seeds. Rounds: how often in an epoch the "
    "word matrices become one; 0: only with the next epoch. "
    f"Of {LARGE} the first {LARGE_QUERIES:,} queries are asked. Met: the mean by shards "
    "is not below that of one process by more than the latter differs from seed to seed."
)
OVERHEAD = (
    f"Seconds for a whole training, kept in the index: in this process with all {os.cpu_count()} cores, and by "
    f"{SHARDS} shards on a Ray cluster with one node that has as many. Processor: the time of all cores, with the "
    "cluster's own processes, which does not count what other programs take."
)


def nDCG(index: Index, test: Any, rankers: Sequence[str]) -> dict[str, float]:  # noqa: N802 - its name
    """Return the mean over queries for each ranker."""
    found = compare_on(index.snapshot, test, [ranker(one) for one in rankers], [MEASURE], threads=1).rows
    return {name: row.evaluation.mean[MEASURE] for name, row in zip(rankers, found, strict=True)}


def some_queries(test: Collection) -> Collection:
    """Return a collection with as many of its queries as are asked of a large one, and their judgements alone.

    Judged queries that are not asked would count as ones for which nothing is found.
    """
    asked = test.queries[:LARGE_QUERIES]
    return replace(
        test, queries=asked, qrels={one.id: test.qrels[one.id] for one in asked if one.id in test.qrels}
    )


def quality(
    names: Sequence[str],
    seeds: int,
    kinds: Sequence[str] = tuple(WAYS),
    rounds: int = 0,
    done: Collection_[tuple[str, str]] = (),
) -> Iterator[dict[str, Any]]:
    """Train by one process and by shards with several seeds; yield the values of each ranker.

    What is done already, of which collection and kind, is passed over.
    """
    tests = {name: some_queries(collection(str(data(name)))) for name in names}
    indexes = {name: Index.build(test.documents(), analyzer=ANALYZER) for name, test in tests.items()}
    for kind in kinds:
        way, rankers = WAYS[kind]
        for name, index in indexes.items():
            if (name, kind) in done:
                continue
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
    os.environ.update(SETTINGS)
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder, Raylets(1, cores=cores) as nodes:
        index = Index.build(records(LARGE, most), Path(folder, "x.index"), analyzer=ANALYZER)
        for kind in kinds:
            way, seconds, load, meter = WAYS[kind][0], {}, os.getloadavg()[0], Meter(nodes)
            for side, by in {"one": None, "shards": ByShards(SHARDS, ray=nodes.address)}.items():
                start, used = time.perf_counter(), time.process_time() + meter.seconds
                made = index.train(way(epochs=LARGE_EPOCHS[kind]), name="trained", by=by)  # type: ignore[call-arg]
                seconds |= {side: time.perf_counter() - start}
                seconds |= {f"{side}_processor": time.process_time() + meter.seconds - used}
                tell(f"{kind} {side}: {seconds[side]:.1f} s, processor {seconds[f'{side}_processor']:.1f} s")
            index.drop("trained")
            seconds["load"] = round(load, 1)
            about = {name: made.provenance[name] for name in ("tokens", "rounds", "epochs")}
            yield {"collection": LARGE, "kind": kind, "documents": len(index), **about, **seconds}


class Meter(threading.Thread):
    """Looks again and again how much of the processors a cluster has used: its workers end with the job."""

    def __init__(self, nodes: Raylets) -> None:
        super().__init__(daemon=True)
        self.sessions = [node.pid for node in nodes.nodes if node]
        self.ticks: dict[int, int] = {}  # by process
        self.start()

    def run(self) -> None:
        while True:
            for process in (process for session in self.sessions for process in of_session(session)):
                with contextlib.suppress(OSError):
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                    self.ticks[process] = int(fields[11]) + int(fields[12])
            time.sleep(EVERY_S)

    @property
    def seconds(self) -> float:
        """Return the seconds of processors that it has used up to now."""
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


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
    lines, kinds, names = [], list(WAYS), [*COLLECTIONS, LARGE]
    for row in sorted(rows, key=lambda row: (kinds.index(row["kind"]), names.index(row["collection"]))):
        cells = [f"{statistics.mean(row[side]):.4f} ± {deviation(row[side]):.4f}" for side in ("one", "shards")]
        gap = statistics.mean(row["shards"]) - statistics.mean(row["one"])
        verdict = met(gap >= -deviation(row["one"]))
        about = [
            row["collection"],
            f"{row['tokens']:,}",
            row["kind"],
            row["ranker"],
            _rounds(row["rounds"]),
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
        work = [row["one_processor"], row["shards_processor"]]
        about = [row["collection"], f"{row['tokens']:,}", row["kind"], row["epochs"], _rounds(row["rounds"])]
        times = [f"{row['one']:.1f}", f"{row['shards']:.1f}", f"{ratio:.2f} {verdict}"]
        used = [f"{work[0]:.1f}", f"{work[1]:.1f}", f"{work[1] / work[0]:.2f}"]
        lines.append([*about, *times, *used, row["load"]])
    head = ["collection", "tokens", "trained", "epochs", "rounds", "one process, s", "on Ray, s",
            f"ratio, bar ≤ {MOST_RATIO:g}", "processor, s", "on Ray, s", "ratio", "load before"]  # fmt: skip
    return table(head, lines)


def _rounds(rounds: int | list[int]) -> str:
    """Return how many rounds epochs have: all the same number, or those of the first epochs, and of all."""
    if isinstance(rounds, int):
        return str(rounds)
    first = rounds[: LISTED + 1] if len(rounds) <= LISTED + 1 else [*rounds[:LISTED], "…"]
    return f"{', '.join(map(str, first))}; {sum(rounds)} in all"


def measure(
    parts: Sequence[str],
    names: Sequence[str],
    kinds: Sequence[str],
    seeds: int,
    *,
    quick: bool = False,
    before: Sequence[dict[str, Any]] = (),
) -> Iterator[dict[str, Any]]:
    """Measure some parts; yield what the report needs of them as soon as it is there, with rows from before."""
    rows = list(before)
    done = {(row["collection"], row["kind"]) for row in before}
    large = [name for name in names if name == LARGE]
    if "quality" in parts:
        for row in quality([name for name in names if name != LARGE], seeds, kinds, done=done):
            rows.append(row)
            yield {"quality": rows}
        of_large = [kind for kind in kinds if kind in LARGE_KINDS]
        for row in quality(large, seeds, of_large, done=done):
            rows.append(row)
            yield {"quality": rows}
    rows = []
    if "overhead" in parts:
        for row in overhead([kind for kind in kinds if kind in LARGE_EPOCHS], 20_000 if quick else None):
            rows.append(row)
            yield {"overhead": rows}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale_training", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, cranfield; nothing is stored")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    parser.add_argument("--collections", nargs="+", choices=(*COLLECTIONS, LARGE), default=(*COLLECTIONS, LARGE))
    parser.add_argument("--kinds", nargs="+", choices=tuple(WAYS), default=tuple(WAYS))
    parser.add_argument("--again", action="store_true", help="measure what was measured before once more")
    options = parser.parse_args()
    results: dict[str, Any] = {} if options.quick else kept(NAME)
    names, kinds = (COLLECTIONS[:1], options.kinds) if options.quick else (options.collections, options.kinds)
    before = [
        row
        for row in results.get("quality", [])
        if not (options.again and row["collection"] in names and row["kind"] in kinds)
    ]
    dates = results.get("measured", {})
    results |= circumstances("numba", "numpy", "ray")
    seeds = 1 if options.quick else options.seeds
    for found in measure(options.parts, names, kinds, seeds, quick=options.quick, before=before):
        results |= found
        dates |= {part: results["date"] for part in PARTS if part in found}
        results["measured"] = dates
        if not options.quick:  # a run takes long: what is done is kept
            keep(NAME, results, report(results))
    tell(report(results))


if __name__ == "__main__":
    main()
