"""Texts that are in no index, read as if they were documents of one: by its analyzers, statistics and vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from aboutness.app.build import Build, adding
from aboutness.core.errors import UsageError, shown
from aboutness.core.record import Document
from aboutness.index.borrowed import borrowing
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import DEFAULT_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterator


def passage_fields(name: object, passage: Any, lender: Snapshot) -> dict[str, str]:  # noqa: ANN401 - it is checked
    """Return the texts of all fields of the index that a passage has; a text alone is the usual field's.

    All fields are there, in the index's order, so that sums over them are the same.
    """
    known = lender.fields
    if not known:
        raise UsageError(f"{lender.folder} has no text fields yet; add documents first")
    texts = (
        {DEFAULT_FIELD if DEFAULT_FIELD in known else known[0]: passage} if isinstance(passage, str) else passage
    )
    if not isinstance(texts, Mapping) or not all(isinstance(text, str) for text in texts.values()):
        raise UsageError(f"the passage {shown(name)} must be a text or the texts of fields, got {shown(passage)}")
    for field_name in texts:
        if field_name not in known:
            raise UsageError(
                f"the passage {shown(name)} has the field {shown(field_name)}, which the index has not. "
                f"It has: {', '.join(known)}"
            )
    return {field_name: texts.get(field_name, "") for field_name in known}


@contextmanager
def passages_of(texts: Sequence[Mapping[str, str]], lender: Snapshot) -> Iterator[Snapshot]:
    """Yield texts by field as documents, numbered in their order, with what the lender knows of its own."""
    with TemporaryDirectory(prefix="aboutness-") as folder:
        target = Path(folder) / "passages.index"
        analyzers = {layer: lender.analyzer(layer) for layer in lender.manifest.layers}
        documents = [Document(f"{number}", fields) for number, fields in enumerate(texts)]
        Build(analyzers, lender.manifest.fields, adding(documents)).in_memory(target)
        yield borrowing(Snapshot.open(target), lender)
