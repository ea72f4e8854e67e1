"""Single documents of an index, in plain values: look at them as they are stored, add, and delete."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadRecord, NotFound, UsageError, shown
from aboutness.core.record import Document, Origin
from aboutness.index.intake import Record, as_document
from aboutness.index.similar_ids import did_you_mean

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.core.rejects import OnBad

MOST_LISTED = 100
SCALARS = (str, int, float, bool)


def stored(index: Index, identifiers: Sequence[str], name: str | None = None) -> dict[str, Any]:
    """Return documents by id; raise NotFound where one is not there. `name` is what the index is called."""
    snapshot = index.snapshot
    numbers = snapshot.numbers(identifiers).tolist()
    gone = [one for one, number in zip(identifiers, numbers, strict=True) if number < 0]
    if gone:
        hint = did_you_mean(snapshot, gone[0]) if len(gone) == 1 else ""
        raise NotFound(f"there is no document {', '.join(map(shown, gone))} in {name or index.path}{hint}")
    return _told(index, [snapshot.document(number) for number in numbers], 0)


def listed(index: Index, offset: int = 0, limit: int = 20) -> dict[str, Any]:
    """Return some of the documents, in order of arrival."""
    if offset < 0 or not 1 <= limit <= MOST_LISTED:
        raise UsageError(f"offset must be at least 0 and limit 1 to {MOST_LISTED}, got {offset} and {limit}")
    snapshot = index.snapshot
    numbers = snapshot.live_numbers()[offset : offset + limit].tolist()
    return _told(index, [snapshot.document(number) for number in numbers], offset)


def _told(index: Index, documents: Sequence[Document], offset: int) -> dict[str, Any]:
    return {
        "total": len(index),
        "offset": offset,
        "generation": index.snapshot.generation,
        "documents": [plain(document) for document in documents],
    }


def plain(document: Document) -> dict[str, Any]:
    """Return a document in plain values; `add_records` takes them again."""
    return {"id": document.id, "fields": dict(document.fields), "metadata": dict(document.metadata)}


def add_records(index: Index, records: Sequence[Mapping[str, Any]], *, update: bool = False) -> dict[str, Any]:
    """Add documents, all or none: in the form of `plain`, or flat as a line of JSON lines is read.

    What comes is on disk, and the index is read as it is now, before this returns.
    """
    added = index.add([record_of(one, place) for place, one in enumerate(records, 1)], update=update)
    return {
        "documents": len(index),
        "added": added.added,
        "updated": added.updated,
        "generation": index.snapshot.generation,
    }


def delete_records(index: Index, identifiers: Sequence[str], *, missing_ok: bool = False) -> dict[str, Any]:
    """Delete documents, all or none."""
    deleted = index.delete(identifiers, missing_ok=missing_ok)
    return {"deleted": deleted, "documents": len(index), "generation": index.snapshot.generation}


def record_of(record: Mapping[str, Any], place: int) -> Record:
    """Return what was sent as a document; `place` is its number among those sent, from 1."""
    origin = Origin("documents", place)

    def bad(error: BadRecord) -> None:
        raise BadRecord(error.problem, origin=origin, raw=error.raw)

    document = _of_parts(record, bad) if isinstance(record.get("fields"), Mapping) else as_document(record, bad)
    assert document is not None  # `bad` raises
    try:
        metadata = {key: _metadata(value) for key, value in document.metadata.items()}
    except ValueError as error:
        raise BadRecord(f"metadata that cannot be kept: {error}", origin=origin) from None
    return Document(document.id, document.fields, metadata, origin)


def _of_parts(record: Mapping[str, Any], bad: OnBad) -> Document:
    """Return a document whose fields and metadata are told apart."""
    unknown = [key for key in record if key not in ("id", "fields", "metadata")]
    metadata = record.get("metadata") or {}
    if unknown or not isinstance(metadata, Mapping):
        wrong = f"got {shown(unknown[0])} besides" if unknown else f"got {shown(metadata)} as metadata"
        bad(BadRecord(f"a document has an id, fields and metadata (keys with values), {wrong}"))
    identifier = record.get("id")
    return Document(
        str(identifier) if type(identifier) is int else identifier,  # type: ignore[arg-type]  # checked on the way in
        {key: text for key, text in record["fields"].items() if text is not None},
        {key: value for key, value in metadata.items() if value is not None},
    )


def _metadata(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a value that can be kept: one that is nested, as its JSON text, as where JSON lines are read."""
    if isinstance(value, SCALARS) or (isinstance(value, list) and all(isinstance(one, SCALARS) for one in value)):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
