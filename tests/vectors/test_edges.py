"""Training on edges: which edges there are, their gradients, that it can be repeated, and that it learns."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import aboutness
from aboutness import Index
from aboutness.core.errors import Diverged, UsageError
from aboutness.kernels import paragraphs
from aboutness.kernels import word2vec as kernels
from aboutness.kernels.chance import draw
from aboutness.text.analyzers import analyzer
from aboutness.vectors import threads, training_text
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import Texts
from aboutness.vectors.edges import Edges, GraphSpace
from aboutness.vectors.pv import PV
from aboutness.vectors.training import chance_of
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.walks import Walks
from kernels.test_word2vec import by_the_book_skip_gram, gradient, kept_words, log_s, random_bits

PLAIN = analyzer("plain")
SUN = ["sun", "moon", "star", "planet", "orbit", "comet", "galaxy", "eclipse"]
SEA = ["sea", "ship", "wave", "sail", "harbour", "anchor", "island", "tide"]


def about(topic, count, seed):
    """Texts about one topic, with some words that all have."""
    chance = np.random.default_rng(seed)
    return [" ".join(chance.choice([*topic, *topic, "the", "of"], 12)) for _ in range(count)]


TEXTS = about(SUN, 20, 0) + about(SEA, 20, 1)
SMALL = {"dim": 6, "epochs": 2, "min_count": 1}
WAYS = [Edges(**SMALL), Edges(**SMALL, window=3), Walks(**SMALL, walks=2, length=6, window=2)]
every_way = pytest.mark.parametrize("way", WAYS, ids=str)


def changed(way, **changes):
    return type(way)(**{one.name: getattr(way, one.name) for one in way.declared()} | changes)


def bytes_of(space):
    matrices = [space.rows, *(space.words.spaces[name] for name in sorted(space.words.spaces))]
    return list(space.words), [matrix.tobytes() for matrix in matrices]


def units(matrix):
    return matrix / np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)


# --- what is kept -----------------------------------------------------------------------------------------------


@every_way
def test_what_is_kept(way):
    made = way.train(TEXTS, threads=1)
    assert type(made) is way.space is GraphSpace
    assert made.rows.shape == (40, 6)
    assert made.rows.dtype == np.float32
    assert made.rows.flags.c_contiguous
    assert made.rows.any(axis=1).all()
    assert made.arrivals.tolist() == list(range(40))
    assert set(made.words) == {*SUN, *SEA, "the", "of"}
    assert sorted(made.words.spaces) == (["in", "out"] if way.name == "walks" or way.window else ["out"])
    for space in made.words.spaces.values():
        assert space.shape == (18, 6)
        assert space.any(axis=1).all()
    assert made.words.counts.sum() == 40 * 12
    about_it = dict(made.provenance)
    assert about_it.pop("inference")["epochs"] == 2
    assert not any(about_it.pop("switches"))  # those of EPV
    assert about_it == {
        "training": way.name,
        "parameters": {one.name: getattr(way, one.name) for one in way.declared()},
        "threads": 1,
        "tokens": 480 if way.name == "edges" else 40 * 2 * 6,
        "epochs": 2,
        "analyzer": PLAIN.to_json(),
        "software": f"aboutness {aboutness.__version__}",
    }
    json.dumps(made.provenance)
    again = GraphSpace.of_arrays(made.arrays())
    assert bytes_of(again) == bytes_of(made)
    assert "normalisers" not in made.own


@every_way
def test_rare_words_have_no_edges(way):
    rare = changed(way, min_count=2).train([*TEXTS, "hapax", "the hapax2"], threads=1)
    assert not {"hapax", "hapax2"} & set(rare.words)
    assert not rare.rows[40].any()
    assert rare.rows[41].any()
    with pytest.raises(UsageError, match="no word stands at least min_count=9 times"):
        changed(way, min_count=9).train(["one two"], threads=1)


# --- which edges there are --------------------------------------------------------------------------------------


def test_without_a_window_it_is_pv_dbow():
    edges, paragraph_vectors = Edges(**SMALL).train(TEXTS, threads=1), PV(**SMALL).train(TEXTS, threads=1)
    assert bytes_of(edges) == bytes_of(paragraph_vectors)


def started(way, texts=TEXTS):
    return way.training(TrainingText.of_texts(texts, PLAIN), 1)


def test_the_blocks_one_after_the_other(monkeypatch):
    """The edges of a block's documents, then those of its words, with the same matrix OUT."""
    monkeypatch.setattr(training_text, "BLOCK", 100)
    way = Edges(**SMALL, window=3, rate=0.2, last_rate=0.05, seed=9, negatives=3, subsample=0.1)
    made, by_hand = way.train(TEXTS, threads=1), started(way)
    tokens, rate = 480, 0.2
    slope = (0.2 - 0.05) / (2 * tokens)
    number = 0
    for _ in range(2):
        for block in by_hand.blocks:
            chance = chance_of(9, number)
            text = block.tokens, block.starts, block.ends
            words = by_hand.vocabulary.number_of, by_hand.keep, by_hand.table, chance
            paragraphs.dbow(
                *text, block.documents, *words, 0, 3, 0.0, np.zeros(40), rate, slope, by_hand.rows, by_hand.outward,
                by_hand.context,
            )  # fmt: skip
            kernels.skip_gram(*text, *words, 3, 3, 6, rate, slope, by_hand.inward, by_hand.outward)
            rate -= slope * float((block.ends - block.starts).sum())
            number += 1
    assert number == 2 * 5
    assert rate == pytest.approx(0.05)
    np.testing.assert_array_equal(made.rows, by_hand.rows[:, :6])
    np.testing.assert_array_equal(made.words.space("in"), by_hand.inward[:, :6])
    np.testing.assert_array_equal(made.words.space("out"), by_hand.outward[:, :6])


