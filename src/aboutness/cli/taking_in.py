"""What the commands that take documents in share: which sources, what becomes of bad records, what was done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.progress import progress
from aboutness.cli.render import show_json
from aboutness.core.counted import counted
from aboutness.core.errors import BadRecord, UsageError
from aboutness.core.interrupts import when_changed
from aboutness.core.one_line import one_line
from aboutness.core.rejects import OnBad, RejectFile

LONGEST_ERROR = 300  # characters of what is shown of a record that was set aside


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
FormatOption = Annotated[str | None, typer.Option("--format", help="The sources' format; guessed if not given.")]
FieldOption = Annotated[
    list[str] | None, typer.Option("--field", help="A key or column that holds text (repeatable).")
]
IdOption = Annotated[str | None, typer.Option("--id-key", help="The key or column that holds the id.")]
OnErrorOption = Annotated[OnError, typer.Option("--on-error", help="At a bad record: stop, or skip it.")]
RejectsOption = Annotated[
    Path | None, typer.Option("--rejects", help="Where skipped records go. [default: NAME.rejects.jsonl]")
]

Done = Callable[[Any, Any, bool], None]


@contextmanager
def reading(
    sources: Any,  # noqa: ANN401 - app.sources is imported late
    title: str,
    folder: Path,
    on_error: OnError,
    rejects: Path | None,
    *,
    dry_run: bool = False,
) -> Iterator[tuple[OnBad, Callable[[int, int], None], Done]]:
    """Set up progress and the reject file; yield what takes bad records, progress, and the result."""
    from aboutness.app.sources import metered

    with setting_aside(folder, on_error, rejects, dry_run=dry_run) as (on_bad, report), ExitStack() as stack:
        tell, tell_bytes = stack.enter_context(progress(title, sources.size))
        stack.enter_context(metered(tell_bytes))

        def done(index: Any, added: Any, as_json: bool) -> None:  # noqa: ANN401
            with when_changed(_is_done(added)):
                stack.close()
            report(index, added, as_json)

        yield on_bad, tell, done


@contextmanager
def setting_aside(
    folder: Path, on_error: OnError, rejects: Path | None, *, dry_run: bool = False
) -> Iterator[tuple[OnBad, Done]]:
    """Set up the reject file, in a dry run only if it is named; yield what takes bad records, and the result."""
    from aboutness.app.sources import default_rejects

    start = time.perf_counter()
    with ExitStack() as stack:
        reject_file = None
        if on_error is OnError.SKIP:
            path = rejects or (None if dry_run else default_rejects(folder))
            reject_file = stack.enter_context(RejectFile(path))
        elif rejects is not None:
            raise UsageError("--rejects goes with --on-error skip")

        def done(index: Any, added: Any, as_json: bool) -> None:  # noqa: ANN401
            with when_changed(_is_done(added)):
                stack.close()
                _report(index, added, reject_file, time.perf_counter() - start, as_json=as_json)

        yield reject_file or _stop, done


def _stop(error: BadRecord) -> None:
    """Stop at the first bad record, and say how to go on without it."""
    problem = f"{error.problem}; to go on without such records: --on-error skip"
    raise BadRecord(problem, origin=error.origin, raw=error.raw)


def _is_done(added: Any) -> bool:  # noqa: ANN401
    return not getattr(added, "dry_run", False)


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
                **({} if _is_done(added) else {"dry_run": True}),
                "rejected": rejected,
                "rejects": str(rejects.path) if rejects and rejects.path and rejected else None,
                "generation": index.snapshot.generation,
                "seconds": round(seconds, 3),
            }
        )
        return
    if not _is_done(added):
        typer.echo(_would(added))
    else:
        _tell_added(index, added, seconds)
    if rejects and rejected:
        _tell_rejected(rejects, is_sync=hasattr(added, "deleted"))


def _tell_rejected(rejects: RejectFile, *, is_sync: bool) -> None:
    """Say which records were set aside and why: the first of them, and where all are."""
    kept = f"; {'it is' if rejects.count == 1 else 'they are'} in {rejects.path}" if rejects.path else ""
    typer.echo(f"{counted(rejects.count, 'record')} could not be used{kept}")
    for error in rejects.first:
        typer.echo(f"  {one_line(str(error), LONGEST_ERROR)}")
    if (others := rejects.count - len(rejects.first)) > 0:
        typer.echo(f"  and {others:,} more")
    if is_sync:
        typer.echo("nothing is deleted as long as records cannot be used: they may be what seems to be gone")


def _tell_added(index: Any, added: Any, seconds: float) -> None:  # noqa: ANN401
    moves = {"updated": added.updated, **{name: getattr(added, name, 0) for name in ("deleted", "unchanged")}}
    changed = "".join(f", {count:,} {name}" for name, count in moves.items() if count)
    new = counted(added.added, "document")
    typer.echo(f"{new} added{changed} in {seconds:.1f} s; {index.path} holds {len(index):,}")


def _would(synced: Any) -> str:  # noqa: ANN401
    """Return what `sync` would do."""
    new = counted(synced.added, "document")
    stay = "is as it was" if synced.unchanged == 1 else "are as they were"
    return f"Would add {new}, update {synced.updated:,}, delete {synced.deleted:,}; {synced.unchanged:,} {stay}"


def tell_left_out(sources: Any, as_json: bool, *, is_done: bool = True) -> None:  # noqa: ANN401
    """Say which files of folders were not read, as they are no text files; `is_done`: the changes are in."""
    if as_json:
        return
    with when_changed(is_done):
        for note in sources.left_out():
            typer.echo(f"note: {note}", err=True)
