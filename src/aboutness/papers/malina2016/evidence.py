"""What claims are decided by: differences on the same queries, with paired tests, told in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.significance import fisher
from aboutness.papers.malina2016.measured import EARLY, Floats, Measured, Mission
from aboutness.papers.malina2016.methods import SEVEN, names
from aboutness.papers.malina2016.shapes import Shape
from aboutness.papers.malina2016.testing import ALL, LEVEL, Tests
from aboutness.report.numbers import signed, told_p


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

    def surely(
        self, values: Mapping[str, Floats], better: Iterable[str], worse: Sequence[str], level: float = LEVEL
    ) -> set[tuple[str, str]]:
        """Return the pairs of which the first is surely better: Fisher's paired test, by Holm over all pairs."""
        pairs = [(one, other) for one in better for other in worse if one != other]
        if not pairs:
            return set()
        found = adjusted([fisher(values[one], values[other], seed=self.seed).p_value for one, other in pairs])
        return {
            (one, other)
            for (one, other), p in zip(pairs, found.tolist(), strict=True)
            if p < level and values[one].mean() > values[other].mean()
        }


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
