"""The parts of the report, each with the claims that it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound
from aboutness.models.bm25 import BM25
from aboutness.models.desm import DESM
from aboutness.papers.mitra2016 import claims, evidence, features, passages, tables, variations, words
from aboutness.papers.mitra2016.company import Company, company_of
from aboutness.papers.mitra2016.rankings import BM25_ROW, BODY_TEXT, SPACES, Measured, row_of
from aboutness.papers.mitra2016.stand_ins import BODY, DEEPEST, StandIn
from aboutness.papers.mitra2016.tables import NAME
from aboutness.papers.paper import Work
from aboutness.report.figures.curves import sweep_curve
from aboutness.report.study import Claim, Drawing, Item, Part
from aboutness.vectors.word2vec import Word2Vec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from aboutness.papers.mitra2016.protocol import Mitra2016

Shown: TypeAlias = tuple[Part, list[Claim]]

EXAMPLES = 3  # words of table 1


def stand_ins_part(every: Sequence[StandIn]) -> Part:
    """Return what the experiments are done with, and how claims are decided."""
    return Part("Stand-ins, and how claims are decided", [claims.RULE, tables.sizes_sheet(every)])


def rankings_part(found: Sequence[Measured]) -> Shown:
    """Return tables 3 and 4, what was chosen for them, and what lies between the two."""
    row = row_of("in-out", claims.source_of(found), mixed=True)
    settings = ((True, "candidates"), (False, "all documents"))
    curves = [
        Drawing(
            f"alpha-{one.stand_in.name}-{shown.replace(' ', '-')}",
            _curve(one, row, telescoped=telescoped),
            f"{row} on {one.stand_in.name} over alpha, {shown}; alpha 1 is DESM alone.",
        )
        for one in found
        for telescoped, shown in settings
    ]
    items: list[Item] = [
        tables.ndcg_sheet(found, telescoped=True),
        tables.ndcg_sheet(found, telescoped=False),
        variations.candidates_sheet(found),
        tables.chosen_sheet(found),
        *curves,
    ]
    return Part("Rankings (tables 3 and 4)", items), list(claims.ranking_claims(found))


def _curve(one: Measured, row: str, *, telescoped: bool) -> Callable[[], Figure]:
    found = one.alphas[row, telescoped]

    def draw() -> Figure:
        return sweep_curve(
            [float(setting.parameters["alpha"]) for setting in found.settings],
            [setting.train[DEEPEST] for setting in found.settings],
            [setting.test[DEEPEST] for setting in found.settings],
            one.alpha(row, telescoped=telescoped),
            "alpha",
            DEEPEST,
        )

    return draw


def words_part(sizes: Mitra2016, work: Work, one: StandIn, company: Company) -> Shown:
    """Return table 1."""
    work.step(f"{one.name}: table 1")
    title = "Nearest words (table 1)"
    if not len(company.frequent):
        return Part(title, [f"No word of {one.name} is frequent enough to be looked at."]), claims.no_words()
    terms = [term for query in one.collection.queries for term in company.view.analyzer.terms(query.text)]
    vectors = one.index.vectors(BODY)
    near = words.neighbourhoods(vectors, company, sizes.words, sizes.neighbours, work.seed)
    items: list[Item] = [
        f"Vectors and texts are those of {one.name}, which has the most text.",
        words.neighbour_sheet(vectors, company, company.topics_among(terms, EXAMPLES)),
        words.kinds_sheet(near),
    ]
    return Part(title, items), list(claims.word_claims(near))


def passages_part(sizes: Mitra2016, work: Work, one: StandIn, company: Company) -> Shown:
    """Return table 2."""
    work.step(f"{one.name}: table 2")
    title = "Replaced words (table 2)"
    triples = list(passages.triples(company, sizes.triples))
    if not triples:
        return Part(title, [f"No three words of {one.name} have passages about them."]), claims.no_passages()
    rankers: dict[str, Ranker] = {space.upper(): DESM(space, vectors=BODY) for space in reversed(SPACES)}
    found = passages.perturbed(
        one.index,
        triples,
        {**rankers, claims.TERMS: BM25(k1=tables.in_text(BM25_ROW, "k1"), b=tables.in_text(BM25_ROW, "b"))},
    )
    items: list[Item] = [
        f"{passages.RULE} Vectors and texts are those of {one.name}.",
        passages.example_sheet(found, NAME),
        *passages.example_passages(one.index, triples[0]),
        passages.orders_sheet(found),
    ]
    return Part(title, items), list(claims.passage_claims(found))


def evidence_part(sizes: Mitra2016, work: Work, found: Sequence[Measured]) -> Shown:
    """Return figure 3."""
    work.step("figure 3")
    told: dict[str, dict[str, evidence.Told]] = {"judgements": {}, "titles": {}}
    items: list[Item] = []
    for one in found:
        stand_in = one.stand_in
        company = company_of(stand_in.index.view(), sizes.window, sizes.least)
        drawn = [company.words[number] for number in company.drawn(sizes.words, work.seed).tolist()]
        units = {
            "judgements": list(evidence.by_judgements(stand_in)),
            "titles": list(evidence.by_titles(stand_in, drawn)),
        }
        for way, some in units.items():
            if some:
                told[way][stand_in.name] = evidence.told_apart(stand_in, some, _named(one))
        topics = [company.words[number] for number in company.frequent.tolist()]
        if pair := evidence.shown_pair(stand_in, units["titles"] or units["judgements"], topics):
            items += evidence.shown_passages(stand_in, pair, DESM("in-out", vectors=BODY))
    every = {f"{name}, by {way}": one for way, of in told.items() for name, one in of.items()}
    sheets = [evidence.told_sheet(every)] if every else []
    part = Part("About a word, or mentioning it (figure 3)", [*sheets, *items])
    names = [one.stand_in.name for one in found]
    return part, [
        claims.evidence_claim(of, way, [name for name in names if name not in of]) for way, of in told.items()
    ]


def features_part(sizes: Mitra2016, work: Work, found: Sequence[Measured]) -> Shown:
    """Return figures 1, 4 and 5."""
    work.step("figures 1, 4 and 5")
    every = [
        features.sampled(
            one.stand_in,
            _named(one) | {"mixture (IN-OUT)": one.mixture("in-out", BODY_TEXT)},
            sizes.random,
            work.seed,
        )
        for one in found
    ]
    spaces: dict[str, Ranker] = {space.upper(): DESM(space, vectors=BODY) for space in SPACES}
    pictures = [
        picture for one in every for picture in features.drawings(one, spaces, (claims.TERMS, *claims.DUAL))
    ]
    part = Part("Features (figures 1, 4 and 5)", [features.areas_sheet(every), *pictures])
    return part, list(claims.separation_claims(every))


def variations_part(work: Work, found: Sequence[Measured], way: Word2Vec) -> Part:
    """Return what comes of other trainings and scores."""
    published = None
    with suppress(NotFound):  # there is no folder of word vectors, or it has none of these
        published = work.vector_file(variations.GLOVE[0]), work.vector_file(variations.GLOVE[1])
    every = []
    for one in found:
        work.step(f"{one.stand_in.name}: variations")
        every.append(variations.varied(one.stand_in, way, published))
    noise = variations.training_noise(every, way.seed)
    text = (
        f"Trained with other seeds, NDCG@10 of DESM has a standard deviation of {noise:.2f} points (mean over "
        "collections, spaces and settings)."
    )
    for one, of in zip(found, every, strict=True):
        says, setting = of.best(variations.SETTINGS[:2])
        text += (
            f" On {one.stand_in.name} the best over the candidates is {setting.partition(',')[0]}, {says}, with "
            f"{of.mean(says, setting):.2f}, where BM25 has {one.mean(BM25_ROW, DEEPEST, telescoped=True):.2f}."
        )
    return Part("Variations", [text, variations.variations_sheet(every)])


def _named(one: Measured) -> dict[str, Ranker]:
    """Return BM25 and the two spaces by the names that figures have."""
    dual = {name: DESM(space, vectors=BODY) for name, space in zip(claims.DUAL, SPACES, strict=True)}
    return {claims.TERMS: one.best_bm25, **dual}
