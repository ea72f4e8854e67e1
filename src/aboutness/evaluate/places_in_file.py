"""Where judged documents stand in the rankings of a file, without taking all of its lines apart.

Few documents of a ranking are judged, and `write_run` writes rankings one after the other, with ranks: so these
documents are looked for, and their ranks are read. A file that looks otherwise is read as any run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from aboutness.core.scores import TOO_LARGE
from aboutness.corpus.files import open_bytes
from aboutness.evaluate.places import NOWHERE, Places, places
from aboutness.evaluate.run_lines import read_scores
from aboutness.evaluate.runs import best_first

MOST = 1 << 28  # bytes that are held at once
STEP = 1 << 16  # bytes between two looks for where a ranking ends
FEW = 24  # documents that are looked for one by one


class _Other(Exception):
    """A file that is not as `write_run` writes it."""


def places_in_file(judged: Mapping[str, Mapping[str, int]], path: str | Path) -> Places:
    """Return what `places` does of the run in a file, several times as fast where `write_run` wrote it."""
    try:
        return _found(judged, _content(path))
    except (_Other, ValueError):
        return places(judged, read_scores(path))


def _content(path: str | Path) -> bytes:
    with open_bytes(path) as file:
        content = file.read(MOST + 1)
    if len(content) > MOST or not content.endswith(b"\n"):
        raise _Other
    return content


def _found(judged: Mapping[str, Mapping[str, int]], content: bytes) -> Places:
    rankings = _rankings(content)
    sizes = [len(grades) for grades in judged.values()]
    ranks: list[int] = []
    ranked = np.zeros(len(sizes), np.int64)
    for number, (query, grades) in enumerate(judged.items()):
        start, end, count = rankings.get(query.encode(), (0, 0, 0))
        ranked[number] = count
        ranks += _ranks(content, start, end, query, grades) if count else [NOWHERE] * len(grades)
    grade = np.fromiter((one for grades in judged.values() for one in grades.values()), np.int64, sum(sizes))
    query_of, rank = np.repeat(np.arange(len(sizes)), sizes), np.array(ranks, np.int64)
    order = np.lexsort((rank, query_of))
    return Places(query_of, rank[order], grade[order], ranked)


def _rankings(content: bytes) -> dict[bytes, tuple[int, int, int]]:
    """Return where the lines of each query begin and end, and how many they are."""
    found: dict[bytes, tuple[int, int, int]] = {}
    start = 0
    while start < len(content):
        query = content[start : content.index(b" ", start)]
        end = _end(content, start, query + b" Q0 ")
        count = content.count(b"\n", start, end)
        last = content[max(start, content.rfind(b"\n", start, end - 1) + 1) : end].split(b" ")
        if query in found or len(last) != 6 or last[3] != str(count).encode():
            raise _Other
        found[query] = start, end, count
        start = end
    return found


def _end(content: bytes, start: int, head: bytes) -> int:
    """Return where the lines end that begin as one does, which stand together."""
    if not content.startswith(head, start):
        raise _Other
    low = start
    while True:
        high = content.find(b"\n", low + STEP) + 1 or len(content)
        if not content.startswith(head, high):
            break
        low = high
    last = content.rfind(b"\n" + head, low, high) + 1 or low
    return content.index(b"\n", last) + 1


def _ranks(content: bytes, start: int, end: int, query: str, documents: Mapping[str, int]) -> list[int]:
    """Return the ranks of some documents of a ranking, from 0."""
    if len(documents) > FEW:
        return _ranks_of_all(content, start, end, query, documents)
    ranks = []
    for document in documents:
        at = content.find(b" Q0 " + document.encode() + b" ", start, end)
        if at < 0:
            ranks.append(NOWHERE)
            continue
        first, last = content.rfind(b"\n", 0, at) + 1, content.index(b"\n", at)
        rank, score = _rank_and_score(content, first, last)
        before, behind = content.rfind(b"\n", 0, first - 1) + 1 if first > start else -1, last + 1
        neighbours = [(before, first - 1)] if before >= start else []
        neighbours += [(behind, content.index(b"\n", behind))] if behind < end else []
        if any(_rank_and_score(content, *one)[1] == score for one in neighbours):
            return _ranks_of_all(content, start, end, query, documents)  # ids decide among equal scores
        ranks.append(rank - 1)
    return ranks


def _rank_and_score(content: bytes, first: int, last: int) -> tuple[int, bytes]:
    _, _, _, rank, score, _ = content[first:last].split(b" ")
    if not abs(float(score)) < TOO_LARGE:
        raise _Other
    return int(rank), score


def _ranks_of_all(content: bytes, start: int, end: int, query: str, documents: Mapping[str, int]) -> list[int]:
    """Return the same, by the scores of all documents."""
    words = content[start:end].split()  # at blanks of ASCII only: others may stand in an id
    scores = {one.decode(): float(score) for one, score in zip(words[2::6], words[4::6], strict=True)}
    if len(words) != 6 * len(scores):
        raise _Other
    ranks = {one: rank for rank, (one, _) in enumerate(best_first(query, scores))}
    return [ranks.get(document, NOWHERE) for document in documents]
