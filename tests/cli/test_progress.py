from __future__ import annotations

import io
import re
import time

import pytest

from aboutness.cli import progress
from aboutness.core.advance import begin, did
from aboutness.vectors.trainer import Progress


def test_progress_is_silent_without_a_terminal(capsys):
    with progress.progress("Indexing", 10) as (tell, tell_bytes):
        tell(1, 2)
        tell_bytes(3)
    assert capsys.readouterr() == ("", "")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_goes_to_a_terminal_on_standard_error(monkeypatch, capsys):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress("Indexing", 10) as (tell, tell_bytes):
        tell(1234, 2)
        tell_bytes(10)
    assert "Indexing" in terminal.getvalue()
    assert "1,234 documents" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_when_all_is_read_the_clock_goes_on(monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress.progress("Indexing", 10) as (_, tell_bytes):
        tell_bytes(10)
        time.sleep(1.2)
    assert re.search(r"all read, finishing.{0,20}0:00:0[1-9]", terminal.getvalue())


def test_when_a_training_has_read_all_the_rest_is_shown_and_the_clock_goes_on(monkeypatch):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress.training_progress("training pv") as tell:
        tell(Progress(100, 100, 50.0))
        begin("documents", 30)
        did("documents", 10)
        time.sleep(1.2)
    assert re.search(r"33% of documents, 0:00:00 left.{0,20}0:00:0[1-9]", terminal.getvalue())


def test_working_is_silent_without_a_terminal(capsys):
    with progress.working("Checking"):
        pass
    assert capsys.readouterr() == ("", "")


def test_working_goes_to_a_terminal_on_standard_error_and_is_wiped(monkeypatch, capsys):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.working("Checking"):
        pass
    assert re.search(r"Checking.*0:00:0\d", terminal.getvalue())
    assert terminal.getvalue().endswith("\x1b[2K")
    assert capsys.readouterr().out == ""


def test_working_lets_errors_through(monkeypatch):
    monkeypatch.setattr("sys.stderr", _Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(KeyboardInterrupt), progress.working("Checking"):
        raise KeyboardInterrupt


def test_lines_come_now_and_then(monkeypatch, capsys):
    at = 100.0
    monkeypatch.setattr("time.monotonic", lambda: at)
    later, at_once = progress.now_and_then(), progress.now_and_then(at_once=True)
    later("a")
    at_once("b")
    at_once("c")
    assert capsys.readouterr() == ("", "b\n")
    at += progress.SECONDS_BETWEEN_LINES
    later("d")
    later("e")
    at_once("f")
    assert capsys.readouterr() == ("", "d\nf\n")
    monkeypatch.setattr("sys.stderr", _Terminal())
    at += progress.SECONDS_BETWEEN_LINES
    later("g")
    assert progress.sys.stderr.getvalue() == ""
