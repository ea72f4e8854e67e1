"""Table 1: the nearest words within and across the two spaces, and what kind of words these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.papers.mitra2016.company import Company, Numbers
from aboutness.report.study import Cell, Sheet, Value
from aboutness.vectors.neighbours import PAIRS, Neighbours
from aboutness.vectors.words import WordVectors

ROWS = 6  # of table 1, the word itself among them
NEAR, DOCUMENTS, ALIKE = "within the window", "in the same document", "same company"
KINDS = (NEAR, DOCUMENTS, ALIKE)


@dataclass(frozen=True)
class Neighbourhoods:
    """What the nearest words of many words are, by pair of spaces: for each word the mean over its neighbours."""

    words: int
    neighbours: int
    means: dict[str, dict[str, NDArray[np.float64]]]  # by pair of spaces and kind

    def against(self, pair: str, other: str, kind: str) -> Randomisation:
        """Test the difference between two pairs of spaces, word by word."""
        return fisher(self.means[pair][kind].tolist(), self.means[other][kind].tolist())


def neighbour_sheet(vectors: WordVectors, company: Company, words: Sequence[str]) -> Sheet:
    """Return table 1 for some words: only words that are frequent enough to be trained are listed."""
    finder, hidden = Neighbours(vectors), _hidden(vectors, company)
    columns: dict[str, list[str]] = {}
    for word in words:
        for pair, (query, space) in PAIRS.items():
            found = finder.nearest_to(finder.direction({word: 1.0}, query), ROWS, space=space, without=hidden)
            columns[f"{word}: {pair.upper()}"] = [f"{one.word} ({one.score:.2f})" for one in found]
    longest = max(map(len, columns.values()), default=0)
    rows: dict[str, list[Cell]] = {
        str(place + 1): [of[place] if place < len(of) else "" for of in columns.values()]
        for place in range(longest)
    }
    return Sheet(
        "Table 1: nearest words", list(columns), rows, corner="rank",
        caption=f"The words of queries that are repeated most in the documents they stand in, and their "
        f"neighbours by cosine; of words that stand in at least {company.least:,} documents.",
    )  # fmt: skip


def neighbourhoods(vectors: WordVectors, company: Company, words: int, nearest: int, seed: int) -> Neighbourhoods:
    """Return how the nearest words of words that are drawn by a seed stand to these words in the text."""
    finder, hidden = Neighbours(vectors), _hidden(vectors, company)
    drawn = [n for n in company.drawn(words, seed).tolist() if company.words[n] in vectors]
    means: dict[str, dict[str, list[float]]] = {pair: {kind: [] for kind in KINDS} for pair in PAIRS}
    for number in drawn:
        word = company.words[number]
        own = np.append(hidden, vectors.numbers([word]))
        for pair, (query, space) in PAIRS.items():
            found = finder.nearest_to(finder.direction({word: 1.0}, query), nearest, space=space, without=own)
            others = company.view.term_numbers([one.word for one in found])
            for kind, measure in zip(KINDS, (company.near, company.in_documents, company.alike), strict=True):
                means[pair][kind].append(float(measure(number, others).mean()))
    arrays = {pair: {kind: np.array(of) for kind, of in kinds.items()} for pair, kinds in means.items()}
    return Neighbourhoods(len(drawn), nearest, arrays)


def _hidden(vectors: WordVectors, company: Company) -> Numbers:
    """Return the words with vectors that are too rare to be listed."""
    common = np.flatnonzero(company.view.df >= company.least).tolist()
    return np.setdiff1d(np.arange(len(vectors)), vectors.numbers([company.words[number] for number in common]))


def kinds_sheet(found: Neighbourhoods) -> Sheet:
    """Return the means over all words of what their neighbours are."""
    rows: dict[str, list[Cell]] = {
        pair.upper(): [Value(float(of[kind].mean()), deviation=float(of[kind].std(ddof=1))) for kind in KINDS]
        for pair, of in found.means.items()
    }
    return Sheet(
        "Typical or topical", list(KINDS), rows, corner="spaces", tolerance=0.05,
        caption=f"Of {found.words:,} words drawn by chance and their {found.neighbours} nearest: how much more "
        "often than by chance they stand together, within the window of the training and in the same document "
        "(normalised mutual information: 1 always, 0 as by chance, -1 never), and how alike the words are that "
        "both stand together with (cosine). Mean (standard deviation) over the words.",
    )  # fmt: skip
