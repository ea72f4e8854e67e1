from __future__ import annotations

import os
import pathlib
import socket
import time
from functools import partial

import pytest

from aboutness.core.errors import BadRecord, Unreachable, UsageError
from aboutness.core.record import Origin
from aboutness.scale.engine import Here, engine_of
from scale.raylets import free_port, of_session


def halved(number: int, *added: int) -> int:
    if number % 2:
        raise BadRecord("odd", origin=Origin("numbers.txt", number), raw=b"\xff")
    return number // 2 + sum(added)


def broken(number: int) -> int:
    raise KeyError(number)


def killed_once(folder: str) -> int:
    """Kill this worker, unless that has happened before."""
    tries = pathlib.Path(folder) / f"{time.time_ns()}"
    tries.touch()
    count = len(list(tries.parent.iterdir()))
    if count == 1:
        os._exit(1)
    return count


class Counter:
    """Counts what it was asked, and says in which process."""

    def __init__(self, first: int) -> None:
        if first < 0:
            raise UsageError(f"must not be negative, got {first}")
        self.count = first

    def add(self, number: int) -> int:
        self.count += number
        return self.count

    def process(self) -> int:
        return os.getpid()

    def end(self) -> None:
        os._exit(1)

    def sleep(self) -> None:
        time.sleep(60)


@pytest.fixture(params=["here", "ray"])
def engine(request):
    address = request.getfixturevalue("cluster").address if request.param == "ray" else None
    with engine_of(address) as made:
        yield made


@pytest.fixture
def on_ray(cluster):
    with engine_of(cluster.address) as made:
        yield made


def test_map_yields_items_with_results(engine):
    assert dict(engine.map(halved, [2, 4, 6, 8])) == {2: 1, 4: 2, 6: 3, 8: 4}
    assert list(engine.map(halved, [])) == []


def test_anything_that_can_be_called_is(engine):
    assert dict(engine.map(len, ["a", "bb"])) == {"a": 1, "bb": 2}
    assert dict(engine.map(partial(halved, 2), [5])) == {5: 6}


def test_shared_values_arrive(engine):
    assert dict(engine.map(halved, [2, 4], engine.share(10), 100)) == {2: 111, 4: 112}


def test_an_error_of_ours_arrives_as_itself(engine):
    with pytest.raises(BadRecord, match=r"^numbers.txt:7: odd$") as caught:
        list(engine.map(halved, [7]))
    assert type(caught.value) is BadRecord
    assert (caught.value.problem, caught.value.origin, caught.value.raw) == (
        "odd",
        Origin("numbers.txt", 7),
        b"\xff",
    )


def test_another_error_arrives_as_itself(engine):
    with pytest.raises(KeyError, match="3"):
        list(engine.map(broken, [3]))


def test_actors_keep_what_they_hold(engine):
    first, second = engine.actors(Counter, [1, 10])
    answers = [first.ask("add", 1), second.ask("add", 1), first.ask("add", engine.share(5))]
    assert [answer.result() for answer in answers] == [2, 11, 7]


def test_an_actor_that_could_not_be_made_says_why(engine):
    (actor,) = engine.actors(Counter, [-1])
    with pytest.raises(UsageError, match="must not be negative, got -1"):
        actor.ask("add", 1).result()


def test_nothing_is_done_before_it_is_asked_for():
    done = []
    results = Here().map(done.append, [1, 2])
    assert not done
    next(results)
    assert done == [1]


def test_a_task_whose_worker_dies_is_done_again(on_ray, tmp_path):
    assert list(on_ray.map(killed_once, [str(tmp_path)])) == [(str(tmp_path), 2)]


def test_actors_and_tasks_run_elsewhere(on_ray):
    processes = {actor.ask("process").result() for actor in on_ray.actors(Counter, [0, 0, 0])}
    assert len(processes) == 3
    assert os.getpid() not in processes


