"""The commands that serve indexes: `serve`, and `key` for those who come from elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aboutness.cli.cluster_options import RayOption, SearchedShardsOption, check_searched
from aboutness.cli.help import Command
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well
from aboutness.core.counted import counted
from aboutness.core.errors import AboutnessError, UsageError

if TYPE_CHECKING:
    from aboutness.app.index import Index
    from aboutness.server.settings import Settings

PORT = 8000
WAITING = 16  # threads of a server that waits for others: so many requests are under way at once

PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("serve", cls=Command)(ends_well(serve))
    app.command("key", cls=Command)(ends_well(key))


def serve(
    folders: Annotated[
        list[str],
        typer.Argument(metavar="DIR", help="Folders of indexes, each DIR or NAME=DIR.", show_default=False),
    ],
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; any but this machine's loopback needs API keys.")
    ] = "127.0.0.1",
    port: PortOption = PORT,
    api_key_file: Annotated[
        Path | None, typer.Option("--api-key-file", help="Let in only those with one of these keys (see key).")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="A name by which others call this server (repeatable)."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", help="A folder with results of experiments, to compare.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Let nobody change or train anything.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify/--no-verify", help="Compare every file with its checksum first.")
    ] = True,
    ray: RayOption = None,
    shards: SearchedShardsOption = None,
    replicas: Annotated[
        int | None, typer.Option("--replicas", help="With --ray: how many workers hold each shard. [1]")
    ] = None,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Write a line of JSON for each request to standard error.")
    ] = False,
    log_queries: Annotated[
        bool, typer.Option("--log-queries", help="Have in the log also what was asked for, and what errors say.")
    ] = False,
) -> None:
    """Serve indexes to browsers and programs: pages at the address printed, an HTTP interface under /v1.

    With --ray, workers of a Ray cluster hold the shards of the indexes. Where one does not answer, answers are
    made without it and say so.
    """
    from aboutness.app.index import Index
    from aboutness.app.over_shards import engine_at, opened_to_serve
    from aboutness.server.held import named_folders
    from aboutness.server.serving import check_port
    from aboutness.server.settings import Limits, Settings

    check_searched(ray, shards)
    check_replicas(ray, replicas)
    settings = Settings(
        host=host,
        hosts=tuple(allow_host or ()),
        keys=api_key_file,
        results=results,
        read_only=read_only,
        log_json=log_json,
        log_queries=log_queries,
        limits=Limits(threads=WAITING) if ray else Limits(),
    )
    check_port(host, port)
    with working("comparing checksums"):
        indexes = {name: Index.open(folder, verify=verify) for name, folder in named_folders(folders).items()}
    with engine_at(ray) as engine:
        if engine is not None:
            with working("opening shards"):
                indexes = opened_to_serve(indexes, engine, shards, replicas or 1)
        for name, index in indexes.items():
            typer.echo(f"{name}: {counted(len(index), 'document')}{_spread(index)}", err=True)
        serve_until_stopped(indexes, settings, port)


def _spread(index: Index) -> str:
    """Return over how many shards an index is spread."""
    from aboutness.app.over_shards import shards_note, shards_of

    if not (count := shards_of(index)):
        return ""
    note = shards_note(index)
    return f" in {counted(count, 'shard')}" + (f"; note: {note}" if note else "")


def check_replicas(ray: str | None, replicas: int | None) -> None:
    """Raise where replicas are asked for that nobody holds, or none."""
    if replicas is not None and ray is None:
        raise UsageError("--replicas says how many workers of --ray hold each shard: give --ray, too")
    if replicas is not None and replicas < 1:
        raise UsageError(f"the number of replicas must be at least 1, got {replicas}")


def serve_until_stopped(indexes: Mapping[str, Index], settings: Settings, port: int = PORT) -> None:
    """Serve, and say where, until interrupted."""
    from aboutness.server.serving import serve as serve_indexes

    with working("making ready"):  # so that the first who asks does not wait for it
        for index in indexes.values():
            with suppress(AboutnessError):
                index.search("a", 1)

    def tell(address: str) -> None:
        typer.echo(f"Serving at {address}")
        typer.echo("Ctrl-C ends it.", err=True)
        sys.stdout.flush()

    serve_indexes(indexes, settings, port, tell)


def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of keys; only hashes are kept in it.")],
    scope: Annotated[
        str, typer.Option("--scope", help="read; write (also documents); admin (also trainings).")
    ] = "read",
) -> None:
    """Make an API key for `serve --api-key-file`, and print it: it is kept nowhere else."""
    from aboutness.server.access import make_key

    typer.echo(make_key(file, scope))
    typer.echo(f"The key has the scope {scope}; its hash is in {file}. It is shown only now.", err=True)
