"""The command that does a paper again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.experiment_shown import LONGEST, clock
from aboutness.cli.help import Command
from aboutness.cli.options import JsonOption
from aboutness.cli.progress import bar, now_and_then
from aboutness.cli.render import ends_well, show_json
from aboutness.core.errors import UsageError
from aboutness.core.one_line import one_line
from aboutness.papers import NAMES

if TYPE_CHECKING:
    from aboutness.papers.expected import Check
    from aboutness.papers.paper import Step
    from aboutness.papers.reproducing import Reproduction

MOST_TOLD = 20  # numbers that are not as expected
NOT_AS_EXPECTED = 1


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("reproduce", cls=Command)(ends_well(reproduce))


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(NAMES)}.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of collections. [default: $ABOUTNESS_DATA]")
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option("--vectors", help="The folder of word vectors. [default: $ABOUTNESS_VECTORS]")
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on", help="A collection in place of those that stand in for the paper's: a folder, or irds:NAME."
        ),
    ] = None,
    embedding: Annotated[
        list[str] | None,
        typer.Option(
            "--embedding",
            help="Of galke2017 and mitra2016: a file of word vectors in place of the usual; IN,OUT for a pair.",
        ),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="Of mitra2016: a file of queries to train on.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Search the paper's grids, too; this takes hours.")] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="End with 1 if a number is not what is expected, within its tolerance."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The report's folder. [default: reproduced/PAPER]")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws queries, folds, permutations, and trains.")] = 1,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", help="Where finished runs are kept. [default: ~/.cache/aboutness/experiments]"),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Take no run from before, and keep none.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Do a paper again: its experiments, its tables beside ours, and which of its claims hold.

    Where a paper's own collections are not to be had, open ones stand in for them; the report says which, and why.
    Finished runs and trainings are kept, so that the same again goes on from them; mitra2016 starts anew.
    """
    from aboutness.papers.reproducing import PAGE, check_ready
    from aboutness.papers.reproducing import reproduce as do_again

    if cache and no_cache:
        raise UsageError("--cache says where runs are kept, and --no-cache that none are: give one of them")
    if check and (on or embedding or queries or full or seed != 1):
        raise UsageError(
            "--check knows what to expect of the usual data and seed alone, and not of the full grids"
        )
    folder = output or Path("reproduced") / paper
    check_ready(paper, folder)
    with _progress() as tell:
        found = do_again(
            paper, data=data, vectors=vectors, on=on or (), embeddings=embedding or (), queries=queries,
            full=full, seed=seed, cache=cache or not no_cache, progress=tell,
            command=shlex.join(["aboutness", *sys.argv[1:]]),
        )  # fmt: skip
        found.save(folder)
    if as_json:
        show_json(found.to_json())
    else:
        _show(found)
        typer.echo(f"\nThe report is {folder / PAGE}")
    if check and found.check:
        _tell(found.check)


def _show(found: Reproduction) -> None:
    study = found.study
    typer.echo(f"{study.reference}\n{study.summary}\n")
    for claim in study.claims:
        typer.echo(f"{claim.verdict.upper()}: {one_line(claim.says)}\n    {one_line(claim.found)}")
    made = study.made
    typer.echo(f"{clock(made.seconds)} minutes{study.earlier}; {made.peak_mb:,.0f} MB", err=True)


def _tell(check: Check) -> None:
    """Say what is not as expected, and end the command where something is not."""
    typer.echo(str(check), err=True)
    told = check.told
    for line in told[:MOST_TOLD]:
        typer.echo(f"  {one_line(line)}", err=True)
    if len(told) > MOST_TOLD:
        typer.echo(f"  and {len(told) - MOST_TOLD:,} more", err=True)
    if not check.passed:
        raise typer.Exit(NOT_AS_EXPECTED)


@contextmanager
def _progress() -> Iterator[Callable[[Step], None]]:
    """Show what is being done, and the time left of it: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        say = now_and_then(at_once=True)
        yield lambda step: say(f"{one_line(step.what, LONGEST)} {_left(step)}".rstrip())
        return
    from rich.progress import TextColumn, TimeElapsedColumn

    with bar(TextColumn("{task.fields[left]}"), TimeElapsedColumn()) as shown:
        task = shown.add_task("starting", total=None, left="")

        def tell(step: Step) -> None:
            # A bar that is full has its clock stopped, and there may be more to do.
            done = {"total": None} if step.part is None else {"total": 1.0, "completed": min(step.part, 0.999)}
            shown.update(task, description=one_line(step.what, LONGEST), left=_left(step), **done)

        yield tell


def _left(step: Step) -> str:
    return "" if step.seconds_left is None else f"about {clock(step.seconds_left)} left of this"
