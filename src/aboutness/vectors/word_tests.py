"""Word vectors put to the test: do they find alike what people find alike, and do they answer analogies?

Both tests use the vectors of words as they stand (IN). A pair or question with a word that has no vector, or one
of zeros, is left out, and how many were not is part of the result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput, UsageError, shown
from aboutness.corpus.files import lines, utf8
from aboutness.vectors.postprocess import F64, norms, row_blocks
from aboutness.vectors.words import ANY, F32, WordVectors

QUESTIONS = 256  # answered at a time
TOTAL = "total"

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class SimilarityResult:
    """How well cosines agree with people's judgements of pairs of words; None where that is undefined."""

    name: str
    pairs: int
    known: int
    spearman: float | None


@dataclass(frozen=True)
class AnalogyResult:
    """How many analogies of a section are answered right at once, and how high up the right answers come.

    Both are means over the known questions, and None where there are none.
    """

    section: str
    questions: int
    known: int
    accuracy: float | None
    mrr: float | None


class Pair(NamedTuple):
    """Two words, and how alike people find them."""

    first: str
    second: str
    judged: float


def similarity(vectors: WordVectors, path: str | Path, case: str = ANY) -> SimilarityResult:
    """Correlate cosines with the judgements of a file: two words and a number in each line.

    Columns are separated by tabs, else by commas, else by blanks; `#` starts a comment, and a first line without
    a number is a header. Columns after the third are passed over.
    """
    pairs = list(_pairs(path))
    if not pairs:
        raise BadInput(f"{path} has no lines of two words and a number, nor analogies")
    first, first_known = _directions(vectors, [pair.first for pair in pairs], case)
    second, second_known = _directions(vectors, [pair.second for pair in pairs], case)
    known = first_known & second_known
    cosines = (first[known] * second[known]).sum(axis=1)
    judged = np.array([pair.judged for pair in pairs], np.float64)[known]
    return SimilarityResult(Path(path).stem, len(pairs), int(known.sum()), _spearman(cosines, judged))


def analogies(
    vectors: WordVectors, path: str | Path, case: str = ANY, most: int | None = None
) -> list[AnalogyResult]:
    """Answer the analogies of a file, "a b c d" in each line, by section (": name") and in total.

    "a is to b as c is to d" is answered by the words nearest to b - a + c, of vectors of length 1 (3CosAdd; Levy
    and Goldberg 2014), among all words or the first `most`, but never by a, b or c. A right answer has the rank
    1 + the number of words with a higher cosine (or an equal one, and a lower number); 1 / rank is 0 where it is
    one of the three. A question is known if all its words are among those used.
    """
    if most is not None and most < 1:
        raise UsageError(f"most, how many words are used, must be at least 1, got {most}")
    sections, questions = _questions(path)
    matrix = vectors.space()[:most]
    lengths = norms(matrix)
    numbers = vectors.numbers([word for _, words in questions for word in words], case).reshape(-1, 4)
    known = np.asarray(((numbers >= 0) & (numbers < len(matrix))).all(axis=1))
    known[known] = lengths[numbers[known]].all(axis=1)
    reciprocal = np.zeros(len(questions), np.float64)
    reciprocal[known] = _reciprocal_ranks(matrix, lengths, numbers[known])
    belongs = np.array([section for section, _ in questions], np.int64)
    found = [_result(name, known[belongs == i], reciprocal[belongs == i]) for i, name in enumerate(sections)]
    return [*found, _result(TOTAL, known, reciprocal)]


def is_analogies(path: str | Path) -> bool:
    """Tell a file of analogies from one of judged pairs, by its first lines."""
    first = [line for _, line in islice(_content(path), 2)]
    if not first or first[0].startswith(":"):
        return bool(first)
    columns = _columns(first[-1])
    return len(columns) == 4 and _number(columns[2]) is None


