"""The time of day, as it is stored and told."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the time now, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
