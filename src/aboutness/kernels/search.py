"""The best documents of queries by sums of impacts, over the postings of one segment.

A document's score is, in float64 and in this order, weight x impact of each of the query's terms that it has,
then its base (a constant of the query + the query's scale x the document's prior); rounded to float32 at the
end. Neither impacts nor weights are ever negative. Every kernel adds in that order, so that a document has
the same score whichever kernel finds it.

What is found is kept as keys (see `keys`), so that equal scores keep the order of arrival.

Query q has the terms query_ends[q - 1] to query_ends[q] - 1; term i has the postings starts[i] to ends[i] - 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aboutness.kernels.compiled import compiled
from aboutness.kernels.keys import UNUSED, Integer, Keys, Real, finish, keep, key_of, kth_score, score_of, worst_of

WINDOW = 2048  # documents whose sums are kept at once, at least: they stay in the nearest cache
LARGEST_WINDOW = 32768
FILLED = 1024  # postings that make a window worth its while
FILLED_LIST = 128  # of each list, where there are many
BLOCK = 64  # postings of which the largest impact is known
LOOK_UP = 8  # a list this many times longer than all before it is looked into rather than read
SLACK = 1e-15  # for each number that is added: more than rounding can take from a sum
LAST = np.int64(2**31 - 1)
NEVER = np.float32(-np.inf)
FEW = 64  # keys that are selected anew whenever another has come
NO_PRIORS = np.zeros(0)

Numbers = NDArray[np.int32]
Ends = NDArray[np.int64]
Impacts = NDArray[np.float32]
Reals = NDArray[np.float64]
Mask = NDArray[np.bool_]


@compiled
def seek(documents: Numbers, start: Integer, end: Integer, document: Integer) -> Integer:
    """Return the first place from `start` on, before `end`, whose document is not before `document`."""
    step = 1
    low = start
    high = start
    while high < end and documents[high] < document:
        low = high + 1
        high += step
        step <<= 1
    high = min(high, end)
    while low < high:
        middle = (low + high) >> 1
        if documents[middle] < document:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def add_window(
    documents: Numbers,
    impacts: Impacts,
    start: Integer,
    end: Integer,
    low: Integer,
    weight: Real,
    scale: Real,
    priors: Reals,
    need: Real,
    sums: Reals,
    found: Numbers,
    count: Integer,
) -> tuple[Integer, Integer]:
    """Add the postings of the documents from `low` on to their sums, which are below 0 before the first.

    Write those whose sum + scale x prior comes above `need` to `found`, which has room for one more than all;
    return where the next window starts, and their number.
    """
    stop = seek(documents, start, end, low + len(sums))
    number = np.uint64(count)
    if len(priors):
        for i in range(np.uint64(start), np.uint64(stop)):
            document = np.uint64(documents[i] - low)
            before = sums[document]
            after = max(before, 0.0) + weight * impacts[i]
            sums[document] = after
            base = scale * priors[np.uint64(documents[i])]
            found[number] = document  # without a branch, which would often be guessed wrongly
            number += np.uint64((after + base > need) & ((before < 0.0) | (before + base <= need)))
        return stop, np.int64(number)
    need = max(need, -0.5)  # between no sum and the least
    for i in range(np.uint64(start), np.uint64(stop)):
        document = np.uint64(documents[i] - low)
        before = sums[document]
        after = max(before, 0.0) + weight * impacts[i]
        sums[document] = after
        found[number] = document
        number += np.uint64((after > need) & (before <= need))
    return stop, np.int64(number)


@compiled
def clear_window(documents: Numbers, starts: Ends, stops: Ends, low: Integer, added: Integer, sums: Reals) -> None:
    """Set the sums of a window below 0: those of the postings that were added, or all where they are many."""
    if added * 2 > len(sums):
        sums[:] = -1.0
        return
    for term in range(len(starts)):
        for i in range(starts[term], stops[term]):
            sums[documents[i] - low] = -1.0


@compiled
def complete(
    total: Real,
    base: Real,
    threshold: Real,
    document: Integer,
    read: Integer,
    documents: Numbers,
    impacts: Impacts,
    at: Ends,
    ends: Ends,
    weights: Reals,
    suffix: Reals,
) -> Real:
    """Return the score of a document whose first `read` terms come to `total`; NEVER where it is too low."""
    for term in range(read, len(weights)):
        if total + suffix[term] + base <= threshold:
            return NEVER
        place = seek(documents, at[term], ends[term], document)
        if place < ends[term] and documents[place] == document:
            total += weights[term] * impacts[place]
    return np.float32(total + base)


@compiled
def search_any(
    query_ends: Ends,
    starts: Ends,
    ends: Ends,
    weights: Reals,
    bounds: Reals,
    sure: Reals,
    constants: Reals,
    scales: Reals,
    documents: Numbers,
    impacts: Impacts,
    block_most: Impacts,
    priors: Reals,
    best_prior: Real,
    allowed: Mask,
    count: Integer,
    first: Integer,
    thresholds: Impacts,
    k: Integer,
    keys: Keys,
    sizes: Ends,
) -> None:
    """Find, for each query, the best documents that have any of its terms.

    `bounds` are the largest weight x impact of each term's postings, `count` is the number of documents. What is
    kept comes above the query's threshold, which rises to the worst score of k documents. `sure` are values of
    weight x impact (and scale x prior) that k documents with a term reach, or -inf; `sure`, `priors` and
    `allowed` may be empty.

    Terms come with the rarest first. Where a document that has only terms behind the first `must` cannot come
    above the threshold, these are looked up for the documents that others find (or read too: see LOOK_UP).
    """
    longest = longest_query(query_ends)
    suffix = np.zeros(longest + 1)  # the most that the terms from here on can add
    at = np.empty(longest, np.int64)
    came_from = np.empty(longest, np.int64)
    all_sums = np.full(min(LARGEST_WINDOW, max(WINDOW, 2 * count)), -1.0)
    found = np.empty(len(all_sums) + 1, np.int32)
    begin = 0
    for query in range(len(query_ends)):
        terms = query_ends[query] - begin
        end = ends[begin : begin + terms]
        weight = weights[begin : begin + terms]
        suffix[terms] = 0.0
        postings = 0
        for term in range(terms - 1, -1, -1):
            at[term] = starts[begin + term]
            postings += end[term] - at[term]
            suffix[term] = suffix[term + 1] + bounds[begin + term]
        window = WINDOW
        while 2 * window <= len(all_sums) and postings * window < max(FILLED, FILLED_LIST * terms) * count:
            window *= 2
        sums = all_sums[:window]
        begin = query_ends[query]
        constant = constants[query]
        scale = scales[query]
        best_base = constant + scale * best_prior
        slack = 0.0
        if constant != 0.0 or scale != 0.0:  # a small score may be what is left of larger numbers
            slack = SLACK * (terms + 10) * (1.0 + suffix[0] + abs(constant) + abs(best_base))
            best_base += slack
        found_keys = keys[query]
        size = sizes[query]
        enough = k  # keys to select from
        threshold = thresholds[query]
        for term in range(len(sure) and terms):
            reached = np.float32(sure[begin - terms + term] + constant - slack)
            threshold = max(threshold, np.nextafter(reached, NEVER))
        must = terms
        while True:
            while must > 0 and suffix[must - 1] + best_base <= threshold:
                must -= 1
            postings = 0
            low = LAST
            for term in range(must):
                if at[term] < end[term]:
                    postings += end[term] - at[term]
                    low = min(low, documents[at[term]])
            if low == LAST:
                break
            read = must
            while read < terms and end[read] - at[read] < LOOK_UP * postings:
                postings += end[read] - at[read]
                read += 1
            if read == 1:
                break
            low = low // window * window
            lowest = threshold - slack
            need = lowest - suffix[read] - constant
            added = 0
            number = 0
            for term in range(read):
                came_from[term] = at[term] if term < must else seek(documents, at[term], end[term], low)
                at[term], number = add_window(
                    documents, impacts, came_from[term], end[term], low, weight[term], scale, priors, need, sums,
                    found, number,
                )  # fmt: skip
                added += at[term] - came_from[term]
            for i in range(number):
                document = low + found[i]
                if len(allowed) and not allowed[document]:
                    continue
                base = constant + scale * priors[document] if len(priors) else constant
                score = complete(
                    sums[found[i]], base, lowest, document, read, documents, impacts, at, end, weight, suffix
                )
                if score > threshold:
                    size = keep(found_keys, size, k, key_of(score, first + document))
            if size >= enough:
                threshold = max(threshold, kth_score(found_keys[:size], k))
                size = k
                enough = k + (1 if k <= FEW else k)
            clear_window(documents, came_from[:read], at[:read], low, added, sums)
        i = at[0] if must == 1 else 0
        while must == 1 and i < end[0]:  # the only list that must be read, and the others are long
            need = threshold - suffix[1] - best_base
            lowest = threshold - slack
            if i & (BLOCK - 1) == 0 and i + BLOCK <= end[0] and weight[0] * block_most[i // BLOCK] <= need:
                i += BLOCK
                continue
            total = weight[0] * impacts[i]
            document = np.int64(documents[i])
            i += 1
            if total <= need or (len(allowed) and not allowed[document]):
                continue
            base = constant + scale * priors[document] if len(priors) else constant
            for term in range(1, terms):
                at[term] = seek(documents, at[term], end[term], document)
            score = complete(total, base, lowest, document, 1, documents, impacts, at, end, weight, suffix)
            if score > threshold:
                size = keep(found_keys, size, k, key_of(score, first + document))
                if size >= enough:
                    threshold = max(threshold, kth_score(found_keys[:size], k))
                    size = k
                    enough = k + (1 if k <= FEW else k)
                    if suffix[0] + best_base <= threshold:
                        break
        sizes[query] = finish(found_keys, size, k)
        if sizes[query] == k:
            threshold = max(threshold, score_of(worst_of(found_keys[:k])))
        thresholds[query] = threshold


@compiled
def longest_query(query_ends: Ends) -> Integer:
    """Return how many terms the longest query has."""
    longest = 0
    start = 0
    for end in query_ends:
        longest = max(longest, end - start)
        start = end
    return longest


@compiled
def search_all(
    query_ends: Ends,
    starts: Ends,
    ends: Ends,
    weights: Reals,
    constants: Reals,
    scales: Reals,
    documents: Numbers,
    impacts: Impacts,
    priors: Reals,
    allowed: Mask,
    first: Integer,
    k: Integer,
    keys: Keys,
    sizes: Ends,
) -> None:
    """Find, for each query, the best documents that have all of its terms."""
    at = np.empty(longest_query(query_ends), np.int64)
    begin = 0
    for query in range(len(query_ends)):
        terms = query_ends[query] - begin
        end = ends[begin : begin + terms]
        weight = weights[begin : begin + terms]
        shortest = 0
        for term in range(terms):
            at[term] = starts[begin + term]
            if end[term] - at[term] < end[shortest] - at[shortest]:
                shortest = term
        begin = query_ends[query]
        found_keys = keys[query]
        size = sizes[query]
        for i in range(at[shortest], end[shortest]) if terms else range(0):
            document = np.int64(documents[i])
            if len(allowed) and not allowed[document]:
                continue
            at[shortest] = i
            total = 0.0
            has_all = True
            for term in range(terms):
                at[term] = seek(documents, at[term], end[term], document)
                if at[term] == end[term] or documents[at[term]] != document:
                    has_all = False
                    break
                total += weight[term] * impacts[at[term]]
            if has_all:
                base = constants[query] + scales[query] * priors[document] if len(priors) else constants[query]
                size = keep(found_keys, size, k, key_of(total + base, first + document))
        sizes[query] = finish(found_keys, size, k)


@compiled
def search_every(
    query_ends: Ends,
    starts: Ends,
    ends: Ends,
    weights: Reals,
    constants: Reals,
    scales: Reals,
    documents: Numbers,
    impacts: Impacts,
    priors: Reals,
    allowed: Mask,
    count: Integer,
    first: Integer,
    k: Integer,
    keys: Keys,
    sizes: Ends,
) -> None:
    """Find, for each query, the best of all `count` documents, with or without its terms."""
    at = np.empty(longest_query(query_ends), np.int64)
    sums = np.full(WINDOW, -1.0)
    found = np.empty(WINDOW + 1, np.int32)
    begin = 0
    for query in range(len(query_ends)):
        terms = query_ends[query] - begin
        at[:terms] = starts[begin : begin + terms]
        found_keys = keys[query]
        size = sizes[query]
        worst = UNUSED
        for low in range(0, count, WINDOW):
            for term in range(terms):
                weight = weights[begin + term]
                at[term], _ = add_window(
                    documents, impacts, at[term], ends[begin + term], low, weight, 0.0, NO_PRIORS, np.inf, sums,
                    found, 0,
                )  # fmt: skip
            for document in range(low, min(low + WINDOW, count)):
                total = max(sums[document - low], 0.0)
                sums[document - low] = -1.0
                if len(allowed) == 0 or allowed[document]:
                    base = constants[query] + scales[query] * priors[document] if len(priors) else constants[query]
                    key = key_of(total + base, first + document)
                    if key < worst:
                        size = keep(found_keys, size, k, key)
                        worst = worst_of(found_keys[:k]) if size == k else worst
        begin = query_ends[query]
        sizes[query] = finish(found_keys, size, k)


@compiled
def score_documents(
    starts: Ends,
    ends: Ends,
    weights: Reals,
    constant: Real,
    scale: Real,
    documents: Numbers,
    impacts: Impacts,
    priors: Reals,
    wanted: Ends,
    scores: Impacts,
) -> None:
    """Write the scores of some documents, which ascend, for one query: the definition that all others equal."""
    sums = np.zeros(len(wanted))
    for term in range(len(starts)):
        place = starts[term]
        for i in range(len(wanted)):
            place = seek(documents, place, ends[term], wanted[i])
            if place < ends[term] and documents[place] == wanted[i]:
                sums[i] += weights[term] * impacts[place]
    for i in range(len(wanted)):
        base = constant + scale * priors[wanted[i]] if len(priors) else constant
        scores[i] = np.float32(sums[i] + base)
