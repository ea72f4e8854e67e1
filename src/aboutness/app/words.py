"""A word, or a sum of words, looked up in an index: its neighbours, how frequent it is, or what is spelt so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from aboutness.app.index import Index
from aboutness.app.vectors import Near, analyzer_of, nearest_words, terms_of, words_of
from aboutness.core.errors import DamagedIndex, NotFound, shown
from aboutness.index.snapshot import Snapshot
from aboutness.index.view import LayerView
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.kept import KIND, entry_of
from aboutness.vectors.neighbours import weighted
from aboutness.vectors.spelling import spelt_alike
from aboutness.vectors.words import ANY, EXACT, WordVectors

SUGGESTED = 6
TRIED = 500  # frequent terms among which those are looked for that invite
COMMON = 0.2  # of the documents; a term that more of them have says little
FEWEST_LETTERS = 4


@dataclass(frozen=True)
class KnownVectors:
    """Word vectors that an index has, by themselves or with rows of documents."""

    name: str
    kind: str
    words: int
    dim: int
    spaces: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it in plain values."""
        return {**asdict(self), "spaces": list(self.spaces)}


@dataclass(frozen=True)
class Frequency:
    """In how many documents a term of a layer stands, and how often in all."""

    layer: str
    term: str
    df: int
    cf: int


