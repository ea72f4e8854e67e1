from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput
from aboutness.corpus.tables import read_tables


def test_all_files_in_order(write, tmp_path, collected):
    write("b.csv", "id,text\n2,b\nragged\n")
    write("a.jsonl.gz", '{"id": 1, "text": "a"}\n')
    write("c.tsv", "id\ttext\n3\tc\n")
    write(".hidden.csv", "id,text\n4,d\n")
    write("sub/e.csv", "id,text\n5,e\n")
    assert [one.id for one in read_tables(tmp_path, on_bad=collected)] == ["1", "2", "3"]
    assert [str(error.origin) for error in collected.errors] == [f"{tmp_path / 'b.csv'}:3"]


def test_chosen_keys(write, tmp_path):
    write("a.csv", "nr,words\n1,x\n")
    write("b.jsonl", '{"nr": 2, "words": "y"}\n')
    documents = list(read_tables(tmp_path, id_key="nr", fields=["words"]))
    assert [(one.id, dict(one.fields)) for one in documents] == [("1", {"words": "x"}), ("2", {"words": "y"})]


def test_a_folder_without_any(tmp_path):
    with pytest.raises(BadInput, match=r"no file ending in \.jsonl, \.ndjson, \.csv, \.tsv in this folder"):
        list(read_tables(tmp_path))
