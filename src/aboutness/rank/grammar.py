"""Rankers as text: `bm25`, `bm25[k1=1.7,b=.95]`, `bm25 % 100 >> tfidf`, `(bm25 % 100 >> ql) % 10`.

    ranking = step { ">>" step }          the steps from left to right
    step    = ranker { "%" whole }        cut to so many documents
    ranker  = name [ "[" options "]" ] | "(" ranking ")"
    options = name "=" value { "," name "=" value }

`str` of a ranker is a text that makes it again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.models.known import MODELS

TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z][\w-]*)(?:\s*\[(?P<options>[^\[\]]*)\])?|(?P<whole>\d{1,18})|(?P<sign>>>|[%()]))"
)
MOST_SIGNS = 100  # of an expression: it is read and bound by recursion


def ranker(expression: str | Ranker) -> Ranker:
    """Return the ranker that a text stands for.

    >>> str(ranker("bm25[b=.75, k1=1.70]%100>>tfidf"))
    'bm25[k1=1.7] % 100 >> tfidf'
    """
    if isinstance(expression, Ranker):
        return expression
    if not isinstance(expression, str):
        raise UsageError(f"a ranker must be a text or a model such as BM25(), got {shown(expression)}")
    return _read(expression)


@lru_cache(maxsize=1024)
def _read(expression: str) -> Ranker:
    return _Reader(expression).whole()


def split_rankers(text: str) -> list[str]:
    """Return the rankers of a list whose commas stand outside brackets."""
    parts = re.split(r",(?![^\[\]]*\])", text)
    return [part.strip() for part in parts]


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Ranker:
        if not self.text.strip():
            raise UsageError(f"a ranker is missing. Known: {', '.join(MODELS)}")
        if sum(self.text.count(sign) for sign in ("(", "%", ">>")) > MOST_SIGNS:
            raise UsageError(f"a ranker may have at most {MOST_SIGNS} of ( % >>, got {shown(self.text)}")
        found = self.ranking()
        if self.text[self.at :].strip():
            raise self.trouble("an end, % or >>")
        return found

    def ranking(self) -> Ranker:
        found = self.step()
        while self.sign(">>"):
            found = found >> self.step()
        return found

    def step(self) -> Ranker:
        found = self.ranker()
        while self.sign("%"):
            match = TOKEN.match(self.text, self.at)
            if not match or not match["whole"]:
                raise self.trouble("a whole number after %")
            self.at = match.end()
            found = found % int(match["whole"])
        return found

    def ranker(self) -> Ranker:
        if self.sign("("):
            found = self.ranking()
            if not self.sign(")"):
                raise self.trouble("a closing parenthesis")
            return found
        match = TOKEN.match(self.text, self.at)
        if not match or not match["name"]:
            raise self.trouble("the name of a ranker")
        self.at = match.end()
        return MODELS[match["name"]].from_options(_options(match["options"] or ""))

    def sign(self, wanted: str) -> bool:
        match = TOKEN.match(self.text, self.at)
        if not match or match["sign"] != wanted:
            return False
        self.at = match.end()
        return True

    def trouble(self, wanted: str) -> UsageError:
        rest = self.text[self.at :].strip()
        there = f"{shown(rest)} stands there" if rest else "the text ends there"
        return UsageError(f"cannot read the ranker {shown(self.text)}: {wanted} was expected, but {there}")


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in text.split(",") if text.strip() else ():
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"parameters are written name=value, got {shown(part.strip())}")
        if name.strip() in options:
            raise UsageError(f"the parameter {name.strip()!r} stands twice")
        options[name.strip()] = value
    return options
