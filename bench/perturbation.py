"""`python -m bench.perturbation [--quick] [--seeds N]`: table 2 of mitra2016 in its design, with our own passages.

For each query there are a passage about it, one about a near neighbour, and one about something else. Word
vectors are trained on a news collection with several seeds; then words of the passages are replaced, and every
score is looked at. So is fig. 3's question: which words tell a passage about coffee from one that mentions it.
Nothing is chosen by its result. Results go to bench/results/perturbation.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from aboutness import Index, Word2Vec
from aboutness.app.explaining import readings
from aboutness.app.perturbing import COUNT, Perturbation, perturb, read_passages
from aboutness.index.borrowed import borrowing
from aboutness.models.question import Question
from aboutness.rank.bound import bind, explain
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.report.marks import Explained, Reason, marked, threshold
from bench.data import records

Rows: TypeAlias = list[dict[str, Any]]

RESULTS = Path(__file__).parent / "results"
PASSAGES = Path(__file__).parent.parent / "examples" / "passages"
TEXT = "reuters"
SETS = {"coffee": "airline", "gold": "hotel", "wheat": "bank", "oil": "drug"}  # query: the far passage's own word
ANALYZERS = ("plain", "english")
KINDS = ("cbow", "skip-gram")
MODELS = ("desm-in-out", "desm-in-in")
TERM_MODELS = ("bm25", "ql", "tfidf")
PAIR, PAIR_QUERY = ("about", "mentions"), "coffee"
EVIDENCE = "desm-in-out"  # the model of fig. 3
DIM = 200
EPOCHS = 5
ROWS = ("about", "near", "far", "stuffed", "replaced")
CHECKS = {
    "about > near > stuffed": lambda of: of["about"] > of["near"] > of["stuffed"],
    "replaced > stuffed": lambda of: of["replaced"] > of["stuffed"],
}
EXPLANATION = (
    "`about` is a passage about the query and names it 4 or 5 times, `near` one about its neighbour, `far` one "
    "about something else; `stuffed` is `far` with its own word replaced by the query, `replaced` is `about` with "
    "the query replaced by that word. These sets ([examples/passages](../../examples/passages)) were written "
    "for the project before any score was seen. Vectors: word2vec, {dim} numbers, {epochs} epochs, other "
    "parameters as they are by default, one thread, trained on {text} ({documents:,} documents); seeds 1 to "
    "{seeds}. `plain` leaves nothing out and does not stem, as the paper; `english` has stems and no stop words."
)
PAIR_EXPLANATION = (
    "Two passages name {query} once each: `about` is about it, `mentions` merely mentions it (fig. 3). Evidence "
    "is the different terms of a passage, besides the query's, that are more similar to the query ({model}) than "
    "90 of 100 words of both: the threshold with which `explain --html` opens. Means over the seeds, and in how "
    "many of them `about` has more. bm25 can only tell them apart by their lengths."
)


def scores_of(found: Perturbation, query: str, word: str, column: str) -> dict[str, float]:
    """Return the scores of a column by the kind of passage."""
    names = {
        "stuffed": f"far, with {word} → {query}",
        "replaced": f"about, with {query} → {word}",
    }
    return {row: float(found[names.get(row, row)].scores[column] or 0) for row in ROWS}


def perturbed(index: Index, query: str, rankers: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the scores of a set of passages by ranker, and how often the query stands in each."""
    word = SETS[query]
    passages = read_passages(PASSAGES / query / f"{name}.txt" for name in ("about", "near", "far"))
    found = perturb(index, query, passages, [(query, word), (word, query)], rankers)
    return {column: scores_of(found, query, word, column) for column in found.columns}


