"""Rows of further texts: that they depend on the text alone, are near to what training gives, and normalisers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.text.analyzers import analyzer
from aboutness.vectors import paragraphs
from aboutness.vectors.documents import Texts
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.training_text import TrainingText
from vectors.test_pv import WAYS, changed, two_topics

PLAIN = analyzer("plain")
TEXTS = two_topics()
SOME = {name: WAYS[name] for name in ("pv", "pv-dm", "epv-d", "epv-drj")}
every_way = pytest.mark.parametrize("name", list(SOME))
few = settings(max_examples=40)


@cache
def trained(name, **changes):
    return changed(SOME[name], **{"dim": 8, "epochs": 10, "min_count": 1, "window": 3, **changes}).train(
        TEXTS, threads=1
    )


def texts_of(*texts, weights=None):
    """Texts as runs of word numbers."""
    words = np.array([word for text in texts for word in text], np.int32)
    some = np.ones(len(words), np.float32) if weights is None else np.array(weights, np.float32)
    return Texts(words, some, np.cumsum([len(text) for text in texts], dtype=np.int64))


def of_terms(space, texts):
    text = TrainingText.of_texts(texts, PLAIN)
    return text.texts(space.words.numbers(text.terms()).astype(np.int32))


def inferred(space, texts, how):
    return space.infer(texts, threads=1) if how == "infer" else space.infer_question(texts)


WORDS = st.integers(0, 18)
LISTS = st.lists(st.lists(WORDS, max_size=25), max_size=6)
both_ways = pytest.mark.parametrize("how", ["infer", "infer_question"])


# --- the text alone ---------------------------------------------------------------------------------------------


@every_way
@both_ways
@few
@given(lists=LISTS, threads=st.integers(1, 3))
def test_a_row_depends_on_the_text_alone(name, how, lists, threads):
    space = trained(name)
    rows = inferred(space, texts_of(*lists), how)
    assert (rows.shape, rows.dtype) == ((len(lists), 8), np.float32)
    if how == "infer":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(paragraphs, "SHARE", 7)
            assert space.infer(texts_of(*lists), threads=threads).tobytes() == rows.tobytes()
    for words, row in zip(lists, rows, strict=True):
        assert inferred(space, texts_of(words), how)[0].tobytes() == row.tobytes()
        assert row.any() == bool(words)  # without a word: 0


@both_ways
@few
@given(words=st.lists(WORDS, max_size=40), chance=st.randoms(use_true_random=False))
def test_the_order_of_words_makes_no_difference(how, words, chance):
    shuffled = chance.sample(words, len(words))
    for name in ("pv", "epv-drj"):
        rows = inferred(trained(name), texts_of(words, shuffled, sorted(words)), how)
        assert rows[1].tobytes() == rows[0].tobytes() == rows[2].tobytes()


def test_the_order_of_words_makes_a_difference_where_they_predict_together():
    one, other = trained("pv-dm").infer(texts_of([1, 2, 3, 4, 5, 6], [1, 4, 5, 2, 6, 3]))
    assert one.tobytes() != other.tobytes()


@every_way
@both_ways
@few
@given(data=st.data())
def test_weights_are_of_any_size(name, how, data):
    """All words twice as heavy are the same text; words that are heavier than others make another."""
    words = data.draw(st.lists(WORDS, min_size=1, max_size=20, unique=True))
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=len(words), max_size=len(words)))
    space = trained(name)
    row = inferred(space, texts_of(words, weights=weights), how)
    for times in (2.0, 0.25, 1024.0):
        heavier = texts_of(words, weights=[times * weight for weight in weights])
        assert inferred(space, heavier, how).tobytes() == row.tobytes()
    thrice = inferred(space, texts_of(words, weights=[3 * weight for weight in weights]), how)
    np.testing.assert_allclose(thrice, row, atol=1e-4)
    alike = inferred(space, texts_of(words), how)
    assert (row.tobytes() == alike.tobytes()) == (len(set(weights)) == 1)


@every_way
def test_a_heavier_word_draws_a_text_to_it(name):
    """Of a word of each topic, the one that counts more makes the text."""
    space = trained(name, epochs=30)
    sun, sea = space.words.numbers(["sun1", "sea1"]).tolist()
    rows = space.infer(Texts(
        np.array([sun, sea] * 2, np.int32), np.array([9, 1, 1, 9], np.float32), np.array([2, 4])
    ))  # fmt: skip
    out = space.words.space("out")
    assert rows[0] @ (out[sun] - out[sea]) > 0 > rows[1] @ (out[sun] - out[sea])


@both_ways
def test_no_texts(how):
    for name in SOME:
        assert inferred(trained(name), texts_of(), how).shape == (0, 8)
        assert not inferred(trained(name), texts_of([], []), how).any()


def test_unknown_words_make_no_difference():
    for name in ("pv", "epv-drj"):
        space = trained(name)
        one, other = (of_terms(space, [text]) for text in (["sun1", "sea2"], ["nobody", "sun1", "knows", "sea2"]))
        assert space.infer(one).tobytes() == space.infer(other).tobytes()
        assert not space.infer(of_terms(space, [["nobody", "knows"]])).any()


@every_way
def test_threads_that_make_no_sense(name):
    with pytest.raises(Exception, match="threads must be a whole number"):
        trained(name).infer(texts_of([1]), threads=0)


# --- how a text is trained --------------------------------------------------------------------------------------


@every_way
def test_what_was_trained_stays_as_it_is(name):
    space = trained(name)
    before = space.rows.copy(), {key: matrix.copy() for key, matrix in space.words.spaces.items()}
    space.infer(texts_of([1, 2, 3], [4]))
    np.testing.assert_array_equal(space.rows, before[0])
    for key, matrix in space.words.spaces.items():
        np.testing.assert_array_equal(matrix, before[1][key])


def cosines(one, other):
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(axis=1) / lengths


@pytest.mark.parametrize(("name", "least"), [("pv", 0.9), ("epv-d", 0.9), ("epv-drj", 0.9), ("pv-dm", 0.5)])
def test_a_text_that_was_trained_on_is_inferred_near_to_its_row(name, least):
    """And nearer to it than to the rows of others of its topic."""
    space = trained(name, epochs=40)
    rows = space.infer(of_terms(space, TEXTS))
    own = cosines(rows, space.rows)
    assert own.mean() > least
    others = np.mean([cosines(rows, np.roll(space.rows, 2 * shift, axis=0)).mean() for shift in range(1, 6)])
    assert own.mean() > others + 0.02
    asked = space.infer_question(of_terms(space, TEXTS[:20]))
    assert cosines(asked, space.rows[:20]).mean() > least - 0.1


@every_way
def test_new_texts_are_near_to_those_of_their_topic(name):
    """Of PV-DM so few neighbours are asked that the topic is left for the document to tell."""
    space = trained(name, epochs=40, window=1)
    new = two_topics(40, seed=77)
    for rows in (space.infer(of_terms(space, new)), space.infer_question(of_terms(space, new))):
        means = np.array([space.rows[topic::2].mean(axis=0) for topic in (0, 1)])
        products = rows @ (means[0] - means[1])
        assert ((products > 0) == (np.arange(40) % 2 == 0)).mean() > 0.9


def watch_epochs(monkeypatch):
    told = []
    fold = ParagraphSpace._fold

    def watched(self, words, counts, ends, epochs, rows):
        told.append(epochs)
        fold(self, words, counts, ends, epochs, rows)

    monkeypatch.setattr(ParagraphSpace, "_fold", watched)
    return told


@pytest.mark.parametrize(
    ("length", "epochs"), [(1, 200), (3, 200), (100, 200), (101, 198), (1000, 20), (2000, 10), (9000, 10)]
)
def test_short_questions_are_read_more_often(monkeypatch, length, epochs):
    told = watch_epochs(monkeypatch)
    space = trained("pv")
    text = texts_of([1] * length)
    space.infer_question(text)
    space.infer(text)
    assert told == [epochs, 10]


def test_each_question_is_read_as_often_as_its_own_length_says(monkeypatch):
    told = watch_epochs(monkeypatch)
    space, long = trained("pv"), [1, 2, 3, 4] * 250
    rows = space.infer_question(texts_of([1, 2], long, []))
    assert told == [200, 20, 200]
    assert rows[0].tobytes() == space.infer_question(texts_of([1, 2]))[0].tobytes()
    assert rows[1].tobytes() == space.infer_question(texts_of(long))[0].tobytes()


@pytest.mark.parametrize(
    "change", [{"seed": 2}, {"negatives": 4}, {"rate": 0.1}, {"last_rate": 0.01}, {"epochs": 11}]
)
@every_way
def test_what_provenance_says_is_done(name, change):
    space = trained(name)
    how = {**space.provenance["inference"], **change}
    other = replace(space, provenance={**space.provenance, "inference": how})
    text = texts_of([1, 2, 3, 4])
    assert other.infer(text).tobytes() != space.infer(text).tobytes()


def test_a_pull_shortens_what_is_inferred():
    space, text = trained("epv-drj"), texts_of([1, 2, 3], [4, 4])
    sizes = []
    for gamma in (0.0, 10.0, 1000.0, 1e6):
        how = {**space.provenance["inference"], "gamma": gamma}
        rows = replace(space, provenance={**space.provenance, "inference": how}).infer(text)
        sizes.append(np.linalg.norm(rows, axis=1).max())
    assert sizes[0] > 2 * sizes[1] > 4 * sizes[2] > 8 * sizes[3]


def test_negatives_are_drawn_by_the_noise_that_was_kept():
    """Where one word is all the noise, texts are told from that word alone."""
    space = trained("pv")
    noise = np.zeros(len(space.words))
    noise[5] = 1
    only = replace(space, own={**space.own, "noise": noise})
    row, usual = (one.infer_question(texts_of([1, 2]))[0] for one in (only, space))
    out = space.words.space("out")
    assert row @ out[5] < usual @ out[5]


# --- normalisers ------------------------------------------------------------------------------------------------


def test_normalisers_are_kept_or_worked_out():
    space = trained("pv")
    np.testing.assert_array_equal(space.normalisers, space.own["normalisers"])
    bare = replace(space, own={"noise": space.own["noise"]})
    assert bare.normalisers.tobytes() == space.normalisers.tobytes()
    assert bare.normalised().own["normalisers"].tobytes() == space.normalisers.tobytes()
    assert space.normalisers.tobytes() == log_normalisers(space.rows, space.words.space("out")).tobytes()


def test_with_rows_keeps_the_normalisers_of_those_that_stay(monkeypatch):
    space = trained("pv").with_rows(trained("pv").rows, 3 * np.arange(120))
    worked_out = []

    def watched(rows, words):
        worked_out.append(len(rows))
        return log_normalisers(rows, words)

    monkeypatch.setattr(paragraphs, "log_normalisers", watched)
    rows = np.vstack([space.rows[[0, 4, 7]], space.rows[8:9] + 1, np.zeros((2, 8), np.float32)])
    arrivals = np.array([0, 12, 21, 24, 25, 1000])
    made = space.with_rows(rows, arrivals, np.array([0, 4, 7, -1, -1, -1]))
    assert worked_out == [3]
    expected = log_normalisers(rows, space.words.space("out"))
    assert made.normalisers.tobytes() == expected.tobytes()
    assert made.arrivals.tolist() == arrivals.tolist()
    assert "normalisers" in made.own
    assert space.with_rows(rows, arrivals).normalisers.tobytes() == expected.tobytes()
    assert worked_out == [3, 6]  # where nobody says which rows stay


def test_with_rows_of_none_and_to_none():
    space = trained("pv")
    none = space.with_rows(space.rows[:0], space.arrivals[:0])
    assert none.normalisers.shape == (0,)
    again = none.with_rows(space.rows, space.arrivals, np.full(120, -1))
    assert again.normalisers.tobytes() == space.normalisers.tobytes()


def test_with_rows_works_nothing_out_where_nothing_was():
    space = trained("pv-dm")
    made = space.with_rows(space.rows[:3], space.arrivals[:3])
    assert sorted(made.own) == ["noise"]
    np.testing.assert_allclose(made.normalisers, log_normalisers(space.rows[:3], space.words.space("out")))


def test_it_is_kept_as_arrays():
    for name in SOME:
        space = trained(name)
        kept = {key: array.copy() for key, array in space.arrays().items()}
        for array in kept.values():
            array.flags.writeable = False  # as an index maps them
        again = ParagraphSpace.of_arrays(kept)
        text = texts_of([1, 2, 3], [5], [])
        assert again.infer(text).tobytes() == space.infer(text).tobytes()
        assert again.infer_question(text).tobytes() == space.infer_question(text).tobytes()
        assert again.normalisers.tobytes() == space.normalisers.tobytes()


# --- its parts --------------------------------------------------------------------------------------------------


@few
@given(lists=LISTS)
def test_words_of_a_text_are_mixed_and_stay_in_it(lists):
    texts = texts_of(*lists)
    order = paragraphs._mixed(texts.words, texts.ends)
    starts = [0, *texts.ends[:-1].tolist()]
    for start, end in zip(starts[: len(lists)], texts.ends.tolist(), strict=True):
        assert sorted(order[start:end].tolist()) == list(range(start, end))


def test_equal_words_do_not_stay_together():
    words = np.repeat(np.arange(20, dtype=np.int32), 20)
    mixed = words[paragraphs._mixed(words, np.array([400]))]
    assert (mixed[1:] == mixed[:-1]).mean() < 0.15


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1]),
        ([2, 2, 1, 4, 3], [1, 1, 0.375, 1.5, 1.125]),
        ([0, 0, 1, 0, 0], [0, 0, 3, 0, 0]),
    ],
)
def test_weights_are_1_on_the_average(weights, expected):
    """Of texts of two words, of none, and of three; nothing can be made of weights that are all 0."""
    found = paragraphs._of_mean_one(np.array(weights, np.float32), np.array([0, 2, 2]), np.array([2, 2, 5]))
    assert found.dtype == np.float32
    assert found.tolist() == expected


def test_the_ways_that_make_such_rows():
    assert PV.space is EPV.space is ParagraphSpace
    assert not ParagraphSpace.weighted
