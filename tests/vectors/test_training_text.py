from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness import Index
from aboutness.core.errors import UsageError
from aboutness.text.analyzers import analyzer
from aboutness.vectors import training_text
from aboutness.vectors.training_text import TrainingText, chosen_documents

PLAIN = analyzer("plain")
DOCUMENTS = [
    {"id": "a", "text": "one two two three"},
    {"id": "b", "text": ""},
    {"id": "c", "text": "gone with the wind"},
    {"id": "d", "title": "Four Words in here", "text": "two one"},
    {"id": "e", "title": "gone too", "text": "and here"},
    {"id": "f", "title": "only a title"},
    {"id": "g", "body": "the body of it", "title": "it"},
    {"id": "h", "body": "été 日本 one"},
    {"id": "i", "text": ""},
]
DEAD = {"c", "e"}


def pieces(text: TrainingText) -> list[list[str]]:
    """All pieces, part by part, as terms."""
    terms = text.terms()
    return [
        [terms[number] for number in part.tokens[start:end].tolist()]
        for part in text.parts
        for start, end in zip(part.starts, part.ends, strict=True)
    ]


def counted(text: TrainingText) -> dict[str, int]:
    return {term: count for term, count in zip(text.terms(), text.counts.tolist(), strict=True) if count}


def assert_is(text: TrainingText, expected: list[list[str]]) -> None:
    assert pieces(text) == expected
    assert counted(text) == Counter(term for piece in expected for term in piece)
    assert text.tokens == sum(map(len, expected))
    for part in text.parts:
        assert (part.tokens.dtype, part.starts.dtype, part.ends.dtype) == (np.int32, np.int64, np.int64)


# --- from an index ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def index():
    """Three segments with one, two and three fields, some documents dead."""
    index = Index.build([], analyzer=PLAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        for part in (DOCUMENTS[:3], DOCUMENTS[3:6], DOCUMENTS[6:]):
            index.add(part)
        index.delete(DEAD)
    assert [segment.fields for segment in index.snapshot.segments] == [1, 2, 3]
    return index


@pytest.mark.parametrize(
    "chosen",
    [None, ["text"], ["title"], ["body", "text"], {"title": 2.5, "text": 0.1}, {"title": 1.0, "text": 0.0}],
    ids=str,
)
def test_the_living_documents_of_an_index_field_by_field(index, chosen):
    names = ["text", "title", "body"]
    if chosen is not None:
        names = [name for name in names if name in chosen and (isinstance(chosen, list) or chosen[name])]
    cells = [PLAIN.terms(doc.get(name, "")) for doc in DOCUMENTS if doc["id"] not in DEAD for name in names]
    assert_is(TrainingText.of_view(index.view(fields=chosen)), [cell for cell in cells if cell])


def test_an_index_without_the_dead_is_not_copied(index):
    text = TrainingText.of_view(index.view())
    mapped = [part.tokens for _, part in index.view().parts]
    assert [np.shares_memory(part.tokens, tokens) for part, tokens in zip(text.parts, mapped, strict=True)] == [
        False, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("documents", [[], [{"id": "a", "text": ""}], [{"id": "a", "text": "gone"}]])
def test_an_index_without_any_text(documents):
    index = Index.build(documents, analyzer=PLAIN)
    if documents:
        index.delete(["a"])
        index.add([{"id": "b", "text": ""}])
    text = TrainingText.of_view(index.view())
    assert_is(text, [])
    assert text.blocks() == []
    assert isinstance(text.checksum, int)


def test_no_field_is_chosen(index):
    assert_is(TrainingText.of_view(index.view(fields=[])), [])


# --- from texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "english"])
def test_strings_are_analysed(name):
    texts = ["The sun and the Moon.", "", "suns", "!", "moons of été"]
    terms = [analyzer(name).terms(text) for text in texts]
    assert_is(TrainingText.of_texts(texts, analyzer(name)), [piece for piece in terms if piece])
    assert_is(TrainingText.of_texts((text for text in texts), analyzer(name)), [piece for piece in terms if piece])


def test_lists_of_terms_are_taken_as_they_are():
    texts = [["The", "sun,", "The"], [], ("New York", "été"), ["The", ""]]
    expected = [list(text) for text in texts if text]
    assert_is(TrainingText.of_texts(texts, analyzer("english")), expected)
    assert_is(TrainingText.of_texts(iter(texts), analyzer("english")), expected)


def test_nothing_at_all():
    for nothing in ([], iter([]), ["", " "], [[], []]):
        assert_is(TrainingText.of_texts(nothing, PLAIN), [])


def test_terms_are_numbered_as_they_come():
    for texts in (["bb aa bb", "cc aa"], [["bb", "aa", "bb"], ["cc", "aa"]]):
        text = TrainingText.of_texts(texts, PLAIN)
        assert list(text.terms()) == ["bb", "aa", "cc"]
        assert text.counts.tolist() == [2, 2, 1]


def test_more_texts_than_are_analysed_at_a_time(monkeypatch):
    monkeypatch.setattr(training_text, "BATCH", 3)
    texts = [f"w{i % 4} w{i}" for i in range(10)]
    split = [text.split() for text in texts]
    for source in (texts, split, iter(texts), iter(split)):
        text = TrainingText.of_texts(source, PLAIN)
        assert_is(text, split)
        assert len(text.parts) == 4


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("the sun", r"^training takes the view of an index, or several texts, got 'the sun'$"),
        (["a", ["b"]], r"must be all strings or all lists of terms, got \['b'\]$"),
        ([["b"], "a"], r"must be all strings or all lists of terms, got 'a'$"),
        ([["a"], [3]], r"must be all strings or all lists of terms, got \[3\]$"),
        ([3], r"must be all strings or all lists of terms, got 3$"),
        ([None], r"must be all strings or all lists of terms, got None$"),
        ([b"bytes"], r"must be all strings or all lists of terms, got b'bytes'$"),
        ([{"a"}], r"must be all strings or all lists of terms, got \{'a'\}$"),
        ([["a", None]], r"must be all strings or all lists of terms, got \['a', None\]$"),
    ],
)
def test_what_is_refused(texts, message):
    with pytest.raises(UsageError, match=message):
        TrainingText.of_texts(texts, PLAIN)


