"""Ways to harm the bytes of a file: flips, cuts, repetitions, and pieces that readers may stumble over."""

from __future__ import annotations

import random
import struct

from hypothesis import strategies as st

TOKENS = [
    *(
        b"\0",
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b'"',
        b"'",
        b'"""',
        b",",
        b"\\",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
    ),
    *(b"\xff\xfe", b"\\ud800", b"\\u0000", b"\xc2\x85", b"\xe2\x80\xa8", "\U0010ffff".encode(), b"\x1f\x8b\x08\0"),
    *(
        b"<",
        b">",
        b"</",
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"&#x110000;",
        b"&#" + b"9" * 5000 + b";",
        b"&lt;",
        b"<a b='",
    ),
    *(
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
        b"<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;",
        b"&a;",
        b"<DOC>",
        b"</DOC>",
    ),
    *(
        b"[" * 2000,
        b"{" * 500,
        b'{"a":' * 1200,
        b"(" * 2000,
        b"<a>" * 2000,
        b"[[a]]",
        b"a.a." * 50,
        b"NaN",
        b"-Infinity",
    ),
    *(
        b"1e999",
        b"-1",
        b"0",
        b"1_0",
        b"9" * 25,
        b"9" * 5000,
        b"null",
        b"true",
        b"[]",
        b"{}",
        b'"id"',
        b"1979-05-27",
    ),
    *(b"../../../../etc/passwd", b"/etc/passwd", b"%2e%2e%2f", b"\x80\x04", b"cos\nsystem\n(S'true'\ntR."),
    *(struct.pack("<q", value) for value in (-1, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63))),
    *(struct.pack("<i", value) for value in (-1, 0, 1, (1 << 31) - 1, -(1 << 31))),
    *(struct.pack("<f", value) for value in (float("nan"), float("inf"), 1e-45, 3.4e38)),
]
KINDS = ("flip", "cut", "remove", "repeat", "insert", "replace", "swap")

Edit = tuple[str, float, int, int]
"""A kind, a place as a share of the file, a length, and the number of a token."""

edits = st.lists(
    st.tuples(st.sampled_from(KINDS), st.floats(0, 1), st.integers(1, 64), st.integers(0, len(TOKENS) - 1)),
    min_size=1,
    max_size=4,
)


def drawn(chance: random.Random) -> list[Edit]:
    """Return edits as hypothesis would draw them."""
    return [
        (chance.choice(KINDS), chance.random(), chance.randrange(1, 65), chance.randrange(len(TOKENS)))
        for _ in range(chance.randrange(1, 5))
    ]


def edited(content: bytes, made: list[Edit]) -> bytes:
    for kind, share, length, number in made:
        at = int(share * len(content))
        end = at + length
        if kind == "flip":
            piece = bytes(byte ^ (1 << number % 8) for byte in content[at : at + 1])
            content = content[:at] + piece + content[at + 1 :]
        elif kind == "cut":
            content = content[:at]
        elif kind == "remove":
            content = content[:at] + content[end:]
        elif kind == "repeat":
            content = content[:end] + content[at:end] * (number + 1) + content[end:]
        elif kind == "insert":
            content = content[:at] + TOKENS[number] + content[at:]
        elif kind == "replace":
            content = content[:at] + TOKENS[number] + content[at + len(TOKENS[number]) :]
        else:
            content = content[:at] + content[end : end + length] + content[at:end] + content[end + length :]
    return content
