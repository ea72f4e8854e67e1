from __future__ import annotations

import dataclasses

import pytest

from aboutness.core.errors import UsageError
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import Progress, plain, register
from aboutness.vectors.word2vec import Word2Vec

# What is quick for those that are not told by dim and epochs, and how often they read the 50 tokens of the text.
QUICK = {
    "lda": ({"topics": 4, "iterations": 3}, 3),
    "default": ({"dim": 4}, 16),
    "default-vectors": ({"dim": 4}, 16),
    "lsa": ({"dim": 4}, 16),
    "walks": ({"dim": 4, "epochs": 3, "walks": 5, "length": 2}, 6),  # five walks of two words from ten documents
}
TEXTS = ["the sun and the moon", "the moon and the sea"] * 5
every = pytest.mark.parametrize("trainer", TRAINERS.values(), ids=list(TRAINERS))


@pytest.mark.parametrize(
    ("progress", "seconds"),
    [
        (Progress(0, 100, 10.0), 10.0),
        (Progress(75, 100, 50.0), 0.5),
        (Progress(100, 100, 10.0), 0.0),
        (Progress(0, 100, 0.0), float("inf")),
    ],
)
def test_how_long_the_rest_will_take(progress, seconds):
    assert progress.seconds_left == seconds


def test_the_ways_of_training_by_name():
    assert TRAINERS["word2vec"] is Word2Vec
    assert "word2vec" in list(TRAINERS)
    with pytest.raises(UsageError, match="word2vec"):
        TRAINERS["glove2vec"]


def test_a_name_is_taken_once():
    class Again(Word2Vec):
        pass

    with pytest.raises(UsageError, match="word2vec' is registered already"):
        register(Again)
    assert TRAINERS["word2vec"] is Word2Vec


@every
def test_every_way_says_what_it_is_and_declares_its_parameters(trainer):
    assert trainer.name
    assert trainer.summary
    assert trainer.source
    for one in trainer.declared():
        assert one.help
        assert one.kind.check(one.default) == one.default
        assert one.kind.read(one.kind.show(one.default)) == one.default
    made = trainer()
    assert str(made) == trainer.name
    assert plain(made) == {one.name: one.default for one in trainer.declared()}
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.dim = 3


def quick(trainer):
    """A training that is over soon, and how often it reads the text."""
    if trainer.name == "lda":
        pytest.importorskip("tomotopy")
    parameters, times = QUICK.get(trainer.name, ({"dim": 4, "epochs": 3}, 3))
    return trainer(**parameters, min_count=1), times


@every
def test_every_way_tells_how_far_it_is(trainer):
    told = []
    way, times = quick(trainer)
    way.train(TEXTS, threads=1, tell=told.append)
    assert told[-1].done == told[-1].total == times * 50
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert all(one.total == times * 50 and one.per_second >= 0 for one in told)
    assert told[-1].seconds_left == 0


@every
@pytest.mark.parametrize("threads", [0, -1, 1025, 1.0, "2", True], ids=repr)
def test_every_way_refuses_threads_that_make_no_sense(trainer, threads):
    with pytest.raises(UsageError, match="threads must be a whole number from 1 to 1024, got"):
        trainer(min_count=1).train(TEXTS, threads=threads)


@every
@pytest.mark.parametrize("threads", [None, 2, 9])
def test_every_way_trains_with_several_threads(trainer, threads):
    made = quick(trainer)[0].train(TEXTS, threads=threads)
    assert list(made.words) == ["the", "and", "moon", "sea", "sun"]
    assert made.provenance["threads"] >= 1
