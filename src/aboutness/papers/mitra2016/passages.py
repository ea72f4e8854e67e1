"""Table 2: a passage about a word, one about its neighbour, one about neither, and two with words replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aboutness.app.index import Index
from aboutness.app.perturbing import COUNT, Perturbation, perturb
from aboutness.core.algebra import Ranker
from aboutness.evaluate.paired_tests import Difference, sign_test
from aboutness.papers.mitra2016.company import Company, Numbers
from aboutness.papers.mitra2016.marking import OWN, marked_pieces
from aboutness.papers.printed import beside
from aboutness.report.study import Cell, Passage, Sheet, Value
from aboutness.text.spans import spans

ABOUT, NEAR, UNRELATED, STUFFED, REPLACED = "about", "near", "unrelated", "stuffed", "replaced"
TIMES = 3  # that a passage about a word has it, at least
LENGTHS = (40, 250)  # words of a passage
SAME_START = 4  # letters: words that begin alike are forms of one word
MOST_TOPICS = 400  # words among which triples are looked for
RULE = (
    "Words come by how often they are repeated in the documents they stand in. The neighbour of a word is the one "
    "with the most similar company in the text, the unrelated word the one with the least similar among those "
    "that stand in no document with either: by counts, not by the vectors that are tested. A passage about a word "
    "is the document in which it has the largest share, among those that have none of the other two."
)


class Triple(NamedTuple):
    """Three words, and the number of a document about each that has none of the others."""

    word: str
    near: str
    unrelated: str
    about_word: int
    about_near: int
    about_unrelated: int

    @property
    def documents(self) -> tuple[int, int, int]:
        """Return the three documents."""
        return self.about_word, self.about_near, self.about_unrelated


class Check(NamedTuple):
    """An order of two passages' scores that the paper shows."""

    higher: str
    lower: str
    says: str


CHECKS = (
    Check(ABOUT, STUFFED, "about the word above stuffed with it"),
    Check(REPLACED, STUFFED, "about the word, without it, above stuffed with it"),
    Check(NEAR, STUFFED, "about the neighbour above stuffed with the word"),
    Check(NEAR, UNRELATED, "about the neighbour above about something else"),
)


@dataclass(frozen=True)
class Perturbed:
    """Scores of five passages each, for many triples, by column."""

    triples: Sequence[Triple]
    scores: Mapping[str, Mapping[str, Sequence[float]]]  # by column and passage, one for each triple

    def holds(self, column: str, check: Check) -> int:
        """Return in how many triples an order holds."""
        pairs = zip(self.scores[column][check.higher], self.scores[column][check.lower], strict=True)
        return sum(one > other for one, other in pairs)

    def tested(self, column: str, check: Check) -> Difference:
        """Test whether an order holds more often than by chance."""
        return sign_test(self.scores[column][check.higher], self.scores[column][check.lower])


def triples(company: Company, count: int) -> Iterator[Triple]:
    """Yield words by how much they are repeated, each with its neighbour, another word, and passages about them.

    The neighbour is the word with the most similar company, the other word that with the least similar, and in no
    document together with it: by counts, not by the vectors that are tested.
    """
    topics = company.frequent[:MOST_TOPICS]
    made = 0
    for place, number in enumerate(topics.tolist()):
        if made == count:
            return
        others = np.delete(topics, place)
        word = company.words[number]
        others = np.array([n for n in others.tolist() if not _same(company.words[n], word)], np.int64)
        if len(others) and (found := _triple(company, number, others)):
            made += 1
            yield found


def _same(one: str, other: str) -> bool:
    return one[:SAME_START] == other[:SAME_START]


def _triple(company: Company, number: int, others: Numbers) -> Triple | None:
    alike = company.alike(number, others)
    near = int(others[int(np.argmax(alike))])
    apart = (company.in_documents(number, others) <= -1) & (company.in_documents(near, others) <= -1)
    if not apart.any():
        return None
    far = int(others[apart][int(np.argmin(alike[apart]))])
    chosen = (number, near, far)
    documents: list[int] = []
    for one in chosen:
        about = _about(company, one, [other for other in chosen if other != one])
        if about is None:
            return None
        documents.append(about)
    word, neighbour, other = (company.words[one] for one in chosen)
    return Triple(word, neighbour, other, *documents)


