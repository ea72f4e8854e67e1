"""What `--help` prints."""

from __future__ import annotations

import doctest
import re

import pytest
import typer
from typer.testing import CliRunner

from aboutness.cli import help as help_texts
from aboutness.cli.main import app

PROGRAM = typer.main.get_command(app)
COMMANDS = [[name] for name, one in PROGRAM.commands.items() if not hasattr(one, "commands")]
COMMANDS += [["vectors", name] for name in PROGRAM.commands["vectors"].commands]


def printed(*arguments):
    found = CliRunner().invoke(app, [*arguments, "--help"])
    assert found.exit_code == 0
    return found.stdout


def test_every_command_is_listed_once_under_what_it_is_for():
    named = [name for some in help_texts.SECTIONS.values() for name in some]
    assert sorted(named) == sorted(PROGRAM.commands)
    shown = printed()
    assert [title for title in help_texts.SECTIONS if f"\n{title}:" not in shown] == []
    assert all(len(re.findall(rf"^  {name}\b", shown, re.MULTILINE)) == 1 for name in named)
    assert "..." not in shown.partition("Options:")[2]  # nothing is cut short


def test_help_begins_with_commands_to_type():
    assert "\n  aboutness index notes/ -o notes.index " in printed()
    assert "\n  aboutness search notes.index flat tyre " in printed()


def test_commands_of_a_group_are_listed():
    shown = printed("vectors")
    assert all(f"\n  {name}" in shown for name in ("import", "export", "train", "formats"))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_is_in_plain_words(words):
    shown = printed(*words)
    assert not re.search(r"<(list|str|int|path)|FileText|[{}]", shown)
    assert max(map(len, shown.splitlines())) <= 80
    assert "...." not in shown


def test_what_options_take_is_named():
    shown = " ".join(printed("search").split())
    for part in (
        "-k NUMBER",
        "--where TEXT",
        "Usage: aboutness search [OPTIONS] DIR [QUERY]...",
        "DIR The folder",
    ):
        assert part in shown.replace("Usage: root", "Usage: aboutness")
    assert "--on-error stop|skip" in printed("index")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["index", "notes"], "Missing option '--output' / '-o'. The folder to make."),
        (["explain", "x.index", "query"], "Missing argument 'ID'. The ids of documents."),
    ],
)
def test_what_is_missing_is_said_with_what_it_is(given, told):
    found = CliRunner().invoke(app, given)
    assert found.exit_code == 2
    assert told in found.stderr


def test_examples():
    assert doctest.testmod(help_texts).failed == 0
