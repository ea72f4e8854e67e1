from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import NAME, Choice, FieldWeights, Number, OptionalName, OptionalNumber, Whole, checked

names = st.text("abzÄß日_-.0159e", min_size=1, max_size=6)
positive = st.floats(1e-9, 1e9)
numbers = st.floats(allow_nan=False, allow_infinity=False)
NO_NUMBERS = ["1", None, True, False, math.nan, math.inf, -math.inf, [1.0], 1j, b"1", 10**400]


# --- numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Number(0), "a number at least 0"),
        (Number(0, open=True), "a number above 0"),
        (Number(0, 1), "a number at least 0 and at most 1"),
        (Number(-0.5, 2.25, open=True), "a number above -0.5 and at most 2.25"),
        (OptionalNumber(1), "a number at least 1"),
    ],
)
def test_the_allowed_numbers_in_words(kind, words):
    assert kind.allowed == words


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.25, np.float64(0.5)])
def test_both_bounds_are_allowed(value):
    assert Number(0, 1).check(value) == value
    assert type(Number(0, 1).check(value)) is float


def test_unless_the_lower_one_is_open():
    assert Number(0, 1, open=True).check(1) == 1.0
    for value in (0, 0.0, -0.0):
        with pytest.raises(ValueError, match="0"):
            Number(0, 1, open=True).check(value)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=shown)
def test_what_is_no_finite_number_is_refused(value):
    for kind in (Number(-math.inf), Number(0), OptionalNumber(0)):
        if value is None and isinstance(kind, OptionalNumber):
            continue
        with pytest.raises(UsageError, match=r"^mu must be a number at least -?\w+, got "):
            checked(kind, "mu", value)


@given(st.floats(-10, 10), st.floats(-10, 10), st.booleans(), st.floats(-20, 20))
def test_a_number_is_allowed_just_where_it_lies_between(least, most, is_open, value):
    kind = Number(least, most, is_open)
    if value <= most and (value > least if is_open else value >= least):
        assert kind.check(value) == kind.read(repr(value)) == value
    else:
        for attempt in (lambda: kind.check(value), lambda: kind.read(repr(value))):
            with pytest.raises(ValueError, match=r".*"):
                attempt()


@given(numbers)
def test_the_text_of_a_number_makes_it_again(value):
    for kind in (Number(-math.inf), OptionalNumber(-math.inf)):
        assert kind.read(kind.show(kind.check(value))) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (0.95, "0.95"),
        (-3.0, "-3"),
        (0.0, "0"),
        (-0.0, "0"),
        (1e14, "100000000000000"),
        (1e-9, "1e-09"),
        (1e16, "1e16"),
    ],
)
def test_numbers_are_shown_short(value, text):
    assert Number(-math.inf).show(value) == text


@pytest.mark.parametrize(
    "text", ["", " ", "x", "1,5", "0x1", "nan", "inf", "-inf", "1e999", "1 2", "--1", "1.2.3"]
)
def test_texts_that_are_no_numbers(text):
    with pytest.raises(ValueError, match=r".*"):
        Number(-math.inf).read(text)


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3.0), (".5", 0.5), ("1e-3", 0.001), ("+2", 2.0), ("1e3", 1000.0)]
)
def test_texts_that_are(text, value):
    assert Number(0).read(text) == value


def test_an_optional_number_may_be_none():
    kind = OptionalNumber(0)
    assert kind.check(None) is None
    assert kind.show(None) == ""
    assert (kind.check(2), kind.show(2.0)) == (2.0, "2")


# --- whole numbers ----------------------------------------------------------------------------------------------


def test_the_allowed_whole_numbers_in_words():
    assert Whole(1, 1000).allowed == "a whole number from 1 to 1000"
    assert Whole(-5, 1 << 40).allowed == "a whole number from -5 to 1099511627776"


@pytest.mark.parametrize("value", [1, 9, 5.0, np.int32(3), np.float64(7), np.uint8(9), Fraction(8, 4)], ids=repr)
def test_what_is_whole_is_kept_as_an_int(value):
    assert Whole(1, 9).check(value) == value
    assert type(Whole(1, 9).check(value)) is int


@pytest.mark.parametrize(
    "value",
    [*NO_NUMBERS, 0, 10, -1, 0.5, 9.5, 1 + 1e-12, 8.999999999, Fraction(7, 2), 1e300, np.bool_(True)],
    ids=shown,
)
def test_what_is_not_whole_or_not_between_is_refused(value):
    with pytest.raises(UsageError, match=r"^dim must be a whole number from 1 to 9, got "):
        checked(Whole(1, 9), "dim", value)


@given(st.integers(-10, 10), st.integers(-10, 10), st.integers(-20, 20))
def test_a_whole_number_is_allowed_just_where_it_lies_between(least, most, value):
    kind = Whole(least, most)
    if least <= value <= most:
        assert kind.check(value) == kind.read(str(value)) == kind.check(float(value)) == value
    else:
        for attempt in (
            lambda: kind.check(value),
            lambda: kind.read(str(value)),
            lambda: kind.check(float(value)),
        ):
            with pytest.raises(ValueError, match=r".*"):
                attempt()


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_the_text_of_a_whole_number_makes_it_again(value):
    kind = Whole(-(1 << 63), (1 << 63) - 1)
    assert kind.check(value) == kind.read(kind.show(value)) == value


