"""What the server has done, counted, in Prometheus' text form."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TypeAlias

Gauges: TypeAlias = dict[str, list[tuple[dict[str, str], float]]]  # by name: labels with values

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)


class Metrics:
    """Requests by route and status, and how long they took. Only the event loop's thread counts."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.sums: Counter[str] = Counter()
        self.at_work = 0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[method, route, status] += 1
        self.seconds[route][bisect_left(BOUNDS, seconds)] += 1
        self.sums[route] += seconds  # type: ignore[assignment]

    def text(self, gauges: Gauges) -> str:
        """Return all counts, and what is measured now: for each name labels with values."""
        return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Gauges) -> Iterator[str]:
        name = "aboutness_http_requests_total"
        yield f"# HELP {name} Requests answered."
        yield f"# TYPE {name} counter"
        for (method, route, status), count in sorted(self.requests.items()):
            yield f"{name}{_labels(method=method, route=route, status=str(status))} {count}"
        name = "aboutness_http_request_seconds"
        yield f"# HELP {name} Time from a request to the end of its answer."
        yield f"# TYPE {name} histogram"
        for route, counts in sorted(self.seconds.items()):
            total = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                total += count
                yield f"{name}_bucket{_labels(route=route, le=bound)} {total}"
            yield f"{name}_sum{_labels(route=route)} {self.sums[route]:.6f}"
            yield f"{name}_count{_labels(route=route)} {total}"
        for name, values in gauges.items():
            yield f"# TYPE {name} gauge"
            for labels, value in values:
                yield f"{name}{_labels(**labels)} {value:.15g}"  # all digits of a count


def _labels(**labels: str) -> str:
    """Return labels as Prometheus writes them.

    >>> _labels(index='a "b"')
    '{index="a \\\\"b\\\\""}'
    """
    if not labels:
        return ""
    escaped = (
        (name, text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, text in labels.items()
    )
    return "{" + ",".join(f'{name}="{text}"' for name, text in escaped) + "}"
