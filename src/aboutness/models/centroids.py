"""Documents as weighted sums of the vectors of their words, compared with a question's by product or angle.

C = X W (galke2017 §3): one sparse x dense product, row by row, each row in the order of the document's words; so
a row depends on the document alone (and on idf, where that weighs the words), and rows that are kept in the index
can be used again for as long as the document is there.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.advance import begin, did
from aboutness.core.errors import DamagedIndex
from aboutness.core.threads import checked_threads
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.view import LayerView
from aboutness.models.dense import DenseScorer
from aboutness.models.dense_rows import DenseRows
from aboutness.models.embedding import Embedding
from aboutness.models.evidence import word_parts
from aboutness.models.lexicon import AskedWords, Lexicon
from aboutness.models.model import check_numbers
from aboutness.models.question import Question
from aboutness.models.ranking import Explanation, rounded
from aboutness.vectors.kept import entry_of, vectors_of
from aboutness.vectors.words import IN

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]

KIND = "document-vectors"
FORMULA = "sum over the document's words of weight * similarity with the query"
SHARE = 4096  # documents that a thread works on at a time


@dataclass(frozen=True)
class Recipe:
    """What a document's vector is made of: which vectors, how its words are weighted, and how long it is."""

    space: str
    weights: str  # in a word: "count", "unit", "idf galke", ...
    uses_statistics: bool = False  # then all rows change when documents come and go
    mean: bool = False  # divided by the number of words, not made to length 1
    pivot: float = 0.0  # how much long documents are divided by their length over the average


@dataclass(frozen=True)
class CentroidModel(Embedding):
    """A model whose documents are sums of word vectors. A subclass says of what, and what a question is.

    Empty documents: a document without any word that has a vector has -1, and comes last.

    Cost: binding adds up a vector for every word of every document, or reads what is kept in the index (`aboutness
    prepare`); a query reads a byte for each number of each document's vector, and few vectors.
    """

    def recipe(self) -> Recipe:
        """Return what documents' vectors are made of."""
        raise NotImplementedError

    @property
    def spaces(self) -> tuple[str, str]:
        """Return the spaces of the query's words and of the documents'."""
        return IN, IN

    def factors(self, view: LayerView, lexicon: Lexicon) -> Reals:
        """Return what each count is multiplied by, for each row of the lexicon's matrix."""
        raise NotImplementedError

    def asks(self, view: LayerView) -> Callable[[AskedWords], Reals]:
        """Return what makes the vector of a question from its known words."""
        raise NotImplementedError

    def scorer_with(self, view: LayerView, lexicon: Lexicon) -> CentroidScorer:
        """Return a scorer for a view whose words have vectors, in both spaces that are needed."""
        for space in self.spaces:
            lexicon.vectors.space(space)  # or raise where there is none
        return CentroidScorer(self, view, lexicon)

    def kept_rows(self, view: LayerView) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return how the documents' vectors are made, and these as arrays to be kept in the index."""
        scorer = self.scorer(view)
        assert isinstance(scorer, CentroidScorer)
        sums = scorer.sums
        return {"of": sums.of, "statistics": sums.stamp}, {**scorer.rows.arrays(), "arrivals": view.arrivals}

    def outdated(self, view: LayerView, entry: ArtefactEntry) -> int:
        """Return how many documents have come or gone since vectors were kept; all where these are of no use."""
        for space in self.spaces:
            vectors_of(view.trained, self.vectors).space(space)  # or raise where there is none
        kept = kept_arrays(view, entry, made_of(view, self))
        return view.size if kept is None else len(np.setxor1d(kept["arrivals"], view.arrivals, assume_unique=True))


def made_of(view: LayerView, model: CentroidModel) -> dict[str, Any]:
    """Return in plain values all that a document's vector is made of, besides the document and statistics."""
    entry = entry_of(view.trained, model.vectors)
    return {
        **asdict(model.recipe()),
        "layer": view.layer,
        "fields": {view.field_names[i]: float(view.weights[i]) for i in view.chosen.tolist()},
        "vectors": entry.name,
        "file": entry.file.name,
        "case": model.case,
        "oov": model.oov,
    }


