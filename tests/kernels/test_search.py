from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.kernels import search
from aboutness.kernels.search import BLOCK, LOOK_UP, WINDOW
from kernels.test_keys import naive_key, score_in

UNUSED = np.iinfo(np.uint64).max
NONE = np.zeros(0, np.float64)
ANYTHING = np.zeros(0, np.bool_)

quick = settings(max_examples=40, deadline=None)
few = settings(max_examples=20, deadline=None)
many = settings(max_examples=100, deadline=None)


@dataclass(frozen=True)
class Query:
    terms: list[int]
    weights: list[float]
    constant: float = 0.0
    scale: float = 0.0

    def pairs(self) -> list[tuple[int, float]]:
        return list(zip(self.terms, self.weights, strict=True))


@dataclass(frozen=True)
class Collection:
    """Posting lists over `size` documents, which `cuts` divide into segments."""

    size: int
    lists: list[tuple[np.ndarray, np.ndarray]]
    priors: np.ndarray = field(default_factory=lambda: NONE)
    allowed: np.ndarray = field(default_factory=lambda: ANYTHING)
    cuts: tuple[int, ...] = ()

    def segments(self) -> Iterator[tuple[int, Collection]]:
        bounds = [0, *self.cuts, self.size]
        for first, last in pairwise(bounds):
            lists = []
            for documents, impacts in self.lists:
                here = slice(*np.searchsorted(documents, [first, last]))
                lists.append((documents[here] - np.int32(first), impacts[here]))
            yield first, Collection(last - first, lists, self.priors[first:last], self.allowed[first:last])

    def naive(self, query: Query, match: str) -> tuple[np.ndarray, np.ndarray]:
        """The documents that match and their scores: added up in the order of the terms, rounded at the end."""
        totals = np.zeros(self.size)
        hits = np.zeros(self.size, np.int64)
        for term, weight in zip(query.terms, query.weights, strict=True):
            documents, impacts = self.lists[term]
            totals[documents] += weight * impacts.astype(np.float64)
            hits[documents] += 1
        base = query.constant + query.scale * self.priors if len(self.priors) else query.constant
        scores = (totals + base).astype(np.float32)
        every = np.ones(self.size, np.bool_)
        needed = {"any": hits > 0, "all": (hits == len(query.terms)) & (hits > 0), "every": every}[match]
        found = np.flatnonzero(needed & self.allowed if len(self.allowed) else needed)
        return found, scores[found]

    def best(self, query: Query, match: str) -> list[int]:
        """The keys of all documents that match, the best first."""
        documents, scores = self.naive(query, match)
        order = np.lexsort((documents, -scores))
        return [naive_key(*pair) for pair in zip(scores[order].tolist(), documents[order].tolist(), strict=True)]


@dataclass(frozen=True)
class Laid:
    """The lists of a segment end to end, behind some postings of nobody, with the spans of a batch's terms."""

    documents: np.ndarray
    impacts: np.ndarray
    block_most: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    bounds: np.ndarray
    sure: np.ndarray


