"""A disk that fails at a call of SQLite's or ours: the old generation stays, the exit code is 6, nothing is left."""

from __future__ import annotations

import random

import pytest
from typer.testing import CliRunner

from aboutness.cli.main import app
from reliability.failing import COMMANDS, DISK, assert_failure_is_harmless, faults
from reliability.harm import OLD, assert_goes_on, assert_sound, fill, found_in, renewed, state_of
from reliability.power import Judge, record
from reliability.recorded import Fault
from reliability.scenarios import INDEX, SCENARIOS

SOME = 3


@pytest.mark.parametrize("how", ["EIO", "ENOSPC"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_call_that_fails(recorder, start, quick_folder, name, how):
    recording = record(recorder, name, start, by_command=True)
    judge = Judge(recording, quick_folder)
    for turn, fault in enumerate(faults(recording, how, random.Random(f"{name} {how}"), SOME)):
        assert_failure_is_harmless(recorder, judge, name, start, fault, further=not turn)


@pytest.mark.parametrize("how", ["EIO", "ENOSPC"])
def test_every_call_of_the_database_may_fail(recorder, start, quick_folder, how):
    recording = record(recorder, "drop", start, by_command=True)
    judge = Judge(recording, quick_folder)
    left = [
        assert_failure_is_harmless(recorder, judge, "drop", start, fault, further=not fault.at % 16)
        for fault in faults(recording, how, random.Random(), 1000, of_sqlite=True)
    ]
    assert left.count("old") > 20
    assert left[-1] == "new"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_write_may_be_short(recorder, start, quick_folder, name):
    judge = Judge(record(recorder, name, start, by_command=True), quick_folder)
    whole = Fault(0, 1, lasting=True)
    assert assert_failure_is_harmless(recorder, judge, name, start, whole, further=True) == "new"


@pytest.mark.parametrize("name", ["add", "overwrite", "train", "import", "prepare"])
def test_a_command_on_a_disk_that_is_really_full(start, small_disk, name):
    def run():
        command = [str(part).replace(str(root), str(small_disk)) for part in scenario.command(root)]
        return CliRunner().invoke(app, command)

    scenario, root = SCENARIOS[name], start.parent / "on another disk"
    folder, filler = small_disk / INDEX, small_disk / "filler"
    renewed(start / INDEX, folder)
    codes = []
    for pages in (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96):
        fill(filler, 4096 * pages)
        codes.append(run().exit_code)
        assert found_in(folder) == (scenario.after if codes[-1] == 0 else state_of(OLD))
        filler.unlink()
        if codes[-1] == 0:
            break
        assert_sound(folder, state_of(OLD))
    assert codes == [DISK] * (len(codes) - 1) + [0]
    assert len(codes) > 2
    assert_sound(folder, scenario.after)
    assert_goes_on(folder)
