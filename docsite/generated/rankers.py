"""A page for each ranker, and one that lists them: from the registry, the docstrings, and the rankers at work."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from aboutness.app.needed import needs
from aboutness.core.algebra import Ranker
from aboutness.core.parameters import Parameters
from aboutness.index.trained import Trained
from aboutness.models.embedding import Embedding
from aboutness.models.model import Model
from aboutness.models.trained import TrainedModel
from aboutness.rank.combination import Combination
from aboutness.rank.expansion.expansion import Expansion
from aboutness.rank.fusion import Fusion
from aboutness.rank.known import known_rankers
from aboutness.rank.normalised import Normalisation
from aboutness.rank.pipelines import Pipeline
from docsite.docstring import COST, DIFFERS, EMPTY, PAPER, SYMBOLS, UNKNOWN, docstring_of
from docsite.figures.drawing import pictures, side_by_side
from docsite.figures.shown import Shown, shown_by
from docsite.figures.small_corpus import PASSAGES, QUERY, small_index
from docsite.figures.sweep import another_value, shown_parameters
from docsite.generated.parameters import (
    INDEX,
    in_python,
    is_public,
    parameter_table,
    python_name,
    training_command,
)
from docsite.markdown import block, code, documents_linked, page, prose, sentence, table
from docsite.page import Page, link

FOLDER = "models"
ASKED = "cities of the desert"
GROUPS: dict[str, tuple[type, ...]] = {
    "Scores on one scale": (Normalisation,),
    "Fusion": (Fusion,),
    "Query expansion": (Expansion,),
    "Other combinations": (Combination,),
    "Pipelines with a name": (Pipeline,),
    "On documents that were trained on": (TrainedModel,),
    "On word vectors": (Embedding,),
    "On words": (Model,),
}
"""What rankers are, the first that fits; shown from the last to the first."""


@dataclass(frozen=True)
class Named:
    """A ranker with what its page shows."""

    name: str
    kind: type[Any]
    shown: Shown

    @property
    def path(self) -> str:
        """Return the path of its page."""
        return path_of(self.name)

    @property
    def group(self) -> str:
        """Return what it is."""
        return next(group for group, kinds in GROUPS.items() if issubclass(self.kind, kinds))


def path_of(name: str) -> str:
    """Return the path of a ranker's page."""
    return f"{FOLDER}/{name}.md"


def ranker_pages() -> Iterator[Page]:
    """Yield the list of rankers, and their pages in its order."""
    index = small_index()
    every = [Named(name, kind, shown_by(index, kind)) for name, kind in known_rankers(combinations=True).items()]
    groups = {group: [one for one in every if one.group == group] for group in reversed(GROUPS)}
    yield _list(groups)
    for some in groups.values():
        yield from map(_page, some)


def _list(groups: dict[str, list[Named]]) -> Page:
    parts = [
        "# Rankers",
        (
            "All that is registered, and how it is written. A ranker may have parameters (`bm25[k1=1.7]`), be cut "
            "and ranked anew (`bm25 % 100 >> ql`), added to others (`bm25 + 30*desm-in-out`) and combined with "
            "them by name (`rrf(bm25, ql)`). `aboutness models` prints the same list."
        ),
    ]
    for group, some in groups.items():
        rows = (
            [f"[{code(one.name)}]({one.name}.md)", prose(one.kind.summary), prose(one.kind.source)] for one in some
        )
        parts += [f"## {group}", table(["ranker", "what it does", "source"], rows)]
    return Page(f"{FOLDER}/index.md", "All rankers", page(*parts))


