from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.algebra import MOST_SIGNS, Ranker
from aboutness.core.errors import UsageError
from aboutness.core.kinds import Choice, FieldWeights, Kind, Number, OptionalName, Whole
from aboutness.core.parameters import Parameters
from aboutness.rank.combination import COMBINATIONS
from aboutness.rank.grammar import ranker, split_rankers
from aboutness.rank.known import known_rankers

RANKERS = known_rankers()
KNOWN = ", ".join(known_rankers(combinations=True))
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
    "+",
    "*",
    "2*",
    "*.5",
    "1e-3",
    "1.",
    "minmax(",
    "rrf",
    "rrf(bm25, ql)",
    "softmax[temperature=",
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
    if isinstance(kind, Whole):
        return st.integers(kind.least, kind.most)
    if isinstance(kind, Choice):
        return st.sampled_from(kind.words)
    if isinstance(kind, OptionalName):
        return names
    return st.dictionaries(names, positive, min_size=1) if isinstance(kind, FieldWeights) else st.nothing()


def parameters(kind: type[Parameters]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({one.name: st.just(one.default) | values(one.kind) for one in kind.declared()})


def models(name: str) -> st.SearchStrategy[Ranker]:
    kind = RANKERS[name]
    return parameters(kind).map(lambda given: kind(**given))


anything = st.sampled_from(list(RANKERS)).flatmap(models)
depths = st.integers(1, 10**12)
weights = st.sampled_from([0, 1, 30, 0.5]) | st.floats(0, 30)  # four of them multiply to less than 1e9


@st.composite
def expressions(draw: st.DrawFn, steps: int = 4) -> Ranker:
    """Rankers made with the operators and by combinations, pipelines with a name among them."""
    form = draw(st.sampled_from(["model", "cut", "scaled", "sum", "rerank", "combined"])) if steps else "model"
    if form == "model":
        return draw(anything)
    one = draw(expressions(steps - 1))
    if form == "cut":
        return one % draw(depths)
    if form == "scaled":
        return draw(weights) * one
    other = draw(expressions(steps - 1))
    if form == "sum":
        return one + other
    if form == "combined":
        kind = COMBINATIONS[draw(st.sampled_from(list(COMBINATIONS)))]
        some = [one, other, *draw(st.lists(anything, max_size=2))][
            : draw(st.integers(kind.least, min(kind.most, 4)))
        ]
        return kind.of(*some, **draw(parameters(kind)))
    return (one if one.limited else one % draw(depths)) >> other


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
    for sign in ("%", ">>", "(", ")", ",", "=", "*"):
        text = text.replace(f" {sign} ", sign).replace(sign, f"{space}{sign}{space}")
    assert ranker(text) == expression


@few
@given(expressions(2), expressions(2))
def test_parentheses_hold_together(one, other):
    assert ranker(f"(({one}))") == one
    assert ranker(f"({one}) % 7 >> ({other}) % 3") == one % 7 >> other % 3
    assert ranker(f"({one}) % 7 >> ({other})") == one % 7 >> other
    assert ranker(f"2 * ({one}) + ({other}) * .5") == 2 * one + other * 0.5
    assert ranker(f"({one}) + ({other}) % 3") == one + other % 3
    assert ranker(f"(({one}) + ({other})) % 3") == (one + other) % 3


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
        ("bm25+ql", "bm25 + ql"),
        ("bm25 + 30*bm25-cosine", "bm25 + 30*bm25-cosine"),
        ("bm25*30 + ql * .50", "30*bm25 + 0.5*ql"),
        ("1e-3*bm25 + 2.*ql + 1.5E2*tfidf", "0.001*bm25 + 2*ql + 150*tfidf"),
        ("2*3*bm25*2", "12*bm25"),
        ("2*(3*bm25)", "6*bm25"),
        ("(bm25 + ql) + tfidf", "bm25 + ql + tfidf"),
        ("bm25 + (ql + tfidf)", "bm25 + ql + tfidf"),
        ("2*(bm25 + ql)", "2*(bm25 + ql)"),
        ("bm25%100+ql", "bm25 % 100 + ql"),
        ("2*bm25 % 100 * 3 + ql", "3*(2*bm25 % 100) + ql"),
        ("(bm25 + ql) % 100 >> tfidf", "(bm25 + ql) % 100 >> tfidf"),
        ("bm25 % 9 >> ql + tfidf", "bm25 % 9 >> ql + tfidf"),
        ("(bm25 % 9 >> ql) + tfidf", "(bm25 % 9 >> ql) + tfidf"),
        ("bm25[variant=bm25+,fields=2*title+text]+ql", "bm25[fields=2*title+text,variant=bm25+] + ql"),
        ("bm25-desm[alpha=.5] % 10 >> ql", "bm25-desm[alpha=0.5] % 10 >> ql"),
        ("iwcs-wmd[k=50] >> bm25", "iwcs-wmd[k=50] >> bm25"),
        ("minmax(bm25)+.3*minmax( ql )", "minmax(bm25) + 0.3*minmax(ql)"),
        ("minmax ((bm25))", "minmax(bm25)"),
        ("rrf[k=60](bm25,.50*ql)", "rrf(bm25, 0.5*ql)"),
        ("rrf [k=.5] (bm25[k1=1,b=.5], ql % 9 >> tfidf)", "rrf[k=0.5](bm25[k1=1,b=0.5], ql % 9 >> tfidf)"),
        ("combsum[norm=zscore](bm25 + ql, tfidf) % 9", "combsum[norm=zscore](bm25 + ql, tfidf) % 9"),
        (
            "bm25 % 9>>2*(rank(ql)+softmax[temperature=2](ql))",
            "bm25 % 9 >> 2*(rank(ql) + softmax[temperature=2](ql))",
        ),
        ("rank(zscore(combmnz(bm25, ql)))", "rank(zscore(combmnz(bm25, ql)))"),
        ("minmax(bm25 % 5) >> ql", "minmax(bm25 % 5) >> ql"),
    ],
)
def test_texts(text, again):
    assert str(ranker(text)) == again


