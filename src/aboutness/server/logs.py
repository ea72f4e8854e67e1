"""What the server writes to its log: troubles, and a line for each request where asked.

What people look for is not in it, unless that is asked for, too.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from aboutness.server.settings import Settings

log = logging.getLogger(__name__)

LEVELS = {"aboutness": logging.WARNING, "uvicorn": logging.ERROR, "asyncio": logging.ERROR}  # by whose it is
FACTS = "facts"  # what a record has beside its message


class AsText(logging.Formatter):
    """Writes each record as text; what errors say, which may hold a query, only where it may be `told`."""

    def __init__(self, *, told: bool) -> None:
        super().__init__("%(levelname)s %(message)s")
        self._told = told

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - as it is named there
        """Return where an error came from."""
        return trace(ei[1], told=self._told)


class AsJson(AsText):
    """Writes each record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
        }
        facts = getattr(record, FACTS, None)
        line |= {"message": record.getMessage()} if facts is None else facts
        if record.exc_info and record.exc_info[1]:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_request(**facts: object) -> None:
    """Write the line of a request."""
    log.info("request", extra={FACTS: facts})


def trace(error: BaseException, *, told: bool) -> str:
    """Return where an error came from, and what it says where that may be told."""
    if told:
        return "".join(traceback.format_exception(error))
    said = f": {error.strerror}" if isinstance(error, OSError) else ""
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    return "".join([*traceback.format_tb(error.__traceback__), kind, said])


@contextmanager
def logging_to_stderr(settings: Settings) -> Iterator[None]:
    """Write troubles to standard error while the block runs, and requests where asked."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter((AsJson if settings.log_json else AsText)(told=settings.log_queries))
    before = {name: logging.getLogger(name).level for name in (*LEVELS, log.name)}
    for name, level in LEVELS.items():
        logging.getLogger(name).setLevel(level)
        logging.getLogger(name).addHandler(handler)
    log.setLevel(logging.INFO if settings.log_json else logging.WARNING)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
            logging.getLogger(name).removeHandler(handler)
