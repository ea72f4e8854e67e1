"""Word vectors of an index, or in files: import, process, and look into them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from aboutness.app.training import free_name, save
from aboutness.core.errors import BadInput, NotFound, UsageError, shown
from aboutness.corpus.topics import read_topics
from aboutness.index.arrays import Array, Blocks
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.text.analyzer import Analyzer
from aboutness.vectors import coverage, store
from aboutness.vectors.coverage import Coverage
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.export import EXPORTS
from aboutness.vectors.kept import KIND, entry_of, space_of, vectors_of
from aboutness.vectors.load import FORMATS, convert, load_vectors, look_at, outline, streamed
from aboutness.vectors.neighbours import Neighbour, Words, weighted
from aboutness.vectors.postprocess import STEPS, process
from aboutness.vectors.spelling import spelt_alike
from aboutness.vectors.words import ANY, EXACT, WordVectors, checked_case, provenance_in

if TYPE_CHECKING:
    from aboutness.app.index import Index

Near: TypeAlias = dict[str, list[Neighbour]]

MANY_UNKNOWN = 0.3  # of the documents' words
MANY_STEMS = 0.1  # of them, where they are stems: then more is lost than need be
IMPORTED = "vectors"  # the name of what is imported, unless said

# --- in an index --------------------------------------------------------------------------------------------


def import_into(
    index: Index,
    path: str | Path,
    *,
    name: str | None = None,
    out: str | Path | None = None,
    vocab: str | Path | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    only_index_words: bool = False,
    layer: str | None = None,
    case: str = EXACT,
    steps: Sequence[str] = (),
) -> WordVectors:
    """Keep vectors from a file in an index, all of them or those of the words that its documents have."""
    name = free_name(index, name or IMPORTED, KIND)
    if layer is not None and not only_index_words:
        raise UsageError("a layer says which words of the index are kept; it goes with only_index_words")
    checked_case(case)
    only = _terms(index.snapshot, layer) if only_index_words else None
    arrays, provenance = _imported(path, out, vocab, format, only, case, steps)
    save(index, name, KIND, arrays, provenance)
    return vectors_of(index.snapshot.trained, name)


def _terms(snapshot: Snapshot, layer: str | None) -> list[str]:
    """Return the terms that living documents have."""
    view = snapshot.view(layer)
    terms = view.terms()
    return [terms[number] for number in view.df.nonzero()[0].tolist()]


def _imported(
    path: str | Path,
    out: str | Path | None,
    vocab: str | Path | None,
    format_: str | None,
    only: Iterable[str] | None,
    case: str,
    steps: Sequence[str],
) -> tuple[Mapping[str, Array | Blocks], dict[str, Any]]:
    """Return the arrays to be written, read while they are written where nothing else is to be done to them."""
    if steps:
        made = process(load_vectors(path, out=out, vocab=vocab, format=format_, only=only, case=case), steps)
        return made.arrays(), dict(made.provenance)
    arrays = streamed(look_at(path, out=out, vocab=vocab, format=format_), only, case)
    return arrays, provenance_in(arrays)


def misfit(index: Index, vectors: WordVectors) -> str | None:
    """Return what to say where vectors from elsewhere lack many words of an index; None where they do not."""
    views = [index.view(layer) for layer in index.snapshot.manifest.layers]
    view = max(views, key=lambda one: coverage.known_share(one, vectors))
    missing = 1 - coverage.known_share(view, vectors)
    if missing < (MANY_STEMS if view.analyzer.stemmer else MANY_UNKNOWN):
        return None
    text = f"{missing:.0%} of the documents' words have no vector there"
    if view.analyzer.stemmer:
        text += (
            f": the terms are stems ({view.analyzer.name}), and published vectors are of words. Analyse the "
            "documents without stemming: --analyzer plain, or one more layer (aboutness layer DIR words plain)"
        )
    return text


def process_in(index: Index, steps: Sequence[str], name: str | None, new_name: str | None) -> WordVectors:
    """Process vectors of an index, and keep the result under another name or in their place."""
    entry = entry_of(index.snapshot.trained, name)
    vectors = vectors_of(index.snapshot.trained, entry.name)
    target = free_name(index, new_name or entry.name, KIND)
    if target == entry.name:
        _check_no_loss(vectors)
    made = process(vectors, steps)
    save(index, target, KIND, made.arrays(), made.provenance, entry.seed, entry.generation)
    return vectors_of(index.snapshot.trained, target)


def _check_no_loss(vectors: WordVectors) -> None:
    if vectors.subwords is not None:
        raise UsageError(
            "processed in place, these vectors would lose those for unknown words (fastText's subwords), which do "
            "not fit any more; give the result another name (-o)"
        )


def keep_vectors(index: Index, vectors: WordVectors, name: str) -> WordVectors:
    """Keep vectors from anywhere in an index."""
    made = vectors.sound().elsewhere()
    save(index, name, KIND, made.arrays(), made.provenance)
    return vectors_of(index.snapshot.trained, name)


# --- in an index or a file ----------------------------------------------------------------------------------


def words_of(trained: Trained, name: str | None = None) -> WordVectors:
    """Return word vectors by name, or the only ones; by the name of rows of documents, those trained with them."""
    if name in trained.of_kind(DocumentSpace.kind):
        space = space_of(trained, str(name))
        return space.words.with_provenance(**space.provenance)
    return vectors_of(trained, name)


def is_index(path: str | Path) -> bool:
    """Tell whether a path is that of an index rather than of a file of vectors."""
    with contextlib.suppress(OSError):  # such as a name that is too long
        return Path(path).is_dir()
    return False


def open_vectors(path: str | Path, name: str | None = None) -> WordVectors:
    """Return the vectors of an index, or load those of a file."""
    if is_index(path):
        return words_of(Snapshot.open(path).trained, name)
    if name is not None:
        raise UsageError(f"{path} is not an index, so that it has no vectors with the name {name!r}")
    return load_vectors(path)


def import_to_file(
    path: str | Path,
    target: str | Path,
    *,
    out: str | Path | None = None,
    vocab: str | Path | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    steps: Sequence[str] = (),
) -> WordVectors:
    """Write vectors to a file of ours, which is mapped from then on."""
    store.check_name(target)
    if not steps:
        return convert(path, target, out=out, vocab=vocab, format=format)
    loaded = load_vectors(path, out=out, vocab=vocab, format=format)
    if Path(path).absolute() == Path(target).absolute():
        _check_no_loss(loaded)
    process(loaded, steps).save(target)
    return store.open_saved(target)


def neighbours(path: str | Path, words: Words, k: int = 10, *, name: str | None = None) -> Near:
    """Return the nearest words of a word or a sum, in the spaces there are (see `nearest_words`)."""
    return nearest_words(open_vectors(path, name), words, k)


def neighbours_of_each(
    path: str | Path, asked: Sequence[str], k: int = 10, *, name: str | None = None
) -> dict[str, Near]:
    """Return the nearest words of several words or sums."""
    vectors = open_vectors(path, name)
    return {words: nearest_words(vectors, words, k) for words in asked}


def nearest_words(vectors: WordVectors, words: Words, k: int = 10) -> Near:
    """Return the nearest words "in-in", "out-out" and "in-out" of a word or a sum, such as "king - man + woman".

    Words go through the analyzer of the text on which the vectors were trained, where that is known; one is taken
    as it is where it has a vector and what comes out has none, since a neighbour may be a stem. Others are looked
    up as they are, then lower-cased, then capitalised.
    """
    weights = weighted(words)
    analyzer = analyzer_of(vectors)
    if analyzer is None:
        return vectors.side_by_side(weights, k, case=ANY)
    terms: dict[str, float] = {}
    for word, weight in weights.items():
        of_word = terms_of(vectors, analyzer, word)
        if not of_word and word.strip():
            raise NotFound(f"{shown(word)} has no vector: the analyzer {analyzer.name!r} leaves it out")
        for term in of_word:
            terms[term] = terms.get(term, 0.0) + weight
    try:
        return vectors.side_by_side(terms, k)  # which refuses where there is no word at all
    except NotFound as error:
        raise NotFound(f"{error}{_as_written(vectors, analyzer, weights)}{_rare(vectors)}") from None


def _as_written(vectors: WordVectors, analyzer: Analyzer, words: Iterable[str]) -> str:
    """Return what is spelt nearly as a word, where nothing is as its term: honey for hony, cut to honi."""
    near = {
        one: None
        for word in words
        for term in terms_of(vectors, analyzer, word)
        if term != word and term not in vectors and not spelt_alike(vectors.words, term)
        for one in spelt_alike(vectors.words, word)
    }
    return f"; spelt nearly so: {', '.join(map(shown, near))}" if near else ""


def _rare(vectors: WordVectors) -> str:
    """Return which words got no vector in a training, where some did not."""
    least = dict(vectors.provenance.get("parameters") or {}).get("min_count", 1)
    return (
        f"; words that stand in the text fewer than {least} times got no vector (--min-count)" if least > 1 else ""
    )


def analyzer_of(vectors: WordVectors) -> Analyzer | None:
    """Return the analyzer of the text on which vectors were trained, where that is known."""
    if "analyzer" not in vectors.provenance:
        return None
    try:
        return Analyzer.from_json(dict(vectors.provenance["analyzer"]))
    except (TypeError, ValueError, LookupError) as error:
        raise BadInput(f"these vectors name an analyzer that is none ({error!r}); train them anew") from None


def terms_of(vectors: WordVectors, analyzer: Analyzer, word: str) -> list[str]:
    """Return what a word is looked up as: its terms, or itself where it has a vector and they have not."""
    terms = analyzer.terms(word)
    if terms and (vectors.numbers(terms) >= 0).all():
        return terms
    return [word] if vectors.numbers([word])[0] >= 0 else terms


@dataclass(frozen=True)
class OovRow(Coverage):
    """How much of a text has no vector, and which stemmer its terms went through."""

    stemmer: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain values."""
        ratios = {"token_ratio": self.token_ratio, "type_ratio": self.type_ratio}
        return {**asdict(self), "examples": list(self.examples), **ratios}