@dataclass(frozen=True)
class AskedWord:
    """A word that was asked for: what it is looked up as, and if that has no vector, what is spelt nearly so."""

    word: str
    weight: float
    terms: tuple[str, ...]
    known: bool
    frequencies: tuple[Frequency, ...]
    suggestions: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it in plain values."""
        some = {"terms": list(self.terms), "suggestions": list(self.suggestions)}
        return {**asdict(self), **some, "frequencies": [asdict(one) for one in self.frequencies]}


@dataclass(frozen=True)
class FoundWords:
    """What was asked for, its neighbours in each pair of spaces, and how frequent these are in the documents."""

    words: str
    vectors: str
    documents: int  # that the index has
    asked: tuple[AskedWord, ...]
    neighbours: Near
    frequencies: Mapping[str, tuple[int, int]]  # of each neighbour that documents have: df and cf
    message: str | None  # why there are no neighbours, where a word is unknown

    @property
    def known(self) -> bool:
        """Tell whether every word has a vector."""
        return self.message is None

    def to_json(self) -> dict[str, Any]:
        """Return everything in plain values."""
        return {
            "words": self.words,
            "neighbours": {
                pair: [{"word": one.word, "score": one.score} for one in near]
                for pair, near in self.neighbours.items()
            },
            "vectors": self.vectors,
            "known": self.known,
            "message": self.message,
            "documents": self.documents,
            "asked": [one.to_json() for one in self.asked],
            "frequencies": {word: {"df": df, "cf": cf} for word, (df, cf) in self.frequencies.items()},
        }


def known_vectors(index: Index) -> list[KnownVectors]:
    """Return the word vectors of an index: those by themselves, then those trained with rows of documents."""
    trained = index.snapshot.trained
    found = []
    for kind in (KIND, DocumentSpace.kind):
        for name in trained.of_kind(kind):
            try:
                vectors = words_of(trained, name)
            except (DamagedIndex, LookupError):
                continue  # its files are gone, or another version trained it; the page Index tells
            found.append(KnownVectors(name, kind, len(vectors), vectors.dim, tuple(vectors.spaces)))
    return found


def unknown_vectors(index: Index, name: str) -> NotFound:
    """Return what to say of vectors that an index does not have: which ones it has, of either kind."""
    has = ", ".join(one.name for one in known_vectors(index)) or "none"
    return NotFound(f"{index.path} has no word vectors {shown(name)}. It has: {has}")


def find_words(index: Index, words: str, k: int = 10, vectors: str | None = None) -> FoundWords:
    """Return the neighbours of a word or a sum as `Index.neighbours` does; an unknown word is no error here.

    >>> index = Index.build([{"id": "a", "text": "the sun and the moon"}], analyzer="plain")
    >>> made = index.train("word2vec", dim=8, min_count=1, threads=1)
    >>> found = find_words(index, "mon")
    >>> found.known, found.asked[0].suggestions
    (False, ('moon',))
    """
    snapshot = index.snapshot
    rows = snapshot.trained.of_kind(DocumentSpace.kind)
    if vectors is not None and vectors not in snapshot.trained.of_kind(KIND) and vectors not in rows:
        raise unknown_vectors(index, vectors)
    name = str(vectors) if vectors in rows else entry_of(snapshot.trained, vectors).name
    opened = words_of(snapshot.trained, name)
    near, message = Near(), None
    try:
        near = nearest_words(opened, words, k)
    except NotFound as error:
        message = str(error)
    asked = tuple(_asked(snapshot, opened, word, weight) for word, weight in weighted(words).items())
    return FoundWords(words, name, snapshot.documents, asked, near, _frequencies(snapshot, opened, near), message)


def _asked(snapshot: Snapshot, vectors: WordVectors, word: str, weight: float) -> AskedWord:
    analyzer = analyzer_of(vectors)
    terms = [word] if analyzer is None else terms_of(vectors, analyzer, word)
    case = ANY if analyzer is None else EXACT
    unknown = [
        term for term in terms if not any(vectors.look_up([term], space, case)[1][0] for space in vectors.spaces)
    ]
    alike = {alike: None for term in unknown for alike in spelt_alike(vectors.words, term, SUGGESTED)}
    return AskedWord(
        word,
        weight,
        tuple(terms),
        bool(terms) and not unknown,
        tuple(_in_layers(snapshot, word)),
        tuple(alike)[:SUGGESTED],
    )


def in_documents(index: Index, text: str) -> bool:
    """Tell whether any word of a text stands in the documents, by the first layer: no pieces of words count."""
    view = index.view()
    return any(df for _, df in view.look_up(view.analyzer.terms(text)))


# --- frequency -------------------------------------------------------------------------------------------------


def _in_layers(snapshot: Snapshot, word: str) -> list[Frequency]:
    """Return how frequent a word is in each layer of words, as that has it: such as a stem, or a pair of words."""
    found = []
    for view in map(snapshot.view, snapshot.manifest.layers):
        if view.analyzer.letters != (0, 0):
            continue  # pieces of a word say nothing of it
        terms = list(dict.fromkeys(view.analyzer.terms(word)))
        if not all(df for _, df in view.look_up(terms)) and view.look_up([word])[0][1]:
            terms = [word]  # it is a stem already
        found += [
            Frequency(view.layer, term, df, cf) for term, (df, cf) in zip(terms, _counts(view, terms), strict=True)
        ]
    return found


def _frequencies(snapshot: Snapshot, vectors: WordVectors, near: Near) -> dict[str, tuple[int, int]]:
    """Return df and cf of all neighbours that are terms of the layer that the vectors belong to."""
    words = list(dict.fromkeys(one.word for of_pair in near.values() for one in of_pair))
    counts = _counts(_view_of(snapshot, vectors), words)
    return {word: count for word, count in zip(words, counts, strict=True) if count[0]}


def _counts(view: LayerView, terms: Sequence[str]) -> list[tuple[int, int]]:
    """Return df and cf of some terms; both are 0 where no living document has them."""
    cf = view.field_cf[view.chosen]
    return [(df, int(cf[:, number].sum()) if df else 0) for number, df in view.look_up(terms)]


def _view_of(snapshot: Snapshot, vectors: WordVectors) -> LayerView:
    """Return the layer that vectors were trained on, or else the one that has most of their first words."""
    layers = list(snapshot.manifest.layers)
    if vectors.provenance.get("layer") in layers:
        return snapshot.view(vectors.provenance["layer"])
    first = vectors.words.some(np.arange(min(len(vectors), TRIED)))
    return max(map(snapshot.view, layers), key=lambda view: int((view.term_numbers(first) >= 0).sum()))


def frequent_words(index: Index, vectors: str, most: int = 12) -> list[str]:
    """Return words to begin with: frequent ones that have vectors, but that not every document has."""
    snapshot = index.snapshot
    opened = words_of(snapshot.trained, vectors)
    view = _view_of(snapshot, opened)
    df = np.where(view.df > max(1, COMMON * view.documents), 0, view.df)
    least = np.partition(df, -TRIED)[-TRIED] if len(df) > TRIED else 1
    numbers = np.flatnonzero(df >= max(1, least))
    best = numbers[np.argsort(-df[numbers], kind="stable")][:TRIED]
    terms = [view.term(number) for number in best.tolist()]
    inviting = [term for term in terms if term.isalpha() and len(term) >= FEWEST_LETTERS]
    known = opened.numbers(inviting, EXACT) >= 0
    return [term for term, there in zip(inviting, known.tolist(), strict=True) if there][:most]
