from __future__ import annotations

import random
import threading
import time

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex, NotFound
from aboutness.core.record import Document
from aboutness.index import snapshot as module
from aboutness.index.snapshot import Snapshot
from aboutness.index.writer import IndexWriter
from index.naive import observed


def documents(first, last):
    return [Document(f"d{n}", {"text": f"word{n % 7} shared text{n}"}, {"n": n}) for n in range(first, last)]


def everything(snapshot):
    where = [snapshot.id(int(n)) for n in snapshot.where("n>=5").nonzero()[0]]
    return observed(snapshot), list(snapshot), list(snapshot.ids()), where


def test_an_open_reader_keeps_its_generation(tmp_path):
    index = Index.build(documents(0, 20), tmp_path / "i")
    old = Index.open(tmp_path / "i")
    files = {path.name for path in (tmp_path / "i" / "arrays").iterdir()}
    before = everything(Snapshot.open(tmp_path / "i"))
    index.add(documents(20, 60))
    index.add([Document("d3", {"text": "new words", "title": "new field"})], update=True)
    index.delete(["d5", "d6"])
    index.merge()
    assert not files & {path.name for path in (tmp_path / "i" / "arrays").iterdir()}
    assert everything(old.snapshot) == before
    assert old["d5"] == documents(5, 6)[0]
    assert "d30" not in old
    assert old.view().total_length == before[0]["total"]
    assert old.refresh() is True
    assert old.refresh() is False
    assert old.snapshot.generation == index.snapshot.generation
    assert everything(old.snapshot) == everything(index.snapshot)
    assert "d5" not in old
    assert old["d3"].fields == {"text": "new words", "title": "new field"}


def test_what_an_open_writer_has_not_committed_is_not_seen(tmp_path):
    index = Index.build(documents(0, 5), tmp_path / "i")
    with IndexWriter(tmp_path / "i") as writer:
        writer.add(documents(5, 9))
        writer.delete(["d0"])
        assert list(Snapshot.open(tmp_path / "i").ids()) == [f"d{n}" for n in range(5)]
        assert index.refresh() is False
        writer.commit()
        assert index.refresh() is True
        assert list(index.snapshot.ids()) == [f"d{n}" for n in range(1, 9)]


def test_numbers_ids_and_places():
    index = Index.build(documents(0, 6))
    index.add(documents(6, 8))
    index.delete("d2")
    snapshot = index.snapshot
    assert (snapshot.size, snapshot.documents) == (8, 7)
    assert snapshot.alive.tolist() == [True, True, False, True, True, True, True, True]
    assert snapshot.live_numbers().tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert snapshot.numbers(["d7", "d2", "nope", "d0", "\ud800", ""]).tolist() == [7, -1, -1, 0, -1, -1]
    assert snapshot.number("d6") == 6
    assert snapshot.id(6) == "d6"
    segment, here = snapshot.locate(7)
    assert segment.first + here == 7
    for identifier in ("d2", "nope", "\udcff"):
        with pytest.raises(NotFound, match="there is no document"):
            snapshot.number(identifier)
    for number in (-1, 8, 10**12):
        with pytest.raises(NotFound, match="the index has numbers 0 to 7"):
            snapshot.document(number)


def test_a_reader_that_lost_the_race_reads_again(tmp_path, monkeypatch):
    index = Index.build(documents(0, 10), tmp_path / "i")
    read = module.read_manifest
    changes = iter([lambda: index.add(documents(10, 30)), lambda: index.delete("d0")])

    def late(folder):
        manifest = read(folder)
        if change := next(changes, None):
            with monkeypatch.context() as patch:
                patch.setattr(module, "read_manifest", read)
                change()
                index.merge()
        return manifest

    monkeypatch.setattr(module, "read_manifest", late)
    snapshot = Snapshot.open(tmp_path / "i")
    assert list(snapshot.ids()) == [f"d{n}" for n in range(1, 30)]


