"""Who calls our functions over shards: this process, or a Ray cluster. What they return is the same.

The functions are pure: what they are given and what lies on the disk decides what they return, so that an engine
may call one again, elsewhere, where a machine was lost. An engine places, retries and moves; nothing here does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

from aboutness.core.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")
Held = TypeVar("Held")
Result_co = TypeVar("Result_co", covariant=True)
Held_co = TypeVar("Held_co", covariant=True)

ADDRESS = re.compile(r"(?P<host>[^\s:/]+):(?P<port>[0-9]{1,5})")
LOCAL, AUTO = "local", "auto"


class Answer(Protocol[Result_co]):
    """What an actor will have answered."""

    def result(self, timeout: float | None = None) -> Result_co:
        """Wait for the answer, at most `timeout` seconds.

        Errors of the method are raised as themselves. `Unreachable` is raised where the actor is gone, for now or
        for good, and where the time is over.
        """


class Actor(Protocol[Held_co]):
    """An object that lives with an engine, made once and asked often: an opened shard."""

    def ask(self, method: str, *arguments: Any) -> Answer[Any]:  # noqa: ANN401 - the method decides
        """Call a method of the object; return at once."""


class Engine(Protocol):
    """Calls functions and holds objects. Use it as a context manager, so that it lets go of what it holds."""

    def map(
        self, function: Callable[..., Result], items: Iterable[Item], *shared: object
    ) -> Iterator[tuple[Item, Result]]:
        """Call `function(item, *shared)` for each item; yield items with their results as these come.

        Errors that a function raises are raised here as themselves; what has not begun by then is given up.
        """

    def share(self, value: Held) -> Held:
        """Return what stands for a large value in `shared` and in arguments of `ask`: it is sent only once."""

    def actors(
        self, factory: Callable[[Item], Held], items: Sequence[Item], *, patient: bool = True, threads: int = 1
    ) -> list[Actor[Held]]:
        """Make an object for each item, by `factory(item)`; one that is lost is made again in the same way.

        Neighbours are on different machines, as long as there are enough and none was lost.
        Who asks one that is being made again waits for it or, not `patient`, is told that it is `Unreachable`. As
        many calls as there are `threads` may be under way at once.
        Errors of the factory are raised when the object is asked for something.
        """

    def release(self, actors: Iterable[Actor[Any]]) -> None:
        """Let go of actors that nobody asks any more."""

    def close(self) -> None:
        """Let go of all actors and shared values."""

    def __enter__(self) -> Self:
        """Return the engine."""

    def __exit__(self, *exc: object) -> None:
        """Close the engine."""


class Here:
    """This process: one call after the other, when it is asked for."""

    def map(
        self, function: Callable[..., Result], items: Iterable[Item], *shared: object
    ) -> Iterator[tuple[Item, Result]]:
        """Call `function(item, *shared)` for one item after the other."""
        for item in items:
            yield item, function(item, *shared)

    def share(self, value: Held) -> Held:
        """Return the value itself."""
        return value

    def actors(
        self,
        factory: Callable[[Item], Held],
        items: Sequence[Item],
        *,
        patient: bool = True,  # noqa: ARG002 - nothing is lost here
        threads: int = 1,  # noqa: ARG002 - those that ask
    ) -> list[Actor[Held]]:
        """Make an object for each item."""
        return [_HereActor(Holder(factory, item)) for item in items]

    def release(self, actors: Iterable[Actor[Any]]) -> None:
        """Do nothing: they go with the last who holds them."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Holder:
    """Holds an object where it was made; one that could not be made says why whenever it is asked."""

    def __init__(self, factory: Callable[[Any], Any], item: Any) -> None:  # noqa: ANN401
        self.error: Exception | None = None
        try:
            self.held = factory(item)
        except Exception as error:  # raised again by `ask`
            self.error = error

    def ask(self, method: str, *arguments: Any) -> Any:  # noqa: ANN401
        """Call a method of the object."""
        if self.error is not None:
            raise self.error
        return getattr(self.held, method)(*arguments)


class _HereActor(Generic[Held]):
    def __init__(self, holder: Holder) -> None:
        self.holder = holder

    def ask(self, method: str, *arguments: Any) -> Answer[Any]:  # noqa: ANN401
        return Answered(self.holder.ask, (method, *arguments))


class Answered:
    """An answer that is there already, or the error that came instead, raised when it is asked for."""

    def __init__(self, method: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self.error: Exception | None = None
        try:
            self.value = method(*arguments)
        except Exception as error:  # raised again by `result`
            self.error = error

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401, ARG002 - it is there
        """Return the answer, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def engine_of(address: str | None) -> Engine:
    """Return this process (None), or a Ray cluster: HOST:PORT, `auto` or, for one just now and here, `local`."""
    if address is None:
        return Here()
    if address not in (LOCAL, AUTO) and not ADDRESS.fullmatch(address):
        raise UsageError(
            f"the address of a Ray cluster must be HOST:PORT, 'auto' for the one that runs on this machine, or "
            f"'local' for one that is started for this command, got {address!r}"
        )
    from aboutness.scale.ray_engine import RayEngine

    return RayEngine(address)
