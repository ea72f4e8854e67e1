"""`python -m bench.scale_growth [--sizes N …] [--folder DIR]`: how time, disk and memory grow with a collection.

Documents are made by chance (`synthetic:N`) and indexed, searched and trained on by one machine without Ray, each
step in a process of its own, whose memory is looked at while it runs. What is finished is kept in
bench/results/scale_growth.{json,md}, so that a run that was ended goes on with the next size; `--again` starts
anew.
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
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from aboutness import Index
from aboutness.corpus.synthetic import Synthetic
from aboutness.vectors.words import WordVectors
from bench.report import circumstances, keep, kept, made_by, met, table, tell

NAME = "scale_growth"
SIZES = (625_000, 1_250_000, 2_500_000, 5_000_000)
QUERIES, CHECKED, K = 1000, 10, 10
RANKERS = ("bm25", "ql")
TRAINED: dict[str, Any] = {"dim": 100, "epochs": 1, "threads": 2}
MEMORY_BAR, SEARCH_BAR, GROWTH_BAR = 4000.0, 20.0, 1.25  # MB, ms, times
BUSY = 4.0  # load of a machine with two cores on which others work, too
SAMPLED = 0.05  # seconds between two looks at the memory of a process
MB = 1e6
SAID = """\
Documents of `synthetic:N`: 60 words in the mean, Zipfian; analyzer english, one field. Memory is the most that the
process had while it ran: RSS with all pages of mapped files that it touched, which the system takes back when it
needs them, and what is its own (anonymous)."""
SEARCH_SAID = f"""\
{QUERIES:,} queries of one to five words, `index.search(query, k={K})` one after the other, on one thread;
milliseconds (p50 / p95). *Cold*: the files were taken out of the system's cache before, and every list is used for
the first time (impacts are worked out then). *First*: the same with the files in the cache. *Again*: the same
queries once more. The processor's time does not count what other programs of a busy machine take."""

LIMITS = """\
- Indexing holds, by what was measured here and the sizes of its arrays, one segment at a time (256 MB of text
  or 134 million tokens; with copies about 1.3 GB) and the whole vocabulary: 50 to 150 bytes for each distinct
  word, and as much again for each of the two lanes, which forget beyond a million words. A merge holds some 150
  bytes for each document and 100 for each word of what it merges.
- Search holds 24 bytes for each document (lengths), 40 for each word of each segment, and 4 for each posting of
  every list that was ever asked for: all of them would be the four bytes for each posting of the index.
- Training of words reads tokens where they lie, and holds 32 bytes for each document, 8 x dim for each word,
  and as much again while the result is written.
- `lsa` holds the words of the documents that it is trained on (some 60 bytes for each posting of those: choose
  `--sample`) and the rows of all (4 x dim bytes for each document: 3 GB for 5 million at 150).
- `default` also needs a layer of pairs of words, whose vocabulary grows nearly as the text does (2.9 million
  pairs in 100,000 of these documents, with the power 0.85): by that calculation it is for about a million such
  documents on a machine like this."""


# --- what runs in a process of its own --------------------------------------------------------------------------


def build(size: int, folder: str) -> dict[str, Any]:
    """Index so many documents."""
    Index.build(Synthetic(100).documents())  # compiles
    begin, processor = time.perf_counter(), time.process_time()
    Index.build(Synthetic(size).documents(), folder, overwrite=True)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    return {"seconds": seconds, "processor_seconds": processor, "load": os.getloadavg()[1]}


def look(folder: str) -> dict[str, Any]:
    """Return what an index has."""
    index = Index.open(folder)
    layers = [segment.layers["main"] for segment in index.snapshot.segments]
    return {
        "documents": len(index),
        "segments": [len(segment) for segment in index.snapshot.segments],
        "words": index.view().vocabulary_size,
        "tokens": sum(len(layer.tokens) for layer in layers),
        "postings": sum(len(layer.posting_documents) for layer in layers),
        "bytes": sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()),
    }


def search(folder: str, ranker: str) -> dict[str, Any]:
    """Ask the queries twice, after one that is none of them; return milliseconds."""
    Index.build(Synthetic(100).documents()).search("baba", ranker=ranker)  # compiles
    begin = time.perf_counter()
    index = Index.open(folder)
    queries = [query.text for query in Synthetic(QUERIES).queries()]
    index.search(next(Synthetic(QUERIES + 1, QUERIES).queries()).text, K, ranker)
    found: dict[str, Any] = {"opening_ms": 1000 * (time.perf_counter() - begin)}
    for turn in ("first", "again"):
        taken, worked = [], []
        for query in queries:
            begin, before = time.perf_counter(), time.thread_time()
            index.search(query, K, ranker)
            taken.append(1000 * (time.perf_counter() - begin))
            worked.append(1000 * (time.thread_time() - before))
        found[turn] = [float(np.percentile(taken, share)) for share in (50, 95, 99)]
        found[f"{turn}_processor"] = [float(np.percentile(worked, share)) for share in (50, 95, 99)]
    return found