def by_the_book(training, block, chance, rate):
    """The steps of a block by the gradients of the objective, in float64: documents' edges, then words'."""
    rows, outward = training.rows.astype(np.float64), training.outward.astype(np.float64)
    state, how, group = chance.copy(), training.settings, paragraphs.TOGETHER
    number_of, keep = training.vocabulary.number_of, training.keep
    for start, end, document in zip(block.starts, block.ends, block.documents, strict=True):
        words, _ = kept_words(block.tokens[start:end], number_of, keep, 1, state)
        for first in range(0, len(words), group):
            some = words[first : first + group]
            drawn = [draw(training.table, random_bits(state)) for _ in range(len(some) * paragraphs.DRAWN)]

            def objective(rows, outward, some=some, drawn=drawn, document=document):
                towards = log_s(outward[some] @ rows[document]).sum()
                each = how.negatives / paragraphs.DRAWN
                return towards + each * log_s(-outward[drawn] @ rows[document]).sum()

            old = rows.copy(), outward.copy()
            rows += rate * gradient(lambda at, old=old, f=objective: f(at, old[1]), old[0])
            outward += rate * gradient(lambda at, old=old, f=objective: f(old[0], at), old[1])
    if not how.window:
        return rows, outward, training.inward

    def pieces(state):
        for start, end in zip(block.starts, block.ends, strict=True):
            yield *kept_words(block.tokens[start:end], number_of, keep, how.window, state), rate

    of_words = SimpleNamespace(
        inward=training.inward, outward=outward, state=state, pieces=pieces, shared=2 * how.window,
        table=training.table, negatives=how.negatives,
    )  # fmt: skip
    _, inward, outward, _ = by_the_book_skip_gram(of_words)
    return rows, outward, inward


