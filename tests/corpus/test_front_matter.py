"""Front matter of Markdown as metadata."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.corpus.folder import read_folder
from aboutness.corpus.front_matter import LONGEST, front_matter
from aboutness.index import metadata

READ = {
    "title: Sour dough": {"title": "Sour dough"},
    "a: 1\nb: -2.5\nc: true\nd: false\ne: 007": {"a": 1, "b": -2.5, "c": True, "d": False, "e": "007"},
    "date: 2024-05-01\ntime: 10:30": {"date": "2024-05-01", "time": "10:30"},
    "tags: [bread, 'rye, dark', \"a b\" ]": {"tags": ["bread", "rye, dark", "a b"]},
    'tags: [a, "b, c",]  # and a comment': {"tags": ["a", "b, c"]},
    "tags: [O'Brien, C#, ~, x]": {"tags": ["O'Brien", "C#", "x"]},
    "tags: [bread, rye]": {"tags": ["bread", "rye"]},
    "tags: [1, two, true]": {"tags": [1, "two", True]},
    "tags: []": {},
    "tags:\n- bread\n- rye bread": {"tags": ["bread", "rye bread"]},
    "tags:\n  - bread\n  - 2\nyear: 3": {"tags": ["bread", 2], "year": 3},
    "draft:\nyear: 3": {"year": 3},
    'quoted: "a: b # c \\" d"': {"quoted": 'a: b # c " d'},
    "single: 'it''s'": {"single": "it's"},
    "a: b # a comment\n# another\n\nc: d": {"a": "b", "c": "d"},
    "key with blanks: v\nund-über.x: y": {"key with blanks": "v", "und-über.x": "y"},
    "url: https://example.org/a": {"url": "https://example.org/a"},
    "a: C#\nb: https://x.y/#a\nc: Notes [draft]\nd: O'Brien {x}": {
        "a": "C#",
        "b": "https://x.y/#a",
        "c": "Notes [draft]",
        "d": "O'Brien {x}",
    },
    'a: "x" # comment\nb: \'y\'\t# c\nc: "x # y"': {"a": "x", "b": "y", "c": "x # y"},
    "a: # comment\nb: 1": {"b": 1},
    "a: # comment\n- x # one\n- 'y # z'": {"a": ["x", "y # z"]},
    "a: null\nb: ~\nc: 'null'\nd:\n- ~\n- e": {"c": "null", "d": ["e"]},
    "": {},
    # what is not read
    "a: {b: c}": None,
    "a: |\n  folded": None,
    "a: >": None,
    "a:\n  b: c": None,
    "a: &x y": None,
    "a: b: c": None,
    "a: 1\na: 2": None,
    "no pair": None,
    "- a": None,
    "a: 'un''closed": None,
    'a: "unclosed': None,
    "a: [x, [y]]": None,
    "a: [x, {y: z}]": None,
    "a: [x, y: z]": None,
    "a: [x,, y]": None,
    "a: [x": None,
    "a: ['x, y]": None,
    "a: [x #, y]": None,
    "a: [x] y": None,
    "a: [x]# y": None,
    'a: "x" y': None,
    'a: "x"# y': None,
    'a: ["x" y]': None,
    "a: 1\na: ~": None,
    "a:\n- b: c": None,
    "a:\n- [b]": None,
    "a: *x": None,
    "a: !x y": None,
    "a: @x": None,
}


@pytest.mark.parametrize("head", READ)
@pytest.mark.parametrize("end", ["---", "..."])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_what_is_read(head, end, line):
    whole = line.join(["---", *head.split("\n"), end, "The text.", "---", "more"])
    expected = READ[head]
    rest = line.join(["The text.", "---", "more"])
    assert front_matter(whole) == (({}, whole) if expected is None else (expected, rest))


@pytest.mark.parametrize(
    "text", ["", "---", "---\na: b", "text\n---\na: b\n---\n", "--- \nx", " ---\na: b\n---\n"]
)
def test_texts_without_any_stay_as_they_are(text):
    assert front_matter(text) == ({}, text)


@pytest.mark.parametrize(
    "long",
    [
        "title: x" + " " * 60_000 + "x",
        "title" + " " * 60_000 + "x",
        "title: [" + " " * 60_000 + "x",
        "title: [" + "x ," * 20_000,
        "title: '" + "''" * 30_000,
        'title: "' + "\\\\" * 30_000,
        "a:\n- x" + " " * 60_000 + "x: y",
        "a:" + "\n-" * 30_000,
    ],
)
def test_long_lines_take_no_time(long):
    start = time.process_time()
    front_matter(f"---\n{long}\n---\nbody")
    assert time.process_time() - start < 0.5


def test_what_ends_too_late_is_text():
    lines = "\n".join(f"k{number}: v" for number in range(10_000))
    whole = f"---\n{lines}\n---\nbody"
    assert len(whole) > LONGEST
    assert front_matter(whole) == ({}, whole)
    for left in range(8):
        short = "---\n" + "k: v".ljust(LONGEST - 4 - left) + "\n---\nbody"
        assert front_matter(short) in (({"k": "v"}, "body"), ({}, short))
    assert front_matter("---\nk: v\n---\n" + "x" * LONGEST)[0] == {"k": "v"}


@given(st.text(st.characters(codec="utf-8"), max_size=300))
def test_any_text_is_read_or_left_and_what_is_read_can_be_kept(body):
    whole = f"---\n{body}\n---\nrest"
    found, rest = front_matter(whole)
    assert rest == whole or whole.endswith(rest)
    assert not metadata.problem(found)


def test_a_folder_of_notes_can_be_filtered_by_it(tmp_path):
    (tmp_path / "a.md").write_text("---\ntags: [bread]\nyear: 2024\nformat: mine\n---\n# Rye\n\nDark flour.")
    (tmp_path / "b.md").write_text("---\ntitle: Bees\nyear: 2020\n---\n# Hives\n\nIn June.")
    (tmp_path / "c.md").write_text("---\ntitle: Sea\n---\nSea\n===\n\nSalt.")
    (tmp_path / "d.md").write_text("---\na: {b: c}\n---\n# Odd\n\nText.")
    (tmp_path / "e.md").write_text("---\ntitle: [a, b]\n---\nText.")
    (tmp_path / "f.md").write_text("---\ntitle: ~\nyear: null\n---\n# Headed\n\nText.")
    found = {one.id: one for one in read_folder(tmp_path)}
    assert found["a.md"].fields == {"title": "Rye", "text": "Dark flour."}
    assert found["a.md"].metadata == {"tags": ["bread"], "year": 2024, "format": "markdown"}
    assert found["b.md"].fields == {"title": "Bees", "text": "# Hives\n\nIn June."}
    assert found["c.md"].fields == {"title": "Sea", "text": "Salt."}
    assert found["d.md"].fields["title"] == "Odd"
    assert "{b: c}" in found["d.md"].fields["text"]
    assert found["e.md"].fields == {"title": "a, b", "text": "Text."}
    assert found["f.md"].fields == {"title": "Headed", "text": "Text."}
    assert found["f.md"].metadata == {"format": "markdown"}
    index = Index.build(found.values())
    assert index.where(["year>=2021", "tags=bread"]) == ["a.md"]
