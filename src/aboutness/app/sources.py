"""Reading sources into an index: the steps that the command line and the server share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from aboutness.core.record import Document
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import meter, source_size
from aboutness.corpus.read import READERS, read


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
            yield from read(name, format=self.format, fields=self.fields, id_key=self.id_key, on_bad=on_bad)

    @property
    def size(self) -> int:
        """Return how many bytes there are to read, as far as that is known."""
        return sum(source_size(name) for name in self.names)


@contextmanager
def metered(told: Callable[[int], None]) -> Iterator[None]:
    """Tell `told` how many bytes have been read since it was told last, while the block runs."""
    token = meter.set(told)
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
