"""Jobs: long work on indexes that others go on reading, each in a process of its own (`aboutness.app.job`).

The processes are started anew, never forked, because compiled kernels with threads do not survive a fork. They
end with the process that started them, however that ends.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from aboutness.app.inventory import without_folder
from aboutness.app.job import CHECK, GRACE
from aboutness.app.training import checked_name, free_name, trainer
from aboutness.core.clock import now
from aboutness.core.errors import AboutnessError, IndexBusy, NotFound, UsageError, shown
from aboutness.vectors.trainer import DocumentTrainer
from aboutness.vectors.words import WordVectors

if TYPE_CHECKING:
    from aboutness.app.index import Index

COMMAND = (sys.executable, "-P", "-m", "aboutness.app.job")
AT_ONCE = 2  # processes; each takes all cores that are free
MOST_WAITING = 8
MOST_ENDED = 50  # that are remembered

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
ENDED = (DONE, FAILED, CANCELLED)


@dataclass
class Job:
    """Some work on an index, and how far it is."""

    id: str
    index_name: str
    index: Index = field(repr=False)
    kind: str
    name: str | None  # under which its result is kept
    parameters: Mapping[str, Any]
    work: Mapping[str, Any] = field(repr=False)  # as the process gets it
    state: str = QUEUED
    progress: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    created: str = ""
    started: str | None = None
    ended: str | None = None
    cancelling: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    over: threading.Event = field(default_factory=threading.Event, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the job in plain values."""
        names = (
            "id",
            "kind",
            "name",
            "state",
            "progress",
            "seconds_left",
            "message",
            "created",
            "started",
            "ended",
        )
        return {"index": self.index_name, "parameters": dict(self.parameters)} | {
            name: getattr(self, name) for name in names
        }