def test_an_actor_that_dies_is_made_again(on_ray):
    (actor,) = on_ray.actors(Counter, [5], patient=False)
    assert actor.ask("add", 1).result() == 6
    with pytest.raises(Unreachable, match="a worker of the Ray cluster is gone"):
        actor.ask("end").result()
    end = time.monotonic() + 20
    while True:
        try:
            assert actor.ask("add", 1).result() == 6  # made again: it counts from the start
            break
        except Unreachable:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_each_node_has_as_many_actors_as_the_others(on_ray, cluster):
    processes = {actor.ask("process").result() for actor in on_ray.actors(Counter, [0] * 6)}
    assert [len(processes & {*of_session(node.pid)}) for node in cluster.nodes] == [2, 2, 2]


def test_what_always_kills_its_worker_is_given_up(on_ray, monkeypatch):
    monkeypatch.setattr("aboutness.scale.ray_engine.RETRIES", 1)
    (actor,) = on_ray.actors(Counter, [5])
    with pytest.raises(Unreachable, match="a worker of the Ray cluster is gone"):
        actor.ask("end").result(60)
    assert actor.ask("add", 1).result(60) == 6  # and others are answered


def test_an_actor_that_always_dies_while_it_is_made_is_given_up(on_ray, monkeypatch):
    monkeypatch.setattr("aboutness.scale.ray_engine.RESTARTS", 1)
    (actor,) = on_ray.actors(os._exit, [3])
    with pytest.raises(Unreachable, match="a worker of the Ray cluster is gone"):
        actor.ask("add", 1).result(60)


def test_who_waits_too_long_is_told(on_ray):
    (actor,) = on_ray.actors(Counter, [0])
    actor.ask("process").result()
    with pytest.raises(Unreachable, match=r"no answer within 0\.2 s"):
        actor.ask("sleep").result(0.2)


def test_a_node_that_is_lost_loses_nothing(cluster, capfd):
    with engine_of(cluster.address) as engine:
        actors = engine.actors(Counter, [0] * 6)
        before = [actor.ask("process").result() for actor in actors]
        cluster.kill(cluster.node_of(before))
        after = [actor.ask("process").result(30) for actor in actors]
        assert dict(engine.map(halved, range(0, 40, 2))) == {number: number // 2 for number in range(0, 40, 2)}
    assert len(set(after)) == 6
    assert set(before) != set(after)
    assert capfd.readouterr().out == ""  # where data go


@pytest.mark.parametrize("address", ["", "here", "127.0.0.1", "http://127.0.0.1:1", "a b:1"])
def test_an_address_must_look_like_one(address):
    with pytest.raises(UsageError, match=r"must be HOST:PORT, 'auto' .* 'local' .* got"):
        engine_of(address)


def test_where_nobody_listens(raylets):
    start = time.monotonic()
    with pytest.raises(Unreachable, match=r"no Ray cluster answers at 127\.0\.0\.1:\d+ .*ray start --head"):
        engine_of(f"127.0.0.1:{free_port()}")
    assert time.monotonic() - start < 10


def test_what_listens_but_is_no_cluster_is_told(raylets, monkeypatch):
    monkeypatch.setattr("aboutness.scale.ray_connection.CLUSTER_S", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = "127.0.0.1:{1}".format(*silent.getsockname())
        with pytest.raises(Unreachable, match=f"what listens at {address} does not answer as the head of a Ray"):
            engine_of(address)


def test_auto_finds_a_cluster_on_loopback(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    with engine_of("auto") as engine:
        assert dict(engine.map(halved, [2, 4])) == {2: 1, 4: 2}


def test_auto_does_not_wait_for_a_cluster_that_has_ended(raylets, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{free_port()}")
    with pytest.raises(Unreachable, match=r"no Ray cluster answers on this machine \(127\.0\.0\.1:\d+\)"):
        engine_of("auto")


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[ray\]'"):
        engine_of("local")


def test_the_cluster_listens_to_this_machine_alone(cluster):
    ours = {
        os.readlink(path)
        for node in cluster.nodes
        for process in of_session(node.pid)
        for path in sockets(process)
    }
    listening = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in pathlib.Path("/proc/net", name).read_text().splitlines()
    ]
    places = {row[1].partition(":")[0] for row in listening if row[3] == "0A" and f"socket:[{row[9]}]" in ours}
    assert places
    assert places <= {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, also as IPv6


def sockets(process: int) -> list[pathlib.Path]:
    try:
        return [path for path in pathlib.Path(f"/proc/{process}/fd").iterdir() if path.is_symlink()]
    except OSError:
        return []
