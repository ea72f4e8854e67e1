from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin
from aboutness.core.rejects import RejectFile
from aboutness.corpus.jsonl import read_jsonl


def test_fields_metadata_and_origin(write):
    path = write(
        "a.jsonl",
        '{"_id": "d1", "title": "T", "text": "x y", "year": 1706, "tags": ["a", "b"], "gone": null, "ok": true}\n'
        "\n"
        '{"text": "", "id": 17, "score": 0.5, "deep": {"ä": [1, null]}, "mixed": [1, null], "none": []}\n',
    )
    first, second = read_jsonl(path)
    assert first == Document("d1", {"title": "T", "text": "x y"}, {"year": 1706, "tags": ["a", "b"], "ok": True})
    assert first.origin == Origin(str(path), 1)
    assert second == Document(
        "17",
        {"text": ""},
        {"score": 0.5, "deep": '{"ä": [1, null]}', "mixed": "[1, null]", "none": []},
    )
    assert second.origin == Origin(str(path), 3)


def test_gzip_bom_and_windows_line_ends(write):
    path = write("a.jsonl.gz", '\ufeff{"id": "1", "text": "a"}\r\n{"id": "2", "text": "b"}\r\n')
    assert [(one.id, one.fields["text"]) for one in read_jsonl(path)] == [("1", "a"), ("2", "b")]


def test_the_caller_may_name_keys(write):
    path = write("a.jsonl", '{"id": "1", "nr": 2, "text": "a", "summary": "s"}\n')
    (document,) = read_jsonl(path, fields=["summary"], id_key="nr")
    assert document == Document("2", {"summary": "s"}, {"id": "1", "text": "a"})


def test_null_text_counts_as_absent(write):
    (document,) = read_jsonl(write("a.jsonl", '{"id": "1", "title": null, "text": "a"}\n'))
    assert document.fields == {"text": "a"}


BAD = [
    ('{"text": "no id"}', "no id: none of '_id', 'id'"),
    ('{"id": null, "text": "x"}', "no id"),
    ('{"id": "1"}', "no text"),
    ('{"id": "1", "text": null}', "no text"),
    ('{"id": 1.5, "text": "x"}', "id 'id' must be a string or a whole number, got 1.5"),
    ('{"id": true, "text": "x"}', "must be a string or a whole number, got True"),
    ('{"id": ["a"], "text": "x"}', "must be a string or a whole number"),
    ('{"id": "1", "text": 5}', "text field 'text' must be a string, got 5"),
    ('{"id": "1", "text": ["x"]}', "text field 'text' must be a string"),
    ('{"id": "1", "text": "x"', "broken JSON at column 24"),
    ('{"id": "1" "text": "x"}', "broken JSON at column 12"),
    ("nonsense", "broken JSON at column 1"),
    ('{"id": "1", "text": "x"} {}', "broken JSON at column 26"),
    ('["id"]', "must hold a JSON object"),
    ("17", "must hold a JSON object, got 17"),
    ('{"id": "1", "text": "x", "n": NaN}', "the number NaN cannot be used"),
    ('{"id": "1", "text": "x", "n": [-Infinity]}', "the number -Infinity cannot be used"),
    ('{"id": "1", "text": "x", "n": {"deep": 1e999}}', "the number '1e999' cannot be used"),
    ('{"id": "1", "text": "x", "n": ' + "9" * 5000 + "}", "a number with more than 4,300 digits cannot be used"),
    ('{"id": "\\ud800", "text": "x"}', "'id' holds half a surrogate pair"),
    ('{"id": "1", "text": "a \\uDC00 b"}', "'text' holds half a surrogate pair"),
    ('{"id": "1", "text": "x", "m": "\\udfff"}', "'m' holds half a surrogate pair"),
    ('{"id": "1", "text": "x", "m": ["a", "\\udfff"]}', "'m' holds half a surrogate pair"),
    ('{"id": "1", "text": "x", "m": {"k": "\\udfff"}}', "'m' holds half a surrogate pair"),
    ('{"id": "1", "text": "x", "\\udfff": 1}', "holds half a surrogate pair"),
    ("[" * 200_000, "nested too deeply"),
    (b'{"id": "1", "text": "caf\xe9"}', "not UTF-8: byte 0xe9 at position 25"),
    (b'{"id": "1", "text": "a\x00b"}', "broken JSON at column 23"),
]


@pytest.mark.parametrize(("line", "problem"), BAD)
def test_bad_records_name_file_and_line_and_the_rest_is_read(write, collected, line, problem):
    raw = line if isinstance(line, bytes) else line.encode()
    good = b'{"id": "good", "text": "x"}\n'
    path = write("bad.jsonl", good + raw + b"\n" + good)
    assert len(list(read_jsonl(path, on_bad=collected))) == 2
    (error,) = collected.errors
    assert problem in error.problem
    assert str(error).startswith(f"{path}:2: ")
    assert error.raw == raw
    with pytest.raises(BadRecord, match=r"bad\.jsonl:2: "):
        list(read_jsonl(path))


