"""JSON lines: one JSON object a line; `aboutness.corpus.keys` says which keys are id and text.

An id may be a string or a whole number. A text must be a string. Everything else is metadata: strings,
numbers, truth values and lists of these are kept, a nested value is kept as its JSON text. A key whose value
is null counts as absent. Where an object names a key twice the last one counts.
"""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Document, Origin, Value
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import lines, suffix, utf8
from aboutness.corpus.keys import Keys, Roles, roles
from aboutness.corpus.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SUFFIXES = (".jsonl", ".ndjson", ".json")
SCALARS = frozenset((str, int, float, bool))
ONE_A_LINE = "; the file must hold one object a line (of an array, `jq -c '.[]'` makes such lines)"
SHAPES = 256
"""How many different lists of keys are remembered at a time."""


def read_jsonl(
    path: str | Path,
    *,
    fields: Sequence[str] | None = None,
    id_key: str | None = None,
    on_bad: OnBad = stop,
    span: tuple[int, int] | None = None,
) -> Iterator[Document]:
    """Read the documents of a JSON lines file, or of some bytes of it: whole lines, then numbered from 1."""
    file = str(path)
    parse = _Parser(Keys(id_key, fields))
    for number, line in lines(path, span):
        if line.isspace():
            continue
        origin = Origin(file, number)
        try:
            document = parse(line, origin)
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=origin, raw=line.rstrip(b"\r\n")))
        else:
            yield document


class _Parser:
    """Turn lines into documents; the roles of the keys are worked out once for records of one shape."""

    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.shapes: dict[tuple[str, ...], Roles] = {}
        self.decode = json.JSONDecoder(parse_constant=_not_finite, parse_float=_finite).decode

    def __call__(self, line: bytes, origin: Origin) -> Document:
        try:
            return self._document(utf8(line), origin)
        except RecursionError:
            raise BadInput("JSON nested too deeply") from None

    def _document(self, text: str, origin: Origin) -> Document:
        record = self.object(text)
        if None in record.values():
            record = {key: value for key, value in record.items() if value is not None}
        role = self.roles(tuple(record))
        fields = {key: record[key] for key in role.text}
        for key, value in fields.items():
            if type(value) is not str:
                raise BadInput(f"text field {key!r} must be a string, got {shown(value)}")
        metadata = {key: _metadata(record[key]) for key in role.metadata}
        document = Document(_id(role.id_key, record[role.id_key]), fields, metadata, origin)
        if "\\ud" in text or "\\uD" in text:
            _refuse_surrogates(role.id_key, document)
        return document

    def object(self, text: str) -> dict[str, Any]:
        """Return the object that a line holds."""
        try:
            record = self.decode(text)
        except json.JSONDecodeError as error:
            column = min(error.pos, len(text.rstrip())) + 1
            hint = ONE_A_LINE if text.lstrip().startswith("[") or text.strip() == "{" else ""
            raise BadInput(f"broken JSON at column {column}: {error.msg}{hint}") from None
        except ValueError:  # as Python says it, one would have to change its settings
            most = sys.get_int_max_str_digits()
            raise BadInput(f"a number with more than {most:,} digits cannot be used") from None
        if type(record) is not dict:
            hint = ONE_A_LINE if type(record) is list else ""
            raise BadInput(f"the line must hold a JSON object, got {shown(record)}{hint}")
        return record

    def roles(self, shape: tuple[str, ...]) -> Roles:
        """Return what each key of a record with these keys is."""
        known = self.shapes.get(shape)
        if known is None:
            if len(self.shapes) >= SHAPES:
                self.shapes.clear()
            known = self.shapes[shape] = roles(shape, self.keys)
        return known


def _id(key: str, value: object) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    raise BadInput(f"id {key!r} must be a string or a whole number, got {shown(value)}")


def _metadata(value: Any) -> Value:  # noqa: ANN401 - what json returns
    kind = type(value)
    if kind in SCALARS or (kind is list and SCALARS.issuperset(map(type, value))):
        scalar_or_list: Value = value
        return scalar_or_list
    return json.dumps(value, ensure_ascii=False)


def _not_finite(text: str) -> NoReturn:
    raise BadInput(f"the number {text} cannot be used; only finite numbers can")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _not_finite(shown(text))


def _refuse_surrogates(id_key: str, document: Document) -> None:
    for key, value in {id_key: document.id, **document.fields, **document.metadata}.items():
        for text in (key, *([value] if isinstance(value, str) else value if isinstance(value, list) else ())):
            try:
                str(text).encode()
            except UnicodeEncodeError:
                raise BadInput(f"{key!r} holds half a surrogate pair: {shown(text)}") from None


READER = Reader(
    name="jsonl",
    about="JSON lines: one object a line",
    sources="files ending in " + ", ".join(SUFFIXES),
    recognises=lambda source: suffix(source) in SUFFIXES,
    read=lambda source, keys, on_bad: read_jsonl(source, fields=keys.fields, id_key=keys.id_key, on_bad=on_bad),
    takes_keys=True,
)
