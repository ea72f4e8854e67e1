"""Ctrl-C, and a second writer: in real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from aboutness import Index
from cli.running import environment


@pytest.fixture
def feed(tmp_path):
    """Start a command that reads `feed.jsonl`, a pipe which the test keeps open; yield the process."""
    os.mkfifo(tmp_path / "feed.jsonl")
    processes = []

    def _feed(*arguments: str):
        process = subprocess.Popen(
            [sys.executable, "-m", "aboutness", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            env=environment(), start_new_session=True,
        )  # fmt: skip
        processes.append(process)
        pipe = (tmp_path / "feed.jsonl").open("w")
        for number in range(9000):
            pipe.write(json.dumps({"id": f"new-{number}", "text": f"text of document {number}"}) + "\n")
        pipe.flush()
        return process, pipe

    yield _feed
    for process in processes:
        process.kill()
        process.communicate()


def interrupted(process, pipe):
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    pipe.close()
    assert process.returncode == 130
    assert out == ""
    assert err == "aboutness: interrupted; the index is unchanged\n"


def test_an_interrupted_build_leaves_nothing(feed, tmp_path):
    process, pipe = feed("index", "feed.jsonl", "-o", "x.index", "--json")
    while not list(tmp_path.glob(".x.index.building-*/index.db")):
        time.sleep(0.01)
    interrupted(process, pipe)
    assert [path.name for path in tmp_path.iterdir()] == ["feed.jsonl"]


def test_an_interrupted_add_leaves_the_index_as_it_was_and_a_second_writer_is_told_who_writes(
    feed, three, call, tmp_path
):
    before = {
        path: path.read_bytes() for path in three.rglob("*") if path.is_file() and path.name != "writer.lock"
    }
    process, pipe = feed("add", "three.index", "feed.jsonl")
    while (three / "writer.lock").read_text() != f"{process.pid}\n":
        time.sleep(0.01)
    for command in (
        ["delete", three, "a"],
        ["merge", three],
        ["index", "three.jsonl", "-o", three, "--overwrite"],
    ):
        second = call(*command)
        assert (second.code, second.out) == (7, "")
        assert f"process {process.pid} is writing" in second.err
    assert call("info", three).code == 0
    assert call("check", three, "--deep").code == 0
    interrupted(process, pipe)
    after = {path: path.read_bytes() for path in three.rglob("*") if path.is_file() and path.name != "writer.lock"}
    assert after == before
    assert call("delete", three, "a").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.jsonl", "three.index", "three.jsonl"]


def test_a_finished_pipe_is_a_source_like_any_other(feed, tmp_path):
    process, pipe = feed("index", "feed.jsonl", "-o", "x.index", "--json")
    pipe.close()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["documents"] == len(Index.open(tmp_path / "x.index")) == 9000
