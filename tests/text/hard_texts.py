"""Texts that are hard for a tokeniser, and analyzers of every kind."""

from __future__ import annotations

from importlib.util import find_spec

from hypothesis import strategies as st

from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import ANALYZERS, analyzer

PUNCTUATION = r"[^\w\s]"

EXPRESSIONS = [
    *(name for name in ANALYZERS if name != "krovetz" or find_spec("krovetzstemmer")),
    "plain[shortest=1]",
    "plain[shortest=5]",
    "plain[lowercase=no]",
    "plain[words=1-3,shortest=1]",
    "english[stop=none]",
    "english[words=1-2]",
    "english[words=3,shortest=1]",
    "plain[words=12,shortest=1]",
    "plain[stop=sklearn,lowercase=no]",
    "turkish",
    "greek[letters=3]",
    "german[shortest=1,words=2-4]",
    "letters[letters=1-3]",
    "letters[letters=2-5,stop=english,shortest=1]",
    "letters[lowercase=no,letters=12]",
    "galke2017-glove[lowercase=no]",
    "galke2017-glove[words=1-2,shortest=3]",
    "galke2017-glove[stem=russian,letters=2]",
]

OWN = [
    Analyzer("ASCII letters", token="[a-z]"),
    Analyzer("ASCII capitals", token="[A-Z]", lowercase=False, shortest=1),
    Analyzer("what is not blank", token=r"\S", shortest=1),
    Analyzer("everything", token=r"(?s:.)", shortest=1, stemmer="english"),
    Analyzer("overlapping", token=r"\S", solo=PUNCTUATION, shortest=1),
    Analyzer("solo letters", token=r"\w", solo="[aé中𐐨]", shortest=2),
    Analyzer("solo capitals", token=r"\w", solo="[AÉ]", shortest=1),
    Analyzer("alternatives", token=r"\d|[^\W_]|'", shortest=2),
    Analyzer("own stop words", stop=("der", "ß", "i̇", "ο", "σας"), shortest=1),
]

# Letters whose lower case is longer, shorter, elsewhere or depends on neighbours; marks, joiners, ligatures;
# digits of other scripts; what ends lines; both ends of each width in UTF-8.
SPECIAL = (
    "ıİiIǰŉΐΰΣσςßẞſKÅªºǅﬁﬃﬓ\u0301\u0307\u0345\u200d\u200c\ufe0f\u00ad"
    "𝔘𐐀𐐨𞤀𞤢😀👩🏽٣७๙𝟘Ⅷⅷ²½〇中あ한ก"
    "\0\t\n\r\x0b\x0c\x1c\x1f\x85\u2028\u2029\u00a0\u3000_-'’.·՚"
    "\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"
)
characters = (
    st.sampled_from("abcdefgstheAEIORZ 0") | st.sampled_from(SPECIAL) | st.characters(exclude_categories=["Cs"])
)
hard_words = st.sampled_from(
    ["the", "RUNNING", "ΟΔΟΣ", "Σ", "İstanbul", "STRASSE", "ﬁnal", "12345678", "a" * 16, "é" * 8]
)
texts = st.text(characters, max_size=24) | st.lists(hard_words | st.text(characters, max_size=4), max_size=6).map(
    " ".join
)


def all_analyzers() -> list[Analyzer]:
    return [*map(analyzer, EXPRESSIONS), *OWN]
