"""Random models, collections and questions: what the tests of every model are run on.

A model's parameters are drawn from what their kinds declare. Whoever adds a kind adds it to `inside` and
`outside`, and the tests then know it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, singledispatch
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.kinds import Choice, FieldWeights, Kind, Number, OptionalName, OptionalNumber
from aboutness.core.record import Document
from aboutness.index.snapshot import Snapshot
from aboutness.models.known import MODELS
from aboutness.models.model import Model
from aboutness.models.question import Question
from aboutness.text.strings import StringTable
from aboutness.vectors.kept import KIND
from aboutness.vectors.words import WordVectors

FIELDS = {"title": 1.0, "text": 1.0, "see also": 0.7}
LAYERS = {"main": "plain", "pairs": "plain[words=1-2]"}
WORDS = ["aa", "bb", "cc", "dd", "ee", "ff", "über"]
UNKNOWN = ["zz", "yy"]

# --- models ----------------------------------------------------------------------------------------------------


@singledispatch
def inside(kind: Kind) -> st.SearchStrategy[Any]:
    """Values that a kind allows."""
    raise NotImplementedError(f"the tests know no values of the kind {kind}: add them to models.drawing")


@inside.register
def _(kind: Number) -> st.SearchStrategy[Any]:
    most = kind.most if math.isfinite(kind.most) else 1e9
    least = kind.least + 1e-9 if kind.open else kind.least
    ends = st.sampled_from([least, most])
    return st.one_of(st.floats(least, most), st.floats(least, min(most, least + 3)), ends)


@inside.register
def _(kind: OptionalNumber) -> st.SearchStrategy[Any]:
    return st.none() | inside(Number(kind.least, kind.most, kind.open))


@inside.register
def _(kind: Choice) -> st.SearchStrategy[Any]:
    return st.sampled_from(kind.words)


@inside.register
def _(kind: OptionalName) -> st.SearchStrategy[Any]:
    return st.sampled_from([None, *LAYERS]) if kind.of == "a layer of the index" else st.none()


@inside.register
def _(kind: FieldWeights) -> st.SearchStrategy[Any]:
    weights = st.sampled_from([1.0, 3.0, 0.3]) | inside(Number(0, open=True))
    return st.none() | st.dictionaries(st.sampled_from(list(FIELDS)), weights, min_size=1)


@singledispatch
def outside(kind: Kind) -> list[Any]:
    """Values that a kind must refuse."""
    raise NotImplementedError(f"the tests know no values outside the kind {kind}: add them to models.drawing")


@outside.register
def _(kind: Number) -> list[Any]:
    wrong = [kind.least - 1, math.inf, -math.inf, math.nan, "1", "", True, [1.0], None]
    wrong += [kind.least] if kind.open else []
    return wrong + ([kind.most + 1, math.nextafter(kind.most, math.inf)] if math.isfinite(kind.most) else [])


@outside.register
def _(kind: OptionalNumber) -> list[Any]:
    return [value for value in outside(Number(kind.least, kind.most, kind.open)) if value is not None]


@outside.register
def _(kind: Choice) -> list[Any]:
    return ["no such word", "", kind.words[0].upper(), 1, None, list(kind.words)]


@outside.register
def _(kind: OptionalName) -> list[Any]:
    return ["", " blank before", "a,b", "a[b]", "a=b", 1]


@outside.register
def _(kind: FieldWeights) -> list[Any]:
    weights = [0, -1, math.inf, math.nan, "1", True]
    return [*({"title": weight} for weight in weights), {}, [], "", "0*title", "x*title", "title+title", 1, [1]]


def models(name: str) -> st.SearchStrategy[Model]:
    """Models of a name, with parameters from their declared ranges."""
    kind = MODELS[name]
    values = {one.name: st.just(one.default) | inside(one.kind) for one in kind.declared()}
    return st.fixed_dictionaries(values).map(lambda values: kind(**values))


# --- collections -----------------------------------------------------------------------------------------------

Documents = list[Document]


def texts(words: Sequence[str] = WORDS, longest: int = 6) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(words), max_size=longest).map(" ".join)


def collections() -> st.SearchStrategy[Documents]:
    """Documents over few words: some are empty, some lack fields, some are equal to others."""
    bodies = st.lists(st.dictionaries(st.sampled_from(list(FIELDS)), texts()), min_size=1, max_size=8)
    return bodies.flatmap(lambda some: st.lists(st.sampled_from(some), min_size=1, max_size=12).map(named))


def named(bodies: Iterable[Mapping[str, str]], prefix: str = "d") -> Documents:
    return [Document(f"{prefix}{n}", dict(body)) for n, body in enumerate(bodies)]


@cache
def word_vectors() -> WordVectors:
    """Vectors for most words: two words have the same, one has 0 in one space, "über" has none."""
    words = [*WORDS[:-1], "aa bb", "bb cc", *(f"w{n}" for n in range(400) if n % 7), "unheard"]
    chance = np.random.default_rng(6)
    spaces = {space: chance.normal(size=(len(words), 5)).astype(np.float32) for space in ("in", "out")}
    for space in spaces.values():
        space[3] = space[2]
    spaces["out"][5] = 0
    return WordVectors(StringTable.of(words), spaces)


def index_of(*parts: Documents, dead: Collection[str] = (), path: Any = None) -> Index:
    """An index to which the parts are added one after the other, each a segment; then some are deleted."""
    layers = {name: analyzer for name, analyzer in LAYERS.items() if name != "main"}
    index = Index.build([], path, analyzer=LAYERS["main"], layers=layers, weights=FIELDS)
    with pytest.MonkeyPatch.context() as patch, index.changes() as writer:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        patch.setattr("aboutness.index.writer.hollow", lambda _: -1)
        for part in parts:
            writer.add(part)
            writer.commit()
        writer.delete(dead)
        writer.save_artefact("words", KIND, word_vectors().arrays(), {})
    assert len(index.snapshot.segments) == sum(1 for part in parts if part)
    return index


# --- collections that are made once ------------------------------------------------------------------------------

SEEDS = st.integers(0, 19)  # indexes take longer to make than to search: these are used again and again


@cache
def documents_of(seed: int) -> Documents:
    """Up to twelve documents; now and then all of them empty, equal, or of one word."""
    chance = random.Random(seed)
    words = chance.sample(WORDS, chance.choice([1, 3, len(WORDS), len(WORDS)]))

    def text() -> str:
        return " ".join(chance.choices(words, k=chance.choice([0, 0, 1, 2, 3, 6])))

    bodies = [{name: text() for name in FIELDS if chance.random() < 0.7} for _ in range(chance.choice([1, 4, 9]))]
    size = len(bodies)
    bodies += chance.choices(bodies, k=chance.randrange(4))
    return named(bodies if seed else [{} for _ in range(size)])


@cache
def made(seed: int) -> Index:
    """An index of one to three segments, some documents dead, but not all."""
    documents, chance = documents_of(seed), random.Random(seed)
    first, second = sorted(chance.randint(0, len(documents)) for _ in range(2))
    dead = [document.id for document in chance.sample(documents, min(chance.randrange(4), len(documents) - 1))]
    return index_of(documents[:first], documents[first:second], documents[second:], dead=dead)


@cache
def permuted(seed: int) -> tuple[Index, Index]:
    """An index, and one of the same documents in another order."""
    documents = documents_of(seed)
    return index_of(documents), index_of(random.Random(seed).sample(documents, len(documents)))


@cache
def histories(seed: int) -> list[Index]:
    """Indexes of the same documents: made at once, in pieces, and with others that were deleted; then merged."""
    documents, chance = documents_of(seed), random.Random(seed)
    first, second = sorted(chance.randint(0, len(documents)) for _ in range(2))
    parts = documents[:first], documents[first:second], documents[second:]
    gone = named([document.fields for document in documents_of(seed + 1)], "gone")
    with_gone = gone[:3] + parts[0], parts[1] + gone[3:], parts[2]
    dead = [document.id for document in gone]
    made = [
        index_of(documents),
        *(index_of(*parts) for _ in "12"),
        *(index_of(*with_gone, dead=dead) for _ in "12"),
    ]
    made[2].merge()
    made[4].merge()
    return made


@cache
def large(whole: bool = False) -> Index:
    """Several thousand documents with short and long texts: two segments with some dead, or a whole one."""
    chance = random.Random(3)
    words = [f"w{n}" for n in range(400)]
    weights = [1 / (n + 1) for n in range(400)]
    bodies = [
        {"text": " ".join(chance.choices(words, weights, k=chance.randrange(12))), "title": chance.choice(words)}
        for _ in range(7000)
    ]
    documents = named(bodies)
    dead = {"d0", "d4499", "d4500", "d6999", *(f"d{chance.randrange(7000)}" for _ in range(90))}
    if whole:
        return index_of([document for document in documents if document.id not in dead])
    return index_of(documents[:4500], documents[4500:], dead=sorted(dead))


def large_questions() -> list[Question]:
    """Questions to a large index: rare and frequent words together, and each alone."""
    chance = random.Random(4)
    ranks = [0, 1, 2, 5, 20, 60, 150, 399]
    some = [Question(" ".join(f"w{chance.choice(ranks)}" for _ in range(size))) for size in (1, 2, 3, 5, 9) * 4]
    return [*some, Question("w399 w0"), Question("w0"), Question("w300 w301 w0 w1"), Question(document=17)]


# --- questions -------------------------------------------------------------------------------------------------

Draft = Question | str  # or the id of a document, whose number differs from index to index


def drafts(documents: Documents | None = None) -> st.SearchStrategy[Draft]:
    """Questions of all forms, also with unknown words, and with none."""
    words = [*WORDS, *UNKNOWN]
    weights = st.sampled_from([0.0, 0.5, 1.0, 2.5])
    forms: list[st.SearchStrategy[Draft]] = [
        texts(words).map(Question),
        st.dictionaries(st.sampled_from(words), weights).map(lambda terms: Question(terms=terms)),
        st.dictionaries(st.sampled_from(list(FIELDS)), texts(words)).map(lambda some: Question(fields=some)),
    ]
    if documents:
        forms.append(st.sampled_from([document.id for document in documents]))
    return st.one_of(forms)


def asked(draft: Draft, snapshot: Snapshot) -> Question:
    """The question to one index."""
    return Question(document=snapshot.number(draft)) if isinstance(draft, str) else draft


def questions(index: Index) -> st.SearchStrategy[Question]:
    """Questions to one index."""
    return drafts(list(index)).map(lambda draft: asked(draft, index.snapshot))
