"""The page Words: the neighbours of a word in three pairs of spaces, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BeforeValidator

from aboutness.app.words import (
    AskedWord,
    FoundWords,
    KnownVectors,
    find_words,
    frequent_words,
    known_vectors,
    unknown_vectors,
)
from aboutness.core.errors import AboutnessError, NotFound
from aboutness.server.api.words import LONGEST, MOST_NEIGHBOURS
from aboutness.server.pages.rendering import link, page
from aboutness.server.problems import without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(include_in_schema=False)

ACTION = "/words"
USUAL = 10  # neighbours


@dataclass(frozen=True)
class Pair:
    """Two spaces that are compared, what it means to be near there, and what to say where one is not there."""

    name: str
    title: str
    meaning: str
    missing: str


PAIRS = (
    Pair("in-in", "IN-IN", "Used in the same way, in its place.", "These vectors have no IN space."),
    Pair("out-out", "OUT-OUT", "Seen in the same company.", "These vectors have no OUT space."),
    Pair("in-out", "IN-OUT", "Occur together, beside it.", "This needs both spaces, and these vectors have one."),
)


@dataclass(frozen=True)
class Shown:
    """What the page shows."""

    index_name: str
    folder: str
    words: str
    k: int
    choices: Sequence[KnownVectors]
    chosen: str | None
    found: FoundWords | None = None
    problem: str | None = None
    status: int = 200
    begin: Sequence[str] = ()
    documents: int = 0

    action = ACTION
    pairs = PAIRS

    @property
    def pairs_json(self) -> list[dict[str, Any]]:
        """Return the pairs of spaces in plain values."""
        return [asdict(pair) for pair in PAIRS]

    def address(self, words: str) -> str:
        """Return where a word or a sum is shown."""
        return link(ACTION, index=self.index_name, vectors=self.chosen, q=words)

    def frequency(self, asked: AskedWord) -> str:
        """Return how frequent a word is in the first layer; several words without a sign are told one by one."""
        said = []
        for one in asked.frequencies:
            if one.layer == asked.frequencies[0].layer:
                shown = "" if one.term == asked.word else f" as “{one.term}”"
                among = f"{one.df:,} of {self.found.documents if self.found else 0:,} documents"
                said.append(f"in {among}{shown}, {one.cf:,} times" if one.df else f"in no document{shown}")
        return "; ".join(said) or "in no document"

    def documents_with(self, word: str) -> str:
        """Return how many documents have a neighbour."""
        there = self.found.frequencies.get(word) if self.found else None
        return f"{there[0]:,}" if there else "-"

    def why(self, asked: AskedWord) -> str:
        """Return why a word has no vector."""
        if not asked.terms:
            return "is left out by the analyzer, as very common words are."
        if any(one.df for one in asked.frequencies):
            return "stands in the documents, but too seldom to have been given a vector."
        return "stands in no document of this index."

    def sum_with(self, unknown: AskedWord, suggestion: str) -> str:
        """Return what was asked for with another word in the place of an unknown one."""
        parts = []
        for at, one in enumerate(self.found.asked if self.found else ()):
            sign = "- " if one.weight < 0 else "+ " if at else ""
            parts.append(sign + (suggestion if one is unknown else one.word))
        return " ".join(parts)

    @staticmethod
    def bar(one: Any, near: Sequence[Any]) -> float:  # noqa: ANN401 - neighbours are no use case
        """Return how long the bar of a neighbour is, in hundredths of that of the nearest."""
        most = near[0].score
        return round(max(0.0, 100 * one.score / most), 2) if most > 0 else 0.0

    @staticmethod
    def cosine(score: float) -> str:
        """Return a cosine to be read; what is next to nothing below 0 is 0, too."""
        return f"{score:z.3f}"


def shown(site: Site, name: str, words: str, k: int, vectors: str | None) -> Shown:
    """Return what the page shows for what is asked; a mistake in it is shown on the page, too."""
    index = site.held.one(name)
    choices = known_vectors(index)
    chosen = vectors if vectors or not choices else choices[0].name
    asked = Shown(name, index.path.name, words, k, choices, chosen, documents=len(index))
    if not choices or chosen is None:
        return asked
    try:
        if chosen not in {one.name for one in choices}:
            raise unknown_vectors(index, chosen)
        if words.strip():
            return replace(asked, found=find_words(index, words, k, chosen))
        return replace(asked, begin=frequent_words(index, chosen))
    except AboutnessError as error:
        missing = isinstance(error, NotFound)
        return replace(asked, problem=without_paths(str(error), site), status=404 if missing else 200)


@router.get(ACTION)
async def show(
    request: Request,
    site: SiteHere,
    index: str | None = None,
    q: Annotated[str, Query(max_length=LONGEST)] = "",
    k: Annotated[int, BeforeValidator(lambda given: given or USUAL), Query(ge=1, le=MOST_NEIGHBOURS)] = USUAL,
    vectors: str | None = None,
) -> Response:
    """Show the neighbours of a word, or words to begin with."""
    name = site.held.name(index)
    found = await site.work(shown, site, name, q, k, vectors)
    return page(request, "words.html", title="Words", status=found.status, index=name, shown=found)
