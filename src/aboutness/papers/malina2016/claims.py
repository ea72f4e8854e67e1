"""What the paper claims on its first mission and in its abstract, and whether it holds here."""

from __future__ import annotations

from itertools import combinations
from math import comb

from aboutness.evaluate.significance import fisher
from aboutness.papers.malina2016.evidence import Evidence, dunn_told, means
from aboutness.papers.malina2016.measured import FIRST, Mission
from aboutness.papers.malina2016.methods import (
    ALGORITHM1,
    DOC2VEC,
    DOC2VEC_WEIGHTED,
    ENSEMBLES,
    SEVEN,
    TFIDF,
    Kind,
    names,
)
from aboutness.papers.malina2016.testing import ALL, LEVEL
from aboutness.report.numbers import signed, told_p
from aboutness.report.study import Claim, Verdict

SPARSE, HYBRID, PURE = (names(SEVEN, kind) for kind in (Kind.SPARSE, Kind.HYBRID, Kind.PURE))
DENSE = names(SEVEN, Kind.HYBRID, Kind.PURE)
FIRST_RESULTS, FIRST_TESTS = "First Mission Results", "Testing Search Mission 1"

RULES = (
    "Two methods are compared on the same queries by Fisher's paired randomisation test; surely better means a "
    "higher mean and p below the level. Max F1: p is corrected by Holm over all 21 pairs of the seven methods, "
    "and the level is .05, for a group .05/7. Precision over recall 0 to .1, by which claims on curves are "
    "decided: p is corrected by Holm over the pairs that a claim is about, and the level is .05. Where a claim is "
    "about the paper's own test, it is decided by that test at the paper's level, and the paired one is told "
    "besides. Whether an ensemble helps is decided by other queries than those that chose it."
)


def verdict(*, holds: bool) -> Verdict:
    """Return what becomes of a claim."""
    return Verdict.HOLDS if holds else Verdict.FAILS


def hybrid_superior(found: Evidence) -> Claim:
    """Holds where a hybrid method is surely better than both sparse ones on all queries or on those of a group."""
    where: list[str] = []
    for name, tests in found.tests.items():
        some = [one for one in HYBRID if all(tests.decided(tests.fisher, one, sparse) for sparse in SPARSE)]
        where += [f"{name} {len(some)}"] if some else []
    told = f"By max F1 and the paired test a hybrid is surely better than both sparse methods in {len(where)} of "
    told += f"{len(found.tests)} instances, all queries and each group. How many of {len(HYBRID)} hybrids: "
    told += f"{', '.join(where) or 'none'}."
    return Claim(
        "A hybrid of word embeddings and term weights is superior to sparse vectors in some instances.",
        "Abstract", verdict(holds=bool(where)), told,
    )  # fmt: skip


def missions_differ(found: Evidence) -> Claim:
    """Holds where one method is surely better than another on some group's queries, and surely worse on others."""
    turned = [
        (one, other)
        for one, other in combinations(names(SEVEN), 2)
        if any(tests.decided(tests.fisher, one, other) for tests in found.tests.values())
        and any(tests.decided(tests.fisher, other, one) for tests in found.tests.values())
    ]
    best = sorted({found.best_on(name) for name in found.tests})
    told = f"{len(turned)} of {comb(len(SEVEN), 2)} pairs of methods are decided one way on some queries and the "
    told += f"other way on others, by max F1 and the paired test; best on some: {', '.join(best)}."
    return Claim(
        "How methods perform differs across search missions.", "Abstract", verdict(holds=bool(turned)), told
    )


def dense_outperform(found: Evidence) -> Claim:
    """Holds where Dunn's test finds some dense method better than a sparse one on all queries."""
    tests = found.tests[ALL]
    pairs = [(one, sparse) for one in DENSE for sparse in SPARSE]
    won = sum(tests.decided(tests.dunn, one, sparse) for one, sparse in pairs)
    lost = sum(tests.decided(tests.dunn, sparse, one) for one, sparse in pairs)
    told = (
        f"Of {len(pairs)} pairs of a dense and a sparse method Dunn's test finds the dense one better in {won}, "
    )
    told += f"the sparse one in {lost}. Mean max F1: {means(found.measured.same_label.f1, names(SEVEN))}."
    return Claim(
        "Over all queries, embedding and hybrid methods significantly beat TF-IDF and BM25 some of the time.",
        "Conclusions", verdict(holds=won > 0), told,
    )  # fmt: skip