def test_accepted_and_rejected_make_the_total(write, tmp_path):
    lines = [b'{"id": "%d", "text": "x"}' % number for number in range(50)]
    lines += [line if isinstance(line, bytes) else line.encode() for line, _ in BAD]
    path = write("mixed.jsonl", b"\n".join(lines))
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        accepted = sum(1 for _ in read_jsonl(path, on_bad=rejects))
    assert accepted == 50
    assert accepted + rejects.count == len(lines)
    entries = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert [entry["line"] for entry in entries] == list(range(51, len(lines) + 1))


def test_whole_surrogate_pairs_are_fine(write):
    (document,) = read_jsonl(write("a.jsonl", '{"id": "1", "text": "\\ud83d\\ude00", "m": ["\\uD83D\\uDE00", 1]}'))
    assert document.fields["text"] == "😀"
    assert document.metadata == {"m": ["😀", 1]}


def test_many_shapes_of_records(write):
    lines = [json.dumps({f"k{number}": number, "id": str(number), "text": "x"}) for number in range(1000)]
    documents = list(read_jsonl(write("a.jsonl", "\n".join(lines))))
    assert [one.metadata for one in documents] == [{f"k{number}": number} for number in range(1000)]


def test_file_problems_raise_even_with_a_reject_handler(write, collected, tmp_path):
    with pytest.raises(NotFound):
        list(read_jsonl(tmp_path / "none.jsonl", on_bad=collected))
    (tmp_path / "cut.jsonl.gz").write_bytes(write("a.jsonl.gz", '{"id": "1", "text": "x"}\n').read_bytes()[:-9])
    with pytest.raises(BadInput, match=r"cut\.jsonl\.gz: damaged or truncated"):
        list(read_jsonl(tmp_path / "cut.jsonl.gz", on_bad=collected))
    assert not collected.errors


def test_an_empty_file_has_no_documents(write):
    assert list(read_jsonl(write("a.jsonl", ""))) == []


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUE = st.one_of(
    TEXT, st.integers(-(2**63), 2**63), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(TEXT, TEXT, TEXT, st.dictionaries(TEXT.map("m_".__add__), st.one_of(VALUE, st.lists(VALUE)))),
        max_size=5,
    ),
    st.booleans(),
)
def test_round_trip(tmp_path, records, ascii_only):
    path = tmp_path / "round.jsonl"
    with path.open("w", encoding="utf-8", newline="") as file:
        for name, title, text, metadata in records:
            record = {"_id": name, "title": title, "text": text, **metadata}
            file.write(json.dumps(record, ensure_ascii=ascii_only) + "\n")
    expected = [Document(name, {"title": title, "text": text}, more) for name, title, text, more in records]
    assert list(read_jsonl(path)) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary().filter(lambda line: b"\n" not in line and line.strip())))
def test_any_bytes_are_read_or_rejected(tmp_path, lines):
    path = tmp_path / "any.jsonl"
    path.write_bytes(b"x\n" + b"\n".join(lines))
    (tmp_path / "rejects.jsonl").unlink(missing_ok=True)  # of the example before
    with RejectFile(tmp_path / "rejects.jsonl") as rejects:
        accepted = sum(1 for _ in read_jsonl(path, on_bad=rejects))
    assert accepted + rejects.count == 1 + len(lines)


def test_a_real_collection(data_folder):
    documents = list(read_jsonl(data_folder / "cacm" / "corpus.jsonl.gz"))
    assert len(documents) == 3204
    assert documents[0].fields["title"] == "Preliminary Report-International Algebraic Language"
    assert documents[0].metadata["date"] == "CACM December, 1958"
    assert documents[-1].origin.line == 3204


@pytest.mark.parametrize(
    "text", ['[{"id": "1", "text": "a"},\n{"id": "2", "text": "b"}]', '{\n  "id": "1",\n  "text": "a"\n}']
)
def test_json_that_is_no_json_lines_is_told_what_to_do(write, text):
    with pytest.raises(
        BadRecord, match=r"a\.json:1: broken JSON at .*; the file must hold one object a line \(.*jq -c"
    ):
        list(read_jsonl(write("a.json", text)))


def test_a_number_without_end_is_told_in_our_words(write):
    path = write("a.jsonl", '{"id": "1", "text": "a", "n": ' + "9" * 5000 + "}")
    with pytest.raises(BadRecord, match=r"a\.jsonl:1: a number with more than 4,300 digits cannot be used$"):
        list(read_jsonl(path))


def test_utf16_is_told(write):
    path = write("a.jsonl", '{"id": "1", "text": "a"}'.encode("utf-16"))
    with pytest.raises(BadRecord, match=r"a\.jsonl:1: not UTF-8 but UTF-16 \(save the file as UTF-8\)"):
        list(read_jsonl(path))
