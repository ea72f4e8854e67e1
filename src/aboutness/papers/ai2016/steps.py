"""The changes one by one, the lengths of vectors, and the grids: what each parameter of EPV does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from aboutness.papers.ai2016.cases import AP, FIFTHS
from aboutness.papers.ai2016.compared import Compared
from aboutness.papers.ai2016.ladder import CHANGES, DRJ, PAPERS_OWN, PV, SLOW, STEPS, Rung
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.tables import FIRST, OF_GAINS, OF_MEANS, PAPER
from aboutness.papers.printed import printed, with_best
from aboutness.report.numbers import told_p
from aboutness.report.study import Cell, Sheet, Value

OF_NORMS = 0.25  # how far a mean length of vectors may move
FIFTH_NAMES = ("fewest words", "2nd fifth", "3rd fifth", "4th fifth", "most words")


@dataclass(frozen=True)
class Step:
    """One change: the model with it, and the one without it."""

    change: str
    rate: float
    model: str
    before: str

    @property
    def name(self) -> str:
        """Return what it is called."""
        return (
            f"{self.change}, rate {self.rate:g}{', eq. 9 as printed' * (self.change == 'J' and self.rate == SLOW)}"
        )


def steps() -> Iterator[Step]:
    """Yield all changes of both ladders."""
    for rate, models in STEPS.items():
        for change, (before, model) in zip(CHANGES, pairwise(models), strict=True):
            yield Step(change, rate, model, before)


def step_sheet(compared: Compared) -> Sheet:
    """Return what each change brings, with all else the same."""
    rows: dict[str, list[Cell]] = {}
    for step in steps():
        up = sum(case.found[step.model].mean[AP] > case.found[step.before].mean[AP] for case in compared.cases)
        rows[step.name] = [
            *(Value(100 * compared.mean(name)) for name in (step.before, step.model)),
            Value(100 * compared.gain(step.model, step.before), _printed_gain(step)),
            told_p(compared.test(step.model, step.before).p_value),
            f"{up} of {len(compared.cases)}",
        ]
    return Sheet(
        "changes", [f"{AP} without, %", f"{AP} with, %", "gain, %", "p", "up on"], rows,
        f"{AP}, mean over collections, without and with each change, where all else is the same; p by Fisher's "
        f"test over all collections; the paper's gains are those of {FIRST}.", "change", digits=2,
        tolerance=OF_GAINS,
    )  # fmt: skip


def _printed_gain(step: Step) -> float | None:
    """Return what a change brings by the paper's table 1, in percent."""
    place = PAPERS_OWN.index(PV) + CHANGES.index(step.change)
    before, after = (printed(PAPER)[FIRST, name, AP].paper for name in PAPERS_OWN[place : place + 2])
    return 100 * (after / before - 1) if before and after else None


def with_vectors() -> list[str]:
    """Return the names of all models on paragraph vectors."""
    return list(dict.fromkeys([*PAPERS_OWN[2:], *(name for models in STEPS.values() for name in models)]))


def said_of_norms(compared: Compared) -> list[str]:
    """Return what is to be said of how long vectors are, where all models agree."""
    every = [case.found[model].correlation or 0.0 for model in with_vectors() for case in compared.cases]
    if min(every) <= 0:
        return []
    said = (
        "With R and without, long documents have the longer vectors: the rank correlation of words and length is "
        f"{min(every):.2f} to {max(every):.2f} over all models and collections."
    )
    return [said]


def norm_sheet(compared: Compared) -> Sheet:
    """Return how long documents' vectors are, by how many words these have."""
    rows: dict[str, list[Cell]] = {}
    for model in with_vectors():
        every = [case.found[model] for case in compared.cases]
        rows[model] = [
            *(Value(fmean(one.norms[fifth] for one in every)) for fifth in range(FIFTHS)),
            Value(fmean(one.correlation or 0.0 for one in every)),
        ]
    return Sheet(
        "lengths of vectors", [*FIFTH_NAMES, "correlation"], rows,
        "Mean length of documents' vectors by fifths of the documents, and Spearman's correlation of a document's "
        "words with the length of its vector; mean over collections.", "model", digits=2, tolerance=OF_NORMS,
    )  # fmt: skip


def growth_sheet(grown: Growth) -> Sheet:
    """Return how long vectors are after few and after many epochs."""
    rows: dict[str, list[Cell]] = {
        f"{model}, {epochs} epochs": list(map(Value, fifths))
        for model, every in grown.by_model.items()
        for epochs, fifths in zip(grown.epochs, every, strict=True)
    }
    return Sheet(
        "growth of vectors", FIFTH_NAMES, rows,
        f"Mean length of documents' vectors by fifths of the documents of {grown.collection}, trained for so many "
        "epochs.", "model", digits=2, tolerance=OF_NORMS,
    )  # fmt: skip


Grid = tuple[str, str, float, Rung]


def grid_means(compared: Compared, grid: Sequence[Grid], parameter: str) -> dict[str, dict[float, float]]:
    """Return for each model its AP, mean over collections, by the values of a parameter."""
    found: dict[str, dict[float, float]] = {}
    for one, model, value, rung in grid:
        if one == parameter:
            found.setdefault(model, {})[value] = compared.mean(rung.name)
    return found


def grid_sheet(compared: Compared, grid: Sequence[Grid], parameter: str, others: str) -> Sheet:
    """Return AP by a parameter of EPV."""
    means = grid_means(compared, grid, parameter)
    values = list(means[DRJ])
    rows: dict[str, list[Cell]] = {
        f"{parameter} {value:g}": [Value(means[model][value]) for model in means] for value in values
    }
    return Sheet(
        parameter, list(means), with_best(rows),
        f"{AP} by {parameter}, mean over collections, with lambda by folds and {others}.", parameter,
        digits=4, tolerance=OF_MEANS,
    )  # fmt: skip
