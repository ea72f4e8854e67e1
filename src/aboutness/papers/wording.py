"""What all papers say in the same words: verdicts, and how many claims hold."""

from __future__ import annotations

from collections.abc import Sequence

from aboutness.core.counted import counted
from aboutness.report.study import Claim, Verdict


def verdict(*, holds: bool | None) -> Verdict:
    """Return what becomes of a claim; None: it cannot be tested."""
    return Verdict.UNTESTED if holds is None else Verdict.HOLDS if holds else Verdict.FAILS


def tally(claims: Sequence[Claim]) -> str:
    """Return in a sentence how many claims hold."""
    counts = {one: sum(claim.verdict is one for claim in claims) for one in Verdict}
    told = f"{counts[Verdict.HOLDS]} hold here, {counts[Verdict.FAILS]} do not"
    told += f", and {counts[Verdict.UNTESTED]} cannot be tested" if counts[Verdict.UNTESTED] else ""
    return f"Of {counted(len(claims), 'claim')} {told}."
