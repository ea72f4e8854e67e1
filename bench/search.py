"""`python -m bench.search [--quick] [--rounds N]`: searching, against bm25s and tantivy.

All sides hold the same tokens and run in one process, one thread each, in turns; the best of the rounds counts,
and only ratios within one run mean anything. Results go to bench/results/search.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index, read
from aboutness.core.record import Document
from aboutness.models.bags import bags_of
from aboutness.models.question import Question
from aboutness.rank.grammar import ranker
from bench.data import source

RESULTS = Path(__file__).parent / "results"
ANALYZER = "english"
COLLECTIONS = {"reuters": None, "yso_finna_en": None}
SIZES = (10_000, 100_000, 653_478)
QUERIES = 1000
LONG_QUERIES = 200
LONG = 100  # words
BARS = {
    ("short, top 10", "bm25s"): 2.0,
    ("short, top 10", "tantivy"): 3.0,
    ("short, top 1000", "bm25s"): 1.0,
    ("long, top 10", "bm25s"): 1.0,
    ("long, top 1000", "bm25s"): 1.0,
}
EXPLANATION = (
    f"BM25 (lucene, k1 1.2, b 0.75) over the same tokens ({ANALYZER}), one thread each, all in one process and in "
    "turns, best of {rounds} rounds; ratio = the peer's time / ours. "
    f"Short queries have 2 to 4 words ({QUERIES}), long ones {LONG} words before analysis ({LONG_QUERIES}). "
    "bm25s runs its numba back end. From terms: term numbers (tantivy: query objects) to document numbers and "
    "scores. From text: with analysis and, for us, ids. One by one: a call for each query, with ids (tantivy: its "
    "stored ids; its terms were analysed before; bm25s: numbers)."
)


def documents(collection: str, most: int | None = None) -> list[Document]:
    from itertools import islice

    return list(islice(read(source(collection)), most))


def short_queries(index: Index, collection: str, count: int) -> list[str]:
    """Return texts of two to four words that the index knows: a collection's own queries, else from titles."""
    chance = random.Random(1)
    view = index.view()
    queries = source(collection) / "queries.jsonl"
    if queries.is_file():
        texts = [json.loads(line)["text"] for line in queries.read_text().splitlines()]
    else:
        texts = []
        for document in index:
            words = document.fields.get("title", "").split()
            size = chance.randint(2, 4)
            if len(words) >= size:
                start = chance.randint(0, len(words) - size)
                texts.append(" ".join(words[start : start + size]))
    chance.shuffle(texts)
    found = []
    for text in texts:
        terms = view.analyzer.terms(text)
        if 2 <= len(set(terms)) == len(terms) <= 4 and (view.term_numbers(terms) >= 0).all():
            found.append(text)
        if len(found) == count:
            break
    return found


def long_queries(index: Index, count: int) -> list[str]:
    """Return texts of about a hundred words: documents, joined where they are short."""
    chance = random.Random(2)
    numbers = index.snapshot.live_numbers()
    found = []
    for _ in range(count):
        words: list[str] = []
        while len(words) < LONG:
            document = index.snapshot.document(int(numbers[chance.randrange(len(numbers))]))
            words += " ".join(document.fields.values()).split()
        found.append(" ".join(words[:LONG]))
    return found


class Ours:
    name = "aboutness"

    def __init__(self, index: Index, expression: str = "bm25") -> None:
        self.index = index
        self.expression = expression
        self.searcher: Any = index.generation.bound(ranker(expression))

    def prepare(self, texts: list[str], _tokens: list[list[int]]) -> Any:
        return bags_of(self.searcher.view, [Question(text) for text in texts])

    def run(self, prepared: Any, k: int) -> Any:
        return self.searcher.top_bags(prepared, k, threads=1)

    def from_text(self, texts: list[str], k: int) -> list[list[str]]:
        hits = self.index.search_many(texts, k, self.expression, threads=1)
        return [[hit.id for hit in found] for found in hits]

    def one_by_one(self, texts: list[str], k: int) -> list[list[str]]:
        return [[hit.id for hit in self.index.search(text, k, self.expression)] for text in texts]

    def scores(self, prepared: Any, k: int) -> list[np.ndarray]:
        return [ranking.scores for ranking in self.run(prepared, k)]


