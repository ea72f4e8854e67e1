"""The command `aboutness`: every command, and how errors end it."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Annotated

import typer

from aboutness._version import __version__
from aboutness.cli import (
    demo_command,
    evaluate_commands,
    experiment_command,
    index_commands,
    looking_commands,
    perturb_command,
    report_commands,
    reproduce_command,
    search_commands,
    serve_commands,
    train_commands,
    tune_commands,
    vector_commands,
)
from aboutness.cli.help import Program

BEGIN = """Search that knows what a document is about, and says why.

\b
aboutness index notes/ -o notes.index     make an index of a folder of text
aboutness train notes.index default       learn which words go together
aboutness search notes.index flat tyre    search it
aboutness serve notes.index               search it in the browser
"""

app = typer.Typer(
    name="aboutness",
    cls=Program,
    help=BEGIN,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
demo_command.register(app)
index_commands.register(app)
looking_commands.register(app)
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


def _open_closed() -> None:
    """Put the null device where standard input, output or error were closed (`2>&-`).

    Else the next file to be opened, such as one of an index, would get its number, and what is printed.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def main() -> None:
    """Run the command line."""
    _open_closed()
    if sys.argv[1:2] != ["train"]:  # which takes large matrices apart
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # we have threads; its own spin while they wait
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name need not be UTF-8
    try:
        app(prog_name="aboutness")
    except SystemExit as ended:
        if not ended.code:
            signal.signal(
                signal.SIGINT, signal.SIG_IGN
            )  # all is done and told: to be interrupted now would deny it
        raise
