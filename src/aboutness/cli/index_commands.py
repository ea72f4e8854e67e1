"""Commands that make, change and look into an index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.cluster_options import MadeShardsOption, RayOption
from aboutness.cli.render import (
    counted,
    ends_well,
    one_line,
    progress,
    shards_progress,
    show_json,
    show_pairs,
    show_table,
    size,
    working,
)
from aboutness.core.errors import BadInput, UsageError
from aboutness.core.rejects import OnBad, RejectFile, stop


class OnError(StrEnum):
    """What happens at a record that cannot be used."""

    STOP = "stop"
    SKIP = "skip"


SourcesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Files, folders, 'stdlib', 'irds:NAME', or 'synthetic:NUMBER'. See: aboutness formats.",
    ),
]
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the index.")]
FormatOption = Annotated[str | None, typer.Option("--format", help="The sources' format; guessed if not given.")]
FieldOption = Annotated[
    list[str] | None, typer.Option("--field", help="A key or column that holds text (repeatable).")
]
IdOption = Annotated[str | None, typer.Option("--id-key", help="The key or column that holds the id.")]
OnErrorOption = Annotated[OnError, typer.Option("--on-error", help="At a bad record: stop, or skip it.")]
RejectsOption = Annotated[
    Path | None, typer.Option("--rejects", help="Where skipped records go. [default: NAME.rejects.jsonl]")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {
        "index": index,
        "add": add,
        "sync": sync,
        "delete": delete,
        "merge": merge,
        "layer": layer,
        "prepare": prepare,
        "info": info,
        "check": check,
        "snapshot": snapshot,
        "analyzers": analyzers,
        "formats": formats,
    }
    for name, command in commands.items():
        app.command(name)(ends_well(command))


def index(
    sources: SourcesArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make.")],
    analyzer: Annotated[
        str, typer.Option("--analyzer", "-a", help="How text becomes terms. See: aboutness analyzers.")
    ] = "english",
    layers: Annotated[
        list[str] | None, typer.Option("--layer", help="A further layer, NAME=ANALYZER (repeatable).")
    ] = None,
    weights: Annotated[
        list[str] | None, typer.Option("--weight", help="How much a field counts, FIELD=NUMBER (repeatable).")
    ] = None,
    format: FormatOption = None,  # noqa: A002 - the word users know
    fields: FieldOption = None,
    id_key: IdOption = None,
    on_error: OnErrorOption = OnError.STOP,
    rejects: RejectsOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an index that is there.")] = False,
    shards: MadeShardsOption = None,
    ray: RayOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an index of documents.

    Nothing stands at the output before all is done; Ctrl-C leaves everything as it was. By shards, what is
    finished is kept beside the output until then: the same command goes on from there.
    """
    from aboutness.app.index import Index
    from aboutness.app.sources import Sources

    named = Sources(sources, format, fields, id_key)
    how: dict[str, Any] = {
        "analyzer": analyzer,
        "layers": dict(_pair(text, "--layer", str) for text in layers or ()),
        "weights": dict(_pair(text, "--weight", float) for text in weights or ()),
        "overwrite": overwrite,
    }
    if shards is not None or ray is not None:
        from aboutness.app.by_shards import ByShards
        from aboutness.app.sharded import build_sharded

        with _setting_aside(output, on_error, rejects) as (on_bad, done), shards_progress("Indexing") as told:
            built = build_sharded(named, output, ByShards(shards).made, ray=ray, **how, on_bad=on_bad, tell=told)
            done(built, built.added, as_json)
        return
    with _reading(named, "Indexing", output, on_error, rejects) as (on_bad, tell, done):
        built = Index.build(named.documents(on_bad), output, **how, on_bad=on_bad, progress=tell)
        done(built, built.added, as_json)


