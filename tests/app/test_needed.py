"""What rankers need to have trained, and training it where it is lacking."""

from __future__ import annotations

import pytest

from aboutness.app.comparing import compare, trained_first
from aboutness.app.index import Index
from aboutness.app.needed import check_vectors, needs, provide
from aboutness.core.errors import NotFound, UsageError
from aboutness.index.trained import Trained
from aboutness.models.known import MODELS
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.trainer import DocumentTrainer
from aboutness.vectors.word2vec import Word2Vec
from experiment.small import (
    BY_WORDS,
    DEFAULTS,
    TERM_MODELS,
    TRAINED,
    documents,
    small_vectors,
    with_all,
    write_collection,
)

ROWS = {"dim": 4, "min_count": 1, "epochs": 2, "threads": 1}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_collection(tmp_path_factory.mktemp("collections") / "small")


@pytest.fixture
def index():
    return Index.build(documents())


@pytest.fixture
def trained(monkeypatch):
    """What was trained: the name, the way, the threads, and on which fields."""
    ways = []
    train = Index.train

    def noted(self, kind, **named):
        ways.append((named["name"], kind, named["threads"], named["fields"]))
        return train(self, kind, **named)

    monkeypatch.setattr(Index, "train", noted)
    return ways


def names(index):
    return list(index.snapshot.manifest.artefacts)


# --- needs ---------------------------------------------------------------------------------------------


def test_every_ranker_says_what_it_needs_and_can_then_be_bound():
    index = with_all(Index.build(documents()))
    for name in known_rankers():
        wanted = needs([ranker(name)])
        assert bool(wanted) == (name not in TERM_MODELS)
        assert any(isinstance(way, DocumentTrainer) for way in wanted.values()) == (name in TRAINED)
        assert needs([ranker(name)], index.snapshot.trained) == (
            {} if name not in DEFAULTS else {name: wanted[name]}
        )
        assert index.search("old city songs", ranker=name)
    assert {"bm25", "bm25-cosine", "ql", "tfidf"} <= set(TERM_MODELS)
    assert {"wcs", "iwcs-wmd", "bm25-desm"} <= set(BY_WORDS)
    assert {"pv-lm", "epv-drj-lm"} <= set(TRAINED)


def test_word_vectors_of_any_kind_will_do(index):
    assert needs([ranker("iwcs")], index.snapshot.trained) == {"word2vec": Word2Vec()}
    assert needs([ranker("iwcs[vectors=word2vec]")]) == {"word2vec": Word2Vec()}
    assert needs([ranker("iwcs[vectors=mine]")]) == {}  # nobody knows how these are made
    index.keep_vectors(small_vectors(), "mine")
    for text in ("iwcs", "iwcs[vectors=mine]", "iwcs[vectors=word2vec]"):
        assert needs([ranker(text)], index.snapshot.trained) == {}


def test_rows_that_fit_will_do(index):
    assert needs([ranker("pv-lm")], index.snapshot.trained) == {"pv": PV()}
    assert needs([ranker("pv-lm[vectors=pv]")]) == {"pv": PV()}
    assert needs([ranker("pv-lm[vectors=mine]")]) == {}
    index.train("pv", **ROWS, name="mine", architecture="dm")
    assert needs([ranker("pv-lm")], index.snapshot.trained) == {"pv": PV()}
    index.train("pv", **ROWS, name="other")
    for text in ("pv-lm", "pv-lm[vectors=mine]", "pv-lm[vectors=other]"):
        assert needs([ranker(text)], index.snapshot.trained) == {}


def test_parts_of_mixtures_and_pipelines_count():
    text = "bm25 % 3 >> pv-lm + 2*iwcs-wmd"
    assert needs([ranker(text), ranker("epv-drj-lm")]) == {"pv": PV(), "word2vec": Word2Vec(), "epv": EPV()}


def test_a_way_of_training_has_one_name():
    """Different ways that rankers want are kept under different names, or one would replace the other."""
    wanted = {}
    for model in MODELS.values():
        for name, way in model().needs(Trained()):
            assert wanted.setdefault(name, way) == way
            assert way.name in TRAINERS
    assert list(wanted) == list(needs(ranker(name) for name in MODELS))


# --- provide -------------------------------------------------------------------------------------------


