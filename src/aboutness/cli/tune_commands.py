"""The command that chooses a ranker's parameters by judged queries."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aboutness.cli.evaluate_commands import (
    AnalyzerOption,
    HoldingIndexOption,
    MeasuresOption,
    PerQueryOption,
    VectorsOption,
)
from aboutness.cli.experiment_shown import clock
from aboutness.cli.help import Command
from aboutness.cli.options import JsonOption
from aboutness.cli.progress import now_and_then, queries_progress
from aboutness.cli.render import ends_well, show_json, show_table
from aboutness.cli.search_commands import FieldsOption, MatchOption
from aboutness.core.counted import counted
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.tuning import Sweep, Validation


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("tune", cls=Command)(ends_well(tune))


def tune(
    collection: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTION", help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or irds:NAME."
        ),
    ],
    ranker: Annotated[
        str, typer.Option("-r", "--ranker", help="The ranker, such as bm25-desm or 'bm25 % 100 >> bm25 + ql'.")
    ],
    grid: Annotated[
        list[str],
        typer.Option(
            "--grid",
            help="Values to try: k1=0.6,0.9,1.2 or alpha=0:1:.01 (repeatable). bm25.k1 is that of one part, "
            "ql.weight (or weight.2) how much a part of a mixture counts.",
        ),
    ],
    folds: Annotated[
        int | None, typer.Option("--folds", help="Cross-validate with so many folds of the queries. [default: 5]")
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            "--train", help="Instead, choose by a share of the queries (.5), or by those whose ids a file lists."
        ),
    ] = None,
    measure: Annotated[str, typer.Option("--measure", help="The measure by which parameters are chosen.")] = "AP",
    measures: MeasuresOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws which queries are in which part.")] = 1,
    analyzer: AnalyzerOption = None,
    index: HoldingIndexOption = None,
    vectors: VectorsOption = None,
    k: Annotated[int, typer.Option("-k", help="How many documents of each ranking are measured.")] = 1000,
    match: MatchOption = "or",
    fields: FieldsOption = None,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", help="A folder for what is measured: the same again goes on where it was."),
    ] = None,
    per_query: PerQueryOption = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for results, all settings and the run.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Choose a ranker's parameters by judged queries, and report on queries that had no say in it.

    Each fold is ranked with the values that are best for the other folds; of several the first are taken. With
    --train there is one choice, by a part of the queries, for all others, and the whole curve is shown.
    """
    from aboutness.app.comparing import DEFAULT_MEASURES, results_in
    from aboutness.app.index import Index
    from aboutness.app.layers import DEFAULT_ANALYZER
    from aboutness.app.tuning import collection as opened
    from aboutness.app.tuning import count_settings, cross_validate, save_tuning, sweep

    if index and analyzer:
        raise UsageError("an index has its own analyzer: give --index or --analyzer, not both")
    if index and vectors:
        raise UsageError("an index has its own word vectors: give --index or --vectors, not both")
    if folds is not None and train is not None:
        raise UsageError("--folds cross-validates and --train chooses once: give one of them")
    count = count_settings(ranker, grid)
    with results_in(output), queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
        options: dict[str, Any] = {
            "measure": measure,
            "measures": DEFAULT_MEASURES if measures is None else measures,
            "seed": seed,
            "analyzer": DEFAULT_ANALYZER if analyzer is None else analyzer,
            "index": Index.open(index) if index else None,
            "vectors": vectors,
            "depth": k,
            "match": match,
            "fields": fields,
            "cache": cache,
            "progress": _counted(tell_queries, count),
            "indexing": tell_documents,
            "training": tell_training,
        }
        found: Sweep | Validation
        if train is None:
            found = cross_validate(
                ranker, opened(collection), grid, folds=5 if folds is None else folds, **options
            )
        else:
            found = sweep(ranker, opened(collection), grid, split=share(train), **options)
        written = save_tuning(found, output) if output else []
    if as_json:
        show_json(found.to_json(per_query=per_query))
        return
    _show(found, per_query=per_query)
    if output:
        typer.echo(f"\n{counted(len(written), 'file is', 'files are')} in {output}")


def share(text: str) -> float | str:
    """Return a share of the queries, or else the name of a file."""
    try:
        return float(text)
    except ValueError:
        return text


def _counted(tell: Callable[[str, int, int], None], count: int) -> Callable[[str, int, int], None]:
    """Return what tells the queries of a setting and, off a terminal, now and then how many settings are done."""
    done = 0  # the last is the ranker as it was given
    say = now_and_then()
    start: float | None = None  # not before all is indexed and trained

    def told(ranker: str, queries: int, total: int) -> None:
        nonlocal done, start
        start = time.monotonic() if start is None else start
        each = (time.monotonic() - start) / max(done, 1)
        left = f", about {clock(each * (count - done))} left" if done else ""
        tell(f"{done + 1:,} of {count:,}: {ranker}{left}" if done < count else ranker, queries, total)
        done += queries == total
        say(f"{min(done, count):,} of {count:,} settings are measured")

    return told


def _show(found: Sweep | Validation, *, per_query: bool) -> None:
    values = found.evaluation.per_query
    typer.echo(
        f"{found.collection}: {found.ranker}, {len(found.settings):,} settings, chosen by {found.measure}\n"
    )
    if per_query:
        show_table([{"query": query, **values[query]} for query in values])
        typer.echo()
    show_table(found.table)
    typer.echo()
    show_table(_means(found))
    typer.echo(f"\n{found}")
    if found.note:
        typer.echo(found.note, err=True)


def _means(found: Sweep | Validation) -> list[dict[str, Any]]:
    """Return the means of the tuned ranker, those of the ranker as it was given, and how they differ."""
    rows: list[dict[str, Any]] = [{"": "tuned", **found.evaluation.mean}]
    if found.untuned:
        tests = found.untuned.tests
        rows += [
            {"": "as given", **found.untuned.mean},
            {"": "difference", **{name: f"{test.difference:+.4f}" for name, test in tests.items()}},
            {"": "p (Fisher)", **{name: f"{test.p_value:.2g}" for name, test in tests.items()}},
        ]
    return rows
