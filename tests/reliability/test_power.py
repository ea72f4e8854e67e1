"""A power loss at any moment leaves the old generation or the new one, and every sync of ours is needed for that."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from pathlib import Path

import pytest

import aboutness
from reliability.power import Judge, losses, record
from reliability.recorded import Kind
from reliability.replayed import lay_out, tree_after
from reliability.scenarios import SCENARIOS

SYNCING = {"write_new", "write_arrays", "sync_folder", "make_durable_folder", "fsync"}
EVERY = 8  # moments between two of the many writes to a file of arrays


def assert_survives(recording, workplace, seed):
    """Assert that all that may be left is right; of each kind that looks different, one is used further."""
    judge = Judge(recording, workplace)
    problems, kinds = [], {}
    for loss in losses(recording, random.Random(seed), chances=2, every=EVERY):
        problem = judge.problem(loss)
        if problem:
            problems.append(problem)
        else:
            kinds.setdefault(judge.kind(loss), loss)
    assert problems == []
    for loss in kinds.values():
        judge.settle(loss)
    assert {kind[0] for kind in kinds} >= set(range(len(judge.states)))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_old_generation_or_the_new_one(recorder, start, quick_folder, name):
    assert_survives(record(recorder, name, start), quick_folder, name)


@pytest.mark.parametrize("name", ["add", "delete", "overwrite"])
def test_the_power_may_be_lost_after_a_kill_within_a_commit(recorder, start, quick_folder, name):
    first = record(recorder, "update", start)
    end = next(i for i, call in enumerate(first.calls) if call.kind is Kind.UNLINK and "-journal" in call.path)
    killed = first.calls[:end]
    left = start.parent / f"killed-{name}"
    lay_out(tree_after(first.root, first.start, killed), left)
    second = record(recorder, name, left)
    assert_survives(replace(second, start=first.start, calls=[*killed, *second.calls]), quick_folder, name)


def first_problem(recorder, start, workplace, name, without):
    """Return what a scenario loses when a sync is left out."""
    recording = record(recorder, name, start, skip=without)
    judge = Judge(recording, workplace)
    found = losses(recording, random.Random(without), chances=2, every=EVERY)
    return next(filter(None, map(judge.problem, found)), "")


WORK_UNDER_WAY = {"shard_training.py", "workplace.py", "numbering.py", "drafts.py"}
"""Here jobs over shards keep what they have reached, so that it need not be done again. Everything there is compared
with its checksum before it is used, and done anew where it is not whole; the commit at the end is that of any writer."""


def syncs_in_source():
    """Return where our code syncs, but for the functions that do it for others: file, first and last line."""
    for path in Path(aboutness.__file__).parent.rglob("*.py"):
        if path.name in {"disk.py", "arrays.py"} or path.name in WORK_UNDER_WAY:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name in SYNCING:
                    yield path.name, node.lineno, node.end_lineno


def test_every_sync_of_ours_is_needed(recorder, start, quick_folder):
    where = {}
    for name in SCENARIOS:
        for site in record(recorder, name, start).outcome.sites:
            where.setdefault(site, {})[name] = None
    missed = [
        place
        for place in syncs_in_source()
        if not any(f"{place[0]}: " in site and place[1] <= int(site.split()[-1]) <= place[2] for site in where)
    ]
    assert missed == []  # each is made in one of the scenarios
    needless = [
        site
        for site, names in where.items()
        if not any(first_problem(recorder, start, quick_folder, name, site) for name in reversed(names))
    ]
    assert needless == []


@pytest.mark.parametrize("level", ["FULL", "NORMAL", "OFF"])
def test_every_sync_of_sqlite_is_needed(recorder, start, quick_folder, level):
    assert first_problem(recorder, start, quick_folder, "update", f"synchronous = {level}")
