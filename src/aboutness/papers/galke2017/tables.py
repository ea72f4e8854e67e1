"""The paper's tables, and what its discussion aggregates, beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from statistics import fmean, pstdev

from aboutness.papers.galke2017.embeddings import GLV, W2V
from aboutness.papers.galke2017.runs import CONVENTIONS, D2V, IWCS, METRICS, MODELS, TFIDF, Method, Runs
from aboutness.papers.galke2017.sets import LONG, SHORT, TITLE, DataSet, Setting
from aboutness.papers.printed import beside, mean_and_deviation, printed, with_best
from aboutness.report.study import Cell, Sheet, Value

PAPER = "galke2017"
ALL, LONGER = "all", "longer"  # than titles: abstracts and full texts
COLUMNS = {ALL: "all", TITLE: "titles", LONGER: "abstracts and full texts"}
CANCELLED = ("WMD, Economics full-text", "hours until cancelled")
TABLES = (f"NTCIR2, {SHORT}", f"NTCIR2, {LONG}", "Economics", "Reuters")


def data_sheets(runs: Runs) -> list[Sheet]:
    """Return how large the data sets are, and what their queries are like, beside the paper's."""
    sizes: dict[str, list[Cell]] = {}
    queries: dict[str, list[Cell]] = {}
    for one in runs.sets:
        comparison = runs.comparisons[one.settings[0]]
        theirs = next(iter(one.tables.values()), "").partition(",")[0]
        sizes[one.name] = [
            beside(PAPER, "data sets", theirs, "documents", comparison.documents),
            beside(PAPER, "data sets", theirs, "queries", comparison.queries),
            theirs or "none",
        ]
        relevant = [sum(grade > 0 for grade in grades.values()) for grades in comparison.qrels.values()]
        per_query = beside(
            PAPER, "data sets", theirs, "relevant per query", fmean(relevant), deviation=pstdev(relevant)
        )
        words = [len(text.split()) for text in comparison.texts.values()]
        queries[one.name] = [per_query, Value(fmean(words), deviation=pstdev(words))]
    columns = ["documents", "queries", "beside the paper's"]
    caption = "Means, with standard deviations over the queries."
    return [
        Sheet("Data sets", columns, sizes, "", "data set", digits=0),
        Sheet("Queries", ["relevant documents", "words"], queries, caption, "data set", digits=1),
    ]


def results_sheets(runs: Runs, convention: str) -> list[Sheet]:
    """Return one table for each data set and form of its queries, as the paper's tables 1 to 3 are laid out."""
    return [_results(runs, one, form, convention) for one in runs.sets for form in one.forms]


def _results(runs: Runs, data: DataSet, form: str, convention: str) -> Sheet:
    table = data.beside(form)
    rows: dict[str, list[Cell]] = {}
    for method in runs.methods:
        rows[method.row] = [
            beside(
                PAPER, table, method.row, f"{one} {metric}",
                runs.mean(Setting(data.name, form, one), method, metric, convention),
                deviation=runs.deviation(Setting(data.name, form, one), method, metric, convention),
            )
            for one in data.fields
            for metric in METRICS
        ]  # fmt: skip
    columns = [f"{one}, {metric}" for one in data.fields for metric in METRICS]
    name = ", ".join(filter(None, (data.name, form)))
    caption = (
        f"Means over the queries (standard deviation of all of them), first {runs.k} documents, by {convention}"
    )
    caption += f"; beside them the paper's figures for {table}." if table else "."
    return Sheet(f"{name} ({convention})", columns, with_best(rows), caption, "model", digits=2)


# --- aggregates ---------------------------------------------------------------------------------------------


def groups(runs: Runs) -> dict[str, list[Method]]:
    """Return what the paper aggregates: each model on all embeddings, and IWCS on each of them."""
    found = {model: runs.of(model) for model in MODELS}
    if len(runs.embeddings) > 1:
        found |= {f"{IWCS} {one.key}": runs.of(IWCS, embedding=one.key) for one in runs.embeddings}
    return found


def settings_of(runs: Runs, which: str) -> list[Setting]:
    """Return all settings, those of titles, or the others."""
    return [one for one in runs.settings if which == ALL or (one.field == TITLE) == (which == TITLE)]


def aggregates_sheet(runs: Runs, convention: str) -> Sheet:
    """Return the mean and the deviation of MAP over data sets, forms of queries, fields and embeddings."""
    there = {which: some for which in COLUMNS if (some := settings_of(runs, which))}
    rows: dict[str, list[Cell]] = {}
    for name, methods in groups(runs).items():
        rows[name] = []
        for which, some in there.items():
            mean, deviation = mean_and_deviation(runs.maps(methods, some, convention))
            rows[name].append(beside(PAPER, "aggregates", name, which, mean, deviation=deviation))
    caption = (
        f"Mean (standard deviation) of MAP, by {convention}, over the settings and embeddings, each counted "
        "once, beside section 6 of the paper, whose deviations are of all values, too, not of a sample."
    )
    return Sheet(f"MAP over all ({convention})", [COLUMNS[one] for one in there], rows, caption, "model")


def printed_mean(name: str) -> float:
    """Return the mean of MAP that section 6 of the paper tells of a model."""
    return printed(PAPER)["aggregates", name, ALL].paper or 0.0


