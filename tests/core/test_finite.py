from __future__ import annotations

import math

import pytest

from aboutness.core.finite import finite


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_json_holds_no_such_number(value):
    assert finite(value) is None


@pytest.mark.parametrize("value", [0.0, -1.5, 1e308, 3, True, None, "nan", [1.0]])
def test_anything_else_is_as_it_was(value):
    assert finite(value) is value
