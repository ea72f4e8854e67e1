"""Models on trained rows: which training they read, what they say where there is none, and rows of new documents."""

from __future__ import annotations

import shlex
from functools import cache

import numpy as np
import pytest
from typer.testing import CliRunner

from aboutness import Index
from aboutness.cli.main import app
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.index.borrowed import borrowing
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.doc2vec import Doc2Vec
from aboutness.models.pv_lm import EPVDLM, EPVDRJLM, EPVDRLM, PVLM
from aboutness.models.question import Question
from aboutness.models.trained import on_all, text_of, texts_of
from aboutness.vectors.documents import KIND, DocumentSpace
from aboutness.vectors.kept import space_of
from aboutness.vectors.pv import EPV, PV
from models.drawing import index_of, named

SMALL = {"dim": 4, "epochs": 3, "min_count": 1}
OPTIONS = ["--dim", "4", "--epochs", "3", "--min-count", "1", "--threads", "1"]
BODIES = [
    {"title": "aa bb", "text": "aa aa cc"},
    {"text": "bb cc dd dd dd"},
    {},
    {"title": "ff", "text": "ff gg"},
    {"title": "dd", "text": "aa ee", "see also": "cc"},
    {"text": "ee ee bb"},
]


def with_spaces(snapshot, **spaces):
    """The same documents with what was trained, which is only in memory."""
    view = snapshot.view()
    told = {"layer": view.layer, "fields": list(view.field_names)}
    made = {name: space.with_provenance(**{**told, **space.provenance}) for name, space in spaces.items()}
    entries = {
        name: ArtefactEntry(name, KIND, dict(space.provenance), None, 1, "", FileEntry(f"{name}.file", 0, 0))
        for name, space in made.items()
    }
    arrays = {name: space.arrays() for name, space in made.items()}
    return Snapshot(
        snapshot.folder, snapshot.manifest, snapshot.segments, Trained(snapshot.folder, entries, arrays)
    )


@cache
def small():
    return index_of(named(BODIES[:4]), named(BODIES[4:], "e"))


def trained(way=None, index=None):
    index = index or small()
    way = way or PV(**SMALL)
    return with_spaces(index.snapshot, **{way.name: way.train(index.view(), threads=1)})


def built(path=None):
    return Index.build(named(BODIES), path, analyzer="plain")


# --- which training ---------------------------------------------------------------------------------------------

MODELS = [PVLM(), EPVDLM(), EPVDRLM(), EPVDRJLM(), Doc2Vec()]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)


@every_model
def test_what_is_needed_where_there_is_nothing(model):
    name, way = model.wanted()
    assert model.needs(Trained()) == [(name, way)]
    named_so = type(model)(vectors=name)
    assert named_so.needs(Trained()) == [(name, way)]
    assert type(model)(vectors="mine").needs(Trained()) == []  # nobody knows how to train it


