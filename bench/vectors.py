"""`python -m bench.vectors [--quick] [--parts PART …]`: training and loading word vectors, against gensim.

Both sides get the same tokens and settings and take turns; the best of the rounds counts, and only ratios within
one run mean anything. Quality is measured on vectors of several seeds, because chance moves it by more than most
changes do. Results go to bench/results/vectors.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index, Word2Vec, collection
from aboutness.evaluate.evaluation import evaluate
from aboutness.text.strings import StringTable
from aboutness.vectors import word_tests
from aboutness.vectors.load import load_vectors
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.words import WordVectors
from bench.data import records
from bench.report import deviation

RESULTS = Path(__file__).parent / "results"
ANALYZER = "plain"
OURS, PLAIN, THEIRS = "aboutness", "aboutness, plain", "gensim"
SIDES = (OURS, PLAIN, THEIRS)
SPEED_TEXT = "reuters"
WORDS_TEXT = "yso_finna_en"  # the quality of words is measured on vectors of this
COLLECTIONS = ("scifact", "nfcorpus_preprocessed")  # that of documents, on vectors of each collection itself
SIMILARITY = ("MEN_dataset_natural_form_full.tsv", "wordsim353.tsv", "MTURK-771.tsv", "SimLex-999.tsv", "rw.tsv")
ANALOGIES = ("MSR-syntax.txt", "questions-words.txt")
KINDS = ("skip-gram", "cbow")
PARTS = ("loading", "speed", "quality")
DIMS = (100, 300)
BARS = {("skip-gram", 100): 3.0, ("skip-gram", 300): 2.5, ("cbow", 100): 1.5, ("cbow", 300): 1.0}
STRETCH = {("skip-gram", 100): 4.0, ("skip-gram", 300): 3.0, ("cbow", 100): 2.0, ("cbow", 300): 1.5}
LOADING_BAR, LOADING_STRETCH = 5.0, 10.0
SAME = {"window": 5, "min_count": 5, "sample": 1e-3}
KERNELS = (
    " The kernels are `skip_gram` and `cbow` of `aboutness.kernels.word2vec`. Side aboutness shares negatives "
    "(skip-gram: all neighbours of a word; CBOW: successive words), which is the default; aboutness, plain draws "
    "them for each pair anew."
)
EXPLANATION = (
    "gensim's compiled code, its lists of words in memory, its `train` alone (its vocabulary is made before); "
    "ours: the whole of `Word2Vec.train` on the same tokens, vocabulary included. Window 5, 5 negatives, "
    "min_count 5, sample 1e-3, one epoch over {text} ({tokens:,} tokens). In turns, best of {rounds} rounds."
    + KERNELS
)

QUALITY = (
    f"Words: vectors of {WORDS_TEXT}, 5 epochs; the mean of Spearman's correlation over {len(SIMILARITY)} sets of "
    "word pairs, and the mean reciprocal rank of the right word in analogies (3CosAdd). Documents: vectors of the "
    "collection itself, 10 epochs; nDCG@10 of IDF-weighted centroids. Met: the mean is not below gensim's by more "
    "than gensim's deviation from seed to seed."
)


def data(*parts: str) -> Path:
    folder = os.environ.get("ABOUTNESS_DATA")
    if not folder:
        sys.exit("ABOUTNESS_DATA is not set: it names the folder with the real collections")
    return Path(folder, *parts)


# --- the same tokens for both sides -------------------------------------------------------------------------


def sentences(text: TrainingText) -> list[list[str]]:
    terms = text.terms()
    return [
        [terms[number] for number in part.tokens[start:end].tolist()]
        for part in text.parts
        for start, end in zip(part.starts.tolist(), part.ends.tolist(), strict=True)
    ]


def ours(
    text: TrainingText, kind: str, dim: int, epochs: int, threads: int, seed: int, draw: str = "shared"
) -> WordVectors:
    how = Word2Vec(architecture=kind, dim=dim, epochs=epochs, seed=seed, negatives=5, draw=draw, **SAME)
    return how.train(text, threads=threads)


class Gensim:
    """gensim's Word2Vec over lists of words."""

    def __init__(self, text: TrainingText) -> None:
        self.sentences = sentences(text)

    def prepared(self, kind: str, dim: int, epochs: int, threads: int, seed: int) -> Any:
        from gensim.models import Word2Vec as Theirs

        model = Theirs(
            vector_size=dim, sg=int(kind == "skip-gram"), negative=5, hs=0, epochs=epochs, workers=threads,
            seed=seed, **SAME,
        )  # fmt: skip
        model.build_vocab(self.sentences)
        return model

    def train(self, model: Any) -> Any:
        model.train(self.sentences, total_examples=len(self.sentences), epochs=model.epochs)
        return model

    def vectors(self, model: Any) -> WordVectors:
        words = StringTable.of(model.wv.index_to_key)
        return WordVectors(words, {"in": model.wv.vectors, "out": model.syn1neg})


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


