"""Grids: which values of which parameters are tried, and the rankers that these make.

A name stands for a parameter of every part of a ranker that declares it (`k1`), of the parts with a name
(`bm25.k1`), or of one of several such, counted from left to right (`bm25.2.k1`). Terms of mixtures have weights:
`ql.weight` or, by place, `weight.2`. Values are a list, or a text: `k1=0.6,0.9,1.2`, `alpha=0:1:.01`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.algebra import WEIGHT, Cut, Ranker, Scaled, Sum
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import FieldWeights, Kind, Number, Whole, checked
from aboutness.core.parameters import Parameters
from aboutness.rank.fusion import Fusion
from aboutness.rank.grammar import ranker as named_ranker

MOST_SETTINGS = 10_000
WEIGHT_NAME = "weight"
EXAMPLE = 'such as "k1=0.6,0.9", "alpha=0:1:.01" or {"b": [0.3, 0.75]}'

Grid: TypeAlias = Mapping[str, Sequence[Any] | NDArray[Any]] | str | Iterable[str]
"""Values to be tried, by the name of a parameter; or texts such as "k1=0.6,0.9"."""

Candidates: TypeAlias = tuple[str | Ranker, int] | str | Ranker
"""A ranker and how many of its first documents are ranked anew: ("ql", 2000), or "ql % 2000"."""


@dataclass(frozen=True)
class Plan:
    """A ranker as it was given, and what a grid makes of it: rankers with their parameters."""

    given: Ranker
    settings: dict[Ranker, dict[str, Any]]


@dataclass(frozen=True)
class Place:
    """Where a parameter stands in an expression: in which of its rankers, from left to right, and what is allowed.

    The weight of a term has no name.
    """

    ranker: int
    parameter: str | None
    kind: Kind
    names: tuple[str, ...]  # by which a grid may call it, the shortest first


def plan(ranker: str | Ranker, grid: Grid, candidates: Candidates | None = None) -> Plan:
    """Return what is to be tried; with `candidates`, each setting ranks anew what these find."""
    chosen = named_ranker(ranker)
    if candidates is None:
        return Plan(chosen, settings_of(chosen, grid))
    first = cut_ranker(candidates)
    return Plan(first >> chosen, settings_of(chosen, grid, first))


def cut_ranker(candidates: Candidates) -> Ranker:
    """Return the ranker that finds what is ranked anew."""
    if isinstance(candidates, tuple):
        if len(candidates) != 2:
            raise UsageError(
                f'candidates must be a ranker and a depth, such as ("ql", 2000), got {shown(candidates)}'
            )
        return named_ranker(candidates[0]) % candidates[1]
    return named_ranker(candidates)


def settings_of(ranker: Ranker, grid: Grid, first: Ranker | None = None) -> dict[Ranker, dict[str, Any]]:
    """Return the rankers that a grid makes of one, and each one's parameters; the last varies fastest.

    The grid leaves `first`, which finds the documents that are ranked, as it is.

    >>> from aboutness.rank.grammar import ranker
    >>> [str(one) for one in settings_of(ranker("bm25 + ql"), ["ql.weight=0:1:.5", "k1=2"])]
    ['bm25[k1=2] + 0*ql', 'bm25[k1=2] + 0.5*ql', 'bm25[k1=2] + 1*ql']
    """
    meant = _meant(ranker, dict(_named(grid)))
    values = [_values(ranker, name, given, places) for name, (given, places) in meant.items()]
    if (count := math.prod(map(len, values))) > MOST_SETTINGS:
        raise UsageError(f"a grid may have at most {MOST_SETTINGS:,} settings, got {count:,}: take fewer values")
    made: dict[Ranker, dict[str, Any]] = {}
    for chosen in itertools.product(*values):
        parameters = dict(zip(meant, chosen, strict=True))
        where = {
            (place.ranker, place.parameter): parameters[name]
            for name, (_, places) in meant.items()
            for place in places
        }
        changed = _changed(ranker, where, itertools.count())
        made.setdefault(changed if first is None else first >> changed, parameters)
    return made


def shown_setting(parameters: Mapping[str, Any]) -> str:
    """Return the values of parameters in one line."""
    return ",".join(f"{name}={_shown(value)}" for name, value in parameters.items())


def _shown(value: Any) -> str:  # noqa: ANN401 - of any kind
    if isinstance(value, float):
        return f"{value:.10g}"  # a step of numpy's may be 0.30000000000000004
    return FieldWeights().show(value) if isinstance(value, tuple) else str(value)


# --- names ---------------------------------------------------------------------------------------------


def places_in(ranker: Ranker) -> list[Place]:
    """Return where an expression has parameters, from left to right, and then where it has weights."""
    found: list[Place] = []
    seen: Counter[str] = Counter()
    called: dict[int, tuple[str, int]] = {}  # name and number of the rankers that have one
    parts = list(_parts(ranker))
    for number, (one, _) in enumerate(parts):
        if isinstance(one, Parameters):
            seen[one.name] += 1
            called[number] = one.name, seen[one.name]
            for declared in one.declared():
                names = (declared.name, *_names(called[number], declared.name))
                found.append(Place(number, declared.name, declared.kind, names))
    taken = {name for place in found for name in place.names}  # a ranker's own weight is meant before a mixture's
    terms = [number for number, (_, is_term) in enumerate(parts) if is_term]
    written = [number for number in terms if isinstance(parts[number][0], Scaled)]
    for place, number in enumerate(terms, 1):
        inner = number
        while isinstance(parts[inner][0], Scaled | Cut):
            inner += 1  # the ranker that is weighted or cut comes next
        names = (
            *([WEIGHT_NAME] if written == [number] else []),
            f"{WEIGHT_NAME}.{place}",
            *(_names(called[inner], WEIGHT_NAME) if inner in called else ()),
        )
        found.append(Place(number, None, WEIGHT, tuple(name for name in names if name not in taken)))
    return found


def _parts(ranker: Ranker, *, is_term: bool = False) -> Iterator[tuple[Ranker, bool]]:
    """Yield a ranker and all that it is made of, and whether each is a term, which may have a weight."""
    yield ranker, is_term or isinstance(ranker, Scaled)
    for part in ranker.rankers:
        yield from _parts(part, is_term=isinstance(ranker, Sum | Fusion))


def _names(called: tuple[str, int], parameter: str) -> tuple[str, str]:
    name, number = called
    return f"{name}.{parameter}", f"{name}.{number}.{parameter}"


def _meant(ranker: Ranker, grid: Mapping[str, Any]) -> dict[str, tuple[Any, list[Place]]]:
    """Return for each name of a grid its values and the places it stands for; raise where there are none."""
    places = places_in(ranker)
    meant = {name: (given, [place for place in places if name in place.names]) for name, given in grid.items()}
    by_place: dict[Place, str] = {}
    for name, (_, here) in meant.items():
        if not here:
            raise UsageError(f"{ranker} has no parameter {shown(name)}. It has: {_known(places)}")
        for place in here:
            if place in by_place:
                raise UsageError(f"{by_place[place]} and {name} stand for the same parameter: leave out one")
            by_place[place] = name
    return meant


def _known(places: Sequence[Place]) -> str:
    """Return the parameters of an expression; where several share a name, how each is called, too."""
    shortest = dict.fromkeys(place.names[0] for place in places)
    several = [name for name in shortest if sum(name in place.names for place in places) > 1]
    one = next((place.names[1] for place in places if place.names[0] in several), None)
    return ", ".join(shortest) + (f"; one of several is called such as {one}" if one else "")


# --- values --------------------------------------------------------------------------------------------


def _named(grid: object) -> Iterator[tuple[str, Any]]:
    """Yield names and values of a grid, which may be written as texts."""
    if isinstance(grid, Mapping) and grid:
        yield from grid.items()
        return
    texts = [grid] if isinstance(grid, str) else grid
    if isinstance(texts, Mapping) or not isinstance(texts, Iterable) or not (texts := list(texts)):
        raise UsageError(f"a grid must give values for parameters, {EXAMPLE}, got {shown(grid)}")
    seen = set()
    for text in texts:
        name, equals, values = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not equals or not name.strip():
            raise UsageError(f"a grid must give values for parameters, {EXAMPLE}, got {shown(text)}")
        if name.strip() in seen:
            raise UsageError(f"the parameter {name.strip()!r} stands twice in the grid")
        seen.add(name.strip())
        yield name.strip(), values


def _values(ranker: Ranker, name: str, given: object, places: Sequence[Place]) -> list[Any]:
    """Return the values that a parameter is tried with, each allowed in all its places."""
    what = f"{ranker}: {name}"
    if isinstance(given, str):
        given = [one for part in given.split(",") for one in _read(part.strip(), what, places[0].kind)]
    if not isinstance(given, Sequence | np.ndarray) or len(given) == 0:
        raise UsageError(f"{what} must have a list of values to try, got {shown(given)}")
    rows = [[checked(place.kind, what, value) for place in places] for value in given]
    return [row[0] for row in rows]


def _read(text: str, what: str, kind: Kind) -> list[Any]:
    """Return the value that a text stands for, or all of a range."""
    read = []
    for one in _steps(text, what) if isinstance(kind, Number | Whole) and ":" in text else [text]:
        try:
            read.append(kind.read(one))
        except (ValueError, TypeError, OverflowError):
            raise UsageError(f"{what} must be {kind.allowed}, got {shown(one)}") from None
    return read


def _steps(text: str, what: str) -> list[str]:
    """Return the numbers of a range, `start:stop:step`, both ends among them; exact, as decimals are.

    >>> _steps("0:1:.3", "alpha")
    ['0', '0.3', '0.6', '0.9']
    """
    try:
        start, stop, step = (Decimal(one.strip()) for one in text.split(":"))
        count = int((stop - start) // step) if step > 0 and stop >= start else -1
    except (ValueError, ArithmeticError):
        count = -1
    if count < 0:
        raise UsageError(f"{what}: a range is written start:stop:step, such as 0:1:.01, got {shown(text)}")
    if count >= MOST_SETTINGS:
        raise UsageError(f"{what}: a range may have at most {MOST_SETTINGS:,} values, got {shown(text)}")
    return [format((start + n * step).normalize(), "f") for n in range(count + 1)]


# --- rankers -------------------------------------------------------------------------------------------


def _changed(ranker: Ranker, values: Mapping[tuple[int, str | None], Any], count: Iterator[int]) -> Ranker:
    """Return a ranker whose parameters and weights have other values where some are given."""
    number = next(count)
    parts = [_changed(part, values, count) for part in ranker.rankers]
    made = ranker.made_of(parts)
    own = {name: value for (place, name), value in values.items() if place == number and name is not None}
    if own:
        assert isinstance(made, Parameters)
        made = replace(made, **own)
    if (number, None) not in values:
        return made
    return Scaled(values[number, None], made.ranker if isinstance(made, Scaled) else made)