def check(folder: str, size: int) -> dict[str, Any]:
    """Compare BM25 with its formula on words counted one by one in documents that are made once more."""
    index = Index.open(folder)
    terms = index.view().analyzer.terms
    asked = [query.text.split() for query in Synthetic(QUERIES).queries()]
    asked = [words for words in asked if all(terms(word) == [word] for word in words)][:CHECKED]
    wanted = {word for words in asked for word in words}
    df: Counter[str] = Counter()
    having: dict[int, tuple[int, dict[str, int]]] = {}
    total = 0
    for number, document in enumerate(Synthetic(size).documents()):
        words = document.fields["text"].split()
        total += len(words)
        if not wanted.isdisjoint(words):
            counts = {word: words.count(word) for word in wanted.intersection(words)}
            df.update(counts.keys())
            having[number] = len(words), counts
    largest = 0.0
    for words in asked:
        scores = {
            number: sum(
                np.log(1 + (size - df[word] + 0.5) / (df[word] + 0.5))
                * counts[word] / (counts[word] + 1.2 * (0.25 + 0.75 * length * size / total))
                for word in words if word in counts
            )
            for number, (length, counts) in having.items()
            if not counts.keys().isdisjoint(words)
        }  # fmt: skip
        best = sorted(scores.values(), reverse=True)[:K]
        hits = index.search(" ".join(words), K, "bm25")
        assert len(hits) == len(best)
        for hit, score in zip(hits, best, strict=True):
            largest = max(largest, abs(hit.score / score - 1), abs(hit.score / scores[int(hit.id)] - 1))
    assert largest < 1e-5, f"a score is off by {largest}"
    return {"queries": len(asked), "largest_difference": largest}


def train(folder: str) -> dict[str, Any]:
    """Train word vectors, and keep them in the index."""
    index = Index.open(folder)
    begin = time.perf_counter()
    trained = index.train("word2vec", **TRAINED)
    assert isinstance(trained, WordVectors)
    matrices = sum(trained.space(name).nbytes for name in trained.spaces)
    return {"seconds": time.perf_counter() - begin, "words": len(trained), "matrices_mb": matrices / MB}


CALLS = {"build": build, "look": look, "search": search, "check": check, "train": train}


def in_child(call: str, *arguments: Any) -> dict[str, Any]:
    """Run one of these in a process of its own; return what it found, and the most memory that it had."""
    code = f"import json, bench.scale_growth as b; print(json.dumps(b.CALLS[{call!r}](*{arguments!r})))"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    own = peak = 0
    while child.poll() is None:
        found = memory(child.pid)
        own, peak = max(own, found.get("RssAnon", 0)), max(peak, found.get("VmHWM", 0))
        time.sleep(SAMPLED)
    printed = child.stdout.read() if child.stdout else ""
    if child.returncode:
        sys.exit(f"{call}{arguments} failed")
    result = {**json.loads(printed.splitlines()[-1]), "peak_mb": peak / MB, "peak_own_mb": own / MB}
    tell(f"{call}{arguments}: {result}")
    return result


def memory(process: int) -> dict[str, int]:
    """Return the memory of a process by the system's names; nothing where it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    parts = (line.split() for line in lines if line.startswith(("Vm", "Rss")))
    return {name.rstrip(":"): 1024 * int(value) for name, value, *_ in parts}


def out_of_cache(folder: Path) -> None:
    """Take files out of the system's cache."""
    os.sync()
    for file in folder.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


# --- the steps, and the report ----------------------------------------------------------------------------------


def measure(size: int, folder: Path) -> dict[str, Any]:
    """Index, search and check one size."""
    place = folder / f"{size}.index"
    row: dict[str, Any] = {"indexing": in_child("build", size, str(place)), **in_child("look", str(place))}
    row["search"] = {}
    for ranker in RANKERS:
        warm = in_child("search", str(place), ranker)
        out_of_cache(place)
        row["search"][ranker] = {**warm, "cold": in_child("search", str(place), ranker)["first"]}
    row["check"] = in_child("check", str(place), size)
    return row


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    rows = [row for _, row in sorted(results["rows"].items(), key=lambda item: int(item[0]))]
    lines = ["# Growth on one machine", "", made_by("bench.scale_growth", results), "", SAID, "", *_indexing(rows)]
    lines += ["", "## Search", "", SEARCH_SAID, "", *_searching(rows)]
    if results.get("training"):
        lines += ["", "## Training", "", *_training(results["training"])]
    lines += ["", "## What memory is for", "", LIMITS]
    return "\n".join([*lines, ""])


