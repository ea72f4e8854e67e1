"""Whether IWCS differs from TF-IDF and from WCS by more than chance, which the paper does not ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aboutness.evaluate.corrections import adjusted
from aboutness.evaluate.significance import fisher
from aboutness.papers.galke2017.runs import IWCS, TFIDF, WCS, Method, Runs
from aboutness.papers.galke2017.sets import Setting
from aboutness.report.numbers import LEVEL, told_p
from aboutness.report.study import Cell, Sheet, Value


@dataclass(frozen=True)
class Tested:
    """IWCS on one embedding against another method in one setting, by MAP."""

    setting: Setting
    embedding: str
    other: str  # TF-IDF or WCS
    difference: float
    p: float
    holm: float  # p, corrected for the number of all tests

    @property
    def sure(self) -> bool:
        """Tell whether the difference is more than chance."""
        return self.holm < LEVEL

    def __str__(self) -> str:
        return f"{self.setting} ({self.embedding})"


def fisher_tests(runs: Runs, seed: int) -> list[Tested]:
    """Test IWCS against TF-IDF and against WCS, by Fisher's randomisation, paired and two-sided."""
    found = []
    for setting in runs.settings:
        for one in runs.embeddings:
            ours = runs.values(setting, Method(IWCS, one.key))
            for other in (Method(TFIDF), Method(WCS, one.key)):
                result = fisher(ours, runs.values(setting, other), seed=seed)
                found.append((setting, one.key, other.model, result.difference, result.p_value))
    corrected = adjusted([one[-1] for one in found])
    return [Tested(*one, holm=holm) for one, holm in zip(found, corrected.tolist(), strict=True)]


def tests_sheet(tested: Iterable[Tested]) -> Sheet:
    """Return all tests in a table."""
    rows: dict[str, list[Cell]] = {
        f"{one.setting}: {IWCS} {one.embedding} less {one.other}": [
            Value(one.difference),
            Value(one.p, shown=told_p(one.p)),
            Value(one.holm, mark="*" if one.sure else "", shown=told_p(one.holm)),
        ]
        for one in tested
    }
    caption = (
        "Difference of MAP, as in the paper's tables; p by Fisher's randomisation test, paired by query and "
        f"two-sided, then corrected by Holm for all tests of this table (* below {LEVEL:g})."
    )
    return Sheet("Fisher's test", ["difference", "p", "p (Holm)"], rows, caption, "pair", digits=4)
