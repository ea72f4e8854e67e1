"""The lines of a run file, read many at once as long as they look as they should, else one by one."""

from __future__ import annotations

from operator import ne
from pathlib import Path

import numpy as np

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.corpus.files import BOM, LONGEST, lines, open_bytes, utf8

TOO_LARGE = 2.0**128 - 2.0**103
"""The least number that is rounded to an infinite 32-bit float."""

AT_ONCE = 1 << 16  # bytes, so that the words of a block stay in the processor's cache
BLANKS = b" \t\n\v\f\r"
OTHERS = bytes(byte for byte in range(256) if byte not in BLANKS)
TABS_TO_BLANKS = bytes.maketrans(b"\t", b" ")

Scores = dict[str, dict[str, float]]


def read_scores(path: str | Path) -> Scores:
    """Read the scores of the documents by query, in the order in which they stand in a run file."""
    if Path(path).is_file():  # else it is a pipe, perhaps, which can be read only once
        try:
            return _by_blocks(path)
        except (ValueError, BadInput):
            pass
    return _by_lines(path)


def _by_blocks(path: str | Path) -> Scores:
    """Read a run whose lines all have five blanks or tabs; raise ValueError where one is not as it should be."""
    found: Scores = {}
    with open_bytes(path) as file:
        if file.peek(len(BOM)).startswith(BOM):  # type: ignore[attr-defined]
            raise ValueError
        while block := file.read(AT_ONCE):
            rest = b"" if block.endswith(b"\n") else file.readline(LONGEST)
            if len(rest) == LONGEST:
                raise ValueError
            block += rest
            _add(block if block.endswith(b"\n") else block + b"\n", found)
    return found


def _add(block: bytes, found: Scores) -> None:
    count = block.count(b"\n")
    words = block.decode().split()
    if block.translate(TABS_TO_BLANKS, OTHERS) != b"     \n" * count or len(words) != 6 * count:
        raise ValueError
    queries, documents, texts = words[0::6], words[2::6], words[4::6]
    together = "".join(texts)
    scores = list(map(float, texts))
    # float() reads 1_000 as a thousand, and digits of other scripts.
    if "_" in together or not together.isascii() or not (np.abs(scores) < TOO_LARGE).all():
        raise ValueError
    changes = np.flatnonzero(np.fromiter(map(ne, queries, queries[1:]), np.bool_, count - 1)) + 1
    first = 0
    for last in [*changes.tolist(), count]:
        more = dict(zip(documents[first:last], scores[first:last], strict=True))
        ranking = found.setdefault(queries[first], {})
        before = len(ranking)
        ranking.update(more)
        if len(ranking) < before + last - first:  # a document is there twice
            raise ValueError
        first = last


def _by_lines(path: str | Path) -> Scores:
    """Read any run; raise BadRecord, which says the line, for what cannot be used."""
    found: Scores = {}
    for number, line in lines(path):
        columns = line.split()
        if not columns:
            continue
        try:
            query, _, document, _, text, _ = columns
            ranking, name, score = found.setdefault(query.decode(), {}), document.decode(), float(text)
            if name in ranking or b"_" in text or not abs(score) < TOO_LARGE:
                raise ValueError
        except ValueError:
            problem = _problem(columns)
            raise BadRecord(problem, origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")) from None
        ranking[name] = score
    return found


def _problem(columns: list[bytes]) -> str:
    """Return what is wrong with a line of a run."""
    if len(columns) != 6:
        return f"a line of a run has 6 columns (query Q0 document rank score tag), got {len(columns)}"
    query, _, document, _, text, _ = columns
    try:
        score = float(text) if b"_" not in text else TOO_LARGE
    except ValueError:
        score = TOO_LARGE
    if not abs(score) < TOO_LARGE:
        got = shown(text.decode("utf-8", "backslashreplace"))
        return f"the score must be a finite number between -3.4e38 and 3.4e38, got {got}"
    try:
        return f"document {shown(utf8(document))} is ranked twice for query {shown(utf8(query))}"
    except BadInput as error:
        return str(error)
