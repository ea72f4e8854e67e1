"""Why documents have their scores: with their words marked, as a record or as a web page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from aboutness.app.explained import EVIDENCE, QUERY, ExplainedScore, Mentions, WordMark
from aboutness.app.generation import Generation
from aboutness.app.search import How, checked_question, search
from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError
from aboutness.evaluate.atomic import write_whole
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Model
from aboutness.rank.bound import explain
from aboutness.rank.combination import Combination
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import notes_of
from aboutness.rank.pipelines import Pipeline
from aboutness.report.explained import page
from aboutness.report.marks import Explained, Reading, Reason, is_own, marked, threshold
from aboutness.text.spans import spans

RANKED = 100  # the first documents, of which a rank is said


def explained(
    generation: Generation, query: str, identifier: str, ranker: str | Ranker, *, ranked: int = 0
) -> ExplainedScore:
    """Return why a document has its score, with the words that it comes from and where they stand.

    With `ranked` the document's rank is said where it is among so many first ones.
    """
    snapshot, ranker = generation.snapshot, named_ranker(ranker)
    number = snapshot.number(identifier)
    document = snapshot.document(number)
    why = explain(generation.bound(ranker), checked_question(generation, query), number)
    read = readings(ranker, snapshot)
    reason = Reason(str(ranker), why, read)
    found = marked(Explained(document.id, document.fields, [reason]), query)
    marks = [
        WordMark(field, start, end, _term(reason, mark.parts, document.fields[field][start:end]),
                 mark.share, QUERY if mark.own else EVIDENCE, mark.similarity, mark.parts)
        for field, words in found.words.items()
        for start, end, kind in words
        for mark in [found.marks[0][kind]]
        if mark.own or mark.parts
    ]  # fmt: skip
    return ExplainedScore(
        query=query,
        id=document.id,
        title=document.fields.get("title", ""),
        fields=document.fields,
        ranker=str(ranker),
        explanation=why,
        marks=marks,
        mentions=_mentions(query, document.fields, marks, read.values(), why.score),
        threshold=threshold([found], 0),
        asked={
            term: query[start:end].lower()
            for reading in read.values()
            for start, end, terms in reversed(spans(reading.analyzer, query))
            for term in terms
        },
        rank=_rank(generation, query, number, ranker, ranked) if ranked else None,
        note="; ".join(notes_of([ranker], snapshot)) or None,
    )


def score_and_rank(
    generation: Generation, query: str, identifier: str, ranker: str | Ranker, ranked: int
) -> tuple[float, int | None, str]:
    """Return a document's score, its rank where it is among so many first ones, and the ranker's text."""
    ranker = named_ranker(ranker)
    number = generation.snapshot.number(identifier)
    why = explain(generation.bound(ranker), checked_question(generation, query), number)
    return why.score, _rank(generation, query, number, ranker, ranked), str(ranker)


def _term(reason: Reason, parts: Sequence[int], text: str) -> str:
    """Return what a word is called in an explanation, or what a model that reads it makes of it."""
    if parts:
        return reason.explanation.parts[parts[0]].word or text
    made = (term for reading in reason.readings.values() for term in reading.analyzer.terms(text))
    return next(made, text)


def _mentions(
    query: str, fields: Mapping[str, str], marks: Sequence[WordMark], read: Iterable[Reading], score: float
) -> Mentions:
    own = [mark for mark in marks if mark.kind == QUERY]
    others = [mark for mark in marks if mark.kind == EVIDENCE]
    texts = {fields[mark.field][mark.start : mark.end] for mark in own}
    words: dict[str, bool] = {}
    for reading in read:
        there = {term for text in texts for term in reading.analyzer.terms(text)}
        for start, end, terms in spans(reading.analyzer, query):
            word = query[start:end].lower()
            words[word] = words.get(word, False) or is_own([term in there for term in terms], reading)
    from_own, from_others = (math.fsum(mark.contribution for mark in some) for some in (own, others))
    return Mentions(
        query_words=list(words),
        mentioned=[word for word, there in words.items() if there],
        times=len(own),
        evidence=len({mark.term for mark in others}),
        from_query_words=from_own,
        from_evidence=from_others,
        from_elsewhere=score - from_own - from_others,
    )


def _rank(generation: Generation, query: str, number: int, ranker: Ranker, depth: int) -> int | None:
    """Return the document's rank, if it is among so many first ones."""
    hits = search(generation, [query], How(ranker, depth, threads=1))[0]
    hits.check_complete()
    found = hits.ranking.documents.tolist()
    return found.index(number) + 1 if number in found else None


def explain_page(
    generation: Generation, query: str, identifiers: Sequence[str], rankers: Sequence[str | Ranker]
) -> str:
    """Return one HTML page that shows documents side by side: their scores with each ranker, and what of.

    It loads nothing from elsewhere. Words are marked by what they add to the score, or where their similarity to
    the query is over a threshold that the reader moves (mitra2016, fig. 3).
    """
    if not identifiers or not rankers:
        raise UsageError("a page needs at least one document and one ranker")
    snapshot = generation.snapshot
    question = checked_question(generation, query)
    numbers = [snapshot.number(identifier) for identifier in identifiers]
    bound = [
        (str(ranker), generation.bound(ranker), readings(ranker, snapshot))
        for ranker in map(named_ranker, rankers)
    ]
    documents = []
    for number in numbers:
        document = snapshot.document(number)
        reasons = [Reason(name, explain(searcher, question, number), read) for name, searcher, read in bound]
        documents.append(Explained(document.id, document.fields, reasons))
    return page(question.text, documents)


def readings(ranker: Ranker, snapshot: Snapshot) -> dict[str, Reading]:
    """Return what the models read whose parts explain a ranker's scores, by `Part.by` of these parts."""
    if isinstance(ranker, Model):
        view = ranker.view(snapshot)
        weights = zip(view.field_names, view.weights.tolist(), strict=True)
        return {"": Reading(view.analyzer, tuple((name, weight) for name, weight in weights if weight))}
    if isinstance(ranker, Pipeline):
        return readings(ranker.for_index(snapshot), snapshot)
    found: dict[str, Reading] = {}
    for name, part in _told(ranker):
        found |= {by or name: one for by, one in readings(part, snapshot).items()}
    return found


def _told(ranker: Ranker) -> Sequence[tuple[str, Ranker]]:
    """Return the rankers of whose parts an explanation is made, each with the name that these parts have."""
    if isinstance(ranker, Combination):
        return ranker.told
    if isinstance(ranker, Cut | Rerank):
        return [("", ranker.rankers[-1])]
    terms = ranker.rankers if isinstance(ranker, Sum) else [ranker]
    parts = [one.ranker if isinstance(one, Scaled) else one for one in terms]
    return [(str(part), part) for part in parts]


def write_page(html: str, target: str | Path) -> None:
    """Write a page to a file, which appears whole or not at all."""
    with write_whole(target) as file:
        file.write(html.encode())