def kept_arrays(view: LayerView, entry: ArtefactEntry, of: Mapping[str, Any]) -> dict[str, NDArray[Any]] | None:
    """Return vectors that are kept, if they were made in the same way and can be read."""
    if entry.parameters["of"] != of:
        return None
    try:
        return view.trained.artefact(entry.name)
    except DamagedIndex:
        return None


class Sums:
    """The sums of a view's documents by one recipe."""

    def __init__(self, view: LayerView, lexicon: Lexicon, model: CentroidModel) -> None:
        self.view = view
        self.lexicon = lexicon
        self.recipe = model.recipe()
        self.of = made_of(view, model)
        self.key = json.dumps(self.of, sort_keys=True)

    def rows(self, factors: Reals) -> DenseRows:
        """Return the rows of all documents: those kept in the index where they hold, the others made now."""
        return self.view.shared(self.key, lambda: self._rows(factors))

    def _rows(self, factors: Reals) -> DenseRows:
        view = self.view
        kept = self._kept()
        wanted = np.ones(view.size, np.bool_)
        rows = np.zeros((view.size, self.lexicon.vectors.dim), np.float32)
        if kept is not None:
            arrivals = view.arrivals
            if np.array_equal(kept["arrivals"], arrivals):
                return DenseRows.of_arrays(kept)
            places = np.searchsorted(kept["arrivals"], arrivals)
            places[places == len(kept["arrivals"])] = 0
            wanted = kept["arrivals"][places] != arrivals if len(kept["arrivals"]) else wanted
            rows[~wanted] = kept["rows"][places[~wanted]]
        self._make(factors, wanted, rows)
        return DenseRows(rows)

    def _kept(self) -> dict[str, NDArray[Any]] | None:
        """Return rows that are kept in the index, made in the same way."""
        view = self.view
        if view.lent:
            return None
        entries = view.trained.of_kind(KIND).values()
        current = (entry for entry in entries if entry.parameters["statistics"] == self.stamp)
        found = (kept_arrays(view, entry, self.of) for entry in current)
        return next((kept for kept in found if kept is not None), None)

    @property
    def stamp(self) -> str | None:
        """Return a mark of the statistics that the rows depend on, None where they do not."""
        if not self.recipe.uses_statistics:
            return None
        found = self.view.statistics
        return f"{found.documents} documents, {found.total_length!r} words, {zlib.crc32(found.df.tobytes()):08x}"

    def _make(self, factors: Reals, wanted: NDArray[np.bool_], rows: NDArray[np.float32]) -> None:
        """Write the rows of the wanted documents."""
        from aboutness.kernels.centroids import centroids

        matrix, places = self.lexicon.matrix(self.recipe.space), self.lexicon.rows
        divisors, mean = self.divisors, self.recipe.mean

        def some(there: slice, ends: Ints, terms: NDArray[np.int32], counts: Reals) -> None:
            centroids(
                ends, terms, counts, places, factors, matrix, wanted[there], mean, divisors[there], rows[there]
            )

        for_all_rows(self.view, wanted, some)

    @property
    def divisors(self) -> Reals:
        """Return what each document's vector is divided by (nothing where that is 1 for all)."""
        if not self.recipe.pivot:
            return np.zeros(0)
        relative = self.view.lengths / self.view.statistics.average_length
        return np.asarray(1 - self.recipe.pivot + self.recipe.pivot * relative)


