from __future__ import annotations

import subprocess
import sys

import pytest

from aboutness.corpus.python_compiled import compiled
from aboutness.corpus.read import read


@pytest.fixture(scope="module")
def library():
    return list(read("stdlib"))


def test_size_order_and_uniqueness(library):
    ids = [one.id for one in library]
    assert 5000 < len(ids) < 10_000
    assert ids == sorted(set(ids))


def test_every_document_has_title_text_and_metadata(library):
    for one in library:
        assert one.fields["title"].startswith(one.id)
        assert one.fields["text"].strip() == one.fields["text"]
        assert one.fields["text"]
        assert one.metadata["kind"] in {"module", "class", "function", "method"}
        assert one.id.startswith(one.metadata["module"])
        assert one.origin.file
        assert not any(part.startswith("_") for part in one.id.split("."))
        " ".join([one.id, *one.fields.values()]).encode()


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("json", "module", "JSON"),
        ("json.dumps", "function", "Serialize ``obj`` to a JSON formatted ``str``"),
        ("pathlib.Path.glob", "method", "subtree"),
        ("collections.abc.Mapping", "class", "key/value pairs"),
        ("concurrent.futures.Executor.submit", "method", "callable"),
        ("functools.reduce", "function", "iterable"),
        ("datetime.date.isoformat", "method", "ISO"),
        ("os.listdir", "function", "names of the files"),
        ("os.makedirs", "function", "leaf directory"),
        ("math.sqrt", "function", "square root"),
        ("itertools.chain", "class", "chain object"),
        ("builtins.len", "function", "number of items"),
        ("builtins.str.join", "method", "Concatenate"),
        ("collections.Counter.most_common", "method", "most common elements"),
        ("struct.pack", "function", "packed according to the format"),
    ],
)
def test_what_one_expects_is_there(library, name, kind, words):
    (document,) = [one for one in library if one.id == name]
    assert document.metadata["kind"] == kind
    assert words in " ".join(document.fields["text"].split())


def test_signatures(library):
    titles = {one.id: one.fields["title"] for one in library}
    assert titles["math.sqrt"] == "math.sqrt(x, /)"
    assert titles["builtins.str.join"] == "builtins.str.join(iterable, /)"
    assert titles["builtins.str.isdigit"] == "builtins.str.isdigit()"
    assert titles["json.dumps"].startswith("json.dumps(obj, *, skipkeys=False")
    assert titles["collections.Counter.most_common"] == "collections.Counter.most_common(n=None)"


def test_tests_and_others_are_left_out(library):
    roots = {one.metadata["module"].split(".")[0] for one in library}
    assert not roots & {"test", "idlelib", "turtledemo", "posix", "nt", "numpy", "pip"}


def test_source_modules_are_not_imported():
    code = (
        "import sys; from aboutness.corpus.stdlib_docs import read_stdlib; n = sum(1 for _ in read_stdlib()); "
        "bad = {'tkinter', 'antigravity', 'this', 'turtle', 'asyncio', 'readline', '_tkinter'} & set(sys.modules); "
        "sys.exit(f'imported {bad}' if bad else 0 if n > 5000 else 'too few')"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["readline", "_tkinter", "json", "os.path", "numpy", "nonsense", "_testcapi"])
def test_what_is_never_imported(name):
    assert compiled(name) is None
