"""Training of word vectors: what is kept, that it can be repeated and gone on with, and that it learns."""

from __future__ import annotations

import hashlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aboutness
from aboutness import Index
from aboutness.core.errors import Diverged, UsageError
from aboutness.kernels import chance
from aboutness.kernels import word2vec as kernels
from aboutness.text.analyzers import analyzer
from aboutness.vectors import store, threads, training, training_text, word2vec
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.word2vec import Word2Vec
from reliability.harm import Child, result_of

PLAIN = analyzer("plain")
WAYS = [("skip-gram", "shared"), ("skip-gram", "plain"), ("cbow", "shared"), ("cbow", "plain")]
ways = pytest.mark.parametrize(("architecture", "draw"), WAYS)


def some_texts(count=60, length=12, words=30, seed=0):
    draw = np.random.default_rng(seed)
    return [" ".join(f"w{int(i)}" for i in words * draw.random(length) ** 2) for _ in range(count)]


TEXTS = some_texts()
TERMS = [text.split() for text in TEXTS]


def small(**changes):
    return Word2Vec(**{"dim": 5, "epochs": 2, "min_count": 1, "window": 3, "sample": 0.01, **changes})


def bytes_of(vectors):
    return list(vectors.words), vectors.space("in").tobytes(), vectors.space("out").tobytes()


def digest_of(vectors):
    words, inward, outward = bytes_of(vectors)
    return hashlib.sha256(" ".join(words).encode() + inward + outward).hexdigest()


