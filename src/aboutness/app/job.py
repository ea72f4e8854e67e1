"""Long work on an index in a process of its own: `python -m aboutness.app.job`.

The first line of standard input is the work, as JSON. Standard output has a JSON object on each line: how far it
is, and at last what came of it. Standard input is then held open by whoever wants the work done; where it ends,
also because that process was killed, the work is interrupted.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from aboutness.app.index import Index, check_folder
from aboutness.app.outcome import outcome
from aboutness.app.training import has_checkpoint
from aboutness.core.errors import AboutnessError, DamagedIndex, IndexBusy
from aboutness.core.finite import finite
from aboutness.vectors.trainer import Made, Progress
from aboutness.vectors.words import WordVectors

CHECK = "check"  # the one kind of work that is no training: a deep check
GRACE = 5.0  # seconds that an interrupted work has to end by itself
TOLD_EVERY = 0.2  # seconds
NICER = 10  # whoever asks for a search comes first
TRIES = 20  # to keep what was trained, one a second, while another process writes to the index

Say = Callable[[Mapping[str, Any]], None]


def main() -> int:
    """Do the work that standard input names; return the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who is started in the background ignores it else
    lines = os.dup(1)
    os.dup2(2, 1)  # what libraries print is none of our lines

    def say(fact: Mapping[str, Any]) -> None:
        with suppress(BrokenPipeError):  # nobody listens: standard input has ended as well
            os.write(lines, json.dumps(fact).encode() + b"\n")

    line = _first_line()
    if not line:  # whoever wanted something is gone
        return 0
    return _done(json.loads(line), say)


def _done(work: Mapping[str, Any], say: Say) -> int:
    try:
        threading.Thread(target=_end_with_input, daemon=True).start()
        os.nice(NICER)
        say({"done": _checked(work) if work["kind"] == CHECK else _trained(work, say)})
    except KeyboardInterrupt as error:
        say({"cancelled": str(error) or _left_behind(work)})
        return outcome(error).exit_code
    except AboutnessError as error:
        say({"failed": str(error)})
        return outcome(error).exit_code
    except MemoryError:
        say({"failed": "there is not enough memory; choose fewer dimensions (dim), or a smaller collection"})
        return 1
    return 0


def _first_line() -> bytes:
    """Read a line and nothing after it; no buffer of Python's holds standard input, which a thread waits for."""
    line = bytearray()
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return bytes(line)


def _end_with_input() -> None:
    """Interrupt the work when standard input ends, and end it in any case a little later."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(GRACE)
    os._exit(130)


def _left_behind(work: Mapping[str, Any]) -> str:
    """Return what an interrupted work leaves."""
    unchanged = "cancelled; the index is unchanged"
    if work["kind"] == CHECK or not has_checkpoint(work["path"], work["name"]):
        return unchanged
    return f"{unchanged}. Started again with the same settings, the training goes on where it was"


def _checked(work: Mapping[str, Any]) -> str:
    report = check_folder(work["path"], deep=True)
    if not report.ok:
        raise DamagedIndex("; ".join(report.problems))
    return f"sound: {report.documents:,} documents, {report.files} files, every byte compared"


def _trained(work: Mapping[str, Any], say: Say) -> str:
    index = Index.open(work["path"])
    name = work["name"]
    told = [-math.inf]

    def tell(progress: Progress) -> None:
        now = time.monotonic()
        if now - told[0] >= TOLD_EVERY:
            told[0] = now
            share = progress.done / progress.total if progress.total else 0.0
            say({"progress": min(1.0, share), "seconds_left": finite(progress.seconds_left)})

    restart = bool(work.get("restart"))
    for left in reversed(range(TRIES)):
        try:
            made = index.train(
                work["kind"], name=name, layer=work.get("layer"), fields=work.get("fields"),
                threads=work.get("threads"), restart=restart, progress=tell,
                **work["parameters"],
            )  # fmt: skip
            break
        except IndexBusy:  # what was trained is in the checkpoint, from which the next turn takes it
            if not left or not has_checkpoint(index.path, name):
                raise
            restart = False
            say({"progress": 1.0, "seconds_left": None, "message": "waiting for another writer"})
            time.sleep(1)
    return _in_words(made, name)


def _in_words(made: Made, name: str) -> str:
    if isinstance(made, WordVectors):
        return f"{name}: {len(made):,} words x {made.dim}"
    return f"{name}: {len(made):,} documents x {made.dim}"


if __name__ == "__main__":
    sys.exit(main())
