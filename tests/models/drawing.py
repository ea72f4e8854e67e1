"""Random models, collections and questions: what the tests of every model are run on.

A model's parameters are drawn from what their kinds declare. Whoever adds a kind adds it to `inside` and
`outside`, and the tests then know it. What a model says it needs is trained for it; where that takes a library that
need not be installed, it is named in `LIBRARIES`.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, singledispatch
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.kinds import Choice, FieldWeights, Kind, Number, OptionalName, OptionalNumber
from aboutness.core.record import Document
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.models.known import MODELS
from aboutness.models.model import Model
from aboutness.models.question import Question
from aboutness.models.trained import texts_of
from aboutness.text.strings import StringTable
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.kept import KIND
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import PV
from aboutness.vectors.trainer import DocumentTrainer
from aboutness.vectors.walks import Walks
from aboutness.vectors.words import WordVectors
from experiment.small import quick

FIELDS = {"title": 1.0, "text": 1.0, "see also": 0.7}
LAYERS = {"main": "plain", "pairs": "plain[words=1-2]"}
WORDS = ["aa", "bb", "cc", "dd", "ee", "ff", "über"]
UNKNOWN = ["zz", "yy"]
TRAINED_ON = "main"  # the layer
ROWS = OptionalName("rows of documents in the index")
OTHERS = {"walks": Walks(), "dm": PV(architecture="dm")}  # no model needs them, but some take them
LIBRARIES = {"lda": "tomotopy"}  # what ways of training need that need not be installed

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
    return st.none() | st.dictionaries(st.sampled_from(list(FIELDS)), weights_of_fields(), min_size=1)


def weights_of_fields() -> st.SearchStrategy[float]:
    return st.sampled_from([1.0, 3.0, 0.3]) | inside(Number(0, open=True))


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
    for trained_as, way in rows_for(kind):
        values |= {one.name: st.sampled_from([None, trained_as]) for one in kind.declared() if one.kind == ROWS}
        values |= {"layer": st.sampled_from([None, TRAINED_ON]), "fields": st.none() | trained_fields(way)}
    return st.fixed_dictionaries(values).map(lambda values: kind(**values))


def rows_for(kind: type[Model]) -> list[tuple[str, DocumentTrainer]]:
    """The rows of documents that a model needs: the name they have, and how they are trained."""
    return [(name, way) for name, way in kind().needs(Trained()) if isinstance(way, DocumentTrainer)]


def trained_fields(way: DocumentTrainer) -> st.SearchStrategy[Any]:
    """All fields that were trained on; with their weights where these made a difference, else with any."""
    return st.fixed_dictionaries(
        {name: st.sampled_from([None, weight]) for name, weight in FIELDS.items()}
        if way.space.weighted
        else dict.fromkeys(FIELDS, st.none() | weights_of_fields())
    )


def lacking(kind: type[Model]) -> str:
    """The library without which a model's rows cannot be trained here; "" where nothing is lacking."""
    wanted = (LIBRARIES.get(way.name, "") for _, way in rows_for(kind))
    return next((library for library in wanted if library and not find_spec(library)), "")


def every(names: Iterable[str] = MODELS) -> pytest.MarkDecorator:
    """Run a test for every model, but for those that cannot be had here: these are skipped."""
    missing = {name: lacking(MODELS[name]) for name in names}
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=pytest.mark.skipif(bool(library), reason=f"{library} is not installed"))
            for name, library in missing.items()
        ],
    )


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


@cache
def trained_spaces() -> dict[str, DocumentSpace]:
    """Rows of documents that no index has: what models need, by the names they look for, and others."""
    chance = random.Random(7)
    words = [*WORDS[:-1] * 5, *(f"w{n}" for n in range(400) if n % 7), "unheard"]  # and not "über"
    tokens = chance.sample(words * 2, len(words) * 2)
    texts = [" ".join(tokens[first : first + 10]) for first in range(0, len(tokens), 10)]
    ways = {name: way for kind in MODELS.values() if not lacking(kind) for name, way in rows_for(kind)}
    return {name: quick(way).train(texts, threads=1) for name, way in (ways | OTHERS).items()}


def early(identifier: str) -> bool:
    """Tell of some documents that they were trained on; the others came later."""
    return zlib.crc32(identifier.encode()) % 3 > 0


def keep_trained(index: Index, names: Iterable[str], trained_on: Callable[[str], bool]) -> None:
    """Keep in an index what models need: as if the documents that are told of had been trained on."""
    snapshot = index.snapshot
    view = snapshot.view(TRAINED_ON)
    chosen = np.zeros(view.size, np.bool_)
    ids = [identifier for identifier in snapshot.ids() if trained_on(identifier)]
    chosen[snapshot.numbers(ids)] = True
    with index.writing() as writer:
        for name in names:
            space = trained_spaces()[name]
            made = space.with_rows(rows_of(space, view, chosen, ids), view.arrivals[chosen]).with_provenance(
                layer=view.layer,
                fields=list(FIELDS),
                **({"weights": FIELDS} if space.weighted else {}),
                documents=snapshot.documents,
                arrivals=snapshot.manifest.arrivals,
                generation=snapshot.generation,
            )
            writer.save_artefact(name, made.kind, made.arrays(), made.provenance)


