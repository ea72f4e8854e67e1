"""Tables 3 and 4: BM25, LSA, the dual embedding space model and mixtures, tuned, run and measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum

from aboutness.core.algebra import Ranker
from aboutness.evaluate.significance import Randomisation, fisher
from aboutness.experiment.kept_values import Values
from aboutness.experiment.sweep import Sweep
from aboutness.models.bm25 import BM25
from aboutness.models.desm import DESM
from aboutness.models.lsa import LSARanker
from aboutness.papers.mitra2016.stand_ins import DEEPEST, StandIn
from aboutness.rank.pipelines import BM25DESM

BM25_ROW, LSA_ROW, FIRST_ROW = "BM25", "LSA", "first stage, as it is"
SPACES = ("in-in", "in-out")
BODY_TEXT, QUERIES = "body text", "queries"  # what the paper's vectors are trained on
PUBLISHED = "published vectors"
GRID = ("k1=.5:4.1:.4", "b=.15,.35,.55,.75,.95,1")  # the paper's own choice is among them
FULL_GRID = ("k1=.1:5:.1", "b=0:1:.05")
LSA_TEXTBOOK = LSARanker(terms="raw", scaling=0.0)
LSA_OWN_ROW, LSA_OWN = "LSA (this package's form)", LSARanker()


def row_of(space: str, source: str, *, mixed: bool = False) -> str:
    """Return the name of a row, as the paper writes it."""
    trained = source if source == PUBLISHED else f"trained on {source}"
    return f"{'BM25 + ' if mixed else ''}DESM ({space.upper()}, {trained})"


def percent(values: Values, measure: str = DEEPEST) -> float:
    """Return the mean of a measure over the queries, in percent."""
    return 100 * fsum(one[measure] for one in values.values()) / len(values)


@dataclass(frozen=True)
class Measured:
    """All values of one stand-in: by row and query, in both settings, and what was chosen."""

    stand_in: StandIn
    bm25: Sweep
    telescoped: dict[str, Values]
    everything: dict[str, Values]
    alphas: dict[tuple[str, bool], Sweep]  # by row of a mixture, and whether telescoped

    def setting(self, *, telescoped: bool) -> dict[str, Values]:
        """Return the values of one setting."""
        return self.telescoped if telescoped else self.everything

    def mean(self, row: str, measure: str, *, telescoped: bool) -> float:
        """Return a mean in percent, as the paper prints it."""
        return percent(self.setting(telescoped=telescoped)[row], measure)

    def against(self, row: str, other: str, measure: str, *, telescoped: bool) -> Randomisation:
        """Test the difference of two rows."""
        values = self.setting(telescoped=telescoped)
        return fisher(*({query: one[measure] for query, one in values[name].items()} for name in (row, other)))

    def alpha(self, row: str, *, telescoped: bool) -> float:
        """Return the alpha of a mixture that is best for the training queries."""
        return float(self.alphas[row, telescoped].best.parameters["alpha"])

    @property
    def mixed(self) -> Iterator[str]:
        """Yield the rows of mixtures."""
        return (row for row, telescoped in self.alphas if not telescoped)

    @property
    def best_bm25(self) -> BM25:
        """Return BM25 with the parameters that are best for the training queries."""
        return BM25(**self.bm25.best.parameters)

    def mixture(self, space: str, source: str) -> Ranker:
        """Return the mixture with the alpha that is best where all documents are ranked."""
        return _mixture(
            self.best_bm25, space, self.stand_in.sources[source],
            self.alpha(row_of(space, source, mixed=True), telescoped=False),
        )  # fmt: skip


def measured(stand_in: StandIn, alphas: str, seed: int, grid: Sequence[str] = GRID) -> Measured:
    """Tune what has parameters on the training queries, then measure all rows on the test queries.

    BM25 is tuned where all documents are ranked, and so is each mixture for table 4. Mixtures are tuned a second
    time over the candidates alone, for the paper says what comes of it.
    """
    bm25 = stand_in.tuned("bm25", grid, telescoped=False, seed=seed)
    best = BM25(**bm25.best.parameters)
    alone = {
        row_of(space, source): DESM(space, vectors=vectors)
        for space in SPACES
        for source, vectors in stand_in.sources.items()
    }
    rows: dict[str, Ranker] = {BM25_ROW: best, LSA_ROW: LSA_TEXTBOOK, LSA_OWN_ROW: LSA_OWN, **alone}
    everything = stand_in.values(rows, telescoped=False)
    first = {} if stand_in.by_judgements else {FIRST_ROW: stand_in.first_stage}
    telescoped = stand_in.values_over(first, "or", None) | stand_in.values(rows, telescoped=True)
    tuned: dict[tuple[str, bool], Sweep] = {}
    for space in SPACES:
        for source, vectors in stand_in.sources.items():
            row = row_of(space, source, mixed=True)
            for setting in (False, True):
                mixture = _mixture(best, space, vectors, 0.5)
                tuned[row, setting] = stand_in.tuned(mixture, alphas, telescoped=setting, seed=seed)
            everything[row] = tuned[row, False].evaluation.per_query
            telescoped[row] = tuned[row, True].evaluation.per_query
    return Measured(stand_in, bm25, telescoped, everything, tuned)


def _mixture(bm25: BM25, space: str, vectors: str, alpha: float) -> BM25DESM:
    return BM25DESM(alpha=alpha, space=space, k1=bm25.k1, b=bm25.b, vectors=vectors)