# --- speed --------------------------------------------------------------------------------------------------


def speed(text: TrainingText, rounds: int) -> list[dict[str, Any]]:
    """Measure words a second: raw tokens read, before any are left out by chance."""
    gensim = Gensim(text)
    rows = []
    for kind in KINDS:
        ours(text, kind, 8, 1, 1, 1)  # compiled
        for dim in DIMS:
            for threads in (1, 2):
                best = dict.fromkeys(SIDES, np.inf)
                for _ in range(rounds):
                    model = gensim.prepared(kind, dim, 1, threads, 1)
                    work = {
                        OURS: partial(ours, text, kind, dim, 1, threads, 1),
                        THEIRS: partial(gensim.train, model),
                        PLAIN: partial(ours, text, kind, dim, 1, threads, 1, "plain"),
                    }
                    for side, run in work.items():
                        best[side] = min(best[side], timed(run)[0])
                rows += [
                    {
                        "kind": kind,
                        "dim": dim,
                        "threads": threads,
                        "side": side,
                        "words_per_second": text.tokens / seconds,
                        "ratio": best[THEIRS] / seconds,
                    }
                    for side, seconds in best.items()
                ]
                ratios = {row["side"]: round(row["ratio"], 2) for row in rows[-3:]}
                print(f"  {kind} {dim} threads {threads}: {ratios}", file=sys.stderr)
    return rows


# --- quality ------------------------------------------------------------------------------------------------


def word_quality(vectors: WordVectors) -> dict[str, float]:
    """Return how good vectors of words are: Spearman on word similarity, MRR on analogies."""
    found = [word_tests.similarity(vectors, data("word_similarity", name)).spearman for name in SIMILARITY]
    measured = {"similarity, mean of five": statistics.mean(value for value in found if value is not None)}
    measured["similarity, MEN"] = found[0] or 0.0
    for name in ANALOGIES:
        total = word_tests.analogies(vectors, data("word_similarity", name))[-1]
        measured[f"analogies MRR, {name}"] = total.mrr or 0.0
    return measured


class Centroids:
    """IDF-weighted centroids of a collection: cosine of sums of count x idf x vector."""

    def __init__(self, name: str) -> None:
        self.test = collection(str(data(name)))
        self.index = Index.build(self.test.documents(), analyzer=ANALYZER)
        self.view = self.index.view()
        self.text = TrainingText.of_view(self.view)
        self.ids = list(self.index.snapshot.ids())

    def ndcg(self, vectors: WordVectors) -> float:
        rows, _ = vectors.look_up(self.view.terms())
        idf = np.log((1 + self.view.documents) / (1 + self.view.df))
        weighted = rows.astype(np.float64) * idf[:, None]
        documents = unit(self.view.matrix() @ weighted)
        run = {}
        for query in self.test.queries:
            numbers = [n for n, df in self.view.look_up(self.view.analyzer.terms(query.text)) if df]
            scores = documents @ unit(weighted[numbers].sum(axis=0, keepdims=True))[0]
            best = np.argsort(-scores, kind="stable")[:10]
            run[query.id] = [(self.ids[i], float(scores[i])) for i in best]
        return evaluate(self.test.qrels, run, ["nDCG@10"]).mean["nDCG@10"]


def _ndcg(centroids: Centroids, vectors: WordVectors) -> dict[str, float]:
    return {"nDCG@10, centroids": centroids.ndcg(vectors)}