def test_a_missing_file_is_damage(tmp_path):
    Index.build(documents(0, 3), tmp_path / "i")
    path = next((tmp_path / "i" / "arrays").iterdir())
    path.unlink()
    with pytest.raises(DamagedIndex, match=f"a file of the index is missing: .*{path.name}"):
        Snapshot.open(tmp_path / "i")
    with pytest.raises(DamagedIndex, match="a file of the index is missing"):
        IndexWriter(tmp_path / "i")
    assert Index.build(documents(0, 3), tmp_path / "j")


def test_an_index_that_never_stands_still_is_given_up(tmp_path, monkeypatch):
    index = Index.build(documents(0, 3), tmp_path / "i")
    read = module.read_manifest
    count = iter(range(100))

    def always_late(folder):
        manifest = read(folder)
        with monkeypatch.context() as patch:
            patch.setattr(module, "read_manifest", read)
            index.add(documents(next(count), 100)[:1], update=True)
            index.merge()
        return manifest

    monkeypatch.setattr(module, "TRIES", 3)
    monkeypatch.setattr(module, "read_manifest", always_late)
    with pytest.raises(DamagedIndex, match="changes faster than it can be opened"):
        Snapshot.open(tmp_path / "i")


def test_a_file_of_another_size_is_damage_at_once_and_a_changed_one_with_verify(tmp_path):
    Index.build(documents(0, 50), tmp_path / "i")
    for path in sorted((tmp_path / "i" / "arrays").iterdir()):
        data = path.read_bytes()
        path.write_bytes(data + b"\0")
        with pytest.raises(DamagedIndex, match=r"has [\d,]+ bytes, but index.db says"):
            Snapshot.open(tmp_path / "i")
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        Snapshot.open(tmp_path / "i")
        with pytest.raises(DamagedIndex, match="was changed: checksum"):
            Snapshot.open(tmp_path / "i", verify=True)
        with pytest.raises(DamagedIndex):
            Index.open(tmp_path / "i", verify=True)
        path.write_bytes(data)
    assert len(Index.open(tmp_path / "i", verify=True)) == 50


def test_a_changed_text_is_noticed_when_its_document_is_read(tmp_path):
    Index.build([Document("a", {"text": "unmistakable"}), Document("b", {"text": "other"})], tmp_path / "i")
    path = next((tmp_path / "i" / "arrays").glob("*documents*"))
    path.write_bytes(path.read_bytes().replace(b"unmistakable", b"unmistakeble"))
    snapshot = Snapshot.open(tmp_path / "i")
    with pytest.raises(DamagedIndex, match=r"the text of document 'a' in segment .* was changed"):
        snapshot.document(0)
    assert snapshot.document(1).fields == {"text": "other"}


@pytest.mark.slow
def test_readers_beside_a_writer_see_whole_generations(tmp_path):  # noqa: C901 - two loops side by side
    """Each answer must be that of the generation it came from."""
    rng = random.Random(4)
    index = Index.build(documents(0, 30), tmp_path / "i")
    truth = {index.snapshot.generation: {document.id: document for document in index}}
    done = threading.Event()
    failures, reads = [], [0] * 4

    def read(slot):
        reader = Index.open(tmp_path / "i")
        local = random.Random(slot)
        while not done.is_set():
            try:
                if local.random() < 0.6:
                    reader.refresh()
                if local.random() < 0.1:
                    reader = Index.open(tmp_path / "i")
                snapshot = reader.snapshot
                for _ in range(100):
                    if snapshot.generation in truth:
                        break
                    time.sleep(0.01)
                want = truth[snapshot.generation]
                assert list(snapshot.ids()) == list(want)
                chosen = local.choice(list(want))
                assert reader[chosen] == want[chosen]
                view = snapshot.view()
                assert view.documents == len(want)
                assert view.total_length == sum(len(view.analyzer.terms(d.fields["text"])) for d in want.values())
                assert int(view.df[view.term_numbers(["share"])[0]]) == len(want)
                reads[slot] += 1
            except Exception as error:
                failures.append(repr(error))
                return

    readers = [threading.Thread(target=read, args=(slot,)) for slot in range(4)]
    for reader in readers:
        reader.start()
    stop = time.monotonic() + 2.5
    number = 1000
    while (time.monotonic() < stop or len(truth) <= 10) and not failures:  # a busy machine takes longer
        now = dict(truth[max(truth)])
        with IndexWriter(tmp_path / "i", durable=False) as writer:
            new = documents(number, number + rng.randint(1, 9))
            number += 10
            writer.add(new)
            now.update({document.id: document for document in new})
            gone = rng.sample(list(now), rng.randint(0, 6))
            writer.delete(gone)
            for identifier in gone:
                del now[identifier]
            again = rng.choice(list(now))
            changed = Document(again, {"text": f"shared changed{number}"}, {"n": 1})
            writer.add([changed], update=True)
            del now[again]
            now[again] = changed
            if rng.random() < 0.2:
                writer.merge()
            generation = writer.commit()
            truth[generation] = now
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert min(reads) > 0
    assert len(truth) > 10
    assert list(Index.open(tmp_path / "i")) == list(truth[max(truth)].values())
    assert Index.open(tmp_path / "i").check(deep=True).ok


