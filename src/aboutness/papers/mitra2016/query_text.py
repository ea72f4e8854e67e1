"""Text to train on besides the documents: a user's file of queries, or vectors that were trained on queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aboutness.core.errors import BadInput, UsageError
from aboutness.corpus.files import lines, utf8
from aboutness.corpus.topics import read_topics
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.vectors.load import load_vectors
from aboutness.vectors.word2vec import Word2Vec
from aboutness.vectors.words import OUT, WordVectors


@dataclass(frozen=True)
class TrainingQueries:
    """Queries that word vectors may be trained on, and how many were dropped, for they are test queries."""

    texts: tuple[str, ...]
    dropped: int


def training_queries(path: Path, tests: Iterable[str], analyzer: str) -> TrainingQueries:
    """Return the queries of a file but for those that are a test query, word for word once both are analysed.

    The file is one that queries are read from (JSON lines, id-tab-text, TREC topics), or has a query in each line.
    """
    terms = named_analyzer(analyzer).terms
    hidden = {tuple(terms(text)) for text in tests}
    every = list(_texts(path))
    kept = tuple(text for text in every if tuple(terms(text)) not in hidden)
    if not kept:
        raise BadInput(f"{path}: there is no query to train on, besides those that are tested")
    return TrainingQueries(kept, len(every) - len(kept))


def _texts(path: Path) -> Iterator[str]:
    try:
        queries = read_topics(path)
    except BadInput:  # no such file: plain lines
        return (text for _, line in lines(path) if (text := utf8(line).strip()))
    return (query.text for query in queries)


def trained_on(queries: TrainingQueries, way: Word2Vec, analyzer: str) -> WordVectors:
    """Return word vectors that are trained on queries, each a text of its own."""
    return way.train(queries.texts, analyzer=analyzer, threads=1)


def published_pair(files: Sequence[str]) -> WordVectors:
    """Return published IN and OUT vectors: two files, or one pair of files with a comma between."""
    names = [name for one in files for name in (one.split(",") if not Path(one).exists() else [one])]
    if len(names) not in (1, 2):
        raise UsageError(f"word vectors are a file of IN vectors and one of OUT vectors, got {len(names)} files")
    vectors = load_vectors(names[0], out=names[1] if len(names) == 2 else None)
    if OUT not in vectors.spaces:
        raise UsageError(f"{names[0]}: these vectors have no OUT space; give its file, too: IN,OUT")
    return vectors
