"""The first page."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

router = APIRouter(include_in_schema=False)


@router.get("/")
async def home() -> Response:
    """Go to the search."""
    return RedirectResponse("/search", 307)
