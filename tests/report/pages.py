"""Pages taken apart, and opened in a real browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta", "link", "input"}
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


class Page(HTMLParser):
    """A page taken apart: every element with its attributes and all text in it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open[-1][:2]}"

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes)
        element = (tag, {name: value or "" for name, value in attributes}, [])
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, {name: value or "" for name, value in attributes}, []))

    def handle_data(self, data):
        for _, _, inside in self.open:
            inside.append(data)

    def all(self, tag: str, **wanted: str) -> list[tuple[dict[str, str], str]]:
        return [
            (attributes, "".join(inside))
            for name, attributes, inside in self.elements
            if name == tag and all(attributes.get(key.strip("_")) == value for key, value in wanted.items())
        ]

    def texts(self, tag: str, **wanted: str) -> list[str]:
        return [text for _, text in self.all(tag, **wanted)]

    @property
    def data(self) -> Any:
        return json.loads(self.texts("script", id="data")[0])


def opened(page: Path, profile: Path, *options: str) -> str:
    """Return what a browser makes of a page, as HTML."""
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
        "--virtual-time-budget=10000", *options, "--dump-dom", f"file://{page}",
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