def test_a_cut_applies_to_its_own_term():
    bm25, ql, tfidf = (ranker(name) for name in ("bm25", "ql", "tfidf"))
    assert ranker("bm25 % 3 + ql % 5 >> tfidf % 2") == (bm25 % 3 + ql % 5 >> tfidf % 2)
    assert ranker("2 * bm25 % 5") == (2 * bm25) % 5
    assert ranker("bm25 % 5 * 2") == 2 * (bm25 % 5)
    assert ranker("bm25 + 2 * ql") == bm25 + 2 * ql


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
        ("minmx(bm25)", f"unknown ranker 'minmx'; did you mean 'minmax'? Known: {KNOWN}"),
        ("minmax", "minmax is made of one ranker, such as minmax(bm25), got 0"),
        ("minmax()", "minmax is made of one ranker, such as minmax(bm25), got 0"),
        ("2*rank + bm25", "rank is made of one ranker, such as rank(bm25), got 0"),
        ("minmax(bm25, ql)", "minmax is made of one ranker, such as minmax(bm25), got 2"),
        ("rrf", "rrf is made of at least 2 rankers, such as rrf(bm25, ql), got 0"),
        ("rrf(bm25)", "rrf is made of at least 2 rankers, such as rrf(bm25, ql), got 1"),
        ("rrf(bm25 + ql)", "rrf is made of at least 2 rankers, such as rrf(bm25, ql), got 1"),
        ("rrf(bm25, ql", expected("a comma or a closing parenthesis", "the text ends there")),
        ("rrf(bm25 ql)", expected("a comma or a closing parenthesis", "'ql)' stands there")),
        ("rrf(bm25, ql,)", expected("the name of a ranker", "')' stands there")),
        ("rrf(, ql)", expected("the name of a ranker", "', ql)' stands there")),
        ("rrf(bm25, ql)[k=5]", "in one closed pair of brackets, such as bm25[k1=1.7,b=.95] or rrf[k=5](bm25, ql)"),
        ("rrf(bm25, ql, k=5)", "parameters stand in brackets before the rankers, as in rrf[name=value](…)"),
        ("rrf( k =5, bm25, ql)", "parameters stand in brackets before the rankers, as in rrf[name=value](…)"),
        ("rrf[k=-1](bm25, ql)", "rrf: k must be a number at least 0 and at most 1e+09, got '-1'"),
        (
            "combsum[norm=max](bm25, ql)",
            "combsum: norm must be one of minmax, best, zscore, softmax, rank, none, got 'max'",
        ),
        ("minmax[k=1](bm25)", "minmax has no parameter"),
        ("bm25(ql)", "bm25 takes no parentheses, and parameters in brackets: bm25[name=value]. Made of other"),
        ("bm25[b=1](k1=2)", "bm25 takes no parentheses"),
        ("bm25-desm()", "bm25-desm takes no parentheses"),
        ("minmax(bm25) >> ql", "say how many documents are ranked anew, such as 'minmax(bm25) % 100 >> ql'"),
        ("bm25 ql", expected("an end, +, *, % or >>", "'ql' stands there")),
        ("bm25, ql", expected("an end, +, *, % or >>", "', ql' stands there")),
        ("bm25)", expected("an end, +, *, % or >>", "')' stands there")),
        ("bm25[k1=1", "in one closed pair of brackets, such as bm25[k1=1.7,b=.95] or rrf[k=5](bm25, ql)"),
        ("bm25[k1=[1]]", "in one closed pair of brackets, such as bm25[k1=1.7,b=.95] or rrf[k=5](bm25, ql)"),
        ("bm25 % 1.5", expected("a whole number after %", "'1.5' stands there")),
        ("bm25 % 1e3", expected("a whole number after %", "'1e3' stands there")),
        ("bm25 % 1" + "0" * 18, expected("a whole number after %", f"'1{'0' * 18}' stands there")),
        ("bm25 +", expected("the name of a ranker", "the text ends there")),
        ("bm25 + + ql", expected("the name of a ranker", "'+ ql' stands there")),
        ("bm25 + 3", expected("* and a ranker after 3", "the text ends there")),
        ("3 bm25", expected("* and a ranker after 3", "'bm25' stands there")),
        ("3 * ", expected("the name of a ranker", "the text ends there")),
        ("3 % 2", expected("* and a ranker after 3", "'% 2' stands there")),
        ("-2 * bm25", expected("the name of a ranker", "'-2 * bm25' stands there")),
        ("bm25 * -2", expected("a number, as the weight,", "'-2' stands there")),
        ("bm25 * ql", expected("a number, as the weight,", "'ql' stands there")),
        ("bm25 * (2)", expected("a number, as the weight,", "'(2)' stands there")),
        ("bm25 - ql", "there is no minus, only + with weights of at least 0"),
        ("(bm25 - 2*ql)", "there is no minus, only + with weights of at least 0"),
        ("bm25 -ql", "there is no minus, only + with weights of at least 0"),
        ("2e9*bm25", "the weight of a ranker must be a number at least 0 and at most 1e+09, got 2000000000.0"),
        ("1e999*bm25", "the weight of a ranker must be a number at least 0 and at most 1e+09, got inf"),
        ("bm25 + ql >> tfidf", "say how many documents are ranked anew, such as '(bm25 + ql) % 100 >> tfidf'"),
        ("iwcs-wdm", f"unknown ranker 'iwcs-wdm'; did you mean 'iwcs-wmd'? Known: {KNOWN}"),
        ("iwcs-wmd[k=0]", "iwcs-wmd: k must be a whole number from 1 to 1000000000, got '0'"),
        ("bm25 > ql", expected("an end, +, *, % or >>", "'> ql' stands there")),
        ("bm25 %", expected("a whole number after %", "the text ends there")),
        ("bm25 % ten", expected("a whole number after %", "'ten' stands there")),
        ("bm25 % -1", expected("a whole number after %", "'-1' stands there")),
        ("bm25 % (3)", expected("a whole number after %", "'(3)' stands there")),
        ("(bm25", expected("a closing parenthesis", "the text ends there")),
        ("(bm25 ql)", expected("a closing parenthesis", "'ql)' stands there")),
        ("()", expected("the name of a ranker", "')' stands there")),
        ("%5", expected("the name of a ranker", "'%5' stands there")),
        ("25", expected("* and a ranker after 25", "the text ends there")),
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
        pytest.param("bm25" + " + ql" * 5000, id="sum"),
        pytest.param("2*" * 5000 + "bm25", id="weights before"),
        pytest.param("bm25" + "*1" * 5000, id="weights after"),
        pytest.param("1" * 5000 + "*bm25", id="weight"),
        pytest.param("." + "1" * 5000 + "e-" + "1" * 5000 + "*bm25", id="long weight"),
        pytest.param("2*(bm25+" * 5000 + "ql" + ")" * 5000, id="nested sums"),
        pytest.param("minmax(" * 5000 + "ql" + ")" * 5000, id="nested combinations"),
        pytest.param("rrf(" + ",".join(["ql"] * 5000) + ")", id="wide combination"),
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