def paired(index: Index, vectors: str) -> dict[str, Any]:
    """Return the scores of fig. 3's two passages and which words are evidence, as if the index had both."""
    texts = read_passages(PASSAGES / f"{name}_{PAIR_QUERY}.txt" for name in PAIR).values()
    documents = [{"id": name, "text": text} for name, text in zip(PAIR, texts, strict=True)]
    passages = Index.build(documents, analyzer=index.view().analyzer)
    snapshot, question = borrowing(passages.snapshot, index.snapshot), Question(PAIR_QUERY)
    ranker = named_ranker(f"{EVIDENCE}[vectors={vectors}]")
    searcher, read = bind(ranker, snapshot), readings(ranker, snapshot)
    terms = bind(named_ranker("bm25"), snapshot)
    reasons = [Reason(EVIDENCE, explain(searcher, question, number), read) for number in range(len(PAIR))]
    explained = [
        Explained(name, snapshot.document(number).fields, [reasons[number]]) for number, name in enumerate(PAIR)
    ]
    found = dict(zip(PAIR, evidence(explained), strict=True))
    return {
        "evidence": {name: count for name, (count, _) in found.items()},
        EVIDENCE: {name: reason.explanation.score for name, reason in zip(PAIR, reasons, strict=True)},
        "bm25": {name: explain(terms, question, number).score for number, name in enumerate(PAIR)},
        "words": {name: words for name, (_, words) in found.items()},
    }


def evidence(documents: Sequence[Explained]) -> list[tuple[int, list[str]]]:
    """Return how many terms of each document are over the threshold, besides the query's, and all their words."""
    marks = [marked(document, PAIR_QUERY) for document in documents]
    limits = threshold(marks, 0)
    assert limits is not None
    found = []
    for document, one in zip(documents, marks, strict=True):
        over = [
            not mark.own and mark.similarity is not None and mark.similarity > limits[0] for mark in one.marks[0]
        ]
        text = document.fields["text"]
        words = {text[start:end].lower() for start, end, kind in one.words["text"] if over[kind]}
        found.append((sum(over), sorted(words)))
    return found


def measured(analyzer: str, kinds: Sequence[str], seeds: int, epochs: int) -> tuple[Rows, Rows, int]:
    """Train with every seed; return rows of the sets and of the pair, and the number of documents."""
    index = Index.build(records(TEXT), analyzer=analyzer)
    view, rows, pair = index.view(), [], []
    for query, scores in ((query, perturbed(index, query, TERM_MODELS)) for query in SETS):
        ((number, _),) = view.look_up(view.analyzer.terms(query))
        occurs = int(view.statistics.cf[number])
        for ranker, of in scores.items():
            rows.append({"analyzer": analyzer, "set": query, "occurs": occurs, "ranker": ranker, "scores": of})
    for kind in kinds:
        for seed in range(1, seeds + 1):
            name = f"{kind}-{seed}"
            start = time.perf_counter()
            index.train(Word2Vec(architecture=kind, dim=DIM, seed=seed, epochs=epochs), name=name, threads=1)
            seconds = time.perf_counter() - start
            print(f"{analyzer}, {name}: trained in {seconds:.0f} s", flush=True)
            pair.append({"analyzer": analyzer, "kind": kind, "seed": seed, **paired(index, name)})
            for query in SETS:
                scores = perturbed(index, query, [f"{model}[vectors={name}]" for model in MODELS])
                for model in MODELS:
                    of = scores[f"{model}[vectors={name}]"]
                    holds = {check: bool(test(of)) for check, test in CHECKS.items()}
                    rows.append(
                        {"analyzer": analyzer, "set": query, "ranker": model, "kind": kind, "seed": seed,
                         "seconds": round(seconds, 1), "scores": of, "holds": holds}
                    )  # fmt: skip
    return rows, pair, len(index)


# --- the report -------------------------------------------------------------------------------------------------


def report(results: dict[str, Any]) -> str:
    rows = results["rows"]
    trained = [row for row in rows if "seed" in row]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in trained:
        groups.setdefault((row["analyzer"], row["kind"], row["ranker"], row["set"]), []).append(row)
    explained = EXPLANATION.format(
        dim=DIM, text=TEXT, documents=results["documents"], seeds=results["seeds"], epochs=results["epochs"]
    )
    return "\n".join(
        [
            "# Perturbation",
            "",
            "Made by `python -m bench.perturbation` ({date}): {machine}; {versions}.".format(**results),
            explained,
            "",
            "## In how many seeds the orders of the paper hold",
            "",
            *_order_lines(groups),
            "",
            "## Every case in which one does not",
            "",
            *_failure_lines(trained),
            "",
            "## Counts and term models",
            "",
            "The order expected of counts: a stuffed passage above one about the neighbour.",
            "",
            *_term_lines([row for row in rows if "seed" not in row]),
            "",
            "## Is about, or merely mentions",
            "",
            PAIR_EXPLANATION.format(query=PAIR_QUERY, model=EVIDENCE),
            "",
            *_pair_lines(results["pair"]),
            "",
        ]
    )


