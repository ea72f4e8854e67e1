"""Words without a vector: how many there are, and what is left of the comparison where there are none."""

from __future__ import annotations

from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_LAYER
from aboutness.app.vectors import oov
from aboutness.experiment.collection import collection
from aboutness.index.snapshot import Snapshot
from aboutness.papers.galke2017.embeddings import GLV, Embedding
from aboutness.papers.galke2017.runs import ANALYZER, Runs
from aboutness.papers.galke2017.sets import DataSet, Setting
from aboutness.papers.galke2017.tables import PAPER
from aboutness.papers.printed import beside, with_best
from aboutness.report.study import Cell, Sheet, Value
from aboutness.text.analyzers import analyzer as named_analyzer
from aboutness.vectors.coverage import Coverage
from aboutness.vectors.load import look_at, outline
from aboutness.vectors.words import ANY, EXACT

SLIDES = {GLV: "galke2017-glove"}
OTHERWISE = "galke2017-w2v"
QUERIES = "queries"


def unknown_words_sheet(runs: Runs) -> Sheet:
    """Return the share of words without a vector, for each data set and field, beside the slides' table."""
    rows: dict[str, list[Cell]] = {}
    for data in runs.sets:
        opened = collection(data.source)
        layers = {_slides(one): _slides(one) for one in runs.embeddings}
        snapshot = Index.build(opened.documents(), analyzer=ANALYZER, layers=layers).snapshot
        texts = [query.text for query in opened.judged_queries]
        for field, expression in (*data.fields.items(), (QUERIES, "")):
            found: list[Cell] = []
            for one in runs.embeddings:
                found += _shares(one, snapshot, expression, texts, _theirs(data, field))
            rows[f"{data.name}, {field}"] = found
    kinds = ("as in the slides", "as in the paper", "different words", "in any case")
    columns = [f"{one.name}, {kind}" for one in runs.embeddings for kind in kinds]
    caption = (
        "Share of the words that stand in the texts: tokens as in the slides (which cut words in another way "
        "for each embedding) or as in the paper; then, as in the paper, of different words, and of tokens "
        "where a vector of the word in another case would do."
    )
    return Sheet("Words without a vector", columns, rows, caption, "field")


def _slides(one: Embedding) -> str:
    return SLIDES.get(one.key, OTHERWISE)


def _theirs(data: DataSet, field: str) -> str:
    return f"{next(iter(data.tables.values()), '').partition(',')[0]}, {field}"


def _shares(one: Embedding, snapshot: Snapshot, expression: str, texts: list[str], theirs: str) -> list[Cell]:
    words = outline(look_at(one.file))

    def unknown(layer: str, case: str = EXACT) -> Coverage:
        if not expression:
            return oov(snapshot, words, queries={QUERIES: texts}, layer=layer, case=case)[-1]
        return oov(snapshot, words, fields=expression.split("+"), layer=layer, case=case)[-1]

    usual = unknown(DEFAULT_LAYER)
    return [
        beside(PAPER, "words without a vector", theirs, one.key, unknown(_slides(one)).token_ratio),
        Value(usual.token_ratio),
        Value(usual.type_ratio),
        Value(unknown(DEFAULT_LAYER, ANY).token_ratio),
    ]


def known_queries(runs: Runs, setting: Setting) -> list[str]:
    """Return the queries of which every word has a vector in every embedding."""
    analyzer = named_analyzer(ANALYZER)
    every = [outline(look_at(one.file)) for one in runs.embeddings]
    found = []
    for query, text in runs.comparisons[setting].texts.items():
        terms = analyzer.terms(text)
        if terms and all((words.numbers(terms) >= 0).all() for words in every):
            found.append(query)
    return found


def known_queries_sheet(runs: Runs, known: dict[Setting, list[str]]) -> Sheet:
    """Return MAP over the queries of which every word has a vector."""
    rows: dict[str, list[Cell]] = {}
    for method in runs.methods:
        rows[method.row] = []
        for one in runs.settings:
            values = runs.values(one, method)
            some = [values[query] for query in known[one] if query in values]
            rows[method.row].append(Value(sum(some) / len(some)) if some else Value(said="no query"))
    marked = with_best(rows)
    marked[QUERIES] = [
        Value(said=f"{len(known[one]):,} of {runs.comparisons[one].queries:,}") for one in runs.settings
    ]
    caption = (
        "MAP, as in the paper's tables, over those queries alone whose words all have a vector in all "
        "embeddings: what is left to tell when the small vocabularies are not to blame. Words of the documents "
        "may lack one."
    )
    return Sheet("Queries of known words alone", [*map(str, runs.settings)], marked, caption, "model")
