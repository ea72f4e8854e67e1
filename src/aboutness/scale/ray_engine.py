"""A Ray cluster as an engine. Only this module and `ray_connection` know Ray.

Ray starts our functions on nodes that have a core to spare, again where a worker or a node was lost (`RETRIES`
times), and makes actors again that were lost. Errors of ours come out as themselves.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from operator import itemgetter
from typing import Any, Generic, Self, TypeVar, cast

from aboutness.core.errors import Unreachable, UsageError
from aboutness.scale.engine import LOCAL, Actor, Answer, Answered, Holder
from aboutness.scale.ray_connection import LOOPBACK, PATIENCE_S, connect, line

Item = TypeVar("Item")
Result = TypeVar("Result")
Held = TypeVar("Held")

log = logging.getLogger(__name__)

RETRIES = 8  # a function that kills its worker is given up at last; errors that it raises are not tried again
RESTARTS = 100  # of an actor that a job waits for, so that it does not wait for one that can never be made
AHEAD = 2  # tasks handed out for each core, so that none waits for us
MOMENT_S = 0.5  # for which one waits without looking up
LOCAL_STORE = 200_000_000  # bytes for shared values, where we start a cluster ourselves


class RayEngine:
    """Calls functions as Ray tasks and holds objects as Ray actors, spread over the nodes."""

    def __init__(self, address: str) -> None:
        try:
            import ray
        except ImportError:
            raise UsageError("--ray needs Ray; install it with: pip install 'aboutness[ray]'") from None
        self._ray = ray
        self._temporary = ""
        self._actors: list[Any] = []
        self._lock = threading.Lock()
        self._use = _Use()
        self._connected = not ray.is_initialized()
        if self._connected:
            connect(ray, address, self._settings(address))
        if int(ray.cluster_resources().get("CPU", 0)) < 1:
            self.close()
            raise Unreachable(f"the Ray cluster at {address} has no node with a core for us; start one: ray start")

    def _settings(self, address: str) -> dict[str, Any]:
        """Return how to connect to a cluster, or how to start one of our own."""
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address != LOCAL:
            return {"address": address, **quiet}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._temporary = tempfile.mkdtemp(prefix="aboutness-ray-", dir="/tmp")  # a short path: it holds sockets
        own = {"_temp_dir": self._temporary, "_node_ip_address": LOOPBACK, "include_dashboard": False}
        return {"address": LOCAL, "object_store_memory": LOCAL_STORE, **own, **quiet}

    def map(
        self, function: Callable[..., Result], items: Iterable[Item], *shared: object
    ) -> Iterator[tuple[Item, Result]]:
        """Call `function(item, *shared)` for each item, wherever there is a free core; yield as they finish."""
        task = self._ray.remote(_call).options(max_retries=RETRIES, num_cpus=1, scheduling_strategy="SPREAD")
        called = self._ray.put(function)
        waiting = iter(items)
        running: dict[Any, Item] = {}
        while True:
            # Not all at once: where one fails, the others need no cancelling (in which Ray may crash).
            for item in islice(waiting, max(0, AHEAD * self._cores() - len(running))):
                running[task.remote(called, item, *shared)] = item
            if not running:
                return
            (ready, *_), _ = self._ray.wait(list(running), num_returns=1)
            item = running.pop(ready)
            yield item, _got(self._ray, ready, None)

    def _nodes(self) -> list[Any]:
        """Return for each node that has a core a wish to be there; Ray's own spreading may leave some empty."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as On

        there = [one for one in self._ray.nodes() if one["Alive"] and one["Resources"].get("CPU", 0) >= 1]
        return [On(one["NodeID"], soft=True) for one in sorted(there, key=itemgetter("NodeID"))] or ["SPREAD"]

    def _cores(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0)) or 1

    def share(self, value: Held) -> Held:
        """Put a value where all nodes can get it, once each."""
        with self._use:
            reference = self._ray.put(value)
        return cast("Held", reference)  # Ray puts the value in its place

    def actors(
        self, factory: Callable[[Item], Held], items: Sequence[Item], *, patient: bool = True, threads: int = 1
    ) -> list[Actor[Held]]:
        """Make an object for each item, by each node in turn; one that is lost is made again where there is room.

        They reserve no cores: more of them than there are cores must not wait for ever. They reserve a byte of
        memory: those that reserve nothing are put anywhere by Ray.
        """
        lives = {"max_restarts": RESTARTS, "max_task_retries": RETRIES} if patient else {"max_restarts": -1}
        made, options = self._ray.remote(Holder), {"max_concurrency": threads, "num_cpus": 0, "memory": 1, **lives}
        actors = [
            made.options(scheduling_strategy=where, **options).remote(factory, item)
            for item, where in zip(items, cycle(self._nodes()), strict=False)
        ]
        self._actors += actors
        return [_RayActor(self._ray, actor, self._use) for actor in actors]

    def release(self, actors: Iterable[Actor[Any]]) -> None:
        """End actors that nobody asks any more."""
        with self._lock:  # not while the cluster is left
            for one in actors:
                if isinstance(one, _RayActor) and one.actor in self._actors:
                    self._actors.remove(one.actor)
                    with contextlib.suppress(Exception):
                        self._ray.kill(one.actor)

    def close(self) -> None:
        """Let go of all actors; leave the cluster, or end it where we started it."""
        self._use.end()
        with self._lock:
            for actor in self._actors:
                with contextlib.suppress(Exception):
                    self._ray.kill(actor)
            self._actors = []
            if self._connected:
                self._ray.shutdown()
                self._connected = False
            if self._temporary:
                shutil.rmtree(self._temporary, ignore_errors=True)
        self._use.left()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _call(function: Callable[..., Result], *arguments: object) -> Result:
    """Call anything that can be called; Ray itself takes only functions that have a name."""
    return function(*arguments)


