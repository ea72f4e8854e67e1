"""Lists of words that are left out, by name.

`english` is this project's own list: the closed classes of English grammar, whose words carry structure and
hardly ever a subject. `sklearn` is scikit-learn's list, taken from that package where it is installed. Either
way the words themselves are stored with the analyzer, so an index never depends on the list of another day.
"""

from __future__ import annotations

from collections.abc import Callable

from aboutness.core.errors import UsageError
from aboutness.core.registry import Registry

CLOSED_CLASSES = {
    "articles and demonstratives": "a an the this that these those such",
    "personal pronouns": "i me my mine myself we us our ours ourselves you your yours yourself yourselves "
    "he him his himself she her hers herself it its itself they them their theirs themselves one oneself",
    "indefinite pronouns and quantifiers": "all any anybody anyone anything both each either enough every "
    "everybody everyone everything few fewer least less many more most much neither nobody none no nothing "
    "other others another own same several some somebody someone something somewhat",
    "question words and relatives": "who whom whose which what whatever whichever whoever when whenever where "
    "wherever whereas whereby wherein whither why how however",
    "forms of be, have and do": "am is are was were be been being have has had having do does did doing done",
    "modal verbs": "can cannot could may might must ought shall should will would",
    "conjunctions": "and or but nor if unless until till because although though while whilst since so than "
    "whether as lest",
    "prepositions": "about above across after against along among amongst around at before behind below beneath "
    "beside besides between beyond by despite down during except for from in inside into near of off on onto "
    "out outside over per through throughout to toward towards under up upon via with within without",
    "adverbs of place, time and order": "here there hence thence then thereby therefore thereafter therein "
    "thereupon thus now again already also always almost alone elsewhere ever everywhere further furthermore "
    "indeed just later meanwhile moreover mostly never nevertheless next not often only otherwise perhaps quite "
    "rather sometimes somewhere still together too very well yet anyhow anyway anywhere afterwards else even "
    "formerly hereafter hereby nowhere once",
    "what is left of contractions": "ain aren couldn didn doesn don hadn hasn haven isn ll mustn needn re shan "
    "shouldn ve wasn weren won wouldn",
    "abbreviations of connection": "eg etc ie vs",
}


def _own_english() -> tuple[str, ...]:
    return tuple(sorted({word for words in CLOSED_CLASSES.values() for word in words.split()}))


def _of_sklearn() -> tuple[str, ...]:
    try:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
    except ImportError:
        raise UsageError(
            "the stop list 'sklearn' is read from scikit-learn, which is not installed; "
            "install it with: pip install scikit-learn"
        ) from None
    return tuple(sorted(ENGLISH_STOP_WORDS))


STOP_LISTS: Registry[Callable[[], tuple[str, ...]]] = Registry("stop list")
STOP_LISTS.register("none", tuple)
STOP_LISTS.register("english", _own_english)
STOP_LISTS.register("sklearn", _of_sklearn)
