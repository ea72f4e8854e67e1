"""The command that replaces words in passages and shows what becomes of their scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replaced
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.fitting import columns
from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json
from aboutness.cli.search_commands import chosen_rankers, tell_notes
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.perturbing import Perturbation


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("perturb", cls=Command)(ends_well(perturb))


def perturb(
    folder: FolderArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query.")],
    passages: Annotated[
        list[str],
        typer.Argument(metavar="PASSAGE", help="Text files, or JSON lines with id and text; - is standard input."),
    ],
    replace: Annotated[
        list[str] | None,
        typer.Option("--replace", help="A word and what stands in its place: giraffe=cambridge (repeatable)."),
    ] = None,
    ranker: Annotated[
        list[str] | None,
        typer.Option(
            "-r",
            "--ranker",
            help="A ranker (repeatable, or with commas). [default: term models, and DESM with word vectors]",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score passages as if they were in an index, as they are and with words replaced, by several rankers.

    Each cell is a raw score, and in brackets its rank in the column; the first column counts the query's words.
    """
    from aboutness.app.index import Index
    from aboutness.app.perturbing import perturb as perturbed
    from aboutness.app.perturbing import read_passages

    pairs = [_pair(text) for text in replace or ()]
    texts = read_passages(passages)
    index, rankers = Index.open(folder), chosen_rankers(ranker) if ranker else None
    with working("scoring"):
        found = perturbed(index, query, texts, pairs, rankers)
    tell_notes(index, rankers or [])
    if as_json:
        show_json(found.to_json())
        return
    typer.echo("\n\n".join(map(str, _side_by_side(found))))
    for name, why in found.left_out.items():
        typer.echo(f"{name} is left out: {why}", err=True)


def _side_by_side(found: Perturbation) -> Iterator[Perturbation]:
    """Yield the columns that fit side by side into the terminal, then those below them."""
    room, some = columns(), found.columns[:0]
    for column in found.columns:
        wider = replaced(found, columns=(*some, column))
        if some and room is not None and max(map(len, str(wider).split("\n"))) > room:
            yield replaced(found, columns=some)
            some = ()
        some = (*some, column)
    yield replaced(found, columns=some)


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not equals or not old.strip():
        raise UsageError(f"a replacement is written word=other, got {text!r}")
    return old.strip(), new.strip()
