"""DeepWalk: which trainings it reads, and angles of rows worked out by numpy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from aboutness import Index
from aboutness.core.errors import NotFound
from aboutness.index.trained import Trained
from aboutness.models.deepwalk import DeepWalk
from aboutness.models.ketos_doc2vec import KetosDoc2Vec
from aboutness.models.question import Question
from aboutness.models.trained import text_of
from aboutness.vectors.edges import Edges
from aboutness.vectors.kept import space_of
from aboutness.vectors.pv import PV
from aboutness.vectors.walks import Walks
from vectors.test_edges import SEA, SUN, TEXTS

HOW = {"dim": 12, "min_count": 1, "epochs": 40}
WAYS = {
    "edges": Edges(**HOW),
    "walks": Walks(**HOW | {"epochs": 5}),
    "ketos-edges": Edges(**HOW, window=4),
    "pv": PV(**HOW),
}


@cache
def trained(*names, **more):
    """An index of two topics, and trainings on it."""
    documents = [{"id": f"{i}", "text": text} for i, text in enumerate([*TEXTS, ""])]
    index = Index.build(documents, analyzer="plain")
    for name in names:
        index.train(WAYS[name], name=name, threads=1)
    return index


def units(rows):
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros(rows.shape), where=lengths > 0)


def scores(model, index, question):
    asked = Question(question) if isinstance(question, str) else question
    return model.bind(index.snapshot).scores(asked, index.snapshot.live_numbers())


MODELS = [(DeepWalk(), "edges"), (DeepWalk(), "walks"), (KetosDoc2Vec(), "ketos-edges")]
every_model = pytest.mark.parametrize(("model", "name"), MODELS, ids=str)


# --- which trainings --------------------------------------------------------------------------------------------


def test_what_is_wanted():
    assert DeepWalk().wanted() == ("edges", Edges(window=0))
    assert KetosDoc2Vec().wanted() == ("ketos-edges", Edges(window=5))
    assert DeepWalk().needs(Trained()) == [("edges", Edges())]
    assert KetosDoc2Vec().needs(Trained()) == [("ketos-edges", Edges(window=5))]


@pytest.mark.parametrize(
    ("model", "fitting"), [(DeepWalk(), ["edges", "walks"]), (KetosDoc2Vec(), ["ketos-edges"])], ids=str
)
def test_what_fits(model, fitting):
    for name in WAYS:
        index = trained(name)
        assert (model.needs(index.snapshot.trained) == []) == (name in fitting)
        if name in fitting:
            assert model.entry(index.snapshot.trained).name == name
        else:
            with pytest.raises(NotFound, match=f"{model.name} needs documents to be trained on"):
                model.bind(index.snapshot)


def test_one_of_several_is_named():
    index = trained("edges", "walks", "ketos-edges")
    assert DeepWalk().entry(index.snapshot.trained).name == "edges"  # as `wanted` calls it
    for name in ("edges", "walks"):
        one = scores(DeepWalk(vectors=name), index, "moon").tolist()
        assert one == scores(DeepWalk(), trained(name), "moon").tolist()
    assert (
        scores(KetosDoc2Vec(), index, "moon").tolist()
        == scores(KetosDoc2Vec(), trained("ketos-edges"), "moon").tolist()
    )


@pytest.mark.parametrize(
    ("model", "command"),
    [
        (DeepWalk(), r'index\.train\("edges"\)$'),
        (KetosDoc2Vec(), r'index\.train\("edges", window=5, name="ketos-edges"\)$'),
    ],
    ids=str,
)
def test_the_command_to_run(model, command):
    with pytest.raises(NotFound, match=command):
        model.bind(trained().snapshot)


# --- scores -----------------------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("text", ["moon", "the tide of the sea", "comet comet anchor zzz"])
def test_scores_are_angles_with_what_is_inferred(model, name, text):
    index = trained(name)
    space = space_of(index.snapshot.trained, name)
    asked = space.infer_question(text_of(index.view(), Question(text), space))
    expected = (units(space.rows) @ units(asked).T)[:, 0]
    expected[40] = -1  # the empty one
    np.testing.assert_allclose(scores(model, index, text), expected, atol=1e-6)


@every_model
def test_a_document_asks_with_its_row(model, name):
    index = trained(name)
    space = space_of(index.snapshot.trained, name)
    found = scores(model, index, Question(document=3))
    expected = units(space.rows) @ units(space.rows)[3]
    np.testing.assert_allclose(found[:40], expected[:40], atol=1e-6)
    assert found[3] == pytest.approx(1, abs=1e-6)
    ranking = model.bind(index.snapshot).top(Question(document=3), 11)
    assert ranking.documents[0] == 3
    assert (ranking.documents < 20).all()


@every_model
@pytest.mark.parametrize(("words", "first"), [(SUN, 0), (SEA, 20)])
def test_words_of_a_topic_find_it(model, name, words, first):
    scorer = model.bind(trained(name).snapshot)
    for word in words:
        found = scorer.top(Question(word), 10, match="all").documents
        assert ((found >= first) & (found < first + 20)).all()


@every_model
def test_documents_that_come_later(model, name):
    """A new document gets its row by inference: the same for the same text; those that were trained keep theirs."""
    index = Index.build([{"id": f"{i}", "text": text} for i, text in enumerate(TEXTS)], analyzer="plain")
    index.train(WAYS[name], name=name, threads=1)
    before = scores(model, index, "moon comet")
    texts = ["moon comet", "moon comet", "zzz"]
    index.add([{"id": f"new {i}", "text": text} for i, text in enumerate(texts)])
    after = scores(model, index, "moon comet")
    assert after[:40].tolist() == before.tolist()
    assert after[40] == after[41] > after[20:40].max()
    assert after[42] == -1
    assert scores(model, index, Question(document=40))[41] == pytest.approx(1, abs=1e-6)
