"""Commands that search an index and say why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.cluster_options import RayOption, SearchedShardsOption, check_searched
from aboutness.cli.render import counted, ends_well, one_line, show_json, show_table, working
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.app.search import Hits

INDENT = " " * 4
WIDTH = 100  # of a title, at most
MOST_PARTS = 10  # of an explanation below a hit; the command explain shows all

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the index.")]
RankerOption = Annotated[
    list[str] | None,
    typer.Option(
        "-r",
        "--ranker",
        help="A ranker, such as bm25, 'bm25[k1=1.7] % 100 >> ql' or 'rrf(bm25, ql)' (repeatable, or with commas "
        "outside brackets; quote it).",
    ),
]
MatchOption = Annotated[
    str, typer.Option("--match", help="Which documents are ranked: or, and, all, or a cut ranker ('bm25 % 100').")
]
FieldsOption = Annotated[
    str | None, typer.Option("--fields", help="Which fields count, and how much: title, or 3*title+text.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {"search": search, "explain": explain, "run": run, "models": models}
    for name, command in commands.items():
        app.command(name)(ends_well(command))


def search(
    folder: FolderArgument,
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="Words to search for.")] = None,
    ranker: RankerOption = None,
    k: Annotated[int, typer.Option("-k", help="How many documents.")] = 10,
    like: Annotated[str | None, typer.Option("--like", help="Search by a document of the index: its id.")] = None,
    match: MatchOption = "or",
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="Only documents with such metadata: 'year>=1990', 'topic=oil' (repeatable)."),
    ] = None,
    fields: FieldsOption = None,
    explained: Annotated[bool, typer.Option("--explain", help="Say why each document has its score.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Search an index: the best documents for a query, by one ranker or several."""
    from aboutness.app.index import Index

    index = Index.open(folder)
    words = " ".join(query) if query is not None else None
    with working("searching (the first time, kernels are compiled)"):
        found = [
            index.search(words, k, one, like=like, match=match, where=where or None, fields=fields)
            for one in chosen_rankers(ranker)
        ]
    if as_json:
        plain = [hits.to_json(explain=explained) for hits in found]
        show_json(plain[0] if len(plain) == 1 else plain)
        return
    for number, hits in enumerate(found):
        if number:
            typer.echo()
        show_hits(hits, explained=explained)
    if words is not None and not any(found) and not index.knows(words):
        typer.echo("no word of the query stands in the index", err=True)
        return
    if where and not any(found) and (lacking := index.unknown_key(where)):
        typer.echo(f"note: {lacking}", err=True)
    for note in dict.fromkeys(hits.note for hits in found if hits.note):
        typer.echo(f"note: {note}", err=True)
    for hits in found:
        if hits.without_vectors:
            typer.echo(f"{hits.ranker}: no word of the query has a vector; see: aboutness oov", err=True)


