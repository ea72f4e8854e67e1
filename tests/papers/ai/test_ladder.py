from __future__ import annotations

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.papers.ai2016.ladder import DR, DRJ, LDA, OTHERS, PAPERS_OWN, PRINTED, PV, SLOW, grid_rungs, rungs
from aboutness.papers.ai2016.norms import by_length, growth
from aboutness.papers.ai2016.protocol import Ai2016
from aboutness.papers.ai2016.steps import steps
from aboutness.vectors.pv import EPV
from aboutness.vectors.trainer import plain
from papers.ai.planted import small

SIZES = Ai2016()
RUNGS = {one.name: one for one in rungs(SIZES, 1)}


def test_the_papers_parameters_are_the_defaults() -> None:
    assert tuple(RUNGS) == (*PAPERS_OWN, *OTHERS)
    topics = plain(RUNGS[LDA].way)
    assert (topics["topics"], RUNGS[LDA].way.prior, topics["beta"]) == (300, pytest.approx(50 / 300), 0.01)
    full = plain(RUNGS[DRJ].way)
    assert (full["dim"], full["gamma"], full["eta"], full["sample"]) == (300, 10, 0.1, 500_000)
    printed = plain(RUNGS[PRINTED].way)
    assert (printed["joint"], printed["rate"]) == (1, SLOW)
    assert SIZES.gammas == (1, 10, 100)
    assert SIZES.etas == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    assert (SIZES.candidates, SIZES.depth, SIZES.folds) == (2000, 1000, 5)


@pytest.mark.parametrize("step", list(steps()), ids=lambda step: step.name)
def test_a_step_changes_one_thing(step) -> None:
    before, after = RUNGS[step.before].way, RUNGS[step.model].way
    wanted = {"D": "by_documents", "R": "gamma", "J": "joint"}[step.change]
    if step.change == "D":  # `pv` is `epv` with everything off
        shared = {name: value for name, value in plain(before).items() if name != "architecture"}
        before = EPV(**shared, by_documents="off", gamma=0, joint=0, eta=after.eta)
    changed = {name for name, value in plain(after).items() if value != plain(before)[name]}
    assert changed == {wanted}
    assert after.rate == step.rate


def test_each_training_has_a_name_of_its_own() -> None:
    names = [one.kept_as for one in RUNGS.values() if one.way]
    assert len(set(names)) == len(names)
    every = {rung.name: rung for *_, rung in grid_rungs(SIZES, 1)}
    assert len(every) == 2 * (3 + 9)
    assert every[f"{DR}, gamma 10"].kept_as == every[f"{DR}, eta 0.1"].kept_as == RUNGS[DR].kept_as
    assert len({one.kept_as for one in every.values()}) == 2 * (3 + 9 - 1)
    other = {one.name: one for one in rungs(SIZES, 2)}
    assert other[PV].kept_as != RUNGS[PV].kept_as


def test_lengths_of_vectors_are_told_by_fifths() -> None:
    words = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    index = Index.build([{"id": str(n), "text": " ".join(["boko"] * n)} for n in [*words, 0]], analyzer="plain")
    way = EPV(dim=4, epochs=1, min_count=1)
    space = way.train(index.view(), threads=1)
    rows = np.zeros((11, 4), np.float32)
    rows[:10, 0] = [20 - n for n in words]  # the empty one has a row of zeros
    fifths, correlation = by_length(space.with_rows(rows, space.arrivals), index.view())
    assert fifths == (18.5, 16.5, 14.5, 12.5, 10.5)
    assert correlation == pytest.approx(-1)
    grown = growth(small(growth=(1, 3, 9)), 1, "c", index.view())
    assert [len(one) for one in grown.by_model.values()] == [3, 3]
    assert grown.factor(DR, 0) == pytest.approx(grown.by_model[DR][-1][0] / grown.by_model[DR][0][0])
