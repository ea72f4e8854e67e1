"""`python -m bench.scale_calculation`: what larger collections would need, by what was measured on smaller ones.

Growth (bench/results/scale_growth.json) says what a word costs on one machine; here only the text of web pages is
looked for, to see how long that takes. What follows for a collection is arithmetic, and what is taken for granted
stands beside it.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from aboutness.corpus.webpage import page
from aboutness.scale.bending import Bend
from aboutness.scale.bowl import Bowl
from bench.report import circumstances, keep, kept, made_by, table

NAME = "scale_calculation"
GB = 1e9
DIM = 300  # numbers of a vector
WORDS_KEPT = 5e6  # that have vectors: those that are not rare
HELD = 0.5  # of a machine's memory that shards may fill with what they hold


@dataclass(frozen=True)
class Machine:
    """One of the machines that are taken for granted, and what an hour of it costs."""

    cores: int = 16
    memory: float = 128 * GB
    dollars_an_hour: float = 1.0
    disk: float = 0.5 * GB  # bytes a second, written or read


@dataclass(frozen=True)
class Collection:
    """How large a collection is."""

    name: str
    documents: float
    words: float  # of a document
    markup: float  # bytes of a document, as it comes

    @property
    def tokens(self) -> float:
        """Return how many words there are."""
        return self.documents * self.words


COLLECTIONS = (Collection("GOV2", 25_205_179, 900, 17_700), Collection("10⁹ documents", 1e9, 500, 10_000))
TIMES_ON_DISK = 3  # an index is drafted, read, and written with its numbers


@dataclass(frozen=True)
class Cost:
    """What a word costs, as it was measured."""

    seconds: float  # of one core, to index it
    disk: float  # bytes
    posting: float  # postings for each
    search: float  # milliseconds of BM25, p50, for each million of postings
    training: float  # seconds of one core, to read it once for word vectors of 100 numbers
    markup: float  # seconds of one core, to find the text in a byte of a web page
    merging: float  # seconds of one core, for each number of a word matrix of a shard

    @classmethod
    def of(cls, results: dict[str, Any], own: dict[str, float]) -> Cost:
        """Return what the largest size says."""
        row = results["rows"][max(results["rows"], key=int)]
        tokens = row["tokens"]
        trained = results["training"][max(results["training"], key=int)]
        read = results["rows"][max(results["training"], key=int)]["tokens"]
        return cls(
            row["indexing"]["processor_seconds"] / tokens,
            row["bytes"] / tokens,
            row["postings"] / tokens,
            row["search"]["bm25"]["first"][0] / (row["postings"] / 1e6),
            trained["seconds"] * 2 / read,
            1 / own["bytes_a_second"],
            1 / own["numbers_a_second"],
        )


def needs(one: Collection, cost: Cost, machine: Machine, most_ms: float = 200.0) -> dict[str, float]:
    """Return what a collection needs."""
    tokens, core_hour = one.tokens, 3600.0 * machine.cores
    postings = tokens * cost.posting
    vectors = one.documents * DIM * (4 + 1.1)  # in float32, and in whole numbers
    held = postings * 4 + one.documents * 16  # impacts of lists in use, lengths and such
    machines = math.ceil((held + vectors) / (HELD * machine.memory))
    by_time = math.ceil(postings / 1e6 * cost.search / most_ms / machine.cores)
    machines = max(machines, by_time, 1)
    work = tokens * cost.seconds + one.documents * one.markup * cost.markup
    disk = (TIMES_ON_DISK * tokens * cost.disk + one.documents * one.markup) / machine.disk / 3600
    indexing = (work / core_hour + disk) / machines
    epoch = tokens * cost.training * DIM / 100 / core_hour / machines
    numbers = 2 * WORDS_KEPT * DIM * machines * machine.cores
    return {
        "tokens": tokens,
        "disk_gb": tokens * cost.disk / GB,
        "vectors_gb": vectors / GB,
        "held_gb": held / GB,
        "word_matrices_gb": 2 * WORDS_KEPT * DIM * 4 / GB,
        "machines": machines,
        "shards": machines * machine.cores,
        "index_hours": indexing,
        "epoch_hours": epoch,
        "merge_hours": numbers * (cost.merging / machine.cores + 2 * 4 / machine.disk) / machines / 3600,
        "search_ms": postings / 1e6 * cost.search / (machines * machine.cores),
        "dollars_to_index": indexing * machines * machine.dollars_an_hour,
        "dollars_a_month": machines * machine.dollars_an_hour * 24 * 30,
    }


ROWS = {
    "tokens": ("words, 10⁹", 1e-9),
    "disk_gb": ("index on disk, GB", 1),
    "held_gb": ("held while searching by words, GB", 1),
    "vectors_gb": (f"a vector of {DIM} for each document, GB", 1),
    "word_matrices_gb": (f"word matrices ({WORDS_KEPT / 1e6:g} million words), GB in each trainer", 1),
    "machines": ("machines", 1),
    "shards": ("shards, one a core", 1),
    "index_hours": ("hours to index", 1),
    "epoch_hours": ("hours for one epoch of word2vec", 1),
    "merge_hours": ("hours to write the shards' word matrices and make them one, after a round", 1),
    "search_ms": ("BM25 in a shard, p50 ms", 1),
    "dollars_to_index": ("to index, $", 1),
    "dollars_a_month": ("to serve, $ a month", 1),
}


def lines(growth: dict[str, Any], own: dict[str, float]) -> list[str]:
    """Return the calculation as a table in Markdown."""
    machine, cost = Machine(), Cost.of(growth, own)
    found = [needs(one, cost, machine) for one in COLLECTIONS]
    cells = [[text, *(_shown(of[name] * factor) for of in found)] for name, (text, factor) in ROWS.items()]
    return table(["", *(one.name for one in COLLECTIONS)], cells)


def _shown(value: float) -> str:
    return f"{value:,.1f}" if value < 10 and value != int(value) else f"{value:,.0f}"


def markup_speed(seconds: float = 2.0) -> float:
    """Return how many bytes of web pages one core reads in a second."""
    chance, done = random.Random(1), 0
    words = [f"word{number}" for number in range(3000)]
    pages = ["".join(_paragraph(chance, words) for _ in range(150)) for _ in range(10)]
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        done += sum(len(one) for one in pages if page(one))
    return done / (time.process_time() - begin)


def merging_speed(words: int = 20_000, shards: int = 8) -> float:
    """Return how many numbers of shards' word matrices one core makes one of in a second."""
    chance = np.random.default_rng(1)
    before = chance.normal(size=(words, DIM)).astype(np.float32)
    after = [before + chance.normal(size=before.shape).astype(np.float32) / 100 for _ in range(shards)]
    bend = Bend(1e6 / np.arange(1, words + 1), before.T.astype(np.float64) @ before / words)
    bowl = Bowl.of([bend] * shards, 0.025)
    bowl.merged(before[:1], [of[:1] for of in after], [bend.updates[:1]] * shards)  # which compiles it
    begin = time.process_time()
    bowl.merged(before, after, [bend.updates] * shards)
    return words * DIM * shards / (time.process_time() - begin)


def _paragraph(chance: random.Random, words: list[str]) -> str:
    text = " ".join(chance.choices(words, k=12))
    return f"<div class='a b'><p><a href='http://example.org/{chance.random()}'>{words[0]}</a> {text}</p></div>\n"


def report(results: dict[str, Any]) -> str:
    """Return the calculation as Markdown."""
    said = (
        f"One core finds the text in {results['bytes_a_second'] / 1e6:.0f} MB of web pages in a second, and makes "
        f"one word matrix of several at {results['numbers_a_second'] / 1e6:.0f} million numbers a second."
    )
    head = ["# Larger collections", "", made_by(f"bench.{NAME}", results), "", said, ""]
    return "\n".join([*head, *lines(kept("scale_growth"), results), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="nothing is written")
    quick = parser.parse_args().quick
    results = {**circumstances("aboutness"), "bytes_a_second": markup_speed(), "numbers_a_second": merging_speed()}
    if not quick:
        keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
