"""What goes to the terminal: data on standard output, progress and errors on standard error."""

from __future__ import annotations

import functools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer

from aboutness.cli.compiling import told_of_compiling
from aboutness.core.errors import AboutnessError, StorageError

P = ParamSpec("P")
R = TypeVar("R")
Tell = Callable[[int, int], None]

UNUSUAL = re.compile(r"[^\x20-\x7e\n]")
SECONDS_BETWEEN_LINES = 15


def ends_well(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of a command into one line on standard error and the exit code that they mean."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with told_of_compiling():
                return command(*args, **kwargs)
        except AboutnessError as error:
            _end(error, str(error))
        except BrokenPipeError:
            raise
        except OSError as error:
            _end(StorageError(), f"{error.filename or 'the system'}: {error.strerror or error}")
        except KeyboardInterrupt as error:
            _end(error, f"interrupted; {error if error.args else 'the index is unchanged'}")

    return wrapped


def _end(error: BaseException, message: str) -> NoReturn:
    from aboutness.app.outcome import outcome

    typer.echo(f"aboutness: {message}", err=True)
    raise typer.Exit(outcome(error).exit_code) from None


def show_json(value: object) -> None:
    """Print plain values as JSON; an argument that was no text is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    typer.echo(UNUSUAL.sub(lambda found: _escaped(found[0]), text))


def _escaped(character: str) -> str:
    """Return a character as it is, or as JSON escapes it where a terminal might do something else than show it."""
    return character if character.isprintable() else json.dumps(character)[1:-1]


def one_line(text: str, most: int | None = None) -> str:
    """Return a text as one line that can be printed: no control characters, and not too long."""
    line = "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def show_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        typer.echo(f"{name:<{width}}  {value}".rstrip())


def told_p(value: float, level: float = 0.05) -> str:
    """Return a p-value with two digits, or as many more as show on which side of the level it is.

    >>> told_p(0.0312), told_p(0.0496), told_p(0.04998), told_p(0.0503), told_p(0.05)
    ('0.031', '0.0496', '0.04998', '0.05', '0.05')
    """
    texts = (f"{value:.{digits}g}" for digits in range(2, 17))
    return next((text for text in texts if (float(text) < level) == (value < level)), str(value))


def counted(count: int, one: str, many: str) -> str:
    """Return a number of things with their name, such as `1 query` or `2,000 queries`."""
    return f"{count:,} {one if count == 1 else many}"


def show_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print rows with the same keys as a table, with the keys as its head."""
    if not rows:
        return
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        typer.echo("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def size(count: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show, on a terminal, that work is going on and for how long."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    spinner = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with spinner:
        spinner.add_task(title, total=None)
        yield


@contextmanager
def progress(title: str, total: int) -> Iterator[tuple[Tell, Callable[[int], None]]]:
    """Show, on a terminal, how many documents are done and how many of `total` bytes are read.

    Yields what to tell the documents to, and what to tell the bytes to.
    """
    if not sys.stderr.isatty():
        yield (lambda _documents, _characters: None), (lambda _count: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[documents]:,} documents"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=total or None, documents=0)

        def tell_documents(documents: int, _characters: int) -> None:
            bar.update(task, documents=documents)

        yield tell_documents, lambda count: bar.update(task, advance=count)


@contextmanager
def shards_progress(title: str) -> Iterator[Callable[[Any], None]]:
    """Show how many steps over shards are done, documents and time left: a bar on a terminal, else lines."""
    if not sys.stderr.isatty():
        yield lambda told: typer.echo(
            f"{title}: {told.done} of {told.total} steps over shards, {told.documents:,} documents", err=True
        )
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps over shards, {task.fields[documents]:,} documents"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None, documents=0)
        yield lambda told: bar.update(task, completed=told.done, total=told.total, documents=told.documents)


@contextmanager
def queries_progress(
    title: str,
) -> Iterator[tuple[Tell, Callable[[str, int, int], None], Callable[[str, Any], None]]]:
    """Show documents as they are indexed, what is trained, and each ranker's queries: a bar on a terminal.

    Else there is a line now and then for what is trained, which may take long.
    """
    if not sys.stderr.isatty():
        line = _lines()
        yield (
            (lambda _documents, _characters: None),
            (lambda _ranker, _done, _total: None),
            (lambda name, progress: line(f"training {name}", progress)),
        )
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None)

        def tell_documents(documents: int, _characters: int) -> None:
            bar.update(task, completed=documents)

        def tell_queries(ranker: str, done: int, total: int) -> None:
            bar.update(task, description=ranker, completed=done, total=total)

        def tell_training(name: str, progress: Any) -> None:  # noqa: ANN401 - as in training_progress
            bar.update(task, description=f"training {name}", completed=progress.done, total=progress.total)

        yield tell_documents, tell_queries, tell_training


@contextmanager
def training_progress(title: str) -> Iterator[Callable[[Any], None]]:
    """Show how far a training is, words a second and time left: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        line = _lines()
        yield lambda progress: line(title, progress)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(title, total=None, pace="")
        yield lambda progress: bar.update(
            task, completed=progress.done, total=progress.total, pace=_pace(progress)
        )


def _lines() -> Callable[[str, Any], None]:
    """Return what prints, now and then, how far something is that takes long."""
    last = time.monotonic()

    def line(title: str, progress: Any) -> None:  # noqa: ANN401 - a record with done, total, per_second, seconds_left
        nonlocal last
        if progress.done < progress.total and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            typer.echo(f"{title}: {progress.done / progress.total:.0%}, {_pace(progress)}", err=True)

    return line


def _pace(progress: Any) -> str:  # noqa: ANN401
    if not progress.per_second:
        return "starting (kernels are compiled the first time)"
    left = int(progress.seconds_left)
    return f"{progress.per_second:,.0f} words/s, {left // 3600}:{left % 3600 // 60:02}:{left % 60:02} left"
