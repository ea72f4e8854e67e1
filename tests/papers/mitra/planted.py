"""A collection with planted topics: each document is about one, and each query asks for one by two of its words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

TOPICS = 10
DOCUMENTS = 20  # of a topic
LENGTH = 60
SYLLABLES = ("ba", "do", "ke", "lu", "mi", "na", "po", "ri", "su", "ta")
COMMON = [f"{one}{other}x" for one in SYLLABLES for other in SYLLABLES[:4]]


def words_of(topic: int) -> list[str]:
    """Return the words of a topic; no two topics share one, nor how they begin."""
    start = SYLLABLES[topic]
    return [f"{start}{one}{other}" for one in SYLLABLES for other in SYLLABLES[:2]]


def documents(graded: bool) -> list[dict]:
    """Return documents: half of their words are of their topic, some far more often than others; one in ten is of
    another topic, which is mentioned.
    """
    chance = np.random.default_rng(7 if graded else 8)
    share = 1.0 / np.arange(2, 22)
    found = []
    for number in range(TOPICS * DOCUMENTS):
        topic = number % TOPICS
        own = chance.permutation(words_of(topic))
        mentioned = words_of(int(chance.integers(TOPICS)))
        kinds = chance.choice(3, LENGTH, p=[0.5, 0.1, 0.4])
        drawn = np.choose(
            kinds,
            [
                chance.choice(own, LENGTH, p=share / share.sum()),
                chance.choice(mentioned, LENGTH),
                chance.choice(COMMON, LENGTH),
            ],
        )
        title = "" if graded else " ".join(own[:2])
        found.append({"_id": f"d{number}", "title": title, "text": " ".join(drawn)})
    return found


def write_collection(folder: Path, *, graded: bool, irrelevant: int = 0) -> Path:
    """Write a collection: a document is relevant for a query of its topic that has a word of it.

    Of the others, so many are judged irrelevant for each query.
    """
    chance = np.random.default_rng(3)
    corpus = documents(graded)
    queries = [
        {"_id": f"q{number}", "text": " ".join(chance.choice(words_of(number % TOPICS), 2, replace=False))}
        for number in range(24)
    ]
    lines = ["query-id\tcorpus-id\tscore"]
    for number, query in enumerate(queries):
        wanted = query["text"].split()
        lines += [f"{query['_id']}\t{corpus[place]['_id']}\t0" for place in _others(number, irrelevant)]
        for place, document in enumerate(corpus):
            count = sum(word in document["text"].split() for word in wanted)
            if place % TOPICS == number % TOPICS and count:
                lines.append(f"{query['_id']}\t{document['_id']}\t{count if graded else 1}")
    folder.mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in corpus))
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))
    (folder / "qrels.tsv").write_text("\n".join(lines) + "\n")
    return folder


def _others(number: int, count: int) -> list[int]:
    return [place for place in range(TOPICS * DOCUMENTS) if place % TOPICS != number % TOPICS][:count]


def query_lines(count: int) -> list[str]:
    """Return queries of three words of a topic each."""
    chance = np.random.default_rng(5)
    return [" ".join(chance.choice(words_of(number % TOPICS), 3)) for number in range(count)]


def queries_of(folder: Path) -> list[str]:
    """Return the texts of a collection's queries."""
    return [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text().splitlines()]
