from __future__ import annotations

import os

import pytest

from aboutness.core.errors import UsageError
from aboutness.core.threads import MOST, checked_threads


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", MOST + 1])
def test_threads_are_a_whole_number(threads):
    with pytest.raises(UsageError, match="threads must be a whole number from 1 to 1024"):
        checked_threads(threads)


def test_all_cores_work_unless_said():
    assert checked_threads(None) == len(os.sched_getaffinity(0))
    assert checked_threads(3) == 3
