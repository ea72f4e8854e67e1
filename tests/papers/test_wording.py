from __future__ import annotations

from aboutness.papers.wording import tally, verdict
from aboutness.report.study import Verdict
from papers.drawn import study


def test_verdicts() -> None:
    assert [verdict(holds=one) for one in (True, False, None)] == list(Verdict)


def test_claims_are_counted_in_a_sentence() -> None:
    claims = study().claims
    assert tally(claims) == "Of 3 claims 1 hold here, 1 do not, and 1 cannot be tested."
    assert tally(claims[:2]) == "Of 2 claims 1 hold here, 1 do not."
