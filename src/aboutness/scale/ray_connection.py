"""How a process comes to a Ray cluster, and says within seconds where there is none.

Left to itself Ray waits without an end for what does not answer as a cluster: a port of something else, or the
place of a cluster that has ended.
"""

from __future__ import annotations

import logging
import signal
import socket
import threading
from typing import Any

from aboutness.core.errors import Unreachable
from aboutness.scale.engine import ADDRESS, AUTO, LOCAL

log = logging.getLogger(__name__)

PATIENCE_S = 5.0  # for a connection
CLUSTER_S = 20.0  # for a first word of the cluster, which may be busy
LOOPBACK = "127.0.0.1"
ADVICE = "start one with: ray start --head, or use the address 'local'"


def connect(ray: Any, address: str, settings: dict[str, Any]) -> None:  # noqa: ANN401 - Ray's own types
    """Connect to a cluster, or start one of our own."""
    found = _of_this_machine(ray) if address == AUTO else address
    place = ADDRESS.fullmatch(found)
    if found == LOCAL or (place and place["host"] in (LOOPBACK, "localhost")):
        # Else Ray takes the address of the network instead, and what it starts listens there, to anybody.
        ray._private.ray_constants.ENABLE_RAY_CLUSTER = False  # noqa: SLF001 - there is no other way
    where = f"on this machine ({found})" if address == AUTO else f"at {address}"
    if place:
        _check_answers(ray, place["host"], place["port"], where)
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**settings)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise Unreachable(f"cannot use a Ray cluster {where}: {line(error)}; {ADVICE}") from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)  # Ray puts its own in the place of ours
    inside = ray._private.worker  # noqa: SLF001 - what Ray tells of lost nodes it would print among our data
    if hasattr(inside, "print_to_stdstream"):
        inside.print_to_stdstream = _log


def line(error: object) -> str:
    """Return the first line of what an error says."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _of_this_machine(ray: Any) -> str:  # noqa: ANN401
    """Return where the cluster is that Ray knows of here, whether it still answers or not."""
    try:
        services = ray._private.services  # noqa: SLF001 - nothing else tells it without waiting for an answer
        found: str = services.get_ray_address_from_environment(AUTO, None)
    except ConnectionError:
        raise Unreachable(f"no Ray cluster runs on this machine; {ADVICE}") from None
    return found


def _check_answers(ray: Any, host: str, port: str, where: str) -> None:  # noqa: ANN401
    """Raise where nobody listens at an address, or something else than the head of a cluster."""
    try:
        socket.create_connection((host, int(port)), PATIENCE_S).close()
    except (OSError, OverflowError) as error:
        raise Unreachable(f"no Ray cluster answers {where} ({error}); {ADVICE}") from None
    answered = threading.Event()

    def ask() -> None:
        try:
            ray._raylet.GcsClient(address=f"{host}:{port}")  # noqa: SLF001 - may wait for ever, so by a thread
        except ray.exceptions.RpcError:  # of what is no head
            return
        except ray.exceptions.RayError as error:  # a token that is missing: `ray.init` says it in full
            log.info("%s: %s", where, error)
        answered.set()

    asks = threading.Thread(target=ask, daemon=True)
    asks.start()
    asks.join(CLUSTER_S)
    if not answered.is_set():
        raise Unreachable(
            f"what listens {where} does not answer as the head of a Ray cluster does; its port is 6379 unless "
            "'ray start --head --port' says otherwise"
        )


def _log(data: dict[str, Any], *_: object, **__: object) -> None:
    log.info("%s", " ".join(map(str, data.get("lines", ()))))
