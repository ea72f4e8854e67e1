"""What a person at a terminal sees while a command works: in real processes, with a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from aboutness.cli.compiling import SAID
from cli.running import environment

COMMANDS = {
    "check": (["check", "three.index", "--deep"], "Checking", "three.index is sound"),
    "merge": (["merge", "three.index"], "Merging", "Merged 1 segment to 1"),
    "snapshot": (["snapshot", "three.index", "-o", "copy.index"], "Copying", "Copied generation 1"),
    "layer": (
        ["layer", "three.index", "exact", "plain"],
        "Adding the layer",
        "Added layer exact (plain): 9 terms",
    ),
}


@pytest.fixture
def watched(tmp_path):
    """Run a command with a terminal as its standard error; return its code, its output and what was shown."""

    def _watched(*arguments: str) -> tuple[int, str, str]:
        ours, theirs = pty.openpty()
        shown = b""
        try:
            with subprocess.Popen(
                [sys.executable, "-m", "aboutness", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path,
                env=environment(TERM="xterm", COLUMNS="80"),
            ) as process:  # fmt: skip
                os.close(theirs)
                while piece := _piece(ours):
                    shown += piece
                out = process.stdout.read().decode()
        finally:
            os.close(ours)
        return process.returncode, out, shown.decode()

    return _watched


def _piece(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other side is closed
        return b""


@pytest.mark.parametrize(("arguments", "title", "result"), COMMANDS.values(), ids=COMMANDS)
def test_a_terminal_shows_that_work_goes_on(three, watched, arguments, title, result):
    code, out, shown = watched(*arguments)
    assert code == 0
    assert title in shown
    assert "0:00:0" in shown
    assert shown.endswith("\x1b[2K")
    assert out.startswith(result)
    assert "\x1b" not in out


@pytest.mark.parametrize(("name", "unit"), [("check", "bytes"), ("snapshot", "bytes"), ("layer", "texts")])
def test_a_terminal_shows_how_far_it_is(three, watched, name, unit):
    _, _, shown = watched(*COMMANDS[name][0])
    assert re.search(rf"\d% of {unit}", shown)


@pytest.mark.parametrize(("arguments", "title", "result"), COMMANDS.values(), ids=COMMANDS)
def test_without_a_terminal_nothing_is_shown(three, run, arguments, title, result):
    ran = run(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(result)
    assert title not in ran.out


def test_who_waits_for_compiling_is_told_once(three, watched, tmp_path, monkeypatch):
    monkeypatch.setenv("ABOUTNESS_CACHE", str(tmp_path / "cold"))
    code, _, shown = watched("search", "three.index", "city", "-r", "bm25")
    assert (code, shown.count(SAID)) == (0, 1)
    code, _, shown = watched("search", "three.index", "city", "-r", "bm25")
    assert (code, shown.count(SAID)) == (0, 0)