def unit(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def both_sides(
    text: TrainingText,
    epochs: int,
    seeds: int,
    measure: Callable[[WordVectors], dict[str, float]],
    title: str,
    sides: Sequence[str] = SIDES,
) -> list[dict[str, Any]]:
    """Train all sides with several seeds, dim 100 and two threads; return each measure's mean and deviation."""
    gensim = Gensim(text)
    rows = []
    for kind in KINDS:
        found: dict[tuple[str, str], list[float]] = {}
        for seed in range(1, seeds + 1):
            for side in sides:
                if side == THEIRS:
                    vectors = gensim.vectors(gensim.train(gensim.prepared(kind, 100, epochs, 2, seed)))
                else:
                    draw = "plain" if side == PLAIN else "shared"
                    vectors = ours(text, kind, 100, epochs, 2, seed, draw)
                for name, value in measure(vectors).items():
                    found.setdefault((name, side), []).append(value)
            shown = {f"{side}: {name}": round(values[-1], 4) for (name, side), values in found.items()}
            print(f"  {title} {kind} seed {seed}: {shown}", file=sys.stderr)
        for (name, side), values in found.items():
            theirs = found[name, THEIRS]
            rows.append(
                {
                    "text": title,
                    "kind": kind,
                    "measure": name,
                    "side": side,
                    "mean": statistics.mean(values),
                    "deviation": deviation(values),
                    "values": values,
                    "against": statistics.mean(values) - statistics.mean(theirs),
                    "allowed": deviation(theirs),
                }
            )
    return rows


# --- loading ------------------------------------------------------------------------------------------------


def loading(rounds: int) -> dict[str, Any]:
    """Load the real GoogleNews file by both sides."""
    from gensim.models import KeyedVectors

    folder = os.environ.get("ABOUTNESS_VECTORS")
    if not folder:
        sys.exit("ABOUTNESS_VECTORS is not set: it names the folder with the real vectors")
    path = next(Path(folder, "googlenews_w2v_300d_small").glob("*.bin"))
    load_vectors(path)
    best = {OURS: np.inf, THEIRS: np.inf}
    for _ in range(2 * rounds + 1):
        seconds, mine = timed(lambda: load_vectors(path))
        best[OURS] = min(best[OURS], seconds)
        seconds, theirs = timed(lambda: KeyedVectors.load_word2vec_format(str(path), binary=True))
        best[THEIRS] = min(best[THEIRS], seconds)
    same = list(mine.words) == theirs.index_to_key and np.array_equal(
        mine.space("in").view(np.uint32), theirs.vectors.view(np.uint32)
    )
    peaks, first = {}, {}
    for side, code in {
        OURS: f"from aboutness import load_vectors; load_vectors({str(path)!r})",
        THEIRS: f"from gensim.models import KeyedVectors as K; K.load_word2vec_format({str(path)!r}, binary=True)",
    }.items():
        peaks[side] = _peak(code) / 1e3
        first[side] = 1e3 * min(
            timed(partial(subprocess.run, [sys.executable, "-c", code], check=True))[0] for _ in range(rounds)
        )
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "words": len(mine),
        "ms": {side: 1e3 * seconds for side, seconds in best.items()},
        "ratio": best[THEIRS] / best[OURS],
        "same": same,
        "peak_mb": peaks,
        "first_ms": first,
    }


