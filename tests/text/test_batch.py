"""The compiled path against the definition: `Analyzer.terms`, cell by cell."""

from __future__ import annotations

import gzip
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.text import batch
from aboutness.text.analyzer import Analyzer
from aboutness.text.analyzers import analyzer
from aboutness.text.batch import BatchAnalyzer
from aboutness.text.strings import pack
from text.hard_texts import SPECIAL, all_analyzers, texts

every_analyzer = pytest.mark.parametrize("one", all_analyzers(), ids=lambda one: one.name)
quick = settings(max_examples=60, deadline=None)


def terms_of(batch: BatchAnalyzer, cells: list[str], **more: object) -> list[list[str]]:
    numbers, ends = batch.analyze(cells, **more)
    assert (numbers.dtype, ends.dtype) == (np.int32, np.int64)
    assert len(ends) == len(cells)
    assert len(numbers) == (ends[-1] if len(ends) else 0)
    names = batch.vocabulary.strings()
    return [[names[number] for number in numbers[a:b]] for a, b in zip([0, *ends], ends, strict=False)]


def assert_as_defined(one: Analyzer, cells: list[str]) -> None:
    assert terms_of(BatchAnalyzer(one), cells) == [one.terms(cell) for cell in cells]


@every_analyzer
@quick
@given(cells=st.lists(texts, max_size=6))
def test_terms_are_those_of_the_definition(one, cells):
    assert_as_defined(one, cells)


@every_analyzer
@settings(max_examples=25, deadline=None)
@given(batches=st.lists(st.lists(texts, max_size=4), max_size=4))
def test_batches_of_any_split(one, batches):
    batch, names = BatchAnalyzer(one), []
    for cells in batches:
        assert terms_of(batch, cells) == [one.terms(cell) for cell in cells]
        assert batch.vocabulary.strings()[: len(names)] == names  # numbers once given stay
        names = batch.vocabulary.strings()
    assert len(set(names)) == len(names)
    cells = [cell for part in batches for cell in part]
    assert terms_of(batch, cells) == [one.terms(cell) for cell in cells]
    assert batch.vocabulary.strings() == names


@every_analyzer
@settings(max_examples=15, deadline=None)
@given(cells=st.lists(texts, max_size=4))
def test_cells_packed_by_the_caller(one, cells):
    data, ends = pack(cells)
    before = (data.copy(), ends.copy())
    assert terms_of(BatchAnalyzer(one), cells, packed=(data, ends)) == [one.terms(cell) for cell in cells]
    np.testing.assert_array_equal(data, before[0])
    np.testing.assert_array_equal(ends, before[1])


@every_analyzer
def test_each_special_character_at_every_place(one):
    cells = [
        text
        for character in SPECIAL
        for text in (
            character, character * 2, character * 9, f"{character}ab", f"ab{character}", f"ab{character}cd",
            f" {character} ", f"a {character}b", f"Abcdefg{character}", f"abcdefgh{character}Σ", f"{character}\n{character}",
        )
    ]  # fmt: skip
    assert_as_defined(one, cells)
    for cell in cells[::7]:
        assert_as_defined(one, [cell])


@every_analyzer
def test_tokens_of_every_length(one):
    cells = [letter * size for letter in ("a", "Z", "é", "É", "中", "𐐀", "aé") for size in range(1, 42)]
    cells += [f"{'x' * size}中 {'x' * size}" for size in range(1, 30)]
    assert_as_defined(one, cells)


@every_analyzer
@pytest.mark.parametrize("cells", [[], [""], ["", "", ""], ["", "ab cd", ""], [" ", "\0", "é", ""]])
def test_nothing_to_do(one, cells):
    assert_as_defined(one, cells)


@every_analyzer
def test_cells_do_not_touch(one):
    cells = ["ab", "cd", "é", "é", "\U0010ffff", "中", "x", "", "y", "the", "re"]
    assert_as_defined(one, cells)


CODE_POINTS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]


@pytest.mark.parametrize("name", ["plain", "galke2017-w2v", "galke2017-glove"])
def test_every_code_point_alone_and_between_letters(name):
    one = analyzer(name)
    at_once = 1 << 12
    parts = [CODE_POINTS[at : at + at_once] for at in range(0, len(CODE_POINTS), at_once)]
    assert sum(map(len, parts)) == 0x110000 - 0x800
    cells = ["\n".join(f"{point} a{point}b" for point in part) for part in parts]
    batch = BatchAnalyzer(one)
    numbers, ends = batch.analyze(cells)
    names = {term: number for number, term in enumerate(batch.vocabulary.strings())}
    for cell, start, end in zip(cells, [0, *ends], ends, strict=False):
        assert numbers[start:end].tolist() == [names[term] for term in one.terms(cell)]


