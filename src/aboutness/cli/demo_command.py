"""The command that shows the main job."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from aboutness.cli.render import ends_well, training_progress
from aboutness.cli.search_commands import show_hits
from aboutness.cli.serve_commands import PORT, PortOption, serve_until_stopped
from aboutness.cli.train_commands import in_words


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("demo")(ends_well(demo))


def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Keep the index in this folder. [default: in memory]"),
    ] = None,
    serve: Annotated[
        bool | None,
        typer.Option(
            "--serve/--no-serve",
            help="Serve it in the end, until interrupted. [on a terminal]",
            show_default=False,
        ),
    ] = None,
    port: PortOption = PORT,
) -> None:
    """Index the documentation of Python's standard library, compare all rankers on it, search it, and serve it."""
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
    typer.echo("  aboutness serve my.index")
    if serve or (serve is None and sys.stdin.isatty() and sys.stdout.isatty()):
        from aboutness.app.comparing import save_comparison
        from aboutness.server.settings import Settings

        typer.echo()
        with tempfile.TemporaryDirectory() as results:
            save_comparison(compared, Path(results) / "demo")
            serve_until_stopped({"demo": index}, Settings(results=Path(results)), port)
