from __future__ import annotations

import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.core.errors import StorageError
from aboutness.experiment import kept_runs
from aboutness.experiment.compare import KeptRun, compare_on
from aboutness.experiment.kept_runs import KeptRuns, StoredRun
from aboutness.rank.grammar import ranker
from experiment.drawn import DRAWN, RECORDS

RUN = {"q1": [("d1", 2.5), ("é 2", 0.10000000149011612)], "q2": [], "q3": [("d1", -1.0)]}
KEY = {"ranker": "bm25", "depth": 10}
ABOUT = {"seconds": 1.5, "unknown": {"q1": ["gone"]}}

scores = st.floats(width=32, allow_nan=False, allow_infinity=False)
rankings = st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), scores), max_size=5)
runs = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), rankings, max_size=5)


def test_what_is_kept_is_what_was_put(tmp_path):
    kept = KeptRuns(tmp_path / "cache")
    assert kept.get(KEY) is None
    kept.put(KEY, RUN, ABOUT)
    run, about = KeptRuns(tmp_path / "cache").get(dict(reversed(KEY.items())))
    assert (dict(run), about) == (RUN, ABOUT)
    assert list(run) == list(RUN)
    assert len(run) == 3
    assert "q4" not in run
    for other in ({**KEY, "depth": 11}, {"ranker": "bm25"}, {**KEY, "more": None}):
        assert kept.get(other) is None
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == [".run", ".txt"]


@given(run=runs)
def test_any_run(run, tmp_path_factory):
    kept = KeptRuns(tmp_path_factory.mktemp("cache"))
    kept.put(KEY, run, {})
    found = kept.get(KEY).run
    assert dict(found) == run
    assert list(found) == list(run)


def test_a_run_of_an_index_is_kept_as_any_other(tmp_path):
    rankers = [ranker("bm25"), ranker("bm25 % 3 >> ql")]
    for row in compare_on(Index.build(RECORDS).snapshot, DRAWN, rankers, ["AP"]).rows:
        for key, run in (({"of": str(row.ranker)}, row.run), ({"as": str(row.ranker)}, dict(row.run))):
            KeptRuns(tmp_path).put(key, run, {})
            found = KeptRuns(tmp_path).get(key).run
            assert dict(found) == dict(row.run)
            assert list(found) == list(row.run)
    nothing = KeptRun(Index.build([]).snapshot, {})
    KeptRuns(tmp_path).put({}, nothing, {})
    assert dict(KeptRuns(tmp_path).get({}).run) == {}


def test_the_rankings_of_a_stored_run_are_plain(tmp_path):
    KeptRuns(tmp_path).put(KEY, RUN, {})
    (document, score), *_ = KeptRuns(tmp_path).get(KEY).run["q1"]
    assert (type(document), type(score)) == (str, float)


def test_a_file_that_is_changed_anywhere_is_as_good_as_none(tmp_path):
    kept = KeptRuns(tmp_path)
    kept.put(KEY, RUN, ABOUT)
    (path,) = tmp_path.glob("*.run")
    whole = path.read_bytes()
    head = 8 + int.from_bytes(whole[:8], "little")
    chance = np.random.default_rng(1)
    for place in [*range(8), *chance.choice(head, 40), *range(head, len(whole))]:
        if whole[place] == ord(" "):
            continue  # padding
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(chance.integers(8))
        path.write_bytes(damaged)
        found = kept.get(KEY)
        assert found is None or (dict(found.run), found.about) == (RUN, ABOUT)
        assert found is None or place < head
    for length in [0, 1, 7, 8, head - 1, head, len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert kept.get(KEY) is None
    kept.put(KEY, RUN, ABOUT)
    assert kept.get(KEY).about == ABOUT


def test_a_file_under_another_name_is_not_taken(tmp_path):
    kept = KeptRuns(tmp_path)
    kept.put(KEY, RUN, ABOUT)
    (path,) = tmp_path.glob("*.run")
    kept.put({"other": 1}, {}, {})
    (other,) = set(tmp_path.glob("*.run")) - {path}
    path.replace(other)
    assert kept.get({"other": 1}) is None


def test_what_was_never_finished_is_removed_in_time(tmp_path):
    kept = KeptRuns(tmp_path)
    new, old = tmp_path / ".aa.run.1.22", tmp_path / ".bb.run.1.22"
    new.touch()
    old.touch()
    long_ago = time.time() - kept_runs.LEFT_OVER - 60
    os.utime(old, (long_ago, long_ago))
    kept.put(KEY, RUN, ABOUT)
    KeptRuns(tmp_path)
    assert new.exists()
    assert not old.exists()
    assert kept.get(KEY) is not None


def test_writing_that_fails_leaves_nothing(tmp_path, monkeypatch):
    kept = KeptRuns(tmp_path)

    def fail(path, arrays, *, durable):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept_runs, "write_arrays", fail)
    with pytest.raises(StorageError, match="No space left"):
        kept.put(KEY, RUN, ABOUT)
    assert [path.name for path in tmp_path.iterdir()] == ["about.txt"]


def test_a_place_that_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot make the folder"):
        KeptRuns(tmp_path / "file")


def test_a_stored_run_stays_when_its_file_is_gone(tmp_path):
    kept = KeptRuns(tmp_path)
    kept.put(KEY, RUN, ABOUT)
    run = kept.get(KEY).run
    for path in tmp_path.glob("*.run"):
        path.unlink()
    assert isinstance(run, StoredRun)
    assert dict(run) == RUN
