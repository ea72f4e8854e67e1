"""SIGTERM under load, again and again: no answer is cut, what was sent before is answered, and the server ends well.

python -m tests.stress.shutdown --count 50 --seconds 600
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from server.served import sky_index
from server.stopping import stopped_under_load, training_stopped

TRAINED_EVERY = 10  # rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, start, rounds, trained, failures = random.Random(given.seed), time.monotonic(), [], 0, []
    with tempfile.TemporaryDirectory() as folder:
        index = sky_index(Path(folder) / "sky.index")
        while len(rounds) < given.count and time.monotonic() - start < given.seconds:
            found = stopped_under_load(index.path, chance, clients=chance.choice([1, 8, 40]))
            rounds.append(found)
            if found.cut or found.unanswered or found.code or found.err:
                failures.append(str(found))
            if len(rounds) % TRAINED_EVERY == 0:
                code, left, err = training_stopped(index.path)
                trained += 1
                if code or left or err:
                    failures.append(f"training: {code} {left} {err}")
    figures = {
        "rounds": len(rounds),
        "answered": sum(one.answered for one in rounds),
        "cut": sum(one.cut for one in rounds),
        "sent_before_and_unanswered": sum(one.unanswered for one in rounds),
        "sent_after_and_unanswered": sum(one.later for one in rounds),
        "slowest_end_s": round(max(one.seconds for one in rounds), 2),
        "with_training": trained,
        "failures": failures,
        "seconds": round(time.monotonic() - start),
    }
    sys.stdout.write(f"{json.dumps(figures)}\n")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
