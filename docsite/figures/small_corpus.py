"""The small corpus on which all rankers show what they do, and five passages that tell them apart.

Its texts are the passages that the page "Perturb" offers: about cities, animals and modules of Python. Documents
are some sentences of one of them, drawn by chance. Five more are after mitra2016 (table 2): a passage about
London; the same with its name left out; one about Paris; one about elephants; and that one with every elephant
called London, which mentions London and is about something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.resources import files

import numpy as np

from aboutness.app.index import Index
from aboutness.app.needed import needs
from aboutness.app.perturbing import replaced
from aboutness.core.algebra import Ranker
from aboutness.vectors.trainer import Trainer
from aboutness.vectors.word2vec import Word2Vec

QUERY = "london"
ANALYZER = "galke2017"  # no stems, so that words have the vectors of words
ABOUT = "about London"
UNNAMED = "about London, not named"
NEAR = "about Paris"
ELSEWHERE = "about elephants"
MENTIONED = "about elephants, called London"
PASSAGES = (ABOUT, UNNAMED, NEAR, ELSEWHERE, MENTIONED)

SEED = 1
EACH = 40  # documents of each text
SENTENCES = 3  # of a document
SMALL: Mapping[str, int] = {
    "dim": 20,
    "topics": 8,
    "epochs": 30,
    "iterations": 200,
    "min_count": 1,
}  # of trainings


def small_index() -> Index:
    """Return the corpus as an index in memory, with word vectors that were trained on it."""
    documents = [*_drawn(), *({"id": name, "text": text} for name, text in passages().items())]
    index = Index.build(documents, analyzer=ANALYZER)
    texts = [document["text"] for document in documents]
    index.keep_vectors(_small(Word2Vec()).train(texts, analyzer=ANALYZER, threads=1), "words")  # type: ignore[arg-type]
    return index


def passages() -> dict[str, str]:
    """Return the five passages by name."""
    london, paris, elephants = (_texts()[name] for name in ("London", "Paris", "elephants"))
    return {
        ABOUT: london,
        UNNAMED: replaced(london, "London", "it"),
        NEAR: paris,
        ELSEWHERE: elephants,
        MENTIONED: replaced(elephants, "elephant", "London"),
    }


def train_for(index: Index, ranker: Ranker) -> None:
    """Train what a ranker needs, as far as the index has not got it: small, and always the same."""
    for name, way in needs([ranker], index.snapshot.trained).items():
        index.train(_small(way), name=name, threads=1)


def _small(way: Trainer) -> Trainer:
    declared = {one.name for one in way.declared()}
    return replace(way, **{name: value for name, value in SMALL.items() if name in declared})


def _drawn() -> Iterator[dict[str, str]]:
    chance = np.random.default_rng(SEED)
    for name, text in _texts().items():
        sentences = re.split(r"(?<=[.!?]) ", text)
        for number in range(EACH):
            chosen = chance.choice(len(sentences), SENTENCES, replace=False)
            yield {"id": f"{name} {number}", "text": " ".join(sentences[one] for one in chosen)}


def _texts() -> dict[str, str]:
    """Return the passages that come with the package, by name."""
    groups = json.loads((files("aboutness.server") / "passages.json").read_text("utf-8"))
    return dict(group[kind] for group in groups for kind in ("about", "near", "unrelated"))
