from __future__ import annotations

import pytest

from aboutness.core.errors import IndexBusy
from aboutness.index.lock import WriterLock
from aboutness.scale.workplace import PASSING, Workplace, digest_of, done_once, finished


class Counted:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self, folder) -> dict:
        self.times += 1
        (folder / "made.txt").write_text("x" * 100)
        return {"times": self.times}


def test_work_is_done_once(tmp_path):
    work = Counted()
    first = done_once(tmp_path, "some", work)
    assert done_once(tmp_path, "some", work) == first
    assert (work.times, first["times"], list(first["files"])) == (1, 1, ["made.txt"])
    assert sorted(p.name for p in (tmp_path / "some").iterdir()) == ["made.txt", "record.json"]


@pytest.mark.parametrize("harm", ["x" * 99, "x" * 99 + "y", None])
def test_what_was_harmed_is_done_again(tmp_path, harm):
    work = Counted()
    done_once(tmp_path, "some", work)
    made = tmp_path / "some" / "made.txt"
    made.unlink() if harm is None else made.write_text(harm)
    assert done_once(tmp_path, "some", work)["times"] == 2


@pytest.mark.parametrize("record", ["", "{}", "[]", '{"files": 3}', '{"files": {"made.txt": "x"}}'])
def test_a_record_that_makes_no_sense(tmp_path, record):
    done_once(tmp_path, "some", Counted())
    (tmp_path / "some" / "record.json").write_text(record)
    assert finished(tmp_path / "some") is None
    assert not (tmp_path / "some").exists()


def test_work_that_fails_leaves_nothing(tmp_path):
    def fail(folder) -> dict:
        (folder / "half.txt").touch()
        raise KeyError("no")

    with pytest.raises(KeyError):
        done_once(tmp_path, "some", fail)
    assert list(tmp_path.iterdir()) == []


def test_two_who_do_the_same(tmp_path):
    """Who comes second finds the work of the first, and does not disturb it."""
    record = {}

    def slow(folder) -> dict:
        record.update(done_once(tmp_path, "some", Counted()))
        return {"times": 99}

    assert done_once(tmp_path, "some", slow) == record
    assert [p.name for p in tmp_path.iterdir()] == ["some"]


def test_a_digest_tells_values_apart():
    texts = {digest_of("a", 1), digest_of("a", 2), digest_of("a"), digest_of(("a", 1)), digest_of({"a": 1})}
    assert len(texts) == 5
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})


def test_what_killed_processes_left_is_removed_but_not_what_is_in_use(tmp_path):
    place = tmp_path / ".x.index.building"
    for name in ("left", "used"):
        (place / f"{name}{PASSING}00").mkdir(parents=True)
    held = WriterLock(place / f"used{PASSING}00")
    with Workplace(tmp_path / "x.index") as workplace:
        assert sorted(p.name for p in place.iterdir()) == [f"used{PASSING}00", "writer.lock"]
        with pytest.raises(IndexBusy):
            Workplace(tmp_path / "x.index")
        held.release()
        workplace.remove()
    assert list(tmp_path.iterdir()) == []
