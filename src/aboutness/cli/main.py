"""The command `aboutness`: every command, and how errors end it."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from aboutness._version import __version__
from aboutness.cli import (
    demo_command,
    evaluate_commands,
    experiment_command,
    index_commands,
    perturb_command,
    report_commands,
    reproduce_command,
    search_commands,
    serve_commands,
    train_commands,
    tune_commands,
    vector_commands,
)

app = typer.Typer(
    name="aboutness",
    help="Search that knows what a document is about, and says why.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
demo_command.register(app)
index_commands.register(app)
search_commands.register(app)
serve_commands.register(app)
evaluate_commands.register(app)
experiment_command.register(app)
tune_commands.register(app)
train_commands.register(app)
vector_commands.register(app)
perturb_command.register(app)
report_commands.register(app)
reproduce_command.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aboutness {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Search that knows what a document is about, and says why."""


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name need not be UTF-8
    app(prog_name="aboutness")
