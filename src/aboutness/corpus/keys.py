"""Which keys of a record (or columns of a table) hold its id and its text.

- id: the first there is of `_id`, `id`, `docno`, `docid`; or the key named by the caller.
- text: those there are of `title`, `abstract`, `text`, `body`, `contents`, in this order; or the keys named by
  the caller, those that are there.
- Every other key is metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

ID_KEYS = ("_id", "id", "docno", "docid")
TEXT_KEYS = ("title", "abstract", "text", "body", "contents")


class Keys(NamedTuple):
    """The keys that the caller names; None stands for the usual ones."""

    id_key: str | None = None
    fields: Sequence[str] | None = None


class Roles(NamedTuple):
    """What each key of a record is."""

    id_key: str
    text: tuple[str, ...]
    metadata: tuple[str, ...]


def roles(names: Sequence[str], keys: Keys) -> Roles:
    """Tell id, text and metadata apart among `names`, or raise BadInput that says what is missing."""
    wanted: Sequence[str] = ID_KEYS if keys.id_key is None else (keys.id_key,)
    id_key = next((name for name in wanted if name in names), None)
    if id_key is None:
        raise BadInput(
            f"no id: none of {_listed(wanted)} among {_listed(names)}; name it with --id-key (id_key= in Python)"
        )
    wanted = TEXT_KEYS if keys.fields is None else keys.fields
    text = tuple(name for name in wanted if name in names)
    if not text:
        raise BadInput(
            f"no text: none of {_listed(wanted)} among {_listed(names)}; name it with --field (fields= in Python)"
        )
    return Roles(id_key, text, tuple(name for name in names if name != id_key and name not in text))


def _listed(names: Sequence[str]) -> str:
    some = ", ".join(shown(name) for name in names[:12])
    return f"{some}, … ({len(names)})" if len(names) > 12 else some or "(nothing)"
