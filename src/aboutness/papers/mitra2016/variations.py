"""What the paper discusses or leaves open: other trainings and scores, and other numbers of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

from aboutness.core.algebra import Ranker
from aboutness.evaluate.significance import fisher
from aboutness.experiment.kept_values import Values
from aboutness.models.desm import DESM
from aboutness.papers.mitra2016.rankings import (
    BM25_ROW,
    BODY_TEXT,
    LSA_ROW,
    LSA_TEXTBOOK,
    SPACES,
    Measured,
    percent,
    row_of,
)
from aboutness.papers.mitra2016.stand_ins import BODY, DEEPEST, FIRST_STAGE, StandIn
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.report.study import Cell, Sheet, Value
from aboutness.vectors.word2vec import SKIP_GRAM, Word2Vec
from aboutness.vectors.words import ANY

AS_IT_IS = "as in the tables"
ELSEWHERE = "GloVe vectors of 6 billion words"
GLOVE = ("glove6b_100d/vectors.f16.npy", "glove6b_100d/vocab.txt")  # in the folder of word vectors
SEEDS = 2  # further ones
LAYERS = {"words": "plain[stop=english]", "stems": "english"}  # further ways to analyse, and their names
PIVOT = 0.2
SWAPPED = {"in-in": "out-out", "in-out": "out-in"}  # the query's words by their OUT vectors
CANDIDATES = (10, 20, 50, 100, 1000)


@dataclass(frozen=True)
class Variation:
    """One thing done otherwise: another training, or another score."""

    says: str
    training: dict[str, Any]  # parameters of word2vec that are others
    layer: str | None = None
    scoring: tuple[tuple[str, Any], ...] = ()
    swapped: bool = False  # OUT vectors for the query

    @property
    def trained(self) -> bool:
        """Tell whether vectors have to be trained for it."""
        return bool(self.training) or self.layer is not None


def variations(seed: int) -> list[Variation]:
    """Return all of them."""
    return [
        Variation(AS_IT_IS, {}),
        *(Variation(f"another seed ({seed + more})", {"seed": seed + more}) for more in range(1, SEEDS + 1)),
        Variation("skip-gram", {"architecture": SKIP_GRAM}),
        Variation("negatives drawn evenly", {"power": 0.0}),
        Variation("without stop words", {}, layer="words"),
        Variation("without stop words, stems", {}, layer="stems"),
        Variation("dot product", {}, scoring=(("similarity", "dot"),)),
        Variation(f"pivoted length ({PIVOT:g})", {}, scoring=(("pivot", PIVOT),)),
        Variation("OUT-OUT and OUT-IN", {}, swapped=True),
    ]


@dataclass(frozen=True)
class Varied:
    """The values of each variation on one stand-in, by setting: its name, and query."""

    stand_in: StandIn
    values: dict[str, dict[str, Values]]  # by variation and setting

    def mean(self, variation: str, setting: str) -> float:
        """Return a mean in percent."""
        return percent(self.values[variation][setting])

    def best(self, settings: Sequence[str]) -> tuple[str, str]:
        """Return the variation and the setting with the highest mean, of some settings."""
        every = [(says, setting) for says, of in self.values.items() for setting in settings if setting in of]
        return max(every, key=lambda one: self.mean(*one))

    def differs(self, variation: str, setting: str) -> bool:
        """Tell whether a variation differs from what is in the tables by more than chance."""
        one, usual = self.values[variation][setting], self.values[AS_IT_IS][setting]
        found = fisher(*({query: of[DEEPEST] for query, of in side.items()} for side in (one, usual)))
        return found.p_value < 0.05

    def spread(self, seed: int, setting: str) -> float:
        """Return the standard deviation over the seeds."""
        names = [AS_IT_IS, *(one.says for one in variations(seed) if one.training.keys() == {"seed"})]
        return stdev(self.mean(name, setting) for name in names)


SETTINGS = ("IN-IN, candidates", "IN-OUT, candidates", "IN-IN, all", "IN-OUT, all")


def varied(stand_in: StandIn, way: Word2Vec, published: tuple[str, str] | None = None) -> Varied:
    """Train and measure all variations, over the candidates and over all documents.

    `published` are vectors from elsewhere, as a matrix and its words: IN vectors alone, as these mostly are.
    """
    index = stand_in.index
    for layer, analyzer in LAYERS.items():
        index.add_layer(layer, analyzer)
    rankers: dict[str, dict[str, Ranker]] = {space: {} for space in SPACES}
    for number, one in enumerate(variations(way.seed)):
        name = f"variation-{number}" if one.trained else BODY
        if one.trained:
            index.train(replace(way, **one.training), name=name, layer=one.layer, threads=1)
        for space in SPACES:
            taken = SWAPPED[space] if one.swapped else space
            rankers[space][one.says] = DESM(taken, vectors=name, **dict(one.scoring))
    if published:
        index.import_vectors(published[0], vocab=published[1], name="glove", only_index_words=True, case=ANY)
        rankers["in-in"][ELSEWHERE] = DESM("in-in", vectors="glove", case=ANY)
    found: dict[str, dict[str, Values]] = {}
    for telescoped, shown in ((True, "candidates"), (False, "all")):
        for space in SPACES:
            for says, values in stand_in.values(rankers[space], telescoped=telescoped).items():
                found.setdefault(says, {})[f"{space.upper()}, {shown}"] = values
    return Varied(stand_in, found)


def variations_sheet(every: Sequence[Varied]) -> Sheet:
    """Return NDCG@10 of all variations."""
    rows: dict[str, list[Cell]] = {
        says: [_cell(one, says, setting) for one in every for setting in SETTINGS] for says in every[0].values
    }
    return Sheet(
        "Variations", [f"{one.stand_in.name} {setting}" for one in every for setting in SETTINGS], rows,
        corner="variation", digits=2, tolerance=2.5,
        caption="NDCG@10 in percent with one thing done otherwise; an asterisk marks a difference to the first "
        "row with p < .05. The paper names most of them, and tests none. The last row is of vectors from far more "
        "text of another kind, news and an encyclopedia: where these are at hand.",
    )  # fmt: skip


def _cell(one: Varied, says: str, setting: str) -> Cell:
    if setting not in one.values[says]:
        return "no OUT vectors"
    return Value(one.mean(says, setting), mark="*" if one.differs(says, setting) else "")


def training_noise(every: Sequence[Varied], seed: int) -> float:
    """Return the standard deviation over the seeds of the training, mean over stand-ins and settings."""
    return fmean(one.spread(seed, setting) for one in every for setting in SETTINGS)


def candidates_sheet(every: Sequence[Measured]) -> Sheet:
    """Return NDCG@10 by how many documents of the first stage are ranked anew, up to all documents."""
    least = min(one.stand_in.index.snapshot.documents for one in every)
    counts = [count for count in CANDIDATES if count < least]
    rows: dict[str, list[Cell]] = {name: [] for name in (*(f"first {one:,}" for one in counts), "all documents")}
    for one in every:
        rankers: dict[str, Ranker] = {BM25_ROW: one.best_bm25, LSA_ROW: LSA_TEXTBOOK}
        rankers |= {row_of(space, BODY_TEXT): DESM(space, vectors=BODY) for space in SPACES}
        for count in counts:
            found = one.stand_in.values_over(rankers, "or", named_ranker(FIRST_STAGE) % count)
            rows[f"first {count:,}"] += [Value(percent(values)) for values in found.values()]
        rows["all documents"] += [Value(percent(one.everything[name])) for name in rankers]
    names = (BM25_ROW, LSA_ROW, *(space.upper() for space in SPACES))
    return Sheet(
        "Number of candidates", [f"{one.stand_in.name} {name}" for one in every for name in names], rows,
        corner="candidates", digits=2, tolerance=2.5,
        caption="NDCG@10 in percent when the first documents of the first stage are ranked anew, by how many "
        "these are: from table 3 to table 4. IN-IN and IN-OUT are DESM, trained on body text.",
    )  # fmt: skip
