"""The recorded process: runs one scenario after the other, as it is told on standard input (see recorded.py)."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from typer.main import get_command

from aboutness.cli.main import app
from aboutness.index.database import ManifestStore
from reliability.scenarios import SCENARIOS

BETWEEN = {"disk.py", "arrays.py", "contextlib.py", Path(__file__).name}  # between a sync and who wants it

COMMAND = get_command(app)  # made once: that takes longer than most commands

Asked = dict[str, Any]


def syncing() -> str:
    """Return which place in our code wants the sync that is being made."""
    frame = sys._getframe()
    while (code := frame.f_code) and Path(code.co_filename).name in BETWEEN:
        assert frame.f_back
        frame = frame.f_back
    return f"{Path(code.co_filename).name}: {code.co_name}, line {frame.f_lineno}"


@contextlib.contextmanager
def less_careful(wanted: str) -> Iterator[None]:
    """Let SQLite sync less than we ask of it, where `wanted` says so."""
    made = ManifestStore.__init__

    def less(self: ManifestStore, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        self._connection.execute(f"PRAGMA {wanted}")

    if wanted.startswith("synchronous"):
        ManifestStore.__init__ = less
    try:
        yield
    finally:
        ManifestStore.__init__ = made


def act(recorder: ctypes.CDLL, asked: Asked, sites: list[str]) -> tuple[str, int]:
    """Run a scenario while it is recorded; return its error and, of a command, the exit code."""
    scenario, root = SCENARIOS[asked["scenario"]], Path(asked["root"])
    sync = os.fsync

    def noted(descriptor: int) -> None:
        sites.append(syncing())
        if sites[-1] != asked["skip"]:
            sync(descriptor)

    os.fsync = noted
    recorder.recorder_start(os.fsencode(root), os.fsencode(asked["log"]))
    if asked["fault"]:
        at, *how = asked["fault"]
        recorder.recorder_fault(ctypes.c_long(at), *how)
    try:
        if asked["command"]:
            assert scenario.command
            result = CliRunner().invoke(COMMAND, [str(part) for part in scenario.command(root)])
            return result.stderr, result.exit_code
        with less_careful(asked["skip"]):
            scenario.run(root, lambda what: getattr(recorder, f"recorder_{what}")())
        recorder.recorder_mark()
    except Exception as error:
        return f"{type(error).__name__}: {error}", -1
    else:
        return "", 0
    finally:
        os.fsync = sync


def main() -> None:
    """Do what is asked, line by line."""
    recorder = ctypes.CDLL(sys.argv[1])
    recorder.recorder_stop.restype = ctypes.c_long
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        sites: list[str] = []
        error, code = act(recorder, json.loads(line), sites)
        calls = recorder.recorder_stop()
        answers.write(json.dumps({"error": error, "code": code, "sites": sites, "calls": calls}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