def said_by_paper(row: str, column: str = "gain, %") -> float:
    """Return a number that the paper's text tells."""
    return printed(PAPER)["said", row, column].paper or 0.0


def paper_aggregates_sheet() -> Sheet:
    """Return what the paper's own tables give when they are aggregated, beside what its section 6 says."""
    rows: dict[str, list[Cell]] = {}
    for name in (*MODELS, f"{IWCS} {W2V}", f"{IWCS} {GLV}"):
        model, _, embedding = name.partition(" ")
        keys = (
            [model]
            if model in (TFIDF, D2V)
            else [f"{model} {key}" for key in (GLV, W2V) if embedding in ("", key)]
        )
        rows[name] = []
        for which in COLUMNS:
            mean, deviation = mean_and_deviation(_printed_maps(keys, which))
            rows[name].append(beside(PAPER, "aggregates", name, which, mean, deviation=deviation))
    caption = "Worked out from the two digits that its tables 1 to 3 print; runs that did not finish are left out."
    return Sheet(
        "The paper's own tables, aggregated", list(COLUMNS.values()), rows, caption, "model", tolerance=0.001
    )


def _printed_maps(keys: Iterable[str], which: str) -> list[float]:
    wanted = set(keys)
    return [
        value.paper
        for (table, row, column), value in printed(PAPER).items()
        if table in TABLES and row in wanted and column.endswith(" MAP") and value.paper is not None
        if which == ALL or column.startswith(TITLE) == (which == TITLE)
    ]


def same_rows() -> list[tuple[str, str, str, str]]:
    """Return the models whose six printed numbers for a field are the same: table, field, and the two models."""
    rows: dict[tuple[str, str], dict[str, list[tuple[float | None, float | None]]]] = {}
    for (table, row, column), value in printed(PAPER).items():
        if table in TABLES and value.paper is not None:
            numbers = rows.setdefault((table, column.split()[0]), {}).setdefault(row, [])
            numbers.append((value.paper, value.paper_deviation))
    return [
        (table, one, first, second)
        for (table, one), models in rows.items()
        for first, second in combinations(models, 2)
        if models[first] == models[second]
    ]


# --- conventions --------------------------------------------------------------------------------------------


def conventions_sheet(runs: Runs) -> Sheet:
    """Return how MAP relates to MRR by each convention, beside how it does in the paper."""
    shown = [(one, form) for one in runs.sets for form in one.forms]
    rows: dict[str, list[Cell]] = {}
    for convention in CONVENTIONS:
        rows[convention] = []
        for one, form in shown:
            here = [
                runs.mean(setting, method, "MAP", convention) / mrr
                for setting in one.settings
                if setting.form == form
                for method in runs.methods
                if (mrr := runs.mean(setting, method, "MRR", convention))
            ]
            rows[convention].append(Value(fmean(here) if here else None, _printed_ratio(one.beside(form))))
    columns = [", ".join(filter(None, (one.name, form))) for one, form in shown]
    caption = "MAP divided by MRR: the mean over models and fields, beside the same of the paper's tables."
    return Sheet("Which average precision it is", columns, rows, caption, "convention")


def how_far(sheet: Sheet) -> dict[str, float]:
    """Return how far each convention's ratios are from the paper's: the mean over the data sets beside its own."""
    far: dict[str, list[float]] = {}
    for convention, _, value in sheet.values:
        if value.difference is not None:
            far.setdefault(convention, []).append(abs(value.difference))
    return {convention: fmean(found) for convention, found in far.items()}


def _printed_ratio(table: str) -> float | None:
    numbers: Mapping[tuple[str, str, str], Value] = printed(PAPER)
    found = [
        value.paper / mrr
        for (one, row, column), value in numbers.items()
        if one == table and column.endswith(" MAP") and value.paper is not None
        if (mrr := numbers[one, row, column.replace("MAP", "MRR")].paper)
    ]
    return fmean(found) if found else None


# --- what differs from the paper's models -------------------------------------------------------------------


def variants_sheet(runs: Runs, name: str, variants: Iterable[str], caption: str) -> Sheet:
    """Return MAP of models that differ in some way, and how far their mean is from that of the paper's form."""
    rows: dict[str, list[Cell]] = {}
    for variant in variants:
        for model in MODELS:
            for method in runs.of(model, variant):
                if runs.there(method):
                    values = runs.maps([method])
                    usual = runs.average([method._replace(variant="")])
                    rows[str(method)] = [*map(Value, values), Value(fmean(values)), Value(fmean(values) - usual)]
    columns = [*map(str, runs.settings), "mean", "less the model as it is"]
    return Sheet(name, columns, rows, caption, "model")


def times_sheet(runs: Runs) -> Sheet:
    """Return the seconds that each model needed for all queries."""
    rows: dict[str, list[Cell]] = {
        method.row: [Value(runs.rows[one][method].seconds) for one in runs.settings] for method in runs.methods
    }
    rows["queries"] = [Value(said=f"{runs.comparisons[one].queries:,}") for one in runs.settings]
    caption = (
        "Seconds for all queries together, with what is made once for a collection, without training; as "
        "measured when the rankings were made. The authors cancelled Word Mover's Distance on the full texts "
        f"of Economics after {said_by_paper(*CANCELLED):.0f} hours."
    )
    return Sheet("Seconds", [*map(str, runs.settings)], rows, caption, "model", digits=2, tolerance=None)
