"""Readers beside a writer, and writers beside each other, for seconds; for minutes: `python -m tests.stress.concurrency`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.running import environment
from stress.concurrency import QUERIES, K, assert_of_one_generation, held_by, scores_of

TESTS = Path(__file__).parents[1]


def test_readers_and_writers():
    command = [sys.executable, "-m", "stress.concurrency", "--count", "1", "--seconds", "9"]
    ran = subprocess.run(command, cwd=TESTS, env=environment(), capture_output=True, text=True, check=False)
    figures = json.loads(ran.stdout.splitlines()[-1])
    assert figures["failures"] == [], ran.stderr
    for way in ("threads", "processes"):
        assert figures[way]["answers"] >= figures[way]["generations_seen"] > 0
        assert figures[way]["commits"] > 0
    writers = figures["writers"]
    assert min(writers.values()) > 0
    assert writers["refusals_naming_a_holder"] == writers["refusals"]


def test_an_answer_of_two_generations_is_seen():
    generation, query = 9, QUERIES[0]
    scores = sorted(scores_of(generation, query).items(), key=lambda one: -one[1])[:K]
    hits = [(name, score, held_by(generation)[name]) for name, score in scores]
    assert_of_one_generation((generation, query, hits))
    for other in (generation - 1, generation + 1):
        with pytest.raises((AssertionError, KeyError)):
            assert_of_one_generation((other, query, hits))
    whole = [(name, 0.0, document) for name, document in held_by(generation).items()]
    assert_of_one_generation((generation, "", whole))
    with pytest.raises(AssertionError):
        assert_of_one_generation((generation, "", [*whole[:-1], (whole[-1][0], 0.0, whole[0][2])]))
