"""`python -m server.limited FOLDER JSON`: a server with limits that can be reached in a test."""

from __future__ import annotations

import json
import sys
import time

from aboutness.app.index import Index
from aboutness.server.api import search
from aboutness.server.serving import serve
from aboutness.server.settings import Limits, Settings


def slowed(seconds):
    """Have searches that are not of the usual kind take a while, so that it is known how many there can be."""
    real = search.searched

    def searched(index, asked):
        if not asked.small:
            time.sleep(seconds)
        return real(index, asked)

    search.searched = searched


def broken(*names):
    """Have functions fail, with what they were given in the message."""
    from importlib import import_module

    def fail(*args, **kwargs):
        message = f"CANARY-FAULT in /canary/folder/file with {args} {kwargs}"
        raise ValueError(message)

    for name in names:
        module, _, function = name.rpartition(".")
        setattr(import_module(module), function, fail)


def told(address):
    sys.stdout.write(f"Serving at {address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    given = json.loads(sys.argv[2])
    if given.get("plain"):  # Python's own loop, also where a faster one is installed
        sys.modules["uvloop"] = None
    slowed(given.get("slow", 0))
    broken(*given.get("broken", []))
    settings = Settings(limits=Limits(**given.get("limits", {})), **given.get("settings", {}))
    serve({"sky": Index.open(sys.argv[1])}, settings, 0, told)