class _RayActor(Generic[Held]):
    def __init__(self, ray: Any, actor: Any, use: _Use) -> None:  # noqa: ANN401 - Ray's own types
        self.ray = ray
        self.actor = actor
        self.use = use

    def ask(self, method: str, *arguments: Any) -> Answer[Any]:  # noqa: ANN401
        try:
            with self.use:
                return _RayAnswer(self.ray, self.actor.ask.remote(method, *arguments), self.use)
        except Unreachable as error:
            return Answered(_raised, (error,))


class _RayAnswer:
    def __init__(self, ray: Any, reference: Any, use: _Use) -> None:  # noqa: ANN401
        self.ray = ray
        self.reference = reference
        self.use = use

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401
        end = math.inf if timeout is None else time.monotonic() + timeout
        while (left := end - time.monotonic()) > MOMENT_S:  # who waits long must see that the cluster is left
            with self.use:
                if self.ray.wait([self.reference], timeout=MOMENT_S)[0]:
                    return self._taken(None, timeout)
        with self.use:
            return self._taken(max(0.0, left), timeout)

    def _taken(self, left: float | None, timeout: float | None) -> Any:  # noqa: ANN401
        try:
            return _got(self.ray, self.reference, left, timeout)
        finally:
            self.reference = None  # forgotten while the cluster is in use: that, too, is a use


class _Use:
    """The use of a cluster by many threads: Ray ends a process that uses it while, or once, it is left."""

    def __init__(self) -> None:
        self._users = 0
        self._ended = False
        self._changed = threading.Condition()
        self._left = threading.Event()

    def __enter__(self) -> None:
        with self._changed:
            if not self._ended:
                self._users += 1
                return
        self._left.wait(PATIENCE_S)  # what the caller holds must not be forgotten before
        raise Unreachable("the Ray cluster has been left")

    def __exit__(self, *exc: object) -> None:
        with self._changed:
            self._users -= 1
            self._changed.notify_all()

    def end(self) -> None:
        """Let nobody begin any more, and wait for those who have."""
        with self._changed:
            self._ended = True
            self._changed.wait_for(lambda: not self._users, PATIENCE_S)

    def left(self) -> None:
        """Tell those who wait that the cluster has been left."""
        self._left.set()


def _got(ray: Any, reference: Any, left: float | None, timeout: float | None = None) -> Any:  # noqa: ANN401
    """Return a value; raise what the function raised, or `Unreachable` where Ray could not get it.

    So many seconds are `left` of the `timeout`.
    """
    try:
        return ray.get(reference, timeout=left)
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Exception) else error) from error
    except ray.exceptions.GetTimeoutError:
        raise Unreachable(f"the Ray cluster gave no answer within {timeout:g} s") from None
    except ray.exceptions.RayActorError as error:
        raise Unreachable(f"a worker of the Ray cluster is gone: {line(error)}") from None
    except ray.exceptions.RayError as error:
        raise Unreachable(f"the Ray cluster could not finish a task: {line(error)}") from None


def _raised(error: Exception) -> None:
    raise error
