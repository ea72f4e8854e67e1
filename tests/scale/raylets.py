"""Some `ray start` on this machine, on loopback, which stand for the nodes of a cluster."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

import aboutness

STORE = 100_000_000  # bytes of shared memory for each
PATIENCE_S = 180.0
LOOPBACK = """
import ray._private.services as services
services.resolve_ip_for_localhost = lambda host: host  # else Ray takes the address of the network, and listens to it
from ray.scripts.scripts import main
main()
"""
STARTED = "Ray runtime started"
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # else it depends on whether the user's home has a token
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else a warning at each start
    "RAY_health_check_initial_delay_ms": "1000",  # a lost node is noticed within some seconds, a slow one is not lost
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "20000",
    "RAY_health_check_failure_threshold": "4",
}


class Raylets:
    """The first is the head, which no test may kill; each has one core unless said. Use it as a context manager."""

    def __init__(self, count: int = 3, port: int | None = None, cores: int = 1) -> None:
        self.count = count
        self.cores = cores
        self.port = port or free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # a short path: it holds sockets
        self.nodes: list[subprocess.Popen[bytes] | None] = []
        self._started = 0

    def __enter__(self) -> Self:
        try:
            head = ["--head", f"--port={self.port}", "--include-dashboard=false"]
            self.nodes = [self._start(head)]
            self._wait()
            self.nodes += [None] * (self.count - 1)
            self.restore()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        for place in reversed(range(len(self.nodes))):
            self.kill(place)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self, place: int) -> None:
        """Kill a raylet and all its workers, as a power cut would."""
        node, self.nodes[place] = self.nodes[place], None
        if node is not None:
            while processes := of_session(node.pid):  # workers have process groups of their own
                for process in processes:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                node.poll()
                time.sleep(0.02)
            node.wait()

    def node_of(self, processes: list[int]) -> int:
        """A node that can be killed, on which some of these processes are: Ray decides which."""
        there = {place: of_session(self.nodes[place].pid) for place in range(1, self.count)}
        return max(there, key=lambda place: len({*there[place]} & {*processes}))

    def restore(self) -> None:
        """See that all nodes are there."""
        for place in range(1, self.count):
            if self.nodes[place] is None:
                self.nodes[place] = self._start([f"--address={self.address}"])
        self._wait()

    def _start(self, options: list[str]) -> subprocess.Popen[bytes]:
        folders = [
            Path(aboutness.__file__).parents[1],
            Path(__file__).parents[1],
            os.environ.get("PYTHONPATH", ""),
        ]
        self._started += 1
        own = self.folder / str(self._started)  # else two that start at once take the same names for sockets
        command = [sys.executable, "-c", LOOPBACK, "start", *options, "--block", f"--num-cpus={self.cores}",
                   "--node-ip-address=127.0.0.1", f"--object-store-memory={STORE}", f"--temp-dir={own}"]  # fmt: skip
        environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        environment |= {**SETTINGS, "PYTHONPATH": os.pathsep.join(str(folder) for folder in folders if folder)}
        with (self.folder / f"start-{self._started}.log").open("wb") as log:
            node = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        node.log = Path(log.name)
        return node

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE_S
        for node in self.nodes:
            while node is not None and STARTED not in (said := node.log.read_text(errors="replace")):
                if node.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"a raylet did not start:\n{said}")
                time.sleep(0.1)


def of_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for path in (path for path in Path("/proc").iterdir() if path.name.isdigit()):
        with contextlib.suppress(OSError):
            state, _, _, its_session, *_ = (path / "stat").read_text().rpartition(")")[2].split()
            found += [int(path.name)] if int(its_session) == session and state != "Z" else []
    return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
