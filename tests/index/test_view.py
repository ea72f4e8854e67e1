"""Every statistic of a view against one worked out from the documents in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.core.record import Document
from aboutness.text.analyzers import analyzer
from index.naive import expected, observed

FIELDS = ["text", "title", "body"]
DOCUMENTS = [
    Document("a", {"text": "word word embedding retrieval"}),
    Document("b", {"text": ""}),
    Document("c", {"text": "the retrieval of words"}),
    Document("d", {"title": "Word", "text": "nothing here"}),
    Document("e", {"title": "Über Straße", "text": "word straße STRASSE"}),
    Document("f", {"title": "only a title"}),
    Document("g", {"body": "word body " * 400, "title": "body"}),
    Document("h", {"body": "日本語 поиск word"}),
    Document("i", {}),
    Document("j", {"text": "gone"}),
]
DEAD = {"c", "e", "j"}
SELECTIONS = [
    None,
    ["text"],
    ["title", "body"],
    "title",
    [],
    {"text": 1.0, "title": 3.0, "body": 0.5},
    {"body": 2.5},
    {"title": 2.0, "text": 0.0},
]


@pytest.fixture(scope="module", params=["plain", "english", "letters"])
def index(request):
    """Three segments with one, two and three fields, some documents dead, and weights of its own."""
    index = Index.build([], analyzer=request.param, weights={"text": 1.5})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
        for part in (DOCUMENTS[:3], DOCUMENTS[3:6], DOCUMENTS[6:]):
            index.add(part)
        index.delete(DEAD)
    assert [segment.fields for segment in index.snapshot.segments] == [1, 2, 3]
    assert index.snapshot.fields == FIELDS
    return index


def weights_of(selection):
    own = {"text": 1.5, "title": 1.0, "body": 1.0}
    if selection is None:
        return own
    if isinstance(selection, str):
        return {selection: own[selection]}
    return dict(selection) if isinstance(selection, dict) else {name: own[name] for name in selection}


def test_counts_of_all_fields(index):
    living = [document for document in DOCUMENTS if document.id not in DEAD]
    assert observed(index.snapshot) == expected(living, index.view().analyzer, FIELDS)


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_bags_are_rows_of_the_matrix(index, selection):
    view = index.view(fields=selection)
    living = np.flatnonzero(view.alive)
    matrix = view.matrix().toarray()
    for rows in (np.arange(len(living)), np.arange(0, len(living), 2), np.arange(0)):
        terms, counts, ends = view.bags(living[rows])
        found = np.zeros((len(rows), view.vocabulary_size))
        found[np.repeat(np.arange(len(rows)), np.diff(ends, prepend=0)), terms] = counts
        assert np.array_equal(found, matrix[rows])


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_statistics_of_chosen_and_weighted_fields(index, selection):
    view = index.view(fields=selection)
    weights = {name: weight for name, weight in weights_of(selection).items() if weight}
    rows = [
        {}
        if document.id in DEAD
        else {name: Counter(view.analyzer.terms(document.fields.get(name, ""))) for name in FIELDS}
        for document in DOCUMENTS
    ]
    assert view.documents == len(DOCUMENTS) - len(DEAD)
    assert view.size == len(DOCUMENTS)
    terms = view.terms()
    assert len(set(terms)) == len(terms) == view.vocabulary_size
    matrix = view.matrix()
    assert matrix.shape == (view.documents, len(terms))
    dense = matrix.toarray()
    live = [n for n, document in enumerate(DOCUMENTS) if document.id not in DEAD]
    for number, term in enumerate(terms):
        counts = [{name: row.get(name, {}).get(term, 0) for name in FIELDS} for row in rows]
        having = [n for n, count in enumerate(counts) if any(count[name] for name in weights)]
        assert view.df[number] == len(having)
        documents, all_counts = view.postings(number)
        assert documents.tolist() == having
        assert all_counts.T.tolist() == [[counts[n][name] for name in FIELDS] for n in having]
        assert view.field_cf[:, number].tolist() == [sum(count[name] for count in counts) for name in FIELDS]
        values = [sum(weight * count[name] for name, weight in weights.items()) for count in counts]
        assert view.cf[number] == pytest.approx(sum(values), rel=1e-15)
        assert dense[:, number].tolist() == [values[n] for n in live]
    lengths = [sum(weight * row[name].total() for name, weight in weights.items()) if row else 0.0 for row in rows]
    assert view.lengths.tolist() == lengths
    assert view.total_length == sum(lengths)
    assert view.field_lengths.tolist() == [[row[name].total() if row else 0 for row in rows] for name in FIELDS]
    assert matrix.nnz == view.df.sum()


def counts_of(view, document):
    """For each field the terms of a document and how often each stands there."""
    return {name: Counter(view.analyzer.terms(document.fields.get(name, ""))) for name in FIELDS}


def weighed(counts, weights, term):
    total = 0.0
    for name in FIELDS:
        total += weights.get(name, 0.0) * counts[name][term]
    return total


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_posting_lists_of_chosen_and_weighted_fields(index, selection):
    view, names = index.view(fields=selection), index.view().terms()
    weights = {name: weight for name, weight in weights_of(selection).items() if weight}
    assert [(lists.first, lists.size) for lists in view.lists] == [(0, 3), (3, 3), (6, 4)]
    for lists in view.lists:
        documents = DOCUMENTS[lists.first : lists.first + lists.size]
        assert lists.dead.tolist() == [document.id in DEAD for document in documents]
        expected = {}
        for here, document in enumerate(documents):  # the dead are there too
            counts = counts_of(view, document)
            for term in {term for name in weights for term in counts[name]}:
                expected.setdefault(term, []).append((here, weighed(counts, weights, term)))
        found = {}
        for term, start, end in zip(lists.terms, lists.starts, lists.ends, strict=True):
            having = lists.documents[start:end].tolist()
            found[names[term]] = list(zip(having, lists.counts(slice(start, end)).tolist(), strict=True))
        assert found == expected
        assert (np.diff(lists.terms) > 0).all()


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_rows_of_chosen_and_weighted_fields(index, selection):
    view, names = index.view(fields=selection), index.view().terms()
    weights = {name: weight for name, weight in weights_of(selection).items() if weight}
    rows = []
    for ends, terms, counts in view.rows():
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            spelled = [names[term] for term in terms[start:end]]
            rows.append(list(zip(spelled, counts[start:end].tolist(), strict=True)))
    expected = []
    for document in DOCUMENTS:  # the dead are there too
        counts = counts_of(view, document)
        order = dict.fromkeys(
            term for name in FIELDS for term in view.analyzer.terms(document.fields.get(name, ""))
        )
        expected.append([(term, weighed(counts, weights, term)) for term in order])
    assert rows == expected


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_statistics_are_those_of_the_view(index, selection):
    view = index.view(fields=selection)
    statistics = view.statistics
    living = [counts_of(view, document) for document in DOCUMENTS if document.id not in DEAD]
    weights = {name: weight for name, weight in weights_of(selection).items() if weight}
    lengths = [sum(weight * counts[name].total() for name, weight in weights.items()) for counts in living]
    assert statistics.documents == len(living)
    assert statistics.total_length == sum(lengths)
    assert statistics.average_length == (sum(lengths) / len(living) if any(lengths) else 1.0)
    for number, term in enumerate(view.terms()):
        assert statistics.df[number] == sum(any(counts[name][term] for name in weights) for counts in living)
        total = sum(weighed(counts, weights, term) for counts in living)
        assert statistics.cf[number] == pytest.approx(total, rel=1e-15)
    assert view.statistics is statistics


def test_who_is_alive(index):
    alive = index.view().alive
    assert alive.dtype == np.bool_
    assert alive.tolist() == [document.id not in DEAD for document in DOCUMENTS]
    assert (alive == index.snapshot.alive).all()


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_counts_of_fields_are_weighed(index, selection):
    view = index.view(fields=selection)
    weights = weights_of(selection)
    counts = np.array([[1, 0, 7], [0, 2, 1], [3, 0, 70_000]], np.uint32)
    expected = [
        sum(weights.get(name, 0.0) * int(count) for name, count in zip(FIELDS, column, strict=True))
        for column in counts.T
    ]
    assert view.weigh(counts).tolist() == expected
    assert view.weigh(counts[:, :0]).tolist() == []
    assert view.weigh(counts).dtype == np.float64


def test_the_same_view_is_returned_again(index):
    snapshot = index.snapshot
    own = {"text": 1.5, "title": 1.0, "body": 1.0}
    view = snapshot.view()
    for again in (
        index.view(),
        snapshot.view("main"),
        snapshot.view(fields=own),
        snapshot.view(fields=FIELDS[::-1]),
    ):
        assert again is view
    assert snapshot.view(fields="title") is snapshot.view(fields=["title"])
    assert snapshot.view(fields={"title": 2, "text": 0}) is snapshot.view(fields={"title": 2.0})
    assert snapshot.view(fields="title") is not snapshot.view(fields={"title": 2.0})
    assert snapshot.view(fields=[]) is not view
    assert view.lists is index.view().lists
    assert view.alive is index.view().alive
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: snapshot.view(fields={"body": 9.0}), range(16)))
    assert len({id(one) for one in found}) == 1


def test_a_view_is_of_one_layer_and_one_generation():
    index = Index.build([{"id": "a", "text": "running"}], analyzer="plain", layers={"stems": "english"})
    view, stems = index.view(), index.view("stems")
    assert view is not stems
    assert (view.terms(), stems.terms()) == (["running"], ["run"])
    index.add([{"id": "b", "text": "walking"}])
    assert index.view() is not view
    assert (view.documents, index.view().documents) == (1, 2)
    assert (len(view.alive), len(index.view().alive)) == (1, 2)


def test_forward_rows_of_the_matrix_are_in_order_of_first_appearance():
    view = Index.build(
        [Document("a", {"text": "bb aa bb cc aa"}), Document("b", {"text": "cc dd aa"})], analyzer="plain"
    ).view()
    matrix = view.matrix()
    names = view.terms()
    assert [names[t] for t in matrix.indices] == ["bb", "aa", "cc", "cc", "dd", "aa"]
    assert matrix.data.tolist() == [2, 2, 1, 1, 1, 1]
    assert matrix.indptr.tolist() == [0, 3, 6]


def test_terms_and_numbers_are_inverse(index):
    view = index.view()
    terms = view.terms()
    assert view.term_numbers(terms).tolist() == list(range(len(terms)))
    assert [view.term(number) for number in range(len(terms))] == terms
    assert view.term_numbers(["no such term", "", "\0"]).tolist() == [-1, -1, -1]
    for number in (-1, len(terms)):
        with pytest.raises(IndexError):
            view.term(number)


@pytest.mark.parametrize("most", [1, 5, 100_000])
def test_terms_are_looked_up_with_their_df(index, monkeypatch, most):
    monkeypatch.setattr("aboutness.index.view.MOST_KNOWN", most)  # more than that are not remembered
    view = index.snapshot.view(fields={"title": 7.0, "text": float(most)})
    names = [*view.terms(), "no such term", "", "\ud800"]
    expected = [*enumerate(view.df.tolist()), (-1, 0), (-1, 0), (-1, 0)]
    for asked in (range(len(names)), range(3), range(len(names) - 1, -1, -1), [1, 1, 2, 1], []):
        assert view.look_up([names[i] for i in asked]) == [expected[i] for i in asked]
    assert Index.build([]).view().look_up(["a", "b"]) == [(-1, 0), (-1, 0)]


def test_a_term_only_in_dead_documents_keeps_its_number_but_counts_nothing(index):
    if index.view().analyzer.name == "letters":
        pytest.skip("pieces of letters are shared")
    view = index.view()
    (number,) = view.term_numbers(view.analyzer.terms("gone"))
    assert number >= 0
    assert (view.df[number], view.cf[number], len(view.postings(int(number))[0])) == (0, 0, 0)


def test_an_empty_index_has_empty_statistics():
    view = Index.build([]).view()
    assert (view.documents, view.vocabulary_size, view.total_length, view.terms()) == (0, 0, 0.0, [])
    assert view.matrix().shape == (0, 0)
    assert view.df.shape == (0,)
    assert view.lengths.shape == (0,)
    assert view.alive.shape == (0,)
    assert (view.lists, list(view.rows())) == ([], [])
    assert (view.statistics.documents, view.statistics.average_length) == (0, 1.0)


def test_counts_above_the_small_type_are_kept():
    text = "word " * 70_000 + "other"
    index = Index.build([Document("a", {"text": text}), Document("b", {"text": "word"})], analyzer="plain")
    view = index.view()
    assert index.snapshot.segments[0].layers["main"].forward_counts.dtype == np.uint32
    assert dict(zip(view.terms(), view.cf.tolist(), strict=True)) == {"word": 70_001.0, "other": 1.0}
    index.add([Document("c", {"text": "word"})])
    index.merge()
    assert index.view().cf.tolist() == [70_002.0, 1.0]
    exactly = Index.build([Document("a", {"text": "word " * 65_535})], analyzer="plain")
    assert exactly.snapshot.segments[0].layers["main"].forward_counts.dtype == np.uint16
    assert exactly.view().cf.tolist() == [65_535.0]


def test_unknown_names_are_refused_with_the_known_ones(index):
    with pytest.raises(UsageError, match=r"the index has no field 'nope'\. It has: text, title, body"):
        index.view(fields=["nope"])
    with pytest.raises(UsageError, match="the index has no field 'nope'"):
        index.view(fields={"nope": 1.0})
    with pytest.raises(UsageError, match=r"the index has no layer 'nope'\. It has: main"):
        index.view("nope")


def test_the_analyzer_of_the_view_is_that_of_the_index(index):
    assert index.view().analyzer == analyzer(index.view().analyzer.name)


@pytest.mark.parametrize("seed", range(6))
def test_weighted_statistics_equal_those_of_a_rebuild_bit_for_bit(seed):
    chance = random.Random(seed)

    def text():
        return " ".join(f"w{chance.randrange(50)}" for _ in range(chance.randrange(1, 15)))

    records = [{"id": str(n), "title": text(), "text": text()} for n in range(300)]
    weights = {"title": 2.3, "text": 0.7}
    index = Index.build(records, weights=weights)
    gone = set(chance.sample(range(300), 7))
    index.delete([str(n) for n in gone])
    fresh = Index.build([record for n, record in enumerate(records) if n not in gone], weights=weights)
    live, new = index.view(), fresh.view()
    numbers = new.term_numbers(live.terms())
    assert (live.cf[numbers >= 0] == new.cf[numbers[numbers >= 0]]).all()
    assert (live.lengths[index.snapshot.live_numbers()] == new.lengths).all()
    assert live.total_length == new.total_length
    assert (live.matrix().sum(axis=1) == new.matrix().sum(axis=1)).all()


def test_rows_and_streams_are_padded_to_all_fields():
    index = Index.build(
        [{"id": "a", "title": "aa bb", "text": "bb"}, {"id": "b", "title": "dead", "text": "dead"}],
        analyzer="plain",
    )
    index.delete("b")
    index.add([Document("c", {"text": "bb cc", "body": "cc cc"})])
    view, words = index.view(), index.view().terms()
    number = index.snapshot.number("c")
    terms, counts = view.forward(number)
    assert ([words[t] for t in terms], counts.tolist()) == (["bb", "cc"], [[0, 0], [1, 1], [0, 2]])
    assert [[words[t] for t in field] for field in view.stream(number)] == [[], ["bb", "cc"], ["cc", "cc"]]
    spelled = [([words[t] for t in tokens], ends.tolist()) for tokens, ends in view.streams()]
    assert [word for tokens, _ in spelled for word in tokens] == ["aa", "bb", "bb", "bb", "cc", "cc", "cc"]
    assert sum(len(ends) for _, ends in spelled) == 2 * 3
    assert view.term_numbers(["\ud800", "aa"]).tolist() == [-1, 0]


def test_arrivals_stay_when_numbers_move():
    index = Index.build([{"id": name, "text": name} for name in ("aa", "bb", "cc", "dd")])
    before = {d: int(index.snapshot.arrivals[index.snapshot.number(d)]) for d in ("bb", "dd")}
    index.delete(["aa", "cc"])
    index.add([{"id": "ee", "text": "ee"}])
    index.merge()
    assert {d: int(index.snapshot.arrivals[index.snapshot.number(d)]) for d in ("bb", "dd")} == before
    assert (np.diff(index.snapshot.arrivals) > 0).all()
    index.add([{"id": "bb", "text": "again"}], update=True)
    assert int(index.snapshot.arrivals[index.snapshot.number("bb")]) == 5
