"""Claims on IWCS: against WCS, against TF-IDF, and by domain."""

from __future__ import annotations

from collections.abc import Callable

from aboutness.core.counted import counted
from aboutness.papers.galke2017.evidence import Evidence, claim, listed, per_cent, relative
from aboutness.papers.galke2017.runs import IWCS, RELEASED, TFIDF, WCS, Method
from aboutness.papers.galke2017.sets import NEWS, TITLE
from aboutness.papers.galke2017.tables import printed_mean, said_by_paper
from aboutness.report.numbers import LEVEL, told_p
from aboutness.report.study import Claim

SEEN = 0.01
CLOSE = 0.02  # twice the paper's own distance of IWCS from TF-IDF


def idf_helps(evidence: Evidence) -> Claim:
    """Decide whether IWCS is at least as good as WCS."""
    runs, tested = evidence.runs, evidence.against(WCS)
    ours, other = runs.average(runs.of(IWCS)), runs.average(runs.of(WCS))
    better = [one for one in tested if one.difference >= 0]
    worse = [one for one in tested if one.difference < 0 and one.sure]
    found = (
        f"IWCS has {ours:.3f} and WCS {other:.3f} in the mean of all settings; IWCS is at least as good in "
        f"{len(better)} of {len(tested)} comparisons, better by more than chance in "
        f"{sum(one.sure for one in better)}, worse by more than chance in {listed(worse)}."
    )
    rule = f"MAP at least as high in the mean, and nowhere lower with p (Holm) below {LEVEL:g}"
    says = "Re-weighting by IDF improves word centroids: IWCS is at least as good as WCS."
    return claim(says, "abstract, section 5", ours >= other and not worse, found, rule)


def gain(evidence: Evidence) -> Claim:
    """Decide whether IWCS gains as much over WCS as in the paper."""
    runs = evidence.runs
    ours, other = runs.average(runs.of(IWCS)), runs.average(runs.of(WCS))
    released = runs.average(runs.of(IWCS, RELEASED))
    found = (
        f"The gain is {relative(ours, other)} (from {other:.3f} to {ours:.3f}); with the weights of the "
        "authors' released code, which weighs the query's words, too, and adds 1 to idf, it is "
        f"{relative(released, other)} ({released:.3f})."
    )
    theirs = printed_mean(IWCS) / printed_mean(WCS) - 1
    rule = f"at least half of the paper's gain of {100 * theirs:.0f} % in the mean of all settings"
    says = f"Over all data sets IWCS improves on WCS by {said_by_paper('IWCS over WCS, all'):.0f} %."
    return claim(says, "sections 6 and 7", bool(other) and ours / other - 1 >= theirs / 2, found, rule)


def competitive(evidence: Evidence) -> Claim:
    """Decide whether IWCS is competitive with TF-IDF."""
    runs, tested = evidence.runs, evidence.against(TFIDF)
    ours, other = runs.average(runs.of(IWCS)), runs.average(runs.of(TFIDF))
    told = " and ".join(f"{evidence.known_average([one]):.3f} ({one.embedding})" for one in runs.of(IWCS))
    lost = [one for one in tested if one.difference < 0 and one.sure]
    found = (
        f"IWCS has {ours:.3f} and TF-IDF {other:.3f} in the mean of all settings; in {len(lost)} of "
        f"{len(tested)} comparisons IWCS is worse by more than chance. Over queries of known words alone it is "
        f"{told}, against {evidence.known_average(runs.of(TFIDF)):.3f} for TF-IDF."
    )
    rule = f"MAP at most {CLOSE:g} lower in the mean (in the paper {printed_mean(TFIDF) - printed_mean(IWCS):.2f})"
    says = "IWCS is competitive with TF-IDF."
    return claim(says, "abstract, section 6", ours >= other - CLOSE, found, rule)


def news(field: str, says: str, where: str) -> Callable[[Evidence], Claim]:
    """Return what decides whether IWCS outperforms TF-IDF on a field of news."""

    def make(evidence: Evidence) -> Claim:
        runs = evidence.runs
        there = [one for one in runs.settings if runs.data_set(one).domain == NEWS]
        some = [one for one in there if (one.field == TITLE) == (field == TITLE)]
        tested = [one for one in evidence.against(TFIDF) if one.setting in some]
        if not tested:
            return claim(says, where, None, "No data set of news has such a field here.")
        best = max(tested, key=lambda one: one.difference)
        method, baseline = Method(IWCS, best.embedding), Method(TFIDF)
        ours, other = runs.mean(best.setting, method), runs.mean(best.setting, baseline)
        known = evidence.known[best.setting]
        found = (
            f"On {best.setting} the better IWCS ({best.embedding}) has {ours:.3f} and TF-IDF {other:.3f}: "
            f"{relative(ours, other)}, p (Holm) {told_p(best.holm)}. Over the "
            f"{counted(len(known), 'query', 'queries')} whose words all have vectors it is "
            f"{evidence.known_map(best.setting, method):.3f} against "
            f"{evidence.known_map(best.setting, baseline):.3f}."
        )
        rule = f"higher MAP with the better embedding, p (Holm) below {LEVEL:g}"
        return claim(says, where, best.difference > 0 and best.sure, found, rule)

    return make


def domains(evidence: Evidence) -> Claim:
    """Decide whether IWCS gains most on news."""
    runs = evidence.runs
    gains: dict[str, float] = {}
    for data in runs.sets:
        titles = [one for one in data.settings if one.field == TITLE]
        if titles and (other := runs.average(runs.of(TFIDF), titles)):
            gains[data.domain] = runs.average(runs.of(IWCS), titles) / other - 1
    says = "What IWCS gains over TF-IDF depends on the domain: it is most for news."
    if NEWS not in gains or len(gains) < 2:
        return claim(says, "abstract, section 5", None, "There are not two domains here, one of them news.")
    told = ", ".join(f"{per_cent(gain)} in {domain}" for domain, gain in gains.items())
    found = f"On titles IWCS differs from TF-IDF by {told}, in the mean of both embeddings."
    others = [gain for domain, gain in gains.items() if domain != NEWS]
    rule = f"higher for news than elsewhere by at least {100 * SEEN:.0f} % of TF-IDF's MAP"
    return claim(says, "abstract, section 5", gains[NEWS] >= max(others) + SEEN, found, rule)
