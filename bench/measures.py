"""`python -m bench.measures [--quick] [--rounds N]`: measuring a large run, against ranx and pytrec_eval.

Every round is a process of its own, which loads the run, imports the side's package, measures the run once, and
then again and again. The sides take turns and the best of the rounds counts: the machine is shared, so only
ratios within one run mean anything. Results go to bench/results/measures.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from bench.report import circumstances, keep, made_by, met, table, tell

Scores: TypeAlias = dict[str, dict[str, float]]
Qrels: TypeAlias = dict[str, dict[str, int]]

QUERIES, DOCUMENTS, JUDGED = 1000, 1000, 50
NAMES = {
    "nDCG@10": ("ndcg@10", "ndcg_cut_10"),
    "AP": ("map", "map"),
    "RR": ("mrr", "recip_rank"),
    "P@10": ("precision@10", "P_10"),
    "R@100": ("recall@100", "recall_100"),
}
AGAIN = 5
COLD, WARM, IMPORT, FISHER = 3.0, 1.0, 0.4, 0.5  # bars
PERMUTATIONS, FISHER_QUERIES = 100_000, 250
EXPLANATION = (
    "{queries:,} queries of {documents:,} documents each, {judged} judgements a query, no two scores of a query "
    "the same; measures: {measures}. Fresh: import and the first evaluation in a new process; again: the best of "
    "{again} more in the same process. All begin with judgements and run as plain dictionaries in memory, or as "
    "TREC files; best of {rounds} rounds, wall clock, {cores} cores for whoever uses them. ranx compiles with "
    "numba: once with an empty cache of compiled code, as after an installation, and then with a filled one. "
    "`ranx, made before` has made its own objects of the dictionaries, which does not count: again is its "
    "evaluation alone. pytrec_eval is trec_eval itself. Ratio: the side's time by ours."
)


# --- the sides, each in a process of its own ------------------------------------------------------------------


def ours(qrels: Any, run: Any) -> Callable[[], dict[str, float]]:
    from aboutness.app.evaluating import evaluate_run

    return lambda: evaluate_run(qrels, run, list(NAMES)).mean


def by_ranx(qrels: Any, run: Any) -> Callable[[], dict[str, float]]:
    import ranx

    names = {theirs: name for name, (theirs, _) in NAMES.items()}

    def work() -> dict[str, float]:
        if isinstance(run, dict):
            judged, ranked = ranx.Qrels(qrels), ranx.Run(run)
        else:
            judged = ranx.Qrels.from_file(qrels, kind="trec")
            ranked = ranx.Run.from_file(run, kind="trec")
        found = ranx.evaluate(judged, ranked, list(names))
        return {names[name]: float(value) for name, value in found.items()}

    return work


def by_ranx_made_before(qrels: Any, run: Any) -> Callable[[], dict[str, float]]:
    import ranx

    judged, ranked = ranx.Qrels(qrels), ranx.Run(run)
    names = {theirs: name for name, (theirs, _) in NAMES.items()}
    return lambda: {
        names[name]: float(value) for name, value in ranx.evaluate(judged, ranked, list(names)).items()
    }


def by_pytrec_eval(qrels: Any, run: Any) -> Callable[[], dict[str, float]]:
    import pytrec_eval

    def work() -> dict[str, float]:
        found = pytrec_eval.RelevanceEvaluator(qrels, {theirs for _, theirs in NAMES.values()}).evaluate(run)
        return {
            name: sum(row[theirs] for row in found.values()) / len(qrels) for name, (_, theirs) in NAMES.items()
        }

    return work


SIDES = {
    "aboutness": ours,
    "ranx": by_ranx,
    "ranx, made before": by_ranx_made_before,
    "pytrec_eval": by_pytrec_eval,
}


def child(side: str, place: str, source: str) -> None:
    """Measure one side in this process and print what was found."""
    folder = Path(place)
    if source == "files":
        qrels, run = str(folder / "run.qrels"), str(folder / "run.trec")
    else:
        qrels, run = pickle.loads((folder / "run.pickle").read_bytes())
    start = time.perf_counter()
    work = SIDES[side](qrels, run)
    imported = time.perf_counter()
    mean = work()
    first = time.perf_counter()
    again = []
    for _ in range(AGAIN):
        before = time.perf_counter()
        work()
        again.append(time.perf_counter() - before)
    print(json.dumps({"import": imported - start, "fresh": first - start, "again": min(again), "mean": mean}))


# --- what they are given --------------------------------------------------------------------------------------


def made_up(queries: int, documents: int) -> tuple[Qrels, Scores]:
    """Return judgements of three grades, and a run that ranks some judged documents high."""
    chance = random.Random(1)
    qrels: Qrels = {}
    run: Scores = {}
    for number in range(queries):
        ids = [f"doc{one:07}" for one in chance.sample(range(10**7), documents + JUDGED)]
        judged = [*ids[: JUDGED // 2], *ids[-JUDGED // 2 :]]  # a half of them is in the run
        qrels[f"q{number}"] = {one: chance.randrange(3) for one in judged}
        scores = chance.sample(range(10**6), documents)
        lifted = {
            one: score + 10**6 * (one in judged) * (score % 3 == 0)
            for one, score in zip(ids, scores, strict=False)
        }
        run[f"q{number}"] = {one: score / 2**14 for one, score in lifted.items()}
    return qrels, run


def write_files(folder: Path, qrels: Qrels, run: Scores) -> None:
    (folder / "run.pickle").write_bytes(pickle.dumps((qrels, run)))
    with (folder / "run.qrels").open("w") as file:
        file.writelines(f"{q} 0 {one} {grade}\n" for q, judged in qrels.items() for one, grade in judged.items())
    with (folder / "run.trec").open("w") as file:
        for query, scores in run.items():
            ordered = sorted(scores.items(), key=lambda entry: -entry[1])
            file.writelines(f"{query} Q0 {one} {n} {score!r} bench\n" for n, (one, score) in enumerate(ordered, 1))


# --- measuring ------------------------------------------------------------------------------------------------


def measure(side: str, folder: Path, source: str, cache: str) -> dict[str, Any]:
    """Run one side in a new process; its compiled code is kept in `cache`."""
    command = [sys.executable, "-W", "ignore", "-m", "bench.measures", "--side", side, str(folder), source]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    tell(f"{source} {side}: fresh {found['fresh']:.2f} s, again {found['again']:.3f} s")
    return found


def compare(folder: Path, source: str, rounds: int) -> list[dict[str, Any]]:
    """Measure all sides that begin with a source, in turns; the first round of ranx has an empty cache."""
    best: dict[str, dict[str, Any]] = {}
    sides = list(SIDES) if source == "dictionaries" else ["aboutness", "ranx"]
    with tempfile.TemporaryDirectory() as cache:
        empty = measure("ranx", folder, source, cache)
        for _ in range(rounds):
            for side in sides:
                found = measure(side, folder, source, cache)
                kept = best.setdefault(side, found)
                best[side] = found | {key: min(found[key], kept[key]) for key in ("import", "fresh", "again")}
    best["ranx, nothing compiled"] = empty
    base = best["aboutness"]
    order = ["aboutness", "ranx, nothing compiled", *sides[1:]]
    return [
        {
            "source": source,
            "side": side,
            **best[side],
            "fresh_ratio": best[side]["fresh"] / base["fresh"],
            "again_ratio": best[side]["again"] / base["again"],
            "apart": max(abs(best[side]["mean"][name] - base["mean"][name]) for name in NAMES),
        }
        for side in order
    ]


def importing(rounds: int) -> dict[str, float]:
    """Return the seconds of importing the measures in a new process, with ir_measures, and numpy's part."""
    probe = (
        "import time; t = time.perf_counter(); import numpy; n = time.perf_counter() - t;"
        "from aboutness.evaluate.evaluation import evaluate; from aboutness.evaluate.measures import measures;"
        "measures(); print(time.perf_counter() - t, n)"
    )
    runs = (subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True) for _ in range(rounds))
    total, numpy = min(tuple(map(float, done.stdout.split())) for done in runs)
    return {"measures": total, "numpy": numpy}


