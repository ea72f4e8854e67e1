"""What `--help` prints: commands by what they are for, and in plain words what options take."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup

SECTIONS = {
    "Begin": ("demo", "index", "train", "search", "serve"),
    "Documents and indexes": (
        "add", "sync", "delete", "merge", "layer", "prepare", "info", "check", "snapshot",
    ),
    "Rankings and reasons": ("explain", "perturb", "run", "neighbours", "oov", "map"),
    "Experiments": ("experiment", "tune", "evaluate", "report", "figure", "reproduce"),
    "Vectors and keys": ("vectors", "key"),
    "Lists of what there is": ("models", "trainers", "measures", "analyzers", "formats", "figures"),
}  # fmt: skip
"""The commands of the program, by what one wants."""
OTHERS = "Commands"
KINDS = {
    "str": "TEXT",
    "int": "NUMBER",
    "int range": "NUMBER",
    "float": "NUMBER",
    "Path": "PATH",
    "path": "PATH",
    "FileText": "FILE",
}
TYPE = re.compile(r" ?<(?:list\[)?([^<>\]]+)\]?>")
WHOLE = 1000  # more letters than the first sentence of any command


class Command(TyperCommand):
    """A command whose help names arguments as they are, and what an option takes in one word."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - typer's own
        """Return what the usage is made of: no braces around what must be given."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own
        """Read what was given; of an argument or option that is missing, say what it is."""
        try:
            return super().parse_args(ctx, args)
        except BadParameter as error:
            if not error.message:
                error.message = getattr(error.param, "help", None) or ""
            raise

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own
        """Write arguments, then options."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            some = [one for one in self.get_params(ctx) if one.param_type_name == kind]
            records = [found for one in some if (found := one.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl([(plain(name), meaning) for name, meaning in records])


def plain(name: str) -> str:
    """Return an argument or option as help names it, what an option takes in a plain word.

    >>> plain("--where <list[str]>"), plain("SOURCE <list[str]>"), plain("--on-error <stop|skip>")
    ('--where TEXT', 'SOURCE', '--on-error stop|skip')
    """
    return TYPE.sub(lambda found: f" {KINDS.get(found[1], found[1])}" if name.startswith("-") else "", name)


class Commands(TyperGroup):
    """Commands, listed by what they are for, each with its whole first sentence."""

    sections: ClassVar[Mapping[str, Sequence[str]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - typer's own
        """Write the names of commands and what they do."""
        told = {name: command.get_short_help_str(WHOLE) for name, command in self.commands.items()}
        named = {name for some in self.sections.values() for name in some}
        others = [name for name in told if name not in named]
        for title, names in {**self.sections, OTHERS: others}.items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, told[name]) for name in names])


class Program(Commands):
    """The commands of the program itself."""

    sections = SECTIONS
