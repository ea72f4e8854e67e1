from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, FieldWeights, Number, OptionalName, OptionalNumber
from aboutness.core.parameters import Parameters, parameter


@dataclass(frozen=True)
class Base(Parameters):
    layer: str | None = parameter(None, OptionalName("a layer"), "which terms")


@dataclass(frozen=True)
class Sharp(Base):
    name: ClassVar[str] = "sharp"

    k1: float = parameter(1.2, Number(0), "how slowly", symbol="k1")
    b: float = parameter(0.75, Number(0, 1), "how much", symbol="b")
    delta: float | None = parameter(None, OptionalNumber(0, open=True), "least worth", symbol="δ")
    variant: str = parameter("lucene", Choice(("lucene", "bm25+")), "which form")
    fields: tuple[tuple[str, float], ...] | None = parameter(None, FieldWeights(), "which fields")


names = st.text("abz_-.日059e", min_size=1, max_size=5)
settings_ = st.fixed_dictionaries(
    {},
    optional={
        "layer": st.none() | names,
        "k1": st.floats(0, allow_infinity=False) | st.integers(0, 10**20),
        "b": st.floats(0, 1),
        "delta": st.none() | st.floats(0, exclude_min=True, allow_infinity=False),
        "variant": st.sampled_from(["lucene", "bm25+"]),
        "fields": st.none() | st.dictionaries(names, st.floats(1e-9, 1e9), min_size=1, max_size=3),
    },
)


def options_of(text: str) -> dict[str, str]:
    """The options of a text, taken apart with plain means."""
    name, _, inside = text.partition("[")
    assert name == "sharp"
    return dict(option.split("=") for option in inside.removesuffix("]").split(",")) if inside else {}


@given(settings_)
def test_the_text_makes_the_record_again(values):
    record = Sharp(**values)
    assert Sharp.from_options(options_of(str(record))) == record
    assert hash(Sharp.from_options(options_of(str(record)))) == hash(record)
    spaced = {name: f"  {text}\t" for name, text in options_of(str(record)).items()}
    assert Sharp.from_options(spaced) == record


@given(settings_)
def test_only_what_differs_from_the_default_is_shown(values):
    record = Sharp(**values)
    defaults = {one.name: one.default for one in Sharp.declared()}
    assert set(options_of(str(record))) == {name for name in defaults if getattr(record, name) != defaults[name]}


def test_texts():
    assert str(Sharp()) == "sharp"
    assert str(Sharp(b=0.75)) == "sharp"
    assert str(Sharp(b=1, k1=1.7)) == "sharp[k1=1.7,b=1]"
    assert str(Sharp(fields={"title": 3, "text": 1}, layer="stems")) == "sharp[layer=stems,fields=3*title+1*text]"
    assert str(Sharp(k1=1e300)) == "sharp[k1=1e300]"


def test_values_are_kept_as_their_kind_keeps_them():
    record = Sharp(k1=2, fields=["title"])
    assert (record.k1, type(record.k1)) == (2.0, float)
    assert record.fields == (("title", None),)
    assert Sharp(fields="1*title") == Sharp(fields={"title": 1}) == Sharp(fields=[("title", 1.0)])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k1": -1}, "sharp: k1 must be a number at least 0, got -1"),
        ({"b": 1.5}, "sharp: b must be a number at least 0 and at most 1, got 1.5"),
        ({"b": "0.5"}, "sharp: b must be a number at least 0 and at most 1, got '0.5'"),
        ({"delta": 0}, "sharp: delta must be a number above 0, got 0"),
        ({"variant": "bm25"}, "sharp: variant must be one of lucene, bm25+, got 'bm25'"),
        ({"layer": ""}, "sharp: layer must be the name of a layer, got ''"),
        (
            {"fields": {"title": 0}},
            "sharp: fields must be fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text, got {'title': 0}",
        ),
    ],
)
def test_a_value_that_is_not_allowed(values, message):
    with pytest.raises(UsageError) as caught:
        Sharp(**values)
    assert str(caught.value) == message
    with pytest.raises(UsageError) as caught:
        replace(Sharp(), **values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k1": "-1"}, "sharp: k1 must be a number at least 0, got '-1'"),
        ({"k1": " "}, "sharp: k1 must be a number at least 0, got ''"),
        ({"k1": "much"}, "sharp: k1 must be a number at least 0, got 'much'"),
        ({"delta": ""}, "sharp: delta must be a number above 0, got ''"),
        ({"variant": "x"}, "sharp: variant must be one of lucene, bm25+, got 'x'"),
        ({"layer": "a+b"}, "sharp: layer must be the name of a layer, got 'a+b'"),
        (
            {"fields": "x*title"},
            "sharp: fields must be fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text, got 'x*title'",
        ),
        ({"k2": "1"}, "sharp has no parameter 'k2'. It has: layer, k1, b, delta, variant, fields"),
        ({"": "1"}, "sharp has no parameter ''. It has: layer, k1, b, delta, variant, fields"),
        ({"name": "x"}, "sharp has no parameter 'name'. It has: layer, k1, b, delta, variant, fields"),
    ],
)
def test_an_option_that_is_not_allowed(options, message):
    with pytest.raises(UsageError) as caught:
        Sharp.from_options(options)
    assert str(caught.value) == message
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_long_option_is_shown_short():
    with pytest.raises(UsageError) as caught:
        Sharp.from_options({"k1": "9" * 5000})
    assert str(caught.value) == f"sharp: k1 must be a number at least 0, got '{'9' * 58}… (5,002 characters)"


@given(st.sampled_from(["layer", "k1", "b", "delta", "variant", "fields"]), st.text())
def test_any_text_is_a_value_or_refused(name, text):
    try:
        record = Sharp.from_options({name: text})
    except UsageError as error:
        assert str(error).startswith(f"sharp: {name} must be ")
        return
    assert Sharp.from_options(options_of(str(record))) == record


def test_a_record_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Sharp().k1 = 2.0
    assert Sharp() == Sharp.from_options({})
    assert Sharp(k1=2) != Sharp()
    assert len({Sharp(), Sharp(k1=1.2), Sharp(k1=2)}) == 2


def test_what_is_declared_is_listed_in_order():
    declared = Sharp.declared()
    assert [one.name for one in declared] == ["layer", "k1", "b", "delta", "variant", "fields"]
    assert declared[1].to_json() == {
        "name": "k1",
        "default": 1.2,
        "allowed": "a number at least 0",
        "symbol": "k1",
        "help": "how slowly",
    }
    assert declared[0].to_json()["default"] is None
    assert declared[0].to_json()["symbol"] is None
    assert declared[4].to_json()["default"] == "lucene"
    assert declared[4].to_json()["allowed"] == "one of lucene, bm25+"


def test_records_of_two_classes_are_never_equal():
    @dataclass(frozen=True)
    class Other(Parameters):
        name: ClassVar[str] = "other"

    assert Other() != Base()
    assert str(Other()) == "other"
