"""The scripts and styles of the pages: read once, at addresses that change when any of them does."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException, Response

KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

router = APIRouter(include_in_schema=False)


@cache
def static_files() -> dict[str, bytes]:
    """Return all files by name."""
    folder = files("aboutness.server").joinpath("static")
    return {file.name: file.read_bytes() for file in folder.iterdir() if _kind(file.name)}


@cache
def version() -> str:
    """Return a word that stands for the contents of all files."""
    hashed = hashlib.sha256()
    for name, content in sorted(static_files().items()):
        hashed.update(name.encode() + b"\0" + content + b"\0")
    return hashed.hexdigest()[:12]


def address(name: str) -> str:
    """Return where a page finds a file."""
    if name not in static_files():
        raise LookupError(f"there is no static file {name!r}")
    return f"/static/{version()}/{name}"


def _kind(name: str) -> str | None:
    return next((kind for suffix, kind in KINDS.items() if name.endswith(suffix)), None)


@router.get("/static/{of}/{name}")
async def static_file(of: str, name: str) -> Response:
    """Return a file; browsers may keep it for as long as its address is asked for."""
    if of != version() or name not in static_files():
        raise HTTPException(404)
    keep = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_files()[name], media_type=_kind(name), headers=keep)
