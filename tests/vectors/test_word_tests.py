"""Tests of word vectors on small files whose answers are known, and on the published ones."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aboutness.core.errors import BadInput, NotFound, UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors import postprocess, word_tests
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.word_tests import AnalogyResult, SimilarityResult, analogies, is_analogies, similarity
from aboutness.vectors.words import WordVectors

# The cosines with "sun" fall from "star" to "sea" to "mud".
SKY = ["sun", "star", "sea", "mud", "nothing"]
ROWS = [[1, 0], [3, 1], [1, 1], [-1, 1], [0, 0]]
PAIRS = [("sun", "star", 9.0), ("sun", "sea", 5.5), ("sun", "mud", 1.0)]


def of(rows, words=None, **others):
    rows = np.asarray(rows, np.float32)
    return WordVectors(StringTable.of(words or [f"w{i}" for i in range(len(rows))]), {"in": rows}, **others)


@pytest.fixture
def sky():
    return of(ROWS, SKY)


@pytest.fixture
def file(tmp_path):
    def write(text, name="test.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("mark", ["\t", ",", " ", "\t\t", " , ", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "# a comment\n\n", "\ufeff#word1\tword2\tscore\n"])
def test_any_layout_of_columns(sky, file, mark, end, start):
    text = start + end.join(mark.join(map(str, pair)) for pair in PAIRS)
    assert similarity(sky, file(text)) == SimilarityResult("test", 3, 3, pytest.approx(1.0))


@pytest.mark.parametrize("header", ["Word 1,Word 2,Human (mean)", "word1\tword2", "first second judged", "pairs"])
def test_a_header_is_passed_over(sky, file, header):
    text = "\n".join([header, *(",".join(map(str, pair)) for pair in PAIRS)])
    assert similarity(sky, file(text)).pairs == 3


def test_further_columns_and_a_last_line_without_an_end(sky, file):
    text = "sun\tstar\t9\t8\t10\nsun\tmud\t1\t1\tx"
    assert similarity(sky, file(text)) == SimilarityResult("test", 2, 2, pytest.approx(1.0))


def test_a_packed_file(sky, file):
    text = "\n".join("\t".join(map(str, pair)) for pair in PAIRS)
    assert similarity(sky, file(gzip.compress(text.encode()), "test.tsv.gz")).spearman == pytest.approx(1.0)


def test_unknown_pairs_are_left_out_and_counted(sky, file):
    text = "sun\tstar\t1\nsun\tmud\t9\nsun\tred dwarf\t5\nmoon\tsun\t5\nsun\tnothing\t5\nSea\tSUN\t2"
    # A vector of zeros is as good as none; Sea and SUN are found in lower case, unless case matters.
    assert similarity(sky, file(text)) == SimilarityResult("test", 6, 3, pytest.approx(-1.0))
    assert similarity(sky, file(text), case="exact") == SimilarityResult("test", 6, 2, pytest.approx(-1.0))


def test_words_made_of_subwords_are_known(file):
    chance = np.random.default_rng(0)
    vectors = of(ROWS, SKY, subwords=Subwords(chance.normal(size=(50, 2)).astype(np.float32), 3, 6))
    assert similarity(vectors, file("sunny\tstarry\t1\nsun\tstar\t2")).known == 2


@pytest.mark.parametrize(
    "text",
    [
        "sun\tstar\t3",
        "sun\tmoon\t3\nmoon\tsun\t4",
        "sun star 2\nsun mud 2",
        "sun sea 1\nsea sun 2",
    ],
)
def test_a_correlation_that_is_undefined(sky, file, text):
    assert similarity(sky, file(text)).spearman is None


@pytest.mark.parametrize("text", ["", "# nothing\n", "just a sentence\n"])
def test_a_file_without_any_pair(sky, file, text):
    with pytest.raises(BadInput, match="has no lines of two words and a number"):
        similarity(sky, file(text))


def test_the_correlation_is_one_of_ranks_with_ties():
    # Worked out by hand: ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4.
    assert word_tests._spearman(np.array([0, 0.5, 0.5, 9]), np.array([1.0, 3, 2, 4])) == pytest.approx(0.9486833)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sun star 1\nsun star", 2),
        ("sun star 1\n\n# x\nsun star many", 4),
        ("word1 word2 score\nfirst second third\n", 2),
        ("sun star 1\nsun star nan", 2),
        ("sun star inf\nsun star 1", 1),
        ("3 sun star", 1),
        ("sun\tstar\t3.5\nsun\tstar\t3,5", 2),
        ("sun\t\t4", 1),
        (b"sun star 1\nsun st\xffr 1", 2),
    ],
)
def test_bad_lines_of_pairs(sky, file, text, line):
    path = file(text)
    with pytest.raises(BadInput) as caught:
        similarity(sky, path)
    expected = "not UTF-8: byte 0xff" if isinstance(text, bytes) else "two words and a number"
    assert caught.match(rf"^{path}:{line}: .*{expected}")


def test_a_file_that_is_not_there(sky, tmp_path):
    for test in (similarity, analogies):
        with pytest.raises(NotFound):
            test(sky, tmp_path / "none")
    with pytest.raises(NotFound):
        is_analogies(tmp_path / "none")


ROYALS = ["man", "king", "woman", "queen", "crown", "stone", "nothing"]
ROYAL_ROWS = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 3], [-1, -1, 0], [0, 0, 0]]
QUESTIONS = """: people
man king woman queen
Woman Queen Man King
man king woman crown
man king woman nobody
: things
man king woman man
man king nothing queen
"""


def test_sections_and_the_total(file):
    found = analogies(of(ROYAL_ROWS, ROYALS), file(QUESTIONS))
    assert found == [
        AnalogyResult("people", 4, 3, pytest.approx(2 / 3), pytest.approx(2.5 / 3)),
        AnalogyResult("things", 2, 1, 0.0, 0.0),
        AnalogyResult("total", 6, 4, 0.5, pytest.approx(2.5 / 4)),
    ]


def test_case_may_matter(file):
    found = analogies(of(ROYAL_ROWS, ROYALS), file(QUESTIONS), case="exact")
    assert [(one.section, one.questions, one.known) for one in found] == [
        ("people", 4, 2),
        ("things", 2, 1),
        ("total", 6, 3),
    ]


def test_only_the_first_words_are_used(file):
    vectors = of(ROYAL_ROWS[:3] + ROYAL_ROWS[4:5] + ROYAL_ROWS[3:4], [*ROYALS[:3], "crown", "queen"])
    assert [one.known for one in analogies(vectors, file(QUESTIONS), most=4)] == [1, 1, 2]
    first = analogies(vectors, file("man king woman crown"), most=4)
    assert first == [AnalogyResult("test", 1, 1, 1.0, 1.0), AnalogyResult("total", 1, 1, 1.0, 1.0)]
    assert analogies(vectors, file("man king woman crown"))[-1].mrr == 0.5
    assert analogies(vectors, file(QUESTIONS), most=99) == analogies(vectors, file(QUESTIONS))
    with pytest.raises(UsageError, match="at least 1, got 0"):
        analogies(vectors, file(QUESTIONS), most=0)


def test_nothing_is_known(file):
    vectors = of(ROYAL_ROWS, ROYALS)
    assert analogies(vectors, file("")) == [AnalogyResult("total", 0, 0, None, None)]
    assert analogies(vectors, file(": empty\n: other\na b c d")) == [
        AnalogyResult("empty", 0, 0, None, None),
        AnalogyResult("other", 1, 0, None, None),
        AnalogyResult("total", 1, 0, None, None),
    ]


@pytest.mark.parametrize("text", [": s\na b c\n", "# x\na b c d e", ": s\nsun star 3"])
def test_bad_lines_of_analogies(file, text):
    path = file(text)
    with pytest.raises(BadInput, match=rf"^{path}:2: an analogy must have four words, got "):
        analogies(of(ROYAL_ROWS, ROYALS), path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUESTIONS, True),
        ("\ufeff# x\r\n\r\n: s\r\n", True),
        ("a b c d\ne f g h", True),
        ("a b c d", True),
        ("", False),
        ("sun star 3", False),
        ("sun\tred dwarf star\t3", False),
        ("word one word two\nsun\tstar\t3", False),
        ("sun star 3 x", False),
    ],
)
def test_which_kind_of_test_a_file_is(file, text, expected):
    assert is_analogies(file(text)) is expected


def ranks_one_by_one(rows, questions):
    """The definition, a word at a time: the rank of the right answer, or 0 where it is none."""
    lengths = [np.sqrt(np.square(row).sum()) for row in rows.astype(np.float64)]
    unit = [row / length if length else None for row, length in zip(rows.astype(np.float64), lengths, strict=True)]
    ranks = []
    for a, b, c, right in questions:
        if right in (a, b, c):
            ranks.append(0)
            continue
        asked = unit[b] - unit[a] + unit[c]
        scores = [
            (-(asked * row).sum(), i) for i, row in enumerate(unit) if row is not None and i not in (a, b, c)
        ]
        ranks.append(1 + [i for _, i in sorted(scores)].index(right))
    return ranks


@given(
    arrays(
        np.float32,
        st.tuples(st.integers(4, 25), st.integers(1, 4)),
        elements=st.integers(-2, 2).map(float),
        fill=st.just(0.0),
    ),
    st.lists(st.tuples(*[st.integers(0, 24)] * 4), max_size=12),
    st.sampled_from([1, 3, 100]),
)
def test_ranks_are_those_found_one_by_one(tmp_path_factory, rows, drawn, block):
    path = tmp_path_factory.getbasetemp() / "drawn.txt"
    questions = [tuple(number % len(rows) for number in question) for question in drawn]
    path.write_text("".join(" ".join(f"w{number}" for number in question) + "\n" for question in questions))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postprocess, "BLOCK", block * 8 * rows.shape[1])
        patch.setattr(word_tests, "QUESTIONS", 2)
        total = analogies(of(rows), path)[-1]
    known = [question for question in questions if rows[list(question)].any(axis=1).all()]
    ranks = ranks_one_by_one(rows, known)
    assert (total.questions, total.known) == (len(questions), len(known))
    if known:
        assert total.accuracy == pytest.approx(np.mean([rank == 1 for rank in ranks]))
        assert total.mrr == pytest.approx(np.mean([1 / rank if rank else 0 for rank in ranks]))


def test_near_ties_do_not_depend_on_products_in_single_precision(file):
    chance = np.random.default_rng(0)
    rows = chance.normal(size=200) + 1e-7 * chance.normal(size=(300, 200))
    rows = rows.astype(np.float32)
    questions = chance.integers(0, 300, size=(40, 4))
    text = "".join(" ".join(f"w{number}" for number in question) + "\n" for question in questions)
    ranks = ranks_one_by_one(rows, questions.tolist())
    assert analogies(of(rows), file(text))[-1].mrr == pytest.approx(
        np.mean([1 / rank if rank else 0 for rank in ranks])
    )


@pytest.fixture(scope="module")
def glove(vectors_folder):
    folder = vectors_folder / "glove6b_100d"
    count = 30_000
    words = (folder / "vocab.txt").read_text("utf-8").split("\n")[:count]
    return of(np.load(folder / "vectors.f16.npy", mmap_mode="r")[:count], words)


@pytest.mark.parametrize(
    ("name", "pairs", "least"),
    [
        ("wordsim353.tsv", 353, 0.45),
        ("MEN_dataset_natural_form_full.tsv", 2997, 0.6),
        ("SimLex-999.tsv", 999, 0.2),
        ("MTURK-771.tsv", 770, 0.5),
        ("RG_word.tsv", 65, 0.5),
        ("rw.tsv", 2034, 0.2),
        ("TermRelatednessResults.tsv", 9856, 0.4),
    ],
)
def test_published_judgements(glove, data_folder, name, pairs, least):
    path = data_folder / "word_similarity" / name
    assert not is_analogies(path)
    found = similarity(glove, path)
    assert found.pairs == pairs
    assert 0 < found.known < pairs
    assert found.spearman > least


@pytest.mark.parametrize(
    ("name", "sections", "questions"), [("questions-words.txt", 14, 19544), ("MSR-syntax.txt", 1, 8000)]
)
def test_published_analogies(glove, data_folder, name, sections, questions):
    path = data_folder / "word_similarity" / name
    assert is_analogies(path)
    found = analogies(glove, path, most=5_000)
    assert len(found) == sections + 1
    assert found[-1].questions == questions == sum(one.questions for one in found[:-1])
    assert found[-1].known == sum(one.known for one in found[:-1]) > 1_000
    assert 0.5 < found[-1].accuracy < found[-1].mrr < 1
