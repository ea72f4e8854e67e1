"""What claims are decided by: differences on the same queries, with paired tests, told in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aboutness.evaluate.significance import fisher
from aboutness.papers.malina2016.measured import EARLY, Floats, Measured, Mission
from aboutness.papers.malina2016.methods import SEVEN, names
from aboutness.papers.malina2016.shapes import Shape
from aboutness.papers.malina2016.testing import ALL, Tests
from aboutness.report.numbers import LEVEL, signed, told_p


@dataclass(frozen=True)
class Evidence:
    """All that was measured and tested."""

    measured: Measured
    fresh: Measured  # the best single method, then the best ensemble, by queries that were not in `measured`
    tests: Mapping[str, Tests]
    shapes: Mapping[str, Shape]  # of max F1 of all queries, first mission, by method
    seed: int

    @cached_property
    def early(self) -> dict[str, Floats]:
        """Return each query's mean precision over recall 0 to .1, first mission, by method."""
        return self.measured.same_label.segments(names(SEVEN), EARLY)

    def early_of(self, group: str) -> dict[str, Floats] | None:
        """Return the same of a group's queries, second mission; None where there are none."""
        one = self.measured.groups.get(group)
        return None if one is None else one.segments(names(SEVEN), EARLY)

    def best_on(self, name: str) -> str:
        """Return the method with the highest mean max F1 on all queries, or on a group's."""
        one = self.measured.same_label if name == ALL else self.measured.groups[name]
        return max(names(SEVEN), key=lambda method: float(one.f1[method].mean()))

    def at_recall(self, one: Mission, place: int) -> dict[str, Floats]:
        """Return each query's precision at one of the paper's points of recall, by method."""
        return {name: one.precision[name][:, place] for name in names(SEVEN)}

    def above(self, values: Mapping[str, Floats], upper: Iterable[str], lower: Iterable[str]) -> Above:
        """Return whether some methods lie above others: the one rule of claims that are read off curves."""
        ours, others = ({name: values[name] for name in some} for some in (upper, lower))
        higher = sum(float(one.mean()) > float(other.mean()) for one in ours.values() for other in others.values())
        tested = fisher(*(np.mean(list(some.values()), axis=0) for some in (ours, others)), seed=self.seed)
        return Above(higher, len(ours) * len(others), tested.difference, tested.p_value)


@dataclass(frozen=True)
class Above:
    """Whether some methods have a higher precision than others."""

    higher: int  # pairs in which the mean is
    pairs: int
    difference: float  # of the mean of the ones and the mean of the others
    p: float

    @property
    def holds(self) -> bool:
        """Tell whether each has a higher mean than each other, and all together differ by more than chance."""
        return self.higher == self.pairs and self.difference > 0 and self.p < LEVEL

    def __str__(self) -> str:
        together = (
            f"all together {signed(self.difference)}, " if self.pairs > 1 else f"{signed(self.difference)}, "
        )
        return f"higher in {self.higher} of {self.pairs} pairs; {together}p {told_p(self.p)}"


def means(values: Mapping[str, Floats], some: Iterable[str]) -> str:
    """Return methods with their means, in words, the highest first."""
    ordered = sorted(some, key=lambda name: -float(values[name].mean()))
    return ", ".join(f"{name} {_short(float(values[name].mean()))}" for name in ordered)


def dunn_told(tests: Tests, one: str, other: str) -> str:
    """Return z and p of a pair, by the paper's test and by the paired one."""
    dunn, paired = tests.dunn, tests.fisher
    assert dunn.statistics is not None
    place = dunn.names.index(one), dunn.names.index(other)
    z, p = float(dunn.statistics[place]), float(dunn.adjusted[place])
    difference = signed(float(paired.differences[place]))
    return (
        f"{one} less {other}: z {signed(z, 2)}, p {told_p(p, tests.level)}; paired: {difference}, "
        f"p {told_p(float(paired.adjusted[place]), tests.level)}"
    )


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")