class Jobs:
    """The jobs of this process: one at a time for each index, few at once, and few that wait."""

    def __init__(
        self,
        changed: Callable[[str], object] | None = None,
        *,
        at_once: int = AT_ONCE,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """`changed` is told the name of an index that has a new generation, which is being read already."""
        self._changed = changed
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._jobs: dict[str, Job] = {}  # in the order in which they came
        self._count = 0
        self._closed = False
        self._lock = threading.RLock()

    # --- what one can ask for ----------------------------------------------------------------------------

    def start(
        self,
        index: Index,
        index_name: str,
        kind: str,
        *,
        name: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        layer: str | None = None,
        fields: Mapping[str, float] | Sequence[str] | None = None,
        threads: int | None = None,
        restart: bool = False,
    ) -> Job:
        """Queue a training, or the deep check of an index (`check`); raise where it cannot be done."""
        given = dict(parameters or {})
        if index.in_memory:
            raise UsageError(
                f"{index_name} is in memory only; make an index on disk (aboutness index) to run jobs"
            )
        kept_as = _name_of(index, kind, name, given)
        if layer is not None or fields is not None:
            index.view(layer, fields)  # raises where there is none
        work = {
            "path": str(index.path.absolute()), "kind": kind, "name": kept_as, "parameters": given,
            "layer": layer, "fields": fields, "threads": threads, "restart": restart,
        }  # fmt: skip
        with self._lock:
            self._check_room(index_name, kind, kept_as)
            self._count += 1
            job = Job(str(self._count), index_name, index, kind, kept_as, given, work, created=now())
            self._jobs[job.id] = job
            self._forget()
            self._start_next()
        return job

    def all(self) -> list[Job]:
        """Return the jobs, the newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def one(self, identifier: str) -> Job:
        """Return a job by its id."""
        with self._lock:
            if identifier not in self._jobs:
                known = ", ".join(self._jobs) or "none yet"
                raise NotFound(f"there is no job {shown(identifier)}. There are: {known}")
            return self._jobs[identifier]

    def cancel(self, identifier: str) -> Job:
        """End a job, and return it when it has ended; one that has ended already stays as it is."""
        job = self.one(identifier)
        with self._lock:
            if job.state == QUEUED:
                self._end(job, CANCELLED, "cancelled before it began")
            elif job.state == RUNNING:
                job.cancelling, job.message = True, "being cancelled"
                _interrupt(job)
        if not job.over.wait(GRACE + 2) and job.process is not None:
            job.process.kill()
            job.over.wait(GRACE)
        return job

    def close(self) -> None:
        """End all jobs."""
        with self._lock:
            self._closed = True
            waiting = [job for job in self._jobs.values() if job.state not in ENDED]
            for job in waiting:  # all at once; then wait for one after the other
                job.cancelling = True
                _interrupt(job)
        for job in reversed(waiting):
            self.cancel(job.id)

    # --- how they are run --------------------------------------------------------------------------------

    def _check_room(self, index_name: str, kind: str, name: str | None) -> None:
        if self._closed:
            raise IndexBusy("the server is ending and starts no further job")
        open_ = [job for job in self._jobs.values() if job.state not in ENDED]
        for job in open_:
            if (job.index_name, job.name, job.kind == CHECK) == (index_name, name, kind == CHECK):
                what = "check" if kind == CHECK else f"training of {name}"
                raise IndexBusy(
                    f"a {what} in {index_name} is {job.state} already (job {job.id}); wait for it, or cancel it"
                )
        busy = {job.index_name for job in open_ if job.state == RUNNING}
        waits = index_name in busy or len(busy) >= self._at_once
        if waits and sum(job.state == QUEUED for job in open_) >= self._most_waiting:
            raise IndexBusy(f"{self._most_waiting} jobs wait already, which is the most; wait, or cancel one")

    def _start_next(self) -> None:
        """Start those jobs that need not wait any longer."""
        running = [job for job in self._jobs.values() if job.state == RUNNING]
        busy = {job.index_name for job in running}
        for job in list(self._jobs.values()):
            if self._closed or len(busy) >= self._at_once:
                return
            if job.state == QUEUED and job.index_name not in busy:
                busy.add(job.index_name)
                job.state, job.started = RUNNING, now()
                threading.Thread(target=self._run, args=(job,), name=f"job-{job.id}", daemon=True).start()

    def _run(self, job: Job) -> None:
        """Run a job in a process of its own, to its end."""
        state, message = FAILED, ""
        try:
            state, message = self._done_by_process(job)
            if job.kind != CHECK and job.index.refresh(ready=True) and self._changed is not None:
                self._changed(job.index_name)
        except (AboutnessError, OSError) as error:
            message = message or f"the process could not be run: {error}"
        finally:
            with self._lock:
                self._end(job, state, without_folder(message, job.index, job.index_name))

    def _done_by_process(self, job: Job) -> tuple[str, str]:
        """Return how a job ended, and what is to be said of it."""
        end: tuple[str, str] | None = None
        with self._lock:
            process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own
            assert process.stdin and process.stdout
            job.process = process
            _send(process.stdin, job.work)
            if job.cancelling:
                _interrupt(job)
        with process.stdout:
            for line in process.stdout:
                fact = json.loads(line)
                end = _ending(fact) or end
                if not end:
                    self._note(job, fact)
        code = process.wait()
        _interrupt(job)  # closes what is left of its pipe
        if end:
            return end
        if job.cancelling:
            return CANCELLED, "cancelled; the index is unchanged"
        return FAILED, f"the process ended by itself, with code {code}; is there enough memory?"

    def _note(self, job: Job, fact: Mapping[str, Any]) -> None:
        with self._lock:
            job.progress = max(job.progress, float(fact["progress"]))
            job.seconds_left = fact["seconds_left"]
            if not job.cancelling:
                job.message = fact.get("message", "")

    def _end(self, job: Job, state: str, message: str) -> None:
        job.state, job.message, job.ended, job.seconds_left = state, message, now(), None
        if state == DONE:
            job.progress = 1.0
        job.over.set()
        self._start_next()

    def _forget(self) -> None:
        """Forget the oldest of the jobs that have ended, where these are many."""
        ended = [job.id for job in self._jobs.values() if job.state in ENDED]
        for identifier in ended[: max(0, len(ended) - MOST_ENDED)]:
            del self._jobs[identifier]


def _name_of(index: Index, kind: str, name: str | None, parameters: Mapping[str, Any]) -> str | None:
    """Return the name under which the result will be kept; raise where the work cannot be done."""
    if kind == CHECK:
        if name is not None or parameters:
            raise UsageError("a check has neither a name nor parameters")
        return None
    how = trainer(kind, parameters)
    made = how.space.kind if isinstance(how, DocumentTrainer) else WordVectors.kind
    return free_name(index, checked_name(name or how.name), made)


def _ending(fact: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how the process says that it ended, if it says so."""
    if "cancelled" in fact:
        return CANCELLED, fact["cancelled"]
    return next(((state, fact[state]) for state in (DONE, FAILED) if state in fact), None)


def _send(pipe: IO[bytes], work: Mapping[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # it has ended already, which is told elsewhere
        pipe.write(json.dumps(work).encode() + b"\n")
        pipe.flush()


def _interrupt(job: Job) -> None:
    """Have the process interrupted: its standard input ends."""
    if job.process is not None and job.process.stdin is not None:
        with contextlib.suppress(OSError):
            job.process.stdin.close()
