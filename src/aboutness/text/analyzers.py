"""The analyzers that have names, and the small grammar that varies them: `english[stop=none,words=1-2]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from aboutness.core.errors import UsageError
from aboutness.core.registry import Registry
from aboutness.text.analyzer import Analyzer
from aboutness.text.stemmers import KROVETZ, snowball_languages
from aboutness.text.stopwords import STOP_LISTS

EXPRESSION = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<options>[^\[\]]*)\])?")
PUNCTUATION = r"[^\w\s]"


@dataclass(frozen=True)
class NamedAnalyzer:
    """A named analyzer: what it is for, and its definition (made when asked for)."""

    summary: str
    settings: dict[str, Any]
    stop: str = "none"

    def make(self, name: str) -> Analyzer:
        """Return the analyzer."""
        return Analyzer(name, stop=STOP_LISTS[self.stop](), **self.settings)


ANALYZERS: Registry[NamedAnalyzer] = Registry("analyzer")
for _name, _named in {
    "plain": NamedAnalyzer(r"lower case, tokens \w\w+", {}),
    "english": NamedAnalyzer("plain, without stop words, Snowball stems", {"stemmer": "english"}, "english"),
    "krovetz": NamedAnalyzer("plain, without stop words, Krovetz stems (ai2016)", {"stemmer": KROVETZ}, "english"),
    "galke2017": NamedAnalyzer(r"the paper's: lower case, \w\w+, no stop words, no stems", {}, "english"),
    "galke2017-w2v": NamedAnalyzer(r"the slides' for word2vec: \w\w*, no stop words", {"shortest": 1}, "english"),
    "galke2017-glove": NamedAnalyzer(
        r"the slides' for GloVe: punctuation split off, \S+, nothing left out",
        {"shortest": 1, "solo": PUNCTUATION},
    ),
    "bigrams": NamedAnalyzer(
        "english, then pairs of neighbouring stems", {"stemmer": "english", "words": (2, 2)}, "english"
    ),
    "letters": NamedAnalyzer("plain, then pieces of four letters", {"letters": (4, 4)}),
}.items():
    ANALYZERS.register(_name, _named)


def known_analyzers() -> Registry[NamedAnalyzer]:
    """Return the named analyzers and one for each further Snowball language (plain, then stems)."""
    known: Registry[NamedAnalyzer] = Registry("analyzer")
    for name, named in ANALYZERS.items():
        known.register(name, named)
    for language in snowball_languages():
        if (name := language.replace("_", "-")) not in known:
            known.register(name, NamedAnalyzer("plain, then Snowball stems", {"stemmer": language}))
    return known


def analyzer(expression: str | Analyzer) -> Analyzer:
    """Return the analyzer that `expression` names, with its options.

    >>> analyzer("plain[shortest=1,words=1-2]").terms("a b c")
    ['a', 'b', 'a b', 'c', 'b c']
    """
    if isinstance(expression, Analyzer):
        return expression
    match = EXPRESSION.fullmatch(expression.strip())
    if not match:
        raise UsageError(f"an analyzer is written name or name[option=value,…], got {expression!r}")
    name = match["name"]
    named = ANALYZERS[name] if name in ANALYZERS else known_analyzers()[name]
    options = _options(text for text in (match["options"] or "").split(",") if text.strip())
    if "stop" in options:
        named = replace(named, stop="none")
    return replace(named.make(expression.strip()), **options)


def varied(analyzer: Analyzer, options: str) -> Analyzer:
    """Return an analyzer with other options, which stand in brackets.

    >>> varied(analyzer("english[stop=none]"), "[words=2]").name
    'english[stop=none][words=2]'
    """
    changes = _options(options.strip("[]").split(","))
    return replace(analyzer, name=analyzer.name + options, **changes)


def _options(texts: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in map(_option, texts):
        if name in found:
            raise UsageError(f"the analyzer option {name!r} stands twice")
        found[name] = value
    return found


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or name not in OPTIONS:
        raise UsageError(f"unknown analyzer option {text.strip()!r}. Known: {', '.join(OPTIONS)}")
    field, read, _help = OPTIONS[name]
    try:
        return field, read(value)
    except (ValueError, KeyError):
        raise UsageError(f"{name} must be {_help}, got {value!r}") from None


def _flag(value: str) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[value]


def _whole(value: str) -> int:
    if not re.fullmatch("-?[0-9]{1,3}", value):
        raise ValueError(value)
    return int(value)


def _span(value: str) -> tuple[int, int]:
    low, dash, high = value.partition("-")
    return _whole(low), _whole(high if dash else low)


def _stemmer(value: str) -> str:
    return "" if value == "none" else value


Reader = Callable[[str], Any]
OPTIONS: dict[str, tuple[str, Reader, str]] = {
    "lowercase": ("lowercase", _flag, "true or false"),
    "shortest": ("shortest", _whole, "a whole number"),
    "stop": ("stop", lambda value: STOP_LISTS[value](), "the name of a stop list"),
    "stem": ("stemmer", _stemmer, "none, krovetz or a language"),
    "words": ("words", _span, "n or low-high"),
    "letters": ("letters", _span, "n or low-high"),
}
