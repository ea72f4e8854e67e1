"""What a power loss may leave of an index, and whether that is right: one whole generation, and none that is lost.

A `Recording` is what a scenario did to its files. `losses` are the states of the disk in which the power may go at
any moment of it; a `Judge` opens each and says which generation it finds there.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from aboutness import Index
from aboutness.core.errors import AboutnessError
from aboutness.index.database import read_manifest
from reliability.harm import OLD, assert_goes_on, assert_sound, renewed, state_of
from reliability.recorded import Call, Kind, Outcome, Recorder
from reliability.replayed import Disk, Tree, lay_out, tree_after, tree_of
from reliability.scenarios import BROKEN, SCENARIOS, Scenario

CHANGING = {Kind.WRITE, Kind.TRUNCATE, Kind.SYNC, Kind.RENAME, Kind.UNLINK, Kind.MKDIR, Kind.RMDIR, Kind.MARK}
DATABASE = ("index.db", "index.db-journal")
Look = tuple[Any, ...]  # what there is to see: the manifest and every byte of the files it names


@dataclass(frozen=True)
class Recording:
    """What a scenario did to the files below a folder, from what these were."""

    name: str
    root: Path
    start: Tree
    calls: list[Call]
    outcome: Outcome

    @property
    def scenario(self) -> Scenario:
        """Return the scenario that was recorded."""
        return SCENARIOS[self.name]


def record(
    recorder: Recorder, name: str, original: Path, *, skip: str = "", by_command: bool = False
) -> Recording:
    """Run a scenario on a copy of a folder; see that the recording leaves nothing out."""
    root = renewed(original, original.parent / "recorded")
    start = tree_of(root)
    outcome = recorder.run(name, root, skip=skip, by_command=by_command)
    assert outcome.code == 0, outcome.error
    recording = Recording(name, root, start, recorder.calls(), outcome)
    assert tree_after(root, start, recording.calls) == tree_of(root)
    return recording


@dataclass(frozen=True)
class Loss:
    """A disk after a power loss: after which call, what became of what was not synced, what is acknowledged."""

    moment: int
    fate: str
    tree: Tree
    acknowledged: int


def losses(
    recording: Recording, draw: random.Random, *, chances: int, every: int, turn: int = 0
) -> Iterator[Loss]:
    """Yield disks at every moment; of many writes of arrays only the last and one in `every`, another each `turn`."""
    disk = Disk(recording.root, recording.start)
    paths: dict[int, str] = {}
    followed = [*(call.kind for call in recording.calls[1:]), Kind.MARK]
    for moment, (call, after) in enumerate(zip(recording.calls, followed, strict=True)):
        disk.apply(call)
        if call.kind is Kind.OPEN:
            paths[call.descriptor] = call.path
        if call.kind not in CHANGING:
            continue
        if (
            call.kind is after is Kind.WRITE
            and "index.db" not in paths[call.descriptor]
            and (moment + turn) % every
        ):
            continue
        for fate, of_step in disk.fates(draw, chances):
            yield Loss(moment, fate, disk.left(of_step), disk.acknowledged)


class Judge:
    """Opens what is left of a recording's index, and compares it with the generations there were."""

    def __init__(self, recording: Recording, workplace: Path) -> None:
        self._recording = recording
        self.start = recording.start
        self._target = recording.scenario.target
        self._workplace = workplace
        self._manifests: dict[Any, Any] = {}
        disk = Disk(recording.root, recording.start)
        self.states = [self.look(recording.start)]
        self._passing: list[Look] = []  # may be found until the next is acknowledged
        for call in recording.calls:
            disk.apply(call)
            if call.kind is Kind.MARK:
                self.states.append(self.look(disk.left()))
            elif call.kind is Kind.PASSING:
                self._passing.append(self.look(disk.left()))
        assert len(set(map(repr, self.states))) == len(self.states)

    @cached_property
    def documents(self) -> list[Any]:
        """Return which documents there are before and after, by the scenario's own word."""
        return [state_of(OLD), self._recording.scenario.after]

    @property
    def opened(self) -> int:
        """Return how many databases that differ were opened."""
        return len(self._manifests)

    def look(self, tree: Tree) -> Look:
        """Return all that can be seen of the target, or in which way it cannot be opened."""
        if self._recording.scenario.after is None:
            return ("file", tree.get(self._target))
        if self._target not in tree:
            return ("nothing",)
        manifest = self._manifest(tuple(tree.get(f"{self._target}/{name}") for name in DATABASE))
        if isinstance(manifest, AboutnessError):
            return ("nothing",) if self._target == BROKEN else ("unopenable", str(manifest))
        names = sorted(manifest.files())
        return ("index", manifest, [tree.get(f"{self._target}/arrays/{name}") for name in names])

    def _manifest(self, database: tuple[bytes | None, ...]) -> Any:
        """Return what the database says, once it has got over what was cut short; or why it says nothing."""
        if database not in self._manifests:
            with tempfile.TemporaryDirectory(dir=self._workplace) as folder:
                for name, content in zip(DATABASE, database, strict=True):
                    if content is not None:
                        (Path(folder) / name).write_bytes(content)
                try:
                    self._manifests[database] = read_manifest(Path(folder))
                except AboutnessError as error:
                    self._manifests[database] = error
        return self._manifests[database]

    def problem(self, loss: Loss) -> str:
        """Return what is wrong with what is left, or nothing."""
        look = self.look(loss.tree)
        where = f"{self._recording.name}, after call {loss.moment}, {loss.fate}"
        if look in self._passing and not loss.acknowledged:
            return ""
        if look not in self.states:
            return f"{where}: neither the old nor the new: {str(look)[:300]}"
        state = self.states.index(look)
        least = loss.acknowledged if self._recording.scenario.durable else 0
        if not least <= state <= loss.acknowledged + 1:
            return f"{where}: generation {state}, though {loss.acknowledged} was acknowledged"
        return ""

    def kind(self, loss: Loss) -> tuple[int, tuple[str, ...]]:
        """Return by what disks that are right differ for those who go on with them: generation and odd files."""
        parts = {path.rpartition("/")[2].partition("-")[0] for path in loss.tree}
        return self._state(loss), tuple(sorted(parts))

    def _state(self, loss: Loss) -> int:
        look = self.look(loss.tree)
        return -1 if look in self._passing else self.states.index(look)

    def settle(self, loss: Loss) -> None:
        """Assert that a disk which is right is sound to the last byte, and goes on without litter."""
        root = self._workplace / "left"
        shutil.rmtree(root, ignore_errors=True)
        lay_out(loss.tree, root)
        folder = root / self._target
        state = self._state(loss)
        if self._recording.scenario.after is None:
            self._recording.scenario.run(root, lambda _: None)
            assert [path.name for path in folder.parent.glob(".checkpoint.*")] == []
            return
        if self.look(loss.tree) == ("nothing",):
            Index.build(OLD, folder, overwrite=True)
            assert_sound(folder, state_of(OLD))
            assert [path.name for path in folder.parent.glob(".*.building-*")] == []
        elif state not in (0, len(self.states) - 1):
            assert Index.open(folder).check(deep=True).problems == []
        else:
            assert_sound(folder, self.documents[state > 0])
        assert_goes_on(folder)
