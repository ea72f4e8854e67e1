from __future__ import annotations

import pytest

from aboutness.papers.ai2016.claims import claims
from aboutness.papers.ai2016.compared import Compared, percent
from aboutness.papers.ai2016.halves import halves, halves_test, mean_gains, split_cases
from aboutness.papers.ai2016.ladder import D_SLOW, DR, DR_SLOW, DRJ, LDA, PV, PV_FAST, QL, D
from aboutness.papers.ai2016.norms import Growth
from aboutness.papers.ai2016.tables import gains, means, said_and_printed, table_1
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
    assert all(value.paper is None and value.here is not None for *_, value in means(found).values)
    assert all(value.here is None for *_, value in table_1(found, "Robust04 titles").values)
    value = gains(found).rows[DRJ][0]
    assert isinstance(value, Value)
    assert value.here == pytest.approx(100)
    assert value.paper == pytest.approx(5.5, abs=0.05)  # as the paper's text says
    assert table_1(found, "GOV2 titles").rows.keys() == {QL, LDA, DRJ}
    assert all(value.here is None for *_, value in table_1(found, "GOV2 titles").values)


def test_gains_are_marked_on_both_sides() -> None:
    found = gains(compared({"QL": BASE, DRJ: HIGHER, LDA: [one - 0.05 for one in BASE]})).rows
    marks = {model: [cell.mark for cell in cells if isinstance(cell, Value)] for model, cells in found.items()}
    assert (marks[DRJ], marks[LDA], marks[D]) == (["*", "*"], ["\u00b0"], ["", "*"])


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        (BASE, Verdict.HOLDS),
        ([one * 1.01 for one in BASE], Verdict.HOLDS),  # surely better, and within the margin
        ([one * 1.03 for one in BASE], Verdict.FAILS),
        ([one + (0.1 if number % 2 else -0.1) for number, one in enumerate(BASE)], Verdict.FAILS),  # nobody knows
    ],
)
def test_similar_is_more_than_that_no_difference_is_shown(values: list[float], holds: Verdict) -> None:
    found = claims(compared({"QL": BASE, LDA: BASE, PV: values}), GROWN)[3]
    assert found.says == "PV-LM is very similar to LDA-LM"
    assert found.verdict == holds
    assert "interval of the difference is" in found.found


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
    found = claims(compared({"QL": BASE, DR: HIGHER}), GROWN)[4:7]
    assert [one.says[-3:] for one in found] == ["(D)", "(R)", "(J)"]
    assert [one.verdict for one in found] == [Verdict.FAILS, Verdict.HOLDS, Verdict.FAILS]
    assert "EPV-DR-LM after EPV-D-LM, mean AP 0.4650 against 0.3200 (+45.3\u00a0%" in found[1].found


def test_a_change_counts_once_and_the_declared_rate_decides() -> None:
    values = {"QL": BASE, D_SLOW: HIGHER, DR_SLOW: HIGHER}
    change = claims(compared(values), GROWN)[4]
    assert change.verdict == Verdict.FAILS
    assert f"which decides: {D} after {PV_FAST}, mean AP 0.3200 against 0.3200" in change.found
    assert "At 0.025 (better): mean AP 0.4650 against 0.3200" in change.found


def test_growth_is_judged_by_numbers() -> None:
    values = compared({"QL": BASE})
    growing, held = claims(values, GROWN)[7:9]
    assert growing.verdict == Verdict.HOLDS
    assert "4.00 times as long" in growing.found
    assert held.verdict == Verdict.FAILS  # by the first rule
    assert "1.50 times as long with R, 4.00 times without" in held.found
    assert "on 0 of 1" in held.found  # vectors are as long with R as without on the collection itself
    assert held.found.endswith("by it the claim would hold.")
    all_grow = Growth("a", (5, 80), {D: [(1.0,) * 5, (4.0,) * 5], DR: [(1.0,) * 5, (5.0,) * 5]})
    assert [one.verdict for one in claims(values, all_grow)[7:9]] == [Verdict.FAILS, Verdict.FAILS]
    late = Growth("a", (5, 40, 80), {D: [(1.0,) * 5, (2.0,) * 5, (3.0, 2, 2, 2, 2.1)], DR: [(1.0,) * 5] * 3})
    assert claims(values, late)[7].verdict == Verdict.FAILS  # the whole training counts, not its end
    assert "from 40 epochs on it is 1.50 and 1.05 times" in claims(values, late)[7].found


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
    found = halves_test(every, DRJ)
    assert (found.difference, found.favours) == (pytest.approx(1.0), "short")
    assert found.p_value < 0.001


def test_gains_on_long_queries_do_not_speak_for_short_ones() -> None:
    lengths = [1 if number < 40 else 5 for number in range(80)]
    ours = [0.25 if number < 40 else 0.5 for number in range(80)]
    values = {"QL": [0.25] * 80, LDA: ours, DRJ: ours}
    both = Compared([case("c", values, lengths), case("d", values, lengths)], 10, 1)
    found = halves_test(split_cases(both), DRJ)
    assert (found.difference, found.favours) == (pytest.approx(-1.0), "long")
    assert found.p_value < 0.001
    claim = next(one for one in claims(both, GROWN) if "shorter half" in one.says)
    assert claim.verdict == Verdict.FAILS
    assert claim.found.count("in favour of long queries with p < .001") == 2
    turned = Compared([case("c", values, lengths[::-1])], 10, 1)
    claim = next(one for one in claims(turned, GROWN) if "shorter half" in one.says)
    assert claim.verdict == Verdict.HOLDS
    assert claim.found.count("in favour of short queries with p < .001") == 2


def test_halves_are_drawn_within_collections() -> None:
    """One collection gains and has long queries, the other does not: lengths explain nothing within them."""
    gaining = case("c", {"QL": [0.25] * 40, DRJ: [0.5] * 40}, [1] * 5 + [2] * 35)
    other = case("d", {"QL": [0.25] * 40}, [1] * 35 + [2] * 5)
    assert halves_test(split_cases(Compared([gaining, other], 10, 1)), DRJ).p_value == 1


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