@pytest.mark.parametrize("window", [0, 1, 2])
@pytest.mark.parametrize("subsample", [0.0, 0.3])
def test_steps_are_those_of_the_gradient(window, subsample):
    """A tiny text, one document of which is longer than a group; finite differences of the objective."""
    texts = ["a1 b1 c1 a1", "d1", "", "b1 d1 " * 10]
    training = started(Edges(dim=3, window=window, min_count=1, negatives=2, subsample=subsample), texts)
    chance = np.random.default_rng(4)
    for matrix in (training.rows, training.outward, training.inward):
        matrix[:, :3] = chance.normal(size=(len(matrix), 3)) / 2
    before = training.rows.copy(), training.outward.copy()
    (block,), seed = training.blocks, chance_of(1, 0)
    expected = by_the_book(training, block, seed, 0.05)
    assert np.isfinite(training._train(block, seed, 0.05, 0.0))
    for found, wanted in zip((training.rows, training.outward, training.inward), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert min(np.abs(training.rows[[0, 1, 3]] - before[0][[0, 1, 3]]).max(axis=1)) > 0.005
    assert min(np.abs(training.outward - before[1]).max(axis=1)) > 0.005
    assert (training.rows[2] == before[0][2]).all()


def test_words_start_apart_from_documents():
    training = started(Edges(**SMALL, window=2))
    assert abs(np.corrcoef(training.inward[:, :6].ravel(), training.rows[:18, :6].ravel())[0, 1]) < 0.5
    assert np.abs(training.inward).max() <= 4 / 6
    assert not training.inward[:, 6:].any()


@pytest.mark.parametrize("matrix", ["rows", "outward", "inward"])
def test_what_is_not_finite_shows(matrix):
    training = started(Edges(**SMALL, window=2))
    getattr(training, matrix)[3] = np.nan
    with pytest.raises(Diverged):
        training._block(0)


# --- the same bytes ---------------------------------------------------------------------------------------------


@every_way
def test_one_seed_one_thread_the_same_bytes(way):
    one = bytes_of(way.train(TEXTS, threads=1))
    assert bytes_of(way.train([text.split() for text in TEXTS], threads=1)) == one
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(TEXTS)], analyzer=PLAIN)
    assert bytes_of(way.train(index.view(), threads=1)) == one
    for changes in ({"seed": 2}, {"negatives": 4}, {"rate": 0.02}, {"epochs": 3}, {"power": 0.5}, {"window": 4}):
        assert bytes_of(changed(way, **changes).train(TEXTS, threads=1)) != one


@every_way
def test_two_threads(way, monkeypatch):
    monkeypatch.setattr(training_text, "BLOCK", 50)
    made = way.train(TEXTS, threads=2)
    assert made.provenance["threads"] == 2
    assert np.isfinite(made.rows).all()