@every_model
def test_without_a_training_the_command_is_told_that_makes_it_work(model, tmp_path):
    """The command of the message is run as it is, but for what makes it quick."""
    index = built(tmp_path / "x.index")
    with pytest.raises(NotFound) as caught:
        model.bind(index.snapshot)
    told, command = str(caught.value).split("; run: ")
    assert told == f"{model.name} needs documents to be trained on, which {index.path} has not been for it"
    program, *arguments = shlex.split(command)
    assert program == "aboutness"
    ran = CliRunner().invoke(app, [*arguments, *OPTIONS], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    opened = Index.open(index.path)
    assert model.needs(opened.snapshot.trained) == []
    assert model.entry(opened.snapshot.trained).name == model.wanted()[0]
    assert len(model.bind(opened.snapshot).top(Question("dd"), match="all")) > 3
    again = type(model)(vectors=model.wanted()[0])
    assert again.needs(opened.snapshot.trained) == []
    assert again.bind(opened.snapshot).top(Question("dd")).scores.tolist() == (
        model.bind(opened.snapshot).top(Question("dd")).scores.tolist()
    )


def test_of_several_one_must_be_named():
    index = built()
    for name in ("one", "two"):
        index.train(PV(**SMALL), name=name, threads=1)
    index.train(EPV(**SMALL), threads=1)
    for model in (PVLM(), Doc2Vec()):
        assert model.needs(index.snapshot.trained) == []
        with pytest.raises(UsageError) as caught:
            model.bind(index.snapshot)
        assert str(caught.value) == (
            f"{index.path} has several trainings for {model.name}; name one: one, two ({model.name}[vectors=one])"
        )
        assert type(model)(vectors="two").entry(index.snapshot.trained).name == "two"
    assert EPVDRJLM().entry(index.snapshot.trained).name == "epv"
    index.train(PV(**SMALL), threads=1)
    for model in (PVLM(), Doc2Vec()):  # the usual name decides
        assert model.entry(index.snapshot.trained).name == "pv"


def test_a_name_that_is_not_there():
    snapshot = trained()
    with pytest.raises(NotFound, match=r"has no trained rows 'mine'\. It has: pv$"):
        PVLM(vectors="mine").bind(snapshot)
    with pytest.raises(NotFound, match=r"has no trained rows 'mine'\. It has: none$"):
        PVLM(vectors="mine").bind(small().snapshot)


def test_word_vectors_are_no_rows_of_documents():
    index = built()
    index.train("word2vec", dim=4, min_count=1, epochs=2, threads=1)
    with pytest.raises(NotFound, match=r"has no trained rows 'word2vec'\. It has: none"):
        Doc2Vec(vectors="word2vec").bind(index.snapshot)


def test_what_is_named_must_be_of_the_right_kind():
    index = built()
    index.train(PV(**SMALL, architecture="dm"), name="mine", threads=1)
    assert Doc2Vec(vectors="mine").bind(index.snapshot)
    with pytest.raises(UsageError) as caught:
        PVLM(vectors="mine").bind(index.snapshot)
    assert str(caught.value) == (
        "'mine' was trained by 'pv', and pv-lm needs something of another kind; run: index.train(\"pv\")"
    )


def test_arrays_that_are_damaged():
    snapshot = trained()
    arrays = dict(snapshot.trained.arrays)
    for broken in ({}, {**arrays["pv"], "about": np.zeros(3, np.uint8)}, OSError("gone")):
        other = Trained(snapshot.folder, snapshot.trained.entries, {"pv": broken})
        with pytest.raises(DamagedIndex):
            PVLM().bind(Snapshot(snapshot.folder, snapshot.manifest, snapshot.segments, other))


# --- what is read -----------------------------------------------------------------------------------------------


def test_the_layer_that_was_trained_on_is_read():
    index = small()
    space = PV(**SMALL).train(index.view("pairs"), threads=1).with_provenance(layer="pairs")
    snapshot = with_spaces(index.snapshot, pv=space)
    for model in (Doc2Vec(), Doc2Vec(layer="pairs"), PVLM(), PVLM(layer="pairs")):
        assert model.view(snapshot).layer == "pairs"
    for model in (Doc2Vec(layer="main"), PVLM(layer="main")):
        with pytest.raises(UsageError) as caught:
            model.bind(snapshot)
        assert str(caught.value) == (
            f"{model.name} was trained on the layer 'pairs', not on 'main'; train on that one under another name "
            "(--layer, --name)"
        )
    with pytest.raises(UsageError, match="no layer 'nope'"):
        Doc2Vec(layer="nope").bind(snapshot)


def test_the_fields_that_were_trained_on_are_read():
    index = small()
    space = PV(**SMALL).train(index.view(fields=["title", "text"]), threads=1)
    snapshot = with_spaces(index.snapshot, pv=space.with_provenance(fields=["title", "text"]))
    for fields in (None, "title+text", "text+title", "3*title+text"):
        view = PVLM(fields=fields).view(snapshot)
        read = {view.field_names[field]: float(view.weights[field]) for field in view.chosen.tolist()}
        assert read == {"title": 3.0 if fields and "3" in fields else 1.0, "text": 1.0}
    for fields in ("title", "title+text+see also"):
        with pytest.raises(UsageError) as caught:
            PVLM(fields=fields).bind(snapshot)
        assert str(caught.value) == (
            "pv-lm was trained on the fields title+text; to use others, train on them under another name "
            "(--field, --name)"
        )
    with pytest.raises(UsageError, match="no field 'nope'"):
        PVLM(fields="nope").bind(snapshot)


class Bags(DocumentSpace):
    """A space in which weights of fields count: a row is the sum of the words' vectors, each by its weight."""

    weighted = True

    def infer(self, texts, threads=None):
        del threads
        out = self.words.space("out")
        starts = [0, *texts.ends[:-1].tolist()]
        return np.array(
            [
                texts.weights[start:end] @ out[texts.words[start:end]]
                for start, end in zip(starts, texts.ends.tolist(), strict=True)
            ],
            np.float32,
        ).reshape(len(texts), self.dim)


def test_weights_that_were_trained_with_are_read():
    index = small()
    space = PV(**SMALL).train(index.view(), threads=1).with_provenance(weights={"title": 3.0, "text": 1.0})
    snapshot = with_spaces(index.snapshot, pv=space)
    for fields in (None, "3*title+text", "title+text"):
        view = PVLM(fields=fields).view(snapshot)
        assert dict(zip(view.field_names, view.weights.tolist(), strict=True)) == {
            "title": 3, "text": 1, "see also": 0,
        }  # fmt: skip
    for fields in ("2*title+text", "title"):
        with pytest.raises(UsageError, match=r"was trained on the fields 3\*title\+1\*text; to use others"):
            PVLM(fields=fields).bind(snapshot)


# --- documents and questions as texts ---------------------------------------------------------------------------


def told(space, texts):
    """Texts as words with weights."""
    words = list(space.words)
    starts = [0, *texts.ends[:-1].tolist()]
    return [
        [(words[word], float(weight)) for word, weight in zip(texts.words[s:e], texts.weights[s:e], strict=True)]
        for s, e in zip(starts[: len(texts)], texts.ends.tolist(), strict=True)
    ]


@cache
def spaces():
    """A space of words in their order and one of bags; of both words "gg" and "ff" are not known."""
    ordered = PV(**SMALL).train(["aa bb cc dd ee unheard"], threads=1)
    return ordered, Bags(ordered.words, ordered.rows, ordered.arrivals)


def test_documents_in_their_order_or_as_bags():
    index, (ordered, bags) = small(), spaces()
    view = index.view(fields={"title": 3.0, "text": 1.0})
    mask = np.array([True, False, True, True, True, False])
    assert told(ordered, texts_of(view, mask, ordered)) == [
        [("aa", 1), ("bb", 1), ("aa", 1), ("aa", 1), ("cc", 1)], [], [], [("dd", 1), ("aa", 1), ("ee", 1)],
    ]  # fmt: skip
    found = told(bags, texts_of(view, mask, bags))
    assert [dict(text) for text in found] == [{"aa": 5, "bb": 3, "cc": 1}, {}, {}, {"dd": 3, "aa": 1, "ee": 1}]
    assert len(texts_of(view, np.zeros(6, np.bool_), bags)) == 0
    assert len(texts_of(view, np.zeros(6, np.bool_), ordered)) == 0


def test_dead_documents_are_left_out():
    index = index_of(named(BODIES[:4]), named(BODIES[4:], "e"), dead=["d0", "e0"])
    for space in spaces():
        alive = index.view().alive
        assert len(texts_of(index.view(), alive, space)) == 4
        assert dict(told(space, texts_of(index.view(), alive, space))[-1]).keys() == {"ee", "bb"}


@pytest.mark.parametrize(
    ("question", "in_order", "as_bag"),
    [
        (Question("bb zz aa bb"), [("bb", 1), ("aa", 1), ("bb", 1)], {"bb": 2, "aa": 1}),
        (Question(""), [], {}),
        (Question("unheard ff"), [("unheard", 1)], {"unheard": 1}),
        (Question(terms={"dd": 2.5, "zz": 1, "aa": 0.5}), [("dd", 2.5), ("aa", 0.5)], {"dd": 2.5, "aa": 0.5}),
        (
            Question(fields={"text": "cc", "title": "aa bb", "see also": "dd"}),
            [("aa", 1), ("bb", 1), ("cc", 1)],
            {"aa": 3, "bb": 3, "cc": 1},
        ),
        (Question(document=4), [("dd", 1), ("aa", 1), ("ee", 1)], {"dd": 3, "aa": 1, "ee": 1}),
        (Question(document=2), [], {}),
    ],
    ids=str,
)
def test_questions_in_their_order_or_as_bags(question, in_order, as_bag):
    view, (ordered, bags) = small().view(fields={"title": 3.0, "text": 1.0}), spaces()
    (found,) = told(ordered, text_of(view, question, ordered))
    assert found == in_order
    (found,) = told(bags, text_of(view, question, bags))
    assert dict(found) == as_bag


# --- rows of all documents --------------------------------------------------------------------------------------


def test_where_nothing_has_changed_rows_are_read_as_they_are():
    snapshot = trained()
    space = space_of(snapshot.trained, "pv")
    assert on_all(snapshot.view(), space) is space


def rows_by_id(index, model=None):
    """The row of every living document, and the row that its text has by inference."""
    view = (model or Doc2Vec()).view(index.snapshot)
    space = space_of(index.snapshot.trained, "pv")
    rows, numbers = on_all(view, space).rows, index.snapshot.live_numbers()
    inferred = space.infer(texts_of(view, view.alive, space))
    ids = [index.snapshot.id(int(number)) for number in numbers]
    return dict(zip(ids, rows[numbers].tolist(), strict=True)), dict(zip(ids, inferred.tolist(), strict=True))


@pytest.mark.parametrize("way", [PV(**SMALL), PV(**SMALL, architecture="dm")], ids=["dbow", "dm"])
def test_documents_that_are_added_updated_and_deleted(way):
    """New texts have the rows that inference gives them; those that stay keep theirs, to the bit."""
    index = built()
    index.train(way, threads=1)
    before, _ = rows_by_id(index)
    index.add(named([{"text": "dd aa", "title": "bb"}, {"text": "unheard"}, {"text": ""}], "new"))
    index.delete(["d0"])
    index.add([{"id": "d5", "title": "cc", "text": "ee"}], update=True)
    rows, inferred = rows_by_id(index)
    assert set(rows) == {"d1", "d2", "d3", "d4", "d5", "new0", "new1", "new2"}
    for name in ("d1", "d2", "d3", "d4"):
        assert rows[name] == before[name]
        assert rows[name] != inferred[name] or not any(rows[name])  # as trained, not as inferred
    for name in ("d5", "new0", "new1", "new2"):
        assert rows[name] == inferred[name]
    assert any(rows["new0"])
    assert rows["d5"] != before["d5"]
    assert not any(rows["new1"])  # none of its words was there
    assert not any(rows["new2"])
    index.merge()
    assert rows_by_id(index)[0] == rows
    index.train(way, threads=1)
    assert rows_by_id(index)[0]["new1"] != rows["new1"]


def test_a_document_of_the_same_text_has_the_same_row():
    index = built()
    index.train(PV(**SMALL), threads=1)
    index.add(named([{"text": "dd aa"}, {"text": "bb"}, {"text": "dd aa"}], "new"))
    one, _ = rows_by_id(index)
    index.add(named([{"text": "dd aa"}], "newer"))
    other, _ = rows_by_id(index)
    assert one["new0"] == one["new2"] == other["new0"] == other["newer0"]


def test_rows_of_new_documents_are_kept_while_they_are_used():
    index = built()
    index.train(PV(**SMALL), threads=1)
    index.add(named([{"text": "dd aa"}], "new"))
    view, space = index.view(), space_of(index.snapshot.trained, "pv")
    made = on_all(view, space)
    assert on_all(view, space) is made
    assert made.normalisers.shape == (7,)


def test_passages_beside_an_index_are_inferred():
    """Their numbers and arrivals are their own: no row of the index is one of theirs."""
    snapshot = trained()
    passages = borrowing(index_of(named(BODIES[::-1])).snapshot, snapshot)
    view, space = Doc2Vec().view(passages), space_of(snapshot.trained, "pv")
    rows = on_all(view, space).rows
    assert rows[view.alive].tobytes() == space.infer(texts_of(view, view.alive, space)).tobytes()
    assert rows[0].tolist() != space.rows[0].tolist()


def test_weights_of_fields_count_in_new_documents():
    index, (_, bags) = small(), spaces()
    nothing = bags.with_rows(bags.rows[:0], bags.arrivals[:0])
    view = index.view(fields={"title": 3.0, "text": 1.0})
    out = {word: bags.words.space("out")[i] for i, word in enumerate(bags.words)}
    rows = on_all(view, nothing).rows
    np.testing.assert_allclose(rows[0], 5 * out["aa"] + 3 * out["bb"] + out["cc"], rtol=1e-6)
    assert not rows[2].any()
