"""An experiment as it is declared: collections x fields x forms of queries x matching documents x rankers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import FieldWeights, Whole, checked
from aboutness.evaluate.measures import DEFAULT_MEASURES
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.experiment.asking import JUDGED
from aboutness.experiment.compare import DEPTH
from aboutness.experiment.grid import plan
from aboutness.experiment.labels import QUERIES
from aboutness.experiment.measuring import measures_of
from aboutness.experiment.samples import DRAWN, FIRST
from aboutness.experiment.testing import check_test, one_of
from aboutness.models.model import MATCHES
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.text.analyzers import analyzer as named_analyzer

ALL = "all"  # fields, or documents of a ranking
MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Declared:
    """A ranker of an experiment: what it is called, what it is, and the values of parameters to choose from."""

    ranker: Ranker
    name: str = ""
    grid: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Return what it is called, or else what it is."""
        return self.name or (f"{self.ranker} (tuned)" if self.grid else str(self.ranker))

    def to_json(self) -> dict[str, Any]:
        """Return the ranker in plain values."""
        named = {"name": self.name} if self.name else {}
        return {**named, "ranker": str(self.ranker), **({"grid": list(self.grid)} if self.grid else {})}


@dataclass(frozen=True)
class Tune:
    """How parameters are chosen: by a measure, with folds of the queries or by a part of them.

    `train` is a share of the queries, or a file with an id in each line; all rankers are then reported on the
    other queries alone.
    """

    by: str = "AP"
    folds: int = 5
    train: float | str | None = None

    def __post_init__(self) -> None:
        measures_of(self.by, ())
        checked(Whole(2, MOST), "folds", self.folds)


@dataclass(frozen=True)
class Labels:
    """Documents as queries: see `by_label`."""

    field: str
    groups: str | None = None
    queries: int = QUERIES
    single: bool = True


@dataclass(frozen=True)
class Samples:
    """Scores of relevant, irrelevant and random documents: see `sampled_scores`."""

    random: int = DRAWN
    first: str = FIRST


class Condition(NamedTuple):
    """One way in which rankers are compared on a collection."""

    fields: str | None
    queries: str
    match: str

    def __str__(self) -> str:
        """Return what is not as usual, in words."""
        found = [f"fields {self.fields}"] if self.fields is not None else []
        found += [f"{self.queries} queries"] if self.queries != "text" else []
        words = {"or": "", "and": "all words", "all": "all documents", JUDGED: "judged documents"}
        found += [one] if (one := words.get(self.match, f"telescoped {self.match}")) else []
        return ", ".join(found)


