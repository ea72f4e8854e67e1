"""JSON of the form {query: {document: number}}: rankings and judgements as BEIR and ranx have them."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadInput, shown
from aboutness.corpus.files import BOM, opening, suffix, utf8, whole

if TYPE_CHECKING:
    from pathlib import Path

OBJECT = re.compile(rb'\{\s*("|\})')
SURROGATE = re.compile("[\ud800-\udfff]")
FORM = "{query: {document: number}}"


def is_by_query(path: str | Path) -> bool:
    """Tell whether a file is JSON, by its name or by how it begins."""
    return suffix(path) == ".json" or OBJECT.match(opening(path)) is not None


def read_by_query(path: str | Path) -> dict[str, dict[str, Any]]:
    """Read numbers by query and document, which may be anything yet; raise BadInput where they are not by these.

    Nothing may be there twice: which of the two were right?
    """
    content = whole(path, is_record=False).removeprefix(BOM)
    try:
        found = json.loads(utf8(content), object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON: {error.msg}, at column {error.colno}") from None
    except ValueError:  # as Python says it, one would have to change its settings
        most = sys.get_int_max_str_digits()
        raise BadInput(f"{path}: a number has more than {most:,} digits, which is no score and no grade") from None
    except RecursionError:
        raise BadInput(f"{path}: too deeply nested; {FORM} is needed") from None
    except _Twice as error:
        raise BadInput(f"{path}: {error} is there twice; keep one") from None
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path}: {FORM} is needed, got {shown(found)}")
    for query, of_query in found.items():
        if not isinstance(of_query, dict):
            raise BadInput(f"{path}: query {shown(query)}: {{document: number}} is needed, got {shown(of_query)}")
        for identifier in (query, *of_query):
            _check_id(identifier, query, path)
    return found


def _check_id(identifier: str, query: str, path: str | Path) -> None:
    if not identifier:
        raise BadInput(f"{path}: query {shown(query)}: the query or document id is empty")
    if not identifier.isascii() and SURROGATE.search(identifier):
        raise BadInput(f"{path}: query {shown(query)}: {shown(identifier)} holds half a character: it is no id")


class _Twice(Exception):
    """A key that is there twice."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _Twice(shown(key))
        made[key] = value
    return made