def test_each_is_trained_once_by_one_thread(index, trained):
    told = []
    some = [ranker(text) for text in ("pv-lm", "bm25 + 2*pv-lm[lam=0.5]", "epv-drj-lm", "iwcs", "wcs", "bm25")]
    assert provide(index, some, tell=lambda *news: told.append(news)) == (None, {})
    both = {"title": 1.0, "text": 1.0}
    assert trained == [("pv", PV(), 1, both), ("epv", EPV(), 1, both), ("word2vec", Word2Vec(), 1, None)]
    assert names(index) == ["pv", "epv", "word2vec"]
    assert list(dict.fromkeys(name for name, _ in told)) == ["pv", "epv", "word2vec"]
    for name in names(index):
        of_name = [progress for one, progress in told if one == name]
        assert of_name[0].done == 0
        assert of_name[-1].done == of_name[-1].total
    provide(index, some)
    assert len(trained) == 3


def test_rows_are_trained_on_the_fields_that_a_ranker_reads(index, trained):
    provide(index, [ranker("pv-lm[fields=3*text]"), ranker("wcs[fields=text]")])
    assert trained == [("pv", PV(), 1, {"text": 3.0}), ("word2vec", Word2Vec(), 1, None)]
    assert index.trained("pv").provenance["fields"] == ["text"]
    assert index.search("old songs", ranker="pv-lm[fields=text]")
    assert index.vectors("word2vec").provenance["fields"] == ["title", "text"]


def test_what_cannot_be_trained_leaves_its_rankers_out(trained):
    index = Index.build([{"id": "a", "text": "city river"}])
    some = [ranker(text) for text in ("bm25", "pv-lm", "wcs", "pv-lm[lam=0.5]", "bm25 + iwcs")]
    note, lacking = provide(index, some, as_far_as_possible=True)
    assert note is None
    assert list(lacking) == ["pv-lm", "wcs", "pv-lm[lam=0.5]", "bm25 + iwcs"]
    assert lacking["pv-lm"].startswith("pv cannot be trained: no word stands at least min_count=2 times")
    assert lacking["wcs"].startswith("word2vec cannot be trained: no word stands")
    assert [name for name, *_ in trained] == ["pv", "word2vec"]  # each was tried once
    with pytest.raises(UsageError, match="no word stands at least"):
        provide(index, some)


def test_given_vectors_are_taken_only_where_they_are_read(index, trained):
    assert provide(index, [ranker("bm25"), ranker("pv-lm")], small_vectors()) == (None, {})
    assert names(index) == ["pv"]
    provide(index, [ranker("iwcs[vectors=given]")], small_vectors())
    assert names(index) == ["pv", "given"]
    assert [name for name, *_ in trained] == ["pv"]


def test_ways_of_training_rows_are_no_word_vectors(small):
    for wrong in ("pv", PV(dim=8), EPV()):
        with pytest.raises(UsageError, match=r"trains rows of documents, not word vectors \(word2vec\)"):
            check_vectors(wrong)
        with pytest.raises(UsageError, match="trains rows of documents"):
            compare("bm25", small, vectors=wrong)
    for fine in (None, "word2vec", Word2Vec(), small_vectors(), small / "corpus.jsonl"):
        check_vectors(fine)
    with pytest.raises(NotFound, match=r"no such way of training \(word2vec\)"):
        check_vectors("pw")


# --- compare -------------------------------------------------------------------------------------------


def test_compare_trains_for_an_index_of_its_own_and_always_the_same(small, index, trained):
    rankers = ["pv-lm", "bm25 % 3 >> epv-drj-lm"]
    found = compare(rankers, small)
    assert [name for name, *_ in trained] == ["pv", "epv"]
    assert [row.run for row in compare(rankers, small).rows] == [row.run for row in found.rows]
    index.train("pv", name="pv", threads=1, fields=None)
    index.train("epv", name="epv", threads=1, fields=None)
    assert [row.run for row in compare(rankers, small, index=index).rows] == [row.run for row in found.rows]


def test_compare_trains_nothing_for_an_index_that_is_given(small, index, trained):
    with pytest.raises(NotFound, match=r"pv-lm needs documents to be trained on.*run: index.train\(\"pv\"\)$"):
        compare(["bm25", "pv-lm"], small, index=index)
    found = compare(None, small, index=index)
    assert trained == []
    assert names(index) == []
    assert set(found.left_out) == {*BY_WORDS, *TRAINED}


def test_fields_of_a_comparison_are_trained_on(small):
    found = compare(["bm25", "pv-lm"], small, fields="text")
    assert [str(row.ranker) for row in found.rows] == ["bm25[fields=text]", "pv-lm[fields=text]"]


def test_what_is_trained_first_is_told(small, trained):
    compare(None, small)
    assert sorted(name for name, *_ in trained) == sorted(trained_first())
    assert "word2vec" in trained_first("word2vec")
    assert set(trained_first()) - set(trained_first("vectors.bin")) == {"word2vec"}