def algorithm1_beats_sparse(found: Evidence) -> Claim:
    """Holds where Dunn's test finds Algorithm 1 better than both."""
    tests = found.tests[ALL]
    holds = all(tests.decided(tests.dunn, ALGORITHM1.name, one) for one in SPARSE)
    told = ". ".join(dunn_told(tests, ALGORITHM1.name, one) for one in SPARSE)
    return Claim(
        "Algorithm 1 has a significantly higher max F1 than TF-IDF and BM25.",
        FIRST_TESTS, verdict(holds=holds), f"{told}.",
    )  # fmt: skip


def algorithm1_like_pure(found: Evidence) -> Claim:
    """Holds where Dunn's test tells neither pure method from Algorithm 1."""
    tests = found.tests[ALL]
    apart = tests.decisions(tests.dunn)
    holds = not any(frozenset((ALGORITHM1.name, one)) in apart for one in PURE)
    told = ". ".join(dunn_told(tests, ALGORITHM1.name, one) for one in PURE)
    return Claim(
        "Algorithm 1 and the pure methods, Doc2Vec and DeepWalk, do not differ significantly in max F1.",
        FIRST_TESTS, verdict(holds=holds), f"{told}.",
    )  # fmt: skip


def best_dense_unclear(found: Evidence) -> Claim:
    """Holds unless Dunn's test decides every pair of a hybrid and a pure method for the same kind."""
    tests = found.tests[ALL]
    pairs = [(one, other) for one in HYBRID for other in PURE]
    won = sum(tests.decided(tests.dunn, one, other) for one, other in pairs)
    lost = sum(tests.decided(tests.dunn, other, one) for one, other in pairs)
    told = (
        f"Of {len(pairs)} pairs of a hybrid and a pure method Dunn's test decides {won} for the hybrid and {lost} "
    )
    told += f"for the pure one. Mean max F1: {means(found.measured.same_label.f1, DENSE)}."
    return Claim(
        "Whether hybrid or pure methods perform best is not clear.",
        FIRST_TESTS, verdict(holds=max(won, lost) < len(pairs)), told,
    )  # fmt: skip


def soonest(found: Evidence) -> Claim:
    """Holds where Doc2Vec and Doc2Vec Weighted have the two highest precisions over recall 0 to .1."""
    first = sorted(found.early, key=lambda name: -float(found.early[name].mean()))[:2]
    holds = set(first) == {DOC2VEC.name, DOC2VEC_WEIGHTED.name}
    told = f"Mean precision over recall 0 to .1: {means(found.early, names(SEVEN))}."
    return Claim(
        "Doc2Vec and Doc2Vec Weighted bring the most relevant results the soonest.",
        FIRST_RESULTS, verdict(holds=holds), told,
    )  # fmt: skip


def tfidf_behind(found: Evidence) -> Claim:
    """Holds where each other method has a surely higher precision over recall 0 to .1."""
    others = [name for name in names(SEVEN) if name != TFIDF.name]
    better = found.surely(found.early, others, [TFIDF.name])
    told = f"{len(better)} of {len(others)} methods are surely better than TF-IDF over recall 0 to .1: "
    told += f"{means(found.early, names(SEVEN))}."
    return Claim(
        "TF-IDF does not perform as well as the others over the first results.",
        FIRST_RESULTS, verdict(holds=len(better) == len(others)), told,
    )  # fmt: skip


def algorithm1_curve(found: Evidence) -> Claim:
    """Holds where Algorithm 1 is surely better than both over recall 0 to .1."""
    better = found.surely(found.early, [ALGORITHM1.name], SPARSE)
    start = found.at_recall(found.measured.same_label, 0)
    told = f"Over recall 0 to .1: {means(found.early, [ALGORITHM1.name, *SPARSE])}; surely better than "
    told += f"{len(better)} of {len(SPARSE)}. At recall 0: {means(start, [ALGORITHM1.name, *SPARSE])}."
    return Claim(
        "Over recall 0 to .1 Algorithm 1 clearly outperforms TF-IDF and BM25, which is near it at first.",
        FIRST_RESULTS, verdict(holds=len(better) == len(SPARSE)), told,
    )  # fmt: skip