@pytest.mark.parametrize(
    "text", ["", " ", "x", "1.5", "5.0", "1e1", "0x3", "nan", "inf", "1 2", "--1", "9" * 5000]
)
def test_texts_that_are_no_whole_numbers(text):
    with pytest.raises(ValueError, match=r".*"):
        Whole(-100, 100).read(text)


# --- words and names --------------------------------------------------------------------------------------------


def test_a_choice():
    kind = Choice(("lucene", "bm25+"))
    assert kind.allowed == "one of lucene, bm25+"
    assert [kind.check(word) for word in kind.words] == [kind.read(kind.show(word)) for word in kind.words]
    for value in ("Lucene", "", "lucene ", None, 1, ("lucene",), ["lucene"]):
        with pytest.raises(UsageError, match=r"^variant must be one of lucene, bm25\+, got "):
            checked(kind, "variant", value)


@given(names)
def test_a_name(name):
    kind = OptionalName("a layer of the index")
    assert kind.check(name) == kind.read(kind.show(name)) == name
    assert kind.check(None) is None
    assert kind.show(None) == ""
    assert kind.allowed == "the name of a layer of the index"


@pytest.mark.parametrize("value", ["", " a", "a ", "a\n", "a,b", "a=b", "a]", "[a", "a+b", "a*b", 3])
def test_names_that_could_not_be_read_again_are_refused(value):
    with pytest.raises(UsageError) as caught:
        checked(OptionalName("a layer"), "layer", value)
    assert str(caught.value) == f"layer must be the name of a layer, got {value!r}"


# --- fields and weights -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "pairs"),
    [
        (None, None),
        ("title", (("title", None),)),
        ("3*title+text", (("title", 3.0), ("text", None))),
        (" .5 * title + text ", (("title", 0.5), ("text", None))),
        ("1e-3*a", (("a", 0.001),)),
        (["title", "text"], (("title", None), ("text", None))),
        (("title",), (("title", None),)),
        ({"title": 3, "text": 0.5}, (("title", 3.0), ("text", 0.5))),
        ([("title", 3)], (("title", 3.0),)),
        ((("title", 3.0), "text"), (("title", 3.0), ("text", None))),
        ({"日本": 2}, (("日本", 2.0),)),
    ],
)
def test_the_ways_to_write_field_weights(value, pairs):
    assert checked(FieldWeights(), "fields", value) == pairs


@pytest.mark.parametrize(
    "value",
    [
        "", "  ", "+", "title+", "+title", "2*", "*title", "x*title", "2*3*title", "0*title", "-1*title", "nan*title",
        "inf*title", "1e999*title", "1e10*title", "1e-10*title", "title+title", "title+2*title", "a,b", "a=b", "2*a[b]", "a b+",
        [], {}, (), 3, 3.0, True, {"title"}, b"title", [""], [3], [("title",)], [("title", 1, 2)], [("title", "2")],
        {"title": 0}, {"title": -1}, {"title": math.inf}, {"title": math.nan}, {"title": True},
        {"title": "3"}, {3: 1.0}, {None: 1.0}, {"a ": 1.0}, ["title", "title"], [("title", 10**400)], object(),
    ],
)  # fmt: skip
def test_field_weights_that_are_refused(value):
    with pytest.raises(UsageError) as caught:
        checked(FieldWeights(), "bm25: fields", value)
    assert str(caught.value).startswith(
        "bm25: fields must be fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text, got "
    )


@given(st.dictionaries(names, positive | st.integers(1, 9).map(float), min_size=1, max_size=4))
def test_the_text_of_field_weights_makes_them_again(weights):
    kind = FieldWeights()
    pairs = kind.check(weights)
    assert dict(pairs) == weights
    assert kind.read(kind.show(pairs)) == pairs
    assert kind.check(pairs) == kind.check(list(pairs)) == pairs


def test_how_field_weights_are_shown():
    kind = FieldWeights()
    assert kind.show((("title", 3.0), ("text", None), ("body", 1.0))) == "3*title+text+1*body"
    assert kind.show(None) == ""


@given(st.text())
def test_any_text_is_fields_or_refused(text):
    kind = FieldWeights()
    try:
        pairs = checked(kind, "fields", text)
    except UsageError:
        return
    assert pairs
    assert all(NAME.fullmatch(name) and (weight is None or 0 < weight < math.inf) for name, weight in pairs)
    assert kind.read(kind.show(pairs)) == pairs


# --- messages ---------------------------------------------------------------------------------------------------


def test_a_message_names_the_parameter_the_allowed_and_the_value():
    with pytest.raises(UsageError) as caught:
        checked(Number(0, 1), "bm25: b", -0.5)
    assert str(caught.value) == "bm25: b must be a number at least 0 and at most 1, got -0.5"
    assert caught.value.__suppress_context__


def test_a_long_value_is_shown_short():
    with pytest.raises(UsageError) as caught:
        checked(Choice(("a",)), "variant", "x" * 10_000)
    assert len(str(caught.value)) < 130
    assert str(caught.value).endswith("… (10,002 characters)")


def test_a_field_may_have_a_name_of_several_words():
    kind = FieldWeights()
    assert kind.check({"Full Text": 2}) == kind.read("2*Full Text") == (("Full Text", 2.0),)
    assert kind.show(kind.read(" 2*Full Text + title ")) == "2*Full Text+title"


def test_numbers_of_numpy_are_numbers():
    assert Number(0, 9).check(np.int64(3)) == Number(0, 9).check(np.float32(3)) == 3.0
    with pytest.raises(UsageError, match="k1 must be"):
        checked(Number(0), "k1", np.bool_(True))
