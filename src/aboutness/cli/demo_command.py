"""The command that shows the main job."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from shutil import which
from typing import Annotated

import typer

from aboutness.cli.fitting import hanging, wrapped
from aboutness.cli.help import Command
from aboutness.cli.progress import progress, queries_progress, training_progress
from aboutness.cli.render import ends_well, show_lines
from aboutness.cli.search_commands import MOST_PARTS, show_hits
from aboutness.cli.serve_commands import PORT, PortOption, serve_until_stopped
from aboutness.cli.train_commands import in_words


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("demo", cls=Command)(ends_well(demo))


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
    from aboutness.server.serving import check_port
    from aboutness.server.settings import LOOPBACK

    serves = serve or (serve is None and sys.stdin.isatty() and sys.stdout.isatty())
    if serves:
        check_port(LOOPBACK[0], port)
    start = time.perf_counter()
    typer.echo("Indexing the documentation of Python's standard library …", err=True)
    with progress("Indexing", 0) as (tell_documents, _):
        index = build_demo(output, tell_documents)
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
    with queries_progress("comparing") as (_, tell_queries, _):
        compared = compare_demo(index, tell_queries)
    typer.echo(
        f"\nHow well each ranker answers {compared.queries} questions that people ask, by answers judged by hand "
        f"({time.perf_counter() - start:.1f} s).\n"
        "A ranker is a way of putting documents in order; default is the one that you get if you choose none.\n"
        "nDCG@10 is how good the first ten are, 1 at best; R@100 is the share of all good ones among the first "
        f"hundred.\n\n{compared}"
    )
    if compared.left_out:
        typer.echo()
        show_lines(wrapped(f"Left out, not trained here: {', '.join(compared.left_out)}"))
    found = search_demo(index)
    for hits in found:
        typer.echo()
        show_hits(hits, explained=False)
    typer.echo(f"\nWhy {found[0][0].id} comes first for {found[0].query!r}:")
    score, *parts = found[0][0].explain().lines(MOST_PARTS)
    show_lines(wrapped(score, "  "))
    for part in parts:
        show_lines(hanging(f"  {part}"))
    typer.echo(f"\nNow with your own documents:\n{next_steps(sys.argv[0])}")
    if serves:
        from aboutness.app.comparing import save_comparison
        from aboutness.server.settings import Settings

        typer.echo()
        with tempfile.TemporaryDirectory() as results:
            save_comparison(compared, Path(results) / "demo")
            serve_until_stopped({"demo": index}, Settings(results=Path(results)), port)


def next_steps(started: str) -> str:
    """Return what to do next; the program is named as it can be started from here."""
    name = "aboutness" if which("aboutness") or Path(started).name != "aboutness" else os.path.relpath(started)
    steps = (
        "index FOLDER -o my.index",
        "train my.index default",
        'search my.index "what you look for" --explain',
        "serve my.index",
    )
    return "\n".join(f"  {name} {step}" for step in steps)
