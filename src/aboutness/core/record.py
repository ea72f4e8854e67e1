"""The record that flows from readers to the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | Sequence[Scalar]


class Origin(NamedTuple):
    """Where a record was read: a file and, where it has them, the line (from 1) it starts on."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Document:
    """One document: a unique id, named text fields, and metadata to filter by.

    >>> Document("d1", {"title": "Albuquerque", "text": "A city in New Mexico."}, {"year": 1706}).id
    'd1'
    """

    id: str
    fields: Mapping[str, str]
    metadata: Mapping[str, Value] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """One question put to a collection; longer forms of a topic are kept under their names."""

    id: str
    text: str
    forms: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False, repr=False)
