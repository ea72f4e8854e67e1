"""Commands that make and change an index."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.cluster_options import MadeShardsOption, RayOption
from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import shards_progress, working
from aboutness.cli.render import ends_well, show_json
from aboutness.cli.taking_in import (
    FieldOption,
    FormatOption,
    IdOption,
    OnError,
    OnErrorOption,
    RejectsOption,
    SourcesArgument,
    reading,
    setting_aside,
    tell_left_out,
)
from aboutness.core.counted import counted
from aboutness.core.errors import BadInput, UsageError


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
        "snapshot": snapshot,
    }
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))


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
        "layers": dict(_pair(text, "--layer", "NAME=ANALYZER", str) for text in layers or ()),
        "weights": dict(_pair(text, "--weight", "FIELD=NUMBER", float) for text in weights or ()),
        "overwrite": overwrite,
    }
    if shards is not None or ray is not None:
        from aboutness.app.by_shards import ByShards
        from aboutness.app.sharded import build_sharded

        with setting_aside(output, on_error, rejects) as (on_bad, done), shards_progress("Indexing") as told:
            built = build_sharded(named, output, ByShards(shards).made, ray=ray, **how, on_bad=on_bad, tell=told)
            done(built, built.added, as_json)
        tell_left_out(named, as_json)
        return
    with reading(named, "Indexing", output, on_error, rejects) as (on_bad, tell, done):
        built = Index.build(named.documents(on_bad), output, **how, on_bad=on_bad, progress=tell)
        done(built, built.added, as_json)
    tell_left_out(named, as_json)


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
    with reading(named, "Adding", folder, on_error, rejects) as (on_bad, tell, done):
        added = opened.add(named.documents(on_bad), update=update, on_bad=on_bad, progress=tell)
        done(opened, added, as_json)
    tell_left_out(named, as_json)


def sync(
    folder: FolderArgument,
    sources: SourcesArgument,
    format: FormatOption = None,  # noqa: A002
    fields: FieldOption = None,
    id_key: IdOption = None,
    on_error: OnErrorOption = OnError.STOP,
    rejects: RejectsOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make an index hold just the documents of the sources, in one commit.

    New and changed documents are taken in, others are deleted, and those that are as they were stay, with what was
    trained on them. Where records are set aside (--on-error skip), nothing is deleted.
    """
    from aboutness.app.index import Index
    from aboutness.app.sources import Sources
    from aboutness.app.syncing import sync_sources

    named = Sources(sources, format, fields, id_key)
    opened = Index.open(folder)
    with reading(named, "Comparing", folder, on_error, rejects, dry_run=dry_run) as (on_bad, tell, done):
        synced = sync_sources(opened, named, on_bad=on_bad, progress=tell, dry_run=dry_run)
        done(opened, synced, as_json)
    tell_left_out(named, as_json, is_done=not dry_run)


def delete(
    folder: FolderArgument,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids of documents.")] = None,
    ids_from: Annotated[
        typer.FileText | None,
        typer.Option("--ids-from", encoding="utf-8-sig", help="A file with one id a line; - for standard input."),
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
        if reason := opened.why_none(where):
            typer.echo(f"note: {reason}", err=True)
    elif not wanted:
        raise UsageError("say which documents: ids, --ids-from FILE, or --where CONDITION")
    deleted = opened.delete(wanted, missing_ok=missing_ok)
    result = {"index": str(folder), "deleted": deleted, "documents": len(opened)}
    if as_json:
        show_json({**result, "generation": opened.snapshot.generation})
    else:
        left = f"{len(opened):,} {'is' if len(opened) == 1 else 'are'} left in {folder}"
        typer.echo(f"Deleted {counted(deleted, 'document')}; {left}")


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
        typer.echo(f"Merged {counted(before, 'segment')} to {after}")


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
        documents = counted(len(copy), "document")
        typer.echo(f"Copied generation {generation} of {folder} to {output}: {documents}")


def _pair(text: str, option: str, form: str, read: Callable[[str], Any]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        if not name or not equals:
            raise ValueError(text)
        return name, read(value)
    except ValueError:
        raise UsageError(f"{option} is written {form}, got {text!r}") from None
