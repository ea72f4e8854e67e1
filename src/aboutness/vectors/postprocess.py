"""What is done to all vectors of a space at once: to length 1, around 0, or without the directions all share.

Everything is computed in float64, a block of rows at a time, and kept as float32. A vector of zeros is no
direction: it takes no part in means and directions, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import UsageError
from aboutness.vectors.words import F32, WordVectors

F64 = NDArray[np.float64]
Change = Callable[[F64], F64]  # of a block of rows

BLOCK = 1 << 24  # bytes of a block of rows in float64


def unit(vectors: WordVectors) -> WordVectors:
    """Return the vectors scaled to length 1.

    >>> from aboutness.text.strings import StringTable
    >>> vectors = WordVectors(StringTable.of(["sun"]), {"in": np.array([[3, 4]], np.float32)})
    >>> unit(vectors).space().tolist(), unit(vectors).provenance
    ([[0.6000000238418579, 0.800000011920929]], {'processing': ['unit']})
    """
    return _each(vectors, "unit", lambda _: _to_length_one)


def centred(vectors: WordVectors) -> WordVectors:
    """Return the vectors less their mean."""
    return _each(vectors, "centred", _centring)


def all_but_the_top(vectors: WordVectors, components: int | None = None) -> WordVectors:
    """Return the vectors less their mean and less the directions in which all of them vary most.

    Mu and Viswanath, 2018, "All-but-the-Top", algorithm 1: v' = v - mean - sum over i of (u_i . (v - mean)) u_i,
    with u_1 ... u_D the first principal directions; D (`components`) is about dim / 100 where it is not given.
    As in the authors' program, what is projected is the centred vector (the paper's step 3 writes v).
    """
    count = max(1, round(vectors.dim / 100)) if components is None else components
    if not 0 < count < vectors.dim:
        raise UsageError(
            f"components must be at least 1 and less than {vectors.dim}, the numbers of a vector; got {count}"
        )
    return _each(vectors, f"{ALL_BUT_THE_TOP}={count}", lambda matrix: _removing(matrix, count))


class Step(NamedTuple):
    """A step of processing as it is asked for by name."""

    run: Callable[[WordVectors, int | None], WordVectors]
    summary: str
    takes_number: bool = False


ALL_BUT_THE_TOP = "all-but-the-top"
STEPS = {
    "unit": Step(lambda vectors, _: unit(vectors), "scale each vector to length 1"),
    "centred": Step(lambda vectors, _: centred(vectors), "subtract the mean of all vectors"),
    ALL_BUT_THE_TOP: Step(
        all_but_the_top, "subtract the mean and the first principal directions (dim / 100 of them, or =N)", True
    ),
}


def process(vectors: WordVectors, steps: Sequence[str]) -> WordVectors:
    """Do some steps, given by name, one after the other: ["centred", "unit"], ["all-but-the-top=3"]."""
    for step, number in [_parsed(text) for text in steps]:
        vectors = step.run(vectors, number)
    return vectors


def _parsed(text: str) -> tuple[Step, int | None]:
    name, given, number = text.partition("=")
    step = STEPS.get(name)
    if step is None:
        raise UsageError(f"a step of processing must be one of {', '.join(STEPS)}; got {text!r}")
    if not given:
        return step, None
    if not step.takes_number:
        raise UsageError(f"{name} takes no number, got {text!r}")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(f"{name} takes a whole number, as in {name}=3; got {text!r}")
    return step, int(number)


def row_blocks(count: int, dim: int) -> Iterator[slice]:
    """Yield slices that cut a matrix of so many rows into blocks."""
    size = max(1, BLOCK // (8 * max(1, dim)))
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def norms(matrix: F32) -> F64:
    """Return the length of each row; it does not depend on the other rows."""
    found = np.empty(len(matrix), np.float64)
    for block in row_blocks(*matrix.shape):
        found[block] = _lengths(matrix[block].astype(np.float64))
    return found


def _each(vectors: WordVectors, name: str, fit: Callable[[F32], Change]) -> WordVectors:
    """Change every space a block at a time, by what `fit` finds out about it, and note the step."""
    spaces = {}
    for space, matrix in vectors.spaces.items():
        change = fit(matrix)
        changed = np.zeros(matrix.shape, np.float32)
        for block in row_blocks(*matrix.shape):
            rows = matrix[block].astype(np.float64)
            some = rows.any(axis=1)
            changed[block][some] = change(rows[some])
        spaces[space] = changed
    return vectors.with_spaces(spaces, processing=[*vectors.provenance.get("processing", []), name])


def _lengths(rows: F64) -> F64:
    return np.asarray(np.sqrt(np.square(rows).sum(axis=1)))


def _to_length_one(rows: F64) -> F64:
    return np.asarray(rows / _lengths(rows)[:, None])


def _centring(matrix: F32) -> Change:
    mean = _mean(matrix)
    return lambda rows: rows - mean


def _removing(matrix: F32, components: int) -> Change:
    mean = _mean(matrix)
    _, directions = np.linalg.eigh(_scatter(matrix, mean))  # by ascending variance
    top = directions[:, -components:]

    def change(rows: F64) -> F64:
        around_zero = rows - mean
        return np.asarray(around_zero - around_zero @ top @ top.T)

    return change


def _mean(matrix: F32) -> F64:
    total = np.zeros(matrix.shape[1], np.float64)
    count = 0
    for block in row_blocks(*matrix.shape):
        rows = matrix[block].astype(np.float64)
        total += rows.sum(axis=0)
        count += int(np.count_nonzero(rows.any(axis=1)))
    return total / max(1, count)


def _scatter(matrix: F32, mean: F64) -> F64:
    total = np.zeros((matrix.shape[1], matrix.shape[1]), np.float64)
    for block in row_blocks(*matrix.shape):
        rows = matrix[block].astype(np.float64)
        rows = rows[rows.any(axis=1)] - mean
        total += rows.T @ rows
    return total
