"""The command that shows the main job."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from aboutness.cli.render import ends_well, training_progress
from aboutness.cli.search_commands import show_hits
from aboutness.cli.train_commands import in_words


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("demo")(ends_well(demo))


def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Keep the index in this folder. [default: in memory]"),
    ] = None,
    no_serve: Annotated[  # noqa: ARG001 - there is nothing to serve yet
        bool, typer.Option("--no-serve", help="End after printing (the only way, for now).")
    ] = False,
) -> None:
    """Index the documentation of Python's standard library, compare all rankers on it, and search it."""
    from aboutness.app.demo import TRAININGS, build_demo, compare_demo, search_demo, train_demo

    start = time.perf_counter()
    typer.echo("Indexing the documentation of Python's standard library …", err=True)
    index = build_demo(output)
    view = index.view()
    typer.echo(
        f"{len(index):,} modules, classes and functions; {int(view.total_length):,} words, "
        f"{view.vocabulary_size:,} of them different; {time.perf_counter() - start:.1f} s"
    )
    for way in TRAININGS:
        start = time.perf_counter()
        with training_progress(f"training {way.name}") as tell:
            made = train_demo(index, way, tell)
        typer.echo(f"Trained on it: {way.name}, {in_words(made)}; {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    compared = compare_demo(index)
    typer.echo(
        f"\nHow well each ranker answers {compared.queries} questions that people ask, by answers judged by hand "
        f"({time.perf_counter() - start:.1f} s):\n\n{compared}"
    )
    if compared.left_out:
        typer.echo(f"\nLeft out, not trained here: {', '.join(compared.left_out)}")
    for hits in search_demo(index):
        typer.echo()
        show_hits(hits, explained=True)
    typer.echo("\nNow with your own documents:")
    typer.echo("  aboutness index FOLDER -o my.index")
    typer.echo('  aboutness search my.index "what you look for" --explain')
