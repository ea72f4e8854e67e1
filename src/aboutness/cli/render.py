"""What goes to the terminal: data on standard output, errors on standard error."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer

from aboutness.cli.compiling import told_of_compiling
from aboutness.cli.fitting import fitted
from aboutness.core.errors import AboutnessError, NoIndex, StorageError

P = ParamSpec("P")
R = TypeVar("R")

UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def ends_well(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors of a command into one line on standard error and the exit code that they mean."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with told_of_compiling():
                return command(*args, **kwargs)
        except NoIndex as error:
            from aboutness.app.beside import indexes_beside

            near = indexes_beside(error.folder) if error.folder else []
            _end(error, f"{error}, or name one that is there: {', '.join(near)}" if near else str(error))
        except AboutnessError as error:
            _end(error, str(error))
        except BrokenPipeError:
            raise
        except OSError as error:
            _end(StorageError(), f"{error.filename or 'the system'}: {error.strerror or error}")
        except MemoryError:
            _end(StorageError(), "there is not enough memory for this; what was not committed is forgotten")
        except RuntimeError as error:
            if "can't start new thread" not in str(error):
                raise
            _end(StorageError(), "no further thread can be started; raise the limits (ulimit -u, ulimit -v)")
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


def show_lines(lines: Iterable[str]) -> None:
    """Print lines."""
    for line in lines:
        typer.echo(line)


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


def show_table(rows: Sequence[dict[str, Any]]) -> None:
    """Print rows with the same keys as a table, with the keys as its head."""
    if not rows:
        return
    show_lines(fitted([list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]))


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