def rows_of(space: DocumentSpace, view: LayerView, chosen: Any, ids: Sequence[str]) -> Any:
    """Rows that depend on the document alone: where training and inference differ, some that were trained."""
    texts = texts_of(view, chosen, space)
    rows = space.infer(texts, threads=1)
    if isinstance(space, ParagraphSpace):
        some = space.rows[[zlib.crc32(identifier.encode()) % len(space) for identifier in ids]]
        rows = np.where((np.diff(texts.ends, prepend=0) > 0)[:, None], some, rows)
    return rows


def index_of(
    *parts: Documents,
    dead: Collection[str] = (),
    path: Any = None,
    names: Collection[str] = (),
    trained_on: Callable[[str], bool] = early,
) -> Index:
    """An index to which the parts are added one after the other, each a segment; then some are deleted.

    It has word vectors, and of what else models need that which is named, trained on some of the documents.
    """
    layers = {name: analyzer for name, analyzer in LAYERS.items() if name != "main"}
    index = Index.build([], path, analyzer=LAYERS["main"], layers=layers, weights=FIELDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        patch.setattr("aboutness.index.writer.hollow", lambda _: -1)
        with index.writing() as writer:
            for part in parts:
                writer.add(part)
                writer.commit()
            writer.save_artefact("words", KIND, word_vectors().arrays(), {})
        if names:
            keep_trained(index, names, trained_on)
        if dead:
            with index.writing() as writer:
                writer.delete(dead)
    assert len(index.snapshot.segments) == sum(1 for part in parts if part)
    return index


def ready(*parts: Documents, **how: Any) -> Index:
    """The same with all that any model needs."""
    return index_of(*parts, names=[name for name in trained_spaces() if name not in OTHERS], **how)


def folded_in(*parts: Documents, **how: Any) -> Index:
    """The same, but all documents came after the training: each has the row that its text gets."""
    return ready(*parts, trained_on=lambda _: False, **how)


def ready_for(model: str, *parts: Documents, **how: Any) -> Index:
    """The same with what one model needs."""
    return index_of(*parts, names=[name for name, _ in rows_for(MODELS[model])], **how)


# --- collections that are made once ------------------------------------------------------------------------------

Make = Callable[..., Index]
SEEDS = st.integers(0, 19)  # indexes take longer to make than to search: these are used again and again
FEW_SEEDS = st.integers(0, 7)  # where each makes several indexes


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
def made(seed: int, make: Make = index_of) -> Index:
    """An index of one to three segments, some documents dead, but not all."""
    documents, chance = documents_of(seed), random.Random(seed)
    first, second = sorted(chance.randint(0, len(documents)) for _ in range(2))
    dead = [document.id for document in chance.sample(documents, min(chance.randrange(4), len(documents) - 1))]
    return make(documents[:first], documents[first:second], documents[second:], dead=dead)


@cache
def permuted(seed: int, make: Make = index_of) -> tuple[Index, Index]:
    """An index, and one of the same documents in another order."""
    documents = documents_of(seed)
    return make(documents), make(random.Random(seed).sample(documents, len(documents)))


@cache
def histories(seed: int, make: Make = index_of) -> list[Index]:
    """Indexes of the same documents: made at once, in pieces, and with others that were deleted; then merged."""
    documents, chance = documents_of(seed), random.Random(seed)
    first, second = sorted(chance.randint(0, len(documents)) for _ in range(2))
    parts = documents[:first], documents[first:second], documents[second:]
    gone = named([document.fields for document in documents_of(seed + 1)], "gone")
    with_gone = gone[:3] + parts[0], parts[1] + gone[3:], parts[2]
    dead = [document.id for document in gone]
    made = [
        make(documents),
        *(make(*parts) for _ in "12"),
        *(make(*with_gone, dead=dead) for _ in "12"),
    ]
    made[2].merge()
    with made[4].writing() as writer:  # rows stay as they are
        writer.merge()
    return made


@cache
def changed(seed: int) -> tuple[Index, Index]:
    """An index whose documents came and went after it was trained, and one made at once of those it then has."""
    documents, chance = documents_of(seed), random.Random(seed)
    cut = chance.randint(0, len(documents))
    index = ready(documents[:cut], named([{"text": "aa ee"}], "first"))
    others = [document.fields for document in documents_of(seed + 1)]
    updated = [Document(document.id, chance.choice(others)) for document in documents if chance.random() < 0.3]
    dead = {document.id for document in documents if chance.random() < 0.3}
    with index.changes() if seed % 2 else index.writing() as writer:
        writer.add(documents[cut:])
        writer.add(updated, update=True)
        writer.delete(dead)
    if seed % 4 < 2:
        with index.writing() as writer:
            writer.merge()
    late = {document.id for document in documents[cut:] + updated}
    return index, ready(list(index), trained_on=lambda identifier: early(identifier) and identifier not in late)


@cache
def large(whole: bool = False, make: Make = index_of) -> Index:
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
        return make([document for document in documents if document.id not in dead], trained_on=lambda _: True)
    return make(documents[:4500], documents[4500:], dead=sorted(dead), trained_on=lambda i: not i.endswith("7"))


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