def oov_report(
    folder: str | Path,
    vectors: str | None = None,
    *,
    queries: Iterable[str | Path] = (),
    layer: str | None = None,
    fields: Sequence[str] | None = None,
    case: str = EXACT,
) -> list[OovRow]:
    """Return how much of each field of an index, and of files of queries, has no vector.

    `vectors` are some of the index by name, or in a file, of which only the words are read.
    """
    snapshot = Snapshot.open(folder)
    found = vectors_for_oov(snapshot, vectors)
    layer = layer if layer is not None else _layer(snapshot, found)
    rows = oov(snapshot, found, queries=query_texts(queries), layer=layer, fields=fields, case=case)
    stemmer = snapshot.analyzer(layer).stemmer if "analyzer" not in found.provenance else ""
    return [OovRow(**vars(row), stemmer=stemmer) for row in rows]


def oov(
    snapshot: Snapshot,
    vectors: WordVectors,
    *,
    queries: Mapping[str, Iterable[str]] | None = None,
    layer: str | None = None,
    fields: Mapping[str, float] | Sequence[str] | None = None,
    case: str = EXACT,
) -> list[Coverage]:
    """Return how much of each field, and of each set of queries, has no vector."""
    view = snapshot.view(layer if layer is not None else _layer(snapshot, vectors), fields)
    rows = coverage.of_fields(view, vectors, case)
    return rows + [
        coverage.of_queries(name, texts, view.analyzer, vectors, case) for name, texts in (queries or {}).items()
    ]


