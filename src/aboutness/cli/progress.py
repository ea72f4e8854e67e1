"""How far work is, on standard error: a bar on a terminal, which is wiped at the end; else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

Tell = Callable[[int, int], None]

SECONDS_BETWEEN_LINES = 15


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show, on a terminal, that work goes on and for how long; and the time left, where it says how far it is."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    from aboutness.core.advance import listening

    with _wiped(
        SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.fields[far]}"), TimeElapsedColumn()
    ) as spinner:
        task = spinner.add_task(title, total=None, far="")
        with listening(_timed(lambda far, _done, _total: spinner.update(task, far=far))):
            yield


@contextmanager
def progress(title: str, total: int) -> Iterator[tuple[Tell, Callable[[int], None]]]:
    """Show, on a terminal, how many documents are done, how much of `total` bytes is read, and the time left.

    Yields what to tell the documents to, and what to tell the bytes to.
    """
    if not sys.stderr.isatty():
        yield (lambda _documents, _characters: None), (lambda _count: None)
        return
    from rich.progress import TextColumn, TimeElapsedColumn

    documents, far = TextColumn("{task.fields[documents]:,} documents"), TextColumn("{task.fields[far]}")
    start, read = time.monotonic(), 0
    with bar(documents, far, TimeElapsedColumn()) as shown:
        # A task that is done has its clock stopped, and when all is read this is not.
        task = shown.add_task(title, total=total + 1 if total else None, documents=0, far="")

        def tell_documents(documents: int, _characters: int) -> None:
            shown.update(task, documents=documents)

        def tell_bytes(count: int) -> None:
            nonlocal read
            read += count
            shown.update(task, completed=read, far=_read(read, total, time.monotonic() - start))

        yield tell_documents, tell_bytes


@contextmanager
def shards_progress(title: str) -> Iterator[Callable[[Any], None]]:
    """Show how many steps over shards are done, documents and time left: a bar on a terminal, else lines."""
    if not sys.stderr.isatty():
        yield lambda told: typer.echo(
            f"{title}: {told.done} of {told.total} steps over shards, {told.documents:,} documents", err=True
        )
        return
    from rich.progress import MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    with bar(
        MofNCompleteColumn(),
        TextColumn("steps over shards, {task.fields[documents]:,} documents"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    ) as shown:
        task = shown.add_task(title, total=None, documents=0)
        yield lambda told: shown.update(task, completed=told.done, total=told.total, documents=told.documents)


@contextmanager
def queries_progress(
    title: str,
) -> Iterator[tuple[Tell, Callable[[str, int, int], None], Callable[[str, Any], None]]]:
    """Show documents as they are indexed, what is trained, and each ranker's queries: a bar on a terminal.

    Else there is a line now and then for what is trained, which may take long.
    """
    if not sys.stderr.isatty():
        line = _training_lines()
        yield (
            (lambda _documents, _characters: None),
            (lambda _ranker, _done, _total: None),
            (lambda name, progress: line(f"training {name}", progress)),
        )
        return
    from rich.progress import TextColumn, TimeElapsedColumn

    from aboutness.core.advance import listening

    with bar(TextColumn("{task.fields[far]}"), TimeElapsedColumn()) as shown:
        task = shown.add_task(title, total=None, far="")
        ranking, begun = "", 0.0

        def show(far: str, done: int, total: int) -> None:
            shown.update(task, completed=done, total=total + 1, far=far)  # or the clock would stop between two

        def tell_documents(documents: int, _characters: int) -> None:
            shown.update(task, completed=documents, far=f"{documents:,} documents")

        def tell_queries(ranker: str, done: int, total: int) -> None:
            nonlocal ranking, begun
            if ranker != ranking:
                ranking, begun = ranker, time.monotonic()
            shown.update(task, description=ranker)
            told = ranker.endswith(" left")  # of all that is to be done, not of this ranker alone
            left = "" if told else _left(done, total, time.monotonic() - begun)
            show(f"{done:,} of {total:,}{left}", done, total)

        def tell_training(name: str, progress: Any) -> None:  # noqa: ANN401 - as in training_progress
            shown.update(task, description=f"training {name}")
            show(_pace(progress), progress.done, progress.total)

        with listening(_timed(show)):
            yield tell_documents, tell_queries, tell_training


@contextmanager
def training_progress(title: str) -> Iterator[Callable[[Any], None]]:
    """Show how far a training is, words a second and time left: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        line = _training_lines()
        yield lambda progress: line(title, progress)
        return
    from rich.progress import TextColumn, TimeElapsedColumn

    from aboutness.core.advance import listening

    with bar(TextColumn("{task.fields[far]}"), TimeElapsedColumn()) as shown:
        task = shown.add_task(title, total=None, far="")

        def show(far: str, done: int, total: int) -> None:
            shown.update(task, completed=done, total=total + 1, far=far)  # or the clock would stop before the end

        def tell(progress: Any) -> None:  # noqa: ANN401 - as in _training_lines
            far = f"{progress.done / max(progress.total, 1):.0%} {_pace(progress)}"
            show(far if progress.done < progress.total else "all read", progress.done, progress.total)

        with listening(_timed(show)):
            yield tell


