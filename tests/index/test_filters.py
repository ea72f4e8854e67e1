from __future__ import annotations

import operator
import random

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.core.record import Document
from aboutness.corpus.read import read
from aboutness.index.filters import Condition, conditions

SIGNS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
VALUES = [
    1,
    2,
    10,
    1.0,
    2.5,
    -3,
    "1",
    "2",
    "10",
    "2.5",
    "acq",
    "",
    "Zürich",
    "ähnlich",
    True,
    False,
    "true",
    "a b",
    "null",
]
KEYS = ["k", "other key", "ключ"]


def kind(value):
    return "text" if isinstance(value, str) else "bool" if isinstance(value, bool) else "number"


def as_number(item):
    """Return a text of `VALUES` that is written as a number as that number."""
    return {"1": 1, "2": 2, "10": 10, "2.5": 2.5}.get(item, item) if isinstance(item, str) else item


def holds(metadata, key, sign, wanted):
    """Plain Python: of a list one item must hold; != asks that there is a value and none is equal."""
    there = metadata.get(key, [])
    items = there if isinstance(there, list) else [there]
    compare = SIGNS["=" if sign == "!=" else sign]
    if sign in "<=>=" and sign != "=" and any(kind(value) == "number" for value in wanted):
        items = [as_number(item) for item in items]
    met = any(kind(item) == kind(value) and compare(item, value) for item in items for value in wanted)
    return bool(items) and not met if sign == "!=" else met


@pytest.fixture(scope="module")
def collection():
    rng = random.Random(8)
    index = Index.build([])
    living = {}
    for part in range(4):
        batch = []
        for n in range(40):
            metadata = {}
            for key in KEYS:
                chosen = rng.random()
                if chosen < 0.4:
                    metadata[key] = rng.choice(VALUES)
                elif chosen < 0.7:
                    metadata[key] = rng.choices(VALUES, k=rng.randint(0, 3))
            batch.append(Document(f"d{part}-{n}", {"text": "x"}, metadata))
        index.add(batch) if part % 2 else index.add(batch[:20])
        living.update({d.id: d.metadata for d in (batch if part % 2 else batch[:20])})
        gone = rng.sample(sorted(living), 5)
        index.delete(gone)
        for identifier in gone:
            del living[identifier]
    index.add([Document("last", {"text": "x"}, {"k": 5})])
    living["last"] = {"k": 5}
    assert len(index.snapshot.segments) > 1
    assert index.snapshot.size > len(index)
    return index, living


def test_a_key_that_no_document_has_is_told(collection):
    index, _ = collection
    assert index.unknown_key(dict.fromkeys(KEYS, 1)) is None
    assert index.unknown_key(["k>0", "misspelt=1"]) == (
        f"no document has metadata 'misspelt'; there are: {', '.join(sorted(KEYS))}"
    )
    assert Index.build([]).unknown_key("year=1") == "no document has metadata 'year'; there are: none"


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_and_value_against_plain_python(collection, sign):
    index, living = collection
    for key in [*KEYS, "missing"]:
        for value in VALUES:
            want = [i for i, metadata in living.items() if holds(metadata, key, sign, [value])]
            assert index.where(Condition(key, sign, (value,))) == want, (key, sign, value)


@pytest.mark.parametrize("sign", SIGNS)
def test_written_conditions_take_numbers_as_texts_too(collection, sign):
    index, living = collection
    written = {"1": ["1", 1], "2.5": ["2.5", 2.5], "1e1": ["1e1", 10.0], "acq": ["acq"], "": [""], "true": ["true", True],
               '"1"': ['"1"', "1"], "Zürich": ["Zürich"], "null": ["null"], "[1]": ["[1]"], "a b": ["a b"]}  # fmt: skip
    for key in KEYS:
        for text, values in written.items():
            if not text and sign not in ("=", "!="):
                with pytest.raises(UsageError, match="a condition has a value to compare with"):
                    index.where(f"{key} {sign} ")
                continue
            want = [i for i, metadata in living.items() if holds(metadata, key, sign, values)]
            assert index.where(f" {key} {sign} {text} ") == want, (key, sign, text)


def test_mappings_ask_for_one_of_the_values_and_all_of_the_keys(collection):
    index, living = collection
    want = [i for i, m in living.items() if holds(m, "k", "=", [1, "acq"]) and holds(m, "ключ", ">", [0])]
    assert want
    one = living[want[0]]["ключ"]
    value = one[0] if isinstance(one, list) else one
    want = [i for i, m in living.items() if holds(m, "k", "=", [1, "acq"]) and holds(m, "ключ", "=", [value])]
    assert index.where({"k": [1, "acq"], "ключ": value}) == want
    assert index.where({"k": (1, "acq"), "ключ": [value]}) == want
    assert index.where({"k": []}) == []
    assert index.where({}) == index.where([]) == list(living)


def test_several_conditions_must_all_hold(collection):
    index, living = collection
    want = [
        i
        for i, m in living.items()
        if holds(m, "k", ">", ["0", 0]) and holds(m, "k", "<", ["10", 10]) and holds(m, "other key", "!=", ["acq"])
    ]
    assert want
    assert index.where(["k>0", "k<10", "other key!=acq"]) == want
    assert index.where([Condition("k", ">", ("0", 0)), ["k<10"], "other key!=acq"]) == want


