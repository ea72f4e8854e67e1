"""Words to stems: Snowball for many languages, Krovetz for ai2016, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from aboutness.core.errors import UsageError

StemWords: TypeAlias = Callable[[Sequence[str]], list[str]]

KROVETZ = "krovetz"
KROVETZ_LONGEST = 25  # the Krovetz algorithm leaves longer words alone, and its buffers end soon after


@cache
def snowball_languages() -> tuple[str, ...]:
    """Return the languages that Snowball knows."""
    import Stemmer

    return tuple(sorted(Stemmer.algorithms()))


def stem_words(stemmer: str) -> StemWords:
    """Return a function from words to stems; make one for each thread, since stemmers are not shared."""
    if not stemmer:
        return list
    return _krovetz() if stemmer == KROVETZ else _snowball(stemmer)


def check_stemmer(stemmer: str) -> None:
    """Raise unless `stemmer` is empty, krovetz or a Snowball language."""
    if stemmer and stemmer != KROVETZ and stemmer not in snowball_languages():
        known = ", ".join(("none", KROVETZ, *snowball_languages()))
        raise UsageError(f"unknown stemmer {stemmer!r}. Known: {known}")


def _snowball(language: str) -> StemWords:
    import Stemmer

    check_stemmer(language)
    stemmer = Stemmer.Stemmer(language, 0)  # 0: no cache, since each distinct word comes only once
    stem: StemWords = stemmer.stemWords
    return stem


def _krovetz() -> StemWords:
    try:
        from krovetzstemmer import Stemmer
    except ImportError:
        raise UsageError(
            "the Krovetz stemmer is not installed; install it with: pip install 'aboutness[krovetz]'"
        ) from None
    stem = Stemmer().stem

    def stem_all(words: Sequence[str]) -> list[str]:
        return [stem(word) if word.isascii() and len(word) <= KROVETZ_LONGEST else word for word in words]

    return stem_all