def _content(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are neither empty nor comments, and their numbers."""
    for number, raw in lines(path):
        try:
            line = utf8(raw).strip()
        except BadInput as error:
            raise BadInput(f"{path}:{number}: {error}") from None
        if line and not line.startswith("#"):
            yield number, line


def _columns(line: str) -> list[str]:
    """Return the columns of a line that are not empty (published files have tabs twice)."""
    mark = next((mark for mark in "\t," if mark in line), None)
    return [column.strip() for column in line.split(mark) if column.strip()]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _pairs(path: str | Path) -> Iterator[Pair]:
    header_allowed = True
    for number, line in _content(path):
        columns = _columns(line)
        judged = _number(columns[2]) if len(columns) > 2 else None
        if judged is not None and math.isfinite(judged):
            yield Pair(columns[0], columns[1], judged)
        elif not header_allowed or any(_number(column) is not None for column in columns):
            raise BadInput(f"{path}:{number}: a line must have two words and a number, got {shown(line)}")
        header_allowed = False


def _questions(path: str | Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the names of the sections, and each question with the number of its section."""
    sections: list[str] = []
    questions = []
    for number, line in _content(path):
        if line.startswith(":"):
            sections.append(line[1:].strip())
            continue
        words = _columns(line)
        if len(words) != 4:
            raise BadInput(f"{path}:{number}: an analogy must have four words, got {shown(line)}")
        if not sections:
            sections.append(Path(path).stem)
        questions.append((len(sections) - 1, words))
    return sections, questions


def _directions(vectors: WordVectors, words: Sequence[str], case: str) -> tuple[F64, NDArray[np.bool_]]:
    """Return the words' vectors at length 1, and which have one."""
    rows, known = vectors.look_up(words, case=case)
    lengths = norms(rows)
    known &= lengths > 0
    return rows / np.where(known, lengths, 1)[:, None], known


def _spearman(one: F64, other: F64) -> float | None:
    if len(one) < 2 or not np.ptp(one) or not np.ptp(other):
        return None
    from scipy.stats import spearmanr

    return float(spearmanr(one, other).statistic)


def _result(section: str, known: NDArray[np.bool_], reciprocal: F64) -> AnalogyResult:
    ranks = reciprocal[known]
    if not len(ranks):
        return AnalogyResult(section, len(known), 0, None, None)
    return AnalogyResult(section, len(known), len(ranks), float((ranks == 1).mean()), float(ranks.mean()))


def _reciprocal_ranks(matrix: F32, lengths: F64, questions: Numbers) -> F64:
    """Return 1 / rank of the right answer to each question."""
    given = (questions[:, :3] == questions[:, 3:]).any(axis=1)
    return np.where(given, 0, 1 / (1 + _better(matrix, lengths, questions)))


def _better(matrix: F32, lengths: F64, questions: Numbers) -> Numbers:
    """Return how many words are better answers to each question than the right one.

    Products in float32 count those that are better beyond doubt; the few whose scores are nearer to that of the
    right answer than the products are exact are compared in float64.
    """
    a, b, c, answer = (_unit(matrix, lengths, column) for column in questions.T)
    asked = b - a + c
    right = (asked * answer).sum(axis=1)
    slack = 4 * (matrix.shape[1] + 8) * 2.0**-23  # for sums of three vectors of length 1, and to spare
    high, low = (right + slack).astype(np.float32), (right - slack).astype(np.float32)
    better = np.zeros(len(questions), np.int64)
    for block, part, scores in _products(matrix, lengths, asked):
        which, column = np.nonzero((questions[part] >= block.start) & (questions[part] < block.stop))
        scores[which, questions[part][which, column] - block.start] = -np.inf  # the words of the question itself
        for i, row in enumerate(scores, part.start):
            above = int(np.count_nonzero(row > high[i]))
            if np.count_nonzero(row >= low[i]) > above:
                near = np.flatnonzero((row >= low[i]) & (row <= high[i])) + block.start
                exact = (asked[i] * _unit(matrix, lengths, near)).sum(axis=1)
                above += int(
                    np.count_nonzero((exact > right[i]) | ((exact == right[i]) & (near < questions[i, 3])))
                )
            better[i] += above
    return better


def _products(matrix: F32, lengths: F64, asked: F64) -> Iterator[tuple[slice, slice, F32]]:
    """Yield blocks of words, parts of the questions, and their products; a vector of zeros is below all others."""
    narrow = asked.astype(np.float32)
    for block in row_blocks(*matrix.shape):
        zero = np.flatnonzero(lengths[block] == 0)
        rows = (matrix[block] / np.where(lengths[block] > 0, lengths[block], 1)[:, None]).astype(np.float32)
        for start in range(0, len(asked), QUESTIONS):
            scores = narrow[start : start + QUESTIONS] @ rows.T
            scores[:, zero] = -np.inf
            yield block, slice(start, start + len(scores)), scores


def _unit(matrix: F32, lengths: F64, numbers: Numbers) -> F64:
    return np.asarray(matrix[numbers] / lengths[numbers][:, None])


def results(
    vectors: WordVectors, path: str | Path, case: str = ANY, most: int | None = None
) -> list[dict[str, Any]]:
    """Return the result of a test of either kind as plain values."""
    name = Path(path).name
    if is_analogies(path):
        return [{"test": name, **asdict(result)} for result in analogies(vectors, path, case, most)]
    return [{"test": name, **asdict(similarity(vectors, path, case))}]