def _about(company: Company, word: int, others: Sequence[int]) -> int | None:
    """Return the document in which a word has the largest share, among those of a passage's length."""
    view = company.view
    documents, counts = view.postings(word)
    times = counts.sum(axis=0)
    lengths = view.lengths[documents]
    fits = (times >= TIMES) & (lengths >= LENGTHS[0]) & (lengths <= LENGTHS[1])
    for other in others:
        fits &= ~np.isin(documents, view.postings(other)[0])
    if not fits.any():
        return None
    return int(documents[fits][int(np.argmax(times[fits] / lengths[fits]))])


def perturbed(index: Index, every: Sequence[Triple], rankers: Mapping[str, Ranker]) -> Perturbed:
    """Score the five passages of each triple by several rankers, and count the word in them."""
    columns = {COUNT: COUNT, **{str(one): name for name, one in rankers.items()}}
    scores: dict[str, dict[str, list[float]]] = {name: {} for name in columns.values()}
    for triple in every:
        found = _perturbation(index, triple, list(rankers.values()))
        for column, name in columns.items():
            for passage, row in _rows_of(triple).items():
                score = found[row].scores[column]
                scores[name].setdefault(passage, []).append(0.0 if score is None else float(score))
    return Perturbed(every, scores)


def _perturbation(index: Index, triple: Triple, rankers: Sequence[Ranker]) -> Perturbation:
    names = (ABOUT, NEAR, UNRELATED)
    texts = {
        name: dict(index.snapshot.document(number).fields)
        for name, number in zip(names, triple.documents, strict=True)
    }
    replace = [(triple.unrelated, triple.word), (triple.word, triple.unrelated)]
    return perturb(index, triple.word, texts, replace, rankers)


def _rows_of(triple: Triple) -> dict[str, str]:
    return {name: name for name in (ABOUT, NEAR, UNRELATED)} | {
        STUFFED: f"{UNRELATED}, with {triple.unrelated} → {triple.word}",
        REPLACED: f"{ABOUT}, with {triple.word} → {triple.unrelated}",
    }


# --- what is shown ----------------------------------------------------------------------------------------------


def example_sheet(found: Perturbed, paper: str) -> Sheet:
    """Return table 2 for the first triple, beside the paper's own passages."""
    triple = found.triples[0]
    told = {
        ABOUT: f"about {triple.word}",
        NEAR: f"about {triple.near}",
        UNRELATED: f"about {triple.unrelated}",
        STUFFED: f"about {triple.unrelated}, which is replaced by {triple.word}",
        REPLACED: f"about {triple.word}, which is replaced by {triple.unrelated}",
    }
    columns = [*(name for name in found.scores if name != COUNT), COUNT]
    rows: dict[str, list[Cell]] = {
        shown: [_example(paper, passage, column, found.scores[column][passage][0]) for column in columns]
        for passage, shown in told.items()
    }
    return Sheet(
        "Table 2: five passages", columns, rows, corner="passage", tolerance=None,
        caption=f"Scores for the query {triple.word}, and how often it stands there. The paper's passages are "
        "about Cambridge, Oxford and giraffes, its vectors others: the order of the rows is what compares.",
    )  # fmt: skip


def _example(paper: str, passage: str, column: str, score: float) -> Cell:
    value = beside(paper, "2", passage, column, score)
    return f"{score:.0f} (paper {value.paper:.0f})" if column == COUNT else value


def orders_sheet(found: Perturbed) -> Sheet:
    """Return in which share of all triples each order of the paper holds."""
    columns = [*(name for name in found.scores if name != COUNT), COUNT]
    count = len(found.triples)
    rows: dict[str, list[Cell]] = {
        check.says: [
            Value(100 * found.holds(column, check) / count, mark="*" if _more_often(found, column, check) else "")
            for column in columns
        ]
        for check in CHECKS
    }
    return Sheet(
        "Orders of passages", columns, rows, corner="order", digits=0, tolerance=15.0,
        caption=f"In how many of {count} triples of words, in percent; an asterisk where that is more often than "
        "by chance (sign test, p < .05).",
    )  # fmt: skip


def _more_often(found: Perturbed, column: str, check: Check) -> bool:
    return found.tested(column, check).p_value < 0.05 and 2 * found.holds(column, check) > len(found.triples)


def example_passages(index: Index, triple: Triple) -> list[Passage]:
    """Return the three passages of a triple, with their own words marked."""
    analyzer = index.view().analyzer
    found = []
    for word, number in zip((triple.word, triple.near, triple.unrelated), triple.documents, strict=True):
        texts = [text for text in index.snapshot.document(number).fields.values() if text]
        marks = [
            [(start, end, OWN) for start, end, terms in spans(analyzer, text) if word in terms] for text in texts
        ]
        found.append(Passage(f"About {word}", marked_pieces(texts, marks)))
    return found