def laid_out(segment: Collection, queries: list[Query], before: int, k: int = 1) -> Laid:
    documents = np.concatenate([np.full(before, 5, np.int32), *(list_[0] for list_ in segment.lists)])
    impacts = np.concatenate([np.full(before, 9, np.float32), *(list_[1] for list_ in segment.lists)])
    sizes = np.array([len(list_[0]) for list_ in segment.lists], np.int64)
    ends = before + sizes.cumsum()
    starts = ends - sizes
    block_most = np.full(len(documents) // BLOCK + 1, -1, np.float32)  # of a block of several lists, nobody knows
    for start, end in zip(starts, ends, strict=True):
        for block in range(-(-start // BLOCK), end // BLOCK):
            block_most[block] = impacts[block * BLOCK : (block + 1) * BLOCK].max()
    terms = np.array([term for query in queries for term in query.terms], np.int64)
    most = np.array([list_[1].max(initial=0) for list_ in segment.lists], np.float32)
    empty = sizes[terms] == 0
    return Laid(
        documents,
        impacts,
        block_most,
        np.where(empty, 0, starts[terms]),
        np.where(empty, 0, ends[terms]),
        weights_of(queries) * most[terms],
        np.array([sure_of(segment, query, *pair, k) for query in queries for pair in query.pairs()], np.float64),
    )


def sure_of(segment: Collection, query: Query, term: int, weight: float, k: int) -> float:
    """What k documents with a term come to at least, but for the constant."""
    documents, impacts = segment.lists[term]
    if len(impacts) < k:
        return -np.inf
    reached = np.sort(impacts)[-k]
    lowest = segment.priors[documents[impacts >= reached]].min() if len(segment.priors) else 0.0
    return weight * float(reached) + query.scale * float(lowest)


def weights_of(queries: list[Query]) -> np.ndarray:
    return np.array([weight for query in queries for weight in query.weights], np.float64)


Kernel = Callable[..., list[np.ndarray]]
Room = list[np.ndarray]
ROOM = 3


def searched(call: Callable[[int, Collection, list[np.ndarray]], Room], collection, queries, k) -> list[list[int]]:
    """Search all segments with the same room, one after the other; return each query's keys, the best first."""
    room = [np.full((len(queries), ROOM * k), UNUSED, np.uint64), np.zeros(len(queries), np.int64)]
    for first, segment in collection.segments():
        room = call(first, segment, room)
    keys, sizes = room
    for row, size in zip(keys.tolist(), sizes.tolist(), strict=True):
        assert size <= k
        assert all(key == UNUSED for key in row[size:])
    return [sorted(row[:size]) for row, size in zip(keys.tolist(), sizes.tolist(), strict=True)]


def batch_of(queries: list[Query]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the terms of each query end, and the constants and scales."""
    ends = np.cumsum([len(query.terms) for query in queries], dtype=np.int64)
    return ends, *np.array([[query.constant, query.scale] for query in queries], np.float64).reshape(
        -1, 2
    ).T.copy()


def check_any(kernel: Kernel, collection, queries, k, extra=None, sure=False, before=0):
    """Search with a threshold that `extra` more documents than wanted come above; or -inf."""
    ends, constants, scales = batch_of(queries)
    weights = weights_of(queries)
    best_prior = float(collection.priors.max()) if len(collection.priors) else 0.0
    sure = sure and not len(collection.allowed)
    expected = [collection.best(query, "any") for query in queries]
    given_ = thresholds = np.array([just_below(best, k, extra) for best in expected], np.float32)

    def call(first, segment, room):
        nonlocal thresholds
        laid = laid_out(segment, queries, before, k)
        *_, thresholds, _, keys, sizes = kernel(
            ends, laid.starts, laid.ends, weights, laid.bounds, laid.sure if sure else NONE, constants, scales,
            laid.documents, laid.impacts, laid.block_most, segment.priors, best_prior, segment.allowed, segment.size,
            first, thresholds, k, *room,
        )  # fmt: skip
        return [keys, sizes]

    assert searched(call, collection, queries, k) == [best[:k] for best in expected]
    for best, least, threshold in zip(expected, given_, thresholds, strict=True):
        assert threshold == (score_in(best[k - 1]) if len(best) >= k else least)


def just_below(best: list[int], k: int, extra: int | None) -> np.float32:
    """-inf, or a number just below the score of the k-th best document or of a later one."""
    lowest = np.float32(-np.inf)
    if extra is None or len(best) < k:
        return lowest
    return np.nextafter(score_in(best[min(k - 1 + extra, len(best) - 1)]), lowest)


def check_matching(kernel: Kernel, match: str, collection, queries, k, before=0):
    """Search with one of the kernels that look at all that matches."""
    ends, constants, scales = batch_of(queries)

    def call(first, segment, room):
        laid = laid_out(segment, queries, before)
        count = [segment.size] if match == "every" else []
        after = kernel(
            ends, laid.starts, laid.ends, weights_of(queries), constants, scales, laid.documents, laid.impacts,
            segment.priors, segment.allowed, *count, first, k, *room,
        )  # fmt: skip
        return after[-2:]

    found = searched(call, collection, queries, k)
    assert found == [collection.best(query, match)[:k] for query in queries]


# --- collections ------------------------------------------------------------------------------------------------

amounts = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 3.0]) | st.floats(0, 100, width=32)
factors = st.sampled_from([0.5, 1.0, 1.0, 2.0]) | st.floats(0.01, 10)
shifts = st.sampled_from([0.0, 0.0, 2.0]) | st.floats(0, 100, width=32)
FAR_BELOW = -30_000.0  # more than impacts come to: no score is tiny beside its parts
WIDE = st.sampled_from([1, 1, 700, 6000])


@st.composite
def collections(draw, stretch=WIDE):
    """A few documents, next to each other or windows apart, in one to three segments."""
    by = draw(stretch)
    size = draw(st.integers(1, 12))
    lists = []
    for _ in range(draw(st.integers(1, 5))):
        documents = sorted(draw(st.sets(st.integers(0, size - 1))))
        impacts = draw(st.lists(amounts, min_size=len(documents), max_size=len(documents)))
        lists.append((np.array(documents, np.int32) * np.int32(by), np.array(impacts, np.float32)))
    size *= by
    priors = np.resize(draw(st.lists(shifts, min_size=1, max_size=5)), size) if draw(st.booleans()) else NONE
    allowed = np.resize(draw(st.lists(st.booleans(), min_size=1, max_size=7)), size)
    cuts = tuple(sorted(draw(st.sets(st.integers(0, size), max_size=2))))
    return Collection(size, lists, priors.astype(np.float64), allowed if draw(st.booleans()) else ANYTHING, cuts)


@st.composite
def asked(draw, having: Collection) -> list[Query]:
    queries = []
    negative = draw(st.booleans())
    for _ in range(draw(st.integers(0, 3))):
        terms = draw(st.lists(st.integers(0, len(having.lists) - 1), max_size=6))
        weights = draw(st.lists(factors, min_size=len(terms), max_size=len(terms)))
        constant = draw(shifts) + (FAR_BELOW if negative else 0.0)
        queries.append(Query(terms, weights, constant, draw(st.sampled_from([0.0, 1.0, 2.5]))))
    return queries


def with_queries(having: st.SearchStrategy[Collection]) -> st.SearchStrategy[tuple[Collection, list[Query]]]:
    return having.flatmap(lambda one: st.tuples(st.just(one), asked(one)))


near = with_queries(collections(st.just(1)))
spread = with_queries(collections())
sizes = st.integers(1, 14)


def large(seed: int) -> tuple[Collection, list[Query]]:
    """Thousands of documents; lists of very different lengths, longer than blocks; many ties, or few."""
    chance = np.random.default_rng(seed)
    size = int(WINDOW * chance.choice([0.3, 1, 4, 20]) * chance.uniform(0.5, 1))
    lists = []
    for _ in range(6):
        count = int(size ** chance.uniform(0, 1)) if chance.random() < 0.95 else 0
        documents = np.sort(chance.choice(size, count, replace=False)).astype(np.int32)
        if chance.random() < 0.5:
            impacts = chance.integers(0, 4, count).astype(np.float32)
        else:  # most blocks hold small impacts only
            impacts = (chance.gamma(0.3, 1, count) * chance.choice([0.1, 1, 8])).astype(np.float32)
        lists.append((documents, impacts))
    if chance.random() < 0.7:
        lists.sort(key=lambda list_: len(list_[0]))
    filtered = chance.random() < 0.4
    allowed = chance.random(size) < chance.choice([0.01, 0.5, 0.99]) if filtered else ANYTHING
    priors = [NONE, NONE, np.log(chance.random(size)), chance.gamma(0.5, 2, size)][int(chance.integers(4))]
    cuts = tuple(sorted(chance.choice(size, int(chance.integers(0, 4))).tolist()))
    queries = []
    for _ in range(3):
        terms = np.sort(chance.choice(6, int(chance.integers(1, 7)), replace=False)).tolist()
        weights = chance.integers(1, 4, len(terms)).astype(float) * chance.choice([1.0, 0.37])
        constant = float(chance.choice([0.0, 4.5, -20.25]))
        queries.append(Query(terms, weights.tolist(), constant, float(chance.choice([0.0, 1.0, 3.0]))))
    return Collection(size, lists, priors, allowed, cuts), queries


def rare_and_long(times: int = LOOK_UP, seed: int = 0, rare: int = 300) -> Collection:
    """A rare term of several blocks that counts much, and lists `times` longer behind it."""
    chance = np.random.default_rng(seed)
    size = rare * times + WINDOW
    lists = []
    for count, high in ((rare, 9.0), (rare * times, 1.0), (size, 0.5)):
        documents = np.sort(chance.choice(size, count, replace=False)).astype(np.int32)
        impacts = chance.random(count).astype(np.float32) * np.float32(high)
        lists.append((documents, impacts))
    lists[0][1][BLOCK : 4 * BLOCK] *= np.float32(0.01)  # blocks that nobody needs
    return Collection(size, lists)


# --- parts of a search ------------------------------------------------------------------------------------------


@many
@given(st.lists(st.integers(0, 60), unique=True).map(sorted), st.data())
def test_seek(run, documents, data):
    start = data.draw(st.integers(0, len(documents)))
    end = data.draw(st.integers(start, len(documents)))
    wanted = data.draw(st.integers(0, 61))
    place, _ = run(search.seek, np.array(documents, np.int32), np.int64(start), np.int64(end), np.int64(wanted))
    assert place == start + int(np.searchsorted(documents[start:end], wanted))


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 1000])
def test_seek_in_long_lists(length):
    documents = np.arange(length, dtype=np.int32) * 3
    for start in {0, 1, length // 2, length}:
        for wanted in range(-1, 3 * length + 2, max(1, length // 9)):
            place = search.seek(documents, start, length, wanted)
            assert place == max(start, np.searchsorted(documents, wanted))


windows = st.integers(1, 8)


@quick
@given(
    collections(st.just(1)), factors, st.sampled_from([-np.inf, -0.5, 0.0, 0.5, 1.0, 2.5]), windows, st.data(),
    st.sampled_from([0.0, 1.0, 2.5]),
)  # fmt: skip
def test_add_window(run, collection, weight, need, window, data, scale):
    base = scale * collection.priors if len(collection.priors) else np.zeros(collection.size)
    low = data.draw(st.sampled_from(range(0, collection.size, window)))
    sums, found, count = np.full(window, -1.0), np.full(window + 1, -1, np.int32), 0
    expected: dict[int, float] = {}
    above: list[int] = []
    for documents, impacts in collection.lists:
        start = int(np.searchsorted(documents, low))
        (stop, count), after = run(
            search.add_window, documents, impacts, start, len(documents), low, np.float64(weight), scale,
            collection.priors, need, sums, found, count,
        )  # fmt: skip
        sums, found = after[9:11]
        assert stop == np.searchsorted(documents, low + window)
        for document, impact in zip(documents[start:stop].tolist(), impacts[start:stop], strict=True):
            expected[document] = expected.get(document, 0.0) + weight * float(impact)
            if expected[document] + base[document] > need and document not in above:
                above.append(document)
    assert {low + int(place): sums[place] for place in np.flatnonzero(sums >= 0)} == expected
    assert (found[:count] + low).tolist() == above


@quick
@given(collections(st.just(1)), windows, st.integers(0, 8), st.data())
def test_clear_window(run, collection, window, added, data):
    low = data.draw(st.sampled_from(range(0, collection.size, window)))
    laid = laid_out(collection, [Query(list(range(len(collection.lists))), [1.0] * len(collection.lists))], 3)
    spans = [np.searchsorted(documents, [low, low + window]) for documents, _ in collection.lists]
    starts, stops = (np.array(spans, np.int64) + laid.starts[:, None]).T.copy()
    _, (*_, sums) = run(search.clear_window, laid.documents, starts, stops, low, added, np.full(window, 7.0))
    there = {int(d) - low for documents, _ in collection.lists for d in documents if low <= d < low + window}
    cleared = set(range(window)) if added * 2 > window else there
    assert sums.tolist() == [-1.0 if place in cleared else 7.0 for place in range(window)]


@quick
@given(near.filter(lambda pair: pair[1]), shifts | st.just(FAR_BELOW), st.data())
def test_complete(run, asking, base, data):
    collection, (query, *_) = asking
    laid = laid_out(collection, [query], 0)
    document = data.draw(st.integers(0, collection.size - 1))
    read = data.draw(st.integers(0, len(query.terms)))
    suffix = np.append(laid.bounds[::-1].cumsum()[::-1], 0.0)
    parts = [
        weight * float(impacts[documents == document].sum())
        for weight, (documents, impacts) in zip(
            query.weights, (collection.lists[t] for t in query.terms), strict=True
        )
    ]
    total = 0.0
    for part in parts[:read]:
        total += part
    score = total
    for part in parts[read:]:
        score += part
    expected = np.float32(score + base)
    threshold = data.draw(st.sampled_from([np.float32(-np.inf), expected, np.nextafter(expected, -np.inf)]))
    result, _ = run(
        search.complete, total, base, threshold, document, read, laid.documents, laid.impacts, laid.starts, laid.ends,
        np.array(query.weights, np.float64), suffix,
    )  # fmt: skip
    if expected > threshold:
        assert result == expected
    else:
        assert result in (expected, -np.inf)


def test_what_cannot_come_above_the_threshold_is_not_completed():
    documents, impacts = np.array([4], np.int32), np.array([1], np.float32)
    rest = (documents, impacts, np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(1), np.array([1.0, 0.0]))
    for threshold, score in ((3.0, -np.inf), (2.5, 3.0)):
        assert search.complete(1.5, 0.5, np.float32(threshold), 4, 0, *rest) == score
    assert search.complete(1.5, 0.5, np.float32(-np.inf), 5, 0, *rest) == 2.0


@quick
@given(st.lists(st.integers(0, 6), max_size=8))
def test_most(run, lengths):
    longest, _ = run(search.longest_query, np.cumsum(lengths, dtype=np.int64))
    assert longest == max(lengths, default=0)


# --- searches ---------------------------------------------------------------------------------------------------


@quick
@given(spread, sizes, st.none() | st.integers(0, 3), st.booleans(), st.integers(0, 2 * BLOCK))
def test_search_any(run, asking, k, extra, sure, before):
    check_any(lambda *given: run(search.search_any, *given)[1], *asking, k, extra, sure, before)


@quick
@given(near, sizes, st.integers(0, 3))
def test_search_all(run, asking, k, before):
    check_matching(lambda *given: run(search.search_all, *given)[1], "all", *asking, k, before)


@few
@given(near, sizes, st.integers(0, 3))
def test_search_every(run, asking, k, before):
    check_matching(lambda *given: run(search.search_every, *given)[1], "every", *asking, k, before)


@quick
@given(spread.filter(lambda pair: pair[1]), st.data())
def test_score_documents(run, asking, data):
    collection, (query, *_) = asking
    laid = laid_out(collection, [query], 1)
    wanted = np.array(sorted(data.draw(st.sets(st.integers(0, collection.size - 1)))), np.int64)
    _, (*_, scores) = run(
        search.score_documents, laid.starts, laid.ends, np.array(query.weights, np.float64), query.constant,
        query.scale, laid.documents, laid.impacts, collection.priors, wanted, np.zeros(len(wanted), np.float32),
    )  # fmt: skip
    _, naive = replace(collection, allowed=ANYTHING).naive(query, "every")
    assert scores.tolist() == naive[wanted].tolist()


def compiled(kernel) -> Kernel:
    """Run a kernel as it is, on its own copies of what it writes."""

    def call(*arguments):
        own = [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]
        kernel(*own)
        return own

    return call


@many
@given(
    st.integers(0, 2**32), st.sampled_from([1, 2, 10, 100, 50_000]), st.none() | st.integers(0, 200), st.booleans()
)  # fmt: skip
def test_large_collections(seed, k, extra, sure):
    check_any(compiled(search.search_any), *large(seed), k, extra, sure, before=seed % 100)


@few
@given(st.integers(0, 2**32), st.sampled_from([1, 10, 50_000]))
def test_large_collections_with_all_terms_or_any_document(seed, k):
    check_matching(compiled(search.search_all), "all", *large(seed), k, before=seed % 100)
    check_matching(compiled(search.search_every), "every", *large(seed), k, before=seed % 100)


@quick
@given(
    st.integers(0, 2**32), st.sampled_from([1, 3, 10, 100]), st.sampled_from([LOOK_UP - 1, LOOK_UP, 3 * LOOK_UP]),
    st.none() | st.integers(0, 20), st.booleans(), st.integers(0, BLOCK),
)  # fmt: skip
def test_long_lists_behind_a_rare_one(seed, k, times, extra, sure, before):
    queries = [Query([0, 1, 2], [1.0, 1.0, 1.0], -5.0), Query([0, 2], [0.7, 1.0]), Query([2, 0], [1.0, 1.0])]
    check_any(compiled(search.search_any), rare_and_long(times, seed), queries, k, extra, sure, before)


@few
@given(st.integers(0, 2**32), st.sampled_from([1, 5, 10]), st.none() | st.integers(0, 5), st.booleans())
def test_windows_without_a_rare_term(seed, k, extra, sure):
    """Some windows are left out for the rare term, in which a term that is read along has documents."""
    chance = np.random.default_rng(seed)
    size = 24 * WINDOW
    lists = []
    for count, high in ((12, 9.0), (60, 1.0), (size // 2, 0.1), (size, 0.1)):
        documents = np.sort(chance.choice(size, count, replace=False)).astype(np.int32)
        lists.append((documents, (high * chance.uniform(0.5, 1, count)).astype(np.float32)))
    collection = Collection(size, lists, cuts=(int(chance.integers(size)),))
    queries = [Query([0, 1, 2, 3], [1.0, 1.0, 1.0, 1.0]), Query([1, 0, 3], [1.0, 0.5, 1.0], -50.0)]
    check_any(compiled(search.search_any), collection, queries, k, extra, sure)


def test_blocks_that_cannot_change_the_answer_are_not_read():
    """Were they read, what is written into them here would be found."""
    queries = [Query([0, 1, 2], [1.0, 1.0, 1.0])]

    def spoilt(*arguments):
        spoiling = list(arguments)
        spoiling[9] = arguments[9].copy()
        spoiling[9][BLOCK : 4 * BLOCK] = 1000.0
        return compiled(search.search_any)(*spoiling)

    check_any(spoilt, rare_and_long(), queries, 10, extra=0)
    check_any(spoilt, rare_and_long(), queries, 10, sure=True)
    with pytest.raises(AssertionError):
        check_any(spoilt, rare_and_long(), queries, 300)


def test_documents_that_score_nothing_are_found_all_the_same():
    """Words that all documents have may count nothing; whoever has them matches still."""
    documents = np.arange(20, dtype=np.int32)
    collection = Collection(20, [(documents, np.zeros(20, np.float32)), (documents[3:5], np.zeros(2, np.float32))])
    for query in (Query([0], [1.0]), Query([1, 0], [1.0, 2.0]), Query([0], [1.0], -3.0), Query([0], [1.0], 3.0)):
        for k in (1, 10, 20, 30):
            for extra in (None, 0, 5):
                check_any(compiled(search.search_any), collection, [query], k, extra, sure=False)
                check_any(compiled(search.search_any), collection, [query], k, extra, sure=True)


def test_a_score_that_is_tiny_beside_its_parts():
    one = Collection(1, [(np.zeros(1, np.int32), np.full(1, 3, np.float32))])
    check_any(compiled(search.search_any), one, [Query([0], [1.0], -3.0)], 1, extra=0)


def test_no_queries_and_no_documents():
    nothing = Collection(0, [(np.zeros(0, np.int32), np.zeros(0, np.float32))])
    for queries in ([], [Query([], [])], [Query([0], [1.0]), Query([], [])]):
        check_any(compiled(search.search_any), nothing, queries, 3)
        check_matching(compiled(search.search_all), "all", nothing, queries, 3)
        check_matching(compiled(search.search_every), "every", nothing, queries, 3)
