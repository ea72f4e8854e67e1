"""`python -m bench.scale [PART …] [--quick]`: what is measured beyond one machine, one part after the other.

A part is a module `bench.scale_PART` with results of its own, bench/results/scale_PART.{json,md}.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from bench.report import tell

FOLDER = Path(__file__).parent
PARTS = sorted(path.stem.removeprefix("scale_") for path in FOLDER.glob("scale_*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", choices=[[], *PARTS], help=f"some of {', '.join(PARTS)}"
    )
    parser.add_argument("--quick", action="store_true", help="small ones; nothing is written")
    options = parser.parse_args()
    failed = []
    for part in options.parts or PARTS:
        tell(part)
        command = [sys.executable, "-m", f"bench.scale_{part}", *(["--quick"] if options.quick else [])]
        failed += [part] if subprocess.run(command, cwd=FOLDER.parent, check=False).returncode else []
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