class Bm25s:
    """bm25s with its numba back end, which is its fastest, over batches."""

    name = "bm25s"

    def __init__(self, tokens: list[list[int]], terms: list[str], analyze: Callable[[str], list[str]]) -> None:
        import bm25s

        self.index = bm25s.BM25(k1=1.2, b=0.75, backend="numba")
        self.vocabulary = {term: number for number, term in enumerate(terms)}
        self.index.index((tokens, self.vocabulary), show_progress=False, create_empty_token=False)
        self.analyze = analyze

    def prepare(self, _texts: list[str], tokens: list[list[int]]) -> Any:
        return tokens

    def run(self, prepared: Any, k: int) -> Any:
        k = min(k, self.index.scores["num_docs"])
        return self.index.retrieve(prepared, k=k, show_progress=False, n_threads=1)

    def from_text(self, texts: list[str], k: int) -> Any:
        find = self.vocabulary.get
        return self.run(
            [[number for term in self.analyze(text) if (number := find(term)) is not None] for text in texts], k
        )

    def one_by_one(self, texts: list[str], k: int) -> Any:
        return [self.from_text([text], k) for text in texts]

    def scores(self, prepared: Any, k: int) -> list[np.ndarray]:
        return [row[row > 0] for row in self.run(prepared, k).scores]


class Tantivy:
    """tantivy over the same tokens, written with blanks between them; one segment."""

    name = "tantivy"

    def __init__(
        self, tokens: list[list[int]], ids: list[str], analyze: Callable[[str], list[str]], folder: Path
    ) -> None:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("text", stored=False, tokenizer_name="whitespace")
        folder.mkdir()
        self.index = tantivy.Index(schema.build(), str(folder))
        writer = self.index.writer(heap_size=2_000_000_000, num_threads=1)
        for name, document in zip(ids, tokens, strict=True):
            writer.add_document(tantivy.Document(id=name, text=" ".join(f"t{token}" for token in document)))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()
        self.analyze = analyze

    def query(self, tokens: list[int]) -> Any:
        return self.index.parse_query(" ".join(f"t{token}" for token in tokens), ["text"])

    def prepare(self, _texts: list[str], tokens: list[list[int]]) -> Any:
        return [self.query(one) for one in tokens]

    def run(self, prepared: Any, k: int) -> Any:
        return [self.searcher.search(query, k, count=False) for query in prepared]