def test_the_longest_expressions_can_be_read():
    nested = "bm25"
    for n in range(MOST_SIGNS // 2):
        nested = f"2*({nested} + ql)" if n % 2 else f"({nested} + ql) % 5"
    wide, wrapped = " + ".join(["(ql)"] * (MOST_SIGNS + 1)), "(" * MOST_SIGNS + "bm25" + ")" * MOST_SIGNS
    scaled, fused = "minmax(" * MOST_SIGNS + "bm25" + ")" * MOST_SIGNS, f"rrf({', '.join(['ql'] * MOST_SIGNS)})"
    for text in (nested, wide, wrapped, scaled, fused):
        found = ranker(text)
        assert ranker(str(found)) == found
    assert ranker(nested).signs == MOST_SIGNS
    too_long = f"({nested}) % 5", f"minmax({nested})", f"2*{scaled}", f"{fused} % 9", f"rrf(ql, {fused})"
    for text in (*too_long, "bm25" + " + ql" * (MOST_SIGNS + 1), "(" * 101 + "bm25" + ")" * 101):
        with pytest.raises(UsageError, match=f"a ranker may have at most {MOST_SIGNS} "):
            ranker(text)


# --- lists ------------------------------------------------------------------------------------------------------


@few
@given(st.lists(expressions(2), min_size=1, max_size=4))
def test_a_list_of_rankers_is_taken_apart(rankers):
    assert [ranker(text) for text in split_rankers(", ".join(map(str, rankers)))] == rankers
    assert [ranker(text) for text in split_rankers(",".join(map(str, rankers)))] == rankers


def test_commas_in_brackets_stay():
    assert split_rankers("bm25[k1=1,b=.5] , ql") == ["bm25[k1=1,b=.5]", "ql"]
    assert split_rankers("bm25[k1=1,b=.5],ql[mu=3,lam=1]") == ["bm25[k1=1,b=.5]", "ql[mu=3,lam=1]"]
    assert split_rankers("rrf[k=1](bm25[k1=1,b=.5], (ql + tfidf)), minmax(rrf(ql, ql)),ql") == [
        "rrf[k=1](bm25[k1=1,b=.5], (ql + tfidf))",
        "minmax(rrf(ql, ql))",
        "ql",
    ]
    assert split_rankers("bm25,") == ["bm25", ""]
    assert split_rankers("") == [""]


@pytest.mark.parametrize("wrong", [None, 7, ["bm25"], b"bm25"])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(UsageError, match="must be a text or a model"):
        ranker(wrong)
