"""Why documents have their scores, as a web page with their words marked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aboutness.app.generation import Generation
from aboutness.app.search import checked_question
from aboutness.core.algebra import Cut, Ranker, Rerank, Scaled, Sum
from aboutness.core.errors import UsageError
from aboutness.evaluate.atomic import write_whole
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import Model
from aboutness.rank.bound import explain
from aboutness.rank.combination import Combination
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.pipelines import Pipeline
from aboutness.report.explained import page
from aboutness.report.marks import Explained, Reading, Reason


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
