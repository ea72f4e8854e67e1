"""Queries: TREC topics, JSON lines, tab-separated lines, and SMART queries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Origin, Query
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import lines, opening, suffix, utf8
from aboutness.corpus.jsonl import read_jsonl
from aboutness.corpus.sgml import elements, plain
from aboutness.corpus.smart import read_smart_queries
from aboutness.corpus.synthetic import PREFIX, Synthetic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FIELD = re.compile(r"<(num|title|desc|narr|dom|smry|con|fac|def|nat|time|head|date)\b[^<>]*>", re.IGNORECASE)
LABEL = re.compile(r"\A\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
FORMS = ("title", "desc", "narr", "description", "narrative")


def read_topics(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Query]:
    """Read queries from a file of any of these kinds, or make some by chance: `synthetic:1000`.

    - `.jsonl`, or a file that starts with `{`: `_id` and `text` of each object;
    - `.tsv`: query id, a tab, the text; no header;
    - a file that starts with `<top>`: TREC topics;
    - a file that starts with `.I`: SMART queries;
    - any other file with a tab in its first line is read as `.tsv`.
    """
    if str(path).startswith(PREFIX):
        return Synthetic.of(str(path)).queries()
    start = opening(path)
    if suffix(path) in {".jsonl", ".ndjson", ".json"} or start.startswith(b"{"):
        return _read_jsonl(path, on_bad)
    if suffix(path) == ".tsv":
        return _read_tsv(path, on_bad)
    if start.startswith(b"<"):
        return read_trec_topics(path, on_bad=on_bad)
    if start.startswith(b".I"):
        return read_smart_queries(path, on_bad=on_bad)
    if b"\t" in start.split(b"\n", 1)[0]:
        return _read_tsv(path, on_bad)
    raise BadInput(f"{path}: not a file of queries: neither JSON lines, id-tab-text, <top> nor .I records")


def read_trec_topics(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Query]:
    """Read `<top>` elements with `<num>`, `<title>`, `<desc>` and `<narr>`, which need not be closed.

    The text is the title, or the description of topics that have none; title, desc and narr are kept as
    forms. Labels such as "Number:" and leading zeros of the number, which judgements lack, are taken off.
    """
    for element in elements(path, "top", on_bad):
        parts = FIELD.split(element.inside)
        found: dict[str, str] = {}
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            found.setdefault(name.lower(), plain(LABEL.sub("", text)))
        number = found.get("num", "")
        forms = {name: found[name] for name in FORMS if found.get(name)}
        text = forms.get("title") or forms.get("desc")
        if number and text:
            plain_number = str(int(number)) if number.isascii() and number.isdigit() else number
            yield Query(plain_number, text, forms, Origin(str(path), element.line))
        else:
            problem = f"the topic has no {'<title> or <desc>' if number else '<num>'}"
            on_bad(BadRecord(problem, origin=Origin(str(path), element.line), raw=element.inside))


def once_each(queries: Iterable[Query], source: str | Path) -> Iterator[Query]:
    """Yield queries; raise BadInput, which says where the second one stands, if two have the same id."""
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise BadInput(f"{query.origin or source}: two queries have the id {query.id!r}")
        seen.add(query.id)
        yield query


def _read_jsonl(path: str | Path, on_bad: OnBad) -> Iterator[Query]:
    for record in read_jsonl(path, fields=("text",), on_bad=on_bad):
        forms = {name: value for name in FORMS if isinstance(value := record.metadata.get(name), str) and value}
        yield Query(record.id, record.fields["text"], forms, record.origin)


def _read_tsv(path: str | Path, on_bad: OnBad) -> Iterator[Query]:
    for number, line in lines(path):
        if line.isspace():
            continue
        try:
            name, tab, text = utf8(line).strip("\r\n").partition("\t")
            if not tab or not name.strip():
                raise BadInput("the line must hold a query id, a tab and the text")
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")))
        else:
            yield Query(name.strip(), text.strip(), origin=Origin(str(path), number))
