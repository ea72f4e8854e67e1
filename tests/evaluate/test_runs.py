from __future__ import annotations

import io
import math
import os
import random
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, BadRecord, NotFound, UsageError
from aboutness.evaluate import run_lines
from aboutness.evaluate.runs import best_first, read_run, write_run

LINES = "q1 Q0 d2 1 0.5 me\nq1 Q0 d1 2 1.5 me\nq2 Q0 d1 1 -3e-2 me\n"
READ = {"q1": [("d1", 1.5), ("d2", 0.5)], "q2": [("d1", pytest.approx(-0.03))]}

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.split() == [text] and not text.startswith("\ufeff")
)
scores = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e-45, -1e-45, 3.4028235e38, -3.4028235e38, 16777216.0, 0.1]),
).map(lambda score: float(np.float32(score)))
rankings = st.dictionaries(words, scores, max_size=8).map(
    lambda ranking: sorted(ranking.items(), key=lambda entry: (entry[1], entry[0]), reverse=True)
)


@pytest.mark.parametrize("name", ["a.run", "a.run.gz", "a.gz.run"])
@pytest.mark.parametrize(
    "content",
    [
        LINES,
        "\ufeff" + LINES.replace("\n", "\r\n"),
        "\n  \n\t\n" + LINES.replace(" ", " \t ") + " \n\n",
        LINES.removesuffix("\n").replace("Q0", "0").replace("me", "another"),
        LINES.replace(" 1 ", " 77 ").replace(" 2 ", " first "),
        "".join(reversed(LINES.splitlines(keepends=True))),
    ],
)
def test_reading(write, name, content):
    assert read_run(write(name, content)) == READ


def test_a_file_without_rankings(write):
    assert read_run(write("a.run", "")) == {}
    assert read_run(write("a.run", "\n \n")) == {}


def test_columns_end_at_ascii_blanks_only(write):
    assert read_run(write("a.run", "q\u00a01 Q0 d\u20031 1 2 me\n")) == {"q\u00a01": [("d\u20031", 2.0)]}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("q1 Q0 d3 3 0.1", "a line of a run has 6 columns (query Q0 document rank score tag), got 5"),
        ("q1 Q0 d3 3 0.1 my tag", "a line of a run has 6 columns (query Q0 document rank score tag), got 7"),
        ("q1 Q0 d3 3 much me", "the score must be a finite number between -3.4e38 and 3.4e38, got 'much'"),
        ("q1 Q0 d3 3 nan me", "the score must be a finite number between -3.4e38 and 3.4e38, got 'nan'"),
        ("q1 Q0 d3 3 -inf me", "the score must be a finite number between -3.4e38 and 3.4e38, got '-inf'"),
        ("q1 Q0 d3 3 1e39 me", "the score must be a finite number between -3.4e38 and 3.4e38, got '1e39'"),
        ("q1 Q0 d3 3 1e999 me", "the score must be a finite number between -3.4e38 and 3.4e38, got '1e999'"),
        ("q1 Q0 d3 3 1_000 me", "the score must be a finite number between -3.4e38 and 3.4e38, got '1_000'"),
        ("q1 Q0 d3 3 0x1 me", "the score must be a finite number between -3.4e38 and 3.4e38, got '0x1'"),
        ("q1 Q0 d3 3 \u0661 me", "the score must be a finite number between -3.4e38 and 3.4e38, got '\u0661'"),
        ("q1 Q0 d1 3 0.1 me", "document 'd1' is ranked twice for query 'q1'"),
        (b"q1 Q0 d\xff 3 0.1 me", "not UTF-8: byte 0xff at position 2"),
        (b"\xff Q0 d 3 0.1 me", "not UTF-8: byte 0xff at position 1"),
        (b"\x89PNG\x1a\x00\x01", "a line of a run has 6 columns (query Q0 document rank score tag), got 1"),
        (
            b"\x00 \x01 \x02 \x03 \xfe \x05",
            "the score must be a finite number between -3.4e38 and 3.4e38, got '\\\\xfe'",
        ),
    ],
)
def test_a_bad_line(write, line, problem):
    raw = line if isinstance(line, bytes) else line.encode()
    path = write("bad.run", LINES.encode() + b"\n" + raw + b"\r\nq9 Q0 d 1 1 me\n")
    with pytest.raises(BadRecord) as caught:
        read_run(path)
    assert str(caught.value) == f"{path}:5: {problem}"
    assert caught.value.raw == raw


def test_what_cannot_be_read(tmp_path, write):
    with pytest.raises(NotFound, match=r"none\.run: no such file"):
        read_run(tmp_path / "none.run")
    with pytest.raises(BadInput, match="is a folder"):
        read_run(tmp_path)
    with pytest.raises(BadInput, match="not a gzip file"):
        read_run(write("a.run", LINES).rename(tmp_path / "b.run.gz"))