def for_all_rows(
    view: LayerView,
    wanted: NDArray[np.bool_],
    do: Callable[[slice, Ints, NDArray[np.int32], Reals], None],
) -> None:
    """Do something with the terms and counts of documents, some at a time, by as many threads as there are cores.

    It gets which documents these are by number, and where the terms of each end; pieces with no wanted document
    are left out.
    """
    first = 0
    begin("documents", len(wanted))
    with ThreadPoolExecutor(checked_threads(None)) as pool:
        done: list[tuple[int, Future[None]]] = []
        for ends, terms, counts in view.rows():
            for start in range(0, len(ends), SHARE):
                some = ends[start : start + SHARE]
                there = slice(first + start, first + start + len(some))
                start_at, end = int(ends[start - 1]) if start else 0, int(some[-1])
                if wanted[there].any():
                    made = pool.submit(do, there, some - start_at, terms[start_at:end], counts[start_at:end])
                    done.append((there.stop, made))
            first += len(ends)
        last = 0
        for stop, one in done:
            one.result()
            did("documents", stop - last)
            last = stop


class CentroidScorer(DenseScorer):
    """Ranks documents by the product of their vector with the question's."""

    def __init__(self, model: CentroidModel, view: LayerView, lexicon: Lexicon) -> None:
        self.model = model
        self.lexicon = lexicon
        self.sums = Sums(view, lexicon, model)
        self.factors = model.factors(view, lexicon)
        self._asks = model.asks(view)
        self.view = view
        super().__init__(view, self.sums.rows(self.factors), self._lowest())
        if self.sums.recipe.mean:
            self.longest = lexicon.longest(model.spaces[0])

    def _lowest(self) -> float:
        """Return what no product comes below: -1, or that of the longest vectors in opposite directions."""
        recipe, view = self.sums.recipe, self.view
        longest = [self.lexicon.longest(space) for space in self.model.spaces] if recipe.mean else [1.0]
        shortest = min(view.weights[view.chosen].tolist(), default=1.0) / view.statistics.average_length
        return -rounded(math.prod(longest) / (1 - recipe.pivot + recipe.pivot * shortest))

    def own_vector(self, question: Question) -> Reals | None:
        """Return a question's vector, or None where none of its words has a direction."""
        asked = self.lexicon.asked(question)
        if not len(asked):
            return None
        made = self._asks(asked)
        return made if made.any() else None

    def explain(self, question: Question, document: int) -> Explanation:
        """Return the part of each word of the document that has a vector."""
        check_numbers(self.view, np.array([document], np.int64))
        score = float(self.scores(question, np.array([document], np.int64))[0])
        vector = self.vector(question)
        if vector is None or not self.rows.present[document]:
            return Explanation(score, (), f"{self.lowest:g}: nothing is known to compare")
        terms, counts = self.view.forward(document)
        weights = self.view.weigh(counts)
        known = (self.lexicon.rows[terms] >= 0) & (weights > 0)
        terms, weights = terms[known], weights[known]
        places = self.lexicon.rows[terms]
        words = self.lexicon.matrix(self.sums.recipe.space)[places].astype(np.float64)
        factors = weights * self.factors[places]
        size = weights.sum() if self.sums.recipe.mean else np.linalg.norm(factors @ words)
        if len(self.sums.divisors):
            size *= self.sums.divisors[document]
        names = (self.view.term(term) for term in terms.tolist())
        parts = word_parts(names, weights, words, factors / size, vector)
        return Explanation(score, tuple(parts), FORMULA)


def to_length_one(vector: Reals) -> Reals:
    """Return a vector scaled to length 1; 0 stays as it is."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not largest:
        return vector
    scaled = vector / largest  # so that squares of very small numbers do not vanish
    return np.asarray(scaled / np.linalg.norm(scaled))


def weighted_vectors(asked: AskedWords, space: str, factors: Reals) -> Reals:
    """Return the sum of factor x vector over a question's words, one after the other."""
    total = np.zeros(asked.vectors(space).shape[1], np.float64)
    for factor, vector in zip(factors, asked.vectors(space), strict=True):
        total += factor * vector.astype(np.float64)
    return total
