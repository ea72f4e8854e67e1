"""Figure 3: is a text about a word, or does it only mention it? Texts that have the word equally often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.app.explaining import readings
from aboutness.core.algebra import Ranker
from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.experiment.asking import Asking
from aboutness.models.question import Question
from aboutness.papers.mitra2016.features import area
from aboutness.papers.mitra2016.marking import EVIDENCE, OWN, Place, marked_pieces
from aboutness.papers.mitra2016.stand_ins import StandIn
from aboutness.rank.bound import Searcher, bind, explain
from aboutness.report.marks import PERCENTILE, Explained, Marked, Reason, marked, threshold
from aboutness.report.study import Cell, Passage, Sheet, Value

Numbers = NDArray[np.int64]

LONGEST = 200  # words of a text that is shown
TITLE = "title"  # a field


@dataclass(frozen=True)
class Alike:
    """Texts that have a word equally often: some are about it, for a reason, the others may only mention it."""

    word: str
    times: int
    about: Numbers
    others: Numbers
    why: str

    @property
    def pairs(self) -> int:
        """Return how many pairs these are."""
        return len(self.about) * len(self.others)


Unit: TypeAlias = Sequence[Alike]
"""All such texts of one query, or of one word."""


@dataclass(frozen=True)
class Told:
    """For each query or word: the share of pairs in which the text that is about it has the higher score."""

    pairs: int
    shares: Mapping[str, Sequence[float]]  # by ranker, one for each unit

    def tested(self, name: str, other: str = "") -> Randomisation:
        """Test whether a ranker's shares differ from another's or, without one, from a half, which is chance."""
        own = list(self.shares[name])
        return fisher(own, list(self.shares[other]) if other else [0.5] * len(own))


def by_judgements(stand_in: StandIn) -> Iterator[Unit]:
    """Yield for each test query the texts that have its rarest word equally often: relevant ones, and others.

    The word must stand in more than one document.
    """
    view, asking = stand_in.index.view(), Asking(stand_in.index.snapshot, stand_in.test)
    for query in stand_in.test.judged_queries:
        terms = view.analyzer.terms(query.text)
        known = [(df, term) for term, (_, df) in zip(terms, view.look_up(terms), strict=True) if df > 1]
        if known:
            word = min(known)[1]
            documents, counts = view.postings(int(view.term_numbers([word])[0]))
            grades = stand_in.test.qrels[query.id]
            relevant = asking.numbers(one for one, grade in grades.items() if grade > 0)
            about, why = np.isin(documents, relevant), f"Relevant for “{query.text}”"
            if unit := _alike(word, documents, counts.sum(axis=0), about, why):
                yield unit


def by_titles(stand_in: StandIn, words: Sequence[str]) -> Iterator[Unit]:
    """Yield for each word the texts that have it equally often: some in their title, others not there."""
    view = stand_in.index.view()
    if TITLE not in view.field_names:
        return
    title = view.field_names.index(TITLE)
    for word in words:
        documents, counts = view.postings(int(view.term_numbers([word])[0]))
        if unit := _alike(word, documents, counts.sum(axis=0), counts[title] > 0, f"With {word} in its title"):
            yield unit


def _alike(word: str, documents: Numbers, times: Numbers, about: NDArray[np.bool_], why: str) -> list[Alike]:
    found = [
        Alike(word, count, documents[about & (times == count)], documents[~about & (times == count)], why)
        for count in np.unique(times).tolist()
    ]
    return [one for one in found if one.pairs]


def told_apart(stand_in: StandIn, units: Sequence[Unit], rankers: Mapping[str, Ranker]) -> Told:
    """Return how often rankers, asked for the word alone, put the text first that is about it."""
    snapshot = stand_in.index.snapshot
    bound = {name: bind(ranker, snapshot) for name, ranker in rankers.items()}
    return Told(
        sum(one.pairs for unit in units for one in unit),
        {name: [_share(searcher, unit) for unit in units] for name, searcher in bound.items()},
    )


def _share(searcher: Searcher, unit: Unit) -> float:
    question = Question(unit[0].word)
    won = [
        one.pairs * area(searcher.scores(question, one.about), searcher.scores(question, one.others))
        for one in unit
    ]
    return sum(won) / sum(one.pairs for one in unit)


def told_sheet(found: Mapping[str, Told]) -> Sheet:
    """Return the mean shares by stand-in and ranker."""
    rows: dict[str, list[Cell]] = {}
    for name in next(iter(found.values())).shares:
        rows[name] = [
            Value(100 * float(np.mean(one.shares[name])), mark="*" if one.tested(name).p_value < 0.05 else "")
            for one in found.values()
        ]
    sizes = "; ".join(
        f"{name}: {one.pairs:,} pairs in {len(one.shares[next(iter(rows))]):,} means"
        for name, one in found.items()
    )
    return Sheet(
        "About, or only mentioned", list(found), rows, corner="ranker", digits=1, tolerance=4.0,
        caption="Pairs of texts that have a word equally often: in how many, in percent, the one that is about it "
        "has the higher score for that word alone. By judgements, the word is the rarest of a query, and the text "
        "is relevant for that query; by titles, words are drawn by chance, and the text has the word in its title "
        f"(mean over queries or words; 50 is chance, an asterisk p < .05 against it). {sizes}.",
    )  # fmt: skip


def shown_pair(stand_in: StandIn, units: Sequence[Unit], topics: Sequence[str]) -> Alike | None:
    """Return the pair to show: of the word that comes first among topics, the two texts most alike in length."""
    lengths = stand_in.index.view().lengths
    order = {word: place for place, word in enumerate(topics)}
    short = [
        (order[one.word], abs(float(lengths[about] - lengths[other])), about, other, one)
        for unit in units
        for one in unit
        if one.word in order
        for about in one.about[lengths[one.about] <= LONGEST].tolist()
        for other in one.others[lengths[one.others] <= LONGEST].tolist()
    ]
    if not short:
        return None
    *_, about, other, one = min(short, key=lambda found: found[:4])
    return replace(one, about=np.array([about]), others=np.array([other]))


def shown_passages(stand_in: StandIn, pair: Alike, ranker: Ranker) -> list[Passage]:
    """Return both texts of a pair, with the word marked, and the words that are evidence of being about it."""
    snapshot, question = stand_in.index.snapshot, Question(pair.word)
    searcher, read = bind(ranker, snapshot), readings(ranker, snapshot)
    documents = []
    for number in (int(pair.about[0]), int(pair.others[0])):
        document = snapshot.document(number)
        fields = {name: text for name, text in document.fields.items() if text}
        reason = Reason(str(ranker), explain(searcher, question, number), read)
        documents.append(Explained(document.id, fields, [reason]))
    marks = [marked(one, pair.word) for one in documents]
    limits = threshold(marks, 0)
    least = limits[0] if limits else np.inf
    found = []
    for title, shown, one in zip((pair.why, "Another text that has it as often"), documents, marks, strict=True):
        pieces = marked_pieces(list(shown.fields.values()), [_places(one, field, least) for field in shown.fields])
        count = sum(kind == EVIDENCE for _, kind in pieces)
        score = shown.reasons[0].explanation.score
        times = f"{pair.times} time{'s' if pair.times > 1 else ''}"
        caption = (
            f"{stand_in.name}, {shown.id}: {pair.word} stands here {times}; "
            f"{count} words are more similar to it (IN-OUT) than {PERCENTILE} of 100 words of both texts; score "
            f"{score:.3f}."
        )
        found.append(Passage(title, pieces, caption))
    return found


def _places(found: Marked, field: str, least: float) -> list[Place]:
    places: list[Place] = []
    for start, end, kind in found.words[field]:
        mark = found.marks[0][kind]
        if mark.own:
            places.append((start, end, OWN))
        elif mark.similarity is not None and mark.similarity > least:
            places.append((start, end, EVIDENCE))
    return places
