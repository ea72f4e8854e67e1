"""SIGTERM under load: what had been asked for before is answered, and the server ends well."""

from __future__ import annotations

import random
import signal
import time

from server.pressing import LIVE, WORK, Limited, everything, statuses
from server.stopping import stopped_under_load, training_stopped


def test_a_signal_under_load_cuts_no_answer(index):
    for turn in range(2):
        found = stopped_under_load(index.path, random.Random(turn), clients=20)
        assert found.cut == 0
        assert found.unanswered == 0
        assert found.answered > 0
        assert found.code == 0, found.err
        assert found.err == ""
        assert found.seconds < 20


def test_an_answer_under_way_is_finished_and_who_asks_nothing_does_not_hold_it_up(index):
    with Limited(index.path, slow=1.0) as server, server.connect() as idle, server.connect() as asking:
        idle.sendall(b"GET /v1/li")
        server.ask(LIVE)
        asking.sendall(f"GET {WORK} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.2)
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        answered = everything(asking)
        assert statuses(answered) == [200]
        assert b"connection: close" in answered
        assert everything(idle) == b""
        server.process.wait(20)
        assert time.monotonic() - start < 15


def test_a_signal_at_the_first_moment_ends_it_as_well(index):
    with Limited(index.path):
        pass


def test_trainings_end_with_the_server(changing):
    code, left, err = training_stopped(changing.path)
    assert (code, left) == (0, []), err