def explain(
    folder: FolderArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query.")],
    documents: Annotated[list[str], typer.Argument(metavar="ID", help="The ids of documents.")],
    ranker: RankerOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Make a web page with the documents' words marked; - prints it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say why documents have their scores for a query: what each word adds, and the numbers this comes from."""
    from aboutness.app.index import Index
    from aboutness.app.search import named_ranker

    if html is not None and as_json:
        raise UsageError("--html makes a page and --json prints JSON; choose one of them")
    index = Index.open(folder)
    rankers = chosen_rankers(ranker)
    if html is not None:
        explain_as_page(index, query, documents, rankers, html)
        return
    found = [
        (document, str(named_ranker(one)), index.explain(query, document, one))
        for document in documents
        for one in rankers
    ]
    tell_notes(index, rankers)
    if as_json:
        plain = [{"query": query, "id": document, "ranker": one, **why.to_json()} for document, one, why in found]
        show_json(plain[0] if len(plain) == 1 else plain)
        return
    for document, one, why in found:
        typer.echo(f"{one}: {why}" if len(documents) == 1 else f"{one_line(document)}, {one}: {why}")


def explain_as_page(index: Index, query: str, documents: list[str], rankers: list[str], target: Path) -> None:
    """Write the page that explains documents' scores, and say where, or print it."""
    from aboutness.app.explaining import explain_page, write_page

    with working("explaining"):
        page = explain_page(index.generation, query, documents, rankers)
    if str(target) == "-":
        typer.echo(page.encode(), nl=False)
        return
    write_page(page, target)
    tell_notes(index, rankers)
    count = "1 document" if len(documents) == 1 else f"{len(documents):,} documents"
    typer.echo(f"{count} explained by {', '.join(rankers)}; the page is {target}")


def run(
    folder: FolderArgument,
    queries: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES", help="A file of queries: TREC topics, JSON lines, id-tab-text; or synthetic:NUMBER."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The run to write, in TREC's form; - prints it.")],
    ranker: RankerOption = None,
    k: Annotated[int, typer.Option("-k", help="How many documents for each query.")] = 1000,
    match: MatchOption = "or",
    fields: FieldsOption = None,
    tag: Annotated[str | None, typer.Option("--tag", help="The run's name in its last column.")] = None,
    ray: RayOption = None,
    shards: SearchedShardsOption = None,
) -> None:
    """Rank documents for every query of a file, and write the rankings as a TREC run.

    With --ray, finished pieces are kept beside the run until it is whole: the same command goes on from them.
    """
    from aboutness.app.comparing import run_queries
    from aboutness.app.over_shards import opened, shards_note

    rankers = chosen_rankers(ranker)
    if len(rankers) > 1:
        raise UsageError(f"a run is made by one ranker, got {len(rankers)}: {', '.join(rankers)}")
    check_searched(ray, shards)
    with opened(folder, ray, shards) as index, working("ranking"):
        count = run_queries(
            index, queries, output, rankers[0], depth=k, match=match, fields=fields, tag=tag,
            resumable=ray is not None,
        )  # fmt: skip
    tell_notes(index, rankers)
    if ray is not None and (note := shards_note(index)):
        typer.echo(f"note: {note}", err=True)
    if str(output) != "-":
        typer.echo(f"{counted(count, 'query', 'queries')} ranked by {rankers[0]}; the run is {output}")


def models(as_json: JsonOption = False) -> None:
    """List the rankers with their parameters."""
    from aboutness.app.describe import models as known

    rows = known()
    if as_json:
        show_json(rows)
        return
    for number, row in enumerate(rows):
        typer.echo(f"{chr(10) if number else ''}{row['written']}: {row['summary']} ({row['source']})")
        show_table(
            [
                {
                    "  parameter": f"  {one['name']}",
                    "default": "" if one["default"] is None else f"{one['default']}",
                    "allowed": one["allowed"],
                    "meaning": one["help"],
                }
                for one in row["parameters"]
            ]
        )


def tell_notes(index: Index, rankers: list[str]) -> None:
    """Say on the terminal what is to be said of the use of rankers in an index."""
    for note in index.notes(rankers):
        typer.echo(f"note: {note}", err=True)


def chosen_rankers(given: list[str] | None) -> list[str]:
    """Return the rankers that were asked for, or the one that is taken unless said."""
    from aboutness.app.search import DEFAULT_RANKER, split_rankers

    return [one for text in given or [DEFAULT_RANKER] for one in split_rankers(text)]


def show_hits(hits: Hits, *, explained: bool) -> None:
    """Print hits for people: rank, score, title and id, and below it the beginning of the text, or why."""
    typer.echo(f"{hits.ranker}: {counted(len(hits), 'hit', 'hits')} in {hits.took_ms:.1f} ms for {hits.query!r}")
    for hit in hits:
        title = typer.style(one_line(hit.title, WIDTH), bold=True)
        typer.echo(f"{hit.rank:>3}  {hit.score:8.4f}  {title}  ({one_line(hit.id)})")
        if explained:
            for line in hit.explain().lines(MOST_PARTS)[1:]:
                typer.echo(f"{INDENT}{line}")
        elif hit.text not in ("", hit.title):
            typer.echo(f"{INDENT} {typer.style(one_line(hit.text), dim=True)}")
