"""A page of which everything is noted that may not happen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

VIOLATED = "addEventListener('securitypolicyviolation', e => console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI))"


@dataclass
class Watched:
    """A page, and what went wrong in it."""

    page: Any
    noted: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def complaints(self) -> list[str]:
        """Return what went wrong, but for what the test said may."""
        return [one for one in self.noted if not any(part in one for part in self.allowed)]


def watched(context: Any, own: str) -> Watched:
    """Return a new page that notes errors, what its policy blocked, and requests to other hosts than its own.

    A test that provokes an error answer says so: `page.allowed.append("status of 404")`.
    """
    page = context.new_page()
    watch = Watched(page)
    page.allowed = watch.allowed
    page.add_init_script(VIOLATED)

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            watch.noted.append(f"console {message.type}: {message.text}")

    def request(asked: Any) -> None:
        parts = urlsplit(asked.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != own:
            watch.noted.append(f"a request to {parts.netloc}")

    page.on("console", console)
    page.on("pageerror", lambda error: watch.noted.append(f"error: {error}"))
    context.on("request", request)
    return watch
