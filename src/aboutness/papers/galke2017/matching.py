"""The matching step, which comes before all models: how many documents it leaves, and how many of the relevant."""

from __future__ import annotations

from statistics import fmean

from aboutness.papers.galke2017.runs import ANALYZER, Runs
from aboutness.papers.paper import Work
from aboutness.papers.printed import mean_and_deviation
from aboutness.report.study import Cell, Sheet, Value

RECALL = "SetR"


def matching_sheet(work: Work, runs: Runs) -> Sheet:
    """Return what is left to rank in each setting when documents must have a word of the query."""
    rows: dict[str, list[Cell]] = {}
    for data in runs.sets:
        results = work.experiment(
            name=f"galke2017, what matches in {data.name}",
            collections=[data.source],
            fields=list(data.fields.values()),
            queries=list(data.forms.values()),
            rankers=["tfidf"],
            measures=[RECALL],
            analyzer=ANALYZER,
            depth="all",
        )
        for setting, comparison in zip(data.settings, results.comparisons, strict=True):
            (row,) = comparison.rows
            found = [len(row.run.get(query, ())) for query in comparison.texts]
            mean, deviation = mean_and_deviation(found)
            rows[str(setting)] = [
                Value(mean, deviation=deviation),
                Value(100 * row.evaluation.mean[RECALL], deviation=100 * row.evaluation.deviation[RECALL]),
                Value(100 * fmean(not one for one in found)),
            ]
    columns = ["documents that match", "relevant ones among them, %", "queries without any, %"]
    caption = (
        "Means over the queries (standard deviation). No model can find what does not match: the same for all "
        "of them."
    )
    return Sheet("What matching leaves", columns, rows, caption, "setting", digits=1)
