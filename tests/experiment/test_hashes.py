from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from aboutness.core.algebra import inside
from aboutness.core.errors import NotFound, StorageError
from aboutness.experiment import hashes
from aboutness.experiment.collection import collection
from aboutness.experiment.hashes import code_version, digest, file_checksum, is_ours, qrels_checksum
from aboutness.models.bm25 import BM25
from aboutness.rank.grammar import ranker
from aboutness.vectors.lsa import LSA
from experiment.small import write_collection


def test_plain_values():
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert len({digest(one) for one in ([1, 2], [2, 1], ["1", 2], {"a": 1}, {"a": 2}, [None])}) == 6


def test_files(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert file_checksum(tmp_path / "a").startswith("ba7816bf")
    with pytest.raises(NotFound, match="there is no file"):
        file_checksum(tmp_path / "b")
    with pytest.raises(StorageError, match="cannot read"):
        file_checksum(tmp_path)


def test_judgements():
    one = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    grades = {"d2": 0, "d1": 1}
    shared = {"q1": grades, "q2": grades}
    assert qrels_checksum(one) == qrels_checksum(shared)
    others = [{}, {"q1": {"d1": 1, "d2": 0}}, {**one, "q2": {"d1": 2, "d2": 0}}, {**one, "q2": {"d1": 1}}]
    assert len({qrels_checksum(other) for other in [one, *others]}) == 5


def test_the_code_is_all_that_rankings_depend_on(monkeypatch):
    code_version.cache_clear()
    version = code_version()
    monkeypatch.setattr(hashes, "ROOMS", hashes.ROOMS[:-1])
    code_version.cache_clear()
    assert code_version() != version
    monkeypatch.undo()
    code_version.cache_clear()
    assert code_version() == version
    assert {"kernels", "models", "rank", "app"} < set(hashes.ROOMS)


@pytest.mark.parametrize("library", ["numpy", "PyStemmer", "tomotopy", "no-such-library"])
def test_the_libraries_are_all_that_rankings_depend_on(monkeypatch, library):
    def other(name):
        if name == "no-such-library":
            raise PackageNotFoundError(name)
        return "0.0.1" if name == library else version(name)

    code_version.cache_clear()
    before = code_version()
    monkeypatch.setattr(hashes, "LIBRARIES", dict.fromkeys([*hashes.LIBRARIES, library]))
    monkeypatch.setattr(hashes, "version", other)
    code_version.cache_clear()
    assert code_version() != before
    monkeypatch.undo()
    code_version.cache_clear()


def test_what_is_of_this_package():
    class Mine(BM25):
        pass

    assert is_ours([BM25(), *inside(ranker("rrf(bm25, ql % 9 >> iwcs-wmd)")), LSA()])
    assert not is_ours([BM25(), Mine()])
    assert not is_ours(inside(ranker("ql") + Mine() % 9))


def test_documents(tmp_path, monkeypatch):
    first, same, other = (collection(write_collection(tmp_path / name)) for name in ("a", "b", "c"))
    corpus = tmp_path / "c" / "corpus.jsonl"
    corpus.write_text(corpus.read_text().replace("Albuquerque", "Santa Fe"))
    assert first.checksum == same.checksum != other.checksum
    monkeypatch.setattr("aboutness.experiment.collection.corpus_file", lambda _: None)
    assert first.checksum == same.checksum != other.checksum  # by document
