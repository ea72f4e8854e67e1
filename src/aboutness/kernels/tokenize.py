"""Text to token numbers, in one pass over UTF-8 bytes.

What a byte or code point is comes from tables made from the analyzer's own regular expression
(`aboutness.text.classes`), so that the tokens are exactly those of the expression on every Unicode string.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.strings import BYTE, FREE, HIGH, LOW, ONE, Bytes, Ends, Slots, absorb, find

GAP, WORD, SOLO = 0, 1, 2  # classes of code points: between tokens, part of one, a token by itself
# In the table of bytes: an ASCII byte that is a GAP or SOLO, the start of a longer code point.
BETWEEN, ALONE, WIDE = 253, 254, 255


@compiled
def width_of(lead: int) -> int:
    """Return how many bytes the code point that starts with the byte `lead` >= 0x80 has."""
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@compiled
def class_at(text: Bytes, at: np.uint64, width: int, classes: NDArray[np.uint8]) -> np.uint8:
    """Return the class of the code point of 2 to 4 bytes at `at`."""
    point = np.int64(text[at])
    second = np.int64(text[at + ONE] & 0x3F)
    if width == 2:
        return np.uint8(classes[(point & 0x1F) << 6 | second])
    third = np.int64(text[at + np.uint64(2)] & 0x3F)
    if width == 3:
        return np.uint8(classes[(point & 0x0F) << 12 | second << 6 | third])
    fourth = np.int64(text[at + np.uint64(3)] & 0x3F)
    return np.uint8(classes[(point & 0x07) << 18 | second << 12 | third << 6 | fourth])


@compiled
def tokenize(
    text: Bytes,
    cells: Ends,
    classes: NDArray[np.uint8],
    ascii_map: NDArray[np.uint8],
    shortest: int,
    data: Bytes,
    ends: Ends,
    slots: Slots,
    state: NDArray[np.int64],
    tokens: NDArray[np.int32],
    token_ends: Ends,
) -> bool:
    """Number the tokens of `text`; return False where the table must grow first, to be called again.

    `text` is valid UTF-8; cell c ends at `cells[c]`, and no token crosses cells. A token is a run of at least
    `shortest` WORD code points, or one SOLO code point. `ascii_map` gives for each byte the byte to keep
    (lower-cased where wanted), BETWEEN, ALONE or WIDE. `data, ends, slots` are a string table (see `strings`)
    with at least len(text) free bytes in `data`. `state` is where the work stands: next cell, next byte,
    tokens so far, strings in the table. `tokens` has room for len(text) // shortest + 1 entries.
    """
    cell, at, written, count = state[0], np.uint64(state[1]), state[2], state[3]
    used = np.uint64(ends[count - 1]) if count > 0 else np.uint64(0)
    most = min(len(slots) // 2, len(ends))
    seven = np.uint64(7)
    while cell < len(cells):
        stop = np.uint64(cells[cell])
        while at < stop:
            byte = ascii_map[text[at]]
            if byte == BETWEEN:
                at += ONE
                continue
            # The token is written behind the table's strings as it is read: it stays there if it is new.
            start, end, points = at, used, 0
            code, word = np.uint64(0), np.uint64(0)
            while byte != BETWEEN:
                if byte < BETWEEN:
                    word = (word << BYTE) | np.uint64(byte)
                    data[end] = byte
                    at += ONE
                    end += ONE
                    if (end - used) & seven == FREE:
                        code = absorb(code, word)
                        word = np.uint64(0)
                elif byte == ALONE:
                    if points == 0:
                        word = np.uint64(text[at])
                        data[end] = text[at]
                        at += ONE
                        end += ONE
                        points = shortest
                    break
                else:
                    width = width_of(text[at])
                    kind = class_at(text, at, width, classes)
                    if kind != WORD and points > 0:
                        break
                    if kind == GAP:
                        at += np.uint64(width)
                        break
                    for _ in range(width):
                        word = (word << BYTE) | np.uint64(text[at])
                        data[end] = text[at]
                        at += ONE
                        end += ONE
                        if (end - used) & seven == FREE:
                            code = absorb(code, word)
                            word = np.uint64(0)
                    if kind == SOLO:
                        points = shortest
                        break
                points += 1
                if at == stop:
                    break
                byte = ascii_map[text[at]]
            if points < shortest:
                continue
            code = absorb(code, word ^ (end - used))
            place = find(data, ends, slots, data, np.int64(used), np.int64(end), code)
            if slots[np.uint64(place)] == FREE:
                if count == most:
                    state[0], state[1], state[2], state[3] = cell, np.int64(start), written, count
                    return False
                used = end
                ends[count] = np.int64(used)
                count += 1
                slots[np.uint64(place)] = (code & HIGH) | np.uint64(count)
            tokens[written] = np.int32(np.int64(slots[np.uint64(place)] & LOW) - 1)
            written += 1
        token_ends[cell] = written
        cell += 1
    state[0], state[1], state[2], state[3] = cell, np.int64(at), written, count
    return True
