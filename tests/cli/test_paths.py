"""Indexes and sources with unusual names; the database is opened by URI, so these are not idle worries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aboutness import Index

NAMES = [
    "with space.index",
    "größe-索引.index",
    "what?.index",
    "number#1.index",
    "100%41.index",
    'it\'s "quoted".index',
    "a&b=c;d.index",
    "[ab]*.index",
    "back\\slash",
    "new\nline",
    ".hidden",
    "deep/er/than/this.index",
    "trailing.index/",
    "./here/../there.index",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_will_do(write, call, tmp_path, name):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    write("b.jsonl", [{"id": "2", "text": "y"}])
    (tmp_path / "here").mkdir()
    assert call("index", "a.jsonl", "-o", name).code == 0
    assert call("add", name, "b.jsonl").code == 0
    assert call("delete", name, "1").code == 0
    assert call("merge", name).code == 0
    info = call("info", name, "--json").json
    assert (info["index"], info["documents"]) == (str(Path(name)), 1)
    assert call("check", tmp_path / name, "--deep").code == 0
    top = Path(os.path.normpath(name)).parts[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"a.jsonl", "b.jsonl", "here", top})
    assert {path.name for path in (tmp_path / name).iterdir()} == {"arrays", "index.db", "writer.lock"}


def test_a_leading_dash(write, call):
    write("-a.jsonl", [{"id": "1", "text": "x"}])
    assert call("index", "-o", "-x.index", "--", "-a.jsonl").code == 0
    assert call("info", "--json", "--", "-x.index").json["documents"] == 1
    assert call("delete", "--", "-x.index", "1").code == 0


def test_a_name_that_is_not_utf8(write, run, tmp_path):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    strict = {"PYTHONIOENCODING": "utf-8:strict"}
    assert run("index", "a.jsonl", "-o", b"caf\xe9.index", env=strict).code == 0
    ran = run("info", b"caf\xe9.index", "--json", env=strict)
    assert (ran.code, ran.json["index"], ran.json["documents"]) == (0, "caf\udce9.index", 1)
    assert len(Index.open(os.fsdecode(bytes(tmp_path) + b"/caf\xe9.index"))) == 1


def test_what_a_killed_build_left_is_removed_and_nothing_else(write, call, tmp_path):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    for folder in (".[ab].building-0123", ".a.building-4567", ".b.index.building-1"):
        (tmp_path / folder / "arrays").mkdir(parents=True)
    assert call("index", "a.jsonl", "-o", "[ab]").code == 0
    left = {path.name for path in tmp_path.iterdir() if path.name.startswith(".")}
    assert left == {".a.building-4567", ".b.index.building-1"}


def test_the_present_folder_cannot_be_replaced(write, call, tmp_path, monkeypatch):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert call("index", "../a.jsonl", "-o", ".").code == 6
    assert {path.name for path in tmp_path.rglob("*")} == {"a.jsonl", "empty"}


def test_a_link_to_an_index(write, call, tmp_path):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    call("index", "a.jsonl", "-o", "real.index")
    (tmp_path / "link.index").symlink_to("real.index")
    write("b.jsonl", [{"id": "2", "text": "y"}])
    assert call("add", "link.index", "b.jsonl", "--json").json["documents"] == 2
    assert len(Index.open("real.index")) == 2