@pytest.mark.parametrize("texts", [["one two", "one", ["two"]], [["one"], ["two"], "one"]], ids=str)
def test_strings_and_lists_far_from_each_other_are_refused_too(monkeypatch, texts):
    monkeypatch.setattr(training_text, "BATCH", 2)
    with pytest.raises(UsageError, match="must be all strings or all lists of terms, got "):
        TrainingText.of_texts(texts, PLAIN)


def test_strings_without_terms_among_lists_are_refused_too(monkeypatch):
    monkeypatch.setattr(training_text, "BATCH", 2)
    with pytest.raises(UsageError, match="must be all strings or all lists of terms"):
        TrainingText.of_texts([["one"], ["two"], ""], PLAIN)


def test_an_error_of_the_source_comes_out():
    def texts():
        yield "one"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        TrainingText.of_texts(texts(), PLAIN)


def test_of_takes_either(index):
    view = index.view()
    assert pieces(TrainingText.of(view, PLAIN)) == pieces(TrainingText.of_view(view))
    text = TrainingText.of(["One two"], PLAIN)
    assert pieces(text) == [["one", "two"]]
    assert TrainingText.of(text, PLAIN) is text


# --- documents --------------------------------------------------------------------------------------------------


def by_document(text: TrainingText) -> list[list[str]]:
    """The terms of each document, those without text among them."""
    terms, found = text.terms(), [[] for _ in range(text.documents)]
    for part in text.parts:
        for start, end, document in zip(part.starts, part.ends, part.documents, strict=True):
            found[document] += [terms[number] for number in part.tokens[start:end].tolist()]
    return found


def living(names=("text", "title", "body")):
    alive = [document for document in DOCUMENTS if document["id"] not in DEAD]
    return [[term for name in names for term in PLAIN.terms(document.get(name, ""))] for document in alive]


def test_documents_of_an_index(index):
    text = TrainingText.of_view(index.view())
    assert (text.documents, text.arrivals.tolist()) == (7, [0, 1, 3, 5, 6, 7, 8])
    assert by_document(text) == living()
    assert by_document(TrainingText.of_view(index.view(fields=["title"]))) == living(["title"])


def test_each_text_is_a_document(monkeypatch):
    monkeypatch.setattr(training_text, "BATCH", 2)
    monkeypatch.setattr(training_text, "LONGEST_PIECE", 3)
    texts = [["a", "b"], [], ["c"] * 7, [], ["a"]]
    text = TrainingText.of_texts(texts, PLAIN)
    assert (text.documents, text.arrivals.tolist()) == (5, [0, 1, 2, 3, 4])
    assert by_document(text) == texts
    assert [block.documents.tolist() for block in text.blocks()] == [[0, 2, 2, 2, 4]]


TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7), min_size=1, max_size=8)


def of_texts(texts, longest=3, batch=3):
    """Texts in several parts, the long ones cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_text, "LONGEST_PIECE", longest)
        patch.setattr(training_text, "BATCH", batch)
        return TrainingText.of_texts(texts, PLAIN)


@settings(max_examples=60)
@given(TEXTS, st.data())
def test_some_documents(texts, data):
    text = of_texts(texts)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    some = text.some(chosen)
    kept = [one for one, here in zip(texts, chosen, strict=True) if here]
    assert by_document(some) == kept
    assert counted(some) == Counter(term for one in kept for term in one)
    assert (some.documents, some.tokens) == (len(kept), sum(map(len, kept)))
    assert some.arrivals.tolist() == np.flatnonzero(chosen).tolist()
    assert list(some.terms()) == list(text.terms())
    assert (some.checksum == text.checksum) == chosen.all()
    blocks = [piece for block in some.blocks() for piece in block.documents.tolist()]
    assert blocks == sorted(blocks)


@settings(max_examples=60)
@given(TEXTS, st.permutations([0, 1, -1, -1]))
def test_known_words(texts, numbers):
    text = of_texts(texts)
    new = dict(zip("abcd", numbers, strict=True))
    number_of = np.array([new[term] for term in text.terms()], np.int32)
    expected = [[new[term] for term in one if new[term] >= 0] for one in texts]
    found = text.texts(number_of)
    assert (found.words.dtype, found.weights.dtype, found.ends.dtype) == (np.int32, np.float32, np.int64)
    assert [part.tolist() for part in np.split(found.words, found.ends[:-1])] == expected
    assert found.weights.tolist() == [1] * sum(map(len, expected))
    lengths, df = text.known(number_of)
    assert lengths.tolist() == [len(one) for one in expected]
    having = Counter(number for one in expected for number in set(one))
    assert df.tolist() == [having[number] for number in range(int(number_of.max(initial=-1)) + 1)]


@settings(max_examples=40)
@given(TEXTS, st.integers(1, 40), st.data())
def test_documents_in_portions(texts, portion, data):
    text = of_texts(texts)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_text, "PORTION", portion)
        portions = list(text.in_portions(chosen))
    assert len(portions) == text.tokens // portion + 1
    numbers = [number for some in portions for number in np.flatnonzero(some).tolist()]
    assert numbers == np.flatnonzero(chosen).tolist()
    sizes = [int(some.sum()) for some in portions]
    assert max(sizes) <= min(sizes) + 1


def test_no_documents_at_all():
    text = TrainingText.of_texts([], PLAIN)
    assert len(text.texts(np.zeros(0, np.int32))) == 0
    assert [len(numbers) for numbers in text.known(np.zeros(0, np.int32))] == [0, 0]
    assert text.some(np.zeros(0, np.bool_)).documents == 0


def test_fields_of_a_document_are_its_pieces(index):
    """A document has its known words in the order of its fields, wherever its segment is."""
    text = TrainingText.of_view(index.view())
    number_of = np.arange(len(text.counts), dtype=np.int32)
    found, terms = text.texts(number_of), text.terms()
    words = [[terms[number] for number in part.tolist()] for part in np.split(found.words, found.ends[:-1])]
    assert words == living()
    lengths, df = text.known(number_of)
    assert lengths.tolist() == [len(one) for one in living()]
    assert df.tolist() == index.view().df.tolist()


@pytest.mark.parametrize(
    ("sample", "chosen"), [(0, 50), (1, 1), (20, 20), (49, 49), (50, 50), (51, 50), (1 << 40, 50)]
)
def test_documents_that_are_chosen_by_chance(sample, chosen):
    found = chosen_documents(50, sample, 3)
    assert (found.dtype, found.shape, found.sum()) == (np.bool_, (50,), chosen)
    assert found.tolist() == chosen_documents(50, sample, 3).tolist()


def test_documents_are_chosen_alike_often_and_otherwise_for_each_seed():
    counts = sum(chosen_documents(40, 10, seed).astype(int) for seed in range(400))
    assert abs(counts - 100).max() < 5 * np.sqrt(75)
    assert len({chosen_documents(40, 10, seed).tobytes() for seed in range(50)}) == 50


# --- pieces and blocks ------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 9))
def test_long_pieces_are_cut(lengths, longest):
    texts = [[f"w{i}-{j}" for j in range(length)] for i, length in enumerate(lengths)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_text, "LONGEST_PIECE", longest)
        text = TrainingText.of_texts(texts, PLAIN)
    assert_is(text, [piece[at : at + longest] for piece in texts for at in range(0, len(piece), longest)])


def test_a_piece_just_as_long_as_allowed_is_whole():
    most = training_text.LONGEST_PIECE
    text = TrainingText.of_texts([["a"] * most, ["b"] * (most + 1)], PLAIN)
    assert [len(piece) for piece in pieces(text)] == [most, most, 1]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 12), max_size=20), st.integers(1, 20), st.integers(1, 6))
def test_blocks_have_every_piece_once_in_order(lengths, size, batch):
    texts = [[f"w{i}"] * length for i, length in enumerate(lengths)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_text, "BATCH", batch)
        patch.setattr(training_text, "BLOCK", size)
        text = TrainingText.of_texts(texts, PLAIN)
        blocks = text.blocks()
    terms = text.terms()
    found, before = [], 0
    for block in blocks:
        some = [block.tokens[a:b].tolist() for a, b in zip(block.starts, block.ends, strict=True)]
        assert some
        assert block.before == before
        sizes = [len(piece) for piece in some]
        assert sum(sizes[:-1]) < size  # it ends where it is full
        before += sum(sizes)
        found += [[terms[number] for number in piece] for piece in some]
    assert found == [piece for piece in texts if piece] == pieces(text)
    assert before == text.tokens
    whole = [sum(block.ends - block.starts) >= size for block in blocks]
    assert whole.count(False) <= len(text.parts)  # only the last of a part may be smaller


# --- checksums --------------------------------------------------------------------------------------------------


def test_the_checksum_is_of_the_tokens_and_of_where_pieces_end():
    texts = [["a", "b", "a"], ["c"], ["b", "d"]]
    same = TrainingText.of_texts(texts, PLAIN).checksum
    assert TrainingText.of_texts(iter(texts), PLAIN).checksum == same
    others = [
        [["a", "b", "b"], ["c"], ["b", "d"]],
        [["a", "a", "b"], ["c"], ["b", "d"]],
        [["a", "b"], ["a", "c"], ["b", "d"]],
        [["a", "b", "a"], ["c", "b", "d"]],
        [["a", "b", "a"], ["c"], ["b", "c"]],
        [["a", "b", "a"], ["c"], ["b"]],
        [["a", "b", "a"], ["c"], ["b", "d"], ["d"]],
        [],
    ]
    found = [TrainingText.of_texts(other, PLAIN).checksum for other in others]
    assert len({same, *found}) == len(others) + 1


def test_the_checksum_is_of_the_documents_of_pieces():
    fields = [
        [{"title": "one", "text": "two"}, {"title": "three"}],
        [{"title": "one"}, {"title": "two", "text": "three"}],
        [{"title": "one"}, {"title": "two"}, {"title": "three"}],
        [{"title": "one", "text": "two"}, {"title": "three"}, {"title": ""}],
        [{"title": ""}, {"title": "one", "text": "two"}, {"title": "three"}],
    ]
    found = [
        TrainingText.of_view(
            Index.build([{"id": str(i), **one} for i, one in enumerate(some)], analyzer=PLAIN).view()
        )
        for some in fields
    ]
    assert all(pieces(text) == [["one"], ["two"], ["three"]] for text in found)
    assert len({text.checksum for text in found}) == len(fields)


def test_deleting_a_document_or_choosing_fields_changes_the_checksum(index):
    found = {TrainingText.of_view(index.view(fields=chosen)).checksum for chosen in (None, ["text"], ["title"])}
    again = Index.build(DOCUMENTS, analyzer=PLAIN)
    found.add(TrainingText.of_view(again.view()).checksum)
    again.delete(["a"])
    found.add(TrainingText.of_view(again.view()).checksum)
    assert len(found) == 5


def test_the_text_of_an_index_is_not_copied():
    """Some numbers for each document are held, and none for each token."""
    index = Index.build({"id": f"d{n}", "text": "sun moon star " * 200} for n in range(1000))
    view = index.view()
    _ = view.field_cf, view.arrivals, view.alive
    tracemalloc.start()
    text = TrainingText.of_view(view)
    blocks = text.blocks()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(int((block.ends - block.starts).sum()) for block in blocks) == text.tokens == 600_000
    assert peak < 200 * len(index) < 4 * text.tokens / 10