def _training_lines() -> Callable[[str, Any], None]:
    """Return what prints, now and then, how far a training is."""
    say = now_and_then()

    def line(title: str, progress: Any) -> None:  # noqa: ANN401 - a record with done, total, per_second, seconds_left
        if progress.done < progress.total:
            say(f"{title}: {progress.done / progress.total:.0%}, {_pace(progress)}")

    return line


def _pace(progress: Any) -> str:  # noqa: ANN401
    if not progress.per_second:
        return "starting"
    return f"{progress.per_second:,.0f} words/s, {_clock(progress.seconds_left)} left"


# --- how far, in words ------------------------------------------------------------------------------------------


def _timed(show: Callable[[str, int, int], None]) -> Callable[[str, int, int], None]:
    """Return what to tell how far work is, so that it is shown in words, with the time left."""
    start = time.monotonic()

    def tell(unit: str, done: int, total: int) -> None:
        nonlocal start
        start = start if done else time.monotonic()
        show(_far(unit, done, total, time.monotonic() - start), done, total)

    return tell


def _read(done: int, total: int, seconds: float) -> str:
    """Return how much is read, or that all is.

    >>> _read(25, 100, 2.0), _read(100, 100, 8.0), _read(7, 0, 1.0)
    ('25% read, 0:00:06 left', 'all read, finishing', '')
    """
    if not total:
        return ""
    left = f"{done / total:.0%} read, {_clock((total - done) * seconds / max(done, 1))} left"
    return left if done < total else "all read, finishing"


def _far(unit: str, done: int, total: int, seconds: float) -> str:
    """Return how far work is that took some seconds until now, and how long the rest will take at that speed.

    >>> _far("bytes", 25, 100, 2.0), _far("documents", 0, 7, 0.0)
    ('25% of bytes, 0:00:06 left', '0% of documents')
    """
    return f"{done / max(total, 1):.0%} of {unit}{_left(done, total, seconds)}"


def _left(done: int, total: int, seconds: float) -> str:
    """Return how long the rest will take, once that can be told."""
    return f", {_clock((total - done) * seconds / done)} left" if done and seconds else ""


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"


# --- what they are made of -------------------------------------------------------------------------------------


def bar(*columns: ProgressColumn) -> Progress:
    """Return a bar with its title before it and some columns behind it."""
    from rich.progress import BarColumn, TextColumn

    return _wiped(TextColumn("{task.description}"), BarColumn(), *columns)


def _wiped(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def now_and_then(*, at_once: bool = False) -> Callable[[str], None]:
    """Return what prints a line where there is no terminal, unless it did a moment ago, or has only begun."""
    last = -float(SECONDS_BETWEEN_LINES) if at_once else time.monotonic()

    def say(text: str) -> None:
        nonlocal last
        if not sys.stderr.isatty() and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            typer.echo(text, err=True)

    return say
