"""Pages, run: every block in its order, in a folder that has the files the page speaks of.

`python -m e2e.pages PAGE...`, in the folder `tests`, runs pages and puts what was printed into their blocks; blocks
with `...` in them are left as they are where that fits. Look at what it changed before you commit it.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from e2e.blocks import Block, blocks_of, name_in_page, rewritten
from e2e.prepared import PREPARED
from e2e.printed import difference, is_as_shown
from e2e.shell import Shell, commands_of, is_make, targets_of

ROOT = Path(__file__).parents[2]
GENERATED = ("models", "measures", "trainers", "reference")  # folders of docs that are made when the site is
REAL_DATA = ("ABOUTNESS_DATA", "ABOUTNESS_VECTORS")  # what these name is not there for readers, and too large
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(
        page for page in (ROOT / "docs").rglob("*.md") if page.relative_to(ROOT / "docs").parts[0] not in GENERATED
    ),
]


class NotAsShown(AssertionError):
    """A page shows or promises something else than what happens."""


@dataclass
class PageRun:
    """One page in a folder. `differ` is called where something printed is not what the page shows."""

    page: Path
    folder: Path
    differ: Callable[[Block, str], None] | None = None
    names: dict[str, object] = field(default_factory=dict)
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("run", "output", "file", "make", "marked"), 0)
    )

    def __post_init__(self) -> None:
        self.text = self.page.read_text("utf-8")
        self.targets = targets_of(ROOT / "Makefile")
        self.printed = ""

    def all(self) -> dict[str, int]:
        """Run all blocks; return how many there were of each kind."""
        prepare = PREPARED.get(name_in_page(ROOT, self.page))
        if prepare is not None:
            prepare(self.folder)
        self.shell = Shell(self.folder)
        try:
            for block in blocks_of(self.text):
                self.one(block)
        finally:
            self.shell.end_server()
        return self.counts

    def one(self, block: Block) -> None:
        """Do what the page says of one block."""
        role = block.role
        if not role:
            self.fail(block, "the page does not say what becomes of this block: see tests/e2e/blocks.py")
        if role == "run" and block.language == "sh" and is_make(block.text, self.targets):
            role = "make"
        self.counts[role] += 1
        if role == "marked" and len(block.said["not run"].split()) < 2:
            self.fail(block, "say why it is not run")
        if role == "file":
            self.write(block)
        elif role == "run":
            self.printed = (self.run_python if block.language == "python" else self.run_commands)(block)
        elif role == "output":
            self.compare(block)

    def write(self, block: Block) -> None:
        """Write a block to the file that the page says."""
        target = self.folder / block.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, "utf-8")

    def run_python(self, block: Block) -> str:
        """Run a block of Python among the names of the page; return what it printed."""
        said = io.StringIO()
        code = compile("\n" * block.first + block.text, str(self.page), "exec")
        with contextlib.redirect_stdout(said):
            exec(code, self.names)
        return said.getvalue()

    def run_commands(self, block: Block) -> str:
        """Run the commands of a block; return what they printed."""
        printed, wanted = "", int(block.said.get("exit", 0))
        commands = list(commands_of(block.text))
        for command in commands:
            code, said = self.shell.run(command)
            printed += said
            if code != (wanted if command is commands[-1] else 0):
                self.fail(block, f"{command}\nended with {code} and said:\n{said}")
        return printed

    def compare(self, block: Block) -> None:
        """Compare what was printed with what the page shows."""
        if is_as_shown(block.text, self.printed, about=block.said.get("numbers") == "about"):
            return
        if self.differ is None:
            self.fail(block, difference(block.text, self.printed))
        else:
            self.differ(block, self.printed)

    def fail(self, block: Block, why: str) -> None:
        """Raise, with the place in the page."""
        raise NotAsShown(f"{name_in_page(ROOT, self.page)}, line {block.first}: {why}")


def own_cache(folder: Path) -> str:
    """Return a cache in which nothing was finished before, but compiled code is what it was."""
    from aboutness.kernels.compiled import cache_folder

    folder.mkdir(parents=True, exist_ok=True)
    if (compiled := cache_folder()) is not None:
        (folder / "kernels").symlink_to(compiled.parent, target_is_directory=True)
    return str(folder)


def update(page: Path) -> None:
    """Run a page and put what was printed into its blocks."""
    outputs: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as place:
        os.environ["ABOUTNESS_CACHE"] = own_cache(Path(place) / "cache")
        for name in REAL_DATA:
            os.environ.pop(name, None)
        folder = Path(place) / "here"
        folder.mkdir()
        os.chdir(folder)
        PageRun(page, folder.resolve(), lambda block, said: outputs.update({block.first: said})).all()
        os.chdir(ROOT)
    if outputs:
        page.write_text(rewritten(page.read_text("utf-8"), outputs), "utf-8")
    sys.stderr.write(f"{page}: {len(outputs)} blocks changed\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        update(Path(name).resolve())