def _layer(snapshot: Snapshot, vectors: WordVectors) -> str | None:
    """Return the layer that vectors were trained on, if the index still has it."""
    layer = vectors.provenance.get("layer")
    return layer if layer in snapshot.manifest.layers else None


def vectors_for_oov(snapshot: Snapshot, vectors: str | None) -> WordVectors:
    """Return the vectors of an index by name, or the words of a file, of which no vector is read."""
    if vectors is None or vectors in snapshot.manifest.artefacts:
        return words_of(snapshot.trained, vectors)
    try:
        return outline(look_at(vectors))
    except NotFound:
        raise NotFound(f"{snapshot.folder} has no vectors {shown(vectors)}, and there is no such file") from None


def query_texts(paths: Iterable[str | Path]) -> dict[str, list[str]]:
    """Return the texts of sets of queries, by the names of their files."""
    return {str(path): [query.text for query in read_topics(path)] for path in paths}


# --- lists --------------------------------------------------------------------------------------------------


def formats() -> list[dict[str, str]]:
    """Return the formats of vectors that can be read, and the endings of names in those that can be written."""
    written = {name: one.ending for name, one in EXPORTS.items()}
    return [
        {"name": name, "written": written.get(name, ""), "summary": summary} for name, summary in FORMATS.items()
    ]


def steps() -> list[dict[str, str]]:
    """Return what can be done to vectors."""
    return [{"name": name, "summary": step.summary} for name, step in STEPS.items()]
