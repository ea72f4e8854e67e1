from __future__ import annotations

import pytest

from aboutness.papers.ai2016.claims import claims
from aboutness.papers.ai2016.compared import Compared, percent
from aboutness.papers.ai2016.halves import halves, halves_p, mean_gains, split_cases
from aboutness.papers.ai2016.ladder import DR, DRJ, LDA, PV, QL, D
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.tables import gains, said_and_printed, table_1
from aboutness.papers.printed import printed
from aboutness.report.study import Value, Verdict
from papers.ai.planted import case

BASE = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.2, 0.3, 0.1, 0.5]
HIGHER = [value + 0.1 + 0.01 * number for number, value in enumerate(BASE)]
GROWN = Growth("a", (5, 80), {D: [(1.0,) * 5, (4.0, 3, 3, 2, 1.1)], DR: [(1.0,) * 5, (1.5,) * 5]})


def compared(*cases: dict[str, list[float]]) -> Compared:
    return Compared([case(f"c{number}", values) for number, values in enumerate(cases)], 1000, 1)


def test_collections_count_the_same_however_many_queries_they_have() -> None:
    few, many = {"QL": [0.5, 0.5], DRJ: [0.9, 0.7]}, {"QL": BASE * 5, DRJ: [one - 0.01 for one in BASE] * 5}
    found = compared(few, many)
    assert (
        found.test(DRJ, QL).difference == pytest.approx(found.mean(DRJ) - found.mean(QL)) == pytest.approx(0.145)
    )
    assert found.test(DRJ, QL).difference > 0 > found.test(DRJ, QL, case=found.cases[1]).difference
    back = found.test(QL, DRJ)
    assert back.p_value == found.test(DRJ, QL).p_value
    assert back.difference == pytest.approx(-found.test(DRJ, QL).difference)


def test_marks_are_the_papers() -> None:
    found = compared({"QL": BASE, LDA: BASE, DRJ: HIGHER, PV: [one - 0.1 for one in BASE]})
    assert found.marks(DRJ, "AP") == "*+"
    assert found.marks(PV, "AP") == ""  # significantly worse is not better
    assert found.marks(QL, "AP") == ""


def test_gains_stand_beside_those_of_the_papers_table() -> None:
    found = compared({"QL": BASE, DRJ: [2 * one for one in BASE]})
    value = gains(found).rows[DRJ][0]
    assert isinstance(value, Value)
    assert value.here == pytest.approx(100)
    assert value.paper == pytest.approx(5.5, abs=0.05)  # as the paper's text says
    assert table_1(found, "GOV2 titles").rows.keys() == {QL, LDA, DRJ}
    assert all(value.here is None for *_, value in table_1(found, "GOV2 titles").values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"QL": BASE, DRJ: HIGHER, LDA: BASE}, (Verdict.HOLDS, Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS)),
        ({"QL": BASE, DRJ: HIGHER, LDA: HIGHER}, (Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS, Verdict.FAILS)),
        ({"QL": BASE, DRJ: BASE, LDA: BASE}, (Verdict.FAILS, Verdict.FAILS, Verdict.FAILS, Verdict.HOLDS)),
    ],
)
def test_claims_follow_their_rules(values: dict[str, list[float]], expected: tuple[Verdict, ...]) -> None:
    found = claims(compared(values, values), GROWN)
    assert tuple(one.verdict for one in found[:4]) == expected
    assert all(one.found.endswith(".") for one in found)


def test_each_change_is_tested_against_the_model_without_it() -> None:
    found = {one.says: one for one in claims(compared({"QL": BASE, DR: HIGHER}), GROWN)}
    by_start = {says: one.verdict for says, one in found.items() if says.endswith("rate 0.05")}
    assert [*by_start.values()] == [Verdict.FAILS, Verdict.HOLDS, Verdict.FAILS]
    assert "EPV-DR-LM after EPV-D-LM: mean AP 0.4650 against 0.3200 (+45.3\u00a0%" in "".join(
        one.found for one in found.values()
    )


def test_growth_is_judged_by_numbers() -> None:
    values = compared({"QL": BASE})
    growing, held = claims(values, GROWN)[10:12]
    assert growing.verdict == Verdict.HOLDS
    assert "4.00 times as long" in growing.found
    assert held.verdict == Verdict.HOLDS
    assert "1.50 times as long with R, 4.00 times without" in held.found
    assert "on 0 of 1" in held.found  # vectors are as long with R as without on the collection itself
    assert held.found.endswith("by which the claim fails.")
    all_grow = Growth("a", (5, 80), {D: [(1.0,) * 5, (4.0,) * 5], DR: [(1.0,) * 5, (5.0,) * 5]})
    assert [one.verdict for one in claims(values, all_grow)[10:12]] == [Verdict.FAILS, Verdict.FAILS]
    late = Growth("a", (5, 40, 80), {D: [(1.0,) * 5, (2.0,) * 5, (3.0, 2, 2, 2, 2.1)], DR: [(1.0,) * 5] * 3})
    assert claims(values, late)[10].verdict == Verdict.FAILS  # the whole training counts, not its end
    assert "from 40 epochs on it is 1.50 and 1.05 times" in claims(values, late)[10].found


def test_queries_are_split_at_the_median() -> None:
    one = halves(case("c", {"QL": BASE}, [1, 1, 2, 2, 3, 3, 4, 5, 6, 7]))
    assert (one.short, one.long) == (tuple(f"q{i}" for i in range(6)), tuple(f"q{i}" for i in range(6, 10)))
    alike = halves(case("c", {"QL": BASE}, [1] + [2] * 9))
    assert alike.short == ("q0",)
    assert not split_cases(Compared([case("c", {"QL": BASE}, [2] * 10)], 10, 1))


def test_gains_on_short_queries_are_seen() -> None:
    lengths = [1 if number < 40 else 5 for number in range(80)]
    ours = [0.5 if number < 40 else 0.25 for number in range(80)]
    every = split_cases(Compared([case("c", {"QL": [0.25] * 80, DRJ: ours}, lengths)], 10, 1))
    assert mean_gains(every, DRJ) == pytest.approx((1.0, 0.0))
    assert halves_p(every, DRJ) < 0.001


def test_shares_are_told_with_their_sign() -> None:
    assert [percent(one) for one in (-0.0512, -0.0001, 0.25)] == [
        "\u22125.1\u00a0%",
        "+0.0\u00a0%",
        "+25.0\u00a0%",
    ]


def test_the_printed_numbers_are_the_papers() -> None:
    every = printed("ai2016")
    assert len(every) == 6 * 6 + 3 * 6 + 6
    assert every["Robust04 titles", DRJ, "AP"].paper == 0.267
    assert every["Robust04 titles", DRJ, "AP"].paper_mark == "*+"
    assert every["Robust04 descriptions", DR, "P@20"].paper == 0.338
    assert every["Robust04 descriptions", D, "nDCG@20"].paper_mark == "*"
    assert every["GOV2 titles", DRJ, "AP"].paper_mark == "+"
    assert every["GOV2 descriptions", LDA, "nDCG@20"].paper == 0.375
    assert sum(bool(one.paper_mark) for one in every.values()) == 21


def test_the_papers_text_is_held_against_its_table() -> None:
    said = said_and_printed()
    assert said.count("by its table") == 1
    assert "EPV-DRJ-LM over QL on descriptions, 2.5 % in the text and 2.8 % by its table" in said
