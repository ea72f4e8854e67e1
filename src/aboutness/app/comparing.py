"""Comparing rankers on a test collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aboutness.app.by_shards import ByShards
from aboutness.app.collection_index import index_of
from aboutness.app.evaluating import EvaluatedRun, evaluate_runs
from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.app.needed import Training, Vectors, check_vectors, needs, provide
from aboutness.app.over_shards import binding_by
from aboutness.app.pieces import Pieces
from aboutness.app.search import DEFAULT_RANKER, How
from aboutness.core.advance import begin, did
from aboutness.core.algebra import Ranker
from aboutness.core.errors import UsageError
from aboutness.corpus.topics import once_each, read_topics
from aboutness.evaluate.measures import DEFAULT_MEASURES, known_measures
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.runs import write_run
from aboutness.experiment.asking import JUDGED, step_of, with_form
from aboutness.experiment.collection import Collection, collection, data_of
from aboutness.experiment.compare import DEPTH, Comparison, Progress, compare_on, rankings
from aboutness.experiment.declared import Condition
from aboutness.experiment.results import Made, Results
from aboutness.experiment.results_folder import results_in, save_results, tag_of
from aboutness.experiment.samples import SampledScores, sampled_scores
from aboutness.index.writer import Progress as IndexProgress
from aboutness.models.model import checked_k
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import notes_of
from aboutness.rank.known import known_rankers
from aboutness.text.analyzer import Analyzer
from aboutness.vectors.trainer import DocumentTrainer

if TYPE_CHECKING:
    from ir_measures import Measure

__all__ = [
    "DEFAULT_MEASURES", "Collection", "Comparison", "EvaluatedRun", "collection", "compare", "evaluate_runs",
    "known_measures", "results_in", "results_of", "run_queries", "save_comparison", "trained_first",
]  # fmt: skip


@dataclass(frozen=True)
class Compared(Comparison):
    """A comparison that can be reported on."""

    made: Made = field(default_factory=Made, repr=False, compare=False)
    samples: SampledScores | None = field(default=None, repr=False, compare=False)

    def report(self, *targets: str | Path) -> list[Path]:
        """Write reports; the form of each is that of its file's name: .html, .tex, .md, .csv or .json."""
        from aboutness.app.reporting import write_report

        return write_report(results_of(self), *targets)


def compare(
    rankers: str | Ranker | Iterable[str | Ranker] | None,
    on: Collection | str | Path,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    index: Index | None = None,
    vectors: Vectors | None = None,
    depth: int | None = DEPTH,
    match: str = "or",
    fields: str | None = None,
    queries: str = "text",
    random: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
    by: ByShards | None = None,
) -> Compared:
    """Compare rankers on a collection: means of measures over all judged queries, and values for each query.

    Without rankers (None), all that are known are compared but those for which something is lacking. The documents
    are indexed in memory with `analyzer`, unless an `index` that holds them is given. In an index of its own, what
    rankers need is trained first, by one thread, so that it gives the same every time; word vectors are `vectors`:
    a file, some that are loaded, or a way of training ("word2vec" unless said). `training` is told the name of
    what is being trained and how far it is. Rankings are measured to `depth` documents (None: all); `match` and
    `fields` are as in `Index.search`, and match="judged" ranks just the documents that are judged for a query.
    `queries` is the form in which they are asked: "text", or such as "title", "title+narr", "short", "long".
    With `random`, the scores of so many random documents for each query, drawn by `seed`, are there besides, with
    those of relevant and of irrelevant ones (`samples`; see `sample_scores`). `by` says by how many shards an
    index of its own is made and trained on, and which Ray cluster does it and searches. That changes no ranking
    but those that need word2vec, pv or epv, which are trained by shards.
    """
    start = perf_counter()
    if index is not None and vectors is not None:
        raise UsageError("an index has its own word vectors: give `index` or `vectors`, not both")
    chosen_measures = parse_measures(measures)
    opened = with_form(on if isinstance(on, Collection) else collection(on), queries)
    every = list(known_rankers()) if rankers is None else rankers
    asked = [every] if isinstance(every, str | Ranker) else list(every)
    if depth is not None:
        checked_k(depth)
    first = "all" if match == JUDGED else match
    chosen = [How(one, match=first, fields=fields).expression for one in asked]
    check_vectors(vectors)
    note, lacking = None, dict[str, str]()
    if index is None:
        held = index_of(opened, analyzer=analyzer, by=by, progress=indexing)
        note, lacking = provide(held, chosen, vectors, training, as_far_as_possible=rankers is None, by=by)
    else:
        held = index
    if rankers is None:  # what does not answer itself is no row of its own
        lacking |= {str(one): "; ".join(notes) for one in chosen if (notes := notes_of([one], held.snapshot))}
    usable = [one for one in chosen if str(one) not in lacking]
    with binding_by(by, held) as bound:
        compared = compare_on(
            held.snapshot, opened, usable, chosen_measures, depth=depth or max(1, held.snapshot.size),
            match=step_of(match), threads=threads, progress=progress, bound=bound,
            optional=[] if rankers is not None else [one for one in usable if needs([one])],
        )  # fmt: skip
    why = {**lacking, **compared.left_out}
    left_out = {name: why[name] for name in map(str, chosen) if name in why}
    notes = [*([note] if note else []), *notes_of(usable, held.snapshot)]
    samples = None
    if random is not None:
        alone = [
            How(one, fields=fields).expression for one, how in zip(asked, chosen, strict=True) if how in usable
        ]
        samples = sampled_scores(held.snapshot, opened, alone, random=random, seed=seed, progress=progress)
    setting = str(Condition(fields, queries, match))
    compared = replace(compared, note="; ".join(notes) or None, left_out=left_out, setting=setting)
    parameters = {
        "rankers": list(map(str, chosen)), "measures": list(compared.measures), "analyzer": compared.analyzer,
        "depth": depth, "match": match, "fields": fields, "queries": queries,
        **({"shards": by.made} if by and index is None else {}),
    }  # fmt: skip
    seconds = round(perf_counter() - start, 3)
    data = {"documents": compared.documents, **data_of(opened, opened.checksum if index is None else None)}
    made = Made.now(seconds=seconds, parameters=parameters, data={opened.name: data})
    return Compared(
        **{one.name: getattr(compared, one.name) for one in dataclass_fields(compared)}, made=made, samples=samples
    )


