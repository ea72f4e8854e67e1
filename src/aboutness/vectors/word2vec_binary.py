"""The binary format of word2vec: "count dim", then for each word the word, a blank and its numbers.

Some writers put a line feed behind each vector, others do not.
"""

from __future__ import annotations

import numpy as np

from aboutness.core.errors import BadInput
from aboutness.vectors.files import F32, HELD, I64, Content, VectorFile, Vocabulary, header


class Word2vecBinary(VectorFile):
    """A file as word2vec writes it with `-binary 1`."""

    format = "word2vec-binary"

    def __init__(self, content: Content) -> None:
        if (sizes := header(content)) is None:
            raise BadInput(f'{content.path}: its first line must be "count dim", as word2vec writes it')
        count, self.dim, start = sizes
        record = 4 * self.dim
        room = (len(content) - start) // (record + 1)  # a word may be empty, but there is a blank
        starts, ends = _scan(content, start, record, min(count, room))
        if len(starts) < count:
            raise BadInput(
                f"{content.path} is truncated, or its first line is wrong: it promises {count:,} vectors of "
                f"{self.dim:,} numbers, but there are {len(starts):,} whole ones"
            )
        rest = int(ends[-1]) + 1 + record
        if content.part(rest, rest + 100).strip(b"\r\n"):
            raise BadInput(
                f"{content.path}: its first line promises {count:,} vectors of {self.dim:,} numbers, but "
                f"{len(content) - rest:,} bytes follow the last one"
            )
        super().__init__(content, Vocabulary.of_spans(content, starts, ends))
        self._places = ends + 1

    def read(self, space: str, chosen: I64, out: F32) -> None:  # noqa: ARG002 - there is one space
        """Copy the vectors of the chosen words."""
        from aboutness.kernels.vector_files import copy_rows

        copy_rows(self.content.data, self._places[self.vocabulary.rows[chosen]], out.view(np.uint8))


def _scan(content: Content, start: int, record: int, count: int) -> tuple[I64, I64]:
    """Find up to `count` records; return where the word of each starts and ends."""
    from aboutness.kernels.vector_files import scan_records

    starts, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    step = max(1, HELD // (record + 1))
    found = 0
    while found < count:
        part = slice(found, min(count, found + step))
        new = int(scan_records(content.data, start, len(content), record, starts[part], ends[part]))
        content.release()
        if not new:
            break
        found += new
        start = int(ends[found - 1]) + 1 + record
    return starts[:found], ends[:found]
