"""Jobs: trained in processes of their own, with progress, and ended with the one who wanted them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.app.job import CHECK
from aboutness.app.jobs import CANCELLED, COMMAND, DONE, FAILED, QUEUED, RUNNING, Jobs
from aboutness.core.errors import IndexBusy, NotFound, UsageError
from app.sky import RECORDS, stored

SMALL = {"dim": 8, "min_count": 1, "epochs": 2, "sample": 0}
ENDLESS = {"dim": 200, "min_count": 1, "epochs": 100_000}
LONG = 60.0  # seconds, after which something is wrong


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


def until(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_a_job_trains_is_what_the_index_trains(index, jobs):
    told = []
    jobs._changed = told.append
    job = jobs.start(index, "sky", "word2vec", name="mine", parameters=SMALL, threads=1)
    assert job.over.wait(LONG)
    assert (job.state, job.progress, job.seconds_left, job.message) == (DONE, 1.0, None, "mine: 9 words x 8")
    assert index.snapshot.generation == 2  # is read already
    assert told == ["sky"]
    mine, here = index.vectors("mine"), index.train(**SMALL, threads=1)
    assert all(np.array_equal(mine.spaces[space], here.spaces[space]) for space in ("in", "out"))
    assert job.to_json()["index"] == "sky"
    json.dumps(job.to_json())


def test_cancelling_interrupts_it_and_leaves_the_index(index, jobs):
    before = stored(index)
    job = jobs.start(index, "sky", "word2vec", parameters=ENDLESS)
    until(lambda: job.progress > 0)
    assert job.state == RUNNING
    assert job.seconds_left > 0
    pid = job.process.pid
    assert jobs.cancel(job.id) is job
    assert job.state == CANCELLED
    assert job.message.startswith("cancelled; the index is unchanged. Started again")
    assert not is_alive(pid)
    assert stored(index) == before
    assert not index.refresh()
    assert jobs.cancel(job.id).state == CANCELLED  # once more changes nothing


def test_one_at_a_time_for_an_index_and_few_that_wait(index, tmp_path, monkeypatch):
    waits = "import sys; sys.stdin.read()"
    monkeypatch.setattr("aboutness.app.jobs.COMMAND", (sys.executable, "-c", waits))
    jobs = Jobs(most_waiting=2)
    other = Index.build(RECORDS, tmp_path / "other")
    first, second, third = (jobs.start(index, "sky", "word2vec", name=f"n{n}") for n in range(3))
    fourth = jobs.start(other, "other", "word2vec")
    assert [job.state for job in (first, second, third, fourth)] == [RUNNING, QUEUED, QUEUED, RUNNING]
    with pytest.raises(IndexBusy, match="2 jobs wait already"):
        jobs.start(index, "sky", "word2vec", name="more")
    assert jobs.cancel(second.id).message == "cancelled before it began"
    with pytest.raises(IndexBusy, match=r"training of n2 in sky is queued already \(job 3\)"):
        jobs.start(index, "sky", "word2vec", name="n2")
    assert jobs.cancel(first.id).state == CANCELLED
    until(lambda: third.state == RUNNING)
    assert [job.id for job in jobs.all()] == ["4", "3", "2", "1"]
    jobs.close()
    assert {job.state for job in jobs.all()} == {CANCELLED}
    with pytest.raises(IndexBusy, match="is ending"):
        jobs.start(index, "sky", "word2vec")


def test_a_process_that_dies_is_told_of(index, jobs, monkeypatch):
    monkeypatch.setattr("aboutness.app.jobs.COMMAND", (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"))
    job = jobs.start(index, "sky", "word2vec")
    assert job.over.wait(LONG)
    assert (job.state, job.message) == (
        FAILED,
        "the process ended by itself, with code -9; is there enough memory?",
    )


def test_a_check_reads_everything_and_names_no_folder(index, jobs):
    job = jobs.start(index, "sky", CHECK)
    assert job.over.wait(LONG)
    assert (job.state, job.name, job.message.partition(":")[0]) == (DONE, None, "sound")
    file = next((index.path / "arrays").iterdir())
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    job = jobs.start(index, "sky", CHECK)
    assert job.over.wait(LONG)
    assert job.state == FAILED
    assert job.message.startswith("sky/arrays/")


@pytest.mark.parametrize(
    ("kind", "name", "parameters", "message"),
    [
        ("nobody", None, {}, "unknown way of training"),
        ("word2vec", None, {"dim": 0}, "dim must be"),
        ("word2vec", None, {"size": 3}, "no parameter 'size'"),
        ("word2vec", "../x", {}, "the name of vectors"),
        (CHECK, "x", {}, "neither a name nor parameters"),
    ],
)
def test_what_cannot_be_done_is_refused_at_once(index, jobs, kind, name, parameters, message):
    with pytest.raises(UsageError, match=message):
        jobs.start(index, "sky", kind, name=name, parameters=parameters)
    assert jobs.all() == []


def test_an_index_in_memory_has_no_jobs(jobs):
    with pytest.raises(UsageError, match="sky is in memory only"):
        jobs.start(Index.build(RECORDS), "sky", "word2vec")


def test_an_unknown_job_is_named(jobs):
    with pytest.raises(NotFound, match="there is no job '7'"):
        jobs.one("7")


def test_no_process_outlives_the_one_that_wanted_it(index):
    program = (
        "import sys, time; from aboutness.app.index import Index; from aboutness.app.jobs import Jobs\n"
        "jobs = Jobs()\n"
        f"job = jobs.start(Index.open(sys.argv[1]), 'sky', 'word2vec', parameters={ENDLESS})\n"
        "while not job.progress: time.sleep(0.02)\n"
        "print(job.process.pid, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(index.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        pid = int(server.stdout.readline())
        assert is_alive(pid)
        server.kill()
        assert server.stderr.read() == b""  # also of the process that it had started, which ends in peace
    until(lambda: not is_alive(pid))
    assert not index.refresh()


def test_it_can_be_cancelled_where_a_script_started_the_server_in_the_background(index, jobs, monkeypatch):
    """A shell has such processes ignore interruptions, and these have their own do so."""
    deaf = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh", *COMMAND)
    monkeypatch.setattr("aboutness.app.jobs.COMMAND", deaf)
    job = jobs.start(index, "sky", "word2vec", parameters=ENDLESS)
    until(lambda: job.progress)
    jobs.cancel(job.id)
    assert job.over.wait(LONG)
    assert job.state == CANCELLED
    assert "the index is unchanged" in job.message


def test_what_nobody_wants_any_more_is_not_begun():
    done = subprocess.run(COMMAND, input=b"", capture_output=True, timeout=LONG, check=True, env=os.environ)
    assert done.stdout == b""
