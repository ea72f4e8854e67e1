"""How the queries of a collection are put to an index: as texts or documents, and which documents may be found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.core.record import Query
from aboutness.experiment.collection import Collection
from aboutness.index.snapshot import Snapshot
from aboutness.models.model import MATCHES, Match
from aboutness.models.question import Question

JUDGED: Final = "judged"
Step: TypeAlias = Match | Literal["judged"]
"""Which documents are ranked: those that match the query ("or", "and"), all, or all that are judged for it."""

SHORT = ("title", "text")
LONG = ("desc", "description", "narr", "narrative")


def step_of(match: object) -> Step:
    """Return the match step of the first ranker; where another ranker finds the documents, its own is "or"."""
    steps: tuple[Step, ...] = (*MATCHES, JUDGED)
    return next((step for step in steps if step == match), "or")


class Asking:
    """The queries of a collection as an index is asked them."""

    def __init__(self, snapshot: Snapshot, collection: Collection, step: Step = "or") -> None:
        if step not in (*MATCHES, JUDGED):
            raise UsageError(f"match must be one of {', '.join((*MATCHES, JUDGED))}, got {shown(step)}")
        self.snapshot = snapshot
        self.collection = collection
        self.step = step

    @property
    def match(self) -> Match:
        """Return the match step of rankers."""
        return "all" if self.step == "judged" else self.step

    def question(self, query: Query) -> Question:
        """Return a query as rankers take it."""
        if not self.collection.by_document:
            return Question(query.text)
        number = int(self.snapshot.numbers([query.id])[0])
        if number < 0:
            raise NotFound(
                f"the index has no document {shown(query.id)}, which is a query of {self.collection.name}"
            )
        return Question(document=number)

    @cached_property
    def allowed(self) -> NDArray[np.bool_] | None:
        """Return for each document number whether it may be found; None: all may."""
        only, hidden = self.collection.only, self.collection.hidden
        if only is None and not hidden:
            return None
        mask = self.snapshot.alive.copy() if only is None else np.zeros(self.snapshot.size, np.bool_)
        mask[self.numbers(only or ())] = True
        mask[self.numbers(hidden)] = False
        return mask

    def allowed_for(self, query: Query) -> NDArray[np.int64]:
        """Return the judged documents of a query that may be found, by number, ascending."""
        numbers = np.sort(self.numbers(self.collection.qrels.get(query.id, ())))
        return numbers if self.allowed is None else numbers[self.allowed[numbers]]

    def numbers(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of those of some documents that the index has."""
        found = self.snapshot.numbers(list(ids))
        return np.asarray(found[found >= 0])

    @property
    def plain(self) -> str:
        """Return in one text what rankings depend on besides the queries' texts."""
        own = self.collection
        if not (own.by_document or own.hidden or own.only is not None):
            return self.step
        return repr([self.step, own.by_document, sorted(own.hidden), sorted(own.only or ())])


def with_form(collection: Collection, form: str) -> Collection:
    """Return a collection whose queries are asked in another form: `text`, `title`, `desc`, `title+narr`...

    `short` is the title (else the text), `long` the description (else the narrative). A query that lacks the form
    is an error, which says what forms there are.
    """
    if form == "text":
        return collection
    if collection.by_document:
        raise UsageError(f"{collection.name}: its queries are documents, which have no form {shown(form)}")
    asked = [replace(query, text=_text(collection, query, form)) for query in collection.queries]
    return replace(collection, queries=tuple(asked))


def without(collection: Collection, queries: Iterable[str]) -> Collection:
    """Return a collection without some queries, such as those by which parameters were chosen."""
    gone = dict.fromkeys(queries)
    left = {one: grades for one, grades in collection.qrels.items() if one not in gone}
    return replace(collection, qrels=left, chosen_by=(*collection.chosen_by, *gone))


def forms_of(collection: Collection) -> list[str]:
    """Return the forms that any query of a collection has."""
    return list(dict.fromkeys(["text", *(name for query in collection.queries for name in query.forms)]))


def _text(collection: Collection, query: Query, form: str) -> str:
    texts = {"text": query.text, **query.forms}
    choices = {"short": SHORT, "long": LONG}
    found = []
    for part in map(str.strip, form.split("+")):
        name = next((one for one in choices.get(part, (part,)) if texts.get(one)), None)
        if name is not None:
            found.append(texts[name])
        elif query.id in collection.qrels:
            known = forms_of(collection)
            have = f"have the forms {', '.join(known)}" if len(known) > 1 else "have only one form, their text"
            raise UsageError(
                f"{collection.name}: query {shown(query.id)} has no form {shown(part)}; its queries {have}"
            )
    return " ".join(found) or query.text
