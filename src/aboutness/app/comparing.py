"""Comparing rankers on a test collection, and measuring runs that others made."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.app.index import DEFAULT_ANALYZER, Index
from aboutness.app.needed import Training, Vectors, check_vectors, needs, provide
from aboutness.app.search import DEFAULT_RANKER, How
from aboutness.core.algebra import Ranker
from aboutness.core.errors import BadInput, BadRecord, StorageError, UsageError
from aboutness.corpus.beir import read_qrels
from aboutness.corpus.topics import read_topics
from aboutness.evaluate.atomic import write_whole
from aboutness.evaluate.evaluation import Evaluation, evaluate
from aboutness.evaluate.judgements import judgements_by_query
from aboutness.evaluate.measures import DEFAULT_MEASURES, known_measures
from aboutness.evaluate.measures import measures as parse_measures
from aboutness.evaluate.runs import read_run, write_run
from aboutness.evaluate.significance import TESTS, Randomisation, compare_evaluations
from aboutness.experiment.collection import Collection, collection
from aboutness.experiment.compare import DEPTH, Comparison, Progress, compare_on, rankings
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
    "DEFAULT_MEASURES", "Collection", "Comparison", "collection", "compare", "evaluate_runs", "known_measures",
    "results_in", "run_queries", "save_comparison", "trained_first",
]  # fmt: skip


def compare(
    rankers: str | Ranker | Iterable[str | Ranker] | None,
    on: Collection | str | Path,
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    analyzer: str | Analyzer = DEFAULT_ANALYZER,
    index: Index | None = None,
    vectors: Vectors | None = None,
    depth: int = DEPTH,
    match: str = "or",
    fields: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
) -> Comparison:
    """Compare rankers on a collection: means of measures over all judged queries, and values for each query.

    Without rankers (None), all that are known are compared but those for which something is lacking. The documents
    are indexed in memory with `analyzer`, unless an `index` that holds them is given. In an index of its own, what
    rankers need is trained first, by one thread, so that it gives the same every time; word vectors are `vectors`:
    a file, some that are loaded, or a way of training ("word2vec" unless said). `training` is told the name of
    what is being trained and how far it is. Rankings are measured to `depth` documents; `match` and `fields` are
    as in `Index.search`.
    """
    if index is not None and vectors is not None:
        raise UsageError("an index has its own word vectors: give `index` or `vectors`, not both")
    chosen_measures = parse_measures(measures)
    opened = on if isinstance(on, Collection) else collection(on)
    every = list(known_rankers()) if rankers is None else rankers
    asked = [every] if isinstance(every, str | Ranker) else list(every)
    hows = [How(one, checked_k(depth), match, fields=fields) for one in asked]
    chosen = [how.expression for how in hows]
    check_vectors(vectors)
    note, lacking = None, dict[str, str]()
    if index is None:
        held = Index.build(opened.documents(), analyzer=analyzer, progress=indexing)
        note, lacking = provide(held, chosen, vectors, training, as_far_as_possible=rankers is None)
    else:
        held = index
    if rankers is None:  # what does not answer itself is no row of its own
        lacking |= {str(one): "; ".join(notes) for one in chosen if (notes := notes_of([one], held.snapshot))}
    step = hows[0].step if hows else "or"
    usable = [one for one in chosen if str(one) not in lacking]
    compared = compare_on(
        held.snapshot, opened, usable, chosen_measures, depth=depth, match=step, threads=threads,
        progress=progress, optional=[] if rankers is not None else [one for one in usable if needs([one])],
    )  # fmt: skip
    why = {**lacking, **compared.left_out}
    left_out = {name: why[name] for name in map(str, chosen) if name in why}
    notes = [*([note] if note else []), *notes_of(usable, held.snapshot)]
    return replace(compared, note="; ".join(notes) or None, left_out=left_out)


def trained_first(vectors: object = None) -> list[str]:
    """Return what is trained where all rankers are compared, by name; word vectors only if none are given."""
    every = [named_ranker(name) for name in known_rankers()]
    ways = needs(every).items()
    return [name for name, way in ways if vectors in (None, way.name) or isinstance(way, DocumentTrainer)]


def save_comparison(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write a comparison to a folder: the means (results.json), values by query (per_query.csv), and the runs."""
    place = Path(folder)
    runs = place / "runs"
    with results_in(place):
        return _save(comparison, place, runs)


