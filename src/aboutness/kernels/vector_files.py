"""Reading files of word vectors: where the words stand, and what the numbers are.

Files are mapped into memory as bytes, of which none may be trusted: every kernel stays within `stop`. Numbers
of four bytes may stand at any place, aligned or not.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
F32 = NDArray[np.float32]
Int: TypeAlias = int | np.signedinteger[Any]

NEWLINE, BLANK, TAB, RETURN = 10, 32, 9, 13
PLUS, MINUS, POINT, ZERO, UPPER_E, LOWER_E = 43, 45, 46, 48, 69, 101
OPENING, CLOSING = 60, 62

POWERS = np.array([float(10**power) for power in range(23)])  # all of them exact
FURTHEST = 2 * (len(POWERS) - 1)  # the largest power of ten that two factors make
TEN = np.uint64(10)
MOST_DIGITS = 19  # always fit into 64 bits
EXACT = np.uint64(1 << 53)  # integers up to here are floats
SLACK = 2.0**-50
LONGEST_EXPONENT = 100_000

FNV_BASIS = np.uint64(2166136261)
FNV_PRIME = np.uint64(16777619)
FNV_BITS = np.uint64(0xFFFFFFFF)
SIGN = np.uint64(0xFFFFFF00)  # what a negative byte has in front of it


@compiled
def scan_records(data: Bytes, at: Int, stop: Int, size: Int, starts: Places, ends: Places) -> Int:
    """Find the words of binary records from byte `at`: a word, a blank, `size` bytes, maybe a line feed.

    Stop where `starts` is full or no whole record is left; return how many there were.
    """
    count = 0
    while count < len(starts):
        while at < stop and data[at] == NEWLINE:
            at += 1
        start = at
        while at < stop and data[at] != BLANK:
            at += 1
        if at + 1 + size > stop:
            break
        starts[count] = start
        ends[count] = at
        at += 1 + size
        count += 1
    return count


@compiled
def copy_spans(data: Bytes, starts: Places, ends: Places, out: Bytes) -> None:
    """Copy what stands from each start to its end to `out`, which has room, end to end."""
    used = np.int64(0)
    for i in range(len(starts)):
        for at in range(starts[i], ends[i]):
            out[used] = data[at]
            used += 1


@compiled
def copy_rows(data: Bytes, places: Places, out: Bytes) -> None:
    """Copy rows of bytes, one from each place, to the rows of `out`."""
    for i in range(len(places)):
        row, source = out[i], data[places[i] :]
        for j in range(len(row)):
            row[j] = source[j]


@compiled
def first_not_finite(rows: F32) -> Int:
    """Return the first row with an infinity or what is no number in it, or -1."""
    for i in range(rows.shape[0]):
        bad = False
        for j in range(rows.shape[1]):
            bad |= not abs(rows[i, j]) < np.float32(np.inf)
        if bad:
            return i
    return -1


@compiled
def is_blank(byte: Int) -> bool:
    """Tell whether a byte separates columns."""
    return byte in (BLANK, TAB, RETURN)


@compiled
def column_end(data: Bytes, at: Int, stop: Int) -> Int:
    """Return where the column ends in which byte `at` is."""
    while at < stop and (data[at] > BLANK or not (is_blank(data[at]) or data[at] == NEWLINE)):
        at += 1
    return at


@compiled
def word_before(data: Bytes, start: Int, stop: Int, columns: Int) -> Int:
    """Return where the text before the last `columns` columns of `data[start:stop]` ends."""
    at = stop
    for _ in range(columns + 1):
        while at > start and is_blank(data[at - 1]):
            at -= 1
        end = at
        while at > start and not is_blank(data[at - 1]):
            at -= 1
    return end


@compiled
def scan_lines(data: Bytes, at: Int, stop: Int, dim: Int, starts: Places, ends: Places, state: Places) -> Int:
    """Find the words of lines from byte `at`: a word, which may contain blanks, and `dim` columns.

    Stop where `starts` is full or the text ends; return how many lines there were. `state` becomes where the next
    line starts and, where a line has too few columns, how many it has (else -1); such a line is not counted.
    """
    count = 0
    state[1] = -1
    while count < len(starts) and at < stop:
        line = at
        while at < stop and is_blank(data[at]):
            at += 1
        start = at
        columns = 0
        end = first_end = at
        while at < stop and data[at] != NEWLINE:
            at = column_end(data, at, stop)
            columns += 1
            if columns == 1:
                first_end = at
            while at < stop and is_blank(data[at]):
                at += 1
        if columns == dim + 1:
            end = first_end
        elif columns > dim:
            end = word_before(data, start, at, dim)
        elif columns == dim and start > line:  # the word is empty: the line starts with the blank behind it
            end = start
        else:
            state[1] = columns
            break
        starts[count] = start
        ends[count] = end
        count += 1
        at += 1
        state[0] = at
    return count


@compiled
def decimal(data: Bytes, at: Int, stop: Int) -> tuple[np.float32, Int, bool]:
    """Read a decimal number; return its value, where it ends, and whether the value is certain.

    A value that is certain is what is left of the nearest double when it is rounded to a float. Up to 2^53 and
    with a power of ten that is exact, one operation gives the nearest double (Clinger 1990). Otherwise the value
    is known to a few parts in 2^53, and certain where all that is that near rounds to the same float.
    """
    negative = at < stop and data[at] == MINUS
    if at < stop and (data[at] == MINUS or data[at] == PLUS):
        at += 1
    mantissa = np.uint64(0)
    digits, kept = 0, 0
    power: Any = 0
    behind_point = False
    while at < stop:
        byte = np.int64(data[at])
        if ZERO <= byte <= ZERO + 9:
            digits += 1
            if kept < MOST_DIGITS:
                mantissa = mantissa * TEN + np.uint64(byte - ZERO)
                kept += 1 if mantissa else 0
                power -= 1 if behind_point else 0
            else:
                power += 0 if behind_point else 1
        elif byte == POINT and not behind_point:
            behind_point = True
        else:
            break
        at += 1
    whole = digits > 0
    if at < stop and (data[at] == LOWER_E or data[at] == UPPER_E):
        at += 1
        down = at < stop and data[at] == MINUS
        if at < stop and (data[at] == MINUS or data[at] == PLUS):
            at += 1
        first = at
        exponent = np.int64(0)
        while at < stop and ZERO <= data[at] <= ZERO + 9:
            if exponent < LONGEST_EXPONENT:
                exponent = exponent * 10 + np.int64(data[at]) - ZERO
            at += 1
        if at == first:
            whole = False
        power += -exponent if down else exponent
    ended = at >= stop or data[at] == NEWLINE or is_blank(data[at])
    if not (whole and ended):
        return np.float32(np.nan), column_end(data, at, stop), False
    value = np.float64(mantissa)
    if mantissa == 0:
        power = 0
    if power > FURTHEST or power < -FURTHEST:
        return np.float32(np.nan), at, False
    one = min(abs(power), len(POWERS) - 1)
    other = abs(power) - one
    if power < 0:  # noqa: SIM108 - one line would hide that they mirror one another
        value = value / POWERS[one] / POWERS[other]
    else:
        value = value * POWERS[one] * POWERS[other]
    if negative:
        value = -value
    exact = mantissa <= EXACT and other == 0
    rounded = np.float32(value)
    certain = exact or np.float32(value * (1 + SLACK)) == np.float32(value * (1 - SLACK))
    if not (certain and abs(rounded) < np.float32(np.inf)):
        return np.float32(np.nan), at, False
    return rounded, at, True


@compiled
def parse_rows(data: Bytes, places: Places, stop: Int, out: F32, state: Places) -> bool:
    """Read a row of numbers from each place on, going on from `state`: row, column, byte.

    Return True at the end. Where a value is not certain, return False: `state` is then its row and column and
    where it starts and ends; set the value, and go on from the next column and where it ends.
    """
    row, column, at = state[0], state[1], state[2]
    while row < out.shape[0]:
        if column == 0:
            at = places[row]
        while column < out.shape[1]:
            while at < stop and is_blank(data[at]):
                at += 1
            start = at
            value, at, certain = decimal(data, at, stop)
            if not certain:
                state[0], state[1], state[2], state[3] = row, column, start, at
                return False
            out[row, column] = value
            column += 1
        row += 1
        column = 0
    return True


@compiled
def scan_dictionary(
    data: Bytes, at: Int, stop: Int, starts: Places, ends: Places, counts: Places, kinds: Bytes
) -> Int:
    """Find the entries of a fastText dictionary: a word, a zero, its count (8 bytes), its kind (1 byte).

    Return where the entries end, or -1 where they are cut short.
    """
    for i in range(len(starts)):
        starts[i] = at
        while at < stop and data[at] != 0:
            at += 1
        if at + 10 > stop:
            return -1
        ends[i] = at
        count = np.uint64(0)
        for j in range(8):
            count |= np.uint64(data[at + 1 + j]) << np.uint64(8 * j)
        counts[i] = np.int64(count)
        kinds[i] = data[at + 9]
        at += 10
    return at


@compiled
def add_pieces(marked: Bytes, rows: F32, shortest: Int, longest: Int, total: NDArray[np.float64]) -> Int:
    """Add the rows of the n-grams of a word between its marks to `total`; return how many there were.

    The same n-grams and hashes as those of `Subwords.pieces`.
    """
    found = 0
    for start in range(len(marked)):
        if marked[start] & 0xC0 == 0x80:  # within a letter
            continue
        code = FNV_BASIS
        size = 0
        at = start
        while at < len(marked) and size < longest:
            within = True
            while within:
                byte = np.uint64(marked[at])
                if marked[at] > 127:
                    byte |= SIGN
                code = ((code ^ byte) * FNV_PRIME) & FNV_BITS
                at += 1
                within = at < len(marked) and marked[at] & 0xC0 == 0x80
            size += 1
            alone_at_end = size == 1 and (start == 0 or at == len(marked))
            if size >= shortest and not alone_at_end:
                row = np.int64(code % np.uint64(rows.shape[0]))
                for j in range(rows.shape[1]):
                    total[j] += rows[row, j]
                found += 1
    return found


@compiled
def mean_rows(
    data: Bytes,
    ends: Places,
    whole: NDArray[np.bool_],
    own: F32,
    pieces: F32,
    shortest: Int,
    longest: Int,
    out: F32,
) -> None:
    """Write for each word the mean of its own row and those of its n-grams; a `whole` one has none."""
    total = np.empty(out.shape[1], np.float64)
    start = np.int64(0)
    for i in range(len(ends)):
        total[:] = own[i]
        count: Int = 1
        if not whole[i] and pieces.shape[0] > 0:
            marked = np.empty(ends[i] - start + 2, np.uint8)
            marked[0] = OPENING
            marked[1:-1] = data[start : ends[i]]
            marked[-1] = CLOSING
            count += add_pieces(marked, pieces, shortest, longest, total)
        for j in range(out.shape[1]):
            out[i, j] = np.float32(total[j] / count)
        start = ends[i]
