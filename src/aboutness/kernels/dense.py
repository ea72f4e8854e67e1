"""The best rows of a matrix by their product with a vector.

`dot` is the one sum that every score of a dense model is: in float64, over x, of vector[x] * row[x]. It is
kept in eight sums (x goes to sum x % 8) that are then added in pairs, and rounded to float32 at the end. The order
is the same for every row, wherever it stands and however it is found, so that equal rows have equal scores.

All else here only finds the rows that can be among the k best, by bounds. `scan` does so in whole numbers: rows
are cut into slabs of `SLAB` numbers; row d is about scales[d] x codes[:, d], the vector about factor x codes of
its own. The product of both up to slab s is off by at most

    length of the vector's codes x error x scales[d]  +  length of the vector behind s x rests[s, d]  +  slack

(Cauchy and Schwarz), where `error` is the largest length of a row less its codes, in its scale, `rests` are the
lengths of rows behind slab s, and `slack` is what the vector's codes and all rounding come to. So a row can be
out before all of its slabs are read. It reads all rows, or only some pieces of them: the lists of an approximate
search. `pick` takes products that are known but for an error.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.keys import Integer, Real, best_first

LANES = 8
SLAB = 64  # known to the compiler, which makes it three times as fast
BLOCK = 1024  # rows whose slabs are read one after the other: less cannot be read ahead
FEWEST = 256  # rows that are found before some are dropped
FEW = 16  # of so many rows of a block, one by itself costs as much as all
MOST = np.float32(127)  # the largest code
ZERO = np.float32(0)
NEVER, ALWAYS = np.float32(-np.inf), np.float32(np.inf)
ABOVE = 1 + 2.0**-30  # more than rounding can take from the length of a row

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Codes = NDArray[np.int8]  # slab, row, number
Asked = NDArray[np.int16]  # slab, number
Dots = NDArray[np.int32]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@compiled
def dot(vector: F64, row: F32) -> Real:
    """Return the product of a vector with a row, in float64."""
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = len(row) // LANES * LANES
    for x in range(0, whole, LANES):
        s0 += vector[x] * row[x]
        s1 += vector[x + 1] * row[x + 1]
        s2 += vector[x + 2] * row[x + 2]
        s3 += vector[x + 3] * row[x + 3]
        s4 += vector[x + 4] * row[x + 4]
        s5 += vector[x + 5] * row[x + 5]
        s6 += vector[x + 6] * row[x + 6]
        s7 += vector[x + 7] * row[x + 7]
    rest = np.zeros(LANES)
    for x in range(whole, len(row)):
        rest[x - whole] = vector[x] * row[x]
    s0, s1, s2, s3 = s0 + rest[0], s1 + rest[1], s2 + rest[2], s3 + rest[3]
    s4, s5, s6, s7 = s4 + rest[4], s5 + rest[5], s6 + rest[6], s7 + rest[7]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@compiled
def product(vector: F64, row: F32) -> np.float32:
    """Return the product of a vector with a row as it is kept; never -0.0."""
    return np.float32(dot(vector, row)) + ZERO


@compiled
def products(vector: F64, rows: F32, documents: Numbers, out: F32) -> None:
    """Write the product of a vector with each of some rows."""
    for i in range(len(documents)):
        out[i] = product(vector, rows[documents[i]])


@compiled
def rounded_up(square: Real) -> np.float32:
    """Return the root of a sum of squares, not below what it was before rounding; 0 for 0 only."""
    return np.nextafter(np.float32(np.sqrt(square) * ABOVE), ALWAYS) if square > 0.0 else ZERO


@compiled
def encode(rows: F32, first: Integer, codes: Codes, scales: F32, rests: F32) -> Real:
    """Write rows in whole numbers, from place `first` on, and the lengths of what is behind each slab.

    Codes beyond a row's end are 0. Return the largest length of a row less its codes, in its scale, rounded up.
    """
    size = rows.shape[1]
    error = ZERO
    for i in range(len(rows)):
        row = rows[i]
        largest = ZERO
        for x in range(size):
            largest = max(largest, abs(row[x]))
        scale = np.float32(largest / MOST)
        scales[first + i] = scale
        factor = 1.0 / np.float64(scale) if scale > ZERO else 0.0
        missed, behind = 0.0, 0.0
        for slab in range(len(codes) - 1, -1, -1):
            rests[slab, first + i] = rounded_up(behind)
            code = codes[slab, first + i]
            code[:] = 0
            part = row[slab * SLAB : min(size, (slab + 1) * SLAB)]
            for x in range(len(part)):
                whole = min(max(np.rint(part[x] * factor), -127.0), 127.0)
                code[x] = np.int8(whole)
                miss = part[x] - np.float64(scale) * whole
                missed += miss * miss
                behind += np.float64(part[x]) * np.float64(part[x])
        if missed > 0.0:
            error = max(error, rounded_up(missed / scale / scale) if scale > ZERO else ALWAYS)
    return error


@compiled
def measure(rows: F32, lengths: F32) -> None:
    """Write the length of each row, rounded up; it is 0 for rows of zeros only."""
    for i in range(len(rows)):
        row = rows[i]
        lanes = np.zeros(LANES)
        whole = len(row) // LANES * LANES
        for x in range(0, whole, LANES):
            for lane in range(LANES):
                lanes[lane] += np.float64(row[x + lane]) * np.float64(row[x + lane])
        for x in range(whole, len(row)):
            lanes[0] += np.float64(row[x]) * np.float64(row[x])
        lengths[i] = rounded_up(lanes.sum())


@compiled
def add_slab(codes: NDArray[np.int8], asked: NDArray[np.int16], dots: Dots) -> None:
    """Add the products of a vector's slab with those of a block of rows."""
    for i in range(len(dots)):
        code = codes[i]
        total = np.int32(0)
        for x in range(SLAB):
            total += np.int32(code[x]) * np.int32(asked[x])
        dots[i] += total


