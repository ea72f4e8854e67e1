"""An actor in several copies: whichever answers will do; one that does not is left alone until it is back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from aboutness.core.errors import DamagedIndex, StorageError, Unreachable
from aboutness.scale.engine import Actor, Answer

log = logging.getLogger(__name__)

CANNOT = (Unreachable, DamagedIndex, StorageError)  # no fault of who asks: another copy may answer
PAUSE_S = 0.5  # before one that does not answer is asked again whether it is back
PATIENCE_S = 600.0  # for one that is making itself ready

Ready = Callable[[Actor[Any]], None]


class Copy:
    """One of several equal actors. While it does not answer, only a thread of its own asks whether it is back."""

    def __init__(self, name: str, actor: Actor[Any], ready: Ready) -> None:
        self.name = name
        self.actor = actor
        self.up = True
        self._ready = ready
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def failed(self, error: Exception) -> None:
        """Leave it alone, and have it asked whether it is back."""
        with self._lock:
            if not self.up or self._closed.is_set():
                return
            self.up = False
        log.warning("%s does not answer: %s", self.name, error)
        threading.Thread(target=self._come_back, name=self.name, daemon=True).start()

    def _come_back(self) -> None:
        why = ""
        while not self._closed.wait(PAUSE_S):
            try:
                self._ready(self.actor)
            except Exception as error:  # whatever it is, it may have another cause next time
                if str(error) != why:
                    why = str(error)
                    log.info("%s is not ready: %s", self.name, why)
            else:
                self.up = True
                log.warning("%s answers again", self.name)
                return

    def close(self) -> None:
        """Ask no more whether it is back."""
        self._closed.set()


class Replicas:
    """The copies of one actor, as one actor: they take turns, and for one that does not answer another one does.

    What `everywhere` names is asked of all of them, so that each can do what is asked next.
    """

    def __init__(self, copies: Sequence[Copy], everywhere: Sequence[str] = ()) -> None:
        self.copies = copies
        self.everywhere = everywhere
        self._turn = 0

    @property
    def up(self) -> bool:
        """Tell whether one of them answers, as far as is known."""
        return any(copy.up for copy in self.copies)

    def ask(self, method: str, *arguments: Any) -> Answer[Any]:  # noqa: ANN401 - the method decides
        """Call a method of one of them, or of all; return at once."""
        self._turn += 1
        there = [copy for copy in self.copies if copy.up]
        first = self._turn % max(1, len(there))
        if method in self.everywhere:
            return _OfAll([_Sent(copy, method, arguments) for copy in there])
        return _OfOne(there[first:] + there[:first], method, arguments)

    def look(self) -> list[Answer[Any]]:
        """Ask all that answered up to now whether they still do; wait for what is returned."""
        return [_Sent(copy, "ready", ()) for copy in self.copies if copy.up]

    def close(self) -> None:
        """Ask nobody any more."""
        for copy in self.copies:
            copy.close()


class _Sent:
    """What one copy will have answered; if it does not, that is noted."""

    def __init__(self, copy: Copy, method: str, arguments: Sequence[Any]) -> None:
        self.copy = copy
        self.at = time.monotonic()
        self.answer = copy.actor.ask(method, *arguments)

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401
        """Wait until so many seconds have passed since it was asked."""
        try:
            left = None if timeout is None else max(0.0, self.at + timeout - time.monotonic())
            return self.answer.result(left)
        except CANNOT as error:
            self.copy.failed(error)
            raise Unreachable(f"{self.copy.name} does not answer") from error


class _OfOne:
    """The answer of the first copy that gives one."""

    def __init__(self, copies: Sequence[Copy], method: str, arguments: Sequence[Any]) -> None:
        self.copies = list(copies)
        self.method = method
        self.arguments = arguments
        self.sent = self._next()

    def _next(self) -> _Sent | None:
        return _Sent(self.copies.pop(0), self.method, self.arguments) if self.copies else None

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401
        """Wait; each copy has the same part of the time."""
        part = None if timeout is None else timeout / (1 + len(self.copies))
        while self.sent is not None:
            try:
                return self.sent.result(part)
            except Unreachable:
                self.sent = self._next()
        raise Unreachable("no copy answers")


class _OfAll:
    """The answer of the last of all copies that give one."""

    def __init__(self, sent: Sequence[_Sent]) -> None:
        self.sent = sent

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401
        answers = []
        for one in self.sent:
            try:
                answers.append(one.result(timeout))
            except Unreachable:
                continue
        if not answers:
            raise Unreachable("no copy answers")
        return answers[-1]
