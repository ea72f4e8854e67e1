"""The licences of all locked packages, as these state them: `python -m bench.licences` writes docs/licences.md.

What is known of a package that is not installed here is what the page said before about the same version, or any.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
USES = {"run": "to run", "extras": "optional", "dev": "tests and checks", "bench": "measuring", "audit": "audit"}
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
CLASSIFIER = "License :: OSI Approved :: "
UNKNOWN = "not known"
LONGEST = 60  # characters of a licence's name; more is the licence itself
HEAD = """# Licences of what is used

Written by `make licences` from what packages state about themselves. aboutness is under Apache-2.0 and contains
none of their code; installing it installs those that are there "to run".

| package | version | licence | used |
|---|---|---|---|
"""


def locked() -> dict[str, tuple[str, str]]:
    """Return the version of each locked package, and what it is used for first."""
    found: dict[str, tuple[str, str]] = {}
    for name, use in USES.items():
        for package, version in LOCKED.findall((ROOT / "requirements" / f"{name}.txt").read_text("utf-8")):
            found.setdefault(package, (version, use))
    return dict(sorted(found.items()))


def licence(package: str) -> str | None:
    """Return the licence that an installed package states: None where it is not installed."""
    try:
        said = metadata(package)
    except PackageNotFoundError:
        return None
    classified = sorted(
        one.removeprefix(CLASSIFIER) for one in said.get_all("Classifier", []) if CLASSIFIER in one
    )
    free = " ".join((said.get("License") or "").split())
    stated = said.get("License-Expression") or (free if 0 < len(free) <= LONGEST else "") or ", ".join(classified)
    return (stated or _title(package) or UNKNOWN).replace("|", "/")


def _title(package: str) -> str:
    """Return the first line of the licence that comes with a package, which mostly is its name."""
    for file in files(package) or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE")):
            first = file.read_text("utf-8").strip().partition("\n")[0].strip()
            return first if len(first) <= LONGEST else ""
    return ""


def listed(page: str) -> dict[str, tuple[str, str, str]]:
    """Return version, licence and use of each package on a page."""
    rows = {name: (version, stated, use) for name, version, stated, use in ROW.findall(page)}
    rows.pop("package", None)
    return rows


def written() -> str:
    """Return the page as it should be."""
    before = listed(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    lines = []
    for name, (version, use) in locked().items():
        stated = licence(name) or before.get(name, ("", UNKNOWN, ""))[1]
        lines.append(f"| {name} | {version} | {stated} | {use} |\n")
    return HEAD + "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
