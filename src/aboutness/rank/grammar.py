"""Rankers as text: `bm25[k1=1.7,b=.95]`, `bm25 + 30*ql`, `(bm25 + ql) % 100 >> tfidf`, `rrf[k=60](bm25, ql)`.

    ranking = mixture { ">>" mixture }                      the steps from left to right
    mixture = term { "+" term }                             scores are added
    term    = { number "*" } ranker { "%" whole | "*" number }     cut to so many documents; weighted
    ranker  = name [ "[" options "]" ] [ "(" ranking { "," ranking } ")" ] | "(" ranking ")"
    options = name "=" value { "," name "=" value }

It means what it would mean in Python. `str` of a ranker is a text that makes it again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from aboutness.core.algebra import MOST_SIGNS, Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.rank.combination import COMBINATIONS, Combination
from aboutness.rank.known import known_rankers

NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
PARAMETER = re.compile(r"\s*[A-Za-z]\w*\s*=")
WHOLE = re.compile(r"\d{1,18}")
TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z][\w-]*)(?:\s*\[(?P<options>[^\[\]]*)\])?"
    rf"|(?P<number>{NUMBER.pattern})|(?P<sign>>>|[%+*(),-]))"
)


def ranker(expression: str | Ranker) -> Ranker:
    """Return the ranker that a text stands for.

    >>> str(ranker("bm25[b=.75, k1=1.70]%100>>tfidf+.50*ql"))
    'bm25[k1=1.7] % 100 >> tfidf + 0.5*ql'
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
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open = 0  # parentheses

    def whole(self) -> Ranker:
        if not self.text.strip():
            known = ", ".join(known_rankers(combinations=True))
            raise UsageError(f"a ranker is missing. Known: {known}")
        found = self.ranking()
        if self.text[self.at :].lstrip().startswith("["):
            raise UsageError(
                f"cannot read the ranker {shown(self.text)}: parameters stand right after a name, in one closed "
                "pair of brackets, such as bm25[k1=1.7,b=.95] or rrf[k=5](bm25, ql)"
            )
        if self.text[self.at :].strip():
            raise self.trouble("an end, +, *, % or >>")
        return found

    def ranking(self) -> Ranker:
        found = self.mixture()
        while self.sign(">>"):
            found = found >> self.mixture()
        return found

    def mixture(self) -> Ranker:
        found = self.term()
        while self.sign("+"):
            found = found + self.term()
        if self.sign("-"):
            raise UsageError(
                f"cannot read the ranker {shown(self.text)}: there is no minus, only + with weights of at least 0"
            )
        return found

    def term(self) -> Ranker:
        weight = None
        while (number := self.number()) is not None:
            if not self.sign("*"):
                raise self.trouble(f"* and a ranker after {number}")
            weight = float(number) if weight is None else weight * float(number)
        found = self.ranker() if weight is None else weight * self.ranker()
        while True:
            if self.sign("%"):
                if (number := self.number(WHOLE)) is None:
                    raise self.trouble("a whole number after %")
                found = found % int(number)
            elif self.sign("*"):
                if (number := self.number()) is None:
                    raise self.trouble("a number, as the weight,")
                found = found * float(number)
            else:
                return found

    def ranker(self) -> Ranker:
        if self.sign("("):
            self.deeper()
            found = self.ranking()
            if not self.sign(")"):
                raise self.trouble("a closing parenthesis")
            self.open -= 1
            return found
        match = TOKEN.match(self.text, self.at)
        if not match or not match["name"]:
            raise self.trouble("the name of a ranker")
        self.at = match.end()
        kind = known_rankers(combinations=True)[match["name"]]
        options = kind.options(_options(match["options"] or ""))
        if issubclass(kind, Combination):
            return kind(self.inner(kind.name), **options)
        if self.sign("("):
            raise UsageError(
                f"cannot read the ranker {shown(self.text)}: {kind.name} takes no parentheses, and parameters in "
                f"brackets: {kind.name}[name=value]. Made of other rankers are {', '.join(COMBINATIONS)}"
            )
        return kind(**options)

    def inner(self, name: str) -> tuple[Ranker, ...]:
        """Return the rankers in parentheses, of which a combination is made; none where there are none."""
        if not self.sign("("):
            return ()
        self.deeper()
        found: list[Ranker] = []
        while not self.sign(")"):
            if found and not self.sign(","):
                raise self.trouble("a comma or a closing parenthesis")
            if PARAMETER.match(self.text, self.at):
                raise UsageError(
                    f"cannot read the ranker {shown(self.text)}: parameters stand in brackets before the rankers, "
                    f"as in {name}[name=value](…)"
                )
            found.append(self.ranking())
        self.open -= 1
        return tuple(found)

    def deeper(self) -> None:
        """Count a parenthesis that was opened."""
        self.open += 1
        if self.open > MOST_SIGNS:
            raise UsageError(f"a ranker may have at most {MOST_SIGNS} open parentheses, got {shown(self.text)}")

    def number(self, form: re.Pattern[str] = NUMBER) -> str | None:
        match = TOKEN.match(self.text, self.at)
        if not match or not match["number"] or not form.fullmatch(match["number"]):
            return None
        self.at = match.end()
        return match["number"]

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