def _order_lines(groups: dict[tuple[str, ...], list[dict[str, Any]]]) -> list[str]:
    head = ["analyzer", "vectors", "model", "query", *CHECKS, "in most seeds", *(f"{row}, mean" for row in ROWS)]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for key, rows in groups.items():
        held = [sum(row["holds"][check] for row in rows) for check in CHECKS]
        both = sum(all(row["holds"].values()) for row in rows)
        means = [statistics.mean(row["scores"][name] for row in rows) for name in ROWS]
        lines.append(
            f"| {' | '.join(key)} | {' | '.join(f'{count}/{len(rows)}' for count in held)} | "
            f"{'met' if 2 * both > len(rows) else 'MISSED'} | {' | '.join(f'{mean:.4f}' for mean in means)} |"
        )
    return lines


def _failure_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    failed = [row for row in rows if not all(row["holds"].values())]
    if not failed:
        return ["None."]
    lines = [
        f"| analyzer | vectors | model | query | seed | {' | '.join(ROWS)} | does not hold |",
        "|" + "---|" * (6 + len(ROWS)),
    ]
    for row in failed:
        wrong = ", ".join(check for check, holds in row["holds"].items() if not holds)
        scores = " | ".join(f"{row['scores'][name]:.4f}" for name in ROWS)
        lines.append(
            f"| {row['analyzer']} | {row['kind']} | {row['ranker']} | {row['set']} | {row['seed']} | {scores} | "
            f"{wrong} |"
        )
    return lines


def _term_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = [
        f"| analyzer | query | occurs in the text | ranker | {' | '.join(ROWS)} | stuffed > near |",
        "|" + "---|" * (5 + len(ROWS)),
    ]
    for row in rows:
        digits = 0 if row["ranker"] == COUNT else 4
        scores = " | ".join(f"{row['scores'][name]:.{digits}f}" for name in ROWS)
        above = "yes" if row["scores"]["stuffed"] > row["scores"]["near"] else "NO"
        lines.append(
            f"| {row['analyzer']} | {row['set']} | {row['occurs']:,} | {row['ranker']} | {scores} | {above} |"
        )
    return lines


def _pair_lines(rows: Rows) -> list[str]:
    digits = {"evidence": 1, EVIDENCE: 4, "bm25": 4}
    head = ["analyzer", "vectors", *(f"{name}, {one}" for name in digits for one in (*PAIR, "more"))]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    groups: dict[tuple[str, str], Rows] = {}
    for row in rows:
        groups.setdefault((row["analyzer"], row["kind"]), []).append(row)
    about, mentions = PAIR
    for key, group in groups.items():
        cells = list(key)
        for name, places in digits.items():
            cells += [f"{statistics.mean(row[name][one] for row in group):.{places}f}" for one in PAIR]
            cells.append(f"{sum(row[name][about] > row[name][mentions] for row in group)}/{len(group)}")
        lines.append(f"| {' | '.join(cells)} |")
    words = {one: set.intersection(*(set(row["words"][one]) for row in rows)) for one in PAIR}
    shown = (f"in `{one}`: {', '.join(sorted(words[one])) or 'none'}" for one in PAIR)
    return [*lines, "", f"Words that are evidence with all vectors, {'; '.join(shown)}."]


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.perturbation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="CBOW, one seed, two epochs; nothing is stored")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    seeds, epochs = (1, 2) if options.quick else (options.seeds, EPOCHS)
    analyzers, kinds = (ANALYZERS[:1], KINDS[:1]) if options.quick else (ANALYZERS, KINDS)
    rows: Rows = []
    pair: Rows = []
    for analyzer in analyzers:
        of_sets, of_pair, documents = measured(analyzer, kinds, seeds, epochs)
        rows += of_sets
        pair += of_pair
    results = {
        "date": datetime.now(UTC).isoformat(timespec="minutes"),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "versions": ", ".join(f"{n} {version(n)}" for n in ("numba", "numpy")),
        "seeds": seeds,
        "epochs": epochs,
        "documents": documents,
        "rows": rows,
        "pair": pair,
    }
    shown = report(results)
    print(shown)
    if not options.quick:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / "perturbation.json").write_text(json.dumps(results, indent=1) + "\n")
        (RESULTS / "perturbation.md").write_text(shown)


if __name__ == "__main__":
    main()
