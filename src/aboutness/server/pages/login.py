"""Where a browser gives its API key, where one is needed."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from aboutness.server.access import COOKIE, MOST_KEY
from aboutness.server.pages.rendering import page
from aboutness.server.site import SiteHere

router = APIRouter(include_in_schema=False)


def within(target: str) -> str:
    """Return where to go on this site; a target elsewhere is not followed.

    >>> within("/words?q=a"), within("https://elsewhere.example/"), within("//elsewhere.example")
    ('/words?q=a', '/', '/')
    """
    parts = urlsplit(target)
    plain = not parts.scheme and not parts.netloc and target.isprintable() and "\\" not in target
    return target if plain and target.startswith("/") and not target.startswith("//") else "/"


@router.get("/login")
async def ask_for_key(request: Request, to: str = "/") -> Response:
    """Show the form for the key."""
    return page(request, "login.html", title="API key", to=within(to), wrong=False)


@router.post("/login")
async def take_key(
    request: Request,
    site: SiteHere,
    key: Annotated[str, Form(max_length=MOST_KEY)],
    to: Annotated[str, Form()] = "/",
) -> Response:
    """Keep the key in the browser, if it is one."""
    if site.keys.scope(key.strip()) is None:
        return page(request, "login.html", title="API key", status=401, to=within(to), wrong=True)
    answer = RedirectResponse(within(to), 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, key.strip(), httponly=True, samesite="strict", secure=secure)
    return answer


@router.post("/logout")
async def forget_key() -> Response:
    """Have the browser forget the key."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer
