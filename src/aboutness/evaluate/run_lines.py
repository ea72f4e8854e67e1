"""The lines of a run file, read many at once as long as they look as TREC's should, else one by one."""

from __future__ import annotations

from operator import ne
from pathlib import Path

import numpy as np

from aboutness.core import columns
from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.core.scores import RANK_ALLOWED, SCORE_ALLOWED, TOO_LARGE
from aboutness.corpus.by_query import is_by_query
from aboutness.corpus.delimited import delimiter_of
from aboutness.corpus.files import BOM, LONGEST, lines, open_bytes, utf8
from aboutness.evaluate.run_forms import (
    MARKS,
    SCORES_SAID,
    Form,
    Scores,
    check_ranks,
    form_of,
    form_of_header,
    is_rank,
    rank_of,
)
from aboutness.evaluate.run_tables import read_json_run, read_table

AT_ONCE = 1 << 16  # bytes, so that the words of a block stay in the processor's cache
BLANKS = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"  # all that str.split knows in ASCII
OTHERS = bytes(byte for byte in range(256) if byte not in BLANKS)
MARK_ALLOWED = "the second column must be Q0 or 0"
NAME_THEM = "if it is a document, say so in a first line: qid docid rank score tag"
TABS_TO_BLANKS = bytes.maketrans(b"\t", b" ")


def read_scores(path: str | Path) -> Scores:
    """Read the scores of the documents by query, in the order in which they stand in a run file of any form."""
    if not Path(path).is_file():  # a pipe, perhaps, which can be read only once
        return _by_lines(path)
    if is_by_query(path):
        return read_json_run(path)
    if (delimiter := delimiter_of(path)) is not None:
        return read_table(path, delimiter)
    try:
        return _by_blocks(path)
    except (ValueError, BadInput):
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
    words = _words(block)
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


def _words(block: bytes) -> list[str]:
    """Return what stands between blanks of ASCII: str.split alone would cut ids at other blanks, too."""
    return block.decode().split() if block.isascii() else b" ".join(block.split()).decode().split(" ")


def _by_lines(path: str | Path) -> Scores:
    """Read lines of any form; raise BadRecord, which says the line, for what cannot be used."""
    found: Scores = {}
    form: Form | None = None
    for number, line in lines(path):
        words = line.split()
        if not words:
            continue
        try:
            if form is None and (form := _header(words)) is not None:
                continue
            form = form_of(words) if form is None else form
            _add_line(words, form, found)
        except (BadInput, ValueError) as error:
            problem = str(error) if isinstance(error, BadInput) else _problem(words, form or form_of(words))
            raise BadRecord(problem, origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")) from None
    if form is not None:
        try:
            check_ranks(form, found)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
    return found


def _header(words: list[bytes]) -> Form | None:
    """Return the form that a first line names, None where it is no header."""
    names = [word.decode("utf-8", "replace") for word in words]
    return form_of_header(names) if columns.is_header(names) else None


def _add_line(words: list[bytes], form: Form, found: Scores) -> None:
    """Add what a line says; raise ValueError where something is wrong with it."""
    if len(words) != form.width:
        raise ValueError
    if form.rank >= 0:
        rank_of(words[form.rank])
    if form.marked and words[1] not in MARKS:
        raise ValueError
    query, document, text = words[form.query], words[form.document], words[form.value]
    ranking, name = found.setdefault(query.decode(), {}), document.decode()
    score = -float(rank_of(text)) if form.by_rank else float(text)
    if name in ranking or b"_" in text or not abs(score) < TOO_LARGE:
        raise ValueError
    ranking[name] = score


def _problem(words: list[bytes], form: Form) -> str:
    """Return what is wrong with a line of a run."""
    if len(words) != form.width:
        return f"a line of a run has {form.width} columns {form.said}, got {len(words)}"
    query, document, text = words[form.query], words[form.document], words[form.value]
    if (misplaced := _misplaced(words, form)) is not None:
        return misplaced
    try:
        score = float(text) if b"_" not in text else TOO_LARGE
    except ValueError:
        score = TOO_LARGE
    if not abs(score) < TOO_LARGE:
        return f"{SCORE_ALLOWED}, got {_got(text)}"
    try:
        return f"document {shown(utf8(document))} is ranked twice for query {shown(utf8(query))}"
    except BadInput as error:
        return str(error)


def _misplaced(words: list[bytes], form: Form) -> str | None:
    """Return that a column is not what it should be by its place, if so."""
    lines = f"in lines of {form.width} columns {form.said}"
    if form.marked and words[1] not in MARKS:
        return f"{MARK_ALLOWED} {lines}, got {_got(words[1])}; {NAME_THEM}"
    if form.rank >= 0 and not is_rank(words[form.rank]):
        return f"{RANK_ALLOWED} {lines}, got {_got(words[form.rank])}"
    if form.by_rank and not is_rank(words[form.value]):
        more = f"; {SCORES_SAID}" if form.every else ""
        return f"{RANK_ALLOWED}, got {_got(words[form.value])}{more}"
    return None


def _got(text: bytes) -> str:
    return shown(text.decode("utf-8", "backslashreplace"))
