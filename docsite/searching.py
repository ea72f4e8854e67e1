"""What the search of the site needs: every part of every page, in a script, so that it works without a server."""

from __future__ import annotations

import json
from pathlib import Path

from docsite.built import read_page
from docsite.source_pages import FOLDER as SOURCES

SCRIPT = "assets/search-index.js"
LEFT_OUT = (f"{SOURCES}/", "licences.html")


def write_search(site: Path) -> None:
    """Write the script that holds what can be found: address, page, heading and text of each part."""
    parts = []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if name.startswith(LEFT_OUT):
            continue
        found = read_page(path).parts
        title = found[0].heading.strip() if found else name
        for number, part in enumerate(found):
            address = name if number == 0 or not part.anchor else f"{name}#{part.anchor}"
            parts.append([address, title, part.heading.strip() if number else "", " ".join(part.text.split())])
    (site / SCRIPT).parent.mkdir(exist_ok=True)
    told = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    (site / SCRIPT).write_text(f"window.searchIndex={told};\n", "utf-8")
