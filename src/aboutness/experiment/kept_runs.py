"""Runs kept in a folder, so that a ranker that was run need not be run again: one file for each.

A file has its name from all that a run depends on: the ranker, the documents, how they are analysed, what was
trained on them, the queries, the judgements, and this package's code. It gets its name when it is whole, and a
file that is damaged is as good as none. What depends on code from elsewhere should not be put there.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, StorageError
from aboutness.experiment.compare import KeptRun
from aboutness.experiment.hashes import digest
from aboutness.experiment.kept_values import check_folder
from aboutness.index.arrays import map_arrays, write_arrays
from aboutness.text.strings import pack, unpack

SUFFIX = ".run"
LEFT_OVER = 24 * 3600  # seconds after which a file that was never finished is removed
ABOUT = (
    "Runs that aboutness made in experiments. Each file is written once and never changed.\n"
    "All of them can be deleted: what is needed is then made again.\n"
)

Arrays = dict[str, NDArray[Any]]


class StoredRun(Mapping[str, "list[tuple[str, float]]"]):
    """A run whose arrays stay in their file until a ranking is asked for."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._numbers, self._scores = arrays["numbers"], arrays["scores"]
        self._ids = np.array(unpack(arrays["ids.data"], arrays["ids.ends"]), np.object_)
        ends = arrays["ends"].tolist()
        queries = unpack(arrays["queries.data"], arrays["queries.ends"])
        self._places = dict(zip(queries, zip([0, *ends], ends, strict=False), strict=True))

    def __getitem__(self, query: str) -> list[tuple[str, float]]:
        start, end = self._places[query]
        return list(zip(self._ids[self._numbers[start:end]], self._scores[start:end].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Kept(NamedTuple):
    """A run that was found, and what was said of it."""

    run: StoredRun
    about: dict[str, Any]


class KeptRuns:
    """The runs of a folder, by what they depend on."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = check_folder(folder, ABOUT)
        with suppress(OSError):
            for path in self.folder.glob(f".*{SUFFIX}.*"):
                if time.time() - path.stat().st_mtime > LEFT_OVER:
                    path.unlink()

    def get(self, depends_on: Mapping[str, Any]) -> Kept | None:
        """Return the run that depends on just this, if it is there and whole."""
        key = digest(depends_on)
        try:
            arrays = map_arrays(self._path(key))
            about = json.loads(arrays.pop("about").tobytes())
            if arrays.pop("seal").tobytes() != _seal(key, about, arrays):
                return None
            return Kept(StoredRun(arrays), about)
        except (OSError, DamagedIndex, ValueError, LookupError, TypeError, AttributeError):
            return None

    def put(
        self, depends_on: Mapping[str, Any], run: Mapping[str, list[tuple[str, float]]], about: Mapping[str, Any]
    ) -> None:
        """Keep a run; its file appears whole or not at all."""
        key = digest(depends_on)
        arrays = _arrays(run)
        said = json.dumps(dict(about)).encode()
        arrays["seal"] = np.frombuffer(_seal(key, json.loads(said), arrays), np.uint8)
        arrays["about"] = np.frombuffer(said, np.uint8)
        hidden = self.folder / f".{key[:32]}{SUFFIX}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            write_arrays(hidden, arrays, durable=True)
            hidden.replace(self._path(key))
        except OSError as error:
            raise StorageError(f"cannot write to {self.folder}: {error.strerror or error}") from error
        finally:
            hidden.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key[:32]}{SUFFIX}"


def _arrays(run: Mapping[str, list[tuple[str, float]]]) -> Arrays:
    """Return a run as arrays; each document's id stands there once."""
    ends, numbers, scores, documents = run.packed() if isinstance(run, KeptRun) else _packed(run)
    ids, queries = pack(documents), pack(list(run))
    return {
        "queries.data": queries[0],
        "queries.ends": queries[1],
        "ends": ends,
        "numbers": numbers,
        "scores": scores,
        "ids.data": ids[0],
        "ids.ends": ids[1],
    }


def _packed(
    run: Mapping[str, list[tuple[str, float]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], list[str]]:
    """Return what `KeptRun.packed` does, of any run."""
    places: dict[str, int] = {}
    entries = [entry for ranking in run.values() for entry in ranking]
    numbers = np.array([places.setdefault(one, len(places)) for one, _ in entries], np.int32)
    scores = np.array([score for _, score in entries], np.float32)
    return np.cumsum([len(one) for one in run.values()], dtype=np.int64), numbers, scores, list(places)


def _seal(key: str, about: object, arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a hash of all that a file holds, and of what it depends on."""
    whole = hashlib.sha256(json.dumps([key, about], sort_keys=True).encode())
    for name in sorted(arrays):
        whole.update(f"\0{name} {arrays[name].dtype} {arrays[name].shape}\0".encode())
        whole.update(np.ascontiguousarray(arrays[name]).data)
    return whole.digest()
