"""Is what a command printed what a page shows? Times, dates, versions and folders may be others."""

from __future__ import annotations

import difflib
import re

ANYTHING = "..."
NUMBER = re.compile(r"-?\d+\.\d+")
CHANGING = (
    (re.compile(r"\b\d[\d,]*(\.\d+)? (ms|s|min)\b"), "<time>"),
    (re.compile(r'"(took_ms|seconds)": ?\d+(\.\d+)?'), r'"\1": <time>'),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?"), "<date>"),
    (re.compile(r"\baboutness \d+\.\d+(\.\d+)?\w*"), "aboutness <version>"),
    (re.compile(r'"version": ?"[\d.]+"'), '"version": <version>'),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r" +$", re.MULTILINE), ""),
)
SLACK = 0.005  # of a number that is about the same: other processors round sums in other ways


def settled(text: str) -> str:
    """Return a text with what changes from run to run made alike.

    >>> settled("3 hits in 0.4 ms\\nmade 2026-01-01T10:00:00+00:00")
    '3 hits in <time>\\nmade <date>'
    """
    for changing, alike in CHANGING:
        text = changing.sub(alike, text)
    return text.strip()


def is_as_shown(shown: str, printed: str, *, about: bool = False) -> bool:
    """Tell whether something printed is what is shown; with `about`, numbers with a point may differ a little."""
    shown, printed = settled(shown), settled(printed)
    pattern = _pattern(shown, about=about)
    found = re.fullmatch(pattern, printed, re.DOTALL)
    if found is None or not about:
        return found is not None
    wanted = [float(one) for one in NUMBER.findall(shown)]
    return all(_near(one, float(other)) for one, other in zip(wanted, found.groups(), strict=True))


def _pattern(shown: str, *, about: bool) -> str:
    pieces = [_literal(piece, about=about) for piece in shown.split(ANYTHING)]
    return ".*?".join(pieces)


def _literal(piece: str, *, about: bool) -> str:
    if not about:
        return re.escape(piece)
    return r"(-?\d+\.\d+)".join(re.escape(part) for part in NUMBER.split(piece))


def _near(wanted: float, found: float) -> bool:
    return abs(wanted - found) <= max(SLACK, SLACK * abs(wanted))


def difference(shown: str, printed: str) -> str:
    """Return in which lines what is shown and what was printed differ."""
    lines = difflib.unified_diff(
        settled(shown).split("\n"), settled(printed).split("\n"), "the page", "printed", lineterm=""
    )
    return "\n".join(lines)
