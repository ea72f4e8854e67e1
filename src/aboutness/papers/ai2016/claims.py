"""What the paper claims, and whether it holds here.

The rule for "better": the mean AP over the collections is higher, and p < .05 by Fisher's randomisation test over
all queries, in which each collection counts the same. "Similar": the 95 % interval of the difference, by the
bootstrap over queries, lies within a margin on both sides of 0. That no difference is shown is not enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from aboutness.papers.ai2016.cases import AP, GOV2, Case
from aboutness.papers.ai2016.compared import Compared, percent, told
from aboutness.papers.ai2016.halves import halves_test, mean_gains, split_cases, two_forms
from aboutness.papers.ai2016.ladder import CHANGES, DR, DRJ, FAST, LDA, PRINTED, PV, QL, D
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.steps import steps
from aboutness.papers.wording import verdict
from aboutness.report.numbers import LEVEL
from aboutness.report.study import Claim, Verdict

MARGIN = 0.02  # within which models are similar, as a share of the other's mean
RULE = (
    "“Better” holds where the mean AP over the collections is higher and p < .05 by Fisher's randomisation test "
    "over all queries, in which each collection counts the same; “similar” where the 95\u00a0% interval of the "
    f"difference (bootstrap over queries) lies within \u00b1{100 * MARGIN:g}\u00a0% of the mean."
)
IDEAS = {
    "D": "Drawing negatives by document frequency helps (D)",
    "R": "Regularising documents by their length helps (R)",
    "J": "Learning contexts of words jointly helps (J)",
}
BY_IT = {True: "hold", False: "fail"}
LATE = -2  # of the numbers of epochs: the last but one
PLACES = {"D": "eq. 6 and 7", "R": "eq. 8", "J": "eq. 9"}


def claims(compared: Compared, grown: Growth) -> list[Claim]:
    """Return all claims with their verdicts."""
    return [
        _better(compared, DRJ, QL, f"{DRJ} is significantly better than {QL}", "section 4", PRINTED),
        _better(
            compared, DRJ, LDA, "Enhanced paragraph vectors are significantly better than topic models",
            "abstract and section 4", PRINTED,
        ),
        _better(compared, LDA, QL, f"{LDA} is better than {QL}", "section 4"),
        _similar(compared),
        *(_change(compared, change) for change in CHANGES),
        _growing(grown),
        _held_back(compared, grown),
        _forms(compared),
        _halves(compared),
        _web(compared),
    ]  # fmt: skip


def _better(compared: Compared, model: str, baseline: str, says: str, where: str, besides: str = "") -> Claim:
    found = f"{model}: {compared.told(model, baseline)}."
    if besides:
        found += f" {besides}: {compared.told(besides, baseline)}."
    return Claim(says, where, verdict(holds=compared.is_better(model, baseline)), found)


def _similar(compared: Compared) -> Claim:
    low, high = compared.interval(PV, LDA)
    return Claim(
        f"{PV} is very similar to {LDA}", "section 4", verdict(holds=low > -MARGIN and high < MARGIN),
        f"{PV}: {compared.told(PV, LDA)}. The 95\u00a0% interval of the difference is {percent(low)} to "
        f"{percent(high)} of the mean of {LDA}; the rule: within \u00b1{100 * MARGIN:g}\u00a0%.",
    )  # fmt: skip


def _change(compared: Compared, change: str) -> Claim:
    """Judge a change at the rate that is declared for EPV; what it does at the other rate is told besides."""
    by_rate = {step.rate: step for step in steps() if step.change == change}
    decides = by_rate.pop(FAST)
    found = (
        f"Learning rate {FAST:g}, which decides: {decides.model} after {decides.before}, "
        f"{compared.told(decides.model, decides.before)}."
    )
    for rate, step in by_rate.items():
        printed = " with eq. 9 as printed" * (step.model == PRINTED)
        better, worse = compared.is_better(step.model, step.before), compared.is_better(step.before, step.model)
        says = "better" if better else "worse" if worse else "no sure difference"
        found += f" At {rate:g}{printed} ({says}): {compared.told(step.model, step.before)}."
    return Claim(
        IDEAS[change], f"abstract, section 3.3 ({PLACES[change]}) and section 4",
        verdict(holds=compared.is_better(decides.model, decides.before)), found,
    )  # fmt: skip


# --- lengths of vectors ---------------------------------------------------------------------------------------


def _growing(grown: Growth) -> Claim:
    """Judge by the whole training, of which the paper speaks; the last epochs are told besides."""
    short, long = grown.factor(D, 0), grown.factor(D, -1)
    late_short, late_long = grown.factor(D, 0, LATE), grown.factor(D, -1, LATE)
    return Claim(
        "Without regularisation, vectors of short documents keep growing, those of long ones stay about the same",
        "section 3.3",
        verdict(holds=short > 1 and short - 1 > 2 * abs(long - 1)),
        f"{D} on {grown.collection}, {grown.epochs[0]} against {grown.epochs[-1]} epochs: vectors become "
        f"{short:.2f} times as long in the fifth of documents with the fewest words, {long:.2f} times in that "
        "with the most. The rule: short ones grow, by more than twice what long ones change. Seen afterwards, and "
        f"not what decides: from {grown.epochs[LATE]} epochs on it is {late_short:.2f} and {late_long:.2f} times.",
    )


def _held_back(compared: Compared, grown: Growth) -> Claim:
    with_r, without = grown.factor(DR, 0), grown.factor(D, 0)
    ratios = {
        model: [one.norms[0] / one.norms[-1] for one in (case.found[model] for case in compared.cases)]
        for model in (D, DR)
    }
    lower, count = (
        sum(ours < other for ours, other in zip(ratios[DR], ratios[D], strict=True)),
        len(compared.cases),
    )
    second = abs(with_r - 1) < (without - 1) / 2
    return Claim(
        "Regularisation keeps the vectors of short documents from growing",
        "abstract and section 3.3",
        verdict(holds=with_r < without and lower == count),
        f"On {grown.collection}, {grown.epochs[0]} against {grown.epochs[-1]} epochs, vectors of the fifth with "
        f"the fewest words become {with_r:.2f} times as long with R, {without:.2f} times without. The rule: less "
        "growth with R, and their length as a share of that of the fifth with the most words is lower with R on "
        f"all collections. It is on {lower} of {count} ({fmean(ratios[DR]):.2f} with R and {fmean(ratios[D]):.2f} "
        "without in the mean). A second rule, thought of after the first run, asks for less than half of the "
        f"growth alone; by it the claim would {BY_IT[second]}.",
    )


# --- short and long queries -----------------------------------------------------------------------------------


def _forms(compared: Compared) -> Claim:
    says, where = "Gains are larger on titles than on descriptions of the same topics", "section 4"
    every = list(two_forms(compared, DRJ))
    if not every:
        return Claim(
            says, where, Verdict.UNTESTED,
            "No collection here has topics in two forms; Robust04 and GOV2 have them.",
        )  # fmt: skip
    holds = all(one.titles > one.descriptions and one.test.p_value < LEVEL for one in every)
    found = "; ".join(
        f"{one.collection}: {DRJ} over {QL} {percent(one.titles)} on titles and {percent(one.descriptions)} on "
        f"descriptions (p {told(one.test.p_value)}, by topic)"
        for one in every
    )
    return Claim(says, where, verdict(holds=holds), f"{found}.")


def _halves(compared: Compared) -> Claim:
    says = "Gains are larger on the shorter half of the queries of a collection"
    where = "section 4, which has titles and descriptions"
    every = split_cases(compared)
    if not every:
        return Claim(says, where, Verdict.UNTESTED, "All queries are of the same length.")
    parts, holds = [], True
    for model in (LDA, DRJ):
        short, long = mean_gains(every, model)
        test = halves_test(every, model)
        larger = sum(one.gain(model, one.short) > one.gain(model, one.long) for one in every)
        holds = holds and test.difference > 0 and test.p_value < LEVEL
        parts.append(
            f"{model} over {QL} {percent(short)} on short and {percent(long)} on long queries (larger on short "
            f"ones on {larger} of {len(every)} collections); by query, as a share of {QL}'s mean, the difference "
            f"is {percent(test.difference)}, in favour of {test.favours} queries with p {told(test.p_value)}"
        )
    return Claim(
        says, where, verdict(holds=holds),
        f"{'; '.join(parts)}. The test draws anew which queries are short, within each collection, and is "
        "two-sided; the claim holds where it favours short queries with p < .05 for both models. The two halves "
        "are different topics.",
    )  # fmt: skip


def _web(compared: Compared) -> Claim:
    says = "On a large Web collection 300 topics hurt, and enhanced paragraph vectors do not"
    cases = list(_of_gov2(compared))
    if not cases:
        return Claim(says, "section 4", Verdict.UNTESTED, "There is no collection of Web pages here (GOV2).")
    every = [[case.found[name].mean[AP] for name in (QL, LDA, DRJ)] for case in cases]
    holds = all(topics < likelihood <= vectors for likelihood, topics, vectors in every)
    found = "; ".join(
        f"{case.name}: {QL} {likelihood:.4f}, {LDA} {topics:.4f}, {DRJ} {vectors:.4f}"
        for case, (likelihood, topics, vectors) in zip(cases, every, strict=True)
    )
    return Claim(says, "section 4", verdict(holds=holds), f"{AP} on {found}.")


def _of_gov2(compared: Compared) -> Iterator[Case]:
    return (case for case in compared.cases if case.papers_own.startswith(GOV2))
