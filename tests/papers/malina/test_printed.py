from __future__ import annotations

from itertools import combinations
from math import erfc, sqrt

import pytest

from aboutness.papers.malina2016.measured import GROUPS
from aboutness.papers.malina2016.testing import ALL, FAMILY, ORDER_OF_ALL, ORDER_OF_GROUPS
from aboutness.papers.printed import printed

TABLES = (ALL, "bulk", "acq", "earn", "currency", "fuel")


def table(kind: str, name: str) -> dict[tuple[str, str], float]:
    return {
        (row, column): value.paper
        for (of, row, column), value in printed("malina2016").items()
        if of == f"dunn {kind} {name}" and value.paper is not None
    }


def order(name: str) -> tuple[str, ...]:
    return ORDER_OF_ALL if name == ALL else ORDER_OF_GROUPS


@pytest.mark.parametrize("name", TABLES)
def test_each_pair_is_there_once(name: str) -> None:
    pairs = {(row, column) for column, row in combinations(order(name), 2)}
    assert table("z", name).keys() == table("p", name).keys() == pairs


@pytest.mark.parametrize("name", TABLES)
def test_z_are_differences_of_mean_ranks(name: str) -> None:
    """All methods have as many queries, so z of a pair is the difference of z to any third method."""
    z = table("z", name)
    first = order(name)[0]
    for (row, column), value in z.items():
        if column != first:
            assert value == pytest.approx(z[row, first] - z[column, first], abs=2e-5)


@pytest.mark.parametrize("name", TABLES)
def test_p_are_one_sided_and_times_the_pairs(name: str) -> None:
    z, p = table("z", name), table("p", name)
    for pair, value in p.items():
        assert value == pytest.approx(min(1, len(p) * erfc(abs(z[pair]) / sqrt(2)) / 2), abs=6e-5)


def test_values_as_the_paper_has_them() -> None:
    found = printed("malina2016")
    assert table("z", ALL)["BM25", "Algorithm 1"] == 5.125541
    assert table("z", "acq")["TF-IDF", "DeepWalk"] == 10.49711
    assert table("z", "earn")["DeepWalk", "Doc2Vec Weighted"] == 13.96753
    assert table("p", "currency")["DeepWalk Weighted", "DeepWalk"] == 0.0059
    assert table("p", "fuel")["TF-IDF", "DeepWalk Weighted"] == 0.0012
    assert found["corpus", "documents", "count"].paper == 12895
    assert found["kruskal", "bulk", "p"].paper_said == "< 2.2e-16"
    assert found["kruskal", "fuel", "chi-squared"].paper == 18.4


def test_the_paper_decides_by_its_level() -> None:
    found = printed("malina2016")
    for group in GROUPS:
        p = found["kruskal", group, "p"]
        rejected = p.paper is None or p.paper < FAMILY  # what is no number is less than any
        assert found["kruskal", group, "rejected"].paper_said == ("yes" if rejected else "no")
