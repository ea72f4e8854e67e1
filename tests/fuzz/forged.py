"""An index that is not as it was written, though its checksums say so."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from aboutness.index.manifest import COLUMNS, _seal
from fuzz.sources import Source


@contextmanager
def sealed(folder: Path) -> Iterator[sqlite3.Connection]:
    """Give the database of an index, to be changed; then seal it as if nothing had happened."""
    with closing(sqlite3.connect(folder / "index.db")) as database, database:
        yield database
        rows = {table: database.execute(f"SELECT * FROM {table}").fetchall() for table in COLUMNS}
        database.execute("UPDATE setting SET value = ? WHERE key = 'seal'", (_seal(rows),))


def forged(source: Source, chance: random.Random, folder: Path) -> Path:
    """Write an index in one of whose files some numbers are others, with the checksums of these."""
    name = chance.choice([name for name in source.files if name.startswith("arrays/")])
    content = bytearray(source.files[name])
    start = 8 + int.from_bytes(content[:8], "little")
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(start, len(content))
        content[at] = chance.choice([0, 1, 127, 255, content[at] ^ (1 << chance.randrange(8))])
    path = source.written(folder, {name: bytes(content)})
    with sealed(path) as database:
        database.execute(
            "UPDATE file SET checksum = ? WHERE name = ?", (zlib.crc32(content), name.removeprefix("arrays/"))
        )
    return path
