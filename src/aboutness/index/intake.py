"""Records to batches of checked documents: what may enter an index, and what is set aside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeAlias

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Document
from aboutness.core.rejects import OnBad
from aboutness.corpus.keys import Keys, roles
from aboutness.index import metadata
from aboutness.index.fields import MOST_FIELDS
from aboutness.text.strings import Bytes, Ends, pack

Record: TypeAlias = Document | Mapping[str, Any]

LONGEST_ID = 2048  # bytes
FIRST_BATCH = 64  # documents; later batches are as large as the limits below allow
BATCH_DOCUMENTS = 8192
BATCH_CHARACTERS = 1 << 22
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Batch:
    """Some documents as columns; `records` are what they were made of."""

    records: Sequence[Record]
    ids: list[str]
    texts: dict[str, list[str]]  # of each field, empty where a document has none
    metadata: list[Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, records: Sequence[Any], on_bad: OnBad) -> Batch:
        """Make a batch of anything; what is no record at all goes to `on_bad`."""
        kinds = set(map(type, records))
        if kinds == {dict} and (batch := cls._of_like_mappings(records)) is not None:
            return batch
        documents = records
        if kinds != {Document}:
            documents = [d for d in (as_document(r, on_bad) for r in records) if d is not None]
        try:
            return cls.of_documents(documents)
        except (AttributeError, TypeError):  # the fields of some are no mapping
            return cls(documents, [], {}, []).only_good(on_bad)

    @classmethod
    def of_documents(cls, documents: Sequence[Document]) -> Batch:
        """Make a batch of documents."""
        fields = [document.fields for document in documents]
        names = dict.fromkeys(fields[0]) if fields else {}
        if len(set().union(*fields)) > len(names):
            names = dict.fromkeys(name for one in fields for name in one)
        return cls(
            documents,
            [document.id for document in documents],
            {name: [one.get(name, "") for one in fields] for name in names},
            [document.metadata for document in documents],
        )

    @classmethod
    def _of_like_mappings(cls, records: Sequence[dict[str, Any]]) -> Batch | None:
        """Make a batch of mappings that all have the same keys; None where they have not."""
        keys = records[0].keys()
        try:
            role = roles(tuple(keys), Keys())
        except BadInput:
            return None
        if any(record.keys() != keys for record in records):
            return None
        rest: list[Mapping[str, Any]] = [{}] * len(records)
        if role.metadata:
            rest = [{key: record[key] for key in role.metadata} for record in records]
        texts = {key: [record[key] for record in records] for key in role.text}
        return cls(records, [record[role.id_key] for record in records], texts, rest)

    @cached_property
    def packed_ids(self) -> tuple[Bytes, Ends]:
        """Return the ids end to end; they must be texts without lone surrogates."""
        return pack(self.ids)

    @cached_property
    def characters(self) -> int:
        """Return how long the texts are together."""
        try:
            return sum(sum(map(len, column)) for column in self.texts.values())
        except TypeError:
            return 0

    def documents(self) -> list[Document]:
        """Return the documents themselves, those that are none left out."""
        found = (as_document(record, _pass_over) for record in self.records)
        return [document for document in found if document is not None]

    def take(self, chosen: Sequence[int]) -> Batch:
        """Return the chosen documents, in that order."""
        return Batch.of_documents([d for i in chosen if (d := as_document(self.records[i], _pass_over))])

    def sound(self) -> bool:
        """Tell, quickly, whether nothing is wrong with ids and field names; texts show when they are packed."""
        try:
            ids, names = "".join(self.ids), "".join(self.texts)
            (ids + names).encode()
        except (TypeError, UnicodeEncodeError):
            return False
        return (
            all(self.ids)
            and all(self.texts)
            and not CONTROL.search(ids)
            and not CONTROL.search(names)
            and 4 * max(map(len, self.ids), default=0) <= LONGEST_ID
            and len(self.texts) <= MOST_FIELDS
        )

    def only_good(self, on_bad: OnBad) -> Batch:
        """Look at each document by itself; return those with nothing wrong, the others go to `on_bad`."""
        good = []
        for record in self.records:
            document = as_document(record, on_bad)
            if document is None:
                continue
            if wrong := problem(document):
                on_bad(BadRecord(wrong, origin=document.origin, raw=spelled(document)))
            else:
                good.append(document)
        return Batch.of_documents(good)


def batches(records: Iterable[Record], on_bad: OnBad) -> Iterator[Batch]:
    """Yield the records in batches of a convenient size; what is no record goes to `on_bad`."""
    incoming = iter(records)
    count = FIRST_BATCH
    while piece := list(islice(incoming, count)):
        batch = Batch.of(piece, on_bad)
        yield batch
        mean = batch.characters / max(1, len(batch))
        count = max(1, min(BATCH_DOCUMENTS, 8 * count, int(BATCH_CHARACTERS / max(1.0, mean))))


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
        on_bad(BadRecord(str(error), raw=spelled(record)))
        return None
    fields = {key: there[key] for key in role.text}
    identifier = there[role.id_key]
    identifier = str(identifier) if type(identifier) is int else identifier
    return Document(identifier, fields, {key: there[key] for key in role.metadata})


def spelled(record: Any) -> str:  # noqa: ANN401 - anything may come
    """Return a record as a JSON line that, once it is mended, can be read again."""
    try:
        if isinstance(record, Document):
            record = {"_id": record.id, **record.fields, **record.metadata}
        return json.dumps(dict(record) if isinstance(record, Mapping) else record, default=repr)
    except (TypeError, ValueError):
        return repr(record)


def problem(document: Document) -> str:
    """Return what is wrong with a document, or an empty string."""
    return _id_problem(document.id) or _field_problem(document.fields) or metadata.problem(document.metadata)


def _pass_over(_: BadRecord) -> None:
    """Do nothing: the record was told of before."""


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


def _field_problem(fields: Any) -> str:  # noqa: ANN401 - anything may come
    if not isinstance(fields, Mapping):
        return f"the fields of a document must be a mapping of names to texts, got {shown(fields)}"
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
