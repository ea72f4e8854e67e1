"""What the paper claims on its second mission, group by group, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aboutness.papers.malina2016.claims import DENSE, SPARSE
from aboutness.papers.malina2016.evidence import Evidence, means
from aboutness.papers.malina2016.measured import Floats
from aboutness.papers.malina2016.methods import BM25, DEEPWALK, SEVEN, TFIDF, names
from aboutness.papers.malina2016.testing import ALL, FAMILY, PAPER, Tests
from aboutness.papers.printed import printed
from aboutness.papers.wording import verdict
from aboutness.report.numbers import told_p
from aboutness.report.study import Claim, Verdict

SECOND, CONCLUSIONS = "Second Search Mission", "Conclusions"


def rejected(tests: Tests) -> bool:
    """Tell whether the methods differ by the paper's test."""
    return tests.kruskal.p_value < FAMILY


def differing_groups(found: Evidence) -> Claim:
    """Holds where Kruskal and Wallis's test decides each group as it does in the paper."""
    table = printed(PAPER)
    groups = {name: tests for name, tests in found.tests.items() if name != ALL}
    theirs = {name for name in groups if table["kruskal", name, "rejected"].paper_said == "yes"}
    ours = {name for name, tests in groups.items() if rejected(tests)}
    alike = [
        name
        for (table_name, name, column), value in table.items()
        if (table_name, column) == ("kruskal", "rejected") and name != ALL and value.paper_said == "no"
    ]
    every = table["corpus", "groups", "count"].paper or 0
    told = f"At .05/7 the methods differ in {len(ours)} of {len(groups)} groups "
    told += f"({', '.join(sorted(ours)) or 'none'}); "
    told += f"the decision is the paper's in {len(groups) - len(ours ^ theirs)}."
    return Claim(
        f"The seven methods differ in {every - len(alike):.0f} of {every:.0f} groups, all but "
        f"{' and '.join(alike)}.",
        SECOND, verdict(holds=ours == theirs), told,
    )  # fmt: skip


def economy_alike(found: Evidence) -> Claim:
    """Holds where Kruskal and Wallis's test does not tell the methods apart on economy."""
    says = "On economy the methods do not differ."
    tests = found.tests.get("economy")
    if tests is None:
        return _untested(says, "economy")
    values = found.measured.groups["economy"].f1
    told = f"Kruskal-Wallis chi-squared {tests.kruskal.statistic:.1f}, p {told_p(tests.kruskal.p_value, FAMILY)}, "
    told += f"over {tests.queries:,} queries. Mean max F1: {means(values, names(SEVEN))}."
    return Claim(says, SECOND, verdict(holds=not rejected(tests)), told)


def economy_leaders(found: Evidence) -> Claim:
    """Holds where the three lie above the others at recall 0."""
    says = "On economy DeepWalk, BM25 and TF-IDF lead at first."
    one = found.measured.groups.get("economy")
    if one is None:
        return _untested(says, "economy")
    leaders = [DEEPWALK.name, *SPARSE]
    others = [name for name in names(SEVEN) if name not in leaders]
    start = found.at_recall(one, 0)
    above = found.above(start, leaders, others)
    told = f"The three against the others at recall 0: {above}. {means(start, names(SEVEN))}."
    return Claim(says, SECOND, verdict(holds=above.holds), told)


def by_early_precision(
    found: Evidence,
    group: str,
    says: str,
    rule: Callable[[Mapping[str, Floats]], tuple[bool, str]],
) -> Claim:
    """Return a claim on a group's curves, decided by a rule on precision over recall 0 to .1."""
    values = found.early_of(group)
    if values is None:
        return _untested(says, group)
    holds, told = rule(values)
    queries = len(next(iter(values.values())))
    told += f" Mean precision over recall 0 to .1, {queries:,} queries: {means(values, names(SEVEN))}."
    return Claim(says, SECOND, verdict(holds=holds), told)


def group_claims(found: Evidence) -> list[Claim]:
    """Return the claims on the second mission."""

    def dense_better(values: Mapping[str, Floats]) -> tuple[bool, str]:
        above = found.above(values, DENSE, SPARSE)
        return above.holds, f"Dense methods against sparse ones: {above}."

    def sparse_better(values: Mapping[str, Floats]) -> tuple[bool, str]:
        above = found.above(values, SPARSE, DENSE)
        return above.holds, f"Sparse methods against dense ones: {above}."

    def sparse_good(values: Mapping[str, Floats]) -> tuple[bool, str]:
        best = max(SPARSE, key=lambda name: float(values[name].mean()))
        above = [one for one in DENSE if found.above(values, [one], [best]).holds]
        return not above, f"Above {best}, the better of the two: {', '.join(above) or 'no dense method'}."

    def only_bm25(values: Mapping[str, Floats]) -> tuple[bool, str]:
        bm25, tfidf = (found.above(values, DENSE, [one.name]) for one in (BM25, TFIDF))
        told = f"Dense methods against TF-IDF, above which they must lie: {tfidf}. Against BM25, above which they "
        return tfidf.holds and not bm25.holds, f"{told}must not: {bm25}."

    return [
        differing_groups(found),
        economy_alike(found),
        economy_leaders(found),
        by_early_precision(
            found, "acq", "On acq hybrid and embedding methods are much better than sparse ones.", dense_better
        ),
        by_early_precision(found, "fuel", "On fuel BM25 and TF-IDF perform quite well.", sparse_good),
        by_early_precision(found, "metal", "On metal the sparse methods are far superior.", sparse_better),
        by_early_precision(found, "earn", "On earn only BM25 can compete with the embedding methods.", only_bm25),
        contextual(found),
    ]


def contextual(found: Evidence) -> Claim:
    """Holds where dense methods surely win in some group by max F1, and sparse ones in another."""
    dense, sparse = [], []
    for name, tests in found.tests.items():
        if name == ALL:
            continue
        if any(all(tests.decided(tests.fisher, one, other) for other in SPARSE) for one in DENSE):
            dense.append(name)
        if any(all(tests.decided(tests.fisher, one, other) for other in DENSE) for one in SPARSE):
            sparse.append(name)
    told = (
        f"By max F1 and the paired test, some dense method is surely better than both sparse ones in {len(dense)} "
    )
    told += f"groups ({', '.join(dense) or 'none'}), some sparse method surely better than all dense ones in "
    told += f"{len(sparse)} ({', '.join(sparse) or 'none'})."
    return Claim(
        "In some groups hybrid or embedding methods are clearly superior, in others the traditional ones are.",
        CONCLUSIONS, verdict(holds=bool(dense) and bool(sparse)), told,
    )  # fmt: skip


def _untested(says: str, group: str) -> Claim:
    return Claim(says, SECOND, Verdict.UNTESTED, f"No query document here is of the group {group}.")