def index_of(parts):
    """An index with a segment for each part."""
    index = Index.build([], analyzer=PLAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        for number, part in enumerate(parts):
            index.add([{"id": f"{number}-{i}", "text": text} for i, text in enumerate(part)])
    assert len(index.snapshot.segments) == len(parts)
    return index


# --- what is kept -----------------------------------------------------------------------------------------------


@ways
def test_both_spaces_counts_and_provenance(architecture, draw):
    made = small(architecture=architecture, draw=draw, min_count=3).train(TEXTS, threads=1)
    counts = Counter(term for text in TERMS for term in text)
    expected = sorted((term for term in counts if counts[term] >= 3), key=lambda term: (-counts[term], term))
    assert list(made.words) == expected
    assert made.counts.tolist() == [counts[term] for term in expected]
    assert sorted(made.spaces) == ["in", "out"]
    for space in made.spaces.values():
        assert space.shape == (len(expected), 5)
        assert space.dtype == np.float32
        assert space.flags.c_contiguous
        assert np.isfinite(space).all()
        assert space.any(axis=1).all()
    assert dict(made.provenance) == {
        "training": "word2vec",
        "parameters": {
            "architecture": architecture, "dim": 5, "window": 3, "epochs": 2, "negatives": 5, "draw": draw,
            "power": 0.75, "sample": 0.01, "min_count": 3, "rate": 0.025, "last_rate": 1e-4, "seed": 1,
        },
        "threads": 1,
        "tokens": 720,
        "epochs": 2,
        "analyzer": PLAIN.to_json(),
        "software": f"aboutness {aboutness.__version__}",
    }  # fmt: skip
    json.dumps(made.provenance)


def test_it_can_be_saved(tmp_path):
    made = small().train(TEXTS, threads=1)
    store.save(made, tmp_path / "v.safetensors")
    assert bytes_of(store.open_saved(tmp_path / "v.safetensors")) == bytes_of(made)


def test_strings_go_through_the_analyzer():
    texts = ["The suns and the moons"] * 3
    assert list(small().train(texts, threads=1).words) == ["the", "and", "moons", "suns"]
    assert set(small().train(texts, analyzer="english", threads=1).words) == {"sun", "moon"}


def test_words_that_are_too_rare():
    texts = [["one"] * 5 + ["two"] * 4 + ["three"]]
    assert list(small(min_count=5).train(texts, threads=1).words) == ["one"]
    assert list(small(min_count=4).train(texts, threads=1).words) == ["one", "two"]
    assert list(small(min_count=1).train(texts, threads=1).words) == ["one", "two", "three"]
    with pytest.raises(UsageError) as caught:
        small(min_count=6).train(texts, threads=1)
    assert str(caught.value) == (
        "no word stands at least min_count=6 times in the 10 tokens of the text: train on more text, or lower "
        "min_count (--min-count)"
    )


@pytest.mark.parametrize("texts", [[], [""], [[]], ["a"]], ids=str)
def test_no_text(texts):
    with pytest.raises(UsageError, match="no word stands at least min_count=1 times in the 0 tokens of the text"):
        small().train(texts, threads=1)


def test_an_index_without_text():
    with pytest.raises(UsageError, match="in the 0 tokens of the text"):
        small().train(Index.build([]).view(), threads=1)


@ways
@pytest.mark.parametrize("texts", [[["one"]], [["one"] * 20], [["one"], ["two"], ["three"]]], ids=repr)
def test_hardly_any_text(architecture, draw, texts):
    made = small(architecture=architecture, draw=draw, sample=0).train(texts, threads=1)
    assert len(made) == len({word for text in texts for word in text})
    assert np.isfinite(made.space("in")).all()
    assert made.space("out").any() == (len(texts[0]) > 1)  # a word alone has no neighbours


# --- what is handed to the kernels ------------------------------------------------------------------------------


def training_of(**changes):
    return word2vec.WordTraining(small(**changes), TrainingText.of_texts(TEXTS, PLAIN), 1)


def shares_of(table):
    found = np.zeros(len(table))
    for place, entry in enumerate(table.tolist()):
        own = (entry >> 32) / (1 << 32)
        found[place] += own / len(table)
        found[entry & 0xFFFFFFFF] += (1 - own) / len(table)
    return found


@pytest.mark.parametrize("power", [0, 0.75, 1, -0.0, 10])
def test_negatives_are_drawn_by_count_to_a_power(power):
    training = training_of(power=power)
    weights = training.vocabulary.counts.astype(float) ** power
    np.testing.assert_allclose(shares_of(training.table), weights / weights.sum(), atol=1e-9)


def test_power_0_draws_all_words_alike():
    assert np.ptp(shares_of(training_of(power=0).table)) < 1e-9
    assert training_of(power=0.5).vocabulary.counts.max() > 2 * training_of(power=0.5).vocabulary.counts.min()


@pytest.mark.parametrize("sample", [1e-3, 0.01, 0.05, 1])
def test_frequent_words_are_left_out_at_the_right_rate(sample):
    training = training_of(sample=sample, min_count=2)
    frequency = training.vocabulary.counts / training.vocabulary.counts.sum()
    expected = np.minimum(1, np.sqrt(sample / frequency) + sample / frequency)
    np.testing.assert_allclose(training.keep / 2.0**32, expected, atol=1e-9)
    trained = sum(
        kernels.skip_gram(
            block.tokens, block.starts, block.ends, training.vocabulary.number_of, training.keep, training.table,
            np.array([seed], np.uint64), 3, 1, 6, 0.01, 0.0, training.inward, training.outward,
        )[0]
        for block in training.blocks
        for seed in range(20)
    )  # fmt: skip
    usual = 20 * (training.vocabulary.counts * expected).sum()
    assert (
        abs(trained - usual)
        <= 4 * math.sqrt(20 * (training.vocabulary.counts * expected * (1 - expected)).sum()) + 1e-6
    )


def test_sample_0_leaves_nothing_out():
    assert (training_of(sample=0).keep == 1 << 32).all()
    assert (training_of(sample=1e-3).keep < 1 << 32).any()


@pytest.mark.parametrize("dim", [1, 5, 8, 9, 100])
def test_where_vectors_start(dim):
    training = training_of(dim=dim)
    assert training.inward.shape == (len(training.vocabulary), -(-dim // 8) * 8)
    used = training.inward[:, :dim]
    assert 0.75 * word2vec.START / dim < np.abs(used).max() <= word2vec.START / dim
    assert used.min() < 0 < used.max()
    assert not training.inward[:, dim:].any()
    assert not training.outward.any()


def by_hand(settings, text):
    """Train by calling the kernels, block by block, with what the settings say."""
    terms = text.terms()
    order = np.array(sorted(range(len(terms)), key=lambda number: (-text.counts[number], terms[number])))
    order = order[text.counts[order] >= settings.min_count]
    counts = text.counts[order]
    number_of = np.full(len(text.counts), -1, np.int32)
    number_of[order] = np.arange(len(order))
    rarity = settings.sample / (counts / counts.sum())
    keep = (np.minimum(1, np.sqrt(rarity) + rarity) * 2.0**32).astype(np.uint64)
    table, room = np.zeros(len(order), np.uint64), (np.zeros(len(order), np.int64), np.zeros(len(order)))
    chance.fill_alias(counts.astype(float) ** settings.power, *room, table)

    def state(number):
        own = int(chance.scramble(np.uint64(settings.seed))) ^ number
        return np.array([chance.scramble(np.uint64(own))], np.uint64)

    inward, outward = np.zeros((2, len(order), 8), np.float32)
    chance.fill_evenly(state(0), np.float32(word2vec.START / settings.dim), settings.dim, inward)
    train = kernels.skip_gram if settings.architecture == "skip-gram" else kernels.cbow
    shared = (
        1
        if settings.draw == "plain"
        else 2 * settings.window
        if train is kernels.skip_gram
        else word2vec.SUCCESSIVE
    )
    every, done, number = text.tokens * settings.epochs, 0, 0
    slope = (settings.rate - settings.last_rate) / every
    for _ in range(settings.epochs):
        for block in text.blocks():
            number += 1
            rate = settings.rate - slope * done
            train(
                block.tokens, block.starts, block.ends, number_of, keep, table, state(number), settings.window,
                settings.negatives, shared, rate, slope, inward, outward,
            )  # fmt: skip
            done += int((block.ends - block.starts).sum())
    assert settings.rate - slope * done == pytest.approx(settings.last_rate, abs=1e-12)
    return inward[:, : settings.dim], outward[:, : settings.dim]


@ways
def test_the_blocks_one_after_the_other(monkeypatch, architecture, draw):
    monkeypatch.setattr(training_text, "BLOCK", 100)
    settings_ = small(
        architecture=architecture,
        draw=draw,
        dim=7,
        epochs=3,
        rate=0.2,
        last_rate=0.05,
        seed=9,
        negatives=3,
    )
    text = TrainingText.of_texts(TEXTS, PLAIN)
    made = settings_.train(text, threads=1)
    inward, outward = by_hand(settings_, text)
    np.testing.assert_array_equal(made.space("in"), inward)
    np.testing.assert_array_equal(made.space("out"), outward)


@pytest.mark.parametrize(
    ("tokens", "epochs"),
    [
        (0, 20),
        (1, 20),
        (1_000_000, 20),
        (1_000_001, 20),
        (2_000_000, 10),
        (3_000_000, 7),
        (4_000_000, 5),
        (10**12, 5),
    ],
)
def test_a_text_is_read_more_often_where_there_is_little(tokens, epochs):
    assert training.enough_epochs(tokens) == epochs


def test_without_epochs_there_are_enough():
    made = small(epochs=0).train(TEXTS, threads=1)
    assert made.provenance["epochs"] == 20
    assert made.provenance["parameters"]["epochs"] == 0
    assert bytes_of(made) == bytes_of(small(epochs=20).train(TEXTS, threads=1))


# --- the same bytes ---------------------------------------------------------------------------------------------


@ways
def test_one_seed_one_thread_the_same_bytes(architecture, draw):
    how = {"architecture": architecture, "draw": draw}
    one = bytes_of(small(**how).train(TEXTS, threads=1))
    assert bytes_of(small(**how).train(iter(TERMS), threads=1)) == one
    for changes in ({"seed": 2}, {"seed": 0}, {"window": 2}, {"negatives": 4}, {"rate": 0.02}, {"epochs": 3}):
        assert bytes_of(small(**how, **changes).train(TEXTS, threads=1)) != one


def test_the_ways_differ():
    assert len({bytes_of(small(architecture=a, draw=n).train(TEXTS, threads=1))[1] for a, n in WAYS}) == 4


def test_seeds_that_are_next_to_each_other_start_far_apart():
    starts = [training_of(seed=seed, dim=100).inward for seed in (0, 1, 2, (1 << 63) - 1)]
    for i, one in enumerate(starts):
        for other in starts[:i]:
            assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.1


PROCESS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from vectors.test_word2vec import digest_of, small, TEXTS
print(json.dumps([digest_of(small(architecture=name).train(TEXTS, threads=1)) for name in ("skip-gram", "cbow")]))
"""


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_another_process_makes_the_same_bytes(hash_seed):
    root = Path(aboutness.__file__).parent.parent
    env = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", PROCESS, tests], env=env, capture_output=True, text=True, check=True
    )
    expected = [digest_of(small(architecture=name).train(TEXTS, threads=1)) for name in ("skip-gram", "cbow")]
    assert json.loads(done.stdout) == expected


def test_an_index_makes_the_same_bytes_as_the_texts_in_it():
    one = bytes_of(small().train(TERMS, threads=1))
    assert bytes_of(small().train(index_of([TEXTS]).view(), threads=1)) == one


def test_so_does_one_of_three_segments_where_blocks_end_with_them(monkeypatch):
    monkeypatch.setattr(training_text, "BLOCK", 240)
    one = bytes_of(small().train(index_of([TEXTS]).view(), threads=1))
    three = index_of([TEXTS[:20], TEXTS[20:40], TEXTS[40:]])
    assert bytes_of(small().train(three.view(), threads=1)) == one
    assert bytes_of(small().train(three.view(), threads=1)) == one


def test_segments_do_not_matter():
    three = index_of([TEXTS[:25], TEXTS[25:30], TEXTS[30:]])
    assert bytes_of(small().train(three.view(), threads=1)) == bytes_of(small().train(TERMS, threads=1))


@ways
def test_two_threads(architecture, draw, monkeypatch):
    monkeypatch.setattr(training_text, "BLOCK", 50)
    made = small(architecture=architecture, draw=draw, epochs=20).train(TEXTS, threads=2)
    alone = small(architecture=architecture, draw=draw, epochs=20).train(TEXTS, threads=1)
    assert list(made.words) == list(alone.words)
    assert made.provenance["threads"] == 2
    for name, space in made.spaces.items():
        assert space.shape == alone.space(name).shape
        assert np.isfinite(space).all()


# --- interrupted and resumed ------------------------------------------------------------------------------------

BLOCKS = 6 * 2


@pytest.fixture
def slow_blocks(monkeypatch):
    """Six blocks, each long enough for an interrupt to reach it."""
    block = word2vec.WordTraining._block

    def slow(self, number):
        block(self, number)
        time.sleep(0.002)

    monkeypatch.setattr(word2vec.WordTraining, "_block", slow)
    monkeypatch.setattr(training_text, "BLOCK", 120)
    monkeypatch.setattr(threads, "TICK", 0.0005)
    assert len(TrainingText.of_texts(TEXTS, PLAIN).blocks()) * 2 == BLOCKS


@pytest.mark.parametrize("every", [60.0, 0.0])
@pytest.mark.parametrize("architecture", ["skip-gram", "cbow"])
def test_interrupted_at_any_block_and_resumed(slow_blocks, tmp_path, architecture, every):
    whole = bytes_of(small(architecture=architecture).train(TEXTS, threads=1))
    reached = set()
    for block in range(BLOCKS + 1):
        checkpoint = Checkpoint(tmp_path / f"{block}.safetensors", every=every)

        def interrupt(progress, after=block):
            if progress.done >= after * 120:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            small(architecture=architecture).train(TEXTS, threads=1, checkpoint=checkpoint, tell=interrupt)
        kept = checkpoint.load(about_of(architecture))
        reached.add(int(kept["next"][0]))
        told = []
        again = small(architecture=architecture).train(TEXTS, threads=1, checkpoint=checkpoint, tell=told.append)
        assert bytes_of(again) == whole
        assert told[0].done >= 120 * kept["next"][0]
        assert told[-1].done == told[-1].total == 2 * 720
    assert len(reached) > BLOCKS // 2
    assert max(reached) == BLOCKS


def about_of(architecture):
    text = TrainingText.of_texts(TEXTS, PLAIN)
    return word2vec.WordTraining(small(architecture=architecture), text, 1)._about()


def test_interrupted_again_and_again(slow_blocks, tmp_path):
    whole = bytes_of(small().train(TEXTS, threads=1))
    checkpoint, interrupts = Checkpoint(tmp_path / "c.safetensors"), 0

    def interrupt(_progress):
        raise KeyboardInterrupt

    for _ in range(BLOCKS + 1):
        try:
            made = small().train(
                TEXTS, threads=1, checkpoint=checkpoint, tell=interrupt if interrupts < 4 else None
            )
        except KeyboardInterrupt:
            interrupts += 1
        else:
            break
    assert interrupts == 4
    assert bytes_of(made) == whole


def test_what_is_done_is_not_done_again(slow_blocks, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")
    whole = small().train(TEXTS, threads=1, checkpoint=checkpoint)
    assert int(checkpoint.load(about_of("skip-gram"))["next"][0]) == BLOCKS
    told = []
    assert bytes_of(small().train(TEXTS, threads=1, checkpoint=checkpoint, tell=told.append)) == bytes_of(whole)
    assert {progress.done for progress in told} == {2 * 720}
    assert {progress.per_second for progress in told} == {0.0}


@pytest.mark.parametrize("architecture", ["skip-gram", "cbow"])
def test_killed_and_resumed(slow_blocks, tmp_path, architecture):
    whole = bytes_of(small(architecture=architecture).train(TEXTS, threads=1))
    checkpoint = Checkpoint(tmp_path / "c.safetensors", every=0.0)
    reached = [0]
    for more in range(2, 8):

        def die(progress, at=reached[-1] + more):
            if progress.done >= 120 * min(at, BLOCKS):
                os.kill(os.getpid(), signal.SIGKILL)

        status, _ = Child(
            lambda _tell, die=die: small(architecture=architecture).train(
                TEXTS, threads=1, checkpoint=checkpoint, tell=die
            )
        ).end()
        assert os.WTERMSIG(status) == signal.SIGKILL
        kept = checkpoint.load(about_of(architecture))
        reached.append(int(kept["next"][0]) if kept else 0)
    assert reached == sorted(reached)
    assert reached[-1] > 0
    assert bytes_of(small(architecture=architecture).train(TEXTS, threads=1, checkpoint=checkpoint)) == whole
    left = [path.name for path in tmp_path.iterdir() if path != checkpoint.path]
    assert all(name.startswith(".c.safetensors.") for name in left)  # cut short by the kill


def test_threads_may_change_between(slow_blocks, tmp_path):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")

    def interrupt(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().train(TEXTS, threads=2, checkpoint=checkpoint, tell=interrupt)
    assert np.isfinite(small().train(TEXTS, threads=1, checkpoint=checkpoint).space()).all()


@pytest.mark.parametrize(
    ("changes", "texts", "words"),
    [
        ({"seed": 2}, TEXTS, r"with training word2vec\[dim=5"),
        ({"rate": 0.024}, TEXTS, r"with training word2vec\[dim=5"),
        ({"architecture": "cbow"}, TEXTS, r"with training word2vec\[dim=5"),
        ({}, TEXTS[:-1], "with tokens 720, text "),
        ({}, [*TEXTS[1:], TEXTS[0]], r"with text \d+;"),
    ],
)
def test_another_training_does_not_go_on_from_it(tmp_path, changes, texts, words):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")
    small().train(TEXTS, threads=1, checkpoint=checkpoint)
    with pytest.raises(UsageError, match=words):
        small(**changes).train(texts, threads=1, checkpoint=checkpoint)


@pytest.mark.parametrize("missing", ["in", "out", "next"])
def test_a_checkpoint_in_which_something_is_missing(tmp_path, missing):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")
    small().train(TEXTS, threads=1, checkpoint=checkpoint)
    about = about_of("skip-gram")
    arrays = {name: array for name, array in checkpoint.load(about).items() if name not in (missing, "about")}
    wrong = {} if missing == "next" else {missing: np.zeros((3, 3), np.float32)}
    for kept in (arrays, {**arrays, **wrong}):
        checkpoint.save(about, kept)
        with pytest.raises(UsageError, match=r"the checkpoint is damaged .* start anew with restart"):
            small().train(TEXTS, threads=1, checkpoint=checkpoint)


def test_without_a_checkpoint_an_interrupt_comes_out():
    def interrupt(_progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().train(TEXTS, threads=1, tell=interrupt)


# --- parameters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rate", [0, -0.1, 5e-324, 1e-40, 1e-7, 10.001, 1e30, math.inf, -math.inf, math.nan, "0.1"]
)
def test_rates_that_are_refused(rate):
    with pytest.raises(UsageError, match="word2vec: rate must be a number at least 1e-06 and at most 10, got"):
        Word2Vec(rate=rate)


@pytest.mark.parametrize("rate", [-0.1, -5e-324, 10.001, math.inf, math.nan])
def test_last_rates_that_are_refused(rate):
    with pytest.raises(UsageError, match="word2vec: last_rate must be a number at least 0 and at most 10, got"):
        Word2Vec(last_rate=rate)


def test_the_rate_does_not_rise():
    """A last rate above the first, also by default, is as good as the first."""
    level = small(rate=1e-5, last_rate=1e-5).train(TEXTS, threads=1)
    for last in (1e-4, 10.0):
        made = small(rate=1e-5, last_rate=last).train(TEXTS, threads=1)
        np.testing.assert_array_equal(made.space("in"), level.space("in"))
        np.testing.assert_array_equal(made.space("out"), level.space("out"))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("architecture", ["skipgram", "CBOW", None]),
        ("draw", ["both", True]),
        ("dim", [0, -1, 10_001, 2.5, "3", math.nan, math.inf, True]),
        ("window", [0, 1001, 0.5]),
        ("epochs", [-1, 100_001, 1.5]),
        ("negatives", [0, 1001]),
        ("power", [-0.1, 10.1, math.nan]),
        ("sample", [-1e-9, 1.1, math.nan]),
        ("min_count", [0, (1 << 40) + 1]),
        ("seed", [-1, 1 << 63, 0.5]),
    ],
)
def test_values_that_are_refused(name, values):
    for value in values:
        with pytest.raises(UsageError, match=f"^word2vec: {name} must be"):
            Word2Vec(**{name: value})


@pytest.mark.parametrize("rate", [1.0, 10.0])
@ways
def test_a_rate_that_is_too_high_is_told(architecture, draw, rate):
    how = small(architecture=architecture, draw=draw, rate=rate, last_rate=rate, epochs=40, sample=0, dim=8)
    with pytest.raises(UsageError) as caught:
        how.train(TEXTS, threads=1)
    assert str(caught.value) == (
        f"the training diverged: vectors grew beyond all bounds with rate={rate:g}; choose a lower rate "
        "(0.025 is usual)"
    )


def test_it_is_told_as_soon_as_it_is_seen():
    began = time.monotonic()
    with pytest.raises(UsageError, match="the training diverged"):
        small(rate=10, last_rate=10, epochs=100_000, sample=0).train(TEXTS, threads=1)
    assert time.monotonic() - began < 10


def test_vectors_that_are_not_finite_are_never_returned(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")
    small().train(TEXTS, threads=1, checkpoint=checkpoint)
    about = about_of("skip-gram")
    whole = {name: np.array(array) for name, array in checkpoint.load(about).items()}
    for space in ("in", "out"):
        for bad in (math.nan, math.inf, -1.1e3):
            arrays = {name: array.copy() for name, array in whole.items() if name != "about"}
            arrays[space][-1, 4] = bad
            checkpoint.save(about, arrays)
            with pytest.raises(UsageError, match="the training diverged"):
                small().train(TEXTS, threads=1, checkpoint=checkpoint)


drawn = st.fixed_dictionaries(
    {
        "architecture": st.sampled_from(["skip-gram", "cbow"]),
        "draw": st.sampled_from(["shared", "plain"]),
        "dim": st.integers(1, 20),
        "window": st.integers(1, 8) | st.just(1000),
        "epochs": st.integers(0, 3),
        "negatives": st.integers(1, 14) | st.just(200),
        "power": st.floats(0, 10),
        "sample": st.floats(0, 1) | st.sampled_from([0, 5e-324, 1e-300]),
        "min_count": st.integers(1, 60) | st.just(1 << 40),
        "rate": st.floats(1e-6, 10),
        "last_rate": st.floats(0, 10) | st.sampled_from([0.0, 5e-324, 1e-40]),
        "seed": st.integers(0, (1 << 63) - 1),
    }
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(drawn)
def test_all_that_is_declared_trains_or_is_refused(parameters):
    try:
        made = Word2Vec(**parameters).train(TEXTS[:12], threads=1)
    except UsageError as error:
        reasons = ("last_rate must be at most rate", "no word stands at least", "the training diverged")
        assert any(reason in str(error) for reason in reasons)
        return
    counts = Counter(term for text in TERMS[:12] for term in text)
    assert len(made) == sum(count >= parameters["min_count"] for count in counts.values())
    for space in made.spaces.values():
        assert space.shape == (len(made), parameters["dim"])
        assert np.isfinite(space).all()
    again = Word2Vec.from_options({name: str(value) for name, value in parameters.items()})
    assert again == Word2Vec(**parameters)


@pytest.mark.parametrize(
    "largest", [{"dim": 10_000}, {"window": 1000}, {"negatives": 1000}, {"epochs": 1000}], ids=str
)
@pytest.mark.parametrize("architecture", ["skip-gram", "cbow"])
def test_the_largest_values_train(architecture, largest):
    made = small(architecture=architecture, **largest).train([["one", "two", "three"] * 5], threads=1)
    assert all(np.isfinite(space).all() for space in made.spaces.values())


def test_more_memory_than_there_is():
    """In a process that may have only little more than it has."""
    text = TrainingText.of_texts([[f"w{i}" for i in range(2000)]], PLAIN)
    small().train(text, threads=1)

    def train():
        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + (32 << 20), has + (32 << 20)))
        small(dim=10_000).train(text, threads=1)

    result = result_of(train)
    assert isinstance(result, UsageError)
    assert str(result) == (
        "two matrices of 2,000 words x 10000 need 0.2 GB, which is more memory than there is; choose a lower dim or "
        "a higher min_count"
    )


# --- learning ---------------------------------------------------------------------------------------------------


@ways
def test_words_of_a_topic_get_similar_vectors(architecture, draw):
    """Two topics that have only a few frequent words in common."""
    chosen = np.random.default_rng(3)
    topics = [[f"{name}{i}" for i in range(8)] for name in ("sun", "sea")]
    common = ["the", "and", "with"]
    texts = [[str(word) for word in chosen.choice(topics[number % 2] + common, 12)] for number in range(400)]
    how = Word2Vec(architecture=architecture, draw=draw, dim=16, epochs=10, window=4, rate=0.05, sample=0)
    made = how.train(texts, threads=1)
    for space in ("in", "out"):
        vectors, known = made.look_up(topics[0] + topics[1], space)
        assert known.all()
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = unit @ unit.T
        same = np.kron(np.eye(2), np.ones((8, 8))).astype(bool)
        others = same & ~np.eye(16, dtype=bool)
        assert cosines[others].mean() > cosines[~same].mean() + 0.3
        nearest = np.argmax(np.where(np.eye(16, dtype=bool), -2, cosines), axis=1)
        assert (nearest // 8 == np.arange(16) // 8).all()
    towards, away = made.look_up(topics[0])[0], made.look_up(topics[0] + topics[1], "out")[0]
    products = towards @ away.T  # words of its topic are what a word predicts
    assert products[:, :8].mean() > products[:, 8:].mean() + 0.5


@pytest.mark.parametrize("architecture", ["skip-gram", "cbow"])
@pytest.mark.parametrize("rate", [0.9, 1.0, 3.0])
def test_vectors_are_never_huge(architecture, rate, tmp_path):
    """Numbers that have grown without bounds are of no use, also while they are finite."""
    checkpoint = Checkpoint(tmp_path / "c.safetensors", every=0.0)
    try:
        made = small(architecture=architecture, rate=rate, epochs=50).train(
            TEXTS, threads=1, checkpoint=checkpoint
        )
    except Diverged as error:
        assert "choose a lower rate" in str(error)
    else:
        assert max(np.abs(space).max() for space in made.spaces.values()) <= training.LARGEST


def test_a_rate_that_is_too_high_diverges():
    with pytest.raises(Diverged, match="rate=1;"):
        small(rate=1, epochs=50).train(TEXTS, threads=1)


def test_a_checkpoint_may_be_a_path(tmp_path):
    made = small().train(TEXTS, threads=1, checkpoint=tmp_path / "c.safetensors")
    assert bytes_of(small().train(TEXTS, threads=1, checkpoint=str(tmp_path / "c.safetensors"))) == bytes_of(made)
    with pytest.raises(UsageError, match=r"must end in \.safetensors"):
        small().train(TEXTS, threads=1, checkpoint=tmp_path / "c.bin")


def test_no_more_threads_than_blocks():
    assert small().train(TEXTS, threads=64).provenance["threads"] == 1
