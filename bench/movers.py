"""`python -m bench.movers [--quick] [--parts PART …]`: Word Mover's Distance, against gensim and POT.

Everything runs in one thread, and the processor's time counts: on a free core, that is the time it takes. All
sides get the same words and vectors; what takes too long is measured on a sample and extrapolated, and the table
says so. Results go to bench/results/movers.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index, read
from aboutness.core.record import Document
from aboutness.models.model import Scorer
from aboutness.models.question import Question
from aboutness.models.ranking import Ranking, best
from aboutness.models.wmd import WMD, MoverScorer
from aboutness.rank.grammar import ranker
from bench.data import source

RESULTS = Path(__file__).parent / "results"
VECTORS = Path("googlenews_w2v_300d_small") / "GoogleNews-vectors-negative300-bolukbasi.bin"
ANALYZER = "galke2017"
PARTS = ("solver", "titles", "long", "galke2017")
TITLES = 100_000
LONG_WORDS = 300  # different ones in a long document, at least
ASKED = 200  # different known words in a long query
K = 20
SAMPLE = 200  # documents for gensim and POT
SHAPES = ((3, 8), (20, 50), (200, 8), (200, 40), (200, 300))
BARS = {"2-4 words": (0.1, 0.05), "200 words": (1.0, 0.5)}
FASTER_BAR = 200
LONG_BAR, LONG_STRETCH = 19.0, 5.0
JOB_STRETCH = 300.0
EXPLANATION = (
    "One thread; seconds are the processor's, which on a free core is the time it takes. Vectors: GoogleNews, "
    f"26,423 words x 300; Euclidean cost, analyzer {ANALYZER}, top {K}. Peers work out one distance after the "
    "other: gensim's `wmdistance`, and POT's `emd2` on costs by scipy's `cdist`; their times are those of "
    f"{SAMPLE} documents, extrapolated to all. Brute force is our own, without bounds. Gain: gensim's time / ours."
)


def data(name: str) -> Path:
    return source("reuters").parent / name


def index_of(documents: Sequence[Document]) -> Index:
    """Return an index with word vectors."""
    index = Index.build(documents, analyzer=ANALYZER)
    index.import_vectors(Path(os.environ["ABOUTNESS_VECTORS"]) / VECTORS)
    return index


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor's seconds, and what was found."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def best_times(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Run all in turns; return the best time of each."""
    times = dict.fromkeys(work, float("inf"))
    for _ in range(rounds):
        for name, run in work.items():
            times[name] = min(times[name], timed(run)[0])
    return times


