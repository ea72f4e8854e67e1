"""`python -m bench.default [--quick] [--parts PART …]`: how good and how fast the default ranker is.

effect: seven collections on which its weights were chosen, what each ingredient adds, and what choosing on six of
them and measuring on the seventh gives; others that had no part in the choice. speed: training and questions at
10,000 and 653,478 documents. Results go to bench/results/default.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import aboutness as ab
from aboutness.core.algebra import Ranker
from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.significance import fisher
from aboutness.experiment.compare import compare_on
from aboutness.rank.feedback import Feedback
from bench.report import circumstances, keep, kept, made_by, met, table, tell
from bench.vectors import data

NAME = "default"
PARTS = ("effect", "speed")
SEVEN = ("cranfield", "cisi", "cacm", "vaswani_npl", "scifact", "nfcorpus_preprocessed", "yso_econ")
OTHERS = {"reuters21578_apte90": None, "yso_finna_en": 500}  # had no part in the choice; so many of their queries
MEASURES = ("nDCG@10", "AP", "R@100")
FIRST = MEASURES[0]
SIZES = (10_000, 653_478)
LARGE, QUESTIONS, WARM_UP = "yso_finna_en", 300, 30
DEPTH = 1000
BAR, STRETCH = 0.500, 0.515
WALL_BAR, CPU_BAR, TRAINING_BAR = 50.0, 25.0, 20 * 60.0
VECTORS = {
    "glove6b_100d": ("glove6b_100d/vectors.f16.npy", "glove6b_100d/vocab.txt"),
    "googlenews_w2v_300d_small": ("googlenews_w2v_300d_small", None),
}
BM25, DEFAULT, WITH_VECTORS = "bm25", "default", "default-vectors, "

# --- the recipe, and others near it ---------------------------------------------------------------------------


def recipes(index: ab.Index) -> dict[str, Ranker]:
    """Return the recipe as it is, without each of its ingredients, and with other weights, by name."""
    whole = ab.Default().for_index(index.snapshot)
    assert isinstance(whole, Feedback)
    base, space = whole.rankers
    words, letters, pairs = base.rankers
    plain = ab.OfBest.of(ab.BM25() % DEPTH)
    by_letters, by_pairs = letters.rankers[0], pairs.rankers[0]

    def on(ranker: Ranker) -> Ranker:
        return whole.made_of([ranker, space])

    return {
        BM25: ab.BM25(),
        DEFAULT: whole,
        "without feedback (words, letters, pairs)": base,
        "without letters": on(words + pairs),
        "without pairs": on(words + letters),
        "without letters and pairs": on(words),
        "without k1 1.6, b .6 and title x 3": on(plain + letters + pairs),
        "without likeness to the first documents": replace(whole, weight=0.0),
        "without the nearest documents' scores": replace(whole, near=0.0),
        "without lent words": replace(whole, words=0.0),
        "without documents found by likeness alone": replace(whole, more=0),
        "without regard for short documents": replace(whole, short=0.0),
        "letters .15": on(words + 0.15 * by_letters + pairs),
        "letters .45": on(words + 0.45 * by_letters + pairs),
        "pairs .1": on(words + letters + 0.1 * by_pairs),
        "pairs .3": on(words + letters + 0.3 * by_pairs),
        "weight .6": replace(whole, weight=0.6),
        "weight 1.2": replace(whole, weight=1.2),
        "near .15": replace(whole, near=0.15),
        "near .45": replace(whole, near=0.45),
        "words .35": replace(whole, words=0.35),
        "words 1.05": replace(whole, words=1.05),
        "lent .3": replace(whole, lent=0.3),
        "lent .7": replace(whole, lent=0.7),
        "kin 10": replace(whole, kin=10),
        "sharpness 10": replace(whole, sharpness=10.0),
        "short 6": replace(whole, short=6.0),
        "short 24": replace(whole, short=24.0),
    }


# --- what runs in a process of its own ------------------------------------------------------------------------


def effect(name: str, most: int | None, every: bool) -> dict[str, Any]:
    """Measure rankers on a collection: the recipe and those near it, or only bm25 and default."""
    collection = ab.collection(str(data(name)))
    if most is not None:
        chance = np.random.default_rng(1)
        judged = collection.judged_queries
        chosen = [judged[i] for i in sorted(chance.choice(len(judged), min(most, len(judged)), replace=False))]
        asked = {query.id: collection.qrels[query.id] for query in chosen}
        collection = replace(collection, queries=tuple(chosen), qrels=asked)
    index = ab.Index.build(collection.documents())
    start = time.perf_counter()
    index.train(DEFAULT, threads=1)
    seconds = time.perf_counter() - start
    rankers = recipes(index)
    if every:
        rankers |= with_vectors(index)
    else:
        rankers = {name: rankers[name] for name in (BM25, DEFAULT)}
    rows = compare_on(index.snapshot, collection, list(rankers.values()), MEASURES, threads=1).rows
    by_ranker = {row.ranker: row.evaluation for row in rows}
    found = {name: by_ranker[ranker] for name, ranker in rankers.items()}
    tests = {
        measure: fisher(*({q: v[measure] for q, v in found[name].per_query.items()} for name in (DEFAULT, BM25)))
        for measure in MEASURES
    }
    return {
        "documents": index.snapshot.documents,
        "queries": len(collection.judged_queries),
        "words": statistics.mean(len(index.view().analyzer.terms(q.text)) for q in collection.judged_queries),
        "length": index.view().statistics.average_length,
        "training_seconds": seconds,
        "means": {name: dict(one.mean) for name, one in found.items()},
        "p": {measure: test.p_value for measure, test in tests.items()},
    }


def with_vectors(index: ab.Index) -> dict[str, Ranker]:
    """Return default-vectors with each file of word vectors that there is."""
    folder = os.environ.get("ABOUTNESS_VECTORS")
    if not folder:
        return {}
    index.train("default-vectors", threads=1)
    made: dict[str, Ranker] = {}
    for name, (file, vocab) in VECTORS.items():
        path = Path(folder, file)
        path = next(path.glob("*.bin")) if path.is_dir() else path
        index.import_vectors(path, name=name, vocab=None if vocab is None else Path(folder, vocab))
        made[WITH_VECTORS + name] = ab.DefaultVectors(vectors=name).for_index(index.snapshot)
    return made


def built(folder: str, size: int) -> dict[str, Any]:
    """Index documents on disk and train what default needs."""
    start = time.perf_counter()
    index = ab.Index.build(islice(ab.read(str(data(LARGE))), size), folder)
    indexed = time.perf_counter()
    index.train(DEFAULT)
    return {
        "documents": index.snapshot.documents,
        "indexing_seconds": indexed - start,
        "training_seconds": time.perf_counter() - indexed,
        "training_peak_mb": peak(),
        "disk_mb": sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6,
    }


def asked(folder: str, ranker: str) -> dict[str, Any]:
    """Time questions one after the other, from text to hits with their documents."""
    index = ab.Index.open(folder)
    texts = [query.text for query in ab.collection(str(data(LARGE))).queries]
    chance = np.random.default_rng(1).permutation(len(texts)).tolist()
    for place in chance[:WARM_UP]:
        index.search(texts[place], ranker=ranker)
    walls, cpu = [], time.process_time()
    for place in chance[WARM_UP : WARM_UP + QUESTIONS]:
        start = time.perf_counter()
        index.search(texts[place], ranker=ranker)
        walls.append(1e3 * (time.perf_counter() - start))
    cpu = 1e3 * (time.process_time() - cpu) / QUESTIONS
    p50, p95 = np.quantile(walls, [0.5, 0.95]).tolist()
    return {"p50_ms": p50, "p95_ms": p95, "cpu_ms": cpu, "peak_mb": peak()}


def peak() -> float:
    """Return the most memory that this process had, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))


