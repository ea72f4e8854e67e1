from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.report.numbers import MINUS, signed, told_p


def test_differences():
    assert [signed(value) for value in (0.0, -0.0, 0.0004, -0.0004, 1.5, -12.25)] == [
        ".000", ".000", "+.0004", f"{MINUS}.0004", "+1.500", f"{MINUS}12.250",
    ]  # fmt: skip
    assert signed(0.98765, 2) == "+.99"
    assert [signed(value) for value in (math.inf, -math.inf, math.nan)] == ["+∞", f"{MINUS}∞", "\u2013"]


@given(st.floats(-1, 1), st.integers(2, 4))
def test_a_difference_shows_on_which_side_of_0_it_is(value, digits):
    told = signed(value, digits).replace(MINUS, "-")
    assert float(told) == pytest.approx(value, abs=0.5 * 10**-digits + 1e-12)
    assert math.copysign(1, float(told)) == math.copysign(1, value) or abs(value) < 1e-6
    assert (float(told) == 0) == (abs(value) < 1e-6)


@given(st.floats(0, 1))
def test_p_is_never_rounded_over_the_level(value):
    told = told_p(value)
    if told == "<.001":
        assert value < 0.001
    else:
        assert (float(told) < 0.05) == (value < 0.05)
        assert abs(float(told) - value) <= 0.005 + 1e-12


def test_p():
    assert [told_p(value) for value in (0.0, 0.001, 0.0499999, 0.05, 0.996, math.nan)] == [
        "<.001", ".001", ".0499999", ".050", "1", "\u2013",
    ]  # fmt: skip
    assert [told_p(value, 0.025) for value in (0.0249, 0.0251, 0.0496)] == [".0249", ".025", ".050"]
