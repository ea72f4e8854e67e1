"""What a ranker gives: documents with scores, and why a document has its score."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = float(np.finfo(np.float32).max)  # no score is beyond
SCALES = ("best", "minmax", "zscore", "softmax", "rank")  # what names of rankers may be in, and mean the same


@dataclass(frozen=True, eq=False, slots=True)
class Ranking:
    """Document numbers and their scores, the best first; equal scores in order of arrival.

    A composed ranker adds what explains the scores: the shares of its parts from which they were computed.
    """

    documents: NDArray[np.int64]
    scores: NDArray[np.float32]
    explain: Callable[[int], Explanation] | None = None

    def __len__(self) -> int:
        return len(self.documents)


@dataclass(frozen=True)
class Part:
    """What one thing (a word, mostly) adds to a score, and the numbers that this comes from."""

    name: str
    value: float
    details: Mapping[str, float] = field(default_factory=dict)
    word: str | None = None  # the document's term that it is about
    by: str = ""  # the ranker that it comes from, in a mixture


@dataclass(frozen=True)
class Explanation:
    """A score and its parts, which sum to it where the score is a sum."""

    score: float
    parts: tuple[Part, ...]
    formula: str = ""

    @property
    def total(self) -> float:
        """Return the sum of the parts."""
        return math.fsum(part.value for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Return the explanation in plain values."""
        parts = [
            {"name": part.name, "value": part.value, **({"by": part.by} if part.by else {}), **part.details}
            for part in self.parts
        ]
        return {"score": self.score, "formula": self.formula, "parts": parts}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int | None = None) -> list[str]:
        """Return the explanation in lines, the largest parts first; those behind the first `most` in one line."""
        parts = sorted(self.parts, key=lambda part: -abs(part.value))
        first, rest = (parts, []) if most is None or len(parts) <= most + 1 else (parts[:most], parts[most:])
        short = short_names(part.by for part in parts)
        names = [f"{part.name} ({short[part.by]})" if part.by else part.name for part in first]
        width = max(map(len, names), default=0)
        lines = [f"score {self.score:.4f} = {self.formula}"]
        for part, name in zip(first, names, strict=True):
            details = ", ".join(f"{key.replace('_', ' ')} {_number(value)}" for key, value in part.details.items())
            if not part.value and not part.details.get("in_document", 1):
                details = "not in the document"
            lines.append(f"  {part.value:>9.4f}  {name:<{width}}  {details}".rstrip())
        if rest:
            lines.append(f"  {math.fsum(part.value for part in rest):>9.4f}  {len(rest)} more")
        return lines


def short_names(rankers: Iterable[str]) -> dict[str, str]:
    """Return names of rankers for people: without options but the layer, nor what only changes the scale.

    Those that would have the same name keep their own.

    >>> short_names(["best(bm25[layer=letters,k1=1.6] % 1000)", "bm25[k1=2.0]"])
    {'best(bm25[layer=letters,k1=1.6] % 1000)': 'bm25 on letters', 'bm25[k1=2.0]': 'bm25'}
    """
    short = {name: _shortened(name) for name in rankers}
    often = Counter(short.values())
    return {name: one if often[one] == 1 else name for name, one in short.items()}


def _shortened(name: str) -> str:
    def layer(options: re.Match[str]) -> str:
        found = re.search(r"(?:^|,)layer=([^,]+)", options[1])
        return f" on {found[1]}" if found else ""

    text = re.sub(r" % \d+", "", re.sub(r"\[([^\[\]]*)\]", layer, name))
    while wrapped := re.fullmatch(rf"(?:{'|'.join(SCALES)})\(([^()]*|[^()]*\([^()]*\))\)", text):
        text = wrapped[1]
    return text


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"


def rounded(score: float) -> float:
    """Return a score as it is kept: in float32, and never infinite."""
    return float(np.float32(min(max(score, -LARGEST), LARGEST)))


def best(documents: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> Ranking:
    """Return the k best of some documents, which ascend; only those that can be among them are sorted."""
    if k < len(scores):
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        documents, scores = documents[scores >= last], scores[scores >= last]
    order = np.argsort(-scores, kind="stable")[:k]
    return Ranking(documents[order], scores[order])
