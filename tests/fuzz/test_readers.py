"""Harmed files, for every reader: refused with a message, or read as sound records; never anything else."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aboutness.corpus.read import READERS
from aboutness.vectors.load import FORMATS
from fuzz.edits import TOKENS, edited, edits
from fuzz.sources import outcome, sources

EXAMPLES = 10  # for each source
SLOW_S = 10.0
# Python's own modules; a package that looks after its own files; chance
NOT_READ_FROM_FILES = {"stdlib", "ir-datasets", "synthetic"}
few = settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))


def result_of(source, changed):
    with TemporaryDirectory() as folder:
        path = source.written(Path(folder), changed)
        start = time.monotonic()
        came = outcome(source, path)
        assert time.monotonic() - start < SLOW_S
        return came


def test_every_reader_is_tried():
    tried = sources()
    assert {
        name for name in READERS if name not in NOT_READ_FROM_FILES and not any(name in one for one in tried)
    } == set()
    assert {name for name in FORMATS if f"vectors {name}" not in tried} == set()


@pytest.mark.parametrize("name", sources())
def test_sound_files_are_read(name):
    assert result_of(sources()[name], {}) == "read"


@pytest.mark.parametrize("name", sources())
def test_harmed_files(name):
    source = sources()[name]

    @few
    @given(st.sampled_from(source.targets()), edits)
    def harmed(file, made):
        result_of(source, {file: edited(source.files[file], made)})

    harmed()


@pytest.mark.parametrize("name", sources())
def test_bytes_by_chance(name):
    source = sources()[name]

    @few
    @given(
        st.sampled_from(source.targets()), st.one_of(st.binary(), st.lists(st.sampled_from(TOKENS)).map(b"".join))
    )
    def by_chance(file, content):
        result_of(source, {file: content})

    by_chance()


DEPTHS = [*range(880, 1010, 3), 5_000, 100_000]


@pytest.mark.parametrize(
    ("name", "opened", "closed"),
    [
        ("jsonl", b'{"id": "1", "text": "a", "m": ' + b"%s", b"}"),
        ("jsonl", b"%s", b""),
        ("thesaurus t.json", b'{"a": %s', b"}"),
        ("topics t.jsonl", b'{"id": 1, "text": "a", "m": %s', b"}"),
        ("experiment", b"rankers = %s", b""),
        ("results", b'{"comparisons": %s', b"}"),
        ("sweep", b'{"a": %s', b"}"),
    ],
)
def test_nesting_at_all_depths(name, opened, closed):
    source = sources()[name]
    file = "results.json" if name == "results" else source.targets()[0]
    for depth in DEPTHS:
        content = opened.replace(b"%s", b"[" * depth + b"]" * depth) + closed
        result_of(source, {file: content})


@pytest.mark.parametrize("opened", [b"(", b"minmax(", b"-", b"bm25 + (", b"bm25 >> (", b".5*(", b"rm3("])
def test_rankers_nested_in_one_another(opened):
    for depth in (100, 900, 5_000):
        expression = opened * depth + b"bm25" + b")" * depth
        result_of(sources()["experiment"], {"x.toml": b'collections = ["x"]\nrankers = ["%s"]' % expression})


@pytest.mark.parametrize(
    "fill",
    [b"<a>", b"<a", b"<!--", b"<a b='", b"<![CDATA[", b"</script", b"<script>", b"<?", b"&#1", b"<p>", b"<a/"],
)
@pytest.mark.parametrize("name", ["folder", "trec", "thesaurus t.rdf", "rcv1", "reuters", "ntcir", "topics t.top"])
def test_markup_that_never_ends_takes_linear_time(name, fill):
    source = sources()[name]
    result_of(source, {source.path: source.files[source.path] + fill * 60_000})


@pytest.mark.parametrize(
    "fill", [b"a.", b'"', b'"""', b"a:b.", b"[", b"(", b"a:a\\x", b"'", b"_:a.", b"1.", b"#", b"<", b"@a-"]
)
def test_turtle_that_never_ends_takes_linear_time(fill):
    for before in (b"", b'"""', TTL_START):
        result_of(sources()["thesaurus t.ttl"], {"t.ttl": before + fill * 60_000})


TTL_START = b"@prefix a: <x>. a:a a:b "


def test_tables_with_very_many_columns(tmp_path):
    header = b",".join(b"c%d" % number for number in range(200_000))
    for last in (b",id,text", b",c199999"):
        result_of(sources()["csv"], {"a.csv": header + last + b"\n" + b"1,2\n" * 3})


FOUND = {  # by long runs, before they were refused
    "thesaurus t.ttl": b"@base <http://[x> .\n<c1> a <c2> .\n",
    "python": b"x = " + b"(" * 5000,
    "folder": b"<p>&#" + b"1" * 5000 + b";",
    "jsonl": b'{"id": "1", "text": "a", "m": ' + b"[" * 985 + b"]" * 985 + b"}",
}


@pytest.mark.parametrize("name", FOUND)
def test_what_once_went_wrong(name):
    source = sources()[name]
    result_of(source, {source.path: FOUND[name]})
