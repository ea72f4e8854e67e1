from __future__ import annotations

import re

import numpy as np
import pytest

from aboutness.kernels import tokenize as kernel
from aboutness.text import classes
from aboutness.text.classes import ALONE, BETWEEN, SOLO, WIDE, WORD, ascii_map, code_point_classes

PATTERNS = [(r"\w", ""), (r"\w", r"[^\w\s]"), (r"\S", r"[^\w\s]"), ("[a-zß]", "[.]"), (r"[^\W\d_]|'", "")]


def test_the_kernel_has_the_same_numbers():
    for name in ("WORD", "SOLO", "BETWEEN", "ALONE", "WIDE"):
        assert getattr(classes, name) == getattr(kernel, name)
    assert kernel.GAP == 0


@pytest.mark.parametrize(("token", "solo"), PATTERNS)
def test_every_code_point_is_what_the_expression_says(token, solo):
    is_token, is_solo = re.compile(token).fullmatch, re.compile(solo).fullmatch
    expected = bytearray(0x110000)
    for point in range(0x110000):
        character = chr(point)
        if solo and is_solo(character):
            expected[point] = SOLO
        elif is_token(character):
            expected[point] = WORD
    np.testing.assert_array_equal(code_point_classes(token, solo), np.frombuffer(expected, np.uint8))


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize(("token", "solo"), PATTERNS)
def test_every_byte_is_what_the_expression_says(token, solo, lowercase):
    table = ascii_map(token, solo, lowercase=lowercase).tolist()
    for code in range(128):
        character = chr(code).lower() if lowercase else chr(code)
        if solo and re.fullmatch(solo, character):
            assert table[code] == ALONE
        elif re.fullmatch(token, character):
            assert table[code] == ord(character)
        else:
            assert table[code] == BETWEEN
    assert table[128:] == [WIDE] * 128


def test_tables_are_shared_and_cannot_be_changed():
    assert code_point_classes(r"\w", "") is code_point_classes(r"\w", "")
    for table in (code_point_classes(r"\w", ""), ascii_map(r"\w", "", lowercase=True)):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1
