"""Files of the repository that pages link to, as pages: their text, or what a folder holds."""

from __future__ import annotations

import ast
from pathlib import Path

from docsite.markdown import code, page, prose, table
from docsite.page import Page

FOLDER = "source"
LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh", ".js": "js", ".css": "css", ".c": "c"}
FENCE = "````"


def source_page(root: Path, path: str) -> Page:
    """Return the page of a file or a folder."""
    target = root / path
    heading, name = f"# {code(path)}", f"{FOLDER}/{path.lower()}.md"
    if target.is_dir():
        every = sorted(one for one in target.iterdir() if not one.name.startswith((".", "__")))
        return Page(
            name,
            path,
            page(heading, table(["file", "what it is"], ([code(one.name), _about(one)] for one in every))),
        )
    text = target.read_text("utf-8").rstrip("\n")
    language = LANGUAGES.get(target.suffix, "text")
    return Page(name, path, page(heading, f"{FENCE}{language}\n{text}\n{FENCE}"))


def _about(path: Path) -> str:
    """Return the first line of what a module says of itself."""
    module = path / "__init__.py" if path.is_dir() else path
    if module.suffix != ".py" or not module.is_file():
        return ""
    told = ast.get_docstring(ast.parse(module.read_bytes())) or ""
    return prose(told.partition("\n")[0])
