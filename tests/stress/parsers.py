"""Harmed files for every reader: refused with a message or read soundly, in bounded time; nothing else is ever raised.

`python -m tests.stress.parsers --count 200000 --seconds 300` goes round all sources until there were enough, or the
time is over. What fails is told with the seed that draws it again: `--first SEED --count 1`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from aboutness.core.errors import AboutnessError
from aboutness.corpus.files import LONGEST
from aboutness.corpus.read import read
from fuzz.contained import contained
from fuzz.edits import drawn, edited
from fuzz.forged import forged
from fuzz.sources import Source, outcome, passed, sources

SLOW_S = 5.0  # no file of some kB may take longer
MOST_TOLD = 10
ROOM = 3_000_000_000  # bytes for the longest line
RANDOM = 0.1  # of the files are no harmed sound ones, but bytes by chance


def harmed(source: Source, chance: random.Random, folder: Path) -> Path:
    """Write a source of which one file is harmed."""
    name = chance.choice(source.targets())
    if chance.random() < RANDOM:
        content = chance.randbytes(chance.randrange(200))
    else:
        content = edited(source.files[name], drawn(chance))
    return source.written(folder, {name: content})


def worst_lines(folder: Path) -> list[str]:
    """Read the longest line of JSON that is allowed, made of what takes the most memory; return what failed."""
    failures = []
    for fill in (b"[],", b"{},", b'"",'):
        path = folder / "a.jsonl"
        content = fill * ((LONGEST - 100) // len(fill))
        path.write_bytes(b'{"id": "1", "text": "a", "m": [' + content + b"0]}\n")
        came = contained(lambda path=path: sum(1 for _ in read(path, on_bad=passed)), room=ROOM, patience=300)
        if came != 1 and not isinstance(came, AboutnessError):
            failures.append(f"a line of {LONGEST:,} bytes of {fill!r}: {came!r}")
    return failures


def main() -> int:
    """Run until it is over, print the figures as a line of JSON, and return 1 where something failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    known = [one for name, one in sources().items() if given.only in name]
    start, counts, slowest, done = time.monotonic(), Counter[str](), 0.0, 0
    failures: list[str] = []
    with TemporaryDirectory() as place:
        failures += worst_lines(Path(place)) if given.count > 1 else []
        for seed in range(given.first, given.first + given.count):
            if time.monotonic() - start > given.seconds:
                break
            source, chance = known[seed % len(known)], random.Random(seed)
            with TemporaryDirectory(dir=place) as folder:
                made = forged if source.name == "index" and seed % 2 else harmed
                path = made(source, chance, Path(folder))
                began = time.monotonic()
                try:
                    counts[outcome(source, path)] += 1
                except Exception:
                    failures.append(f"{source.name}, seed {seed}:\n{traceback.format_exc(limit=-6)}")
                took = time.monotonic() - began
            slowest, done = max(slowest, took), done + 1
            if took > SLOW_S:
                failures.append(f"{source.name}, seed {seed}: took {took:.1f} s")
            if len(failures) == MOST_TOLD:
                break
    sys.stderr.write("".join(f"{one}\n" for one in failures))
    figures = {
        "sources": len(known), "files": done, **counts, "failures": failures,
        "slowest_s": round(slowest, 2), "seconds": round(time.monotonic() - start, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip
    sys.stdout.write(json.dumps(figures) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