JOBS = {"effect": effect, "built": built, "asked": asked}

# --- what is measured -----------------------------------------------------------------------------------------


def job(name: str, *arguments: Any) -> dict[str, Any]:
    """Run a job in a process of its own and return what it found."""
    command = [sys.executable, "-m", "bench.default", "--job", json.dumps([name, *arguments])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measured_effect(names: Sequence[str], others: Mapping[str, int | None]) -> dict[str, Any]:
    seven = {}
    for name in names:
        seven[name] = job("effect", name, None, True)
        means = seven[name]["means"]
        tell(f"{name}: {BM25} {means[BM25][FIRST]:.4f}, {DEFAULT} {means[DEFAULT][FIRST]:.4f}")
    rest = {}
    for name, most in others.items():
        rest[name] = job("effect", name, most, False)
        means = rest[name]["means"]
        tell(f"{name}: {BM25} {means[BM25][FIRST]:.4f}, {DEFAULT} {means[DEFAULT][FIRST]:.4f}")
    return {"seven": seven, "others": rest, "left_out": left_one_out(seven)}


def left_one_out(seven: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each collection the recipe that is best on the others, and what it reaches on this one."""
    names = [name for name in next(iter(seven.values()))["means"] if not name.startswith((BM25, WITH_VECTORS))]
    chosen = {}
    for one in seven:
        rest = [other for other in seven if other != one] or [one]
        best = max(names, key=lambda name: statistics.mean(seven[other]["means"][name][FIRST] for other in rest))
        chosen[one] = {"recipe": best, FIRST: seven[one]["means"][best][FIRST]}
    return chosen


def measured_speed(sizes: Sequence[int]) -> list[dict[str, Any]]:
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as place:
            folder = str(Path(place) / "index")
            row = job("built", folder, size)
            tell(f"{row['documents']:,} documents: trained in {row['training_seconds']:.1f} s")
            row["questions"] = {name: job("asked", folder, name) for name in (BM25, DEFAULT)}
            tell(f"{row['documents']:,} documents: {row['questions'][DEFAULT]['p50_ms']:.1f} ms a question")
            rows.append(row)
    return rows


# --- the report -----------------------------------------------------------------------------------------------


def report(results: Mapping[str, Any]) -> str:
    lines = ["# The default ranker", "", made_by("bench.default", dict(results))]
    if "effect" in results:
        lines += _effect_lines(results["effect"])
    if "speed" in results:
        lines += _speed_lines(results["speed"])
    return "\n".join([*lines, ""])


def _mean(seven: Mapping[str, Any], name: str, measure: str = FIRST) -> float:
    return statistics.mean(one["means"][name][measure] for one in seven.values())


def _effect_lines(found: Mapping[str, Any]) -> list[str]:
    seven = found["seven"]
    head = ["", *seven, "mean"]
    lines: list[str] = []
    for measure in MEASURES:
        rows = [
            [name, *(f"{one['means'][name][measure]:.4f}" for one in seven.values()),
             f"{_mean(seven, name, measure):.4f}"]
            for name in (BM25, DEFAULT, *(one for one in next(iter(seven.values()))["means"]
                                          if one.startswith(WITH_VECTORS)))
        ]  # fmt: skip
        raw = [one["p"][measure] for one in seven.values()]
        rows.append(["p against bm25 (Fisher, Holm)", *(f"{p:.2g}" for p in adjusted(raw).tolist()), ""])
        lines += ["", f"## {measure}", "", *table(head, rows)]
    below = [name for name, one in seven.items() if one["means"][DEFAULT][FIRST] < one["means"][BM25][FIRST]]
    mean = _mean(seven, DEFAULT)
    verdict = (
        f"Mean {FIRST} {mean:.4f}: bar {BAR:.3f} {met(mean >= BAR)}, stretch {STRETCH:.3f} "
        f"{met(mean >= STRETCH)}. Below bm25 on {', '.join(below) or 'none'}: {met(not below)}."
    )
    chosen = found["left_out"]
    left = statistics.mean(one[FIRST] for one in chosen.values())
    lines += [
        "",
        verdict,
        "",
        "## Other collections, which had no part in the choice",
        "",
        *table(
            ["collection", "documents", "queries", f"bm25 {FIRST}", f"default {FIRST}", "p", "bm25 R@100",
             "default R@100"],
            [
                [name, f"{one['documents']:,}", one["queries"], f"{one['means'][BM25][FIRST]:.4f}",
                 f"{one['means'][DEFAULT][FIRST]:.4f}", f"{one['p'][FIRST]:.2g}",
                 f"{one['means'][BM25]['R@100']:.4f}", f"{one['means'][DEFAULT]['R@100']:.4f}"]
                for name, one in found["others"].items()
            ],
        ),
        "",
        "## What each ingredient adds, and other weights",
        "",
        *table(
            head,
            [
                [name, *(f"{one['means'][name][FIRST]:.4f}" for one in seven.values()),
                 f"{_mean(seven, name):.4f}"]
                for name in next(iter(seven.values()))["means"]
                if not name.startswith(WITH_VECTORS)
            ],
        ),
        "",
        "## Chosen on the others",
        "",
        f"Of all recipes in that table the best one on six collections, measured on the seventh: mean {left:.4f}.",
        "",
        *table(
            ["collection", "recipe", FIRST],
            [[name, one["recipe"], f"{one[FIRST]:.4f}"] for name, one in chosen.items()],
        ),
        "",
        "## Training",
        "",
        *table(
            ["collection", "documents", "words of a document", "words of a query", "seconds, one thread"],
            [
                [name, f"{one['documents']:,}", f"{one['length']:.0f}", f"{one['words']:.1f}",
                 f"{one['training_seconds']:.1f}"]
                for name, one in {**seven, **found["others"]}.items()
            ],
        ),
    ]  # fmt: skip
    return lines


def _speed_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    last = rows[-1]
    default = last["questions"][DEFAULT]
    verdict = (
        f"At {last['documents']:,} documents: p50 at most {WALL_BAR:.0f} ms {met(default['p50_ms'] <= WALL_BAR)}, "
        f"CPU at most {CPU_BAR:.0f} ms {met(default['cpu_ms'] <= CPU_BAR)}, training in at most "
        f"{TRAINING_BAR / 60:.0f} minutes {met(last['training_seconds'] <= TRAINING_BAR)}. Words, letters and "
        f"pairs each find their first {DEPTH:,} documents, exactly; likeness is searched exactly over all."
    )
    return [
        "",
        f"## Speed ({LARGE}, {QUESTIONS} of its queries, one after the other, ten hits with their documents)",
        "",
        *table(
            ["documents", "ranker", "p50 ms", "p95 ms", "CPU ms", "peak MB"],
            [
                [f"{row['documents']:,}", name, f"{one['p50_ms']:.2f}", f"{one['p95_ms']:.2f}",
                 f"{one['cpu_ms']:.2f}", f"{one['peak_mb']:.0f}"]
                for row in rows
                for name, one in row["questions"].items()
            ],
        ),
        "",
        *table(
            ["documents", "indexing s", "training s", "peak MB", "disk MB"],
            [
                [f"{row['documents']:,}", f"{row['indexing_seconds']:.1f}", f"{row['training_seconds']:.1f}",
                 f"{row['training_peak_mb']:.0f}", f"{row['disk_mb']:.0f}"]
                for row in rows
            ],
        ),
        "",
        verdict,
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.default", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="cranfield and 10,000 documents; nothing is stored")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        name, *arguments = json.loads(options.job)
        print(json.dumps(JOBS[name](*arguments)))
        return
    before = {} if options.quick else kept(NAME)
    results = {**before, **circumstances("numba", "numpy", "scipy")}
    results["measured"] = {**before.get("measured", {}), **dict.fromkeys(options.parts, results["date"])}
    for part in options.parts:
        if part == "effect":
            few: Mapping[str, int | None] = {} if options.quick else OTHERS
            results[part] = measured_effect(SEVEN[:1] if options.quick else SEVEN, few)
        else:
            results[part] = measured_speed(SIZES[:1] if options.quick else SIZES)
        if not options.quick:
            keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