def _save(comparison: Comparison, place: Path, runs: Path) -> list[Path]:
    results = place / "results.json"
    before = _earlier_runs(results)
    names = [f"{number:02}-{run_tag(row.ranker)[:80]}.trec" for number, row in enumerate(comparison.rows, 1)]
    for name, row in zip(names, comparison.rows, strict=True):
        write_run(runs / name, row.run, run_tag(row.ranker))
    with write_whole(place / "per_query.csv") as file:
        file.write(_per_query_table(comparison).encode())
    with write_whole(results) as file:
        plain = {**comparison.to_json(), "runs": names}
        file.write((json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode())
    for name in before - set(names):
        (runs / name).unlink(missing_ok=True)
    return [results, place / "per_query.csv", *(runs / name for name in names)]


def _earlier_runs(results: Path) -> set[str]:
    """Return the runs that earlier results in the same place name as theirs."""
    try:
        names = json.loads(results.read_bytes()).get("runs", [])
        return {name for name in names if re.fullmatch(r"\d+-[a-z0-9.-]*\.trec", name)}
    except (OSError, ValueError, AttributeError, TypeError):
        return set()


def run_tag(ranker: Ranker) -> str:
    """Return a ranker in one word, for the last column of a run and for the names of files."""
    return re.sub(r"[^a-z0-9.]+", "-", str(ranker).lower()).strip("-.")


@contextmanager
def results_in(folder: str | Path | None) -> Iterator[None]:
    """Make the folder that results will go to, or say at once that it cannot be made; not if the work fails."""
    runs = None if folder is None else Path(folder) / "runs"
    made = [place for place in (runs, *runs.parents) if not place.exists()] if runs else []
    if runs:
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from None
    try:
        yield
    except BaseException:
        for place in made:
            with suppress(OSError):
                place.rmdir()
        raise


def _per_query_table(comparison: Comparison) -> str:
    table = io.StringIO()
    lines = csv.writer(table, lineterminator="\n")
    lines.writerow(["ranker", "query", *comparison.measures])
    for row in comparison.rows:
        for query, values in row.evaluation.per_query.items():
            lines.writerow([str(row.ranker), query, *(values[name] for name in comparison.measures)])
    return table.getvalue()


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
) -> int:
    """Rank documents for every query of a file and write a TREC run; return the number of queries."""
    how = How(ranker, checked_k(depth), match, fields=fields)
    found = list(read_topics(queries))
    if len({query.id for query in found}) < len(found):
        twice = next(id_ for id_, count in Counter(query.id for query in found).items() if count > 1)
        raise BadInput(f"{queries}: two queries have the id {twice!r}")
    generation = index.generation
    searcher = generation.bound(how.expression)
    ids_of = generation.snapshot.ids_of
    made = (
        (query, list(zip(ids_of(ranking.documents), ranking.scores.tolist(), strict=True)))
        for query, ranking in rankings(searcher, found, depth, how.step, threads)
    )
    write_run(target, made, run_tag(how.expression) if tag is None else tag)
    return len(found)


@dataclass(frozen=True)
class EvaluatedRun:
    """A run file and how good it is; and, where it was tested, the result by test and measure."""

    name: str
    evaluation: Evaluation
    against: str | None = None  # the run that it was tested against
    tests: dict[str, dict[str, Randomisation]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the means, and the tests, in plain values."""
        found = self.evaluation
        return {
            "run": self.name,
            "queries": found.queries,
            "unanswered": len(found.unanswered),
            "unjudged": len(found.unjudged),
            **found.mean,
            **({"against": self.against} if self.against is not None else {}),
            **{
                test: {measure: result.to_json() for measure, result in results.items()}
                for test, results in self.tests.items()
            },
        }


def evaluate_runs(
    qrels: str | Path,
    runs: Sequence[str | Path],
    measures: str | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    test: str | None = None,
) -> list[EvaluatedRun]:
    """Measure TREC runs by a file (or a collection's folder) of judgements, as `trec_eval -c` does.

    With a test ("fisher"), all runs but the first are tested against the first one, by each measure.
    """
    known = None if test is None else TESTS[test]
    if known is not None and len(runs) < 2:
        raise UsageError(f"a test compares runs with the first one: name at least two, got {len(runs)}")
    try:
        judged = judgements_by_query(read_qrels(qrels))
    except BadRecord:
        raise
    except BadInput as error:
        raise BadInput(f"{qrels}: {error}") from None
    found = [EvaluatedRun(str(run), evaluate(judged, read_run(run), measures)) for run in runs]
    if test is None:
        return found
    first, *others = found
    results = [{test: compare_evaluations(one.evaluation, first.evaluation, test)} for one in others]
    return [
        first,
        *(replace(one, against=first.name, tests=tests) for one, tests in zip(others, results, strict=True)),
    ]
