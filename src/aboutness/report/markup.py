"""What the pages share: texts as HTML, files of this folder, and numbers as people read them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import escape
from importlib.resources import files
from typing import Any

NO_CHARACTERS = "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
UNWANTED = re.compile(f"[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{NO_CHARACTERS}]")  # in HTML


def as_text(text: str) -> str:
    """Return a text as HTML, without what may not stand there."""
    return escape(without_unwanted(text))


def without_unwanted(text: str) -> str:
    """Return a text with what no page may hold replaced."""
    return UNWANTED.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def as_data(plain: Any) -> str:  # noqa: ANN401 - plain values
    """Return plain values as JSON that can stand within a page."""
    return json.dumps(plain, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def asset(name: str) -> str:
    """Return the content of a file beside this one."""
    return files(__package__).joinpath(name).read_text("utf-8")


def allowed(content: str) -> str:
    """Return what a Content-Security-Policy names a script or a style by: its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