def best_hybrid(found: Evidence) -> Claim:
    """Holds where Doc2Vec Weighted is surely better than both other hybrids over recall 0 to .1."""
    others = [name for name in HYBRID if name != DOC2VEC_WEIGHTED.name]
    better = found.surely(found.early, [DOC2VEC_WEIGHTED.name], others)
    told = (
        f"Over recall 0 to .1: {means(found.early, HYBRID)}; surely better than {len(better)} of {len(others)}. "
    )
    told += f"Max F1: {means(found.measured.same_label.f1, HYBRID)}."
    return Claim(
        "Doc2Vec Weighted outperforms the other hybrids, Algorithm 1 and DeepWalk Weighted.",
        FIRST_RESULTS, verdict(holds=len(better) == len(others)), told,
    )  # fmt: skip


def catches_up(found: Evidence) -> Claim:
    """Holds where both pure methods are surely better at recall 0, and surely worse at recall .1."""
    one = found.measured.same_label
    start, end = found.at_recall(one, 0), found.at_recall(one, len(FIRST) - 1)
    ahead = found.surely(start, PURE, [ALGORITHM1.name])
    behind = found.surely(end, [ALGORITHM1.name], PURE)
    shown = [ALGORITHM1.name, *PURE]
    told = f"At recall 0: {means(start, shown)}; surely ahead of Algorithm 1: {len(ahead)} of {len(PURE)}. "
    told += f"At recall .1: {means(end, shown)}; surely behind: {len(behind)} of {len(PURE)}."
    return Claim(
        "Pure methods begin better than Algorithm 1, which then catches up with both and exceeds them.",
        FIRST_RESULTS, verdict(holds=len(ahead) == len(behind) == len(PURE)), told,
    )  # fmt: skip


def bimodal(found: Evidence) -> Claim:
    """Holds where Silverman's test rejects a single mode for each method."""
    every = found.shapes.values()
    one = sum(shape.one_mode < LEVEL for shape in every)
    two = sum(shape.two_modes < LEVEL for shape in every)
    told = f"Silverman's test rejects one mode for {one} of {len(every)} methods at .05 (largest p "
    told += f"{told_p(max(shape.one_mode for shape in every))}), and two modes for {two}."
    return Claim(
        "Max F1 is bimodal for every method, so that tests by ranks are called for.",
        FIRST_TESTS, verdict(holds=one == len(every)), told,
    )  # fmt: skip


def ensemble(found: Evidence) -> Claim:
    """Holds where the best ensemble by the first queries is surely better than the best single method by others.

    Neither those queries that chose the two nor how many ensembles were tried can then favour either.
    """
    told = f"By the first queries: {means(found.measured.same_label.f1, names(ENSEMBLES))}. "
    holds, more = _on_others(found, found.fresh.same_label)
    return Claim(
        "An ensemble of methods would perform better than any single one: same label.",
        "Conclusions, as future work", verdict(holds=holds), told + more,
    )  # fmt: skip


def ensemble_on_groups(found: Evidence) -> Claim:
    """Holds where the same two differ so on the second mission."""
    holds, told = _on_others(found, found.fresh.same_group)
    return Claim(
        "An ensemble of methods would perform better than any single one: same group.",
        "Conclusions, as future work", verdict(holds=holds), told,
    )  # fmt: skip


def _on_others(found: Evidence, one: Mission) -> tuple[bool, str]:
    """Return whether the ensemble is surely better by other queries, and that in words."""
    best, combined = one.f1
    tested = fisher(one.f1[combined], one.f1[best], seed=found.seed)
    told = f"By {tested.n:,} other queries, {combined} less {best}: {signed(tested.difference)}, "
    return tested.p_value < LEVEL and tested.difference > 0, f"{told}p {told_p(tested.p_value)}."


def first_claims(found: Evidence) -> list[Claim]:
    """Return the claims of the abstract and on the first mission."""
    return [
        make(found)
        for make in (
            hybrid_superior, missions_differ, dense_outperform, algorithm1_beats_sparse, algorithm1_like_pure,
            best_dense_unclear, soonest, tfidf_behind, algorithm1_curve, best_hybrid, catches_up, bimodal,
            ensemble, ensemble_on_groups,
        )
    ]  # fmt: skip
