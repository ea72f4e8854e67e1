"""Commands that search an index and say why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.cluster_options import RayOption, SearchedShardsOption, check_searched
from aboutness.cli.fitting import columns, hanging, wrapped
from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json, show_lines, show_table
from aboutness.core.counted import counted
from aboutness.core.errors import UsageError
from aboutness.core.one_line import one_line

if TYPE_CHECKING:
    from aboutness.app.hits import Hit, Hits
    from aboutness.app.index import Index

INDENT = " " * 4
WIDTH = 100  # of a title, at most
MOST_PARTS = 10  # of an explanation below a hit; the command explain shows all

RANKER = (
    "A ranker, such as bm25, 'bm25[k1=1.7] % 100 >> ql' or 'rrf(bm25, ql)' (repeatable, or with commas outside "
    "brackets; quote it). See: aboutness models."
)
RankerOption = Annotated[list[str] | None, typer.Option("-r", "--ranker", help=RANKER)]
AnsweringOption = Annotated[
    list[str] | None, typer.Option("-r", "--ranker", help=f"{RANKER} [default: default; bm25 until it is trained]")
]
MatchOption = Annotated[
    str,
    typer.Option(
        "--match",
        help="Which documents are ranked: those with any word (or), with every word (and), all, or those of a cut "
        "ranker ('bm25 % 100').",
    ),
]
FieldsOption = Annotated[
    str | None, typer.Option("--fields", help="Which fields count, and how much: title, or 3*title+text.")
]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {"search": search, "explain": explain, "run": run, "models": models}
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))


def search(
    folder: FolderArgument,
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY", help="Words to search for.")] = None,
    ranker: AnsweringOption = None,
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
    with working("searching"):
        found = [
            index.search(words, k, one, like=like, match=match, where=where or None, fields=fields)
            for one in chosen_rankers(ranker)
        ]
    if as_json:
        plain = [hits.to_json(explain=explained) for hits in found]
        show_json(plain[0] if len(plain) == 1 else plain)
    else:
        for number, hits in enumerate(found):
            if number:
                typer.echo()
            show_hits(hits, explained=explained)
    unknown = words if words is not None and not any(found) and not index.knows(words) else None
    if where and not any(found) and unknown is None and (reason := index.why_none(where)):
        typer.echo(f"note: {reason}", err=True)
    if as_json:
        return
    if unknown is not None:
        tell_unknown(index, unknown)
    else:
        _tell_of(found)
        if words is not None and not any(found):
            tell_respelt(index, words)


def _tell_of(found: list[Hits]) -> None:
    """Say what to know of the rankers that answered; JSON has it in it."""
    for note in dict.fromkeys(hits.note for hits in found if hits.note):
        typer.echo(f"note: {note}", err=True)
    for hits in found:
        if not hits and hits.without_vectors:
            typer.echo(f"{hits.ranker}: no word of the query has a vector; see: aboutness oov", err=True)


def explain(
    folder: FolderArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The query.")],
    documents: Annotated[list[str], typer.Argument(metavar="ID", help="The ids of documents.")],
    ranker: AnsweringOption = None,
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
        score, *parts = why.lines()
        show_lines(wrapped(f"{one}: {score}" if len(documents) == 1 else f"{one_line(document)}, {one}: {score}"))
        for part in parts:
            show_lines(hanging(part))


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
    typer.echo(f"{counted(len(documents), 'document')} explained by {', '.join(rankers)}; the page is {target}")


def run(
    folder: FolderArgument,
    queries: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES", help="A file of queries: TREC topics, JSON lines, id-tab-text; or synthetic:NUMBER."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The run to write, in TREC's form; - prints it.")],
    ranker: AnsweringOption = None,
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
    if not count:
        typer.echo(f"note: there are no queries in {queries}", err=True)


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Only these, such as bm25 or default. [default: all]"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rankers with their parameters, all or some."""
    from aboutness.app.describe import models as known

    rows = known(names or ())
    if as_json:
        show_json(rows)
        return
    for number, row in enumerate(rows):
        if number:
            typer.echo()
        show_lines(wrapped(f"{row['written']}: {row['summary']} ({row['source']})"))
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


def tell_unknown(index: Index, words: str) -> None:
    """Say why a query has no word by which documents can be found."""
    from aboutness.app.query_words import stopped_words
    from aboutness.app.suggesting import respelt

    if stopped := stopped_words(index.snapshot, words):
        frequent = f"too frequent to tell anything, and are left out: {', '.join(stopped)}"
        typer.echo(f"the words of the query are {frequent}", err=True)
    else:
        meant = f"; did you mean {near!r}?" if (near := respelt(index, words)) else ""
        typer.echo(f"no word of the query stands in the index{meant}", err=True)


def tell_respelt(index: Index, words: str) -> None:
    """Say how a query may be meant whose words no document has, where some documents have parts of them."""
    from aboutness.app.suggesting import respelt

    if near := respelt(index, words):
        typer.echo(f"did you mean {near!r}?", err=True)


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
    typer.echo(f"{hits.ranker}: {counted(len(hits), 'hit')} in {hits.took_ms:.1f} ms for {hits.query!r}")
    for hit in hits:
        show_lines(_headline(hit))
        if explained:
            for line in hit.explain().lines(MOST_PARTS)[1:]:
                show_lines(hanging(f"{INDENT}{line}"))
        elif hit.text not in ("", hit.title):
            show_lines(typer.style(line, dim=True) for line in wrapped(one_line(hit.text), f"{INDENT} "))


def _headline(hit: Hit) -> Iterator[str]:
    """Yield rank, score, title and id of a hit; the id in a line of its own where there is no room for it."""
    rank, identifier = f"{hit.rank:>3}  {hit.score:8.4f}  ", f"({one_line(hit.id)})"
    below = " " * len(rank)
    *lines, last = wrapped(one_line(hit.title, WIDTH), rank, below)
    room = columns()
    beside = room is None or len(last) + len(identifier) + 2 <= room
    for line in [*lines, last]:
        bold = line[: len(below)] + typer.style(line[len(below) :], bold=True)
        yield f"{bold}  {identifier}" if beside and line is last else bold
    if not beside:
        yield below + identifier