@compiled
def add_slab_of(codes: NDArray[np.int8], asked: NDArray[np.int16], some: Numbers, dots: Dots) -> None:
    """Do so for some rows of the block."""
    for j in range(len(some)):
        code = codes[some[j]]
        total = np.int32(0)
        for x in range(SLAB):
            total += np.int32(code[x]) * np.int32(asked[x])
        dots[some[j]] += total


@compiled
def bound(
    dots: Dots,
    scales: F32,
    rests: F32,
    factor: np.float32,
    error: np.float32,
    tail: np.float32,
    slack: np.float32,
    least: np.float32,
    uppers: F32,
) -> Integer:
    """Write the upper bounds of a block of rows, behind a slab; return how many are at least `least`."""
    hits = np.int32(0)
    for i in range(len(dots)):
        uppers[i] = scales[i] * (factor * np.float32(dots[i]) + error) + (tail * rests[i] + slack)
        hits = np.int32(hits + (uppers[i] >= least))
    return hits


@compiled
def bound_block(
    codes: Codes,
    scales: F32,
    rests: F32,
    asked: Asked,
    factor: np.float32,
    error: np.float32,
    tails: F32,
    slack: np.float32,
    low: Integer,
    high: Integer,
    look: Integer,
    least: np.float32,
    dots: Dots,
    uppers: F32,
) -> tuple[Integer, Integer]:
    """Bound a block of rows, slab by slab, until few of them reach `least`.

    Bounds behind slabs before `look` are left out. Return the last slab, and how many rows are left.
    """
    dots[:] = 0
    last = len(codes) - 1
    for slab in range(len(codes)):
        add_slab(codes[slab][low:high], asked[slab], dots)
        if slab >= look or slab == last:
            hits = bound(
                dots, scales[low:high], rests[slab][low:high], factor, error, tails[slab], slack, least, uppers
            )
            if FEW * hits < high - low:
                return slab, hits
    return last, hits


@compiled
def list_hits(uppers: F32, least: np.float32, allowed: Mask, out: Numbers) -> Integer:
    """Write which rows of a block have a bound of at least `least` and are allowed; return how many."""
    number = 0
    for i in range(len(uppers)):
        if uppers[i] >= least and (len(allowed) == 0 or allowed[i]):
            out[number] = i
            number += 1
    return number


@compiled
def drop_not_allowed(some: Numbers, numbers: Numbers, allowed: Mask) -> Integer:
    """Keep in front those of some rows whose documents are allowed; return how many."""
    left = 0
    for j in range(len(some)):
        some[left] = some[j]
        left += allowed[numbers[some[j]]]
    return left


@compiled
def sift(uppers: F32, lowers: F32, documents: Numbers, size: Integer, k: Integer) -> tuple[Integer, np.float32]:
    """Drop of `size` rows those that are not among the k best; return how many are left, and the k-th lower bound.

    A row whose upper bound is below that is not among the k best.
    """
    if size < k:
        return size, NEVER
    order = np.empty(size, np.float32)
    for i in range(size):
        order[i] = -lowers[i]
    best_first(order, k)
    least = ALWAYS
    for i in range(k):
        least = min(least, -order[i])
    left = 0
    for i in range(size):
        if uppers[i] >= least:
            uppers[left], lowers[left], documents[left] = uppers[i], lowers[i], documents[i]
            left += 1
    return left, least