def test_a_copy_in_one_segment_gives_the_same_answers(collection):
    index, _ = collection
    before = {(key, sign): index.where(f"{key}{sign}2") for key in KEYS for sign in SIGNS}
    copy = Index.build(list(index))
    assert {(key, sign): copy.where(f"{key}{sign}2") for key in KEYS for sign in SIGNS} == before


@pytest.mark.parametrize("text", ["", "year", "=5", "  = 5", "!x", "<", ">=1987"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(UsageError, match=r"a condition is written key=value \(or !=, <, <=, >, >=\), got "):
        Condition.parse(text)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("year>=1987", Condition("year", ">=", ("1987", 1987))),
        (" a b <= x y ", Condition("a b", "<=", ("x y",))),
        ("a!=b=c", Condition("a", "!=", ("b=c",))),
        ("a=", Condition("a", "=", ("",))),
        ("a=line\nline", Condition("a", "=", ("line\nline",))),
        ('a="5"', Condition("a", "=", ('"5"', "5"))),
        ("a=[1]", Condition("a", "=", ("[1]",))),
        ("a=" + "[" * 100_000, Condition("a", "=", ("[" * 100_000,))),
    ],
)  # fmt: skip
def test_parsing(text, condition):
    assert Condition.parse(text) == condition
    assert conditions([text]) == [condition]


@pytest.mark.parametrize("text", ["year==1990", "year=>3", "year<>3", "year!==3", "year=!3"])
def test_signs_of_other_languages_are_refused(text):
    with pytest.raises(UsageError, match="a condition is written key=value"):
        Condition.parse(text)


def test_a_key_that_no_document_has_meets_no_condition():
    index = Index.build([{"id": "a", "text": "x", "year": 1990}])
    assert [index.where(f"yaer{sign}1990") for sign in ("=", "!=", "<", "<=", ">", ">=")] == [[]] * 6
    assert index.where("year!=1991") == ["a"]


def test_equal_numbers_are_found_however_they_were_written():
    values = [0, -0.0, 5, 5.0, "5", True, 10**16, 1e16, 2**1000]
    index = Index.build([{"id": str(i), "text": "x", "n": value} for i, value in enumerate(values)])
    for wanted in values:
        same = [
            str(i)
            for i, value in enumerate(values)
            if value == wanted and (type(value) in (int, float)) == (type(wanted) in (int, float))
        ]
        assert index.where({"n": wanted}) == same


def test_of_many_values_some_are_told():
    index = Index.build([{"id": str(n), "text": "x", "tags": [f"t{n}", "all"]} for n in range(20)])
    told = index.why_none("tags=none")
    assert told.startswith("no document has 'none' as tags; there are: 'all', 't0', 't1', 't10', ")
    assert told.endswith(", …")
    assert index.why_none("tags=t3") is None
    index.delete(["3", "1"])
    assert index.why_none("tags=t3").startswith("no document has 't3' as tags; there are: 'all', 't0', 't10', ")


def test_a_text_where_a_key_has_only_numbers_is_told():
    index = Index.build(
        [
            {"id": "a", "text": "x", "year": 1990, "mixed": 1, "flag": True},
            {"id": "b", "text": "y", "mixed": "one"},
        ]
    )
    assert index.why_none("year<abc") == "year holds numbers, and 'abc' is none"
    assert index.why_none(["mixed=one", "year=1990s"]) == "year holds numbers, and '1990s' is none"
    assert index.why_none({"year": "1990"}) == "year holds numbers, and '1990' is none"
    assert index.why_none("yeer<abc").startswith("no document has metadata 'yeer'")
    assert index.why_none("flag=maybe") == "no document has 'maybe' as flag; there are: True"
    assert index.why_none({"mixed": ["two", 3]}) == "no document has 'two' or '3' as mixed; there are: 'one', 1"
    for where in ("year<1991", "year!=abc", "mixed<abc", {"year": ["abc", 1990]}, {"year": []}):
        assert index.why_none(where) is None


def test_cells_of_a_table_are_compared_as_the_numbers_they_are_written_as(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,text,price,day\n"
        "a,x,9.5,2020-01-01\nb,x,10,2019-12-31\nc,x,100,2020\nd,x,-5,2021\ne,x,n/a,\nf,x,1e3,2020-06\ng,x,.5,x\n"
    )
    index = Index.build(read(tmp_path / "t.csv"))
    assert index.where("price<10") == ["a", "d", "g"]
    assert index.where("price<=10") == ["a", "b", "d", "g"]
    assert index.where("price>-10") == ["a", "b", "c", "d", "e", "f", "g"]  # as a text, n/a is more than -10
    assert index.where(["price>=10", "price<1e4"]) == ["b", "c", "f"]
    assert index.where("price=10") == ["b"]
    assert index.where("price!=10") == ["a", "c", "d", "e", "f", "g"]
    assert index.where(["day>=2020", "day<2021"]) == ["a", "c", "f"]  # days are texts
    assert index.where([Condition("price", "<", ("10",))]) == ["d", "g"]  # two texts, letter by letter