def tell(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


# --- queries and documents ---------------------------------------------------------------------------------------


def short_queries(scorer: MoverScorer, count: int) -> list[Question]:
    """Return questions of two to four known words, from the concepts of the collection."""
    chance = random.Random(1)
    texts = [json.loads(line)["text"] for line in (data("yso_finna_en") / "queries.jsonl").open()]
    chance.shuffle(texts)
    found = (Question(text) for text in texts)
    return list(islice((question for question in found if 2 <= len(scorer.lexicon.asked(question)) <= 4), count))


def long_queries(index: Index, scorer: MoverScorer, count: int) -> list[Question]:
    """Return questions of 200 different known words: documents, joined where they are short."""
    chance = random.Random(2)
    numbers = index.snapshot.live_numbers()
    found = []
    while len(found) < count:
        words: dict[str, float] = {}
        while len(words) < ASKED:
            document = index.snapshot.document(int(numbers[chance.randrange(len(numbers))]))
            asked = scorer.lexicon.asked(Question(" ".join(document.fields.values())))
            for word, weight in zip(asked.words, asked.weights.tolist(), strict=True):
                if len(words) < ASKED or word in words:
                    words[word] = words.get(word, 0.0) + weight
        found.append(Question(terms=words))
    return found


def joined_documents(index: Index, scorer: MoverScorer) -> Iterator[Document]:
    """Yield the texts of a topic, joined until they have 300 different known words."""
    topics: dict[str, list[str]] = {}
    for line in (data("reuters21578_apte90") / "qrels.tsv").read_text().splitlines()[1:]:
        topic, document, _ = line.split("\t")
        topics.setdefault(topic, []).append(document)
    for topic, documents in topics.items():
        texts: list[str] = []
        words: set[str] = set()
        for identifier in documents:
            document = index.snapshot.document(index.snapshot.number(identifier))
            texts += document.fields.values()
            words |= set(scorer.lexicon.asked(Question(" ".join(document.fields.values()))).words)
            if len(words) >= LONG_WORDS:
                yield Document(f"{topic}-{identifier}", {"text": "\n".join(texts)})
                texts, words = [], set()


# --- peers -------------------------------------------------------------------------------------------------------


class Peers:
    """gensim and POT, one distance after the other, over the same words."""

    def __init__(self, scorer: MoverScorer) -> None:
        from gensim.models import KeyedVectors

        vectors = scorer.lexicon.vectors
        self.scorer = scorer
        self.gensim = KeyedVectors(vectors.dim)
        self.gensim.add_vectors(list(vectors), vectors.space("in"))

    def words(self, document: int) -> list[str]:
        """Return the known words of a document, each as often as it stands there."""
        view, rows = self.scorer.view, self.scorer.lexicon.rows
        terms, counts = view.forward(document)
        return [
            view.term(term)
            for term, count in zip(terms.tolist(), view.weigh(counts).tolist(), strict=True)
            if rows[term] >= 0
            for _ in range(int(count))
        ]

    def by_gensim(self, question: Question, documents: Sequence[int]) -> tuple[float, list[float]]:
        """Return how long a document takes, and the distances."""
        asked = self.scorer.lexicon.asked(question)
        words = [w for w, n in zip(asked.words, asked.weights.tolist(), strict=True) for _ in range(int(n))]
        texts = [self.words(document) for document in documents]
        seconds, found = timed(lambda: [self.gensim.wmdistance(words, text, norm=False) for text in texts])
        return seconds / len(documents), found

    def by_pot(self, question: Question, documents: Sequence[int]) -> tuple[float, list[float]]:
        """Return how long a document takes, and the distances."""
        import ot
        from scipy.spatial.distance import cdist

        asked = self.scorer.lexicon.asked(question)
        query, shares = asked.vectors().astype(np.float64), asked.weights / asked.weights.sum()
        contents = self.scorer.ground.contents
        sides = []
        for document in documents:
            rows = slice(contents.ends[document - 1] if document else 0, contents.ends[document])
            words = self.scorer.ground.vectors[contents.words[rows]].astype(np.float64)
            sides.append((words, contents.shares[rows]))
        seconds, found = timed(lambda: [ot.emd2(shares, there, cdist(query, rows)) for rows, there in sides])
        return seconds / len(documents), found


# --- parts -------------------------------------------------------------------------------------------------------


def solver(rounds: int) -> list[dict[str, Any]]:
    """Time the solver alone, on costs of random points in clusters."""
    import ot

    from aboutness.kernels.transport import AMOUNTS, LINKS, total, transport

    rows = []
    for m, n in SHAPES:
        chance = np.random.default_rng(m * n)
        problems = []
        for _ in range(20):
            centres = chance.normal(size=(20, 300))
            points = [chance.normal(size=(size, 300)) + centres[chance.integers(0, 20, size)] for size in (m, n)]
            shares = [chance.integers(1, 4, size).astype(np.float64) for size in (m, n)]
            cost = np.sqrt(((points[0][:, None] - points[1][None]) ** 2).sum(axis=2))
            problems.append((cost, shares[0] / shares[0].sum(), shares[1] / shares[1].sum()))
        tree, values = np.empty((LINKS, m + n), np.int64), np.empty((AMOUNTS, m + n), np.float64)

        def ours(cost: Any, a: Any, b: Any, tree: Any = tree, values: Any = values) -> float:
            transport(cost, a, b, tree, values)
            return float(total(cost, tree[0], values[0]))

        def pots(cost: Any, a: Any, b: Any) -> float:
            return float(ot.emd2(a, b, cost))

        gap = max(abs(ours(*one) / pots(*one) - 1) for one in problems)
        times = best_times({"us": lambda p=problems: [ours(*one) for one in p],
                            "us_pot": lambda p=problems: [pots(*one) for one in p]}, rounds)  # fmt: skip
        row = {
            "rows": m,
            "columns": n,
            "gap": gap,
            **{side: seconds / 20 * 1e6 for side, seconds in times.items()},
        }
        rows.append(row)
        tell(f"solver {m} x {n}: {row['us']:.1f} us, POT {row['us_pot']:.1f} us")
    return rows


def searching(
    what: str, scorer: MoverScorer, asked: Sequence[Question], peers: Peers, *, brute: int, rounds: int = 3
) -> dict[str, Any]:
    """Time questions over all documents, beside brute force and peers; check that the rankings are the same."""
    times = []
    scorer.top(asked[0], K, match="all")
    rankings = []
    for question in asked:
        runs = [timed(partial(scorer.top, question, K, match="all")) for _ in range(rounds)]
        times.append(min(seconds for seconds, _ in runs))
        rankings.append(runs[0][1])
    documents = np.flatnonzero(scorer.view.alive)
    forced = []
    for question, ranking in zip(asked[:brute], rankings, strict=False):
        seconds, scores = timed(partial(scorer.scores, question, documents))
        forced.append(seconds)
        assert_same(ranking, best(documents, scores, K))
    chance = np.random.default_rng(5)
    known = np.flatnonzero(scorer.view.alive & (scorer.sizes > 0))
    sample = np.sort(chance.permutation(known)[:SAMPLE])
    ours = -scorer.scores(asked[0], sample).astype(np.float64)
    by_gensim, theirs = peers.by_gensim(asked[0], sample.tolist())
    by_pot, pots = peers.by_pot(asked[0], sample.tolist())
    row = {
        "what": what,
        "documents": len(documents),
        "questions": len(asked),
        "seconds": statistics.median(times),
        "slowest": max(times),
        "brute": statistics.median(forced),
        "checked": len(forced),
        "gensim": by_gensim * len(known),
        "pot": by_pot * len(known),
        "difference": float(max(np.abs(ours - theirs).max(), np.abs(ours - pots).max())),
    }
    tell(
        f"{what}, {len(documents):,} documents: median {row['seconds']:.3f} s, brute force {row['brute']:.1f} s, "
        f"gensim {row['gensim']:.0f} s, POT {row['pot']:.0f} s"
    )
    return row


def assert_same(one: Ranking, other: Ranking) -> None:
    same = one.documents.tolist() == other.documents.tolist() and one.scores.tobytes() == other.scores.tobytes()
    if not same:
        sys.exit("the ranking is not that of brute force")


def bound_to(index: Index) -> MoverScorer:
    scorer = WMD().bind(index.snapshot)
    assert isinstance(scorer, MoverScorer)
    return scorer


def titles(quick: bool) -> list[dict[str, Any]]:
    index = index_of(list(islice(read(source("yso_finna_en")), 10_000 if quick else TITLES)))
    scorer = bound_to(index)
    peers = Peers(scorer)
    short, long = short_queries(scorer, 5 if quick else 31), long_queries(index, scorer, 2 if quick else 7)
    return [
        searching("2-4 words", scorer, short, peers, brute=2 if quick else 10),
        searching("200 words", scorer, long, peers, brute=1 if quick else 2),
    ]


def long_documents(quick: bool) -> list[dict[str, Any]]:
    reuters = index_of(list(read(data("reuters21578_apte90"))))
    index = index_of(list(joined_documents(reuters, bound_to(reuters))))
    scorer = bound_to(index)
    asked = long_queries(index, scorer, 2 if quick else 7)
    row = searching("200 words, long documents", scorer, asked, Peers(scorer), brute=1 if quick else 3)
    return [{**row, "words": float(scorer.sizes.mean()), "per_10k": row["seconds"] / row["documents"] * 10_000}]


def galke2017(quick: bool) -> list[dict[str, Any]]:
    """Time the job that was cancelled in galke2017: all queries, full text and titles."""
    rows = []
    for name in ("reuters21578_apte90", "yso_econ"):
        index = index_of(list(islice(read(data(name)), 2000 if quick else None)))
        asked = [Question(json.loads(line)["text"]) for line in (data(name) / "queries.jsonl").open()]
        for expression in ("wmd", "iwcs-wmd"):
            scorer: Scorer = index.generation.bound(ranker(expression))
            seconds, found = timed(partial(scorer.top_many, asked, K, match="or", threads=1))
            rows.append(
                {
                    "collection": name,
                    "documents": len(index),
                    "queries": len(asked),
                    "ranker": expression,
                    "seconds": seconds,
                    "answered": sum(len(ranking) > 0 for ranking in found),
                }
            )
            tell(f"{name}, {expression}: {seconds:.1f} s")
    return rows


# --- report ------------------------------------------------------------------------------------------------------


def _met(value: float, bar: float, stretch: float) -> str:
    return "stretch met" if value <= stretch else "bar met" if value <= bar else "MISSED"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Word Mover's Distance",
        "",
        f"Made by `python -m bench.movers` on {results['date']}: {results['machine']}; {results['versions']}.",
        EXPLANATION,
        "",
    ]
    if rows := results.get("solver"):
        lines += [
            "## The solver alone",
            "",
            "| problem | ours, µs | POT, µs | ratio | largest relative difference |",
        ]
        lines += ["|---|---|---|---|---|"]
        lines += [
            f"| {row['rows']} x {row['columns']} | {row['us']:.1f} | {row['us_pot']:.1f} | "
            f"{row['us_pot'] / row['us']:.1f} | {row['gap']:.0e} |"
            for row in rows
        ]
        lines.append("")
    searches = [*results.get("titles", []), *results.get("long", [])]
    if searches:
        lines += [
            f"## Exact top {K} of all documents",
            "",
            "| query | documents | asked | median, s | slowest, s | bar | brute, s | gensim, s | POT, s | gain |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for row in searches:
            bar = f"{_met(row['seconds'], *BARS[row['what']])}" if row["what"] in BARS else ""
            ratio = row["gensim"] / row["seconds"]
            faster = (
                f" (≥ {FASTER_BAR} {'met' if ratio >= FASTER_BAR else 'MISSED'})" if row["what"] in BARS else ""
            )
            lines.append(
                f"| {row['what']} | {row['documents']:,} | {row['questions']} | {row['seconds']:.3f} | "
                f"{row['slowest']:.3f} | {bar} | {row['brute']:.1f} | {row['gensim']:,.0f} | {row['pot']:,.0f} | "
                f"{ratio:,.0f}{faster} |"
            )
        checked = sum(row["checked"] for row in searches)
        largest = max(row["difference"] for row in searches)
        lines += ["", f"The rankings of {checked} questions were compared with brute force: equal to the bit."]
        lines += [f"Largest difference of a distance to gensim and POT: {largest:.1e}.", ""]
    for row in results.get("long", []):
        met = _met(row["per_10k"], LONG_BAR, LONG_STRETCH)
        lines.append(
            f"Long documents: texts of a Reuters topic joined until they have {LONG_WORDS} different known words: "
            f"{row['documents']:,} of {row['words']:.0f} on the average. For 10,000 of them that would be "
            f"{row['per_10k']:.1f} s (bar < {LONG_BAR:g} s, stretch {LONG_STRETCH:g} s: {met})."
        )
        lines.append("")
    if rows := results.get("galke2017"):
        lines += [
            f"## galke2017's job: all queries, match or, top {K}",
            "",
            "| collection | documents | queries | ranker | seconds | queries answered |",
            "|---|---|---|---|---|---|",
        ]
        lines += [
            f"| {row['collection']} | {row['documents']:,} | {row['queries']:,} | {row['ranker']} | "
            f"{row['seconds']:.1f} | {row['answered']:,} |"
            for row in rows
        ]
        total = sum(row["seconds"] for row in rows)
        met = "met" if total <= JOB_STRETCH else "MISSED"
        lines += ["", f"Together {total:.0f} s (stretch ≤ {JOB_STRETCH:.0f} s {met}).", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.movers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer documents and queries; nothing is stored")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    if not os.environ.get("ABOUTNESS_VECTORS"):
        sys.exit("ABOUTNESS_VECTORS is not set: it names the folder with the word vectors")
    from threadpoolctl import threadpool_limits

    results: dict[str, Any] = {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(f"{n} {version(n)}" for n in ("gensim", "POT", "numba", "numpy")),
    }
    with threadpool_limits(1):
        if "solver" in options.parts:
            results["solver"] = solver(3 if options.quick else 9)
        if "titles" in options.parts:
            results["titles"] = titles(options.quick)
        if "long" in options.parts:
            results["long"] = long_documents(options.quick)
        if "galke2017" in options.parts:
            results["galke2017"] = galke2017(options.quick)
    text = report(results)
    print(text)
    if not options.quick and set(options.parts) == set(PARTS):
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "movers.json").write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "movers.md").write_text(text)


if __name__ == "__main__":
    main()
