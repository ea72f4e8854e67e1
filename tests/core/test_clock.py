from __future__ import annotations

from datetime import UTC, datetime, timedelta

from aboutness.core.clock import now


def test_the_time_is_told_to_the_second_and_where():
    before = datetime.now(UTC) - timedelta(seconds=1)
    told = datetime.fromisoformat(now())
    assert before <= told <= datetime.now(UTC)
    assert (told.utcoffset(), told.microsecond) == (timedelta(0), 0)
