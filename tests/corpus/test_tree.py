from __future__ import annotations

import gzip
import os

import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import stop
from aboutness.corpus import files
from aboutness.corpus.files import lines
from aboutness.corpus.tree import OTHERS, is_tree_of, read_tree


def read_lines(path, on_bad):
    for number, line in lines(path):
        if line == b"bad\n":
            on_bad(BadRecord("a bad line", origin=Origin(str(path), number)))
        else:
            yield Document(line.decode().strip(), {}, {}, Origin(str(path), number))


def test_one_file_is_read_as_it_is(write, collected):
    path = write("a.md", "1\nbad\n2\n")
    assert [one.id for one in read_tree(path, read_lines, collected)] == ["1", "2"]
    assert collected.lines == [2]


def test_bad_records_keep_their_place_and_may_stop_the_reading(write, tmp_path, collected):
    write("a", "1\n")
    write("b", "2\nbad\n3\n")
    write("c", "4\n")
    assert [one.id for one in read_tree(tmp_path, read_lines, collected)] == ["1", "2", "3", "4"]
    assert [(one.origin, one.problem) for one in collected.errors] == [
        (Origin(str(tmp_path / "b"), 2), "a bad line")
    ]
    documents = read_tree(tmp_path, read_lines, stop)
    assert [next(documents).id, next(documents).id] == ["1", "2"]
    with pytest.raises(BadRecord, match=r"b:2: a bad line"):
        next(documents)


def test_a_damaged_file_is_a_bad_record_with_its_line(write, tmp_path, collected, monkeypatch):
    monkeypatch.setattr(files, "BUFFER", 64)
    write("a", "1\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"2\n" * 5000)[:-8])
    (tmp_path / "c.gz").write_bytes(b"not packed")
    write("d", "4\n")
    ids = [one.id for one in read_tree(tmp_path, read_lines, collected)]
    cut, unpacked = collected.errors
    assert cut.origin == Origin(str(tmp_path / "b.gz"), len(ids) - 2)
    assert ids == ["1", *["2"] * cut.origin.line, "4"]
    assert 0 < cut.origin.line <= 5000
    assert cut.problem.startswith("damaged or truncated gzip file")
    assert unpacked.origin == Origin(str(tmp_path / "c.gz"))
    assert unpacked.problem == "the name ends in .gz but this is not a gzip file"


def test_nothing_there(tmp_path, collected):
    with pytest.raises(BadInput, match=r"no file in this folder"):
        list(read_tree(tmp_path, read_lines, collected))
    with pytest.raises(NotFound, match=r"none: no such file"):
        list(read_tree(tmp_path / "none", read_lines, collected))
    with pytest.raises(BadInput, match=r"cannot be read"):
        list(read_tree("x" * 5000, read_lines, collected))
    assert not collected.errors


def test_links_and_pipes_are_not_followed(write, tmp_path, collected):
    write("outside/secret", "secret\n")
    inside = write("in/sub/a", "a\n").parent.parent
    (inside / "out").symlink_to(tmp_path / "outside/secret")
    (inside / "loop").symlink_to(inside)
    (inside / "gone").symlink_to(inside / "nowhere")
    os.mkfifo(inside / "pipe")
    assert [one.id for one in read_tree(inside, read_lines, collected)] == ["a"]
    assert not collected.errors


def test_a_tree_of_a_kind(write, tmp_path):
    assert not is_tree_of(tmp_path, {".x"})
    write("deep/down/a.X.gz", "x")
    write("b.pdf", "x")
    assert is_tree_of(tmp_path, {".x", ".y"})
    assert not is_tree_of(tmp_path, {".y"})


@pytest.mark.parametrize("ending", sorted(OTHERS))
def test_text_and_tables_make_it_another_kind(write, tmp_path, ending):
    write("a.x", "x")
    write(f"sub/b{ending}", "x")
    assert not is_tree_of(tmp_path, {".x"})


def test_text_and_tables_are_these():
    assert {".txt", ".md", ".html", ".rst", ".jsonl", ".ndjson", ".csv", ".tsv"} <= OTHERS
    assert not {".trec", ".all", ".json", ""} & OTHERS
