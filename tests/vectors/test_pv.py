"""Training of paragraph vectors: every objective and switch, what is kept, that it can be repeated, and learning."""

from __future__ import annotations

import hashlib
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aboutness
from aboutness.core.errors import Diverged, UsageError
from aboutness.kernels import paragraphs as kernels
from aboutness.kernels.paragraphs import DRAWN, TOGETHER
from aboutness.text.analyzers import analyzer
from aboutness.vectors import pv, threads, training, training_text
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import Texts
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.training import chance_of
from aboutness.vectors.training_text import TrainingText, chosen_documents
from kernels.test_paragraphs import drawn_from
from kernels.test_word2vec import around, gradient, kept_words, log_s
from reliability.harm import result_of
from vectors.test_word2vec import index_of, shares_of, some_texts

PLAIN = analyzer("plain")
TEXTS = some_texts()
TERMS = [text.split() for text in TEXTS]
TOKENS = 720

OFF = {"by_documents": "off", "gamma": 0, "joint": 0}
WAYS = {
    "pv": PV(),
    "pv-dm": PV(architecture="dm"),
    "epv-none": EPV(**OFF),
    "epv-d": EPV(gamma=0, joint=0),
    "epv-r": EPV(by_documents="off", joint=0),
    "epv-j": EPV(by_documents="off", gamma=0),
    "epv-dr": EPV(joint=0),
    "epv-dj": EPV(gamma=0),
    "epv-drj": EPV(),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
main_ways = pytest.mark.parametrize(
    "way", [WAYS["pv"], WAYS["pv-dm"], WAYS["epv-drj"]], ids=["pv", "pv-dm", "epv"]
)


def changed(way, **changes):
    return type(way)(**{**training_parameters(way), **changes})


def training_parameters(way):
    return {one.name: getattr(way, one.name) for one in way.declared()}


def small(way, **changes):
    return changed(way, **{"dim": 5, "epochs": 2, "min_count": 1, "window": 3, **changes})


def bytes_of(space):
    matrices = [space.rows, *(space.words.spaces[name] for name in sorted(space.words.spaces))]
    return list(space.words), [matrix.tobytes() for matrix in matrices]


def digest_of(space):
    """A mark of what was trained, and of what is inferred from it for a question."""
    words, matrices = bytes_of(space)
    question = Texts(np.array([0, 3, 1], np.int32), np.array([1, 2, 1], np.float32), np.array([3]))
    matrices.append(space.infer_question(question).tobytes())
    return hashlib.sha256(" ".join(words).encode() + b"".join(matrices)).hexdigest()


def started(way, texts=TEXTS):
    return way.training(TrainingText.of_texts(texts, PLAIN), 1)


def all_finite(space):
    matrices = [space.rows, *space.words.spaces.values()]
    return all(
        np.isfinite(matrix).all() and np.abs(matrix).max(initial=0) <= training.LARGEST for matrix in matrices
    )


# --- what is kept -----------------------------------------------------------------------------------------------


@every_way
def test_rows_words_and_provenance(way):
    made = small(way, min_count=3).train(TEXTS, threads=1)
    counts = Counter(term for text in TERMS for term in text)
    expected = sorted((term for term in counts if counts[term] >= 3), key=lambda term: (-counts[term], term))
    assert list(made.words) == expected
    assert made.words.counts.tolist() == [counts[term] for term in expected]
    dm = getattr(way, "architecture", "") == "dm"
    assert sorted(made.words.spaces) == (["in", "out"] if dm else ["out"])
    for matrix, size in ((made.rows, 60), *((space, len(expected)) for space in made.words.spaces.values())):
        assert matrix.shape == (size, 5)
        assert matrix.dtype == np.float32
        assert matrix.flags.c_contiguous
        assert np.isfinite(matrix).all()
        assert matrix.any(axis=1).all()
    assert made.arrivals.tolist() == list(range(60))
    parameters = {
        "dim": 5, "epochs": 2, "negatives": 5, "window": 3, "min_count": 3, "subsample": 0.0, "sample": 0,
        "rate": 0.025 if way.name == "pv" else 0.05, "last_rate": 1e-4, "seed": 1, "power": 0.75,
    }  # fmt: skip
    own = ("architecture",) if way.name == "pv" else ("by_documents", "eta", "gamma", "joint")
    inference = {key: parameters[key] for key in ("epochs", "negatives", "rate", "last_rate", "seed")}
    assert dict(made.provenance) == {
        "training": way.name,
        "parameters": {**parameters, **{key: getattr(way, key) for key in own}},
        "threads": 1,
        "tokens": TOKENS,
        "epochs": 2,
        "switches": list(way.objective.switches),
        "inference": {**inference, "gamma": getattr(way, "gamma", 0.0), **({"window": 3} if dm else {})},
        "analyzer": PLAIN.to_json(),
        "software": f"aboutness {aboutness.__version__}",
    }
    json.dumps(made.provenance)
    assert sorted(made.own) == (["noise"] if dm else ["noise", "normalisers"])


@every_way
def test_probabilities_of_a_document_sum_to_1(way):
    made = small(way, epochs=20).train([*TEXTS, "", "rare"], threads=1)
    products = made.rows.astype(np.float64) @ made.words.space("out").T.astype(np.float64)
    np.testing.assert_allclose(np.exp(products - made.normalisers[:, None]).sum(axis=1), 1, rtol=1e-5)
    assert made.normalisers[60] == pytest.approx(math.log(len(made.words)))  # an empty one: all words alike


def test_strings_go_through_the_analyzer():
    texts = ["The suns and the moons"] * 3
    for way in (WAYS["pv"], WAYS["epv-drj"]):
        assert list(small(way).train(texts, threads=1).words) == ["the", "and", "moons", "suns"]
        made = small(way).train(texts, analyzer="english", threads=1)
        assert set(made.words) == {"sun", "moon"}
        assert made.provenance["analyzer"]["name"] == "english"
    assert "analyzer" not in small(PV()).train(TERMS, threads=1).provenance


def test_words_that_are_too_rare():
    texts = [["one"] * 5 + ["two"] * 4 + ["three"], ["three"], []]
    made = small(PV(), min_count=4).train(texts, threads=1)
    assert list(made.words) == ["one", "two"]
    assert made.rows.any(axis=1).tolist() == [True, False, False]  # without a known word: 0
    with pytest.raises(UsageError, match="no word stands at least min_count=6 times in the 11 tokens of the text"):
        small(PV(), min_count=6).train(texts, threads=1)


# --- what is handed to the kernels ------------------------------------------------------------------------------


def test_switches():
    switches = {name: way.objective.switches for name, way in WAYS.items()}
    assert switches == {
        "pv": (False, False, False, False),
        "pv-dm": (False, False, False, True),
        "epv-none": (False, False, False, False),
        "epv-d": (True, False, False, False),
        "epv-r": (False, True, False, False),
        "epv-j": (False, False, True, False),
        "epv-dr": (True, True, False, False),
        "epv-dj": (True, False, True, False),
        "epv-drj": (True, True, True, False),
    }
    assert {name: way.normalises for name, way in WAYS.items()} == {name: name != "pv-dm" for name in WAYS}


@every_way
@pytest.mark.parametrize("power", [0.0, 0.1, 0.75, 1.0])
def test_negatives_are_drawn_by_counts_or_by_document_frequencies(way, power):
    """D is the only switch that changes the noise: P(n) in proportion to df^eta, not to count^power."""
    texts = [*TERMS, ["w0"] * 300, ["w1", "w2"] * 50]
    by_documents = way.objective.by_documents
    how = small(way, **({"eta": power, "power": 0.5} if by_documents else {"power": power}), min_count=2)
    found = started(how, texts)
    words = found.vocabulary.words
    counts = Counter(term for text in texts for term in text)
    df = Counter(term for text in texts for term in set(text))
    weights = np.array([float((df if by_documents else counts)[word]) for word in words]) ** power
    np.testing.assert_allclose(shares_of(found.table), weights / weights.sum(), atol=1e-9)
    np.testing.assert_allclose(found.noise, weights)
    assert power == 0 or np.ptp(weights) > 0


def test_documents_are_pulled_by_their_known_words():
    texts = ["one two two", "", "two rare", "one one one one one two two two"]
    found = started(small(EPV(gamma=4), min_count=3), texts)
    assert found.lengths.tolist() == [3, 0, 1, 8]
    np.testing.assert_allclose(found.pulls, [2 * 4 / 3, 8, 8, 1])
    assert not started(small(EPV(gamma=0)), texts).pulls.any()
    assert not started(small(PV()), texts).pulls.any()


@every_way
@pytest.mark.parametrize("dim", [1, 5, 8, 9, 100])
def test_where_vectors_start(way, dim):
    found = started(small(way, dim=dim), [*TEXTS, ""])
    wide = -(-dim // 8) * 8
    words = len(found.vocabulary)
    matrices = found.matrices()
    assert {name: matrix.shape for name, matrix in matrices.items()} == {
        "rows": (61, wide),
        "out": (words, wide),
        "context": (words if way.objective.joint else 0, wide),
        "in": (words if way.objective.in_context else 0, wide),
    }
    for matrix in (found.rows[:60], *([found.inward] if len(found.inward) else [])):
        used = matrix[:, :dim]
        assert 0.7 * pv.START / dim < np.abs(used).max() <= pv.START / dim
        assert used.min() < 0 < used.max()
        assert not matrix[:, dim:].any()
    assert not found.rows[60].any()
    assert not found.outward.any()
    assert not found.context.any()


def test_seeds_that_are_next_to_each_other_start_far_apart():
    starts = [started(small(PV(), seed=seed, dim=100)).rows for seed in (0, 1, 2, (1 << 63) - 1)]
    for i, one in enumerate(starts):
        for other in starts[:i]:
            assert abs(np.corrcoef(one[:, :100].ravel(), other[:, :100].ravel())[0, 1]) < 0.1


def by_hand(way, text, documents):
    """Train by calling the kernels, block by block, with what the settings say."""
    found = way.training(text, 1)  # for its start alone, and which word has which number
    objective, number = way.objective, 0
    rate, slope = way.rate, (way.rate - way.last_rate) / (text.tokens * way.epochs)
    for _ in range(way.epochs):
        for block in text.blocks():
            here = block.tokens, block.starts, block.ends, block.documents, found.vocabulary.number_of, found.keep
            here = *here, found.table, chance_of(way.seed, number)
            if objective.in_context:
                last = found.rows, found.inward, found.outward
                kernels.dm(*here, way.window, way.negatives, rate, slope, *last)
            else:
                window = way.window if objective.joint else 0
                pulls = 2 * objective.gamma / np.array(documents, float)
                last = found.rows, found.outward, found.context
                kernels.dbow(*here, window, way.negatives, objective.joint, pulls, rate, slope, *last)
            rate -= slope * int((block.ends - block.starts).sum())
            number += 1
    assert rate == pytest.approx(way.last_rate, abs=1e-12)
    assert number == way.epochs * 7
    return found


@every_way
def test_the_blocks_one_after_the_other(monkeypatch, way):
    monkeypatch.setattr(training_text, "BLOCK", 100)
    how = small(way, dim=7, epochs=3, rate=0.2, last_rate=0.05, seed=9, negatives=3, subsample=0.1)
    text = TrainingText.of_texts(TEXTS, PLAIN)
    made, expected = how.train(text, threads=1), by_hand(how, text, [12] * 60)
    np.testing.assert_array_equal(made.rows, expected.rows[:, :7])
    np.testing.assert_array_equal(made.words.space("out"), expected.outward[:, :7])
    if way.objective.in_context:
        np.testing.assert_array_equal(made.words.space("in"), expected.inward[:, :7])


def test_subsampling_leaves_frequent_words_out():
    found = started(small(EPV(), subsample=0.01))
    frequency = found.vocabulary.counts / found.vocabulary.counts.sum()
    expected = np.minimum(1, np.sqrt(0.01 / frequency) + 0.01 / frequency)
    np.testing.assert_allclose(found.keep / 2.0**32, expected, atol=1e-9)
    assert expected.min() < 0.5
    assert (started(small(EPV())).keep == 1 << 32).all()


# --- gradients --------------------------------------------------------------------------------------------------

TINY = ["a1 b1 c1 a1 e1", "d1", "", "b1 d1 e1 c1 b1 " * 4, "rare e1 e1"]
LENGTHS = [5, 1, 0, 20, 2]
RATE = 1e-4


def read_once(way, found, state):
    """What one reading of the text trains: (document, words, negatives, neighbours, [(word, contexts, negatives)])."""
    (block,) = found.blocks
    dm, joint = way.objective.in_context, way.objective.joint > 0
    for start, end, document in zip(block.starts, block.ends, block.documents, strict=True):
        tokens, number_of = block.tokens[start:end], found.vocabulary.number_of
        words, reach = kept_words(tokens, number_of, found.keep, way.window if dm else 1, state)
        for at, word in enumerate(words if dm else ()):
            near = around(words, reach[at], at)
            yield document, [word], drawn_from(found.table, state, way.negatives), near, []
        for first in range(0, 0 if dm else len(words), TOGETHER):
            some = words[first : first + TOGETHER]
            drawn, contexts = drawn_from(found.table, state, DRAWN * len(some)), []
            for at in range(first, first + len(some) if joint else first):
                near = around(words, way.window, at)
                contexts.append((words[at], near, drawn_from(found.table, state, len(near))))
            yield document, some, drawn, [], contexts


def objective_of_dbow(way, parts):
    """Equations 2, 8 and 9, as a function of all matrices."""
    k, gamma, joint = way.negatives, getattr(way, "gamma", 0.0), getattr(way, "joint", 0.0)

    def objective(rows, outward, context, _):
        total = 0.0
        for document, words, drawn, _, contexts in parts:
            d = rows[document]
            total += log_s(outward[words] @ d).sum() + k / DRAWN * log_s(-outward[drawn] @ d).sum()
            total -= len(words) * gamma / LENGTHS[document] * (d @ d)
            for word, near, others in contexts:
                w = outward[word]
                total += joint * (log_s(context[near] @ w).sum() + k * log_s(-context[others] @ w).sum())
        return total

    return objective


def objective_of_dm(parts, *, longer):
    """Le and Mikolov's, with the mean; steps are longer where each part of it makes the whole step of the mean."""

    def objective(rows, outward, _, inward):
        total = 0.0
        for document, word, drawn, near, _ in parts:
            mean = (rows[document] + inward[near].sum(axis=0)) / (1 + len(near))
            one = log_s(outward[word] @ mean).sum() + log_s(-outward[drawn] @ mean).sum()
            total += one * (1 + len(near)) if longer else one
        return total

    return objective


@every_way
@pytest.mark.parametrize("subsample", [0.0, 0.3])
def test_a_small_step_is_the_gradient_of_the_objective(way, subsample):
    """Finite differences of the objective, as the equations have it, for every switch."""
    how = small(way, dim=3, window=2, min_count=2, negatives=3, subsample=subsample, rate=RATE)
    found = started(how, TINY)
    chance = np.random.default_rng(4)
    matrices = [found.rows, found.outward, found.context, found.inward]
    for matrix in matrices:
        matrix[:, :3] = chance.normal(size=(len(matrix), 3)) / 2
    before = [matrix[:, :3].astype(np.float64) for matrix in matrices]
    parts, dm = list(read_once(how, found, chance_of(1, 0))), way.objective.in_context
    (block,) = found.blocks
    assert math.isfinite(found._train(block, chance_of(1, 0), RATE, 0.0))
    for i, (old, matrix) in enumerate(zip(before, matrices, strict=True)):
        if not matrix.size:
            continue
        longer = matrix is not found.outward
        objective = objective_of_dm(parts, longer=longer) if dm else objective_of_dbow(how, parts)
        expected = gradient(lambda some, i=i, f=objective: f(*before[:i], some, *before[i + 1 :]), old)
        np.testing.assert_allclose((matrix[:, :3] - old) / RATE, expected, rtol=0.01, atol=0.03)
        assert np.abs(expected).max() > 1
    assert (found.rows[2, :3] == before[0][2]).all()


# --- the same bytes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, {"subsample": 0.02, "power": 0.5, "seed": 4}, {"sample": 30}], ids=str)
def test_without_its_changes_epv_is_pv(changes):
    plain = small(PV(), **changes).train(TEXTS, threads=1)
    same = small(EPV(**OFF), rate=0.025, **changes).train(TEXTS, threads=1)
    assert bytes_of(same) == bytes_of(plain)
    assert same.normalisers.tobytes() == plain.normalisers.tobytes()
    for switch in ({"by_documents": "on"}, {"gamma": 1.0}, {"joint": 0.1}):
        other = small(EPV(**{**OFF, **switch}), rate=0.025, **changes).train(TEXTS, threads=1)
        assert other.rows.tobytes() != plain.rows.tobytes()


@every_way
def test_one_seed_one_thread_the_same_bytes(way):
    one = bytes_of(small(way).train(TEXTS, threads=1))
    assert bytes_of(small(way).train(iter(TERMS), threads=1)) == one
    for changes in ({"seed": 2}, {"seed": 0}, {"negatives": 4}, {"rate": 0.02}, {"epochs": 3}, {"power": 0.5}):
        same = "power" in changes and way.objective.by_documents
        assert (bytes_of(small(way, **changes).train(TEXTS, threads=1)) == one) == same
    reads_window = way.objective.joint or way.objective.in_context
    assert (bytes_of(small(way, window=2).train(TEXTS, threads=1)) == one) != bool(reads_window)


def test_the_ways_differ():
    ways = [way for name, way in WAYS.items() if name != "epv-none"]
    assert len({small(way, rate=0.025).train(TEXTS, threads=1).rows.tobytes() for way in ways}) == len(ways)


PROCESS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from vectors.test_pv import TEXTS, WAYS, digest_of, small
print(json.dumps([digest_of(small(way, sample=40).train(TEXTS, threads=1)) for way in WAYS.values()]))
"""


def test_another_process_makes_the_same_bytes():
    """Of what is trained, and of what is inferred: some documents are left out of the training."""
    env = os.environ | {"PYTHONHASHSEED": "12345", "PYTHONPATH": str(Path(aboutness.__file__).parent.parent)}
    command = [sys.executable, "-c", PROCESS, str(Path(__file__).parent.parent)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        digest_of(small(way, sample=40).train(TEXTS, threads=1)) for way in WAYS.values()
    ]


@main_ways
def test_an_index_makes_the_same_bytes_as_the_texts_in_it(monkeypatch, way):
    expected = bytes_of(small(way).train(TERMS, threads=1))
    assert bytes_of(small(way).train(index_of([TEXTS]).view(), threads=1)) == expected
    three = index_of([TEXTS[:25], TEXTS[25:30], TEXTS[30:]])
    assert bytes_of(small(way).train(three.view(), threads=1)) == expected


def test_rows_are_those_of_living_documents():
    index = index_of([TEXTS[:30], TEXTS[30:]])
    index.delete(["0-3", "1-0", "1-29"])
    made = small(PV()).train(index.view(), threads=1)
    kept = [i for i in range(60) if i not in (3, 30, 59)]
    assert made.arrivals.tolist() == kept
    assert bytes_of(made) == bytes_of(small(PV()).train([TEXTS[i] for i in kept], threads=1))


@every_way
def test_two_threads(way, monkeypatch):
    monkeypatch.setattr(training_text, "BLOCK", 50)
    made = small(way, epochs=20).train(TEXTS, threads=2)
    alone = small(way, epochs=20).train(TEXTS, threads=1)
    assert list(made.words) == list(alone.words)
    assert made.provenance["threads"] == 2
    assert all_finite(made)
    assert predicts(made, TERMS) > predicts(alone, TERMS) - 0.1


def test_no_more_threads_than_blocks():
    assert small(PV()).train(TEXTS, threads=64).provenance["threads"] == 1


# --- a sample ---------------------------------------------------------------------------------------------------


@main_ways
def test_a_sample_is_trained_on_and_the_others_are_inferred(way):
    made = small(way, sample=20, seed=5).train(TEXTS, threads=1)
    chosen = chosen_documents(60, 20, 5)
    alone = small(way, seed=5).train([text for text, one in zip(TERMS, chosen, strict=True) if one], threads=1)
    assert chosen.sum() == 20
    assert list(made.words) == list(alone.words)
    for name, space in alone.words.spaces.items():
        assert made.words.space(name).tobytes() == space.tobytes()
    assert made.rows[chosen].tobytes() == alone.rows.tobytes()
    text = TrainingText.of_texts(TERMS, PLAIN)
    inferred = alone.infer(text.texts(alone.words.numbers(text.terms()).astype(np.int32)))
    assert made.rows[~chosen].tobytes() == inferred[~chosen].tobytes()
    assert made.arrivals.tolist() == list(range(60))
    assert made.provenance["tokens"] == alone.provenance["tokens"] == 20 * 12
    if way.normalises:
        assert made.normalisers[chosen].tobytes() == alone.normalisers.tobytes()


def test_in_how_many_portions_the_others_are_inferred_makes_no_difference(monkeypatch):
    whole = bytes_of(small(EPV(), sample=20).train(TEXTS, threads=1))
    monkeypatch.setattr(training_text, "PORTION", 100)
    assert bytes_of(small(EPV(), sample=20).train(TEXTS, threads=1)) == whole


def test_a_sample_of_all_is_none():
    whole = bytes_of(small(PV()).train(TEXTS, threads=1))
    for sample in (60, 61, 1 << 40):
        assert bytes_of(small(PV(), sample=sample).train(TEXTS, threads=1)) == whole


def test_a_sample_of_an_index():
    index = index_of([TEXTS[:30], TEXTS[30:]])
    index.delete(["0-3", "1-0"])
    kept = [i for i in range(60) if i not in (3, 30)]
    made = small(EPV(), sample=10).train(index.view(), threads=1)
    assert made.arrivals.tolist() == kept
    assert bytes_of(made) == bytes_of(small(EPV(), sample=10).train([TEXTS[i] for i in kept], threads=1))


# --- interrupted and resumed ------------------------------------------------------------------------------------

BLOCKS = 6 * 2


@pytest.fixture
def slow_blocks(monkeypatch):
    """Six blocks, each long enough for an interrupt to reach it."""
    block = training.Training._block

    def slow(self, number):
        block(self, number)
        time.sleep(0.001)

    monkeypatch.setattr(training.Training, "_block", slow)
    monkeypatch.setattr(training_text, "BLOCK", 120)
    monkeypatch.setattr(threads, "TICK", 0.0005)
    assert len(TrainingText.of_texts(TEXTS, PLAIN).blocks()) * 2 == BLOCKS


@pytest.mark.parametrize("every", [60.0, 0.0])
@main_ways
def test_interrupted_at_any_block_and_resumed(slow_blocks, tmp_path, way, every):
    whole = bytes_of(small(way).train(TEXTS, threads=1))
    reached = set()
    for block in range(0, BLOCKS + 1, 2):
        checkpoint = Checkpoint(tmp_path / f"{block}.safetensors", every=every)

        def interrupt(progress, after=block):
            if progress.done >= after * 120:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            small(way).train(TEXTS, threads=1, checkpoint=checkpoint, tell=interrupt)
        kept = checkpoint.load(started(small(way))._about())
        reached.add(int(kept["next"][0]))
        told = []
        again = small(way).train(TEXTS, threads=1, checkpoint=checkpoint, tell=told.append)
        assert bytes_of(again) == whole
        assert told[0].done >= 120 * kept["next"][0]
        assert told[-1].done == told[-1].total == 2 * TOKENS
    assert len(reached) > BLOCKS // 4
    assert max(reached) == BLOCKS


def test_a_sample_is_resumed(slow_blocks, tmp_path):
    whole = bytes_of(small(EPV(), sample=40).train(TEXTS, threads=1))
    checkpoint = Checkpoint(tmp_path / "c.safetensors")

    def interrupt(progress):
        if progress.done >= 240:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small(EPV(), sample=40).train(TEXTS, threads=1, checkpoint=checkpoint, tell=interrupt)
    assert bytes_of(small(EPV(), sample=40).train(TEXTS, threads=1, checkpoint=checkpoint)) == whole


@pytest.mark.parametrize(
    ("changes", "texts", "words"),
    [
        ({"seed": 2}, TEXTS, r"with training epv\[dim=5"),
        ({"gamma": 1}, TEXTS, r"with training epv\[dim=5"),
        ({"sample": 30}, TEXTS, r"with training epv\[dim=5"),
        ({}, TEXTS[:-1], "with tokens 720, text "),
        ({}, [*TEXTS[1:], TEXTS[0]], r"with text \d+;"),
        ({}, [*TEXTS, ""], r"with text \d+;"),
        ({}, ["", *TEXTS], r"with text \d+;"),
    ],
)
def test_another_training_does_not_go_on_from_it(tmp_path, changes, texts, words):
    checkpoint = Checkpoint(tmp_path / "c.safetensors")
    small(EPV()).train(TEXTS, threads=1, checkpoint=checkpoint)
    with pytest.raises(UsageError, match=words):
        small(EPV(), **changes).train(texts, threads=1, checkpoint=checkpoint)


def test_a_checkpoint_may_be_a_path(tmp_path):
    made = small(PV()).train(TEXTS, threads=1, checkpoint=tmp_path / "c.safetensors")
    again = small(PV()).train(TEXTS, threads=1, checkpoint=str(tmp_path / "c.safetensors"))
    assert bytes_of(again) == bytes_of(made)


# --- parameters -------------------------------------------------------------------------------------------------


def test_the_papers_parameters():
    assert (EPV().dim, EPV().gamma, EPV().eta, EPV().negatives, EPV().window) == (300, 10.0, 0.1, 5, 5)
    assert (PV().dim, PV().power, PV().negatives) == (300, 0.75, 5)


@pytest.mark.parametrize(
    ("tokens", "epochs"), [(1, 40), (500_000, 40), (500_001, 40), (600_000, 34), (4_000_000, 5), (10**9, 5)]
)
def test_a_text_is_read_more_often_where_there_is_little(tokens, epochs):
    assert training.enough_epochs(tokens, pv.MOST_EPOCHS) == epochs


def test_without_epochs_there_are_enough():
    made = small(PV(), epochs=0).train(TEXTS, threads=1)
    assert made.provenance["epochs"] == made.provenance["inference"]["epochs"] == 40
    assert made.provenance["parameters"]["epochs"] == 0
    assert bytes_of(made) == bytes_of(small(PV(), epochs=40).train(TEXTS, threads=1))


@pytest.mark.parametrize("way", [PV, EPV])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("dim", [0, -1, 10_001, 2.5, "3", math.nan, True]),
        ("window", [0, 1001, 0.5]),
        ("epochs", [-1, 100_001, 1.5]),
        ("negatives", [0, 1001]),
        ("subsample", [-1e-9, 1.1, math.nan]),
        ("sample", [-1, (1 << 40) + 1, 0.5]),
        ("min_count", [0, (1 << 40) + 1]),
        ("rate", [0, 1e-7, 10.001, math.inf, math.nan, "0.1"]),
        ("last_rate", [-0.1, 10.001, math.nan]),
        ("power", [-0.1, 10.1, math.nan]),
        ("seed", [-1, 1 << 63, 0.5]),
    ],
)
def test_values_that_are_refused(way, name, values):
    for value in values:
        with pytest.raises(UsageError, match=f"^{way.name}: {name} must be"):
            way(**{name: value})


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("eta", [-0.1, 1.1]),
        ("gamma", [-1, 1e7, math.nan]),
        ("joint", [-0.1, 101, "on"]),
        ("by_documents", [True, "yes"]),
    ],
)
def test_values_of_its_changes_that_are_refused(name, values):
    for value in values:
        with pytest.raises(UsageError, match=f"^epv: {name} must be"):
            EPV(**{name: value})


def test_an_architecture_that_is_refused():
    with pytest.raises(UsageError, match="pv: architecture must be one of dbow, dm, got 'cbow'"):
        PV(architecture="cbow")


drawn = st.fixed_dictionaries(
    {
        "dim": st.integers(1, 20),
        "epochs": st.integers(1, 3),
        "window": st.integers(1, 8) | st.just(1000),
        "negatives": st.integers(1, 14) | st.just(200),
        "subsample": st.floats(0, 1) | st.sampled_from([0, 5e-324, 1e-300]),
        "sample": st.integers(0, 14),
        "min_count": st.integers(1, 30) | st.just(1 << 40),
        "rate": st.floats(1e-6, 10),
        "last_rate": st.floats(0, 10) | st.sampled_from([0.0, 5e-324, 1e-40]),
        "seed": st.integers(0, (1 << 63) - 1),
        "power": st.floats(0, 10),
    }
)
own = {
    PV: st.fixed_dictionaries({"architecture": st.sampled_from(["dbow", "dm"])}),
    EPV: st.fixed_dictionaries(
        {
            "by_documents": st.sampled_from(["on", "off"]),
            "eta": st.floats(0, 1),
            "gamma": st.floats(0, 1e6) | st.sampled_from([0.0, 1e6]),
            "joint": st.floats(0, 100) | st.sampled_from([0.0, 100.0]),
        }
    ),
}


@pytest.mark.parametrize("way", [PV, EPV])
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_all_that_is_declared_trains_or_is_refused(way, data):
    parameters = data.draw(drawn) | data.draw(own[way])
    try:
        made = way(**parameters).train([*TEXTS[:10], "", "w0"], threads=1)
    except UsageError as error:
        reasons = ("no word stands at least", "the training diverged")
        assert any(reason in str(error) for reason in reasons)
        return
    assert made.rows.shape == (12, parameters["dim"])
    assert np.isfinite(made.rows).all()  # those that are inferred may be longer than what is trained
    assert all_finite(replace(made, rows=made.rows[:0]))
    if made.words.spaces.keys() == {"out"}:
        assert np.isfinite(made.normalisers).all()
    again = way.from_options({name: str(value) for name, value in parameters.items()})
    assert again == way(**parameters)


@pytest.mark.parametrize("largest", [{"dim": 10_000}, {"window": 1000}, {"negatives": 1000}], ids=str)
@main_ways
def test_the_largest_values_train(way, largest):
    assert all_finite(small(way, rate=0.01, **largest).train([["one", "two", "three"] * 5], threads=1))


@every_way
def test_a_rate_that_is_too_high_is_told(way):
    with pytest.raises(Diverged) as caught:
        small(
            changed(way, **({"gamma": 0} if way.name == "epv" else {})), rate=10, last_rate=10, epochs=200
        ).train(TEXTS, threads=1)
    assert str(caught.value) == (
        "the training diverged: vectors grew beyond all bounds with rate=10; choose a lower rate (0.025 is usual)"
    )


def test_more_memory_than_there_is():
    """In a process that may have only little more than it has."""
    text = TrainingText.of_texts([[f"w{i}" for i in range(20_000)]], PLAIN)  # more than lies about in the heap
    small(PV()).train(text, threads=1)

    def train():
        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + (32 << 20), has + (32 << 20)))
        small(PV(), dim=10_000).train(text, threads=1)

    result = result_of(train)
    assert isinstance(result, UsageError)
    assert str(result) == (
        "1 documents and 20,000 words x 10000 need 1.6 GB, which is more memory than there is; choose a lower dim or "
        "a higher min_count"
    )


# --- odd documents ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def odd():
    """A document of one word, an empty one, unknown words, 100k words, and one word a thousand times."""
    chance = np.random.default_rng(8)
    long = " ".join(f"w{int(i)}" for i in 200 * chance.random(100_000) ** 3)
    texts = ["w7", "", long, "w3 " * 1000, "hapax", *some_texts(40)]
    return TrainingText.of_texts(texts, PLAIN)


@every_way
def test_odd_documents(way, odd):
    made = changed(way, dim=8, epochs=2, min_count=2, window=3).train(odd, threads=1)
    assert all_finite(made)
    assert made.rows.any(axis=1).tolist() == [True, False, True, True, False, *[True] * 40]
    assert np.isfinite(made.normalisers).all()
    again = made.infer(odd.texts(made.words.numbers(odd.terms()).astype(np.int32)))
    assert np.isfinite(again).all()
    assert again.any(axis=1).tolist() == made.rows.any(axis=1).tolist()


@every_way
@pytest.mark.parametrize(
    "texts", [[["one"]], [["one"] * 20], [["one"], ["two"], ["three"]], [[], ["one"], []]], ids=repr
)
def test_hardly_any_text(way, texts):
    made = small(way, epochs=40).train(texts, threads=1)
    assert len(made.words) == len({word for text in texts for word in text})
    assert made.rows.any(axis=1).tolist() == [bool(text) for text in texts]
    assert all_finite(made)


@pytest.mark.parametrize("texts", [[], [""], [[]], ["a"]], ids=str)
def test_no_text(texts):
    with pytest.raises(UsageError, match="no word stands at least min_count=1 times in the 0 tokens of the text"):
        small(PV()).train(texts, threads=1)


def test_the_largest_pull_leaves_documents_at_0():
    made = small(EPV(gamma=1e6)).train(TEXTS, threads=1)
    assert all_finite(made)
    assert np.abs(made.rows).max() < 1e-3


# --- learning ---------------------------------------------------------------------------------------------------


def predicts(space, texts):
    """How often a document gives a word that it has more than one that it has not: the area under the curve."""
    products = space.rows @ space.words.space("out").T
    places = {word: place for place, word in enumerate(space.words)}
    found = []
    for row, text in zip(products, texts, strict=True):
        inside = np.zeros(len(row), bool)
        inside[[places[word] for word in text if word in places]] = True
        if inside.any() and not inside.all():
            found.append((row[inside][:, None] > row[~inside][None, :]).mean())
    return float(np.mean(found))


TOPICS = [[f"{name}{i}" for i in range(8)] for name in ("sun", "sea")]


def two_topics(count=120, seed=3):
    chance = np.random.default_rng(seed)
    return [[str(w) for w in chance.choice(TOPICS[n % 2] + ["the", "and", "with"], 12)] for n in range(count)]


@every_way
def test_documents_of_a_topic_get_similar_vectors(way):
    texts = two_topics()
    made = changed(way, dim=16, epochs=30, rate=0.05, window=4, min_count=1).train(texts, threads=1)
    unit = made.rows / np.linalg.norm(made.rows, axis=1, keepdims=True)
    cosines = unit @ unit.T
    same = np.arange(120)[:, None] % 2 == np.arange(120)[None, :] % 2
    others = same & ~np.eye(120, dtype=bool)
    assert cosines[others].mean() > cosines[~same].mean() + (0.1 if way.objective.in_context else 0.3)
    nearest = np.argmax(np.where(np.eye(120, dtype=bool), -2, cosines), axis=1)
    assert (nearest % 2 == np.arange(120) % 2).mean() > 0.9
    products = made.rows @ made.words.look_up(TOPICS[0] + TOPICS[1], "out")[0].T
    own_topic = np.where(np.arange(120)[:, None] % 2 == 0, products[:, :8], products[:, 8:]).mean()
    assert own_topic > products.mean() + 0.1
    assert predicts(made, texts) > 0.75


@pytest.mark.parametrize("seed", range(3))
def test_regularisation_keeps_short_documents_from_growing(seed):
    """ai2016's claim: with every epoch short documents grow, but long ones hardly; with R, neither do."""
    chance = np.random.default_rng(seed)
    lengths = [3] * 60 + [60] * 20
    texts = [[f"w{int(i)}" for i in 100 * chance.random(length) ** 2] for length in lengths]

    def growth(gamma):
        sizes = []
        for epochs in (40, 160):
            way = EPV(dim=16, epochs=epochs, gamma=gamma, joint=0, min_count=1, seed=seed)
            sizes.append(np.linalg.norm(way.train(texts, threads=1).rows, axis=1))
        return sizes[1][:60].mean() / sizes[0][:60].mean(), sizes[1][60:].mean() / sizes[0][60:].mean()

    short, long = growth(0)
    assert short > 2
    assert long < 1.3
    short, _ = growth(10)
    assert short < 1.2
