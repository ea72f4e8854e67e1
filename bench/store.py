"""`python -m bench.store`: documents as rows of SQLite against documents as array files (decision 0001).

Both sides start from the same documents and end with everything on the disk and findable by id; neither tokenises.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

from aboutness.core.record import Document
from aboutness.corpus.read import read
from aboutness.index.arrays import write_arrays
from aboutness.index.intake import Batch
from aboutness.index.metadata import MetadataColumns
from aboutness.index.segment import document_arrays
from aboutness.text.strings import StringTable, pack
from bench.data import source

ROUNDS = 3


def rows(documents: list[Document], folder: Path) -> None:
    """One row a document, an index over ids made after the load, no journal: the fastest way SQLite has."""
    connection = sqlite3.connect(folder / "rows.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(
        "CREATE TABLE document (no INTEGER PRIMARY KEY, id TEXT, fields TEXT, metadata TEXT, crc INT)"
    )
    connection.execute("BEGIN")
    dumps = json.JSONEncoder(ensure_ascii=False).encode
    connection.executemany(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?)",
        (
            (no, d.id, fields := dumps(d.fields), dumps(d.metadata), zlib.crc32(fields.encode()))
            for no, d in enumerate(documents)
        ),
    )
    connection.execute("CREATE UNIQUE INDEX by_id ON document (id)")
    connection.execute("COMMIT")
    connection.close()
    with (folder / "rows.db").open("rb") as file:
        os.fsync(file.fileno())


def arrays(documents: list[Document], folder: Path) -> None:
    """The same documents as the index stores them."""
    batch = Batch.of_documents(documents)
    columns = MetadataColumns()
    columns.add(batch.metadata)
    names = list(batch.texts)
    cells = [""] * (len(names) * len(batch))
    for i, name in enumerate(names):
        cells[i :: len(names)] = batch.texts[name]
    contents = document_arrays(StringTable.of(batch.ids), *pack(cells), columns.arrays(), np.arange(len(batch)))
    write_arrays(folder / "documents.safetensors", contents, durable=True)


def main() -> None:
    documents = list(read(source("yso_finna_en")))
    for work in (rows, arrays):
        times, size = [], 0
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                work(documents, Path(folder))
                times.append(time.perf_counter() - start)
                size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"{work.__name__}: {len(documents):,} documents in {min(times):.2f} s, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
