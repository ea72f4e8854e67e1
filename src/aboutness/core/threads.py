"""How many threads work on something."""

from __future__ import annotations

import os

from aboutness.core.errors import UsageError, shown

MOST = 1024


def checked_threads(threads: object) -> int:
    """Return how many threads to use: as many as there are cores for this process, unless said."""
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return min(MOST, cores or 1)
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST:
        raise UsageError(f"threads must be a whole number from 1 to {MOST}, got {shown(threads)}")
    return threads
