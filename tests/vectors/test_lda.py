"""Topics: what is kept, that it can be repeated, that priors stay, and how texts are folded in."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness
from aboutness import Index
from aboutness.core.errors import UsageError
from aboutness.text.analyzers import analyzer
from aboutness.text.strings import StringTable
from aboutness.vectors import lda
from aboutness.vectors.documents import Texts
from aboutness.vectors.lda import LDA, TopicSpace, states
from aboutness.vectors.pv import chosen_documents
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.words import WordVectors

PLAIN = analyzer("plain")
THEMES = 4


def some_texts(count=80, length=25, seed=0):
    """Texts of four themes with ten words each, and some words that all have."""
    draw = np.random.default_rng(seed)
    return [
        " ".join(
            f"all{draw.integers(5)}" if draw.random() < 0.3 else f"w{t % THEMES}{draw.integers(10)}"
            for _ in range(draw.integers(1, length))
        )
        for t in range(count)
    ]


TEXTS = some_texts()


def small(**changes):
    return LDA(**{"topics": 8, "alpha": 0.2, "iterations": 30, "samples": 3, "min_count": 1, **changes})


def bytes_of(space):
    return list(space.words), space.words.space("out").tobytes(), space.rows.tobytes()


@pytest.fixture
def tomotopy():
    return pytest.importorskip("tomotopy")


sampler = pytest.mark.usefixtures("tomotopy")


# --- folding in -------------------------------------------------------------------------------------------------


def by_hand(words=15, topics=6, alpha=0.3, seed=0):
    """A space whose topics are drawn by chance, with no documents."""
    draw = np.random.default_rng(seed)
    phi = draw.dirichlet(np.full(words, 0.2), topics).T.astype(np.float32) + np.float32(1e-6)
    return TopicSpace(
        WordVectors(StringTable.of([f"w{i}" for i in range(words)]), {"out": phi}),
        np.zeros((0, topics), np.float32),
        np.zeros(0, np.int64),
        {"alpha": np.array([alpha])},
    )


def as_texts(*bags):
    """Texts of (word, weight) pairs."""
    pairs = [pair for bag in bags for pair in bag]
    return Texts(
        np.array([word for word, _ in pairs], np.int32),
        np.array([weight for _, weight in pairs], np.float32),
        np.cumsum([len(bag) for bag in bags], dtype=np.int64),
    )


BAGS = st.lists(st.tuples(st.integers(0, 14), st.sampled_from([0.0, 0.5, 1.0, 3.0])), max_size=12)


@settings(max_examples=50)
@given(st.lists(BAGS, min_size=1, max_size=6), st.sampled_from([1e-3, 0.3, 10.0]))
def test_shares_solve_their_equation(bags, alpha):
    space = by_hand(alpha=alpha)
    phi = space.words.space("out").astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lda, "MOST", 1 << 20)
        rows = space.infer(as_texts(*bags), threads=1)
    assert (rows.shape, rows.dtype) == ((len(bags), 6), np.float32)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-6)
    assert (rows >= 0).all()
    for bag, row in zip(bags, rows.astype(np.float64), strict=True):
        total = sum(weight for _, weight in bag) + 6 * alpha
        gamma = row * total
        again = np.full(6, alpha)
        for word, weight in bag:
            again += weight * phi[word] * gamma / (phi[word] @ gamma)
        assert np.abs(again - gamma).sum() <= 3e-5 * total


@settings(max_examples=30)
@given(st.lists(BAGS, max_size=9), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_row_depends_on_the_text_alone(bags, threads, chance):
    space = by_hand()
    rows = space.infer(as_texts(*bags), threads=threads)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lda, "SHARE", 2)
        assert space.infer(as_texts(*bags), threads=threads).tobytes() == rows.tobytes()
    for bag, row in zip(bags, rows, strict=True):
        shuffled = chance.sample(bag, len(bag))
        assert space.infer(as_texts(shuffled), threads=1)[0].tobytes() == row.tobytes()


def test_tokens_and_a_bag_with_counts_are_the_same():
    tokens, bag = [(3, 1.0), (1, 1.0), (3, 1.0), (3, 1.0)], [(1, 1.0), (3, 3.0)]
    one, other = by_hand().infer(as_texts(tokens, bag))
    assert one.tobytes() == other.tobytes()
    assert by_hand().infer(as_texts([(1, 1.0), (3, 2.0)]))[0].tobytes() != one.tobytes()


def test_texts_without_a_word_have_all_topics_alike():
    rows = by_hand(topics=5).infer(as_texts([], [(3, 0.0)], [(3, 1.0)], []))
    np.testing.assert_allclose(rows[[0, 1, 3]], 0.2, atol=1e-7)
    assert np.ptp(rows[2]) > 0.01
    assert by_hand().infer(as_texts()).shape == (0, 6)


def test_the_more_of_a_topics_words_the_larger_its_share():
    space = by_hand(alpha=1.0)
    best = int(space.words.space("out")[:, 2].argmax())
    shares = space.infer(as_texts(*([(best, float(count)), (0, 2.0)] for count in range(1, 60, 8))))[:, 2]
    assert (np.diff(shares) > 0).all()


def test_the_prior_counts():
    text = as_texts([(3, 2.0), (5, 1.0)])
    spread = [float(np.ptp(by_hand(alpha=alpha).infer(text))) for alpha in (0.01, 1.0, 100.0)]
    assert spread[0] > spread[1] > spread[2]


def test_what_is_kept_in_an_index_folds_in_alike():
    text = as_texts([(3, 2.0), (5, 1.0)], [(1, 1.0)])
    space = by_hand()
    space = space.with_rows(space.infer(text), np.array([4, 9]))
    kept = {name: array.copy() for name, array in space.arrays().items()}
    for array in kept.values():
        array.flags.writeable = False
    again = TopicSpace.of_arrays(kept)
    assert again.rows.tobytes() == space.rows.tobytes()
    assert again.arrivals.tolist() == [4, 9]
    assert again.infer(text).tobytes() == space.infer(text).tobytes()


# --- what is declared -------------------------------------------------------------------------------------------


def test_the_papers_parameters():
    assert (LDA().topics, LDA().beta, LDA().prior) == (300, 0.01, pytest.approx(50 / 300))
    assert LDA(topics=20).prior == 2.5
    assert LDA(topics=20, alpha=0.1).prior == 0.1


@pytest.mark.parametrize("alpha", [1e-50, 9e-7])
def test_a_prior_that_is_as_good_as_none(alpha):
    with pytest.raises(UsageError, match="lda: alpha must be 0 or at least 1e-06, got"):
        LDA(alpha=alpha)


@given(st.integers(1, 300), st.integers(1, 20))
def test_states_are_in_the_second_half(iterations, samples):
    found = states(iterations, samples)
    assert found == sorted(set(found))
    assert found[-1] == iterations
    assert found[0] >= iterations / 2
    assert len(found) == max(1, min(samples, iterations // 2))
    assert max(np.diff(found), default=1) <= min(np.diff(found), default=1) + 1  # evenly


def test_without_tomotopy(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    with pytest.raises(UsageError) as caught:
        small().train(TEXTS)
    assert str(caught.value) == "lda needs tomotopy; install it with: pip install 'aboutness[topics]'"


# --- training ---------------------------------------------------------------------------------------------------


def test_what_is_kept(tomotopy):
    made = small(min_count=3).train(TEXTS, threads=1)
    counts = Counter(term for text in TEXTS for term in text.split())
    expected = sorted((term for term in counts if counts[term] >= 3), key=lambda term: (-counts[term], term))
    assert list(made.words) == expected
    assert made.words.counts.tolist() == [counts[term] for term in expected]
    assert list(made.words.spaces) == ["out"]
    phi = made.words.space("out")
    assert (phi.shape, phi.dtype, phi.flags.c_contiguous) == ((len(expected), 8), np.float32, True)
    assert (made.rows.shape, made.rows.dtype) == ((80, 8), np.float32)
    assert (phi > 0).all()
    assert (made.rows > 0).all()
    np.testing.assert_allclose(phi.sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(made.rows.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose((made.rows @ phi.T).sum(axis=1), 1, atol=1e-5)  # P(w | d) over all words
    assert made.arrivals.tolist() == list(range(80))
    assert made.own["alpha"].tolist() == [0.2]
    assert dict(made.provenance) == {
        "training": "lda",
        "parameters": {
            "topics": 8, "alpha": 0.2, "beta": 0.01, "iterations": 30, "samples": 3, "min_count": 3, "sample": 0,
            "seed": 1,
        },
        "threads": 1,
        "tokens": sum(counts.values()),
        "analyzer": PLAIN.to_json(),
        "software": f"aboutness {aboutness.__version__}, tomotopy {tomotopy.__version__}",
    }  # fmt: skip
    json.dumps(made.provenance)
    assert repr(made) == f"<TopicSpace: 80 documents x 8, {len(expected)} words, lda>"


def sampled_by_hand(tomotopy, how, texts):
    """tomotopy's own phi at some states, and its theta at the end."""
    model = tomotopy.LDAModel(k=how.topics, alpha=how.prior, eta=how.beta, seed=how.seed)
    model.optim_interval = 0
    for text in texts:
        model.add_doc(text.split())
    phis, done = [], 0
    for state in states(how.iterations, how.samples):
        model.train(state - done, workers=1)
        done = state
        distributions = [model.get_topic_word_dist(topic) for topic in range(how.topics)]
        phis.append(dict(zip(model.used_vocabs, np.array(distributions).T, strict=True)))
    return phis, np.array([document.get_topic_dist() for document in model.docs])


