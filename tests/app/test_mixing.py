from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.mixing import Place, places, with_value
from aboutness.core.errors import UsageError
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers

PLAIN = list(known_rankers())
quick = settings(max_examples=60)

texts = st.recursive(
    st.sampled_from([*PLAIN, "bm25[k1=1.7,b=0.95]", "ql[mu=20]", "lsa[vectors=a]"]),
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda some: " + ".join(f"({one})" for one in some))
        | st.tuples(st.floats(0, 100), inner).map(lambda pair: f"{pair[0]}*({pair[1]})")
        | st.tuples(inner, st.integers(1, 10**6)).map(lambda pair: f"({pair[0]}) % {pair[1]}")
        | st.tuples(inner, inner).map(lambda pair: f"({pair[0]}) % 50 >> ({pair[1]})")
        | st.lists(inner, min_size=2, max_size=3).map(lambda some: f"rrf[k=9]({', '.join(some)})")
        | inner.map(lambda one: f"rm3({one})")
    ),
    max_leaves=6,
)


def found(text: str) -> dict[str, Place]:
    return {place.path: place for place in places(text)}


@quick
@given(texts)
def test_every_place_has_its_own_path_and_the_value_that_stands_there_changes_nothing(text: str) -> None:
    some = places(text)
    assert len({place.path for place in some}) == len(some)
    for place in some:
        assert with_value(text, place.path, place.value) == str(ranker(text))


@quick
@given(texts, st.data())
def test_another_value_is_at_its_place_and_nowhere_else(text: str, data: st.DataObject) -> None:
    some = places(text)
    if not some:
        return
    place = data.draw(st.sampled_from(some))
    steps = data.draw(st.integers(0, int((place.high - place.low) / place.step + 1e-9)))
    value = round(place.low + steps * place.step, 9)
    changed = found(with_value(text, place.path, value))
    assert changed.keys() == found(text).keys()
    for path, before in found(text).items():
        assert changed[path].value == (pytest.approx(value) if path == place.path else before.value)


@quick
@given(texts)
def test_ranges_are_finite_and_hold_the_value(text: str) -> None:
    for place in places(text):
        assert place.low <= place.value <= place.high
        assert place.step > 0
        assert all(map(math.isfinite, (place.low, place.high, place.step)))
        assert (place.high - place.low) / place.step <= 10_000
        for bound in (place.low, place.high):
            with_value(text, place.path, bound)  # both ends are allowed


def test_a_mixture_has_a_weight_for_each_part_said_or_not() -> None:
    weights = [place for place in places("bm25 + 30*ql") if place.kind == "weight"]
    assert [(one.path, one.label, one.value, one.low, one.high) for one in weights] == [
        ("0*", "weight of bm25", 1.0, 0.0, 2.0),
        ("1*", "weight of ql", 30.0, 0.0, 100.0),
    ]
    assert with_value("bm25 + 30*ql", "1*", 0.5) == "bm25 + 0.5*ql"


def test_a_weight_inside_a_cut_is_not_asked_for_twice() -> None:
    text = "2*bm25 % 100 + ql"
    assert [place.path for place in places(text) if place.kind == "weight"] == ["0/0*", "1*"]
    assert with_value(text, "0/0*", 3) == "3*bm25 % 100 + ql"


def test_a_single_ranker_has_its_parameters_and_no_weight() -> None:
    assert {path: (one.low, one.high, one.step) for path, one in found("bm25").items()} == {
        "[k1]": (0.0, 5.0, 0.01),
        "[b]": (0.0, 1.0, 0.01),
    }
    assert with_value("bm25", "[k1]", 1.7) == "bm25[k1=1.7]"
    assert with_value("bm25[k1=1.7]", "[k1]", 1.2) == "bm25"


def test_a_cut_is_whole_and_so_are_its_steps() -> None:
    place = found("bm25 % 1000 >> wmd")["0%"]
    assert (place.kind, place.low, place.high, place.step) == ("cut", 10, 5000, 10)
    assert with_value("bm25 % 1000 >> wmd", "0%", 200) == "bm25 % 200 >> wmd"
    with pytest.raises(UsageError, match=r"a cut must be a whole number from 1 .* got 2.5"):
        with_value("bm25 % 1000 >> wmd", "0%", 2.5)


def test_the_share_of_a_pipeline_moves_between_its_declared_bounds() -> None:
    place = found("bm25-desm")["[alpha]"]
    assert (place.value, place.low, place.high, place.step) == (0.8, 0.0, 1.0, 0.01)
    with pytest.raises(UsageError, match="alpha must be a number at least 0 and at most 1, got 2"):
        with_value("bm25-desm", "[alpha]", 2)


def test_a_place_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"'bm25' has no number at '0\*'. It has: \[k1\], \[b\]"):
        with_value("bm25", "0*", 1)
    with pytest.raises(UsageError, match="It has: none"):
        with_value("tfidf", "%", 1)


def test_a_place_in_plain_values_has_what_a_slider_needs() -> None:
    assert places("bm25 % 10")[0].to_json() == {
        "path": "%", "kind": "cut", "label": "documents of bm25", "value": 10, "low": 1, "high": 50, "step": 1,
        "help": "how many documents, the first, are kept",
    }  # fmt: skip
