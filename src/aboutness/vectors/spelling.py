"""Words of a vocabulary that are spelt nearly as another one is, found among hundreds of thousands at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.text.strings import StringTable

Letters = NDArray[np.uint8]

BLOCK = 100_000  # words that are compared at a time
LONGEST = 60  # bytes of a word that is compared: distances fit in a byte
SHORT = 6  # bytes; a word below may differ by one letter, others by two


def spelt_alike(words: StringTable, word: str, most: int = 3) -> list[str]:
    """Return the words that differ by a letter, or in longer ones by two: the nearest first, then by place.

    A letter may be missing, too many, another one, or have changed places with the next; the case of ASCII letters
    does not count. What is compared are bytes of UTF-8, so that other letters may count twice.

    >>> spelt_alike(StringTable.of(["sea", "search", "arch", "Serach"]), "serch")
    ['search', 'Serach']
    """
    asked = _lower(np.frombuffer(word.encode(errors="replace"), np.uint8))
    if not 0 < len(asked) <= LONGEST:
        return []
    limit = 1 if len(asked) < SHORT else 2
    starts = np.concatenate([[0], words.ends[:-1]])[: len(words)]
    sizes = words.ends - starts
    near = np.flatnonzero((sizes > 0) & (np.abs(sizes - len(asked)) <= limit))
    found = [np.zeros((0, 3), np.int64)]
    for first in range(0, len(near), BLOCK):
        numbers = near[first : first + BLOCK]
        letters = _letters(words, starts[numbers], sizes[numbers])
        distance = _distances(asked, letters, sizes[numbers])
        keep = distance <= limit
        other_start = letters[keep, 0] != asked[0]
        found.append(np.stack([distance[keep].astype(np.int64), other_start, numbers[keep]], axis=1))
    rows = np.concatenate(found)
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))[:most]
    return words.some(rows[order, 2])


def _lower(letters: Letters) -> Letters:
    return np.where((letters >= ord("A")) & (letters <= ord("Z")), letters | 0x20, letters).astype(np.uint8)


def _letters(words: StringTable, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Letters:
    """Return a row of bytes for each word, with 0 behind its end."""
    places = np.arange(int(sizes.max()))
    inside = places < sizes[:, None]
    return _lower(np.where(inside, words.data[np.where(inside, starts[:, None] + places, 0)], 0))


def _distances(asked: Letters, letters: Letters, sizes: NDArray[np.int64]) -> Letters:
    """Return the edit distance of each word, with neighbours that changed places as one edit."""
    count, width = letters.shape
    columns = letters.T.copy()
    before = np.zeros((width + 1, count), np.uint8)  # the row before the last one
    last = np.repeat(np.arange(width + 1, dtype=np.uint8)[:, None], count, axis=1)
    for i, letter in enumerate(asked):
        row = np.empty_like(last)
        row[0] = i + 1
        for j in range(width):
            best = np.minimum(np.minimum(last[j + 1], row[j]) + np.uint8(1), last[j] + (columns[j] != letter))
            if i and j:
                crossed = (columns[j] == asked[i - 1]) & (columns[j - 1] == letter)
                best = np.where(crossed, np.minimum(best, before[j - 1] + np.uint8(1)), best)
            row[j + 1] = best
        before, last = last, row
    return np.asarray(last[sizes, np.arange(count)], np.uint8)
