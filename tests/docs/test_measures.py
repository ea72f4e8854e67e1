"""Pages of measures: each formula that is printed is what is computed."""

from __future__ import annotations

import math
import random

import pytest
from docsite.figures.measured import ORDERS, TO_FIND, by_order, by_place
from docsite.generated.measure_formulas import FORMULAS
from docsite.generated.measure_sources import SOURCES

from aboutness.app.evaluating import evaluate_run
from aboutness.evaluate.measures import known_measures

K = 10


def precision(relevant, i):
    return sum(relevant[:i]) / i


def discounted(gains, discount):
    return sum(gain / discount(rank) for rank, gain in enumerate(gains, 1))


def largest(values):
    return max(values, default=0.0)


def bpref(judged, total, others):
    """`judged` has True for a relevant document and False for one that is judged not relevant, by rank."""
    before, worth = 0, 0.0
    for is_relevant in judged:
        if is_relevant:
            worth += 1 - (min(before, total) / min(total, others) if before else 0)
        before += not is_relevant
    return worth / total


def by_formula(name, ranked, grades):
    """The value that the printed formula gives, term by term."""
    grade = [grades.get(one) for one in ranked]
    r = [int((one or 0) >= 1) for one in grade]
    total, n = sum(one >= 1 for one in grades.values()), len(ranked)
    hits = [i for i in range(1, n + 1) if r[i - 1]]
    set_p, set_r = sum(r) / n, sum(r) / total
    log = lambda rank: math.log2(rank + 1)  # noqa: E731
    late = lambda rank: 1 if rank == 1 else math.log2(rank)  # noqa: E731
    return {
        "AP": lambda: sum(precision(r, i) for i in hits) / total,
        "nDCG": lambda: (
            discounted([max(one or 0, 0) for one in grade[:K]], log)
            / discounted(sorted(grades.values(), reverse=True)[:K], log)
        ),
        "RR": lambda: 1 / hits[0] if hits else 0,
        "P": lambda: sum(r[:K]) / K,
        "R": lambda: sum(r[:100]) / total,
        "Rprec": lambda: sum(r[:total]) / total,
        "Success": lambda: float(any(r[:K])),
        "Judged": lambda: sum(one is not None for one in grade[:K]) / min(K, n),
        "IPrec": lambda: largest(precision(r, i) for i in hits if sum(r[:i]) >= int(0.1 * total + 0.9)),
        "MaxF1": lambda: largest(2 * precision(r, i) * (sum(r[:i]) / total) / (precision(r, i) + sum(r[:i]) / total) for i in hits),
        "SetP": lambda: set_p,
        "SetR": lambda: set_r,
        "SetF": lambda: 2 * set_p * set_r / (set_r + set_p) if sum(r) else 0,
        "SetAP": lambda: set_p * set_r,
        "Bpref": lambda: bpref([bool(one) for one in grade if one is not None], total, len(grades) - total),
        "infAP": lambda: sum(
            1 / i + ((i - 1) / i) * (sum(one is not None for one in grade[: i - 1]) / (i - 1))
            * (sum(r[: i - 1]) + 1e-5) / (sum(one is not None for one in grade[: i - 1]) + 2e-5)
            if i > 1 else 1.0
            for i in hits
        ) / total,
        "Compat": lambda: compatible(ranked, grades),
        "AP(convention='galke2017')": lambda: sum(precision(r, i) for i in hits if i <= 20) / max(1, sum(r[:20])),
        "AP(convention='galke2017-printed')": lambda: sum(precision(r, i) for i in range(1, min(20, n) + 1)) / min(20, n),
        "RR(convention='galke2017')": lambda: 1 / hits[0] if hits and hits[0] <= 20 else 0,
        "nDCG(convention='galke2017')": lambda: discounted(r[:20], late) / discounted([1] * min(20, total), late),
    }[name]()  # fmt: skip


def compatible(ranked, grades, p=0.95):
    place = {one: rank for rank, one in enumerate(ranked)}
    wanted = [one for one, grade in grades.items() if grade > 0]
    ideal = sorted(wanted, key=lambda one: (-grades[one], place.get(one, math.inf)))

    depth = max(len(ranked), len(ideal))

    def overlap(one, other):
        return sum(p ** (i - 1) * len(set(one[:i]) & set(other[:i])) / i for i in range(1, depth + 1))

    return overlap(ranked, ideal) / overlap(ideal, ideal)


def test_every_measure_has_a_formula_and_no_other_has():
    assert FORMULAS.keys() == {one["name"] for one in known_measures()}


def test_every_measure_says_where_it_comes_from():
    assert SOURCES.keys() == {one["name"] for one in known_measures()}
    assert all(one.paper and one.differs for one in SOURCES.values())


def test_figures_show_what_the_measures_are():
    assert by_place("RR")[:3] == pytest.approx([1, 1 / 2, 1 / 3])
    assert by_place("AP")[4] == pytest.approx(1 / 5 / TO_FIND)
    assert dict(zip(ORDERS, by_order("nDCG@10"), strict=True))["the best order"] == 1
    assert dict(zip(ORDERS, by_order("R@100"), strict=True))["half of them not found"] == 0.5
    assert (
        dict(zip(ORDERS, by_order("Judged@10"), strict=True))["the best order, half of the rest not judged"] == 0.7
    )


@pytest.mark.parametrize("known", known_measures(), ids=lambda known: known["name"])
def test_the_formula_is_what_is_computed(known):
    chance = random.Random(7)
    formula = FORMULAS[known["name"]]
    for _ in range(40):
        names = [f"d{number}" for number in range(chance.randint(1, 40))]
        grades = {one: chance.choice([0, 0, 1, 2]) for one in names if chance.random() < 0.6} | {
            "missing": 1,
            "no": 0,
        }
        chance.shuffle(names)
        run = {"q": {one: -float(rank) for rank, one in enumerate(names)}}
        (value,) = evaluate_run({"q": grades}, run, [known["example"]]).mean.values()
        assert value == pytest.approx(by_formula(known["name"], names, grades), abs=1e-4), (names, grades)
        assert formula.least <= value <= formula.most
