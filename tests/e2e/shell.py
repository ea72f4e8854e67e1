"""The commands of a block, run in a folder: `aboutness` in this process, servers beside it, the rest by bash."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from aboutness.cli.main import app
from cli.running import environment

HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
PORT = re.compile(r"--port[ =](\d+)")
MAKE = re.compile(r"^([a-z-]+):", re.MULTILINE)
USUAL_PORT = "8000"
SERVING = re.compile(r"Serving at http://[^/]*:(\d+)/\n")
READY = re.compile(r"Ctrl-C ends it\.\n")
ASIDE = re.compile(r"\s2>\s*(\S+)$")  # where standard error goes
PATIENCE_S = 60.0
VARIABLES = re.compile(r"[$`]")


def commands_of(block: str) -> Iterator[str]:
    """Yield the commands of a block, each as it stands there: with its further lines, texts and here-documents.

    >>> list(commands_of("ls a  # all\\n\\n# so\\ncat > b <<'EOF'\\nx\\nEOF\\nrm \\\\\\n  b\\n"))
    ['ls a  # all', "cat > b <<'EOF'\\nx\\nEOF", 'rm \\\\\\n  b']
    """
    lines = iter(block.splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        command = line
        if here := HEREDOC.search(line):
            for more in lines:
                command += f"\n{more}"
                if more.strip() == here[2]:
                    break
        else:
            while _unfinished(command):
                command += "\n" + next(lines)
        yield command


def _unfinished(command: str) -> bool:
    if command.endswith("\\"):
        return True
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return True
    return False


def words_for_us(command: str) -> list[str] | None:
    """Return the words of a command that this process can run itself: `aboutness`, without the help of a shell.

    >>> words_for_us("aboutness search a.index 'b >> c' -k 3  # so"), words_for_us("aboutness info a.index | head")
    (['search', 'a.index', 'b >> c', '-k', '3'], None)
    """
    if not command.startswith("aboutness ") or VARIABLES.search(command):
        return None
    if any(word and not word.strip("|&;<>()") for word in _unquoted(command)):
        return None
    return shlex.split(command, comments=True)[1:]


def _unquoted(command: str) -> list[str]:
    """Return the words of a command with quotes kept, so that what is quoted is not taken for a redirection."""
    reader = shlex.shlex(command, posix=False, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, "#"
    return list(reader)


class Shell:
    """Runs commands in a folder, one after the other, until it is closed. What each printed is returned."""

    def __init__(self, folder: Path, targets: frozenset[str] = frozenset()) -> None:
        self.folder = folder
        self.targets = targets  # of make
        self.server: subprocess.Popen[str] | None = None
        self.told = folder / ".served"
        self.ports: dict[str, str] = {}  # that pages speak of, and true ones

    def run(self, command: str) -> tuple[int, str]:
        """Run a command; return its exit code and what it printed, on both outputs."""
        aside = ASIDE.search(command) if command.startswith("aboutness serve ") else None
        words = words_for_us(ASIDE.sub("", command) if aside else command)
        if words is None:
            return self._by_bash(command)
        if words[0] == "serve" and not {"-h", "--help"} & set(words):
            return self._serve(words, aside[1] if aside else "")
        ran = CliRunner().invoke(app, [self._true(word) for word in words], catch_exceptions=False)
        return ran.exit_code, self._as_told(ran.output)

    def _by_bash(self, command: str) -> tuple[int, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", self._true(command)], cwd=self.folder, env=environment(PATH=path), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        return ran.returncode, self._as_told(ran.stdout)

    def _serve(self, words: list[str], errors: str) -> tuple[int, str]:
        """Start a server, on any free port; one that was started before is ended first.

        What it says on standard error may go to a file.
        """
        self.end_server()
        line = " ".join(words)
        named = PORT.search(line)
        own = shlex.split(PORT.sub("", shlex.join(words))) if named else words
        command = [sys.executable, "-m", "aboutness", *own, "--port", "0"]
        with self.told.open("w") as told, (self.folder / (errors or os.devnull)).open("w") as aside:
            self.server = subprocess.Popen(
                command, cwd=self.folder, env=environment(), text=True,
                stdout=told, stderr=aside if errors else subprocess.STDOUT,
            )  # fmt: skip
        end, ready = time.monotonic() + PATIENCE_S, SERVING if errors else READY
        while not ready.search(said := self.told.read_text("utf-8")) and time.monotonic() < end:
            if self.server.poll() is not None:
                code, self.server = self.server.returncode, None
                return code, said
            time.sleep(0.02)
        port = SERVING.search(said)
        assert port, said
        self.ports = {named[1] if named else USUAL_PORT: port[1]}
        return 0, self._as_told(said)

    def _true(self, text: str) -> str:
        """Return a text with the ports of servers as they are."""
        for told, true in self.ports.items():
            text = re.sub(rf"\b(127\.0\.0\.1|localhost):{told}\b", rf"\1:{true}", text)
        return text

    def _as_told(self, text: str) -> str:
        """Return what was printed, with ports as the page has them, and without where the folder lies."""
        for told, true in self.ports.items():
            text = re.sub(rf":{true}\b", f":{told}", text)
        return text.replace(f"{self.folder}{os.sep}", "").replace(str(self.folder), ".")

    def end_server(self) -> None:
        """End the server, if there is one, in peace."""
        if self.server is None:
            return
        server, self.server, self.ports = self.server, None, {}
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 0, self.told.read_text("utf-8")


def is_make(block: str, targets: frozenset[str]) -> bool:
    """Tell whether a block has nothing but `make` with targets that there are: who would run those here?"""
    lines = [shlex.split(command, comments=True) for command in commands_of(block)]
    return bool(lines) and all(words[0] == "make" and set(words[1:]) <= targets for words in lines)


def targets_of(makefile: Path) -> frozenset[str]:
    """Return what a Makefile can make."""
    return frozenset(MAKE.findall(makefile.read_text("utf-8")))
