"""LDA-LM: its two ends, its formula, and documents that were not trained on."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

import aboutness as ab
from aboutness.core.errors import NotFound
from aboutness.experiment.collection import collection
from aboutness.experiment.compare import compare_on
from aboutness.index.manifest import ArtefactEntry, FileEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.lda_lm import LDALM
from aboutness.models.ql import QL
from aboutness.models.question import Question
from aboutness.text.strings import StringTable
from aboutness.vectors.documents import KIND
from aboutness.vectors.lda import LDA, TopicSpace
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.words import WordVectors
from models.drawing import index_of, named

BODIES = [
    {"title": "aa bb", "text": "aa aa cc"},
    {"text": "bb cc dd dd dd"},
    {},
    {"title": "ff", "text": "ff"},
    {"title": "dd", "text": "aa ee"},
]
KNOWN = ["dd", "aa", "cc", "bb", "ee", "elsewhere"]  # "ff" is in no topic
PHI = np.random.default_rng(4).dirichlet(np.full(len(KNOWN), 0.5), 3).T.astype(np.float32)
ALPHA = 0.5


def with_topics(snapshot, trained_on=None):
    """The same documents with topics, in memory; the documents from number `trained_on` on came later."""
    view = snapshot.view()
    words = WordVectors(StringTable.of(KNOWN), {"out": PHI})
    about = {"training": "lda", "parameters": {}, "layer": view.layer, "fields": list(view.field_names)}
    space = TopicSpace(
        words, np.zeros((0, 3), np.float32), np.zeros(0, np.int64), {"alpha": np.array([ALPHA])}, about
    )
    text = TrainingText.of_view(view)
    rows = space.infer(text.texts(words.numbers(text.terms()).astype(np.int32)))
    space = space.with_rows(rows[:trained_on], text.arrivals[:trained_on])
    entry = ArtefactEntry("lda", KIND, about, None, 1, "", FileEntry("lda.file", 0, 0))
    trained = Trained(snapshot.folder, {"lda": entry}, {"lda": space.arrays()})
    return Snapshot(snapshot.folder, snapshot.manifest, snapshot.segments, trained), rows.astype(np.float64)


INDEX = index_of(named(BODIES))
SNAPSHOT, ROWS = with_topics(INDEX.snapshot)


def scores(model, question, snapshot=SNAPSHOT):
    return model.bind(snapshot).scores(Question(question), snapshot.live_numbers()).tolist()


def test_what_it_needs():
    assert LDALM().wanted() == ("lda", LDA())
    with pytest.raises(NotFound, match=r"lda-lm needs documents to be trained on.* run: index.train\(\"lda\"\)$"):
        LDALM().bind(INDEX.snapshot)


@pytest.mark.parametrize("question", ["aa", "aa dd ff", "ee ee bb unheard", "dd"])
@pytest.mark.parametrize("mu", [300.0, 2.0])
def test_with_lam_0_it_is_ql(question, mu):
    assert scores(LDALM(lam=0, mu=mu), question) == pytest.approx(scores(QL(mu=mu), question), rel=1e-6)


def test_with_lam_1_it_is_the_topics_alone():
    expected = [
        2 * math.log(float(row @ PHI[KNOWN.index("aa")])) + math.log(float(row @ PHI[KNOWN.index("dd")]))
        for row in ROWS
    ]
    assert scores(LDALM(lam=1), "aa dd aa") == pytest.approx(expected, rel=1e-6)
    assert scores(LDALM(lam=1), "aa dd ff aa") == scores(LDALM(lam=1), "aa dd aa")  # of no topic: left out


def test_probabilities_of_a_document_sum_to_1():
    """Also those of an empty one, and of one whose words are in no topic."""
    known = [word for word in KNOWN if word != "elsewhere"]
    found = np.exp([scores(LDALM(lam=1), word) for word in known]).sum(axis=0)
    elsewhere = ROWS @ PHI[KNOWN.index("elsewhere")]  # no document has it, so nobody can ask for it
    np.testing.assert_allclose(found + elsewhere, 1, atol=1e-6)
    np.testing.assert_allclose(ROWS[[2, 3]], 1 / 3, atol=1e-6)
    assert np.ptp(ROWS[0]) > 0.01


def test_lam_mixes_both():
    lam, mu = 0.4, 20.0
    counts = [Counter(f"{body.get('title', '')} {body.get('text', '')}".split()) for body in BODIES]
    total = sum(sum(count.values()) for count in counts)
    expected = []
    for count, row in zip(counts, ROWS, strict=True):
        score = 0.0
        for word in ("aa", "dd", "ff"):
            share = sum(one[word] for one in counts) / total
            seen = (count[word] + mu * share) / (sum(count.values()) + mu)
            trained = float(row @ PHI[KNOWN.index(word)]) if word in KNOWN else 0.0
            score += math.log((1 - lam) * seen + lam * trained)
        expected.append(score)
    assert scores(LDALM(lam=lam, mu=mu), "aa dd ff") == pytest.approx(expected, rel=1e-6)


def test_documents_that_came_later_are_folded_in():
    later, _ = with_topics(INDEX.snapshot, trained_on=2)
    for question in ("aa", "aa dd ff", "cc ee"):
        assert scores(LDALM(lam=0.7), question, later) == scores(LDALM(lam=0.7), question)


def test_topics_find_what_a_question_does_not_say():
    """Of two documents that have the word as often, the one about its topic comes first."""
    pytest.importorskip("tomotopy")
    sky, sea = (
        ["sun moon star", "star sun comet", "moon comet sun"],
        ["ship sea wave", "wave ship sail", "sea sail ship"],
    )
    texts = [*sky * 5, *sea * 5, "telescope moon star comet", "telescope sea wave sail"]
    index = ab.Index.build([{"id": str(i), "text": text} for i, text in enumerate(texts)], analyzer="plain")
    index.train("lda", topics=2, alpha=0.1, iterations=50, min_count=1, threads=1)
    hits = index.search("telescope sun", ranker="lda-lm[lam=0.5]", match="all", k=40)
    order = [hit.id for hit in hits]
    assert order[0] == "30"
    assert order.index("30") < order.index("31")
    assert max(order.index(str(i)) for i in range(15)) < min(order.index(str(i)) for i in range(15, 30))


def test_it_ranks_better_than_ql(data_folder):
    pytest.importorskip("tomotopy")
    folder = data_folder / "cranfield"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    cranfield = collection(folder)
    index = ab.Index.build(cranfield.documents(), analyzer="english")
    index.train("lda", topics=100, iterations=60, samples=5, threads=1)
    ql, lda_lm = compare_on(index.snapshot, cranfield, [QL(), LDALM()], "AP").rows
    assert lda_lm.evaluation.mean["AP"] > 1.03 * ql.evaluation.mean["AP"]
