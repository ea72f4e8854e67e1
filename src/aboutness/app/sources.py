"""Reading sources into an index: the steps that the command line and the server share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from aboutness.core.counted import counted
from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.endings import told
from aboutness.corpus.files import meter, source_size
from aboutness.corpus.folder import READER, left_out
from aboutness.corpus.read import READERS, guess, read

FOLDER = READER.name


@dataclass(frozen=True)
class Sources:
    """Where documents come from, and how they are to be read."""

    names: Sequence[str]
    format: str | None = None
    fields: Sequence[str] | None = None
    id_key: str | None = None

    def documents(self, on_bad: OnBad = stop) -> Iterator[Document]:
        """Stream the documents of all sources, one source after the other."""
        for name in self.names:
            yield from self._read(name, on_bad)

    def documents_of_each(self, on_bad: OnBad = stop) -> Iterator[Document]:
        """Do as `documents`, and raise BadInput where a source has no record, be it good or bad."""
        for name in self.names:
            yield from self._some_of(name, on_bad)

    def _some_of(self, name: str, on_bad: OnBad) -> Iterator[Document]:
        came = False

        def noted(error: BadRecord) -> None:
            nonlocal came
            came = True
            on_bad(error)

        for one in self._read(name, noted):
            came = True
            yield one
        if not came:
            raise BadInput(
                f"{name}: there are no documents, so that all would be deleted that came from it; "
                "leave it out if that is meant"
            )

    def _read(self, name: str, on_bad: OnBad) -> Iterator[Document]:
        return read(name, format=self.format, fields=self.fields, id_key=self.id_key, on_bad=on_bad)

    def left_out(self) -> list[str]:
        """Return in words how many files of each folder of text files are none, where there are such."""
        folders = [name for name in self.names if Path(name).is_dir() and self._reader(name) == FOLDER]
        return [_told(name, found) for name in folders if (found := left_out(Path(name)))]

    def _reader(self, name: str) -> str:
        return self.format or guess(name).name

    @property
    def size(self) -> int:
        """Return how many bytes there are to read, as far as that is known."""
        return sum(source_size(name) for name in self.names)


def _told(folder: str, endings: Counter[str]) -> str:
    count = endings.total()
    are = (
        "is no text, Markdown or HTML file, and was"
        if count == 1
        else ("are no text, Markdown or HTML files, and were")
    )
    return f"{counted(count, 'file')} of {folder} {are} left out: {told(endings)}"


@contextmanager
def metered(tell: Callable[[int], None]) -> Iterator[None]:
    """Tell `tell` how many bytes have been read since it was told last, while the block runs."""
    token = meter.set(tell)
    try:
        yield
    finally:
        meter.reset(token)


def formats() -> list[dict[str, str]]:
    """Return the formats that can be read."""
    return [{"name": r.name, "about": r.about, "sources": r.sources} for r in READERS.values()]


def default_rejects(index: str | Path) -> Path:
    """Return where the records that an index could not take are written: a name that is not taken."""
    path = Path(index)
    name = path.name.removesuffix(".index")
    names = (f"{name}.rejects{'' if n == 1 else f'-{n}'}.jsonl" for n in count(1))
    return next(free for one in names if not (free := path.parent / one).exists())
