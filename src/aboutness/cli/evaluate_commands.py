"""Commands that measure and compare rankings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.render import ends_well, queries_progress, show_json, show_table
from aboutness.cli.search_commands import FieldsOption, JsonOption, MatchOption, RankerOption, chosen_rankers
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.comparing import Comparison, EvaluatedRun

MeasuresOption = Annotated[
    str | None, typer.Option("--measures", help="Measures, with commas. [default: nDCG@10,AP,RR,P@10,R@100]")
]
PerQueryOption = Annotated[bool, typer.Option("--per-query", help="Show every query's values too.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {
        "evaluate": evaluate,
        "experiment": experiment,
        "measures": measures,
    }
    for name, command in commands.items():
        app.command(name)(ends_well(command))


def evaluate(
    qrels: Annotated[
        Path, typer.Argument(metavar="QRELS", help="Judgements: TREC's four columns or BEIR's three.")
    ],
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Runs in TREC's form.")],
    measures: MeasuresOption = None,
    test: Annotated[
        str | None,
        typer.Option(
            "--test", help="Test whether the other runs differ from the first more than by chance: fisher."
        ),
    ] = None,
    per_query: PerQueryOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure runs by judgements, as trec_eval -c does: a query without an answer counts 0."""
    from aboutness.app.comparing import DEFAULT_MEASURES, evaluate_runs

    found = evaluate_runs(qrels, runs, DEFAULT_MEASURES if measures is None else measures, test=test)
    if as_json:
        rows = [
            {**one.to_json(), **({"per_query": one.evaluation.per_query} if per_query else {})} for one in found
        ]
        show_json({"qrels": str(qrels), "rows": rows})
        return
    for one in found if per_query else ():
        show_table(
            [{"run": one.name, "query": query, **values} for query, values in one.evaluation.per_query.items()]
        )
        typer.echo()
    show_table([{"run": one.name, "queries": one.evaluation.queries, **one.evaluation.mean} for one in found])
    _show_tests(found)
    for one in found:
        _tell(one.name, len(one.evaluation.unanswered), "judged queries have no ranking: they count 0")
        _tell(one.name, len(one.evaluation.unjudged), "ranked queries have no judgement: they are left out")
        _tell(one.name, len(one.evaluation.without_relevant), "judged queries have no relevant document")


def _show_tests(found: list[EvaluatedRun]) -> None:
    rows = [
        {"run": one.name, "measure": name, "difference": f"{result.difference:+.4f}", "p": f"{result.p_value:.2g}"}
        for one in found
        for results in one.tests.values()
        for name, result in results.items()
    ]
    if rows:
        typer.echo(f"\nagainst {found[0].name} ({', '.join(found[1].tests)}):")
        show_table(rows)


def experiment(
    collection: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTION", help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or irds:NAME."
        ),
    ],
    ranker: RankerOption = None,
    measures: MeasuresOption = None,
    analyzer: Annotated[
        str | None, typer.Option("--analyzer", help="How the documents are analysed. [default: english]")
    ] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="An index that holds the documents, instead of a new one.")
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            "--vectors",
            help="Word vectors for the rankers that need some: a file, or how to train them. [default: word2vec]",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many documents of each ranking are measured.")] = 1000,
    match: MatchOption = "or",
    fields: FieldsOption = None,
    per_query: PerQueryOption = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for results, per-query values and runs.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare rankers on a test collection; all that are registered unless some are named.

    What rankers need is trained on the documents first, unless there is an index, which has its own.
    """
    from aboutness.app.comparing import DEFAULT_MEASURES, compare, results_in, save_comparison, trained_first
    from aboutness.app.comparing import collection as opened
    from aboutness.app.index import DEFAULT_ANALYZER, Index

    if index and analyzer:
        raise UsageError("an index has its own analyzer: give --index or --analyzer, not both")
    if index and vectors:
        raise UsageError("an index has its own word vectors: give --index or --vectors, not both")
    rankers = chosen_rankers(ranker) if ranker else None
    with results_in(output):
        test_collection = opened(collection)
        if rankers is None and index is None and not as_json:
            first = ", ".join(trained_first(vectors))
            typer.echo(f"comparing all rankers (-r chooses some); trained first: {first}", err=True)
        with queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
            found = compare(
                rankers,
                test_collection,
                DEFAULT_MEASURES if measures is None else measures,
                analyzer=DEFAULT_ANALYZER if analyzer is None else analyzer,
                index=Index.open(index) if index else None,
                vectors=vectors,
                depth=k,
                match=match,
                fields=fields,
                progress=tell_queries,
                indexing=tell_documents,
                training=tell_training,
            )
        if as_json:
            show_json(found.to_json(per_query=per_query))
        else:
            _show_comparison(found, per_query=per_query)
        written = save_comparison(found, output) if output else []
    if output and not as_json:
        typer.echo(f"\n{len(written)} files are in {output}")


def _show_comparison(found: Comparison, *, per_query: bool) -> None:
    typer.echo(
        f"{found.collection}: {found.documents:,} documents ({found.analyzer}), {found.queries:,} queries\n"
    )
    for row in found.rows if per_query else ():
        values = row.evaluation.per_query
        show_table([{"ranker": str(row.ranker), "query": query, **values[query]} for query in values])
        typer.echo()
    typer.echo(str(found))
    if found.note:
        typer.echo(found.note, err=True)
    for why, rankers in _by_reason(found.left_out).items():
        typer.echo(f"{', '.join(rankers)} {'is' if len(rankers) == 1 else 'are'} left out: {why}", err=True)
    unknown = sum(map(len, found.unknown.values()))
    _tell(found.collection, unknown, "judged documents are not in the collection: they count as never found")
    unanswered = len(found.rows[0].evaluation.unanswered) if found.rows else 0
    _tell(found.collection, unanswered, "judged queries have no ranking by the first ranker: they count 0")


def _by_reason(left_out: dict[str, str]) -> dict[str, list[str]]:
    """Return rankers by the reason for which they are left out."""
    rankers: dict[str, list[str]] = {}
    for ranker, why in left_out.items():
        rankers.setdefault(why, []).append(ranker)
    return rankers


def measures(as_json: JsonOption = False) -> None:
    """List the measures."""
    from aboutness.app.comparing import known_measures

    rows = known_measures()
    if as_json:
        show_json(rows)
    else:
        show_table(rows)


def _tell(name: str, count: int, what: str) -> None:
    if count:
        typer.echo(f"{name}: {count:,} {what}", err=True)
