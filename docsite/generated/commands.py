"""A page for each command of the command line, and one that lists them with the exit codes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from aboutness.app.outcome import OUTCOMES
from aboutness.cli.main import app
from docsite.docstring import as_markdown
from docsite.markdown import block, code, page, prose, sentence, table
from docsite.page import Page, link

FOLDER = "reference/cli"
LIST = f"{FOLDER}.md"
PROGRAM = "aboutness"


@dataclass(frozen=True)
class Command:
    """A command by its words, such as `vectors import`, as it is parsed."""

    name: str
    parsed: Any

    @property
    def path(self) -> str:
        """Return the path of its page."""
        return f"{FOLDER}/{PROGRAM}-{self.name.replace(' ', '-')}.md"

    @property
    def help(self) -> str:
        """Return what it says of itself."""
        return inspect.cleandoc(self.parsed.help or "")


def known_commands() -> list[Command]:
    """Return all commands, those of groups, too, in the order in which help lists them."""
    return list(_commands(typer.main.get_command(app), ""))


def _commands(group: Any, before: str) -> Iterator[Command]:  # noqa: ANN401 - typer's own
    for name, command in group.commands.items():
        words = f"{before} {name}".strip()
        if hasattr(command, "commands"):
            yield from _commands(command, words)
        else:
            yield Command(words, command)


def command_pages() -> Iterator[Page]:
    """Yield the list of commands, and their pages."""
    commands = known_commands()
    rows = (
        [
            f"[{code(f'{PROGRAM} {one.name}')}]({link(LIST, one.path)})",
            prose(one.help.partition("\n\n")[0]),
        ]
        for one in commands
    )
    codes = sorted((one.exit_code, one.meaning) for one in OUTCOMES.values())
    yield Page(
        LIST,
        "All commands",
        page(
            "# Command line",
            "Data goes to the standard output, progress and notes to the standard error. Commands that print "
            "data have `--json`. `aboutness --version` prints the version, and every command has `--help`.",
            table(["command", "what it does"], rows),
            "## Exit codes",
            "One table says how each kind of error ends a command, and which status a server answers.",
            table(["code", "meaning"], [["0", "done"], *([str(number), meaning] for number, meaning in codes)]),
        ),
    )
    yield from map(_page, commands)


def _page(command: Command) -> Page:
    parameters = [one for one in command.parsed.params if not one.hidden]
    arguments = [one for one in parameters if not _is_option(one)]
    options = [one for one in parameters if _is_option(one)]
    return Page(
        command.path,
        command.name,
        page(
            f"# {code(f'{PROGRAM} {command.name}')}",
            as_markdown(command.help),
            block(_usage(command, arguments, options), "sh"),
            page("## Arguments", table(["argument", "meaning"], map(_argument, arguments))) if arguments else "",
            page("## Options", table(["option", "takes", "default", "meaning"], map(_option, options)))
            if options
            else "",
            f"It ends with one of the [exit codes]({link(command.path, LIST)}#exit-codes).",
        ),
    )


def _is_option(parameter: Any) -> bool:  # noqa: ANN401 - typer's own
    return any(name.startswith("-") for name in parameter.opts)


def _usage(command: Command, arguments: list[Any], options: list[Any]) -> str:
    names = [_metavar(one) if one.required else f"[{_metavar(one)}]" for one in arguments]
    return " ".join([PROGRAM, command.name, *(["[OPTIONS]"] if options else []), *names])


def _metavar(parameter: Any) -> str:  # noqa: ANN401
    name = str(parameter.metavar or parameter.name.upper())
    return f"{name}..." if parameter.nargs == -1 and not name.endswith("...") else name


def _argument(parameter: Any) -> list[str]:  # noqa: ANN401
    needed = "" if parameter.required else " May be left out."
    return [code(_metavar(parameter)), prose(sentence(parameter.help or "")) + needed]


def _option(parameter: Any) -> list[str]:  # noqa: ANN401
    names = ", ".join(map(code, [*parameter.opts, *parameter.secondary_opts]))
    takes = "" if parameter.is_flag else _takes(parameter)
    return [names, takes, _default(parameter), prose(sentence(parameter.help or ""))]


def _takes(parameter: Any) -> str:  # noqa: ANN401
    annotation = parameter.type_descriptor.annotation
    choices = [str(one.value) for one in annotation] if hasattr(annotation, "__members__") else []
    told = " or ".join(map(code, choices)) or KINDS.get(_inner(annotation), "text")
    return f"{told}, repeatable" if parameter.multiple else told


KINDS = {"int": "a whole number", "float": "a number", "str": "text", "Path": "a path"}


def _inner(annotation: Any) -> str:  # noqa: ANN401
    """Return the name of a type, of a list that of what it holds."""
    held = getattr(annotation, "__args__", None)
    return _inner(held[0]) if held else str(getattr(annotation, "__name__", annotation))


def _default(parameter: Any) -> str:  # noqa: ANN401
    if parameter.required:
        return "must be given"
    if parameter.is_flag or parameter.default is None:
        return ""
    default = getattr(parameter.default, "value", parameter.default)
    return code(", ".join(map(str, default)) if isinstance(default, list | tuple) else str(default))