# --- artefacts -----------------------------------------------------------------------------------------


ARRAYS = {"vectors": np.arange(12, dtype=np.float32).reshape(3, 4), "counts": np.arange(3)}


def same(left, right):
    return left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def test_artefacts_are_saved_replaced_kept_and_dropped(tmp_path):
    index = Index.build(documents(0, 5), tmp_path / "i")
    with index.changes() as writer:
        writer.save_artefact("w2v", "vectors", ARRAYS, {"dim": 4, "words": ["a", "ü"], "rate": 0.5}, seed=7)
        writer.save_artefact("other", "counts", {"x": np.zeros(2)}, {})
    entry = index.snapshot.manifest.artefacts["w2v"]
    assert (entry.kind, entry.parameters, entry.seed, entry.generation) == (
        "vectors",
        {"dim": 4, "words": ["a", "ü"], "rate": 0.5},
        7,
        1,
    )
    assert same(index.snapshot.artefact("w2v"), ARRAYS)
    for n in range(5, 12):
        index.add(documents(n, n + 1))
    index.delete("d1")
    index.merge()
    index.add_layer("pieces", "letters")
    assert same(Index.open(tmp_path / "i").snapshot.artefact("w2v"), ARRAYS)
    assert index.check(deep=True).ok
    with index.changes() as writer:
        writer.save_artefact("w2v", "vectors", {"vectors": np.ones(2)}, {"dim": 2})
    assert same(index.snapshot.artefact("w2v"), {"vectors": np.ones(2)})
    assert index.snapshot.manifest.artefacts["w2v"].seed is None
    with index.changes() as writer:
        writer.drop_artefact("w2v")
        with pytest.raises(NotFound, match="the index has no trained artefact 'w2v'"):
            writer.drop_artefact("w2v")
    with pytest.raises(NotFound, match=r"the index has no trained artefact 'w2v'. It has: other"):
        index.snapshot.artefact("w2v")
    assert len(list((tmp_path / "i" / "arrays").glob("artefact-*"))) == 1
    index = Index.build(documents(0, 2), tmp_path / "i", overwrite=True)
    with pytest.raises(NotFound, match=r"It has: none"):
        index.snapshot.artefact("other")
    assert list((tmp_path / "i" / "arrays").glob("artefact-*")) == []


def test_artefacts_of_a_rolled_back_change_are_gone(tmp_path):
    index = Index.build(documents(0, 2), tmp_path / "i")
    with IndexWriter(tmp_path / "i") as writer:
        writer.save_artefact("w2v", "vectors", ARRAYS, {})
        writer.rollback()
        writer.commit()
    assert index.refresh() is False
    assert list((tmp_path / "i" / "arrays").glob("artefact-*")) == []


def test_an_open_snapshot_keeps_artefacts_that_were_dropped_since(tmp_path):
    index = Index.build(documents(0, 2), tmp_path / "i")
    with index.changes() as writer:
        writer.save_artefact("w2v", "vectors", ARRAYS, {})
    old = Index.open(tmp_path / "i")
    with index.changes() as writer:
        writer.drop_artefact("w2v")
    assert same(old.snapshot.artefact("w2v"), ARRAYS)
    with pytest.raises(NotFound, match="It has: none"):
        index.snapshot.artefact("w2v")
