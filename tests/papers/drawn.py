"""A paper of the tests' own: two rankers that are not run, and every kind of thing that a report holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from aboutness.papers.paper import Paper, Work
from aboutness.report.study import Claim, Drawing, Part, Passage, Replaced, Sheet, Study, Value, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOSTILE = '<script>alert("x")</script> | **&amp;**'


def figure() -> Figure:
    from aboutness.report.figures.curves import precision_recall

    return precision_recall({"a": [0.5, 0.25], "b": [0.75, 0.5]}, (0.0, 1.0))


def study(best: float = 0.5, verdict: Verdict = Verdict.HOLDS) -> Study:
    rows = {
        "a": [Value(best, 0.48, 0.1, 0.2, "*", "*+", best=True), Value(12.5), "yes"],
        f"b {HOSTILE}": [Value(said="cannot be tested here", paper=0.3), Value(-0.25), "no"],
        "c": [Value(0.25, paper_said="did not finish"), Value(), HOSTILE],
    }
    made = Work(used={"planted": {"queries": 3}}).made({"dim": 7})
    return Study(
        "tested1999",
        "A. Nobody, Nothing of note, 1999",
        f"Nothing was done {HOSTILE}.",
        [
            Claim("a is best", "abstract", verdict, f"a has {best:g}."),
            Claim(f"b is odd {HOSTILE}", "section 2", Verdict.FAILS, "It is even."),
            Claim("c is c", "section 3", Verdict.UNTESTED, "There is no c."),
        ],
        [Replaced("a large collection", HOSTILE, "It is not to be had.")],
        [
            Part(
                "Table 1", [f"A paragraph {HOSTILE}.", Sheet("means", ["MAP", "seconds", "sure"], rows, "Means.")]
            ),
            Part(
                "Figures",
                [
                    Drawing("curves", figure, "Precision by recall."),
                    Drawing("again", figure, "The same again.", wide=True),
                    Passage("About a", [("The ", ""), ("a", "query"), (f" {HOSTILE} ", ""), ("b", "evidence")]),
                    Sheet("times", ["seconds"], {"a": [Value(3.0)]}, digits=0, tolerance=None),
                ],
            ),
        ],
        made,
    )


@dataclass(frozen=True)
class Drawn(Paper):
    """Gives the same study every time."""

    name: ClassVar[str] = "tested1999"
    reference: ClassVar[str] = "A. Nobody"
    takes: ClassVar[tuple[str, ...]] = ("queries", "embeddings")
    best: float = 0.5

    def study(self, work: Work) -> Study:
        work.step("half", 0.5, 61.0)
        return study(self.best)
