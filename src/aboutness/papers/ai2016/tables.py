"""The tables of the report: the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from aboutness.papers.ai2016.cases import AP, DESCRIPTIONS, GOV2, MEASURES, ROBUST, TITLES, Case
from aboutness.papers.ai2016.compared import BETTER, WORSE, Compared
from aboutness.papers.ai2016.halves import Halves, mean_gains
from aboutness.papers.ai2016.ladder import DRJ, LDA, OTHERS, PAPERS_OWN, QL, QL_TUNED
from aboutness.papers.printed import beside, printed, with_best
from aboutness.report.study import Cell, Sheet, Value

PAPER = "ai2016"
CONDITIONS = tuple(f"{name} {form}" for name in (ROBUST, GOV2) for form in (TITLES, DESCRIPTIONS))
FIRST = CONDITIONS[0]
MEAN = "mean"
ROUNDED = 0.1  # percent: what rounding to one digit explains, and a little more
OF_MEANS = 0.005  # how far a mean over collections may move
OF_ONE = 0.015  # a mean on one collection
OF_GAINS = 1.5  # a gain, in percent


def table_1(compared: Compared, condition: str) -> Sheet:
    """Return a quarter of the paper's table 1, with our numbers where we have that collection."""
    case = next((one for one in compared.cases if one.papers_own == condition), None)
    rows: dict[str, list[Cell]] = {}
    for model in PAPERS_OWN:
        if (condition, model, AP) not in printed(PAPER) and case is None:
            continue
        rows[model] = [
            beside(
                PAPER, condition, model, measure, case.found[model].mean[measure],
                mark=compared.marks(model, measure, case),
            )
            if case
            else beside(PAPER, condition, model, measure)
            for measure in MEASURES
        ]  # fmt: skip
    ours = "ours on the same collection" if case else "not run here"
    return Sheet(
        f"table 1, {condition}", MEASURES, with_best(rows),
        f"The paper's {condition} ({AP} is its MAP), {ours}. * and +: significantly better than {QL} and than "
        f"{LDA}.", "model", tolerance=OF_MEANS,
    )  # fmt: skip


def means(compared: Compared) -> Sheet:
    """Return our mean over the collections, which are others than the paper's: no number of its stands beside."""
    rows: dict[str, list[Cell]] = {
        model: [Value(compared.mean(model, measure), mark=compared.marks(model, measure)) for measure in MEASURES]
        for model in PAPERS_OWN
    }
    return Sheet(
        "table 1, mean over collections", MEASURES, with_best(rows),
        f"The mean over {_names(compared.cases)}. * and +: significantly better than {QL} and than {LDA} by a "
        "test over all queries.", "model", tolerance=OF_MEANS,
    )  # fmt: skip


def _names(cases: Iterable[Case]) -> str:
    *others, last = [case.name for case in cases]
    return f"{', '.join(others)} and {last}" if others else last


def gains(compared: Compared) -> Sheet:
    """Return how much higher AP is than that of each baseline, in percent, beside the paper's gains."""
    own = printed(PAPER)
    rows: dict[str, list[Cell]] = {}
    for model in (*PAPERS_OWN[1:], *OTHERS):
        cells: list[Cell] = []
        for baseline in (QL, LDA):
            there, base = own.get((FIRST, model, AP)), own[FIRST, baseline, AP]
            share = 100 * (there.paper / base.paper - 1) if there and there.paper and base.paper else None
            if model == baseline:
                cells.append("")
                continue
            mark = compared.worse_or_better(model, baseline)
            cells.append(Value(100 * compared.gain(model, baseline), share, mark=mark))
        rows[model] = cells
    return Sheet(
        "gains", [f"over {QL}, %", f"over {LDA}, %"], rows,
        f"{AP}, mean over collections: gains in percent, beside those that the paper's {FIRST} give. "
        f"{BETTER}: better, {WORSE}: worse, p < .05 by Fisher's test over all collections.", "model", digits=1,
        tolerance=OF_GAINS,
    )  # fmt: skip


def by_collection(compared: Compared, measure: str) -> Sheet:
    """Return all models on all collections by one measure."""
    rows: dict[str, list[Cell]] = {
        model: [
            *(
                Value(case.found[model].mean[measure], mark=compared.marks(model, measure, case))
                for case in compared.cases
            ),
            Value(compared.mean(model, measure), mark=compared.marks(model, measure)),
        ]
        for model in (*PAPERS_OWN, *OTHERS)
    }
    return Sheet(
        f"{measure} by collection", [*(case.name for case in compared.cases), MEAN], with_best(rows),
        f"{measure}. * and +: significantly better than {QL} and than {LDA}, p < .05 by Fisher's randomisation "
        f"test. The last rows are not the paper's: {QL} with its own parameter chosen by the folds, and the other "
        "ladder.", "model", tolerance=OF_ONE,
    )  # fmt: skip


def chosen(compared: Compared) -> Sheet:
    """Return which lambda the folds chose."""
    models = [model for model in (*PAPERS_OWN, *OTHERS) if model not in (QL, QL_TUNED)]
    rows: dict[str, list[Cell]] = {}
    for model in models:
        each = [case.found[model].chosen for case in compared.cases]
        rows[model] = [
            *(", ".join(f"{value:g} ({count})" for value, count in sorted(one.items())) for one in each),
            Value(fmean(fmean(v for v, n in one.items() for _ in range(n)) for one in each)),
        ]
    return Sheet(
        "lambda", [*(case.name for case in compared.cases), MEAN], rows,
        "The lambda that folds chose, and how many of them did.", "model", digits=2, tolerance=0.2,
    )  # fmt: skip


