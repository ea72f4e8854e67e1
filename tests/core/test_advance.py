from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from aboutness.core.advance import begin, did, listening


def test_nobody_need_listen():
    begin("bytes", 3)
    did("bytes", 2)


def test_who_listens_is_told_until_the_block_ends():
    told = []
    with listening(lambda *one: told.append(one)):
        did("bytes", 1)  # of nothing that was begun
        begin("bytes", 3)
        did("bytes", 2)
        did("texts", 9)
        did("bytes", 2)  # more than there was to be
        begin("texts", 4)
        did("bytes", 1)
        did("texts")
    did("texts", 1)
    assert told == [("bytes", 0, 3), ("bytes", 2, 3), ("bytes", 3, 3), ("texts", 0, 4), ("texts", 1, 4)]


def test_threads_count_in_a_copy_of_the_context_alone():
    told = []
    with listening(lambda *one: told.append(one)), ThreadPoolExecutor(4) as pool:
        begin("bytes", 2_000)
        for made in [pool.submit(copy_context().run, did, "bytes", 1) for _ in range(1_000)]:
            made.result()
        pool.submit(did, "bytes", 1).result()
    assert [done for _, done, _ in told] == list(range(1_001))