def add(
    folder: FolderArgument,
    sources: SourcesArgument,
    update: Annotated[bool, typer.Option("--update", help="Replace documents whose id is there.")] = False,
    format: FormatOption = None,  # noqa: A002
    fields: FieldOption = None,
    id_key: IdOption = None,
    on_error: OnErrorOption = OnError.STOP,
    rejects: RejectsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add documents to an index, in one commit."""
    from aboutness.app.index import Index
    from aboutness.app.sources import Sources

    named = Sources(sources, format, fields, id_key)
    opened = Index.open(folder)
    with _reading(named, "Adding", folder, on_error, rejects) as (on_bad, tell, done):
        added = opened.add(named.documents(on_bad), update=update, on_bad=on_bad, progress=tell)
        done(opened, added, as_json)


def sync(
    folder: FolderArgument,
    sources: SourcesArgument,
    format: FormatOption = None,  # noqa: A002
    fields: FieldOption = None,
    id_key: IdOption = None,
    on_error: OnErrorOption = OnError.STOP,
    rejects: RejectsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make an index hold just the documents of the sources, in one commit.

    New and changed documents are taken in, others are deleted, and those that are as they were stay, with what was
    trained on them. Where records are set aside (--on-error skip), nothing is deleted.
    """
    from aboutness.app.index import Index
    from aboutness.app.sources import Sources

    named = Sources(sources, format, fields, id_key)
    opened = Index.open(folder)
    with _reading(named, "Comparing", folder, on_error, rejects) as (on_bad, tell, done):
        synced = opened.sync(named.documents(on_bad), on_bad=on_bad, progress=tell)
        done(opened, synced, as_json)


def delete(
    folder: FolderArgument,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids of documents.")] = None,
    ids_from: Annotated[
        typer.FileText | None,
        typer.Option("--ids-from", encoding="utf-8", help="A file with one id a line; - for standard input."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="Metadata conditions, e.g. 'year<1990' (all must hold)."),
    ] = None,
    missing_ok: Annotated[bool, typer.Option("--missing-ok", help="Pass over ids that are not there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete documents, in one commit."""
    from aboutness.app.index import Index

    opened = Index.open(folder)
    wanted = [*(ids or ())]
    if ids_from:
        try:
            wanted += [line.rstrip("\r\n") for line in ids_from if line.strip()]
        except UnicodeDecodeError as error:
            raise BadInput(f"{ids_from.name}: not UTF-8 ({error})") from None
    if where:
        wanted += opened.where(where)
        if lacking := opened.unknown_key(where):
            typer.echo(f"note: {lacking}", err=True)
    elif not wanted:
        raise UsageError("say which documents: ids, --ids-from FILE, or --where CONDITION")
    deleted = opened.delete(wanted, missing_ok=missing_ok)
    result = {"index": str(folder), "deleted": deleted, "documents": len(opened)}
    if as_json:
        show_json({**result, "generation": opened.snapshot.generation})
    else:
        left = f"{len(opened):,} {'is' if len(opened) == 1 else 'are'} left in {folder}"
        typer.echo(f"Deleted {counted(deleted, 'document', 'documents')}; {left}")


def merge(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Make one segment of all: smaller, and a little faster to search."""
    from aboutness.app.index import Index

    opened = Index.open(folder)
    before = len(opened.snapshot.segments)
    with working("Merging"):
        opened.merge()
    after = len(opened.snapshot.segments)
    if as_json:
        show_json({"index": str(folder), "segments_before": before, "segments": after})
    else:
        typer.echo(f"Merged {counted(before, 'segment', 'segments')} to {after}")


def layer(
    folder: FolderArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new layer's name.")],
    analyzer: Annotated[str, typer.Argument(metavar="ANALYZER", help="See: aboutness analyzers.")],
    as_json: JsonOption = False,
) -> None:
    """Add a layer: analyse the stored documents in a further way."""
    from aboutness.app.index import Index

    opened = Index.open(folder)
    with working("Adding the layer"):
        opened.add_layer(name, analyzer)
    terms = opened.view(name).vocabulary_size
    if as_json:
        show_json({"index": str(folder), "layer": name, "analyzer": analyzer, "terms": terms})
    else:
        typer.echo(f"Added layer {name} ({analyzer}): {terms:,} terms")


def prepare(
    folder: FolderArgument,
    ranker: Annotated[
        list[str] | None,
        typer.Option("-r", "--ranker", help="A ranker on document vectors, such as iwcs or pv-lm (repeatable)."),
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="Keep them no more.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Keep in the index the document vectors that rankers need, so that these are ready at once.

    Where these were trained, those of documents that came since are added. Without -r, what is kept is brought up
    to date; many changes of documents do that by themselves.
    """
    from aboutness.app.index import Index
    from aboutness.app.search import split_rankers

    index = Index.open(folder)
    start = time.perf_counter()
    with working("preparing"):
        some = [one for text in ranker for one in split_rankers(text)] if ranker else None
        found = index.prepare(some, drop=drop)
    if as_json:
        show_json({"index": str(folder), "dropped" if drop else "kept": found})
    elif drop:
        typer.echo(f"dropped the document vectors of {', '.join(found) or 'no ranker'}")
    elif found:
        typer.echo(f"kept the document vectors of {', '.join(found)} ({time.perf_counter() - start:.1f} s)")
    else:
        typer.echo("no document vectors are kept; say for which ranker with -r, such as -r iwcs")


def info(folder: FolderArgument, as_json: JsonOption = False) -> None:
    """Show what an index holds."""
    from aboutness.app.describe import describe
    from aboutness.app.index import Index

    facts = describe(Index.open(folder))
    if as_json:
        show_json(facts)
        return
    show_pairs(
        [
            ("index", facts["index"]),
            (
                "documents",
                f"{facts['documents']:,}" + (f" ({facts['deleted']:,} deleted)" if facts["deleted"] else ""),
            ),
            ("size", f"{size(facts['bytes'])} in {counted(facts['segments'], 'segment', 'segments')}"),
            ("generation", f"{facts['generation']}, made {facts['created']}, last by {facts['software']}"),
        ]
    )
    for title in ("fields", "layers", "metadata", "artefacts"):
        if facts[title]:
            typer.echo(f"\n{title}")
            show_table([_artefact(row) if title == "artefacts" else row for row in facts[title]])
    changes = [line for row in facts["artefacts"] if (line := _since(row, folder))]
    if changes:
        typer.echo("\n" + "\n".join(changes))


def _artefact(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a row for something trained or derived: what it holds, and how it was made."""
    counts = [f"{facts[what]:,} {what}" for what in ("documents", "words") if facts[what] is not None]
    holds = f"{', '.join(counts)} x {facts['dim']}" if counts else None
    made_by = one_line(facts["made_by"], 60) if facts["made_by"] else None
    named = {"name": facts["name"], "kind": facts["kind"], "holds": holds, "size": size(facts["bytes"])}
    return {**named, "made by": made_by, "generation": facts["generation"], "created": facts["created"]}


def _since(facts: dict[str, Any], folder: Path) -> str:
    """Return what to say where documents have come or gone since something was trained, or else nothing."""
    came, went, inferred = facts["added_since"], facts["deleted_since"], facts["inferred"]
    moves = [
        f"{count:,} {'document' if count == 1 else 'documents'} {how}"
        for count, how in ((came, "came"), (went, "went"))
        if count
    ]
    if not moves:
        return ""
    text = f"{facts['name']}: {' and '.join(moves)} since"
    if came and inferred:
        text += f", {inferred:,} folded in when searched (aboutness prepare {folder} keeps them)"
    elif came and inferred is not None:
        text += ", folded in"
    return f"{text}; train again to learn from them" if came else text


def check(
    folder: FolderArgument,
    deep: Annotated[bool, typer.Option("--deep", help="Read and compare everything, not only sizes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look for damage; the exit code is 5 where some is found."""
    from aboutness.app.index import check_folder

    with working("Checking"):
        report = check_folder(folder, deep=deep)
    if as_json:
        show_json({"index": str(folder), "ok": report.ok, **vars(report)})
    else:
        for problem in report.problems:
            typer.echo(problem)
        if report.unnamed:
            typer.echo(f"{len(report.unnamed)} files belong to no commit; the next writer removes them")
        if report.ok:
            typer.echo(
                f"{folder} is sound: {report.documents:,} documents, {report.files} files, {size(report.bytes)}"
                + ("" if deep else " (sizes and headers; --deep compares everything)")
            )
    if not report.ok:
        typer.echo(f"aboutness: {folder} is damaged; build it anew, or restore a copy", err=True)
        raise typer.Exit(5)


def snapshot(
    folder: FolderArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make.")],
    as_json: JsonOption = False,
) -> None:
    """Copy an index as it is now to another folder, also while somebody writes to it: a backup.

    Every file is compared with its checksum on the way. Nothing stands at the output before all is done.
    """
    from aboutness.app.index import Index

    opened = Index.open(folder)
    with working("Copying"):
        generation = opened.copy_to(output)
    copy = Index.open(output)
    if as_json:
        show_json({"index": str(folder), "copy": str(output), "documents": len(copy), "generation": generation})
    else:
        documents = counted(len(copy), "document", "documents")
        typer.echo(f"Copied generation {generation} of {folder} to {output}: {documents}")


def analyzers(as_json: JsonOption = False) -> None:
    """List the ways in which text can become terms."""
    from aboutness.app.describe import analyzers as known

    if as_json:
        show_json(known())
    else:
        show_table(known())
        typer.echo("\nOptions go in brackets: 'english[stop=none,words=1-2]', 'plain[letters=3-5]'")


def formats(as_json: JsonOption = False) -> None:
    """List the formats that can be read."""
    from aboutness.app.sources import formats as known

    (show_json if as_json else show_table)(known())


Done = Callable[[Any, Any, bool], None]


@contextmanager
def _reading(
    sources: Any,  # noqa: ANN401 - app.sources is imported late
    title: str,
    folder: Path,
    on_error: OnError,
    rejects: Path | None,
) -> Iterator[tuple[OnBad, Callable[[int, int], None], Done]]:
    """Set up progress and the reject file; yield what takes bad records, progress, and the result."""
    from aboutness.app.sources import metered

    with _setting_aside(folder, on_error, rejects) as (on_bad, report), ExitStack() as stack:
        tell, tell_bytes = stack.enter_context(progress(title, sources.size))
        stack.enter_context(metered(tell_bytes))

        def done(index: Any, added: Any, as_json: bool) -> None:  # noqa: ANN401
            stack.close()
            report(index, added, as_json)

        yield on_bad, tell, done


@contextmanager
def _setting_aside(folder: Path, on_error: OnError, rejects: Path | None) -> Iterator[tuple[OnBad, Done]]:
    """Set up the reject file; yield what takes bad records, and the result."""
    from aboutness.app.sources import default_rejects

    start = time.perf_counter()
    with ExitStack() as stack:
        reject_file = None
        if on_error is OnError.SKIP:
            reject_file = stack.enter_context(RejectFile(rejects or default_rejects(folder)))
        elif rejects is not None:
            raise UsageError("--rejects goes with --on-error skip")

        def done(index: Any, added: Any, as_json: bool) -> None:  # noqa: ANN401
            stack.close()
            _report(index, added, reject_file, time.perf_counter() - start, as_json=as_json)

        yield reject_file or stop, done


def _report(index: Any, added: Any, rejects: RejectFile | None, seconds: float, *, as_json: bool) -> None:  # noqa: ANN401
    rejected = rejects.count if rejects else 0
    if as_json:
        show_json(
            {
                "index": str(index.path),
                "documents": len(index),
                "added": added.added,
                "updated": added.updated,
                **{name: getattr(added, name) for name in ("unchanged", "deleted") if hasattr(added, name)},
                "rejected": rejected,
                "rejects": str(rejects.path) if rejects and rejected else None,
                "generation": index.snapshot.generation,
                "seconds": round(seconds, 3),
            }
        )
        return
    moves = {"updated": added.updated, **{name: getattr(added, name, 0) for name in ("deleted", "unchanged")}}
    changed = "".join(f", {count:,} {name}" for name, count in moves.items() if count)
    new = counted(added.added, "document", "documents")
    typer.echo(f"{new} added{changed} in {seconds:.1f} s; {index.path} holds {len(index):,}")
    if rejects and rejected:
        typer.echo(f"{rejected:,} records could not be used; they are in {rejects.path}")


def _pair(text: str, option: str, read: Callable[[str], Any]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        if not name or not equals:
            raise ValueError(text)
        return name, read(value)
    except ValueError:
        raise UsageError(f"{option} is written NAME=VALUE, got {text!r}") from None
