"""Options of all commands that can work by shards, or on a Ray cluster."""

from __future__ import annotations

from typing import Annotated

import typer

from aboutness.core.errors import UsageError

RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="A Ray cluster that does it, whose nodes see all files under the same paths: HOST:PORT, auto (the "
        "one on this machine), or local (one that is started for this command).",
    ),
]
MadeShardsOption = Annotated[
    int | None, typer.Option("--shards", help="Do it by so many shards of the documents. [8 with --ray]")
]
SearchedShardsOption = Annotated[
    int | None, typer.Option("--shards", help="With --ray: into how many shards, at most (its segments).")
]


def check_searched(ray: str | None, shards: int | None) -> None:
    """Raise where shards of an index are asked for that nobody searches, or none of them."""
    if shards is not None and ray is None:
        raise UsageError("--shards says into how many shards --ray divides an index: give --ray, too")
    check_count(shards)


def check_count(shards: int | None) -> None:
    """Raise where no shards are asked for."""
    if shards is not None and shards < 1:
        raise UsageError(f"the number of shards must be at least 1, got {shards}")
