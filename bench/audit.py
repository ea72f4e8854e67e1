"""Can the list of known vulnerabilities be asked? `make audit` goes on only where it can.

pip-audit asks PyPI about each locked package. Where that cannot be reached (no network, or a mirror without it)
this says so within seconds and ends with 1, and the audit is left out.
"""

from __future__ import annotations

import json
import sys
import urllib.request

OLD = "jinja2/3.1.2/json"  # of which several vulnerabilities are known
PATIENCE_S = 5.0


def asked() -> str:
    """Return where to ask about an old version of a package: where pip-audit asks, which is as pip knows it."""
    try:
        from pip._internal.models.index import PyPI
    except ImportError:
        return ""
    return f"{PyPI.pypi_url}/{OLD}"


def can_be_asked(address: str | None = None, patience: float = PATIENCE_S) -> bool:
    """Tell whether there is an answer, and whether it speaks of vulnerabilities."""
    address = asked() if address is None else address
    try:
        with urllib.request.urlopen(address, timeout=patience) as answer:
            return bool(json.loads(answer.read(1 << 22)).get("vulnerabilities"))
    except (OSError, ValueError, AttributeError):
        return False


if __name__ == "__main__":
    if not can_be_asked():
        print("audit: left out, for the known vulnerabilities cannot be asked for here")
        sys.exit(1)
