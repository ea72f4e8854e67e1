"""The report: its parts in their order, and what is said between tables and figures."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from aboutness.core.counted import counted
from aboutness.papers.ai2016 import figures, tables
from aboutness.papers.ai2016.cases import AP, MEASURES
from aboutness.papers.ai2016.claims import RULE, claims
from aboutness.papers.ai2016.compared import Compared, percent, told
from aboutness.papers.ai2016.halves import across, split_cases
from aboutness.papers.ai2016.ladder import DR, DRJ, FAST, LDA, PV, QL, SLOW, D, grid_rungs
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.replaced import replaced
from aboutness.papers.ai2016.steps import (
    grid_means,
    grid_sheet,
    growth_sheet,
    norm_sheet,
    said_of_norms,
    step_sheet,
)
from aboutness.papers.paper import Work
from aboutness.papers.wording import verdict
from aboutness.report.study import Claim, Drawing, Item, Part, Study, Verdict
from aboutness.vectors.pv import EPV

if TYPE_CHECKING:
    from aboutness.papers.ai2016.protocol import Ai2016


KNOWN_BEFORE = (
    "An earlier comparison of most of these models on the same collections was known when the rules were set. "
    "That the ladder is climbed with two rates was decided after a trial on four of them had shown that the rate "
    "decides which change helps. For one claim a second rule was thought of after the first whole run: the first "
    "one decides, and the claim tells both. After that run it was settled, too, that a change is judged at the "
    "rate that this package declares for EPV, that “similar” wants an interval within a margin, and how short and "
    "long queries are tested."
)


def written(sizes: Ai2016, work: Work, compared: Compared, grown: Growth) -> Study:
    """Return the study with all its tables, figures and claims."""
    found = claims(compared, grown)
    parts = [
        _data(work, compared),
        _table_1(compared),
        _by_collection(compared),
        _changes(compared),
        _lambda(compared),
        _queries(compared),
        _vectors(compared, grown),
    ]
    if work.full:
        part, claim = _grids(sizes, work, compared)
        parts.append(part)
        found.append(claim)
    parts += [_not_run(compared), Part("Cost", [tables.seconds(compared)])]
    return Study(
        sizes.name, sizes.reference, _summary(compared, found), found, replaced(sizes, compared), parts,
        work.made(sizes.parameters),
    )  # fmt: skip


def _summary(compared: Compared, found: list[Claim]) -> str:
    count = {one: sum(claim.verdict == one for claim in found) for one in Verdict}
    over_ql, over_lda = (compared.test(DRJ, one) for one in (QL, LDA))
    return (
        f"Six language models re-rank what {QL} finds, on {counted(len(compared.cases), 'set')} of queries. The "
        f"mean {AP} of {DRJ} is {percent(compared.gain(DRJ, QL))} against {QL} (p {told(over_ql.p_value)}) and "
        f"{percent(compared.gain(DRJ, LDA))} against {LDA} (p {told(over_lda.p_value)}). Of {len(found)} claims "
        f"{count[Verdict.HOLDS]} hold here, {count[Verdict.FAILS]} do not, and {count[Verdict.UNTESTED]} cannot "
        "be tested."
    )


def _data(work: Work, compared: Compared) -> Part:
    words = [case.words for case in compared.cases]
    said = (
        f"Queries have {min(words):.1f} to {max(words):.1f} words in the mean of a collection. Texts are split, "
        "stop words removed and words stemmed by Krovetz's algorithm."
    )
    known = [] if work.on else [KNOWN_BEFORE]
    return Part("Data and rules", [said, RULE, *known, tables.collections(compared), tables.lengths(compared)])


def _table_1(compared: Compared) -> Part:
    own = [case.papers_own for case in compared.cases if case.papers_own]
    items: list[Item] = []
    if not own:
        items.append(
            "The paper's collections are not here: values differ because documents, queries and judgements do. "
            "Our means stand alone; the gains over the baselines stand beside the paper's."
        )
        items.append(tables.means(compared))
    return Part("Table 1", [*items, *(tables.table_1(compared, one) for one in own), tables.gains(compared)])


def _not_run(compared: Compared) -> Part:
    """Return the quarters of table 1 that nothing here stands beside."""
    own = [case.papers_own for case in compared.cases if case.papers_own]
    rest = [tables.table_1(compared, one) for one in tables.CONDITIONS if one not in own]
    said = "These need collections that are not here; the numbers are the paper's." if rest else "Nothing."
    return Part("What table 1 has besides", [said, *rest])


def _by_collection(compared: Compared) -> Part:
    return Part(
        "Each collection",
        [
            *(tables.by_collection(compared, measure) for measure in MEASURES),
            Drawing("gains", partial(figures.gain_bars, compared), f"{AP}: gain over {QL}, %.", wide=True),
            Drawing(
                "by-query", partial(figures.query_by_query, compared, QL),
                f"{DRJ} less {QL}: {AP} of each query, sorted.", wide=True,
            ),
            Drawing(
                "by-query-topics", partial(figures.query_by_query, compared, LDA),
                f"{DRJ} less {LDA}: {AP} of each query, sorted.", wide=True,
            ),
        ],
    )  # fmt: skip


def _changes(compared: Compared) -> Part:
    said = (
        f"The paper does not print its learning rate. At {FAST:g}, which this package declares for EPV, contexts "
        f"count {EPV().joint:g} of what documents do; at {SLOW:g}, which it declares for PV, eq. 9 is as printed. "
        "In each row the two models differ in one change and in nothing else. The rows of table 1 have the rates "
        f"declared: from {PV} to {D} the rate changes too."
    )
    return Part("Each change alone", [said, step_sheet(compared)])


def _lambda(compared: Compared) -> Part:
    best = {
        name: max(values, key=values.__getitem__)
        for name in (LDA, DRJ)
        if (values := tables.curve(compared, name))
    }
    said = " and ".join(f"{name} at {value:g}" for name, value in best.items())
    return Part(
        "Lambda",
        [
            f"Over all queries, the mean is highest for {said}.",
            tables.chosen(compared),
            Drawing("lambda", partial(figures.by_lambda, compared), f"{AP} by lambda, mean over collections."),
            tables.curves(compared),
            "Query likelihood has a parameter too, which is the same for all models here.",
            tables.by_mu(compared),
        ],
    )


def _queries(compared: Compared) -> Part:
    every = split_cases(compared)
    if not every:
        return Part("Short and long queries", ["All queries are of the same length."])
    short = fmean(one.words(one.short) for one in every)
    long = fmean(one.words(one.long) for one in every)
    return Part(
        "Short and long queries",
        [
            f"Short queries have {short:.1f} words in the mean, long ones {long:.1f}. {across(compared)}",
            tables.said_and_printed(),
            tables.short_and_long(every),
        ],
    )


def _vectors(compared: Compared, grown: Growth) -> Part:
    return Part(
        "Lengths of vectors",
        [
            *said_of_norms(compared),
            norm_sheet(compared),
            Drawing(
                "growth", partial(figures.growing, grown),
                f"Vectors of short and of long documents of {grown.collection} by epochs, without R ({D}) and "
                f"with it ({DR}).",
            ),
            growth_sheet(grown),
        ],
    )  # fmt: skip


def _grids(sizes: Ai2016, work: Work, compared: Compared) -> tuple[Part, Claim]:
    grid = list(grid_rungs(sizes, work.seed))
    usual = {"gamma": sizes.gamma, "eta": sizes.eta}
    means = {one: grid_means(compared, grid, one) for one in usual}
    best = {one: max(values := of[DRJ], key=values.__getitem__) for one, of in means.items()}
    found = "; ".join(
        f"{one} {best[one]:g} with {means[one][DRJ][best[one]]:.4f}, {value:g} with {means[one][DRJ][value]:.4f}"
        for one, value in usual.items()
    )
    claim = Claim(
        f"gamma {usual['gamma']:g} and eta {usual['eta']:g} serve best", "section 4",
        verdict(holds=best == usual), f"Highest {AP} of {DRJ}, and with the paper's: {found}.",
    )  # fmt: skip
    return Part(
        "Gamma and eta",
        [
            grid_sheet(compared, grid, "gamma", f"eta {sizes.eta:g}"),
            grid_sheet(compared, grid, "eta", f"gamma {sizes.gamma:g}"),
            Drawing("grids", partial(figures.grids, means, ("gamma",)), f"{AP} by gamma and by eta.", wide=True),
        ],
    ), claim
