"""Claims on planted values: each verdict can go both ways."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from aboutness.papers.malina2016.claims import first_claims
from aboutness.papers.malina2016.curve_parts import BEST, ensemble_sheet, fresh_sheet, segments_sheet
from aboutness.papers.malina2016.evidence import Above, Evidence
from aboutness.papers.malina2016.group_claims import group_claims
from aboutness.papers.malina2016.measured import FIRST, GROUPS, WHOLE, Measured, Mission
from aboutness.papers.malina2016.methods import ENSEMBLES, EVERY, PARTS, SEVEN, names
from aboutness.papers.malina2016.run import best_of
from aboutness.papers.malina2016.shapes import Shape
from aboutness.papers.malina2016.testing import all_tests
from aboutness.report.study import Claim, Value, Verdict

EACH = 30  # queries of a group
SPARSE, HYBRID = ("TF-IDF", "BM25"), ("Algorithm 1", "Doc2Vec Weighted", "DeepWalk Weighted")
PURE = ("Doc2Vec", "DeepWalk")
Planted = Mapping[str, float]


def planted(
    f1: Planted, *, start: Planted | None = None, of_groups: Mapping[str, Planted] | None = None
) -> Measured:
    """Return values in which methods differ by what is planted: in all, at recall 0, or in the queries of a group."""
    chance = np.random.default_rng(4)
    count = EACH * len(GROUPS)
    queries = tuple(map(str, range(count)))
    group_of = {query: GROUPS[place // EACH] for place, query in enumerate(queries)}
    hard = chance.uniform(0.3, 0.6, count)
    values, curves = {}, {}
    for name in names(EVERY):
        own = hard + chance.normal(0, 0.002, count) + f1.get(name, 0)
        for group, changed in (of_groups or {}).items():
            own[[group_of[query] == group for query in queries]] += changed.get(name, 0)
        values[name] = own
        curves[name] = np.repeat(own[:, None], len(FIRST) + len(WHOLE), axis=1)
        curves[name][:, 0] += (start or {}).get(name, 0)
    one = Mission(queries, values, curves)
    return Measured(one, one, group_of)


def evidence(found: Measured, one_mode: float = 0.0) -> Evidence:
    shapes = {name: Shape(one_mode, 0.5, 0.6) for name in names(SEVEN)}
    best, combined = (best_of(found, some) for some in (SEVEN, ENSEMBLES))
    return Evidence(found, only(found, best.name, combined.name), all_tests(found, 1), shapes, 1)


def only(found: Measured, *methods: str) -> Measured:
    """Return the values of some methods, for every second query."""
    missions = [
        Mission(one.queries, one.f1_of(methods), {name: one.precision[name] for name in methods}).of(
            one.queries[::2]
        )
        for one in (found.same_label, found.same_group)
    ]
    return Measured(missions[0], missions[1], {query: found.group_of[query] for query in missions[0].queries})


def verdict(claims: list[Claim], begins: str) -> Verdict:
    (one,) = (claim for claim in claims if claim.says.startswith(begins))
    return one.verdict


ENSEMBLE = "An ensemble of methods would perform better than any single one: same label"
ON_GROUPS = ENSEMBLE.replace("label", "group")
UP, DOWN = 0.2, -0.2
AS_IN_THE_PAPER = {**dict.fromkeys(SPARSE, DOWN), "Doc2Vec Weighted": 0.02, "Doc2Vec": 0.01, "TF-IDF": DOWN - 0.05}


def test_what_the_paper_found_would_hold() -> None:
    start = {"Doc2Vec": 0.03, "DeepWalk": 0.04}
    claims = first_claims(evidence(planted(AS_IN_THE_PAPER | {"DeepWalk": -0.01, "Doc2Vec": -0.02}, start=start)))
    for begins in (
        "A hybrid", "Over all queries", "Algorithm 1 has", "Algorithm 1 and the pure", "Whether", "TF-IDF does not",
        "Over recall", "Doc2Vec Weighted outperforms", "Pure methods", "Max F1 is bimodal",
    ):  # fmt: skip
        assert verdict(claims, begins) is Verdict.HOLDS, begins
    assert verdict(claims, ENSEMBLE) is Verdict.FAILS
    assert verdict(first_claims(evidence(planted(AS_IN_THE_PAPER))), "Doc2Vec and Doc2Vec W") is Verdict.HOLDS


def test_the_opposite_does_not_hold() -> None:
    found = planted(dict.fromkeys(SPARSE, UP) | dict.fromkeys(PURE, DOWN))
    claims = first_claims(evidence(found, one_mode=0.5))
    for begins in (
        "A hybrid", "How methods perform", "Over all queries", "Algorithm 1 has", "Algorithm 1 and the pure",
        "Whether", "Doc2Vec and", "TF-IDF does not", "Over recall", "Doc2Vec Weighted outperforms", "Pure methods",
        "Max F1 is bimodal",
    ):  # fmt: skip
        assert verdict(claims, begins) is Verdict.FAILS, begins


def test_algorithm_1_decides_for_the_hybrids() -> None:
    (one, *_) = first_claims(evidence(planted({"Doc2Vec Weighted": UP, "DeepWalk Weighted": UP})))
    assert one.verdict is Verdict.FAILS
    assert "Algorithm 1 in 0 (none); Doc2Vec Weighted in 8 (all queries, economy" in one.found


def test_claims_read_off_curves_have_one_rule() -> None:
    def above(**means: float) -> Above:
        chance = np.random.default_rng(3)
        values = {name: mean + chance.normal(0, 0.01, 200) for name, mean in means.items()}
        return evidence(planted({})).above(values, ["a", "b"], ["c", "d"])

    assert above(a=0.5, b=0.5, c=0.4, d=0.4).holds
    mixed = above(a=0.9, b=0.5, c=0.6, d=0.4)  # surely higher together, but not one by one
    assert (mixed.higher, mixed.pairs, mixed.holds) == (3, 4, False)
    assert mixed.p < 0.05
    assert str(mixed).startswith("higher in 3 of 4 pairs; all together +.2")
    assert not above(a=0.4, b=0.4, c=0.5, d=0.5).holds
    same = np.full(50, 0.5)
    slight = evidence(planted({})).above({"a": same + np.eye(50)[0] * 0.01, "c": same}, ["a"], ["c"])
    assert (slight.higher, slight.holds) == (1, False)  # in the right order, by one query alone


def test_leaders_on_economy_can_hold() -> None:
    lead = {"economy": dict.fromkeys((*SPARSE, "DeepWalk"), 0.01)}
    assert verdict(group_claims(evidence(planted({}, of_groups=lead))), "On economy DeepWalk") is Verdict.HOLDS


def test_an_ensemble_can_win() -> None:
    found = planted({"Ensemble of all": 0.05})
    claims = first_claims(evidence(found))
    assert verdict(claims, ENSEMBLE) is verdict(claims, ON_GROUPS) is Verdict.HOLDS
    sheet = ensemble_sheet(found.same_label, "same label", names(PARTS), 1)
    marks = {row: value.mark for row, column, value in sheet.values if column == "max F1"}
    assert marks["Ensemble of all"] == "+"
    assert marks[BEST] == ""
    fresh = fresh_sheet(only(found, "BM25", "Ensemble of all"), 1)
    assert [value.mark for row, _, value in fresh.values if row == "Ensemble of all"] == ["+", "+"]
    lost = ensemble_sheet(planted({"BM25": 0.05}).same_label, "same label", names(PARTS), 1)
    assert {value.mark for row, _, value in lost.values if row in names(ENSEMBLES)} == {"-"}


def test_groups_are_decided_on_their_own() -> None:
    dense = dict.fromkeys((*HYBRID, *PURE), UP)
    found = planted(
        {},
        of_groups={
            "acq": dense,
            "metal": dict.fromkeys(SPARSE, UP),
            "fuel": dict.fromkeys(SPARSE, UP),
            "earn": {"TF-IDF": DOWN},
            "bulk": dense,
            "currency": dense,
        },
    )
    claims = group_claims(evidence(found))
    for begins in ("On acq", "On fuel", "On metal", "On earn", "On economy the methods", "In some groups"):
        assert verdict(claims, begins) is Verdict.HOLDS, begins
    assert verdict(claims, "On economy DeepWalk") is Verdict.FAILS
    assert verdict(claims, "The seven methods") is Verdict.FAILS  # they differ on metal here
    assert verdict(first_claims(evidence(found)), "How methods perform") is Verdict.HOLDS


def test_groups_in_which_nothing_differs() -> None:
    claims = group_claims(evidence(planted({})))
    for begins in ("On acq", "On metal", "On earn", "The seven methods", "In some groups"):
        assert verdict(claims, begins) is Verdict.FAILS, begins
    assert verdict(claims, "On fuel") is Verdict.HOLDS
    assert verdict(claims, "On economy the methods") is Verdict.HOLDS


def test_parts_of_the_curve_have_their_best() -> None:
    found = planted({"Doc2Vec": 0.05, "BM25": 0.049})
    sheet = segments_sheet(found.same_label, "same label", 1)
    assert [value.best for value in sheet.rows["Doc2Vec"] if isinstance(value, Value)] == [True] * 4
    assert all(value.mark == "*" for row, _, value in sheet.values if row not in ("Doc2Vec", "BM25"))
    means = [one.here for one in sheet.rows["Doc2Vec"] if isinstance(one, Value)]
    assert means == pytest.approx([float(found.same_label.f1["Doc2Vec"].mean())] * 4, abs=0.01)
