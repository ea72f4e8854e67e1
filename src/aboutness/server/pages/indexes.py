"""Index: what an index holds, how it is, and the jobs that work on it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from aboutness.app.documents import listed
from aboutness.app.index import Index
from aboutness.app.inventory import health, inventory, vocabulary
from aboutness.app.training import trainers
from aboutness.core.errors import NotFound
from aboutness.server.access import COOKIE, SCOPES
from aboutness.server.api.documents import MOST_ADDED
from aboutness.server.pages.rendering import page
from aboutness.server.problems import without_paths
from aboutness.server.site import Site, SiteHere

router = APIRouter(include_in_schema=False)

AT_ONCE = 10  # documents that are shown
TERMS = 24  # of a layer
LONGEST_HEADING = 120
LONGEST_TERM = 100  # characters, of a term that can be searched for from here; more of one is nobody's word
MOST_FIELDS = 8  # in the form for a new document


def _gathered(index: Index, name: str, offset: int) -> dict[str, Any]:
    """Return all that is told of an index."""
    return {
        "facts": inventory(index, name),
        "layers": vocabulary(index, TERMS),
        "health": _health(index, name),
        "documents": (documents := listed(index, offset, AT_ONCE)),
        "headings": [_heading(one["fields"]) for one in documents["documents"]],
        "trainers": trainers(),
    }


def _health(index: Index, name: str) -> dict[str, Any]:
    """Return how an index is; where its folder is gone, what is held still answers."""
    try:
        return health(index, name)
    except (NotFound, FileNotFoundError):
        gone = f"The folder of {name} is gone; the server answers from what it holds until it ends."
        return {"ok": False, "problems": [gone], "files": 0, "bytes": 0, "unnamed": 0, "changed": None}


@router.get("/indexes")
async def show(request: Request, site: SiteHere, index: str | None = None, offset: str = "0") -> Response:
    """Show the page."""
    name = site.held.name(index)
    held = site.held.one(name)
    start = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else 0
    told = await site.work(_gathered, held, name, start)
    scope = site.keys.scope(request.cookies.get(COOKIE)) or 0
    changes = not held.in_memory
    trouble = site.held.trouble(name)
    return page(
        request,
        "indexes.html",
        title="Index",
        index=name,
        **told,
        held=_rows(site),
        known=[one["name"] for one in told["trainers"]],
        jobs=[job.to_json() for job in site.jobs.all()],
        may_write=changes and scope >= SCOPES.index("write"),
        may_train=changes and scope >= SCOPES.index("admin"),
        why_not=_why_not(site, held),
        trouble=without_paths(trouble, site) if trouble else None,
        incomplete=held.incomplete,
        form_fields=[one["name"] for one in told["facts"]["fields"]][:MOST_FIELDS] or ["text"],
        at_once=AT_ONCE,
        longest_term=LONGEST_TERM,
        most_added=MOST_ADDED,
        most_bytes=site.settings.limits.body,
        again={one["name"]: again for one in told["facts"]["artefacts"] if (again := _again(one))},
    )


def _heading(fields: dict[str, str]) -> str:
    """Return the title of a document, or the beginning of its text."""
    text = fields.get("title") or next((text for text in fields.values() if text.strip()), "")
    begun = " ".join(text[: 4 * LONGEST_HEADING].split())
    return begun if len(begun) <= LONGEST_HEADING else f"{begun[:LONGEST_HEADING].rstrip()}…"


def _rows(site: Site) -> list[dict[str, Any]]:
    return [
        {"name": name, "documents": len(index), "generation": index.snapshot.generation}
        for name, index in site.held
    ]


def _why_not(site: Site, index: Index) -> str:
    """Return why the index cannot be changed from here."""
    if index.in_memory:
        return "This index is in memory only: it is gone when the server ends, and is not changed."
    if site.settings.read_only:
        return "This server only reads (it was started with --read-only)."
    return "Your API key may read, but not change anything."


def _again(artefact: dict[str, Any]) -> dict[str, Any] | None:
    """Return what has to be asked for to train something again as it was, if it was trained here."""
    made = artefact["parameters"]
    if "training" not in made or artefact["added_since"] is None:
        return None
    return {
        "kind": made["training"],
        "name": artefact["name"],
        "parameters": made.get("parameters", {}),
        "layer": made.get("layer"),
        "fields": made.get("weights") or made.get("fields"),
        "restart": True,
    }