def curve(compared: Compared, model: str) -> dict[float, float]:
    """Return the mean over collections of a model's AP by lambda, over all queries of each."""
    every = [case.found[model].curve for case in compared.cases]
    return {value: fmean(one[value] for one in every) for value in every[0]}


def curves(compared: Compared) -> Sheet:
    """Return AP by lambda."""
    models = [model for model in (*PAPERS_OWN, *OTHERS) if model not in (QL, QL_TUNED)]
    values = curve(compared, LDA)
    rows: dict[str, list[Cell]] = {model: list(map(Value, curve(compared, model).values())) for model in models}
    return Sheet(
        "AP by lambda", [f"{value:g}" for value in values], rows,
        f"{AP} by lambda, mean over collections, all queries; at 0 every model is {QL}.", "model",
        tolerance=OF_ONE,
    )  # fmt: skip


def by_mu(compared: Compared) -> Sheet:
    """Return AP of query likelihood by mu."""
    values = list(compared.cases[0].found[QL_TUNED].curve)
    rows: dict[str, list[Cell]] = {
        case.name: list(map(Value, case.found[QL_TUNED].curve.values())) for case in compared.cases
    }
    return Sheet(
        "QL by mu", [f"{value:g}" for value in values], with_best_of_rows(rows),
        f"{AP} of {QL} by mu, all queries.", "collection", tolerance=OF_ONE,
    )  # fmt: skip


def with_best_of_rows(rows: dict[str, list[Cell]]) -> dict[str, list[Cell]]:
    """Return rows with the best number of each row marked."""
    turned: dict[str, list[Cell]] = {
        str(place): list(cells) for place, cells in enumerate(zip(*rows.values(), strict=True))
    }
    best = with_best(turned)
    return {name: [best[str(place)][row] for place in range(len(best))] for row, name in enumerate(rows)}


def collections(compared: Compared) -> Sheet:
    """Return how many documents and queries the collections have."""
    rows: dict[str, list[Cell]] = {
        case.name: [Value(case.facts["documents"]), Value(case.found[QL].evaluation.queries)]
        for case in compared.cases
    }
    return Sheet(
        "collections", ["documents", "queries"], rows, "What is searched, and how often.", "collection", digits=0,
        tolerance=0.5,
    )  # fmt: skip


def lengths(compared: Compared) -> Sheet:
    """Return how long documents and queries are."""
    rows: dict[str, list[Cell]] = {
        case.name: [Value(case.facts["tokens"] / case.facts["documents"]), Value(case.words)]
        for case in compared.cases
    }
    return Sheet(
        "words", ["in a document", "in a query"], rows, "Words without stop words, in the mean.", "collection",
        digits=1, tolerance=0.1,
    )  # fmt: skip


def seconds(compared: Compared) -> Sheet:
    """Return how long each model was trained."""
    rows: dict[str, list[Cell]] = {}
    for model in (*PAPERS_OWN, *OTHERS):
        each = [case.found[model].seconds for case in compared.cases]
        if any(one is not None for one in each):
            rows[model] = [Value(one, said="" if one is not None else "kept") for one in each]
    return Sheet(
        "seconds of training", [case.name for case in compared.cases], rows,
        "Seconds of training by one thread, when it was done.", "model", digits=0, tolerance=None,
    )  # fmt: skip


def said_and_printed() -> str:
    """Return in words where the paper's text and its table, which is rounded, give different gains."""
    own, found = printed(PAPER), []
    for (table, row, form), said in own.items():
        if table != "gains":
            continue
        model, _, baseline = row.partition(" over ")
        values = [own[f"{ROBUST} {form}", name, AP].paper for name in (model, baseline)]
        if values[0] and values[1] and said.paper is not None:
            share = 100 * (values[0] / values[1] - 1)
            if abs(share - said.paper) > ROUNDED:
                found.append(f"{row} on {form}, {said.paper:g} % in the text and {share:.1f} % by its table")
    return (
        f"The paper's own numbers differ a little: {'; '.join(found)}." if found else "The paper's numbers agree."
    )


def short_and_long(every: list[Halves]) -> Sheet:
    """Return the gains on short and on long queries, in percent."""
    rows: dict[str, list[Cell]] = {}
    pairs = ((LDA, QL), (DRJ, QL), (DRJ, LDA))
    for model, baseline in pairs:
        name = f"{model} over {baseline}"
        rows[name] = [
            beside(PAPER, "gains", name, form, 100 * gain)
            for form, gain in zip((TITLES, DESCRIPTIONS), mean_gains(every, model, baseline), strict=True)
        ]
    for one in every:
        rows[f"{one.case.name}: {DRJ} over {QL}"] = [
            Value(100 * one.gain(DRJ, queries)) for queries in (one.short, one.long)
        ]
    return Sheet(
        "short and long queries", ["short half, %", "long half, %"], rows,
        f"Gains of {AP} in percent, mean over collections and on each: on queries with at most as many words as "
        "the median query of their collection, and on all others; beside what the paper says of titles and "
        "descriptions.", "gain", digits=1, tolerance=2 * OF_GAINS,
    )  # fmt: skip
