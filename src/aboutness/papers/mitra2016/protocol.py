"""mitra2016 from the documents to its tables, figures and claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from aboutness.core.errors import NotFound
from aboutness.experiment.collection import Collection, collection, data_of
from aboutness.papers.mitra2016 import parts
from aboutness.papers.mitra2016.company import company_of
from aboutness.papers.mitra2016.query_text import TrainingQueries, published_pair, trained_on, training_queries
from aboutness.papers.mitra2016.rankings import FULL_GRID, GRID, PUBLISHED, QUERIES, measured
from aboutness.papers.mitra2016.replaced import replaced
from aboutness.papers.mitra2016.stand_ins import (
    ANALYZER,
    StandIn,
    indexed,
    largest,
    short_names,
    split,
    with_vectors,
)
from aboutness.papers.paper import PAPERS, Paper, Work
from aboutness.report.study import Claim, Study, Verdict
from aboutness.vectors.word2vec import CBOW, Word2Vec
from aboutness.vectors.words import WordVectors

# Of the open collections with body text, the one with several grades that has the most of it, and the one with a
# single grade and, as with clicks, hardly more than one relevant document for a query.
STAND_INS = ("nfcorpus_preprocessed", "scifact")


@dataclass(frozen=True)
class Mitra2016(Paper):
    """The dual embedding space model."""

    name: ClassVar[str] = "mitra2016"
    takes: ClassVar[tuple[str, ...]] = ("queries", "embeddings")
    reference: ClassVar[str] = (
        "Bhaskar Mitra, Eric Nalisnick, Nick Craswell, Rich Caruana: A Dual Embedding Space Model for Document "
        "Ranking, 2016 (arXiv:1602.01137)"
    )

    dim: int = 200
    window: int = 5
    negatives: int = 5
    epochs: int = 0  # the paper does not say: 5 to 20, more often where there is little text
    candidates: int = 20  # for each query; the paper's judged set has 22
    share: float = 1 / 3  # of the queries, to choose parameters by
    alphas: str = "alpha=0:1:.01"
    least: int = 100  # documents that a word must stand in to be shown
    words: int = 300  # whose neighbours are looked at
    neighbours: int = 10
    triples: int = 50
    random: int = 100  # documents for each query of figures 4 and 5

    def study(self, work: Work) -> Study:
        """Do the paper's experiments; return its tables, figures and claims with what was found."""
        way = Word2Vec(
            architecture=CBOW, dim=self.dim, window=self.window, negatives=self.negatives, epochs=self.epochs,
            seed=work.seed,
        )  # fmt: skip
        opened = [collection(_source(work, name)) for name in work.on or STAND_INS]
        queries = self._queries(work, opened)
        others = _other_vectors(work, queries, way)
        every = [
            self._stand_in(work, name, one, way, others)
            for name, one in zip(short_names(opened), opened, strict=True)
        ]
        found = []
        for one in every:
            work.step(f"{one.name}: tables 3 and 4")
            found.append(measured(one, self.alphas, work.seed, FULL_GRID if work.full else GRID))
        most = largest(every)
        company = company_of(most.index.view(), self.window, self.least)
        shown = [
            parts.rankings_part(found),
            parts.words_part(self, work, most, company),
            parts.passages_part(self, work, most, company),
            parts.evidence_part(self, work, found),
            parts.features_part(self, work, found),
        ]
        told = [claim for _, some in shown for claim in some]
        every_part = [
            parts.stand_ins_part(every),
            *(part for part, _ in shown),
            parts.variations_part(work, found, way),
        ]
        return Study(
            self.name, self.reference, _summary(every, told), told,
            list(replaced(every, way, self.share, queries)), every_part, work.made(self._in_words),
        )  # fmt: skip

    @property
    def _in_words(self) -> dict[str, object]:
        """Return all sizes as a report tells them."""
        alphas = self.alphas.partition("=")[2]
        if alphas.count(":") == 2:
            alphas = "{} to {} in steps of {}".format(*alphas.split(":"))
        return asdict(self) | {
            "epochs": self.epochs or "as many as the text needs",
            "share": f"{self.share:.0%} of the queries, to choose parameters by",
            "alphas": alphas,
        }

    # --- what it is done with --------------------------------------------------------------------------------

    def _queries(self, work: Work, opened: Sequence[Collection]) -> TrainingQueries | None:
        if work.queries is None:
            return None
        tests = []
        for one in opened:
            chosen = set(split(one, self.share, work.seed)[1])
            tests += [query.text for query in one.queries if query.id in chosen]
        return training_queries(work.queries, tests, ANALYZER)

    def _stand_in(
        self, work: Work, name: str, opened: Collection, way: Word2Vec, others: Mapping[str, WordVectors]
    ) -> StandIn:
        work.step(f"{name}: training")
        train, _ = split(opened, self.share, work.seed)
        index = indexed(opened, way, self.dim, work.trained)
        work.used[opened.name] = data_of(opened, opened.checksum) | {"documents": index.snapshot.documents}
        return StandIn(name, opened, index, train, self.candidates, with_vectors(index, others))


def _summary(every: Sequence[StandIn], told: Sequence[Claim]) -> str:
    """Return in two sentences what was done, and what came of it."""
    counts = {one: sum(claim.verdict is one for claim in told) for one in Verdict}
    names = " and ".join(one.name for one in every)
    return (
        f"BM25, LSA, the dual embedding space model and mixtures of it with BM25 on {names}, with word vectors of "
        f"the collections' own text. Of {len(told)} claims {counts[Verdict.HOLDS]} hold here, "
        f"{counts[Verdict.FAILS]} do not, and {counts[Verdict.UNTESTED]} cannot be tested here."
    )


def _source(work: Work, name: str) -> str:
    """Return the folder of a collection, or what the user calls one: a folder, or a name of ir_datasets."""
    if name in work.on:
        if Path(name).exists():
            return name
        with suppress(NotFound):
            return work.collection(name)
        return name
    return work.collection(name)


def _other_vectors(work: Work, queries: TrainingQueries | None, way: Word2Vec) -> dict[str, WordVectors]:
    """Return word vectors besides those of body text, by what they are trained on."""
    found = {}
    if queries is not None:
        work.step("training on queries")
        found[QUERIES] = trained_on(queries, way, ANALYZER)
    if work.embeddings:
        found[PUBLISHED] = published_pair(work.embeddings)
    return found


PAPERS.register(Mitra2016.name, Mitra2016)
