from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.algebra import Cut, Ranker, Rerank
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, FieldWeights, Kind, Number, OptionalName
from aboutness.models.known import MODELS
from aboutness.models.model import Model
from aboutness.rank.grammar import ranker, split_rankers

KNOWN = ", ".join(MODELS)
PIECES = [
    "bm25",
    "ql",
    "%",
    ">>",
    ">",
    "(",
    ")",
    "[",
    "]",
    "k1",
    "=",
    "1",
    "0",
    ",",
    " ",
    "b",
    "-",
    "10",
    "[k1=2]",
    "٣",
]

quick = settings(max_examples=60)
few = settings(max_examples=30)

names = st.text("abz_-.日059e", min_size=1, max_size=5)
positive = st.floats(1e-9, 1e9)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Values of a kind, from all that it allows; of a kind that is not known here, none but the default."""
    if isinstance(kind, Number):
        most = None if math.isinf(kind.most) else kind.most
        return st.floats(kind.least, most, exclude_min=kind.open, allow_infinity=False)
    if isinstance(kind, Choice):
        return st.sampled_from(kind.words)
    if isinstance(kind, OptionalName):
        return names
    return st.dictionaries(names, positive, min_size=1) if isinstance(kind, FieldWeights) else st.nothing()


def models(name: str) -> st.SearchStrategy[Model]:
    kind = MODELS[name]
    drawn = {one.name: st.just(one.default) | values(one.kind) for one in kind.declared()}
    return st.fixed_dictionaries(drawn).map(lambda given: kind(**given))


anything = st.sampled_from(list(MODELS)).flatmap(models)
depths = st.integers(1, 10**12)


@st.composite
def expressions(draw: st.DrawFn, steps: int = 4) -> Ranker:
    form = draw(st.sampled_from(["model", "cut", "rerank"])) if steps else "model"
    if form == "model":
        return draw(anything)
    if form == "cut":
        return Cut(draw(expressions(steps - 1)), draw(depths))
    first = draw(expressions(steps - 1))
    if not isinstance(first, (Cut, Rerank)):
        first = Cut(first, draw(depths))
    return Rerank(first, draw(expressions(steps - 1)))


@quick
@given(expressions())
def test_the_text_of_a_ranker_makes_it_again(expression):
    text = str(expression)
    assert ranker(text) == expression
    assert str(ranker(text)) == text
    assert ranker(expression) is expression


@few
@given(expressions(3), st.sampled_from(["", " ", "  ", "\t", "\n "]))
def test_space_between_the_signs_changes_nothing(expression, space):
    text = str(expression)
    for sign in ("%", ">>", "(", ")", ",", "="):
        text = text.replace(f" {sign} ", sign).replace(sign, f"{space}{sign}{space}")
    assert ranker(text) == expression


@few
@given(expressions(2), expressions(2))
def test_parentheses_hold_together(one, other):
    assert ranker(f"(({one}))") == one
    assert ranker(f"({one}) % 7 >> ({other}) % 3") == one % 7 >> other % 3
    assert ranker(f"({one}) % 7 >> ({other})") == one % 7 >> other


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("bm25", "bm25"),
        ("bm25[]", "bm25"),
        ("bm25[ ]", "bm25"),
        ("bm25 [k1 = 2]", "bm25[k1=2]"),
        ("bm25[b=.75,k1=1.70]", "bm25[k1=1.7]"),
        ("bm25[fields=3*title + text,layer=main]", "bm25[layer=main,fields=3*title+text]"),
        ("bm25%5%3", "bm25 % 5 % 3"),
        ("bm25 % 5 >> ql >> tfidf", "bm25 % 5 >> ql >> tfidf"),
        ("(bm25 % 5 >> ql) >> tfidf", "bm25 % 5 >> ql >> tfidf"),
        ("bm25 % 5 >> (ql % 3 >> tfidf)", "bm25 % 5 >> (ql % 3 >> tfidf)"),
        ("bm25 % 007", "bm25 % 7"),
        ("bm25-cosine[k1=0] % 1", "bm25-cosine[k1=0] % 1"),
    ],
)
def test_texts(text, again):
    assert str(ranker(text)) == again


def expected(wanted: str, there: str) -> str:
    return f"{wanted} was expected, but {there}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"a ranker is missing. Known: {KNOWN}"),
        (" \n", f"a ranker is missing. Known: {KNOWN}"),
        ("bm52", f"unknown ranker 'bm52'; did you mean 'bm25'? Known: {KNOWN}"),
        ("BM25", f"unknown ranker 'BM25'. Known: {KNOWN}"),
        ("xyz", f"unknown ranker 'xyz'. Known: {KNOWN}"),
        ("bm25 ql", expected("an end, % or >>", "'ql' stands there")),
        ("bm25, ql", expected("an end, % or >>", "', ql' stands there")),
        ("bm25)", expected("an end, % or >>", "')' stands there")),
        ("bm25[k1=1", expected("an end, % or >>", "'[k1=1' stands there")),
        ("bm25[k1=[1]]", expected("an end, % or >>", "'[k1=[1]]' stands there")),
        ("bm25 % 1.5", expected("an end, % or >>", "'.5' stands there")),
        ("bm25 > ql", expected("an end, % or >>", "'> ql' stands there")),
        ("bm25 %", expected("a whole number after %", "the text ends there")),
        ("bm25 % ten", expected("a whole number after %", "'ten' stands there")),
        ("bm25 % -1", expected("a whole number after %", "'-1' stands there")),
        ("bm25 % (3)", expected("a whole number after %", "'(3)' stands there")),
        ("(bm25", expected("a closing parenthesis", "the text ends there")),
        ("(bm25 ql)", expected("a closing parenthesis", "'ql)' stands there")),
        ("()", expected("the name of a ranker", "')' stands there")),
        ("%5", expected("the name of a ranker", "'%5' stands there")),
        ("25", expected("the name of a ranker", "'25' stands there")),
        ("bm25 % 5 >>", expected("the name of a ranker", "the text ends there")),
        ("bm25 % 5 >> >> ql", expected("the name of a ranker", "'>> ql' stands there")),
        ("[k1=1]", expected("the name of a ranker", "'[k1=1]' stands there")),
        ("\ud800", expected("the name of a ranker", r"'\ud800' stands there")),
        ("bm25[k1]", "parameters are written name=value, got 'k1'"),
        ("bm25[k1=1,]", "parameters are written name=value, got ''"),
        ("bm25[=1]", "parameters are written name=value, got '=1'"),
        ("bm25[k1=1,k1=1]", "the parameter 'k1' stands twice"),
        ("bm25[k2=1]", "bm25 has no parameter 'k2'. It has: layer, fields, k1, b, "),
        ("bm25[k1=]", "bm25: k1 must be a number at least 0 and at most 1e+09, got ''"),
        ("bm25[k1==1]", "bm25: k1 must be a number at least 0 and at most 1e+09, got '=1'"),
        ("bm25[k1=-1]", "bm25: k1 must be a number at least 0 and at most 1e+09, got '-1'"),
        ("bm25[k1=nan]", "bm25: k1 must be a number at least 0 and at most 1e+09, got 'nan'"),
        ("bm25[b=2]", "bm25: b must be a number at least 0 and at most 1, got '2'"),
        ("bm25[variant=best]", "bm25: variant must be one of lucene, robertson, "),
        (
            "bm25[fields=0*title]",
            "bm25: fields must be fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text",
        ),
        ("bm25 % 0", "a ranking must be cut to a whole number of at least 1, got 0"),
        ("bm25 >> ql", "say how many documents are ranked anew, such as 'bm25 % 100 >> ql'"),
        ("(bm25) >> ql % 3", "say how many documents are ranked anew, such as 'bm25 % 100 >> ql % 3'"),
    ],
)
def test_what_cannot_be_read(text, message):
    with pytest.raises(UsageError) as caught:
        ranker(text)
    assert message in str(caught.value)
    if "was expected" in message:
        assert str(caught.value).startswith("cannot read the ranker ")


@settings(max_examples=400)
@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_a_ranker_or_refused(text):
    try:
        found = ranker(text)
    except UsageError as error:
        assert str(error)
        return
    assert ranker(str(found)) == found


@settings(max_examples=120)
@given(expressions(2), st.data())
def test_a_spoilt_text_is_a_ranker_or_refused(expression, data):
    text = str(expression)
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.sampled_from(["", *PIECES]) | st.characters())
    spoilt = text[:at] + piece + text[at + data.draw(st.integers(0, 2)) :]
    try:
        found = ranker(spoilt)
    except UsageError:
        return
    assert ranker(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("bm25 % " + "1" * 5000, id="digits"),
        pytest.param("bm25[" * 5000, id="brackets"),
        pytest.param("x" * 5000, id="name"),
        pytest.param("bm25[k1=" + "9" * 5000 + "]", id="number"),
        pytest.param("bm25[" + ",".join(["k1=1"] * 5000) + "]", id="options"),
        pytest.param("(" * 5000, id="open"),
        pytest.param("(" * 5000 + "bm25" + ")" * 5000, id="nested"),
        pytest.param("bm25" + " % 1" * 5000, id="cuts"),
        pytest.param("bm25 % 1" + " >> ql" * 5000, id="steps"),
    ],
)
def test_a_text_of_any_size_is_a_ranker_or_refused(text):
    try:
        found = ranker(text)
    except UsageError as error:
        assert str(error)
        return
    assert ranker(str(found)) == found
    assert hash(found) == hash(ranker(str(found)))


# --- lists ------------------------------------------------------------------------------------------------------


@few
@given(st.lists(expressions(2), min_size=1, max_size=4))
def test_a_list_of_rankers_is_taken_apart(rankers):
    assert [ranker(text) for text in split_rankers(", ".join(map(str, rankers)))] == rankers
    assert [ranker(text) for text in split_rankers(",".join(map(str, rankers)))] == rankers


def test_commas_in_brackets_stay():
    assert split_rankers("bm25[k1=1,b=.5] , ql") == ["bm25[k1=1,b=.5]", "ql"]
    assert split_rankers("bm25[k1=1,b=.5],ql[mu=3,lam=1]") == ["bm25[k1=1,b=.5]", "ql[mu=3,lam=1]"]
    assert split_rankers("bm25,") == ["bm25", ""]
    assert split_rankers("") == [""]


@pytest.mark.parametrize("wrong", [None, 7, ["bm25"], b"bm25"])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(UsageError, match="must be a text or a model"):
        ranker(wrong)
