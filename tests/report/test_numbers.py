from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from aboutness.report.numbers import MINUS, signed, told_p


def test_differences():
    assert [signed(value) for value in (0.0, -0.0, 0.0004, -0.0004, 1.5, -12.25)] == [
        ".000", ".000", ".000", ".000", "+1.500", f"{MINUS}12.250",
    ]  # fmt: skip
    assert signed(0.98765, 2) == "+.99"
    assert [signed(value) for value in (math.inf, -math.inf, math.nan)] == ["+∞", f"{MINUS}∞", "\u2013"]


@given(st.floats(0, 1))
def test_p_is_never_rounded_over_the_level(value):
    told = told_p(value)
    if told == "<.001":
        assert value < 0.001
    else:
        assert (float(told) < 0.05) == (value < 0.05)
        assert abs(float(told) - value) <= 0.005


def test_p():
    assert [told_p(value) for value in (0.0, 0.001, 0.0499999, 0.05, 0.996, math.nan)] == [
        "<.001", ".001", ".0500", ".050", "1", "\u2013",
    ]  # fmt: skip