def _peak(code: str) -> int:
    """Return the peak of a fresh process in kB; of a small parent, for a child's peak counts from the fork on."""
    probe = (
        f"import resource, subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    return int(subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout)


# --- report -------------------------------------------------------------------------------------------------


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    dates = ", ".join(f"{part} {date}" for part, date in results["measured"].items())
    made = f"Made by `python -m bench.vectors` ({dates}): {results['machine']}; {results['versions']}."
    how = EXPLANATION.format(rounds=results["rounds"], text=SPEED_TEXT, tokens=results["tokens"])
    lines = ["# Word vectors", "", made, how, "", *_speed_lines(results["speed"]), ""]
    lines += [f"## Quality, {results['seeds']} seeds, dim 100, two threads", "", QUALITY, ""]
    return "\n".join([*lines, *_quality_lines(results["quality"]), "", *_loading_lines(results["loading"]), ""])


def _speed_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [
        "## Speed: tokens a second, and times gensim's",
        "",
        "| | dim | threads | side | tokens/s | ratio | bar | stretch |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        bar, stretch = BARS[row["kind"], row["dim"]], STRETCH[row["kind"], row["dim"]]
        met = f"≥ {bar:g} {_met(row['ratio'] >= bar)} | ≥ {stretch:g} {_met(row['ratio'] >= stretch)}"
        lines.append(
            f"| {row['kind']} | {row['dim']} | {row['threads']} | {row['side']} | "
            f"{row['words_per_second']:,.0f} | {row['ratio']:.2f} | {met if row['side'] == OURS else ' | '} |"
        )
    return lines


def _quality_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [
        "| text | | measure | side | mean ± deviation | against gensim | bar | stretch: above |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        met = f"{_met(row['against'] >= -row['allowed'])} | {_met(row['against'] > 0)}"
        lines.append(
            f"| {row['text']} | {row['kind']} | {row['measure']} | {row['side']} | {row['mean']:.4f} ± "
            f"{row['deviation']:.4f} | {row['against']:+.4f} | {met if row['side'] == OURS else ' | '} |"
        )
    return lines


def _loading_lines(loaded: dict[str, Any] | None) -> list[str]:
    if loaded is None:
        return []
    bar = _met(loaded["ratio"] >= LOADING_BAR)
    stretch = _met(loaded["ratio"] >= LOADING_STRETCH)
    return [
        "## Loading",
        "",
        "Repeated in one process, the file in the system's cache:",
        f"{loaded['file']} ({loaded['bytes']:,} bytes, {loaded['words']:,} words): {loaded['ms'][OURS]:.1f} ms,",
        f"gensim {loaded['ms'][THEIRS]:.1f} ms: {loaded['ratio']:.1f}x (≥ {LOADING_BAR:g} {bar};",
        f"≥ {LOADING_STRETCH:g} {stretch}).",
        f"The same words and the same vectors bit for bit: {'yes' if loaded['same'] else 'NO'}.",
        f"A whole process that imports and loads, with kernels compiled before: {loaded['first_ms'][OURS]:.0f} ms",
        f"and {loaded['peak_mb'][OURS]:.0f} MB at its peak; gensim {loaded['first_ms'][THEIRS]:.0f} ms and",
        f"{loaded['peak_mb'][THEIRS]:.0f} MB.",
    ]


def measured(parts: Sequence[str], rounds: int, seeds: int, *, quick: bool) -> dict[str, Any]:
    """Measure some parts; return what the report needs of them."""
    results: dict[str, Any] = {}
    if "loading" in parts:
        results["loading"] = loading(rounds)
    if "speed" in parts:
        text = TrainingText.of_view(Index.build(records(SPEED_TEXT), analyzer=ANALYZER).view())
        results |= {"speed": speed(text, rounds), "tokens": text.tokens, "rounds": rounds}
    if "quality" in parts:
        results |= {"quality": [], "seeds": seeds}
        for name in COLLECTIONS:
            centroids = Centroids(name)
            results["quality"] += both_sides(centroids.text, 10, seeds, partial(_ndcg, centroids), name)
        if not quick:
            words = TrainingText.of_view(Index.build(records(WORDS_TEXT), analyzer=ANALYZER).view())
            results["quality"] += both_sides(words, 5, seeds, word_quality, WORDS_TEXT, (OURS, THEIRS))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.vectors", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, one seed, small texts; nothing is stored")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    options = parser.parse_args()
    kept = RESULTS / "vectors.json"
    results: dict[str, Any] = {"loading": None, "speed": [], "quality": [], "rounds": 0, "seeds": 0, "tokens": 0}
    if kept.is_file() and not options.quick:
        results |= json.loads(kept.read_text())
    rounds, seeds = (1, 1) if options.quick else (options.rounds, options.seeds)
    results |= {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(f"{n} {version(n)}" for n in ("gensim", "numba", "numpy")),
        **measured(options.parts, rounds, seeds, quick=options.quick),
    }
    dates = results.get("measured", {})
    results["measured"] = dates | dict.fromkeys(options.parts, results["date"])
    shown = report(results)
    print(shown)
    if not options.quick:
        RESULTS.mkdir(exist_ok=True)
        kept.write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "vectors.md").write_text(shown)


if __name__ == "__main__":
    main()
