"""`python -m docsite`: build the site into `site/`, or another folder (`--into`), and show it (`--serve PORT`)."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from aboutness.core.errors import AboutnessError
from docsite.building import build
from docsite.repository import ROOT

LOOPBACK = "127.0.0.1"


def main() -> int:
    """Build the site, and serve it where that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m docsite", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "site", help="the folder, whose content is replaced")
    parser.add_argument("--serve", type=int, metavar="PORT", help="serve it on this machine, at a port")
    asked = parser.parse_args()
    start = time.perf_counter()
    try:
        pages = build(asked.into)
    except AboutnessError as error:
        print(f"docsite: {error}", file=sys.stderr)
        return 1
    print(f"{pages} pages in {asked.into} in {time.perf_counter() - start:.0f} s", file=sys.stderr)
    if asked.serve is not None:
        serve(asked.into, asked.serve)
    return 0


def serve(folder: Path, port: int) -> None:
    """Serve a folder on this machine until it is interrupted."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer((LOOPBACK, port), handler) as server:
        print(f"http://{LOOPBACK}:{server.server_port}/ (end it with Ctrl-C)", file=sys.stderr)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