@dataclass(frozen=True)
class Experiment:
    """What is compared, how, and on what. Each combination of its lists is one comparison of all rankers.

    `fields` are as in `Index.search` ("all" for all of them), `queries` forms of the queries (`text`, `title`,
    `desc`, `title+narr`, `short`, `long`), and `match` which documents are ranked: "or", "and", "all" (each
    document for each query), "judged", or a cut ranker, such as "bm25 % 100". `depth` is how many documents of
    each ranking are measured (None: all).
    """

    collections: tuple[str, ...]
    rankers: tuple[Declared, ...]
    name: str = "experiment"
    measures: tuple[str, ...] = DEFAULT_MEASURES
    fields: tuple[str | None, ...] = (None,)
    queries: tuple[str, ...] = ("text",)
    match: tuple[str, ...] = ("or",)
    depth: int | None = DEPTH
    analyzer: str = "english"
    vectors: str | Mapping[str, Any] | None = None
    test: str = "fisher"
    correction: str = "holm"
    baseline: str | None = None
    seed: int = 1
    tune: Tune = field(default_factory=Tune)
    labels: Labels | None = None
    samples: Samples | None = None

    def __post_init__(self) -> None:
        for name in ("collections", "rankers", "measures", "fields", "queries", "match"):
            object.__setattr__(self, name, _listed(name, getattr(self, name)))
        object.__setattr__(self, "rankers", tuple(map(_declared, self.rankers)))
        object.__setattr__(self, "measures", tuple(map(str, parse_measures(self.measures))))
        for some in self.fields:
            checked(FieldWeights(), "fields", some)
        for step in self.match:
            check_step(step)
        if self.depth is not None:
            checked(Whole(1, MOST), "depth", self.depth)
        named_analyzer(self.analyzer)
        check_test(self.test, self.correction)
        checked(Whole(0, MOST), "seed", self.seed)
        names = [one.shown for one in self.rankers]
        if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
            raise UsageError(f"two rankers are called {shown(twice)}; give one of them another name")
        if self.baseline is not None:
            object.__setattr__(self, "baseline", one_of(names, self.baseline))
        for one in self.rankers:
            if one.grid:
                plan(one.ranker, one.grid)

    @property
    def conditions(self) -> Iterator[Condition]:
        """Yield all conditions of one collection; those with the same fields one after another."""
        return (Condition(*one) for one in product(self.fields, self.queries, self.match))

    @property
    def units(self) -> int:
        """Return how many runs there are: rankers x conditions x collections."""
        return len(self.collections) * len(list(self.conditions)) * len(self.rankers)

    @classmethod
    def read(cls, path: str | Path) -> Experiment:
        """Read an experiment from a TOML file."""
        from aboutness.experiment.toml_form import read_experiment

        return read_experiment(path)

    def to_toml(self) -> str:
        """Return the experiment as a TOML file has it."""
        from aboutness.experiment.toml_form import write_toml

        return write_toml(self)

    def to_json(self, *, short: bool = False) -> dict[str, Any]:
        """Return the experiment in plain values, as a TOML file has them; `short`: only what is not as usual."""
        plain: dict[str, Any] = {
            "name": self.name,
            "collections": list(self.collections),
            "measures": list(self.measures),
            "fields": [ALL if one is None else one for one in self.fields],
            "queries": list(self.queries),
            "match": list(self.match),
            "depth": ALL if self.depth is None else self.depth,
            "analyzer": self.analyzer,
            "vectors": dict(self.vectors) if isinstance(self.vectors, Mapping) else self.vectors,
            "test": self.test,
            "correction": self.correction,
            "baseline": self.baseline,
            "seed": self.seed,
            "tune": _plain(self.tune),
            "labels": None if self.labels is None else _plain(self.labels),
            "samples": None if self.samples is None else _plain(self.samples),
        }
        usual = replace(self, **_USUAL).to_json() if short else {}
        if all(one == Declared(one.ranker) for one in self.rankers):
            plain["rankers"] = [str(one.ranker) for one in self.rankers]
        else:
            plain["ranker"] = [one.to_json() for one in self.rankers]
        kept = {name for name in plain if name in _ALWAYS or name not in usual or plain[name] != usual[name]}
        return {name: value for name, value in plain.items() if name in kept and value is not None}


_ALWAYS = ("name", "collections", "measures", "rankers", "ranker")
_USUAL: dict[str, Any] = {
    one.name: one.default
    for one in fields(Experiment)
    if one.name not in ("collections", "rankers", "name", "measures", "tune")
} | {"tune": Tune()}


def check_step(step: str) -> None:
    """Raise where a text says in no way which documents are ranked."""
    known = (*MATCHES, JUDGED)
    if step in known:
        return
    try:
        first = named_ranker(step)
    except UsageError as error:
        raise UsageError(f"match must be one of {', '.join(known)} or a cut ranker: {error}") from None
    if not first.limited:
        raise UsageError(
            f"match must be one of {', '.join(known)} or a cut ranker (bm25 % 100), got {shown(step)}"
        )


def grid_texts(grid: Mapping[str, Sequence[Any]] | Iterable[str] | None) -> tuple[str, ...]:
    """Return a grid as texts, such as k1=0.9,1.2."""
    if grid is None:
        return ()
    if isinstance(grid, Mapping):
        listed = {name: one if isinstance(one, str) else ",".join(map(str, one)) for name, one in grid.items()}
        return tuple(f"{name}={values}" for name, values in listed.items())
    return (grid,) if isinstance(grid, str) else tuple(grid)


def _listed(name: str, value: Any) -> tuple[Any, ...]:  # noqa: ANN401 - one thing or several
    if value is None or isinstance(value, str | Path | Ranker | Declared):
        return (str(value) if isinstance(value, Path) else value,)
    if isinstance(value, Mapping):
        value = [Declared(named_ranker(one), key) for key, one in value.items()]
    found = tuple(str(one) if isinstance(one, Path) else one for one in value)
    if not found:
        raise UsageError(f"an experiment must have at least one of its {name}")
    twice = next((one for place, one in enumerate(found) if one in found[:place]), None)
    if twice is not None and name not in ("rankers", "measures"):  # which have names, by which they are told apart
        raise UsageError(f"{shown(twice)} stands twice in {name}")
    return found


def _declared(value: Declared | str | Ranker) -> Declared:
    return value if isinstance(value, Declared) else Declared(named_ranker(value))


def _plain(record: Tune | Labels | Samples) -> dict[str, Any]:
    found = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: value for name, value in found.items() if value is not None}