@pytest.mark.parametrize("samples", [1, 4])
def test_words_of_topics_are_those_of_tomotopy(tomotopy, samples):
    how = small(samples=samples, seed=7)
    made = how.train(TEXTS, threads=1)
    phis, theta = sampled_by_hand(tomotopy, how, TEXTS)
    assert len(phis) == samples
    expected = [np.mean([phi[word] for phi in phis], axis=0) for word in made.words]
    np.testing.assert_allclose(made.words.space("out"), expected, rtol=1e-5)
    products = (made.rows * theta).sum(axis=1)
    lengths = np.linalg.norm(made.rows, axis=1) * np.linalg.norm(theta, axis=1)
    assert (products / lengths).mean() > 0.9  # folded in, documents have the topics that the sampler gave them


@pytest.mark.parametrize("changes", [{"alpha": 0}, {"alpha": 0.3}, {"alpha": 0, "topics": 25}], ids=str)
@sampler
def test_priors_stay(monkeypatch, changes):
    models, train = [], lda._train

    def watched(model, *arguments):
        train(model, *arguments)
        models.append((np.asarray(model.alpha).copy(), model.eta))

    monkeypatch.setattr(lda, "_train", watched)
    made = small(**changes).train(TEXTS, threads=1)
    prior = changes["alpha"] or 50 / changes.get("topics", 8)
    assert len(models) > 2
    for alpha, beta in models:
        np.testing.assert_allclose(alpha, prior, rtol=1e-6)
        assert beta == pytest.approx(0.01)
    assert made.own["alpha"].tolist() == [prior]