columns = st.sampled_from(
    [
        "q1",
        "q2",
        "Q0",
        "d1",
        "d2",
        "\u00e9",
        "a\u00a0b",
        "a\x1cb",
        "1",
        "0.5",
        "-2e3",
        "1_0",
        "nan",
        "\u0661",
        "\udcff",
    ]
)
separators = st.sampled_from([" ", "\t", "  ", " \t", "\x0b", "\r"])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", " \n", ""])


@st.composite
def sound_lines(draw):
    score = draw(st.sampled_from(["1", "0.5", "-2e3", "+7", ".5"]))
    separator = draw(st.sampled_from([" ", "\t"]))
    query, document = draw(st.sampled_from(["q1", "q2", "\u00e9"])), f"d{draw(st.integers(0, 30))}"
    return separator.join([query, "Q0", document, "1", score, "me"]) + "\n"


@st.composite
def odd_lines(draw):
    words = draw(st.lists(columns, min_size=5, max_size=7))
    return "".join(word + draw(separators) for word in words) + draw(ends)


@settings(max_examples=150)
@given(
    st.lists(st.one_of(sound_lines(), sound_lines(), sound_lines(), odd_lines()), max_size=8), st.integers(1, 60)
)
def test_many_lines_at_once_or_one_by_one(tmp_path_factory, texts, at_once):
    path = tmp_path_factory.getbasetemp() / "any.run"
    path.write_bytes("".join(texts).encode("utf-8", "surrogateescape"))

    def outcome(read):
        try:
            return [(query, list(ranking.items())) for query, ranking in read(path).items()]
        except BadRecord as error:
            return str(error)

    before, run_lines.AT_ONCE = run_lines.AT_ONCE, at_once
    try:
        assert outcome(run_lines.read_scores) == outcome(run_lines._by_lines)
    finally:
        run_lines.AT_ONCE = before


def test_only_blanks_of_ascii_separate(write):
    for text in (
        "q1 Q0 d\u00a0x 1 2.5\n",
        "q1 Q0 d\u00a0x 1 2.5 \n",
        "q1 Q0 d\u00a0x 1 2.5 me\nq1 Q0 \u3000 2 1 me\n",
    ):
        assert read_run(write("a.run", text))["q1"][0] == ("d\u00a0x", 2.5)
    assert read_run(write("a.run", "q1 Q0 d\x1cx 1 2.5 \n")) == {"q1": [("d\x1cx", 2.5)]}


def test_usual_files_are_read_many_lines_at_once(write, monkeypatch):
    monkeypatch.setattr(run_lines, "_by_lines", None)
    for content in (
        LINES,
        LINES.replace(" ", "\t"),
        LINES.removesuffix("\n"),
        LINES.replace("d1", "\u00e9\u20ac"),
    ):
        assert len(read_run(write("a.run", content))) == 2
        assert len(read_run(write("a.run.gz", content))) == 2


@pytest.mark.parametrize("text", ["1_000", "\u0661", "nan", "inf", "-inf", "1e39", "-1e39", "much", "0x1"])
def test_a_bad_score_among_many_good_lines(write, text):
    path = write("a.run", LINES + f"q9 Q0 d 1 {text} me\n" + "q9 Q0 e 2 1 me\n")
    with pytest.raises(BadRecord, match=rf"a\.run:4: the score must be a finite number .*, got '{text}'"):
        read_run(path)


def test_a_pipe_is_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(run_lines, "_by_blocks", None)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for content, told in (
        (LINES.replace("\n", "\r\n"), None),
        (LINES + "q1 Q0\n", "pipe:4: a line of a run has 6"),
    ):
        writer = threading.Thread(target=pipe.write_text, args=(content,), daemon=True)
        writer.start()
        if told:
            with pytest.raises(BadRecord, match=told):
                read_run(pipe)
        else:
            assert read_run(pipe) == READ
        writer.join()


def test_a_damaged_file(write):
    path = write("a.run.gz", "".join(f"q{n} Q0 d 1 {n} me\n" for n in range(5000)))
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(BadInput, match=r"a\.run\.gz: damaged or truncated gzip file "):
        read_run(path)


def test_a_query_may_come_back_later(write):
    path = write("a.run", "q1 Q0 d1 1 1 me\nq2 Q0 d1 1 1 me\nq1 Q0 d2 1 2 me\n")
    assert read_run(path) == {"q1": [("d2", 2.0), ("d1", 1.0)], "q2": [("d1", 1.0)]}
    with pytest.raises(BadRecord, match=r"a\.run:4: document 'd1' is ranked twice for query 'q1'"):
        read_run(write("a.run", path.read_text() + "q1 Q0 d1 3 1 me\n"))


