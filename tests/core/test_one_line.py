from __future__ import annotations

import pytest

from aboutness.core.one_line import one_line


@pytest.mark.parametrize(
    ("text", "most", "line"),
    [
        ("a\n b\t\tc ", None, "a b c"),
        ("\x1b[31mred\x07", None, "\ufffd[31mred\ufffd"),
        ("caf\u00e9 \u6708", None, "caf\u00e9 \u6708"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde\u2026"),
        ("", 6, ""),
    ],
)
def test_a_text_becomes_a_line(text, most, line):
    assert one_line(text, most) == line
