from __future__ import annotations

import gzip
import json

import pytest

from aboutness.core.errors import NotFound, UsageError
from aboutness.corpus.division import divided, lines_before
from aboutness.corpus.keys import Keys
from aboutness.corpus.read import read


def lines(first: int, last: int, width: int = 10) -> str:
    return "".join(json.dumps({"_id": str(i), "text": "x" * (width + i % 5)}) + "\n" for i in range(first, last))


def counted(piece) -> int:
    return sum(1 for _ in piece.documents(Keys(), lambda _: None))


def parts_of(*sources, count, form=None):
    return divided([str(source) for source in sources], form, Keys(), count, counted)


def ids(parts) -> list[list[str]]:
    return [[d.id for piece in part for d in piece.documents(Keys(), lambda _: None)] for part in parts]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100, 1000])
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "folder", "tree"])
def test_parts_are_the_source_in_order(tmp_path, name, count):
    source = tmp_path / name
    if name == "a.jsonl":
        source.write_text(lines(0, 100))
    elif name == "a.jsonl.gz":
        source.write_bytes(gzip.compress(lines(0, 100).encode()))
    elif name == "a.csv":
        source.write_text("id,text\n" + "".join(f'{i},"two\nlines"\n' for i in range(100)))
    else:
        (source / "sub").mkdir(parents=True)
        for i in range(20):
            inside = f"<DOC><DOCNO>{i}</DOCNO><TEXT>{i}</TEXT></DOC>" if name == "tree" else f"text {i}"
            (source / ("sub" if i % 2 else ".") / f"{i:02d}.{'trec' if name == 'tree' else 'txt'}").write_text(
                inside
            )
    whole = [document.id for document in read(source)]
    parts = ids(parts_of(source, count=count))
    assert [identifier for part in parts for identifier in part] == whole
    assert len(parts) <= count
    if count <= 7:
        assert len(parts) == count
        assert max(map(len, parts)) <= 2 * min(map(len, parts)) + 2


def test_small_files_stay_whole(tmp_path):
    for i in range(30):
        (tmp_path / f"{i:02d}.jsonl").write_text(lines(3 * i, 3 * i + 3))
    parts = parts_of(tmp_path, count=5)
    assert all(piece.span is None and piece.records is None for part in parts for piece in part)
    assert [len(part) for part in parts] == [6] * 5


def test_a_large_file_among_small_ones_is_cut(tmp_path):
    (tmp_path / "0.jsonl").write_text(lines(0, 5))
    (tmp_path / "1.jsonl").write_text(lines(5, 195))
    (tmp_path / "2.jsonl").write_text(lines(195, 200))
    parts = parts_of(tmp_path, count=4)
    assert [identifier for part in ids(parts) for identifier in part] == [str(i) for i in range(200)]
    assert [len(part) for part in parts] == [2, 1, 1, 2]
    assert all(abs(len(part) - 50) < 5 for part in ids(parts))


def test_lines_before_a_cut(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(0, 100))
    parts = parts_of(path, count=4)
    assert [lines_before(part[0]) for part in parts] == [int(part[0]) for part in ids(parts)]


def test_what_is_bad_belongs_to_one_part(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "id,text\n" + "".join(f"{i},x\n" if i % 3 else f"{i},too,many\n" for i in range(1, 60)) + "60\n"
    )
    bad = []
    for part in parts_of(path, count=4):
        for piece in part:
            list(piece.documents(Keys(), bad.append))
    assert [error.origin.line for error in bad] == [1 + i for i in range(3, 61, 3)]


def test_another_stamp_is_another_piece(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(0, 10))
    before = parts_of(path, count=2)
    assert parts_of(path, count=2) == before
    path.write_text(lines(0, 10).replace("x", "y"))
    assert parts_of(path, count=2) != before


def test_what_cannot_be_read_is_refused_first(tmp_path):
    with pytest.raises(NotFound, match="no such file or folder"):
        parts_of(tmp_path / "none.jsonl", count=2)
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(UsageError, match="cannot be chosen for format"):
        divided([str(tmp_path / "a.txt")], None, Keys("id"), 2, counted)
