"""What of the repository is on the site: which file becomes which page."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS, RESULTS = "docs", "bench/results"
FIRST = "index.md"
AT_THE_TOP = {
    "README.md": "readme.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
TITLES = {"README.md": "Readme"}  # in the navigation, where that is not the page's heading
FOLDERS = {RESULTS: "benchmarks/index.md"}  # that have a page, but no file for it


def written_by_hand(root: Path = ROOT) -> dict[str, str]:
    """Return the pages of the repository: the path in the site by that in the repository.

    The first page is docs/index.md; where there is none, it is the README.
    """
    found = {name: target for name, target in AT_THE_TOP.items() if (root / name).is_file()}
    for folder, target in ((DOCS, ""), (RESULTS, "benchmarks/")):
        for path in sorted((root / folder).rglob("*.md")):
            found[path.relative_to(root).as_posix()] = target + path.relative_to(root / folder).as_posix()
    if f"{DOCS}/{FIRST}" not in found:
        found["README.md"] = FIRST
    return found


def pictures(root: Path = ROOT) -> dict[str, str]:
    """Return the files beside the pages that are none, such as pictures, in the same way."""
    every = (path for path in sorted((root / DOCS).rglob("*")) if path.is_file() and path.suffix != ".md")
    return {path.relative_to(root).as_posix(): path.relative_to(root / DOCS).as_posix() for path in every}
