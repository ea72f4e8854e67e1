"""What a process does to the files of a folder, call by call, and calls that fail: a recorder ahead of the C library.

`Recorder` starts one child process with `recorder.c` loaded before the C library, so that the calls of SQLite are
seen as well as those of Python. The child (acting.py) runs one scenario after the other as it is told.
"""

from __future__ import annotations

import enum
import errno
import json
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from cli.running import SOURCE, environment

TESTS = Path(__file__).parents[1]
HEADER = struct.Struct("<IiqqIIII")


class Kind(enum.IntEnum):
    OPEN = 1
    CLOSE = 2
    WRITE = 3
    TRUNCATE = 4
    SYNC = 5
    RENAME = 6
    UNLINK = 7
    MKDIR = 8
    RMDIR = 9
    MARK = 10  # the change was acknowledged
    PASSING = 11  # a change was made, but not acknowledged


@dataclass(frozen=True)
class Call:
    """One call that changed something, or a sync, below the folder that is watched."""

    kind: Kind
    descriptor: int
    offset: int  # where bytes were written, or the size to which a file was cut
    number: int  # of those that a fault can hit
    flags: int
    path: str
    target: str
    data: bytes


@dataclass(frozen=True)
class Fault:
    """Which call fails and how: `code` 0 is a write of which only half is done."""

    code: int
    at: int
    lasting: bool = False

    @property
    def kinds(self) -> int:
        """Return which kinds of call can fail in this way: a full disk lets files be removed."""
        if not self.code:
            return 1 << Kind.WRITE
        every = sum(1 << kind for kind in Kind)
        return every & ~(1 << Kind.UNLINK | 1 << Kind.RMDIR) if self.code == errno.ENOSPC else every


@dataclass(frozen=True)
class Outcome:
    """How a scenario ended: its error, if any, or exit code; the places of ours that synced; calls made."""

    error: str
    code: int
    sites: list[str]
    calls: int


def compiler() -> str | None:
    """Return the C compiler of this machine, if there is one."""
    return shutil.which("cc") or shutil.which("gcc") if sys.platform == "linux" else None


class Recorder:
    """A child process that runs scenarios and records what they do to files."""

    def __init__(self, workplace: Path) -> None:
        self.log = workplace / "calls.log"
        library = workplace / "recorder.so"
        source = Path(__file__).with_name("recorder.c")
        command = [compiler() or "cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
        subprocess.run(command, check=True)
        self._child = subprocess.Popen(
            [sys.executable, "-m", "reliability.acting", library],
            env=environment(LD_PRELOAD=str(library), PYTHONPATH=f"{SOURCE}:{TESTS}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, scenario: str, root: Path, *, skip: str = "", fault: Fault | None = None, by_command: bool = False
    ) -> Outcome:
        """Run a scenario below `root`; `skip` names a sync of ours to leave out, `fault` a call that fails."""
        failing = [fault.at, fault.code, int(fault.lasting), fault.kinds] if fault else None
        asked: dict[str, Any] = {
            "scenario": scenario, "root": str(root), "log": str(self.log), "skip": skip, "fault": failing,
            "command": by_command,
        }  # fmt: skip
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps(asked) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        assert answer, "the recorded process died"
        return Outcome(**json.loads(answer))

    def calls(self) -> list[Call]:
        """Return what the last scenario did."""
        data, place, calls = self.log.read_bytes(), 0, []
        while place < len(data):
            kind, descriptor, offset, number, flags, *sizes = HEADER.unpack_from(data, place)
            place += HEADER.size
            parts = []
            for size in sizes:
                parts.append(data[place : place + size])
                place += size
            path, target = (part.decode() for part in parts[:2])
            calls.append(Call(Kind(kind), descriptor, offset, number, flags, path, target, parts[2]))
        return calls

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.wait(timeout=30)
