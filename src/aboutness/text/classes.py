"""What each character is to a tokeniser, asked of the regular expression itself.

The compiled tokeniser reads these tables instead of running the expression. They are made by running it once
over every code point, so they are right for the Unicode version of the Python at hand, whichever it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

CODE_POINTS = 0x110000
FIRST_PLANE = 0x10000  # nearly all text needs no more, and its table is made in no time
WORD, SOLO = 1, 2  # as in aboutness.kernels.tokenize; 0 is a gap
BETWEEN, ALONE, WIDE = 253, 254, 255


@lru_cache(maxsize=8)
def code_point_classes(token: str, solo: str, count: int = CODE_POINTS) -> NDArray[np.uint8]:
    """Return the class of each of the first `count` code points, for the patterns of a token and a solo one."""
    everything = np.arange(count, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.zeros(count, np.uint8)
    for pattern, kind in ((token, WORD), (solo, SOLO)):
        if pattern:
            for run in re.finditer(f"(?:{pattern})+", everything):
                classes[run.start() : run.end()] = kind
    classes.flags.writeable = False
    return classes


@lru_cache(maxsize=16)
def ascii_map(token: str, solo: str, *, lowercase: bool) -> NDArray[np.uint8]:
    """Return for each byte: the byte to keep, BETWEEN for a gap, ALONE, or WIDE for what is not ASCII."""
    table = np.full(256, WIDE, np.uint8)
    for code in range(128):
        character = chr(code).lower() if lowercase else chr(code)
        if solo and re.fullmatch(solo, character):
            table[code] = ALONE
        elif re.fullmatch(token, character):
            table[code] = ord(character)
        else:
            table[code] = BETWEEN
    table.flags.writeable = False
    return table