def test_every_code_point_in_a_cell_of_its_own():
    one = analyzer("galke2017-glove[stop=english]")
    batch = BatchAnalyzer(one)
    numbers, ends = batch.analyze(CODE_POINTS)
    names = np.array(batch.vocabulary.strings(), object)
    expected = [one.pattern.findall(point.lower()) for point in CODE_POINTS]
    stop = one.stop_set
    assert names[numbers].tolist() == [term for terms in expected for term in terms if term not in stop]
    assert np.diff(ends, prepend=0).tolist() == [sum(term not in stop for term in terms) for terms in expected]


@pytest.mark.parametrize("name", ["plain", "english"])
@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_token_of_ten_megabytes(name, letter):
    one = analyzer(name)
    cells = ["before", letter * (10_000_000 // len(letter.encode())), "after"]
    BatchAnalyzer(one).analyze(["compile first é"])
    batch = BatchAnalyzer(one)
    start = time.process_time()
    numbers, ends = batch.analyze(cells)
    assert time.process_time() - start < 5
    kept = [term for cell in cells for term in one.terms(cell)]
    assert len(batch.vocabulary) == len(kept)
    assert batch.vocabulary.strings() == kept
    assert len(numbers) == ends[-1] == len(kept)


@pytest.mark.parametrize("expression", ["plain", "english", "plain[words=1-2]", "letters"])
def test_growth_over_200_000_distinct_tokens(expression):
    chance = random.Random(7)
    tokens = [
        f"{'wé'[i % 2]}{i * 7919 % 1_000_003}" for i in range(200_000 if expression != "letters" else 40_000)
    ]
    cells, at = [], 0
    while at < len(tokens):
        size = chance.choice([0, 1, 10, 5_000])
        cells.append(" ".join(tokens[at : at + size]))
        at += size
    one = analyzer(expression)
    found = terms_of(BatchAnalyzer(one), cells)
    assert found == [one.terms(cell) for cell in cells]
    assert sum(map(len, found)) >= len(tokens)
    batch = BatchAnalyzer(one)
    half = len(cells) // 2
    assert terms_of(batch, cells[:half]) + terms_of(batch, cells[half:]) == found


def test_eight_threads_with_a_batch_each():
    one = analyzer("english[words=1-2]")
    chance = random.Random(2)
    cells = [" ".join(f"w{chance.randrange(3_000)}é running" for _ in range(200)) for _ in range(40)]
    expected = [one.terms(cell) for cell in cells]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: terms_of(BatchAnalyzer(one), cells), range(8)))
    assert found == [expected] * 8


def test_real_text(data_folder):
    with gzip.open(data_folder / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        cells = [json.loads(line)["text"] for line in islice(lines, 600)]
    assert sum(not cell.isascii() for cell in cells) > 50
    for expression in ("plain", "english", "galke2017-glove", "bigrams", "letters"):
        assert_as_defined(analyzer(expression), cells)


def test_letter_ngrams_of_a_word_without_end_are_cut_in_parts(monkeypatch):
    texts = ["ab " + "abcdefg" * 300 + " xyz", "é" * 999, "short words only", "abcdefg" * 300 + "h"]
    made = analyzer("plain[letters=2-5]")
    whole = BatchAnalyzer(made)
    expected, ends = whole.analyze(texts)
    most = []

    def noted(strings):
        most.append(len(strings))
        return pack(strings)

    monkeypatch.setattr(batch, "AT_ONCE", 100)
    monkeypatch.setattr(batch, "pack", noted)
    parts = BatchAnalyzer(made)
    numbers, part_ends = parts.analyze(texts)
    assert numbers.tolist() == expected.tolist()
    assert part_ends.tolist() == ends.tolist()
    assert parts.vocabulary.strings() == whole.vocabulary.strings()
    assert [parts.vocabulary.strings()[n] for n in numbers[: ends[0]]] == made.terms(texts[0])
    assert max(most) < 200
    assert parts.remembered >= len(numbers) // 64