@every_way
def test_interrupted_and_resumed(way, tmp_path, monkeypatch):
    monkeypatch.setattr(training_text, "BLOCK", 60)
    monkeypatch.setattr(threads, "TICK", 0.0001)
    whole, reached = bytes_of(way.train(TEXTS, threads=1)), set()
    blocks = 2 * len(started(way).blocks)
    for after in (0, blocks // 3, blocks // 2, blocks):
        checkpoint = Checkpoint(tmp_path / f"{after}.safetensors")
        training = started(way)

        def stop(number, after=after, training=training, block=training._block):
            block(number)
            if number == min(after, blocks - 1):
                raise KeyboardInterrupt

        monkeypatch.setattr(training, "_block", stop)
        with pytest.raises(KeyboardInterrupt):
            training.run(checkpoint, lambda _: None)
        reached.add(int(checkpoint.load(training._about())["next"][0]))
        assert bytes_of(way.train(TEXTS, threads=1, checkpoint=checkpoint)) == whole
    assert len(reached) > 2


@every_way
def test_progress_reaches_the_end(way):
    told = []
    way.train(TEXTS, threads=1, tell=told.append)
    assert told[-1].done == told[-1].total == 2 * 480


# --- that it learns ---------------------------------------------------------------------------------------------

TOPICS = [
    Edges(dim=12, epochs=60, min_count=1),
    Edges(dim=12, epochs=30, min_count=1, window=4),
    Walks(dim=12, epochs=10, min_count=1),
]


@pytest.mark.parametrize("way", TOPICS, ids=str)
def test_neighbours_are_about_the_same(way):
    """On two topics, documents are nearest to those of their own; and a document's own words are the likely ones."""
    space = way.train(TEXTS, threads=1)
    topics = np.repeat([0, 1], 20)
    similar = units(space.rows) @ units(space.rows).T
    np.fill_diagonal(similar, -2)
    assert (topics[similar.argmax(axis=1)] == topics).all()
    own, others = similar[:20, :20][~np.eye(20, dtype=bool)], similar[:20, 20:]
    assert own.mean() > others.mean() + 0.3
    likely = space.rows @ space.words.space("out")[space.words.numbers([*SUN, *SEA])].T
    assert (likely[:20, :8].mean(axis=1) > likely[:20, 8:].mean(axis=1) + 0.5).all()
    assert (likely[20:, 8:].mean(axis=1) > likely[20:, :8].mean(axis=1) + 0.5).all()
    asked = Texts(
        space.words.numbers(["moon", "comet", "tide"]).astype(np.int32), np.ones(3, np.float32), np.array([2, 3])
    )
    found = units(space.infer(asked)) @ units(space.rows).T
    assert (topics[found.argsort(axis=1)[:, -10:]] == [[0], [1]]).all()


@every_way
def test_the_same_text_has_the_same_row(way):
    space = way.train(TEXTS, threads=1)
    texts = TrainingText.of_texts(TEXTS, PLAIN)
    number_of = space.words.numbers(texts.terms()).astype(np.int32)
    together = space.infer(texts.texts(number_of))
    assert space.infer(texts.texts(number_of), 2).tobytes() == together.tobytes()
    for text in (0, 7, 39):
        alone = np.arange(40) == text
        assert space.infer(texts.some(alone).texts(number_of)).tobytes() == together[text].tobytes()


@every_way
def test_questions_are_read_more_often_where_words_have_no_edges(way):
    space = way.train(TEXTS, threads=1)
    asked = Texts(space.words.numbers(["moon", "tide"]).astype(np.int32), np.ones(2, np.float32), np.array([2]))
    as_documents, as_question = space.infer(asked), space.infer_question(asked)
    if "in" in space.words.spaces:
        assert as_question.tobytes() == as_documents.tobytes()
    else:
        assert np.linalg.norm(as_question) > 2 * np.linalg.norm(as_documents)


def test_a_text_is_read_more_often_where_there_is_little():
    epochs = [started(Edges(min_count=1, **how)).epochs for how in ({}, {"window": 1}, {"window": 1, "epochs": 3})]
    assert epochs == [40, 20, 3]


# --- odd documents ----------------------------------------------------------------------------------------------


@every_way
def test_odd_documents(way):
    """Empty ones, one word, and one of 100,000 words; nothing overflows, and who has no words has zeros."""
    long = " ".join(np.random.default_rng(5).choice([*SUN, "the"], 100_000))
    space = changed(way, dim=8).train([*TEXTS, "", "moon", long, "moon moon moon", ""], threads=1)
    assert np.isfinite(space.rows).all()
    assert space.rows.any(axis=1).tolist() == [True] * 40 + [False, True, True, True, False]
    assert np.abs(space.rows).max() < 100


@every_way
def test_hardly_any_text(way):
    for texts in (["sun"], ["sun sun sun"], ["sun", "moon"], ["", "sun"]):
        space = way.train(texts, threads=1)
        assert np.isfinite(space.rows).all()
        assert len(space.words) == len(set(" ".join(texts).split()))


@every_way
def test_a_sample_is_trained_on_and_the_others_inferred(way):
    space = changed(way, sample=10).train(TEXTS, threads=1)
    assert space.rows.shape == (40, 6)
    assert space.rows.any(axis=1).all()
    assert space.words.counts.sum() == 10 * 12
    texts = TrainingText.of_texts(TEXTS, PLAIN)
    inferred = space.infer(texts.texts(space.words.numbers(texts.terms()).astype(np.int32)))
    assert (inferred == space.rows).all(axis=1).sum() == 30
