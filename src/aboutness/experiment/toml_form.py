"""Experiments as TOML files, read and written.

    name = "first look"
    collections = ["cranfield", "irds:vaswani"]      # folders are looked for beside the file
    rankers = ["bm25", "bm25 % 100 >> desm-in-out", "minmax(bm25) + .3*minmax(ql)"]
    measures = ["nDCG@10", "AP"]

Rankers that have a name, or values to choose from, are tables: `[rankers]` with `ours = "bm25 + 30*ql"`, or one
`[[ranker]]` for each, with `name`, `ranker` and `grid`, or with the name of a ranker and its parameters.
"""

from __future__ import annotations

import difflib
import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from aboutness.core.algebra import Ranker
from aboutness.core.errors import AboutnessError, BadInput, NotFound, StorageError, UsageError, shown
from aboutness.core.parameters import Parameters
from aboutness.experiment.declared import ALL, Declared, Experiment, Labels, Samples, Tune, grid_texts
from aboutness.experiment.labels import GROUPS
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.vectors.known import TRAINERS

LARGEST = 1 << 20  # bytes of a file
TABLES: dict[str, type[Tune | Labels | Samples]] = {"tune": Tune, "labels": Labels, "samples": Samples}
ONE = {"collection": "collections", "ranker": "rankers"}
KEYS = (*(one.name for one in fields(Experiment)), *ONE)
FILES = (("tune", "train"), ("labels", "groups"))


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from a TOML file; what is wrong is told with the file and the key."""
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            raise BadInput(f"{path}: larger than {LARGEST:,} bytes, so it is no file of an experiment")
        plain = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # TOML's and UTF-8's
        raise BadInput(f"{path}: {error}") from None
    return experiment_of(plain, where=str(path), folder=file.parent)


def experiment_of(plain: Mapping[str, Any], *, where: str = "", folder: Path | None = None) -> Experiment:
    """Make an experiment of plain values; paths that are no such thing here are looked for in `folder`."""
    start = f"{where}: " if where else ""
    _check_keys(plain, KEYS, start)
    made: dict[str, Any] = {}
    for key, value in plain.items():
        try:
            made[ONE.get(key, key)] = _value(key, value, folder)
        except AboutnessError as error:
            raise type(error)(f"{start}{key}: {error}") from None
    for needed in ("collections", "rankers"):
        if needed not in made:
            raise UsageError(f"{start}the key {needed!r} is missing: {_EXAMPLES[needed]}")
    made.setdefault("name", Path(where).stem if where else "experiment")
    try:
        return Experiment(**made)
    except UsageError as error:
        raise UsageError(f"{start}{error}") from None


_EXAMPLES = {
    "collections": 'such as collections = ["path/to/cranfield"]',
    "rankers": 'such as rankers = ["bm25", "ql"]',
}


def _value(key: str, value: Any, folder: Path | None) -> Any:  # noqa: ANN401 - as the key says
    """Return the value of a key as an experiment has it."""
    readers: dict[str, Callable[[], Any]] = {
        "rankers": lambda: _rankers(value),
        "ranker": lambda: _rankers(value),
        "collections": lambda: tuple(_path(one, folder) for one in _texts(value)),
        "collection": lambda: tuple(_path(one, folder) for one in _texts(value)),
        "fields": lambda: tuple(None if one == ALL else one for one in _texts(value)),
        "depth": lambda: None if value == ALL else _of_kind(value, int, 'a whole number, or "all"'),
        "seed": lambda: _whole(value),
        "vectors": lambda: _vectors(value, folder),
        **{name: lambda: tuple(_texts(value)) for name in ("measures", "queries", "match")},
        **{name: lambda: _table(key, value, folder) for name in TABLES},
    }
    return readers[key]() if key in readers else _of_kind(value, str, "a text")


def _vectors(value: Any, folder: Path | None) -> str | dict[str, Any]:  # noqa: ANN401
    if isinstance(value, Mapping):
        way = TRAINERS[_of_kind(value.get("train"), str, 'such as { train = "word2vec", dim = 100 }')]
        parameters = {name: one for name, one in value.items() if name != "train"}
        _check_keys(parameters, [one.name for one in way.declared()], f"{way.name}: ", "parameter")
        way(**parameters)  # which checks their values
        return dict(value)
    named = _of_kind(value, str, "a file, a way of training, or a table")
    return named if named in TRAINERS else _file(named, folder)


def _table(key: str, value: Any, folder: Path | None) -> Tune | Labels | Samples:  # noqa: ANN401
    kind = TABLES[key]
    given = dict(_of_kind(value, Mapping, "a table"))
    _check_keys(given, [one.name for one in fields(kind)], "")
    for table, name in FILES:
        if table == key and isinstance(given.get(name), str) and given[name] not in GROUPS:
            given[name] = _file(given[name], folder)
    kinds: dict[str, Callable[[Any], Any]] = {
        "folds": _whole, "random": _whole, "queries": _whole, "train": _share,
        "single": lambda one: _of_kind(one, bool, "true or false"),
    }  # fmt: skip
    text = lambda one: _of_kind(one, str, "a text")  # noqa: E731
    for name, one in given.items():
        try:
            given[name] = kinds.get(name, text)(one)
        except UsageError as error:
            raise UsageError(f"{name}: {error}") from None
    try:
        return kind(**given)
    except TypeError:
        raise UsageError(f'it must say which field, such as {key} = {{ field = "topics" }}') from None


def _rankers(value: Any) -> tuple[Declared, ...]:  # noqa: ANN401
    """Return rankers of a list of expressions and tables, or of a table by name."""
    if isinstance(value, Mapping):
        return tuple(_declared(one, str(name)) for name, one in value.items())
    listed = [value] if isinstance(value, str) else _of_kind(value, list, "a list, or a table of names")
    return tuple(map(_declared, listed))


def _declared(value: Any, name: str = "") -> Declared:  # noqa: ANN401
    """Return a ranker of an expression, or of a table with its parameters or a grid."""
    if isinstance(value, str):
        return Declared(named_ranker(value), name)
    given = dict(_of_kind(value, Mapping, "an expression, or a table"))
    called = given.pop("name", name)
    grid = given.pop("grid", None)
    expression = given.pop("ranker", None)
    if expression is None:  # the name is that of a ranker
        expression, called = called, name
    if not isinstance(expression, str) or not expression or not isinstance(called, str):
        raise UsageError(f"a table must have a `ranker` (an expression) or the `name` of one, got {shown(value)}")
    if grid is not None and not isinstance(grid, Mapping | str | Sequence):
        raise UsageError(f'grid must be such as {{ k1 = [0.9, 1.2] }} or ["b=0:1:.25"], got {shown(grid)}')
    return Declared(_with(named_ranker(expression), given), called, grid_texts(grid))


def _with(ranker: Ranker, parameters: Mapping[str, Any]) -> Ranker:
    """Return a ranker with parameters that are not part of its expression."""
    if not parameters:
        return ranker
    if not isinstance(ranker, Parameters):
        raise UsageError(f"{ranker} is made of several rankers: write parameters in its text, as in bm25[k1=1.7]")
    known = [one.name for one in ranker.declared()]
    _check_keys(parameters, known, f"{ranker.name}: ", "parameter")
    return replace(ranker, **parameters)


def _check_keys(given: Mapping[str, Any], known: Sequence[str], start: str, what: str = "key") -> None:
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            raise UsageError(f"{start}unknown {what} {shown(key)}{hint} Known: {', '.join(known)}")


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed or not all(isinstance(one, str) for one in listed):
        raise UsageError(f"must be a text or a list of texts, got {shown(value)}")
    return list(listed)


def _of_kind(value: Any, kind: type, allowed: str) -> Any:  # noqa: ANN401
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UsageError(f"must be {allowed}, got {shown(value)}")
    return value


def _whole(value: Any) -> int:  # noqa: ANN401
    return int(_of_kind(value, int, "a whole number"))


def _share(value: Any) -> float | str:  # noqa: ANN401
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"must be a share of the queries, or a file of their ids, got {shown(value)}")
    return float(value)


def _path(text: str, folder: Path | None) -> str:
    """Return a path as it is seen from here, where it lies in the folder; else what was written."""
    beside = None if folder is None else folder / text
    try:
        return str(beside.resolve()) if beside is not None and beside.exists() else text
    except (OSError, ValueError):  # too long for a path, or not one
        return text


def _file(text: str, folder: Path | None) -> str:
    """Return the path of a file, which must be there where the experiment is a file, too."""
    path = _path(text, folder)
    if folder is not None and not Path(path).exists():
        raise NotFound(f"there is no file {text}, neither here nor beside the experiment's file")
    return path


# --- written ---------------------------------------------------------------------------------------------------


def write_toml(experiment: Experiment) -> str:
    """Return an experiment as a TOML file has it; what is as usual is left out."""
    plain = experiment.to_json(short=True)
    tables = {key: value for key, value in plain.items() if _is_table(value)}
    lines = [f"{key} = {_written(value)}" for key, value in plain.items() if key not in tables]
    for key, value in tables.items():
        for one in value if isinstance(value, list) else [value]:
            lines += ["", f"[[{key}]]" if isinstance(value, list) else f"[{key}]"]
            lines += [f"{_key(name)} = {_written(inner)}" for name, inner in one.items()]
    return "\n".join(lines) + "\n"


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and isinstance(value[0], Mapping))


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _written(name)


def _written(value: object) -> str:
    """Return a value in TOML's form, which for texts is JSON's but for one character."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
