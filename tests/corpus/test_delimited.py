from __future__ import annotations

import csv
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import RejectFile
from aboutness.corpus.delimited import read_delimited


def test_columns_become_id_text_and_metadata(write):
    path = write("a.csv", '\ufeffid,title,text,year\n1,T,"a, ""b""",1999\n\n2,,x,\n')
    assert list(read_delimited(path)) == [
        Document("1", {"title": "T", "text": 'a, "b"'}, {"year": "1999"}),
        Document("2", {"title": "", "text": "x"}, {"year": ""}),
    ]


def test_tabs_by_name_and_by_choice(write):
    table = "docno\ttext\nd,1\tone\n"
    for path, delimiter in [
        (write("a.tsv", table), None),
        (write("b.tsv.gz", table), None),
        (write("c.txt", table), "\t"),
    ]:
        assert list(read_delimited(path, delimiter=delimiter)) == [Document("d,1", {"text": "one"})]


def test_the_line_is_where_the_record_starts(write):
    path = write("a.csv", 'id,text\n1,"two\nlines"\n\n2,"x\r\n\r\ny"\n3,z\n')
    documents = list(read_delimited(path))
    assert [one.fields["text"] for one in documents] == ["two\nlines", "x\r\n\r\ny", "z"]
    assert [one.origin for one in documents] == [Origin(str(path), line) for line in (2, 5, 8)]


def test_ragged_rows(write, collected):
    path = write("a.csv", 'id,text\n1,a\n2\n3,"b\nb"\n4,c,d\n5,e\n')
    assert [one.id for one in read_delimited(path, on_bad=collected)] == ["1", "3", "5"]
    assert collected.lines == [3, 6]
    assert collected.problems == ["1 cell, but the header has 2", "3 cells, but the header has 2"]
    assert collected.errors[1].raw == b"4,c,d"
    with pytest.raises(BadRecord, match=r"a\.csv:3: 1 cell, but the header has 2"):
        list(read_delimited(path))


def test_broken_bytes_and_quotes(write, collected):
    path = write(
        "a.csv",
        b'id,text\n1,caf\xe9\n2,a\x00b\n3,"x\n\xff y"\n4,"a"b\n5,fine\n6,"never closed\n7,x\n',
    )
    assert [one.id for one in read_delimited(path, on_bad=collected)] == ["5"]
    assert collected.lines == [2, 3, 4, 6, 8]
    assert collected.problems[0] == "not UTF-8: byte 0xe9 at position 6 of line 2"
    assert collected.problems[1] == "NUL byte at position 4 of line 3"
    assert collected.problems[2] == "not UTF-8: byte 0xff at position 1 of line 5"
    assert collected.problems[3].startswith("broken row: ")
    assert collected.problems[4] == "broken row: a quote is opened and never closed"


def test_accepted_and_rejected_make_the_total(write, tmp_path):
    rows = ["1,a", "2", "3,b", "4,c,d", '5,"x"y', '6,"ok\nok"']
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        accepted = sum(1 for _ in read_delimited(write("a.csv", "\n".join(["id,text", *rows])), on_bad=rejects))
    assert (accepted, rejects.count) == (3, 3)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", r"bad\.csv:1: no header row"),
        ("\n\n", r"bad\.csv:1: no header row"),
        ("id,,text\n", r"bad\.csv:1: column 2 has no name"),
        ("id,text,text\n", r"bad\.csv:1: two columns are named 'text'"),
        (b"id,te\xffxt\n", r"bad\.csv:1: not UTF-8"),
        (
            "name,text\n",
            r"bad\.csv: no id: none of '_id', 'id', 'docno', 'docid' among 'name', 'text'; name it with --id-key \(id_key= in Python\)",
        ),
        ("id,words\n", r"bad\.csv: no text: .* among 'id', 'words'; name it with --field \(fields= in Python\)"),
    ],
)
def test_a_bad_header_is_bad_input(write, collected, content, problem):
    with pytest.raises(BadInput, match=problem):
        list(read_delimited(write("bad.csv", content), on_bad=collected))
    assert not collected.errors


def test_chosen_columns_must_exist(write):
    path = write("a.csv", "nr,a,b\n1,x,y\n")
    assert list(read_delimited(path, id_key="nr", fields=["b"])) == [Document("1", {"b": "y"}, {"a": "x"})]
    with pytest.raises(BadInput, match="no column 'c'; the columns are nr, a, b"):
        list(read_delimited(path, id_key="nr", fields=["b", "c"]))


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        list(read_delimited(tmp_path / "none.csv"))


def test_large_cells_do_not_change_the_limit_of_the_process(write):
    before = csv.field_size_limit()
    path = write("a.csv", "id,text\n1," + "x" * 10_000_000 + "\n2,b\n")
    reading = read_delimited(path)
    assert len(next(reading).fields["text"]) == 10_000_000
    assert csv.field_size_limit() == before
    assert next(reading).fields["text"] == "b"


def test_several_threads_read_large_cells(write):
    path = write("a.csv", "id,text\n" + "".join(f"{number},{'x' * 200_000}\n" for number in range(40)))
    before = csv.field_size_limit()
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(sum(1 for _ in read_delimited(path)))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [40] * 4
    assert csv.field_size_limit() == before


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELL, CELL, CELL, CELL)), st.sampled_from([("a.csv", ","), ("a.tsv", "\t")]))
def test_round_trip(tmp_path, rows, kind):
    name, delimiter = kind
    with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["id", "title", "text", "more"])
        writer.writerows(rows)
    expected = [Document(one, {"title": two, "text": three}, {"more": four}) for one, two, three, four in rows]
    assert list(read_delimited(tmp_path / name)) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_any_bytes_are_read_or_rejected(tmp_path, content):
    path = tmp_path / "any.csv"
    path.write_bytes(b"id,text\n" + content)
    (tmp_path / "rejects.jsonl").unlink(missing_ok=True)  # of the example before
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        list(read_delimited(path, on_bad=rejects))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "id;title;text\n1;a;b\n", "; it seems to be separated by semicolons, but must be by commas"),
        ("a.tsv", "id|text\n1|b\n", "; it seems to be separated by bars, but must be by tabs"),
        ("a.csv", "id\ttext\n1\tb\n", "; it is separated by tabs: say --format tsv"),
        ("a.tsv", "id,text\n1,b\n", "; it is separated by commas: say --format csv"),
        ("a.csv", "nr\n1\n", "id_key= in Python)"),
    ],
)
def test_a_table_with_other_delimiters_is_told(write, name, text, said):
    with pytest.raises(BadInput) as told:
        list(read_delimited(write(name, text)))
    assert str(told.value).endswith(said)


def test_line_ends_of_old_macs_are_told(write):
    with pytest.raises(BadInput, match=r"a\.csv:1: broken row: a carriage return without a line feed; end lines"):
        list(read_delimited(write("a.csv", "id,text\r1,a\r2,b\r")))