@sampler
def test_themes_are_found():
    """Each text's own theme is more probable in it than the others, in new texts, too."""
    made = small(iterations=100).train(TEXTS, threads=1)
    of_theme = np.array([[word.startswith(f"w{theme}") for word in made.words] for theme in range(THEMES)])
    new = TrainingText.of_texts(some_texts(seed=5), PLAIN)
    rows = made.infer(new.texts(made.words.numbers(new.terms()).astype(np.int32)))
    lengths = np.diff(new.texts(np.arange(len(new.counts), dtype=np.int32)).ends, prepend=0)
    for theta in (made.rows, rows):
        shares = theta @ made.words.space("out").T @ of_theme.T
        right = shares.argmax(axis=1) == np.arange(80) % THEMES
        assert right[lengths > 5].mean() > 0.95


@sampler
def test_documents_that_were_trained_on_are_folded_in_as_others_are():
    made = small().train(TEXTS, threads=1)
    text = TrainingText.of_texts(TEXTS, PLAIN)
    texts = text.texts(made.words.numbers(text.terms()).astype(np.int32))
    assert made.infer(texts).tobytes() == made.rows.tobytes()


# --- the same bytes ---------------------------------------------------------------------------------------------


@sampler
def test_one_seed_one_thread_the_same_bytes():
    one = bytes_of(small().train(TEXTS, threads=1))
    assert bytes_of(small().train([text.split() for text in TEXTS], threads=1)) == one
    changes = [{"seed": 2}, {"seed": 0}, {"seed": (1 << 63) - 1}, {"alpha": 0.3}, {"beta": 0.1}, {"samples": 2}]
    assert len({bytes_of(small(**change).train(TEXTS, threads=1))[1] for change in changes} | {one[1]}) == 7


@sampler
@pytest.mark.parametrize("tick", [0.0, 1e-4, 1e9])
def test_how_often_one_looks_for_interrupts_makes_no_difference(monkeypatch, tick):
    one = bytes_of(small().train(TEXTS, threads=1))
    monkeypatch.setattr(lda, "TICK", tick)
    assert bytes_of(small().train(TEXTS, threads=1)) == one


PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from vectors.test_lda import digest_of
print(digest_of())
"""


def digest_of():
    words, outward, rows = bytes_of(small().train(TEXTS, threads=1))
    return hashlib.sha256(" ".join(words).encode() + outward + rows).hexdigest()


@sampler
def test_another_process_makes_the_same_bytes():
    """Also where warnings are errors, of which tomotopy gives some when it is loaded."""
    env = os.environ | {"PYTHONHASHSEED": "12345", "PYTHONPATH": str(Path(aboutness.__file__).parent.parent)}
    command = [sys.executable, "-W", "error", "-c", PROCESS, str(Path(__file__).parent.parent)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest_of()


@sampler
def test_an_index_makes_the_same_bytes_as_the_texts_in_it():
    index = Index.build([{"id": str(i), "text": text} for i, text in enumerate(TEXTS)], analyzer=PLAIN)
    assert bytes_of(small().train(index.view(), threads=1)) == bytes_of(small().train(TEXTS, threads=1))


@sampler
def test_two_threads():
    made, alone = small().train(TEXTS, threads=2), small().train(TEXTS, threads=1)
    assert list(made.words) == list(alone.words)
    assert made.provenance["threads"] == 2
    np.testing.assert_allclose(made.words.space("out").sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(made.rows.sum(axis=1), 1, atol=1e-6)


# --- odd texts --------------------------------------------------------------------------------------------------


@sampler
@pytest.mark.parametrize("threads", [1, 2])
def test_odd_documents(threads):
    long = " ".join(TEXTS * 100)
    texts = ["", "w00", long, "rare", "all0 " * 50, "", *TEXTS, ""]
    assert len(long.split()) > 90_000
    made = small(min_count=2, iterations=10, alpha=0).train(texts, threads=threads)
    assert "rare" not in made.words
    assert made.rows.shape == (87, 8)
    np.testing.assert_allclose(made.rows.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(made.rows[[0, 3, 5, 86]], 1 / 8, atol=1e-7)
    assert (np.ptp(made.rows[[1, 2, 4]], axis=1) > 1e-3).all()
    assert (np.ptp(made.rows[6:86], axis=1) > 1e-4).all()


@sampler
@pytest.mark.parametrize("texts", [[["one"]], [["one"] * 20], [["one"], ["two"], ["three"]], [[], ["one"], []]])
@pytest.mark.parametrize("topics", [1, 8])
def test_hardly_any_text(texts, topics):
    made = small(topics=topics).train(texts, threads=1)
    assert len(made.words) == len({word for text in texts for word in text})
    assert made.rows.shape == (len(texts), topics)
    np.testing.assert_allclose((made.rows @ made.words.space("out").T).sum(axis=1), 1, atol=1e-5)


@sampler
@pytest.mark.parametrize("texts", [[], [""], [[]], ["a"]], ids=str)
def test_no_text(texts):
    with pytest.raises(UsageError, match="no word stands at least min_count=1 times in the 0 tokens of the text"):
        small().train(texts, threads=1)


@sampler
@pytest.mark.parametrize("word", ["ä", "😀", "\u0000x", "a b", "1", "0"])
def test_odd_words(word):
    made = small().train([[word, "sun"], ["sun", "1"], [word]], threads=1)
    assert word in made.words
    assert len(made.words) == len({word, "sun", "1"})


# --- a sample ---------------------------------------------------------------------------------------------------


@sampler
def test_a_sample_is_trained_on_and_the_rest_inferred():
    made = small(sample=30, seed=3).train(TEXTS, threads=1)
    chosen = chosen_documents(80, 30, 3)
    alone = small(seed=3).train([text for text, one in zip(TEXTS, chosen, strict=True) if one], threads=1)
    assert bytes_of(made)[:2] == bytes_of(alone)[:2]
    assert made.rows[chosen].tobytes() == alone.rows.tobytes()
    assert made.provenance["tokens"] == alone.provenance["tokens"] == alone.words.counts.sum()
    text = TrainingText.of_texts(TEXTS, PLAIN)
    texts = text.texts(alone.words.numbers(text.terms()).astype(np.int32))
    assert made.rows.tobytes() == alone.infer(texts).tobytes()
    assert made.arrivals.tolist() == list(range(80))


@sampler
def test_a_sample_of_more_than_there_is():
    assert bytes_of(small(sample=81).train(TEXTS, threads=1)) == bytes_of(small().train(TEXTS, threads=1))


# --- progress and interrupts ------------------------------------------------------------------------------------


@sampler
def test_progress(monkeypatch):
    monkeypatch.setattr(lda, "TICK", 0.0)
    told = []
    made = small().train(TEXTS, threads=1, tell=told.append)
    tokens = made.provenance["tokens"]
    assert [one.done for one in told] == [tokens * done for done in range(1, 31)]
    assert {one.total for one in told} == {tokens * 30}
    assert all(one.per_second > 0 for one in told)
    assert told[-1].seconds_left == 0


@sampler
def test_an_interrupt_ends_it_and_no_checkpoint_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(lda, "TICK", 0.0)
    told = []

    def interrupted(progress):
        told.append(progress)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small().train(TEXTS, threads=1, checkpoint=tmp_path / "c.safetensors", tell=interrupted)
    assert len(told) == 3
    assert not list(tmp_path.iterdir())
    again = small().train(TEXTS, threads=1, checkpoint=tmp_path / "c.safetensors")
    assert bytes_of(again) == bytes_of(small().train(TEXTS, threads=1))
    assert not list(tmp_path.iterdir())