def _indexing(rows: list[dict[str, Any]]) -> list[str]:
    cells = []
    for row in rows:
        took, documents = row["indexing"], row["documents"]
        own, peak = took["peak_own_mb"], took["peak_mb"]
        cells.append(
            [f"{documents:,}", f"{row['tokens'] / 1e6:.0f}", f"{row['words'] / 1e6:.2f}", len(row["segments"]),
             f"{took['seconds']:.0f}", f"{took['seconds'] / documents * 1e6:.1f}",
             f"{took['processor_seconds'] / documents * 1e6:.1f}",
             f"{row['bytes'] / documents:.0f}", f"{peak:.0f}", f"{own:.0f}",
             f"≤ {MEMORY_BAR:,.0f} {met(max(own, peak) <= MEMORY_BAR)}"]
        )  # fmt: skip
    head = ["documents", "tokens, millions", "words, millions", "segments", "seconds", "µs a document",
            "µs of processors", "bytes a document", "peak RSS, MB", "of these its own", "bar"]  # fmt: skip
    clock, processors = (
        rows[-1]["indexing"][kind] / rows[-1]["documents"] / (rows[0]["indexing"][kind] / rows[0]["documents"])
        for kind in ("seconds", "processor_seconds")
    )
    sentence = (
        f"A document of the largest costs {clock:.2f} times one of the smallest by the clock, {processors:.2f} "
        f"times by the processors' time (bar {GROWTH_BAR}: {met(clock <= GROWTH_BAR)}, "
        f"{met(processors <= GROWTH_BAR)})."
    )
    loads = [row["indexing"]["load"] for row in rows]
    if max(loads) > BUSY:
        sentence += (
            f" Other programs ran beside it (load {min(loads):.0f} to {max(loads):.0f}), which the clock shows."
        )
    return [*table(head, cells), "", sentence]


def _searching(rows: list[dict[str, Any]]) -> list[str]:
    cells = []
    for row in rows:
        for ranker, found in row["search"].items():
            turns = ("cold", "first", "again", "first_processor", "again_processor")
            times = [f"{found[turn][0]:.1f} / {found[turn][1]:.1f}" for turn in turns]
            worst = max(found["first"][0], found["again"][0])
            bar = f"≤ {SEARCH_BAR:g} {met(worst <= SEARCH_BAR)}" if ranker == "bm25" else ""
            cells.append(
                [f"{row['documents']:,}", ranker, *times, bar, f"{found['opening_ms']:.0f}",
                 f"{found['peak_own_mb']:.0f}"]
            )  # fmt: skip
    head = ["documents", "ranker", "cold", "first", "again", "first, processor's", "again, processor's",
            "bar (p50)", "opening and first answer, ms", "own memory, MB"]  # fmt: skip
    checked = rows[-1]["check"]
    sentence = (
        f"BM25 of {checked['queries']} queries was worked out by its formula from words that were counted one by "
        f"one in documents made once more, at every size: the same {K} scores, but for "
        f"{max(row['check']['largest_difference'] for row in rows):.0e}."
    )
    return [*table(head, cells), "", sentence]


def _training(rows: dict[str, Any]) -> list[str]:
    cells = [
        [f"{int(size):,}", f"{row['seconds']:.0f}", f"{row['words']:,}", f"{row['matrices_mb']:.0f}",
         f"{row['peak_mb']:.0f}", f"{row['peak_own_mb']:.0f}"]
        for size, row in sorted(rows.items(), key=lambda item: int(item[0]))
    ]  # fmt: skip
    head = ["documents", "seconds", "words", "matrices, MB", "peak RSS, MB", "of these its own"]
    said = (
        f"word2vec, {', '.join(f'{name} {value}' for name, value in TRAINED.items())}, tokens read where they lie."
    )
    return [said, "", *table(head, cells)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.scale_growth", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="numbers of documents")
    parser.add_argument("--folder", type=Path, help="where indexes go; removed after each size unless given")
    parser.add_argument("--training", nargs="*", type=int, default=[], help="sizes to train on, too")
    parser.add_argument("--again", action="store_true", help="measure what was measured before once more")
    parser.add_argument("--quick", action="store_true", help="two small sizes; nothing is stored")
    options = parser.parse_args()
    sizes = (5_000, 10_000) if options.quick else tuple(options.sizes)
    results: dict[str, Any] = {} if options.quick or options.again else kept(NAME)
    results |= circumstances("numba", "numpy")
    results.setdefault("rows", {})
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for size in sizes:
            if str(size) not in results["rows"]:
                results["rows"][str(size)] = measure(size, folder)
            place = folder / f"{size}.index"
            if size in options.training and str(size) not in results.get("training", {}):
                if not place.exists():
                    in_child("build", size, str(place))
                results.setdefault("training", {})[str(size)] = in_child("train", str(place))
            if options.folder is None:
                shutil.rmtree(place, ignore_errors=True)
            if not options.quick:
                keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
