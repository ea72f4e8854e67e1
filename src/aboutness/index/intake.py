"""Records to checked documents, in batches: what may enter an index, and what is set aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad
from aboutness.corpus.keys import Keys, roles
from aboutness.index import metadata

LONGEST_ID = 2048  # bytes
MOST_FIELDS = 64
BATCH_DOCUMENTS = 8192
PIECE_DOCUMENTS = 32
BATCH_CHARACTERS = 1 << 22
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def batches(records: Iterable[Document | Mapping[str, Any]], on_bad: OnBad) -> Iterator[list[Document]]:
    """Yield the records as documents, in lists of a convenient size; what is no record goes to `on_bad`."""
    batch: list[Document] = []
    characters = 0
    incoming = iter(records)
    while piece := list(islice(incoming, PIECE_DOCUMENTS)):
        documents = [record if type(record) is Document else as_document(record, on_bad) for record in piece]
        kept = [document for document in documents if document is not None]
        batch += kept
        characters += sum(len(text) for d in kept for text in d.fields.values() if type(text) is str)
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def as_document(record: Any, on_bad: OnBad) -> Document | None:  # noqa: ANN401 - anything may come
    """Return a mapping as a document; `aboutness.corpus.keys` says which keys are id, text and metadata."""
    if isinstance(record, Document):
        return record
    try:
        if not isinstance(record, Mapping):
            raise BadInput(f"a record must be a Document or a mapping, got {shown(record)}")
        there = {key: value for key, value in record.items() if value is not None}
        role = roles(tuple(there), Keys())
    except BadInput as error:
        on_bad(BadRecord(str(error), raw=str(record)))
        return None
    fields = {key: there[key] for key in role.text}
    return Document(there[role.id_key], fields, {key: there[key] for key in role.metadata})


def all_good(batch: Sequence[Document]) -> bool:
    """Tell, quickly, whether nothing is wrong with the ids and fields of any document."""
    try:
        ids = [document.id for document in batch]
        joined = "".join(ids)
        names = field_names(batch)
        if not all(ids) or CONTROL.search(joined) or CONTROL.search("".join(names)) or not all(names):
            return False
        if 4 * max(map(len, ids)) > LONGEST_ID or len(names) > MOST_FIELDS:
            return False
        (joined + "".join(names)).encode()
    except (TypeError, AttributeError, UnicodeEncodeError):
        return False
    return True


def field_names(batch: Sequence[Document]) -> set[str]:
    """Return the names of all fields of a batch."""
    return set().union(*[document.fields for document in batch])


def only_good(batch: Sequence[Document], on_bad: OnBad) -> list[Document]:
    """Return the documents with nothing wrong; the others go to `on_bad`."""
    good = []
    for document in batch:
        if wrong := problem(document):
            on_bad(BadRecord(wrong, origin=document.origin, raw=str(document)))
        else:
            good.append(document)
    return good


def problem(document: Document) -> str:
    """Return what is wrong with a document, or an empty string."""
    return _id_problem(document.id) or _field_problem(document.fields) or metadata.problem(document.metadata)


def _id_problem(identifier: object) -> str:
    if not isinstance(identifier, str):
        return f"a document id must be a text, got {shown(identifier)}"
    if not identifier:
        return "a document id must not be empty"
    if CONTROL.search(identifier):
        return f"a document id must not contain control characters, got {shown(identifier)}"
    if surrogate := _surrogate(identifier):
        return f"the document id holds a lone surrogate ({surrogate}), which is no character: {shown(identifier)}"
    if (size := len(identifier.encode())) > LONGEST_ID:
        return f"a document id must have at most {LONGEST_ID:,} bytes, got {size:,}: {shown(identifier)}"
    return ""


def _field_problem(fields: Mapping[Any, Any]) -> str:
    if len(fields) > MOST_FIELDS:
        return f"a document must have at most {MOST_FIELDS} fields, got {len(fields)}"
    for name, text in fields.items():
        if not isinstance(name, str) or not name or CONTROL.search(name) or _surrogate(name):
            return f"a field name must be a non-empty text without control characters, got {shown(name)}"
        if not isinstance(text, str):
            return f"field {name!r} must be a text, got {shown(text)}"
        if surrogate := _surrogate(text):
            return f"field {name!r} holds a lone surrogate ({surrogate}), which is no character"
    return ""


def _surrogate(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"U+{ord(text[error.start]):04X} at character {error.start + 1}"
    return ""
