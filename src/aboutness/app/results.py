"""Results of experiments in the folders below one folder: found by name, and kept in memory until they change."""

from __future__ import annotations

import json
import math
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar, cast

from aboutness.core.errors import AboutnessError, BadInput, NotFound, shown
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import NOT_OURS, RESULTS, VALUES, read_results

DEEPEST = 3  # folders below the one that is named
MOST = 1000  # results that are listed
MOST_LOOKED = 10_000  # folders that are looked into for results
MOST_OPEN = 4  # results that are kept in memory
MOST_NAMED = 10  # names in a message
HOW = "make some by `aboutness experiment … -o results/NAME`, serve them by `aboutness serve … --results results`"

Stamp = tuple[int, ...]  # changes when results are written again
Made = TypeVar("Made")


@dataclass(frozen=True)
class Saved:
    """What is known of saved results before they are opened."""

    name: str  # of their folder, below the one that is listed
    title: str = ""
    date: str = ""
    collections: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # titles of the comparisons: collections, each in each setting
    rankers: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    queries: int = 0
    problem: str = ""  # why they cannot be used, where they cannot

    def to_json(self) -> dict[str, Any]:
        """Return it in plain values."""
        return asdict(self)


class OpenResults:
    """Results that were read, with what was computed of them."""

    def __init__(self, name: str, results: Results, stamp: Stamp) -> None:
        self.name = name
        self.results = results
        self.stamp = stamp
        self._computed: dict[Hashable, Any] = {}
        self._lock = RLock()

    def once(self, key: Hashable, compute: Callable[[], Made]) -> Made:
        """Return what was computed under a key, or compute it now; who asks for the same meanwhile waits."""
        with self._lock:
            if key not in self._computed:
                self._computed[key] = compute()
            return cast(Made, self._computed[key])


class SavedResults:
    """The results below a folder. Names are looked up in what is there; they never become paths."""

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._known: dict[str, tuple[Stamp, Saved]] = {}
        self._open: OrderedDict[str, OpenResults] = OrderedDict()
        self._lock = Lock()

    def all(self) -> list[Saved]:
        """Return what is there, the newest first; without a folder, nothing."""
        found: dict[str, tuple[Stamp, Saved]] = {}
        for name, place in self._places().items():
            stamp = _stamp(place)
            known = self._known.get(name)
            found[name] = known if known and known[0] == stamp else (stamp, _saved(name, place))
        self._known = found
        return sorted((saved for _, saved in found.values()), key=lambda one: one.date, reverse=True)

    def open(self, name: str | None = None) -> OpenResults:
        """Return the results of a name, read again where they have changed; without a name, the newest ones."""
        places = self._places()
        if name is None:
            name = next((one.name for one in self.all() if not one.problem), None)
        if name is None or name not in places:
            raise NotFound(_unknown(name, list(places)))
        stamp = _stamp(places[name])
        with self._lock:
            kept = self._open.get(name)
            if kept is None or kept.stamp != stamp:
                kept = OpenResults(name, _checked(name, read_results(places[name])), stamp)
            self._open[name] = kept
            self._open.move_to_end(name)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return kept

    def _places(self) -> dict[str, Path]:
        """Return the folders that hold results, by name, in the order of their names."""
        if self.folder is None:
            return {}
        found = list(_result_folders(self.folder))
        names = {_name(place, self.folder): place for place in found}
        return {name: names[name] for name in sorted(names) if _is_text(name)}


def _result_folders(folder: Path) -> Iterator[Path]:
    """Yield the folders with results, the given one or those below it; links to other folders are not followed."""
    count = 0
    for place, folders, files in islice(os.walk(folder), MOST_LOOKED):
        deep = len(Path(place).relative_to(folder).parts)
        folders.sort()
        if RESULTS in files:
            yield Path(place)
            count += 1
        if RESULTS in files or deep >= DEEPEST:
            folders.clear()
        if count >= MOST:
            return


def _name(place: Path, folder: Path) -> str:
    return folder.absolute().name or "results" if place == folder else place.relative_to(folder).as_posix()


def as_text(value: object) -> str:
    """Return text that can be sent: half a character, which JSON files can hold, becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode()


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # of bytes that are no UTF-8
        return False
    return True


def _stamp(place: Path) -> Stamp:
    """Return numbers that change when results are written again."""
    numbers: list[int] = []
    for name in (RESULTS, VALUES):
        try:
            of = (place / name).stat()
        except OSError:
            continue
        numbers += [of.st_mtime_ns, of.st_size, of.st_ino]
    return tuple(numbers)


def _checked(name: str, results: Results) -> Results:
    """Return results that are whole: means that are numbers, and a value of each query by each measure."""
    for one in results.comparisons:
        queries = one.rows[0].evaluation.per_query.keys() if one.rows else set()
        for row in one.rows:
            if wrong := [measure for measure, mean in row.evaluation.mean.items() if not _is_finite(mean)]:
                raise BadInput(f"{name}: the mean {wrong[0]} of {row.name} is no number: make the results again")
            values = row.evaluation.per_query
            if values.keys() != queries or any(each.keys() != set(one.measures) for each in values.values()):
                raise BadInput(f"{name}: {VALUES} lacks values of {row.name}: make the results again")
    return results


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _saved(name: str, place: Path) -> Saved:
    """Return what results.json says of itself, or why it says nothing."""
    try:
        return _described(name, json.loads((place / RESULTS).read_bytes()))
    except (AboutnessError, OSError, ValueError) as error:
        told = str(error) if isinstance(error, AboutnessError) else f"{name}: {NOT_OURS} ({type(error).__name__})"
        return Saved(name, problem=told)


def _described(name: str, plain: Any) -> Saved:  # noqa: ANN401 - whatever JSON holds
    try:
        comparisons = plain["comparisons"]
        parts = [", ".join(filter(None, (one["collection"], one.get("setting", "")))) for one in comparisons]
        queries = {one["collection"]: int(one["queries"]) for one in comparisons}
        rankers = dict.fromkeys(str(row["ranker"]) for one in comparisons for row in one["rows"])
        measures = dict.fromkeys(str(measure) for one in comparisons for measure in one["measures"])
        return Saved(
            name,
            title=as_text(plain["name"]),
            date=as_text(plain["made"]["date"]),
            collections=tuple(map(as_text, queries)),
            parts=tuple(map(as_text, parts)),
            rankers=tuple(map(as_text, rankers)),
            measures=tuple(map(as_text, measures)),
            queries=sum(queries.values()),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(f"{name}: {NOT_OURS}, or of another version ({type(error).__name__}: {error})") from None


def _unknown(name: str | None, names: list[str]) -> str:
    if not names:
        return f"no results are served: {HOW}"
    if name is None:
        return f"none of the results that are served can be read: {', '.join(names[:MOST_NAMED])}"
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"there are no results {shown(name)}; there are {', '.join(names[:MOST_NAMED])}{more}"
