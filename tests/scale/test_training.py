"""Training by shards: one shard is one process, segments and failures make no difference, and what is done is kept."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from aboutness import Index
from aboutness.app import shard_training
from aboutness.app.shard_training import ByShards
from aboutness.cli.main import app
from aboutness.core.errors import Diverged, UsageError
from aboutness.scale import merging, training_files, training_round
from aboutness.scale.engine import Here
from aboutness.scale.training_plan import cut
from aboutness.vectors.lsa import LSA
from aboutness.vectors.pv import EPV, PV
from aboutness.vectors.training import Training
from aboutness.vectors.word2vec import Word2Vec

SMALL = {"dim": 5, "epochs": 2, "min_count": 1, "window": 3}
WAYS = {
    "word2vec": Word2Vec(**SMALL),
    "cbow": Word2Vec(**SMALL, architecture="cbow"),
    "pv": PV(**SMALL),
    "pv-dm": PV(**SMALL, architecture="dm"),
    "epv": EPV(**SMALL),
}
main_ways = pytest.mark.parametrize("way", [WAYS["word2vec"], WAYS["epv"]], ids=["word2vec", "epv"])
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
BY = ByShards(shards=3, rounds=2)


def some_documents(count=60, seed=0):
    draw = np.random.default_rng(seed)
    texts = [" ".join(f"w{int(i)}" for i in 30 * draw.random(draw.integers(1, 40)) ** 2) for _ in range(count)]
    documents = [{"id": str(i), "title": f"w{i % 7}", "text": text} for i, text in enumerate(texts)]
    empty = [{"id": name, "title": "", "text": ""} for name in ("first", "middle", "last")]
    return [empty[0], *documents[:20], empty[1], *documents[20:], empty[2]]


def index_of(*parts, path=None):
    """An index with a segment for each part."""
    index = Index.build([], path, analyzer="plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        for part in parts:
            index.add(part)
    return index


def bytes_of(made):
    """What was trained, but for how."""
    return {name: array.tobytes() for name, array in made.arrays().items() if name not in ("about", "provenance")}


@pytest.fixture
def index():
    documents = some_documents()
    made = index_of(documents[:30], documents[30:40], documents[40:])
    made.delete(["3", "33", "34"])
    return made


class Elsewhere(Here):
    """An engine that calls functions in another order, and is lost after some calls."""

    def __init__(self, most=10**9):
        self.left = most

    def map(self, function, items, *shared):
        for item in reversed(list(items)):
            if not self.left:
                raise KeyboardInterrupt
            self.left -= 1
            yield item, function(item, *shared)


def on(engine, monkeypatch):
    monkeypatch.setattr(shard_training, "engine_of", lambda _: engine)


# --- what is trained --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "way", [WAYS[name] for name in ("word2vec", "cbow", "pv", "epv")], ids=lambda way: way.name
)
def test_one_shard_in_one_round_is_one_process(index, way):
    alone = bytes_of(index.train(way, threads=1))
    assert bytes_of(index.train(way, by=ByShards(1, 1))) == alone


@main_ways
def test_where_segments_end_makes_no_difference(index, way):
    living = [document for document in some_documents() if document["id"] not in ("3", "33", "34")]
    anew = index_of(living)
    found, again = bytes_of(index.train(way, by=BY)), bytes_of(anew.train(way, by=BY))
    found.pop("arrivals", None), again.pop("arrivals", None)  # three came in vain
    assert found == again


@main_ways
def test_the_order_of_shards_makes_no_difference(index, way, monkeypatch):
    expected = bytes_of(index.train(way, by=BY))
    on(Elsewhere(), monkeypatch)
    assert bytes_of(index.train(way, by=BY)) == expected


def test_shards_rounds_and_seed_make_one(index):
    ways = [
        (WAYS["pv"], BY),
        (WAYS["pv"], ByShards(4, 2)),
        (WAYS["pv"], ByShards(3, 3)),
        (PV(**SMALL, seed=2), BY),
    ]
    assert len({bytes_of(index.train(way, by=by))["rows"] for way, by in ways}) == 4


@every_way
def test_what_is_kept_looks_as_that_of_one_process(index, way):
    alone = index.train(way, name="alone", threads=1)
    found = index.train(way, name="by-shards", by=BY)
    shapes = [{name: (of.shape, of.dtype) for name, of in made.arrays().items()} for made in (alone, found)]
    for of in shapes:
        of.pop("about", None), of.pop("provenance", None)
    assert shapes[0] == shapes[1]
    assert {**found.provenance, "shards": 0, "rounds": 0} == {
        **alone.provenance,
        "shards": 0,
        "rounds": 0,
        "generation": found.provenance["generation"],
    }
    assert (found.provenance["shards"], found.provenance["rounds"]) == (3, 2)


def test_documents_without_words_have_rows_of_zeros(index):
    rows = index.train(WAYS["epv"], by=BY).rows
    places = [list(index.snapshot.ids()).index(name) for name in ("first", "middle", "last")]
    assert not rows[places].any()
    assert np.abs(rows).sum(axis=1).astype(bool).sum() == len(rows) - 3


def test_words_are_trained_by_all_shards():
    """A word that stands in the last shard only moves as one does that stands in all."""
    documents = [{"id": str(i), "text": "sun moon star"} for i in range(30)]
    documents += [{"id": str(i), "text": "city road house"} for i in range(30, 60)]
    vectors = index_of(documents).train(Word2Vec(dim=8, epochs=40, min_count=1, sample=0), by=ByShards(6, 1))
    one = vectors.space("in") @ vectors.space("out").T
    numbers = vectors.numbers(["sun", "moon", "city", "road"])
    products = one[np.ix_(numbers, numbers)]
    assert products[0, 1] > products[0, 2]
    assert products[2, 3] > products[2, 0]


# --- shards -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 200])
def test_shards_are_neighbouring_documents_with_about_as_many_tokens(index, shards):
    view = index.view()
    places = cut(index.snapshot, view, shards)
    lengths = view.field_lengths.sum(axis=0)[view.alive]
    ends = np.cumsum([place.documents for place in places])
    assert ends[-1] == len(lengths)
    assert [place.tokens for place in places] == [int(of.sum()) for of in np.split(lengths, ends[:-1])]
    assert max(place.tokens for place in places) <= lengths.sum() / shards + lengths.max()
    assert len(places) == shards or shards == 200


def test_a_shard_has_its_own_segments_only(index):
    places = cut(index.snapshot, index.view(), 3)
    names = [segment.name for segment in index.snapshot.manifest.segments]
    assert places[0].segments[0].name == names[0]
    assert places[-1].segments[-1].name == names[-1]
    assert len(places[0].segments) < 3


def test_rows_of_documents_stay_in_their_shard(index, monkeypatch):
    read, now, load, train = set(), [], training_round.load, training_round.train_round

    def loaded(plan, name, **how):
        read.update((now[-1], name) for _ in now[-1:])
        return load(plan, name, **how)

    def trained(shard, *rest):
        now.append(shard)
        return train(shard, *rest)

    monkeypatch.setattr(training_round, "load", loaded)
    monkeypatch.setattr("aboutness.scale.training.training_round.train_round", trained)
    index.train(WAYS["epv"], by=BY)
    rows = {(shard, int(name.split("-")[-1])) for shard, name in read if name.startswith("rows")}
    assert {own for own in rows if own[0] != own[1]} <= {
        (now[-1], shard) for shard in range(3)
    }  # the end of others
    assert {(0, 0), (1, 1), (2, 2)} <= rows


# --- going on ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "calls"),
    [(WAYS["word2vec"], 3), (WAYS["word2vec"], 5), (WAYS["epv"], 1), (WAYS["epv"], 7), (WAYS["epv"], 17)],
)
def test_an_interrupted_training_goes_on(way, calls, tmp_path, monkeypatch):
    index = index_of(some_documents(), path=tmp_path / "x.index")
    expected = bytes_of(index.train(way, by=BY))
    assert not list((tmp_path / "x.index/training").glob("*/shards"))
    blocks, run = Counter(), Training.run_some

    def counted(training, first, last):
        blocks[training.text.whole.shard, first, last] += 1
        run(training, first, last)

    monkeypatch.setattr(Training, "run_some", counted)
    with monkeypatch.context() as lost:
        on(Elsewhere(calls), lost)
        with pytest.raises(KeyboardInterrupt):
            index.train(way, by=BY)
    assert bytes_of(index.train(way, by=BY)) == expected
    assert set(blocks.values()) == {1}
    assert len(blocks) == 3 * 2 * 2


@pytest.fixture
def in_pieces(monkeypatch):
    """Word matrices in pieces of eight rows, five of them merged at a time."""
    monkeypatch.setattr("aboutness.scale.training_plan.PIECE", 8)
    monkeypatch.setattr("aboutness.scale.bowl.TOGETHER", 5)


@main_ways
def test_pieces_of_word_matrices_make_no_difference(index, way, in_pieces, monkeypatch):
    found = bytes_of(index.train(way, by=BY))
    monkeypatch.undo()
    assert bytes_of(index.train(way, by=BY)) == found


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_training_goes_on_that_was_interrupted_between_two_rounds(index, pieces, in_pieces, monkeypatch):
    expected, merged, merge = bytes_of(index.train(WAYS["epv"], by=BY)), Counter(), merging.merge_piece

    def counted(piece, plan, number):
        merged[number, piece] += not training_files.is_done(plan, training_files.start_of(number + 1, piece))
        return merge(piece, plan, number)

    monkeypatch.setattr(merging, "merge_piece", counted)
    with monkeypatch.context() as lost:
        on(Elsewhere(3 + pieces), lost)
        with pytest.raises(KeyboardInterrupt):
            index.train(WAYS["epv"], by=BY)
    assert sum(merged.values()) == pieces
    assert bytes_of(index.train(WAYS["epv"], by=BY)) == expected
    assert set(merged.values()) == {1}
    assert len(merged) == 2 * 2 * 4  # rounds, epochs, and pieces of 30 words


@main_ways
def test_the_index_may_change_while_it_is_trained_on(way, tmp_path):
    documents = some_documents()
    index = index_of(documents[:30], documents[30:], path=tmp_path / "x.index")
    expected = {name: np.array(array) for name, array in index.train(way, by=BY).arrays().items()}
    told = []

    def change(progress):
        told.append(progress)
        if len(told) == 2:
            other = Index.open(index.path)
            other.delete([f"{n}" for n in range(40)])
            other.merge()

    found = index.train(way, by=BY, progress=change).arrays()
    assert len(index) == len(documents) - 40
    words = [name for name in found if name.endswith(".out")]
    assert [(found[name] == expected[name]).all() for name in words] == [True]
    if "rows" in found:  # of those that are left
        assert len(found["rows"]) == len(index)
        left = np.isin(expected["arrivals"], found["arrivals"])
        assert (found["rows"] == expected["rows"][left]).all()
    assert not list((index.path / "training").glob("*/shards"))


def test_another_training_does_not_go_on_from_it(index, monkeypatch):
    with monkeypatch.context() as lost:
        on(Elsewhere(4), lost)
        with pytest.raises(KeyboardInterrupt):
            index.train(WAYS["pv"], by=BY)
    with pytest.raises(UsageError, match=r"another training, with .*shards 3.*--restart"):
        index.train(WAYS["pv"], by=ByShards(4, 2))
    index.add([{"id": "new", "text": "w1 w2"}])
    with pytest.raises(UsageError, match=r"another training, with .*--restart"):
        index.train(WAYS["pv"], by=BY)
    assert index.train(WAYS["pv"], by=BY, restart=True).provenance["documents"] == len(index)


def test_a_damaged_file_is_told(index, monkeypatch):
    with monkeypatch.context() as lost:
        on(Elsewhere(4), lost)
        with pytest.raises(KeyboardInterrupt):
            index.train(WAYS["word2vec"], by=BY)
    (words,) = (index.path / "training/word2vec/shards").glob("start-1-0.*")
    content = bytearray(words.read_bytes())
    content[-5] ^= 1
    words.write_bytes(content)
    with pytest.raises(UsageError, match="damaged; start anew with restart"):
        index.train(WAYS["word2vec"], by=BY)


def test_words_of_a_shard_that_a_power_cut_damaged_are_trained_again(index, monkeypatch):
    expected = bytes_of(index.train(WAYS["epv"], by=BY))
    with monkeypatch.context() as lost:
        on(Elsewhere(6), lost)  # three shards, the merging, two shards
        with pytest.raises(KeyboardInterrupt):
            index.train(WAYS["epv"], by=BY)
    damaged, cut_off = (index.path / "training/epv/shards").glob("words-1-*")
    damaged.write_bytes(bytes([*damaged.read_bytes()[:-5], 1, 2, 3, 4, 5]))
    cut_off.write_bytes(cut_off.read_bytes()[:100])
    assert bytes_of(index.train(WAYS["epv"], by=BY)) == expected


def test_a_training_that_diverges_leaves_nothing(index):
    with pytest.raises(Diverged, match="rate=10"):
        index.train(Word2Vec(**{**SMALL, "epochs": 50}, rate=10, last_rate=10, sample=0), by=ByShards(3, 1))
    assert not list((index.path / "training").glob("*/shards"))


# --- what is asked for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "by", "message"),
    [
        (LSA(), BY, "lsa is not trained by shards; these are: word2vec, pv, epv"),
        (PV(sample=5), BY, "all documents, got sample=5"),
        (WAYS["pv"], ByShards(0), "1 to 10,000 shards .*got 0"),
        (WAYS["pv"], ByShards(2, -1), "1 to 10,000 rounds .*got -1"),
        (Word2Vec(min_count=10**6), BY, "no word stands at least min_count=1000000 times"),
        (WAYS["pv"], ByShards(ray="nowhere"), "must be HOST:PORT"),
    ],
)
def test_what_cannot_be_is_refused(index, way, by, message):
    with pytest.raises(UsageError, match=message):
        index.train(way, by=by)


def test_rounds_follow_from_the_text(index, monkeypatch):
    assert index.train(WAYS["word2vec"], by=ByShards(3)).provenance["rounds"] == 4
    assert index.train(WAYS["pv"], by=ByShards(3)).provenance["rounds"] == 1
    monkeypatch.setattr("aboutness.scale.training_plan.PLENTY", 0)
    few = Word2Vec(**{**SMALL, "epochs": 4})
    assert index.train(few, by=ByShards(3)).provenance["rounds"] == [4, 2, 1, 1]
    assert index.train(few, by=ByShards(3, 2)).provenance["rounds"] == 2
    many = Word2Vec(**{**SMALL, "epochs": 11})
    assert index.train(many, by=ByShards(3)).provenance["rounds"] == [4, 2, 1, 1, 1, 0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(("epochs", "rounds", "lost"), [(3, 4 + 2 + 1, 5), (9, 4 + 2 + 1 + 1 + 1 + 1 + 1, 10)])
def test_a_training_with_fewer_rounds_in_later_epochs_reads_all_and_goes_on(
    index, monkeypatch, epochs, rounds, lost
):
    monkeypatch.setattr("aboutness.scale.training_plan.PLENTY", 0)
    way, by = Word2Vec(**{**SMALL, "epochs": epochs}), ByShards(3)
    blocks, run, told = Counter(), Training.run_some, []

    def counted(training, first, last):
        for block in range(first, last):
            blocks[training.text.whole.shard, block] += 1
        sizes[training.text.whole.shard] = len(training.blocks)
        run(training, first, last)

    sizes = {}
    monkeypatch.setattr(Training, "run_some", counted)
    expected = bytes_of(index.train(way, by=by, progress=told.append))
    every = {(shard, block) for shard in range(3) for block in range(epochs * sizes[shard])}
    assert blocks == Counter(every)
    assert told[-1].done == pytest.approx(told[-1].total, rel=0.05)
    assert len(told) == 3 * rounds
    with monkeypatch.context() as patched:
        on(Elsewhere(3 * lost + 5), patched)  # in the second epoch, or in the last round
        with pytest.raises(KeyboardInterrupt):
            index.train(way, by=by)
    assert bytes_of(index.train(way, by=by)) == expected


def test_the_command_trains_by_shards(tmp_path):
    index = index_of(some_documents(), path=tmp_path / "x.index")
    options = [
        "--dim",
        "5",
        "--epochs",
        "2",
        "--min-count",
        "1",
        "--window",
        "3",
        "--shards",
        "3",
        "--rounds",
        "2",
    ]
    done = CliRunner().invoke(app, ["train", str(index.path), "pv", *options, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["provenance"]["shards"] == 3
    index.refresh()
    assert bytes_of(index.trained("pv")) == bytes_of(index.train(WAYS["pv"], name="same", by=BY))
    assert "going on from it" not in done.stderr
    assert not (index.path / "training/pv/shards").exists()
    refused = CliRunner().invoke(app, ["train", str(index.path), "pv", *options, "--threads", "2"])
    assert refused.exit_code == 2
    assert "leave out --threads 2" in refused.output
