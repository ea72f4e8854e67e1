"""Claims on the models on word vectors: which is the best, and what Word Mover's Distance costs."""

from __future__ import annotations

from aboutness.papers.galke2017.evidence import ALIKE, Evidence, claim
from aboutness.papers.galke2017.runs import D2V, ELSEWHERE, IWCS, RERANKED, WCS, WMD, Method
from aboutness.papers.galke2017.sets import LONG, SHORT, TITLE
from aboutness.papers.galke2017.tables import CANCELLED, LONGER, PAPER, printed_mean, said_by_paper, settings_of
from aboutness.papers.printed import printed
from aboutness.report.study import Claim


def best_by_words(evidence: Evidence) -> Claim:
    """Decide whether centroids are the best of the models on word vectors."""
    runs = evidence.runs
    means = {model: runs.average(runs.of(model)) for model in (WCS, IWCS, WMD, D2V)}
    told = ", ".join(f"{model} {mean:.3f}" for model, mean in means.items())
    unseen = Method(D2V, "", ELSEWHERE)
    other = f"; trained on the other data sets it has {runs.average([unseen]):.3f}" if runs.there(unseen) else ""
    found = f"Mean MAP of all settings: {told}. Doc2Vec was trained on the documents that are searched{other}."
    holds = min(means[WCS], means[IWCS]) >= max(means[WMD], means[D2V])
    says = "Word centroid similarity is the best embedding-based competitor, before WMD and Doc2Vec."
    rule = "WCS and IWCS have a higher mean of MAP than WMD and Doc2Vec"
    return claim(says, "abstract, section 6", holds, found, rule)


def reranking(evidence: Evidence) -> Claim:
    """Decide whether Word Mover's Distance does not improve on IWCS."""
    runs = evidence.runs
    again, ours, alone = (runs.average(runs.of(model)) for model in (RERANKED, IWCS, WMD))
    cases = list(zip(runs.maps(runs.of(RERANKED)), runs.maps(runs.of(IWCS)), strict=True))
    found = (
        f"IWCS has {ours:.3f}, IWCS-WMD {again:.3f} and WMD {alone:.3f} in the mean of all settings; IWCS-WMD "
        f"is higher than IWCS in {sum(one > other for one, other in cases)} of {len(cases)} cases."
    )
    says = "Re-ranking by Word Mover's Distance does not improve on IWCS, and WMD alone is worse."
    rule = f"in the mean, IWCS-WMD is at most {ALIKE:g} above IWCS, and WMD below it"
    return claim(says, "sections 5 and 6", again <= ours + ALIKE and alone < ours, found, rule)


def too_slow(evidence: Evidence) -> Claim:
    """Decide whether Word Mover's Distance is too slow for full texts: not where it ran to the end on as many.

    The claim can fail, and never hold: what does not end gives no report.
    """
    runs = evidence.runs
    says = "The cost of Word Mover's Distance disqualifies it for full texts."
    longer = settings_of(runs, LONGER)
    if not longer:
        return claim(says, "section 5", None, "No data set has abstracts or full texts here.")
    each = {
        (setting, method): runs.rows[setting][method].seconds / runs.comparisons[setting].queries
        for setting in longer
        for method in runs.of(WMD)
    }
    (setting, method), slowest = max(each.items(), key=lambda one: one[1])
    total = sum(runs.rows[one][method].seconds for one in longer for method in runs.of(WMD))
    sizes = {one: runs.comparisons[one].documents for one in longer}
    theirs = printed(PAPER)["data sets", "Economics", "documents"].paper or 0
    told = " and ".join(f"{size:,} ({one})" for one, size in sizes.items())
    found = (
        f"Exact distances to all matching documents ran to the end: for the longer fields of {told} documents "
        f"{total:.1f} s in all, at most {1000 * slowest:.0f} ms for a query ({setting}, {method.embedding}). "
        "Lower bounds spare most documents the exact distance; the rankings are the same. The authors gave up "
        f"after {said_by_paper(*CANCELLED):.0f} hours on the full texts of {theirs:,.0f} papers"
    )
    rule = "it does not run to the end on as many full texts as the paper has"
    if max(sizes.values()) < theirs:
        return claim(says, "section 5", None, f"{found}, and so many are not to be had here.")
    return claim(says, "section 5", holds=False, found=f"{found}.", rule=rule)


def query_length(evidence: Evidence) -> Claim:
    """Decide whether re-ranking pays for long queries only."""
    runs = evidence.runs
    says = "Re-ranking titles by Word Mover's Distance pays for long queries, not for short ones."
    short, long = (
        [one for one in runs.settings if (one.form, one.field) == (form, TITLE)] for form in (SHORT, LONG)
    )
    if not (short and long):
        why = (
            "No data set here has short and long forms of its queries; those who have NTCIR-2 can name it (--on)."
        )
        return claim(says, "section 5", None, why)
    gains = [runs.average(runs.of(RERANKED), some) - runs.average(runs.of(IWCS), some) for some in (short, long)]
    found = (
        f"IWCS-WMD differs from IWCS by {gains[0]:+.3f} for short queries and by {gains[1]:+.3f} for long ones."
    )
    rule = "higher for long queries, lower for short ones"
    return claim(says, "section 5", gains[0] < 0 < gains[1], found, rule)


def wikipedia(evidence: Evidence) -> Claim:
    """Decide whether Doc2Vec of Wikipedia reaches what it does in the paper."""
    runs, unseen = evidence.runs, Method(D2V, "", ELSEWHERE)
    other = (
        f" and {runs.average([unseen]):.3f} where it was trained on the other data sets"
        if runs.there(unseen)
        else ""
    )
    found = (
        f"The authors' model is not to be had. Doc2Vec has a mean MAP of {runs.average([Method(D2V)]):.3f} here "
        f"where it was trained on the field that is searched{other}."
    )
    says = f"Doc2Vec trained on Wikipedia reaches a mean MAP of {printed_mean(D2V):.2f}."
    return claim(says, "section 6", None, found)
