"""The long versions of the tests of reliability: `python -m tests.stress.NAME --count N --seconds S`.

Each is bounded in count and time, prints one line of JSON with its figures, and exits with 1 where it finds failures.
"""

import sys
from pathlib import Path

TESTS = str(Path(__file__).parents[1])
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)