@compiled
def scan(
    codes: Codes,
    scales: F32,
    rests: F32,
    asked: Asked,
    factor: np.float32,
    error: np.float32,
    tails: F32,
    slack: np.float32,
    starts: Numbers,
    ends: Numbers,
    numbers: Numbers,
    allowed: Mask,
    k: Integer,
    documents: Numbers,
) -> Integer:
    """Write the rows that can be among the k best; return their number, or -1 where there is not room for all.

    `asked` are the codes of the vector, `error` comes times their length, `tails` are the lengths of the vector
    behind each slab. Rows are read from each start to its end, those that are likely to be best first. `numbers`
    are the documents of rows, by which `allowed` tells; where it is empty they stand by number. `allowed` may be
    empty: then all rows are.
    """
    uppers, lowers = np.empty(len(documents), np.float32), np.empty(len(documents), np.float32)
    block_dots, block_bounds = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.float32)
    some = np.empty(BLOCK, np.int64)
    last = len(codes) - 1
    size, least = 0, NEVER
    enough = min(len(documents), max(FEWEST, 4 * k))
    look = 0  # bounds are of use behind this slab: that of the block before; now and then an earlier one is tried
    blocks, by_number = 0, len(numbers) == 0
    for piece in range(len(starts)):
        for low in range(starts[piece], ends[piece], BLOCK):
            high = min(low + BLOCK, ends[piece])
            scale, dots, bounds = scales[low:high], block_dots[: high - low], block_bounds[: high - low]
            if blocks % 8 == 0:
                look = max(look - 1, 0)
            blocks += 1
            slab, hits = bound_block(
                codes, scales, rests, asked, factor, error, tails, slack, low, high, look, least, dots, bounds
            )
            look = slab if least > NEVER else 0
            if hits > 0:
                hits = list_hits(bounds, least, allowed[low:high] if by_number else allowed[:0], some)
                if not by_number and len(allowed) > 0:
                    hits = drop_not_allowed(some[:hits], numbers[low:high], allowed)
            while slab < last and hits > 0:
                slab += 1
                before, hits = hits, 0
                add_slab_of(codes[slab][low:high], asked[slab], some[:before], dots)
                rest, tail = rests[slab][low:high], tails[slab]
                for j in range(before):
                    i = some[j]
                    upper = scale[i] * (factor * np.float32(dots[i]) + error) + (tail * rest[i] + slack)
                    some[hits] = i
                    hits += upper >= least
            for j in range(hits):
                i = some[j]
                value, off = factor * np.float32(dots[i]), slack + error * scale[i]
                documents[size] = low + i
                uppers[size], lowers[size] = scale[i] * value + off, scale[i] * value - off
                size += 1
                if size == enough:
                    size, least = sift(uppers, lowers, documents, size, k)
                    if 2 * size > len(documents):
                        return -1
                    enough = min(len(documents), max(enough, 2 * size))
    return sift(uppers, lowers, documents, size, k)[0]


@compiled
def pick(
    values: F32,
    error: np.float32,
    allowed: Mask,
    first: Integer,
    k: Integer,
    sizes: Numbers,
    leasts: F32,
    uppers: F32,
    lowers: F32,
    documents: Numbers,
) -> None:
    """Add to the rows that are found for several vectors those of a block, from `first` on.

    values[v, i] is the product of vector v with row first + i, up to `error`; sizes[v] rows are found, and no row
    with an upper bound below leasts[v] is of use. Where there is not room for all, the size becomes -1.
    """
    some = np.empty(BLOCK, np.int64)
    for v in range(len(values)):
        size, least = sizes[v], leasts[v]
        for low in range(0, values.shape[1], BLOCK):
            if size < 0:
                break
            here = values[v][low : low + BLOCK]
            hits = np.int32(0)
            for i in range(len(here)):
                hits = np.int32(hits + (here[i] >= least - error))
            if hits > 0:
                hits = list_hits(here, least - error, allowed[low : low + BLOCK], some)
            for j in range(hits):
                value = here[some[j]]
                documents[v, size] = first + low + some[j]
                uppers[v, size], lowers[v, size] = value + error, value - error
                size += 1
                if size == documents.shape[1]:
                    size, least = sift(uppers[v], lowers[v], documents[v], size, k)
                    if 2 * size > documents.shape[1]:
                        size = -1
                        break
        sizes[v], leasts[v] = size, least


@compiled
def finish_picking(k: Integer, sizes: Numbers, uppers: F32, lowers: F32, documents: Numbers) -> None:
    """Drop the rows that are not among the k best of each vector."""
    for v in range(len(sizes)):
        if sizes[v] >= 0:
            sizes[v] = sift(uppers[v], lowers[v], documents[v], sizes[v], k)[0]