def _page(named: Named) -> Page:
    said = docstring_of(named.kind)

    def linked(text: str) -> str | None:
        return (
            link(named.path, path_of(text))
            if text in known_rankers(combinations=True) and text != named.name
            else None
        )

    def words(text: str) -> str:
        return documents_linked(prose(text, linked), named.path)

    def told(heading: str, part: str) -> str:
        return page(f"## {heading}", words(sentence(said.parts[part]))) if part in said.parts else ""

    text = page(
        f"# {code(named.name)}",
        words(said.idea),
        _facts(named, words(said.parts.get(PAPER, ""))),
        "## Equation",
        block(said.equation),
        f"*Symbols*: {words(said.parts[SYMBOLS])}",
        *map(words, said.notes),
        _parameters(named.kind),
        told("How it differs from the paper", DIFFERS),
        told("Unknown words", UNKNOWN),
        told("Empty documents", EMPTY),
        told("Cost", COST),
        "## How to use it",
        _commands(named.shown.ranker),
        _python(named.shown.ranker),
        _at_work(named),
    )
    return Page(named.path, named.name, text)


def _facts(named: Named, paper: str) -> str:
    kind, example = named.kind, named.shown.ranker
    written = kind.written() if issubclass(kind, Combination) else named.name
    such_as = "" if (varied := str(_varied(example))) == written else f", such as {code(varied)}"
    rows = [
        ["in short", prose(sentence(kind.summary))],
        ["group", f"{named.group} ([all rankers](index.md))"],
        ["written", code(written) + such_as],
        ["in Python", python_name(kind, named.path, "reference/python/rankers.md")],
        ["paper", paper],
        ["to be trained first", _trainings(named.path, example)],
    ]
    return table(["", ""], rows)


def _trainings(path: str, ranker: Ranker) -> str:
    ways = needs([ranker], Trained()).values()
    links = dict.fromkeys(f"[{code(way.name)}]({link(path, f'trainers/{way.name}.md')})" for way in ways)
    return ", ".join(links) or "nothing"


def _parameters(kind: type[Parameters]) -> str:
    declared = kind.declared()
    return page("## Parameters", parameter_table(declared) if declared else "It has none.")


def _varied(ranker: Ranker) -> Ranker:
    """Return a ranker with its first parameter changed, if it has one that can be shown."""
    assert isinstance(ranker, Parameters)
    for parameter in shown_parameters(type(ranker)):
        return replace(ranker, **{parameter.name: another_value(parameter)})
    return ranker


def _commands(ranker: Ranker) -> str:
    trained = [training_command(name, way) for name, way in needs([ranker], Trained()).items()]
    searches = [_search(one) for one in dict.fromkeys([str(ranker), str(_varied(ranker))])]
    return block("\n".join([*trained, *searches]), "sh")


def _search(ranker: str) -> str:
    return f"aboutness search {INDEX} {ASKED} -r {shlex.quote(ranker)} --explain"


def _python(ranker: Ranker) -> str:
    return block(
        "\n".join(
            [
                "import aboutness as ab",
                "",
                f'index = ab.Index.open("{INDEX}")',
                f'hits = index.search("{ASKED}", ranker={python_of(_varied(ranker))})',
                "print(hits[0].explain())",
            ]
        ),
        "python",
    )


def python_of(ranker: Ranker) -> str:
    """Return the Python that makes a ranker."""
    if isinstance(ranker, Combination) and is_public(type(ranker)):
        name, _, given = in_python(ranker).partition("(")
        inner = ", ".join(filter(None, [*map(python_of, ranker.rankers), given.removesuffix(")")]))
        return f"{name}.of({inner})"
    assert isinstance(ranker, Parameters)
    return in_python(ranker)


def _at_work(named: Named) -> str:
    shown = named.shown
    rows = (
        [
            name,
            *(
                f"{shown.found[name][0]:.4g} {shown.found[name][1]}".split()
                if name in shown.found
                else ["not found", ""]
            ),
        ]
        for name in PASSAGES
    )
    notes = [f"A note comes with its answers: {prose(note)}." for note in shown.notes]
    return page(
        "## At work",
        "What it did when this page was built, on a small corpus that is the same for all rankers: sentences "
        "about two cities, elephants and three modules of Python, and five passages. One is about London; one "
        "is the same, but does not say its name; one speaks of elephants and calls each of them London, so that "
        "it mentions the word and is about something else.",
        side_by_side(pictures(named.name, shown)),
        table([f"passage, for “{QUERY}”", "score", "rank"], rows),
        *notes,
    )