def trained_first(vectors: object = None) -> list[str]:
    """Return what is trained where all rankers are compared, by name; word vectors only if none are given."""
    every = [named_ranker(name) for name in known_rankers()]
    ways = needs(every).items()
    return [name for name, way in ways if vectors in (None, way.name) or isinstance(way, DocumentTrainer)]


def save_comparison(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write a comparison to a folder: all means (results.json), values by query (per_query.csv), and the runs."""
    return save_results(results_of(comparison), folder)


def results_of(comparison: Comparison, command: str = "", seed: int = 1, **how: Any) -> Results:  # noqa: ANN401 - as `Results.of` takes it
    """Return a comparison as results, with what is known of how it was made."""
    made = comparison.made if isinstance(comparison, Compared) else Made.now()
    return Results.of(comparison, made=replace(made, command=command, seed=seed), **how)


def run_tag(ranker: Ranker) -> str:
    """Return a ranker in one word, for the last column of a run and for the names of files."""
    return tag_of(str(ranker))


def run_queries(
    index: Index,
    queries: str | Path,
    target: str | Path,
    ranker: str | Ranker = DEFAULT_RANKER,
    *,
    depth: int = DEPTH,
    match: str = "or",
    fields: str | None = None,
    tag: str | None = None,
    threads: int | None = None,
    resumable: bool = False,
) -> int:
    """Rank documents for every query of a file and write a TREC run; return the number of queries.

    If it is to be `resumable`, finished pieces are kept beside the run until it is whole, and the same again goes
    on from them.
    """
    how = How(ranker, checked_k(depth), match, fields=fields)
    found = list(once_each(read_topics(queries), queries))
    generation = index.generation
    searcher = generation.bound(how.expression)
    named = run_tag(how.expression) if tag is None else tag
    if resumable and str(target) != "-":
        pieces = Pieces(target, generation.snapshot, str(how.expression), depth, how.step)
        write_run(target, pieces.run(searcher, found), named)
        pieces.remove()
        return len(found)
    ids_of = generation.snapshot.ids_of

    def made() -> Iterator[tuple[str, list[tuple[str, float]]]]:
        begin("queries", len(found))
        for query, ranking in rankings(searcher, found, depth, how.step, threads):
            yield query, list(zip(ids_of(ranking.documents), ranking.scores.tolist(), strict=True))
            did("queries")

    write_run(target, made(), named)
    return len(found)