def testing(rounds: int, permutations: int) -> dict[str, float]:
    """Return the seconds of Fisher's test, and of all pairs of seven rankers over a thousand queries."""
    import numpy as np

    from aboutness.evaluate.pairs import all_pairs
    from aboutness.evaluate.significance import fisher

    chance = np.random.default_rng(1)
    a, b = chance.random((2, FISHER_QUERIES))
    rankers = {f"r{n}": chance.random(1000) for n in range(7)}
    once, pairs = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        fisher(a, b, permutations=permutations)
        middle = time.perf_counter()
        all_pairs(rankers, permutations=permutations)
        once.append(middle - start)
        pairs.append(time.perf_counter() - middle)
    return {"fisher": min(once), "pairs": min(pairs)}


# --- telling --------------------------------------------------------------------------------------------------


def bars(row: dict[str, Any]) -> str:
    """Return which bars a row is about, and whether they are met; made before, ranx is not fresh."""
    if not row["side"].startswith("ranx"):
        return ""
    fresh = f"fresh ≥ {COLD:g} {met(row['fresh_ratio'] >= COLD)}"
    again = f"again ≥ {WARM:g} {met(row['again_ratio'] >= WARM)}"
    return again if "made" in row["side"] else f"{fresh}; {again}"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    head = [
        "begin with",
        "side",
        "import, s",
        "fresh, s",
        "again, s",
        "fresh, ratio",
        "again, ratio",
        "means differ by",
        "bar",
    ]
    rows = [
        [row["source"], row["side"], f"{row['import']:.2f}", f"{row['fresh']:.2f}", f"{row['again']:.3f}",
         f"{row['fresh_ratio']:.1f}", f"{row['again_ratio']:.1f}", f"{row['apart']:.0e}", bars(row)]
        for row in results["comparisons"]
    ]  # fmt: skip
    tests, imported = results["tests"], results["import"]
    others = [
        [
            f"importing the measures, of which numpy {imported['numpy']:.3f}",
            f"{imported['measures']:.3f}",
            f"≤ {IMPORT} {met(imported['measures'] <= IMPORT)}",
        ],
        [
            f"Fisher's test, {results['permutations']:,} permutations of {FISHER_QUERIES} queries",
            f"{tests['fisher']:.3f}",
            f"≤ {FISHER} {met(tests['fisher'] <= FISHER)}",
        ],
        [
            f"all 21 pairs of 7 rankers, {results['permutations']:,} permutations of 1,000 queries",
            f"{tests['pairs']:.2f}",
            "",
        ],
    ]
    return "\n".join(
        [
            "# Measures", "", made_by("bench.measures", results), results["explanation"], "",
            *table(head, rows), "",
            *table(["work", "seconds", "bar"], others), "",
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.measures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer queries, one round; nothing is stored")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--side", nargs=3, metavar=("SIDE", "FOLDER", "SOURCE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        child(*options.side)
        return
    rounds, queries = (1, 50) if options.quick else (options.rounds, QUERIES)
    permutations = PERMUTATIONS // 10 if options.quick else PERMUTATIONS
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files(folder, *made_up(queries, DOCUMENTS))
        comparisons = [row for source in ("dictionaries", "files") for row in compare(folder, source, rounds)]
    results = {
        **circumstances("ranx", "pytrec_eval-terrier", "ir_measures", "numba", "numpy"),
        "explanation": EXPLANATION.format(
            queries=queries, documents=DOCUMENTS, judged=JUDGED, measures=", ".join(NAMES), again=AGAIN,
            rounds=rounds, cores=os.cpu_count(),
        ),
        "rounds": rounds,
        "comparisons": comparisons,
        "import": importing(2 * rounds),
        "permutations": permutations,
        "tests": testing(rounds, permutations),
    }  # fmt: skip
    text = report(results)
    print(text)
    if not options.quick:
        keep("measures", results, text)


if __name__ == "__main__":
    main()