def best_times(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Run all in turns; return the best time of each, after one round that does not count."""
    times = dict.fromkeys(work, float("inf"))
    for turn in range(rounds + 1):
        for name, run in work.items():
            start = time.perf_counter()
            run()
            if turn:
                times[name] = min(times[name], time.perf_counter() - start)
    return times


def rows_of(what: str, start: str, collection: str, count: int, times: dict[str, float]) -> list[dict[str, Any]]:
    ours = times["aboutness"]
    return [
        {
            "what": what,
            "from": start,
            "collection": collection,
            "side": side,
            "us_per_query": seconds / count * 1e6,
            "ratio": seconds / ours,
        }
        for side, seconds in times.items()
    ]


def compare(collection: str, rounds: int, folder: Path) -> dict[str, Any]:
    """Measure all sides on one collection."""
    docs = documents(collection)
    index = Index.build(docs, folder / f"{collection}.index", analyzer=ANALYZER)
    print(f"  {collection}: {len(index):,} documents indexed", file=sys.stderr)
    view = index.view()
    part = view.parts[0][1]
    assert len(view.parts) == 1
    tokens = [np.concatenate(part.stream(i)).tolist() for i in range(len(index))]
    analyze = view.analyzer.terms
    sides: list[Any] = [Ours(index), Bm25s(tokens, view.terms(), analyze)]
    tantivy = Tantivy(tokens, list(index.snapshot.ids()), analyze, folder / f"{collection}.tantivy")
    del tokens, docs
    rows: list[dict[str, Any]] = []
    differences = {}
    sets = {"short": short_queries(index, collection, QUERIES), "long": long_queries(index, LONG_QUERIES)}
    for kind, texts in sets.items():
        numbered = [[int(n) for n in view.term_numbers(analyze(text)) if n >= 0] for text in texts]
        for k in (10, 1000):
            what = f"{kind}, top {k}"
            held = [(side, side.prepare(texts, numbered)) for side in [*sides, tantivy]]
            work = {side.name: (lambda s=side, p=prepared, k=k: s.run(p, k)) for side, prepared in held}
            rows += rows_of(what, "terms", collection, len(texts), best_times(work, rounds))
            pairs = zip(*(side.scores(prepared, k) for side, prepared in held[:2]), strict=True)
            differences[what] = max(float(np.abs(a[: len(b)] / b[: len(a)] - 1).max(initial=0)) for a, b in pairs)
            print(
                f"  {collection} {what}: largest relative difference to bm25s {differences[what]:.1e}",
                file=sys.stderr,
            )
    texts = sets["short"]
    rows += rows_of("short, top 10", "text", collection, len(texts),
                    best_times({s.name: (lambda s=s: s.from_text(texts, 10)) for s in sides}, rounds))  # fmt: skip
    numbered = [[int(n) for n in view.term_numbers(analyze(text)) if n >= 0] for text in texts]
    one = {side.name: (lambda s=side: s.one_by_one(texts[:200], 10)) for side in sides}
    one["tantivy"] = lambda: [
        [
            tantivy.searcher.doc(place)["id"]
            for _, place in tantivy.searcher.search(tantivy.query(q), 10, count=False).hits
        ]
        for q in numbered[:200]
    ]
    rows += rows_of("short, top 10", "text, one by one", collection, 200, best_times(one, rounds))
    models = {name: Ours(index, name) for name in ("bm25", "tfidf", "ql", "ql[smoothing=jm]", "bm25-cosine")}
    held = {name: side.prepare(texts, []) for name, side in models.items()}
    times = best_times({n: (lambda s=s, p=held[n]: s.run(p, 10)) for n, s in models.items()}, rounds)
    rankers = [
        {"collection": collection, "ranker": name, "us_per_query": seconds / len(texts) * 1e6,
         "times_bm25": seconds / times["bm25"]}
        for name, seconds in times.items()
    ]  # fmt: skip
    return {"rows": rows, "differences": differences, "rankers": rankers, "index": str(index.path)}


def first_answer(place: str, rounds: int) -> dict[str, float]:
    """Time a whole process that opens an index and answers one query, with compiled kernels in the cache."""
    command = [sys.executable, "-m", "aboutness", "search", place, "history of economic thought", "--json"]
    subprocess.run(command, check=True, capture_output=True)
    walls = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        walls.append(time.perf_counter() - start)
    # Of a small parent: a child's peak counts from the fork on.
    probe = (
        f"import resource, subprocess; subprocess.run({command!r}, capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    peak = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True).stdout
    return {"seconds": min(walls), "peak_mb": int(peak) / 1e3}


def growth(rounds: int) -> list[dict[str, Any]]:
    """Time the same queries on the first 10,000, 100,000 and all documents of the large collection."""
    rows = []
    texts: list[str] = []
    for most in SIZES:
        index = Index.build(documents("yso_finna_en", most), analyzer=ANALYZER)
        texts = texts or short_queries(index, "yso_finna_en", QUERIES)
        ours = Ours(index)
        bags = ours.prepare(texts, [])
        postings = int(index.view().df[bags.terms].sum()) / len(texts)
        times = best_times(
            {
                "batch": lambda o=ours, b=bags: o.run(b, 10),
                "one by one": lambda o=ours, t=texts: o.one_by_one(t[:200], 10),
            },
            rounds,
        )
        rows.append(
            {
                "documents": len(index),
                "postings_per_query": postings,
                "us_per_query": times["batch"] / len(texts) * 1e6,
                "us_one_by_one": times["one by one"] / 200 * 1e6,
            }
        )
        print(f"  growth {most:,}: {rows[-1]['us_per_query']:.1f} us", file=sys.stderr)
    return rows


def _met(met: bool) -> str:
    return "met" if met else "MISSED"


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Searching",
        "",
        f"Made by `python -m bench.search` on {results['date']}: {results['machine']}; {results['versions']}.",
        EXPLANATION.format(rounds=results["rounds"]),
        "",
        "| queries | from | collection | side | µs a query | ratio | bar |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results["rows"]:
        bar = BARS.get((row["what"], row["side"])) if row["from"] == "terms" else None
        met = "" if bar is None else f"≥ {bar:g} {_met(row['ratio'] >= bar)}"
        lines.append(
            f"| {row['what']} | {row['from']} | {row['collection']} | {row['side']} | {row['us_per_query']:.1f} | "
            f"{row['ratio']:.2f} | {met} |"
        )
    largest = max(value for found in results["differences"].values() for value in found.values())
    lines += [
        "",
        f"Largest relative difference of a score to bm25s: {largest:.1e} (≤ 1e-5 {_met(largest <= 1e-5)}).",
        "",
        "## Other rankers, top 10, short queries, from terms",
        "",
        "| collection | ranker | µs a query | times bm25 | bar |",
        "|---|---|---|---|---|",
    ]
    for row in results["rankers"]:
        met = f"≤ 2 {_met(row['times_bm25'] <= 2)}" if row["ranker"] in ("tfidf", "ql") else ""
        lines.append(
            f"| {row['collection']} | {row['ranker']} | {row['us_per_query']:.1f} | {row['times_bm25']:.2f} | "
            f"{met} |"
        )
    if results["growth"]:
        lines += [
            "",
            "## Growth (yso_finna_en, the same queries, top 10)",
            "",
            "| documents | postings a query | µs a query, batch | µs a query, one by one |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| {row['documents']:,} | {row['postings_per_query']:,.0f} | {row['us_per_query']:.1f} | "
            f"{row['us_one_by_one']:.0f} |"
            for row in results["growth"]
        ]
    seconds, memory = results["first"]["seconds"], results["first"]["peak_mb"]
    lines += [
        "",
        "## Start",
        "",
        f"Opening {results['first_of']} and answering one query, whole process: {seconds:.2f} s, {memory:.0f} MB.",
        f"Bar: ≤ 1.5 s, with kernels compiled before: {_met(seconds <= 1.5)}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.search", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Reuters only, two rounds; nothing is stored")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rounds = 2 if options.quick else options.rounds
    with tempfile.TemporaryDirectory() as folder:
        found = {
            name: compare(name, rounds, Path(folder))
            for name in (["reuters"] if options.quick else list(COLLECTIONS))
        }
        last = list(found)[-1]
        results = {
            "date": datetime.now(UTC).isoformat(timespec="minutes"),
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "versions": ", ".join(f"{n} {version(n)}" for n in ("bm25s", "tantivy", "numba", "numpy")),
            "rounds": rounds,
            "rows": [row for one in found.values() for row in one["rows"]],
            "differences": {name: one["differences"] for name, one in found.items()},
            "rankers": [row for one in found.values() for row in one["rankers"]],
            "first_of": last,
            "first": first_answer(found[last]["index"], 5),
            "growth": [] if options.quick else growth(rounds),
        }
    text = report(results)
    print(text)
    if not options.quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "search.json").write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "search.md").write_text(text)


if __name__ == "__main__":
    main()
