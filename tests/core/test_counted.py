from __future__ import annotations

from aboutness.core.counted import counted


def test_counts():
    assert [counted(number, "query", "queries") for number in (0, 1, 2000)] == [
        "0 queries",
        "1 query",
        "2,000 queries",
    ]
    assert counted(2, "ranker") == "2 rankers"