def test_ties_are_broken_by_the_greater_id():
    ranking = [("d1", 1.0), ("d10", 1.0), ("d9", 1.0), ("é", 1.0), ("Z", 1.0), ("d2", 2.0), ("\U00010000", 1.0)]
    expected = ["d2", "\U00010000", "é", "d9", "d10", "d1", "Z"]
    for seed in range(5):
        random.Random(seed).shuffle(ranking)
        assert [document for document, _ in best_first("q", ranking)] == expected


def test_scores_are_compared_as_32_bit_floats():
    assert best_first("q", [("a", 1.0 + 1e-12), ("b", 1.0)]) == [("b", 1.0), ("a", 1.0)]
    assert best_first("q", [("a", 0.1)]) == [("a", float(np.float32(0.1)))]
    assert best_first("q", [("a", 0.0), ("b", -0.0)]) == [("b", 0.0), ("a", 0.0)]
    assert best_first("q", []) == []


@given(st.dictionaries(words, rankings, max_size=4), words)
def test_what_is_written_is_read(tmp_path_factory, run, tag):
    folder = tmp_path_factory.getbasetemp()
    expected = {query: ranking for query, ranking in run.items() if ranking}
    for name in ("round.run", "round.run.gz"):
        write_run(folder / name, run, tag)
        read = read_run(folder / name)
        assert read == expected
        assert list(read) == list(expected)
    signs = [math.copysign(1, score) for ranking in read.values() for _, score in ranking]
    assert signs == [math.copysign(1, score) for ranking in expected.values() for _, score in ranking]


def test_what_is_written(tmp_path):
    path = tmp_path / "a.run"
    run = {"q1": [("b", np.float32(0.1)), ("a", 0.1), ("c", -2)], "q0": [], "q2": [("a", 1e-45)]}
    text = "q1 Q0 b 1 0.1 me\nq1 Q0 a 2 0.1 me\nq1 Q0 c 3 -2.0 me\nq2 Q0 a 1 1e-45 me\n"
    write_run(path, run, "me")
    assert path.read_text() == text
    write_run(str(path), iter(run.items()), "me")
    assert path.read_text() == text
    write_run(file := io.StringIO(), run, "me")
    assert file.getvalue() == text


def test_writing_to_standard_output(capfdbinary):
    write_run("-", {"q": [("é", 1.5)]}, "me")
    assert capfdbinary.readouterr().out == "q Q0 é 1 1.5 me\n".encode()


def test_packed_bytes_depend_on_the_content_only(tmp_path, monkeypatch):
    for name, now in (("a.run.gz", 1e9), ("b.run.gz", 2e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        write_run(tmp_path / name, {"q": [("d", 1.0)]}, "me")
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()


@pytest.mark.parametrize(
    ("run", "tag", "problem"),
    [
        ({"q 1": [("d", 1.0)]}, "me", "the query id must be one word, without blanks, to stand in a run; got 'q 1'"),
        ({"": []}, "me", "the query id must be one word, without blanks, to stand in a run; got ''"),
        ({"q": [("d\u00a01", 1.0)]}, "me", "the document id must be one word, without blanks"),
        ({"q": [("d\n", 1.0)]}, "me", "the document id must be one word, without blanks"),
        ({"q": [("", 1.0)]}, "me", "the document id must be one word, without blanks"),
        ({}, "my tag", "the tag of a run must be one word, without blanks, to stand in a run; got 'my tag'"),
        ({}, "", "the tag of a run must be one word, without blanks"),
        ({"\ufeffq": []}, "me", "the query id must be one word"),
        ({"q": [("d", math.nan)]}, "me", "query 'q': the score of document 'd' must be a finite 32-bit float, got nan"),
        ({"q": [("c", 2.0), ("d", 1e39)]}, "me", "document 'd' must be a finite 32-bit float, got 1e+39"),
        ({"q": [("d", 2.0), ("d", 1.0)]}, "me", "document 'd' is ranked twice for query 'q'"),
        ({"q": [("c", 2.0), ("d", 1.0), ("e", 1.5)]}, "me", "must be best first, but at rank 3 the score rises from 1.0 to 1.5"),
        ([("q", []), ("q", [])], "me", "there are two rankings for query 'q'; give one"),
        ({"q": [("\udc80", 1.0)]}, "me", r"query 'q': an id or the tag holds '\udc80', which is no text"),
    ],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path, run, tag, problem):
    (tmp_path / "a.run").write_text("before")
    with pytest.raises(UsageError) as caught:
        write_run(tmp_path / "a.run", run, tag)
    assert problem in str(caught.value)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.run", "before")]
