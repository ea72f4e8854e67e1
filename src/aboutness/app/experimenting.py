"""Experiments: what is declared is run, and what is done is kept, so that it need not be done again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from aboutness.app.by_shards import ByShards
from aboutness.app.index import Index
from aboutness.app.layers import DEFAULT_ANALYZER
from aboutness.app.needed import Training, Vectors, check_vectors, provide
from aboutness.app.running import Pace, Running, Tell
from aboutness.core.algebra import Ranker
from aboutness.core.errors import NotFound, UsageError, shown
from aboutness.experiment.asking import without
from aboutness.experiment.collection import Collection, collection
from aboutness.experiment.compare import Progress
from aboutness.experiment.declared import Experiment
from aboutness.experiment.folds import Split, training_split
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.labels import by_label
from aboutness.experiment.results import Made, Results
from aboutness.experiment.results_folder import DECLARED, SAMPLES, read_results, results_in, save_results
from aboutness.experiment.samples import DRAWN, FIRST, SampledScores, sampled_scores, samples_table
from aboutness.experiment.testing import Tests, check_test, differences_of
from aboutness.experiment.toml_form import experiment_of, read_experiment
from aboutness.index.writer import Progress as IndexProgress
from aboutness.rank.grammar import ranker as named_ranker

__all__ = [
    "Experiment", "ExperimentResults", "Pace", "Results", "SampledScores", "Tests", "by_label", "check_test",
    "differences_of", "is_experiment", "read_experiment", "read_results", "results_in", "run_experiment",
    "sample_scores", "save_all", "save_results", "user_cache", "without_train",
]  # fmt: skip


@dataclass(frozen=True)
class ExperimentResults(Results):
    """Results with what they were declared as; they can be saved, and reported on."""

    declared: Experiment = field(kw_only=True)
    samples: tuple[SampledScores, ...] = ()

    def save(self, folder: str | Path) -> list[Path]:
        """Write the results to a folder, with the experiment as a TOML file."""
        return save_all(self, folder)

    def report(self, *targets: str | Path) -> list[Path]:
        """Write reports; the form of each is that of its file's name: .html, .tex, .md, .csv or .json."""
        from aboutness.app.reporting import write_report

        return write_report(self, *targets)


def run_experiment(
    what: Experiment | str | Path | None = None,
    *,
    cache: str | Path | bool = True,
    threads: int | None = None,
    progress: Tell | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
    command: str = "",
    by: ByShards | None = None,
    **declared: Any,  # noqa: ANN401 - as in a TOML file
) -> ExperimentResults:
    """Run an experiment: an `Experiment`, a TOML file, or what such a file would say, as arguments.

        run_experiment("first-look.toml")
        run_experiment(collections=["cranfield"], rankers=["bm25", "ql"], measures=["AP"], match=["or", "all"])

    Each ranker's run is kept in a folder (`cache`; True is the user's own, False none) as soon as it is there,
    under all that it depends on: the experiment, the documents, the queries, the judgements and this package's
    code. What is there is not done again, so that an experiment that was interrupted goes on; but rankers of code
    from elsewhere are run each time, since nobody tells when that changes. `by` is as in `compare`; what is tuned
    is searched by this process.
    """
    if what is None:
        made = experiment_of({name: _plain(value) for name, value in declared.items() if value is not None})
    elif declared:
        raise UsageError(
            f"give an experiment or what it is made of, not both; got {shown(what)} and {', '.join(declared)}"
        )
    else:
        made = what if isinstance(what, Experiment) else read_experiment(what)
    folder = (user_cache() if cache is True else None) if isinstance(cache, bool) else Path(cache)
    start = perf_counter()
    running = Running(made, KeptRuns(folder) if folder else None, threads, progress, indexing, training, by)
    try:
        found = running.comparisons()
    except KeyboardInterrupt:
        kept = (
            f"what is done is kept in {folder}: the same again goes on from there" if folder else "nothing is kept"
        )
        raise KeyboardInterrupt(kept) from None
    except NotFound as error:
        if isinstance(what, str | Path):  # what it names lies beside it, or where one is
            raise NotFound(f"{error} (looked for beside {Path(what).absolute()}, too)") from None
        raise
    how = Made.now(
        command=command, seconds=round(perf_counter() - start, 3), seed=made.seed, parameters=made.to_json(),
        data=running.data,
    )  # fmt: skip
    return ExperimentResults(
        made.name,
        tuple(found),
        made.baseline,
        made.test,
        made.correction,
        how,
        declared=made,
        samples=tuple(running.samples),
    )


def save_all(results: Results, folder: str | Path, samples: Sequence[SampledScores] = ()) -> list[Path]:
    """Write results to a folder, with the experiment and the scores of sampled documents, if there are such."""
    more = {}
    if isinstance(results, ExperimentResults):
        more[DECLARED], samples = results.declared.to_toml(), results.samples
    if samples:
        more[SAMPLES] = samples_table(samples)
    return save_results(results, folder, more)


def without_train(on: Collection, train: Split, seed: int = 1) -> Collection:
    """Return a collection without the judged queries that parameters were chosen by."""
    chosen, _ = training_split([query.id for query in on.judged_queries if on.qrels[query.id]], train, seed)
    return without(on, chosen)


def user_cache() -> Path | None:
    """Return the folder where runs are kept unless said: beside the compiled code."""
    chosen, caches = os.environ.get("ABOUTNESS_CACHE"), os.environ.get("XDG_CACHE_HOME")
    try:
        root = Path(chosen) if chosen else (Path(caches) if caches else Path.home() / ".cache") / "aboutness"
    except RuntimeError:  # there is no home
        return None
    return root / "experiments"


def is_experiment(source: str) -> bool:
    """Tell whether a name is that of a file that declares an experiment."""
    return source.endswith(".toml")


def sample_scores(
    rankers: str | Ranker | Iterable[str | Ranker],
    on: Collection | str | Path,
    *,
    random: int = DRAWN,
    first: str | Ranker = FIRST,
    seed: int = 1,
    analyzer: str = DEFAULT_ANALYZER,
    index: Index | None = None,
    vectors: Vectors | None = None,
    progress: Progress | None = None,
    indexing: IndexProgress | None = None,
    training: Training | None = None,
) -> SampledScores:
    """Score relevant, irrelevant and random documents of each judged query by several rankers (mitra2016, fig. 4).

    Irrelevant are those judged so or, where a collection has no such judgements, those among the first of another
    ranker (`first`) that are not relevant. The rest is as in `compare`.
    """
    if index is not None and vectors is not None:
        raise UsageError("an index has its own word vectors: give `index` or `vectors`, not both")
    chosen = [named_ranker(one) for one in ([rankers] if isinstance(rankers, str | Ranker) else rankers)]
    opened = on if isinstance(on, Collection) else collection(on)
    check_vectors(vectors)
    if index is None:
        index = Index.build(opened.documents(), analyzer=analyzer, progress=indexing)
        provide(index, [*chosen, named_ranker(first)], vectors, training)
    return sampled_scores(index.snapshot, opened, chosen, random=random, first=first, seed=seed, progress=progress)


def _plain(value: Any) -> Any:  # noqa: ANN401 - what a TOML file could hold
    """Return an argument as a TOML file would have it: rankers as texts, sequences as lists."""
    if isinstance(value, Ranker | Path):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value
