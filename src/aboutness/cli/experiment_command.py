"""The command that compares rankers on test collections."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aboutness.cli.cluster_options import MadeShardsOption, RayOption, check_count, check_searched
from aboutness.cli.evaluate_commands import (
    CORRECTIONS,
    PAIRED_TESTS,
    TESTS_OF_ALL,
    AnalyzerOption,
    HoldingIndexOption,
    MeasuresOption,
    PerQueryOption,
    VectorsOption,
)
from aboutness.cli.experiment_shown import experiment_progress, show_comparison, tell_times
from aboutness.cli.help import Command
from aboutness.cli.options import JsonOption
from aboutness.cli.progress import queries_progress, working
from aboutness.cli.render import ends_well, show_json
from aboutness.cli.search_commands import FieldsOption, RankerOption, chosen_rankers
from aboutness.cli.tune_commands import share
from aboutness.core.counted import counted
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.by_shards import ByShards
    from aboutness.app.experimenting import Results, SampledScores

DEPTH = 1000


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("experiment", cls=Command)(ends_well(experiment))


def experiment(
    context: typer.Context,
    collection: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTION|FILE.toml",
            help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or irds:NAME; or a file that declares "
            "an experiment.",
        ),
    ],
    ranker: RankerOption = None,
    measures: MeasuresOption = None,
    analyzer: AnalyzerOption = None,
    index: HoldingIndexOption = None,
    vectors: VectorsOption = None,
    k: Annotated[int, typer.Option("-k", help="How many documents of each ranking are measured.")] = DEPTH,
    match: Annotated[
        str,
        typer.Option(
            "--match", help="Which documents are ranked: or, and, all, judged, or a cut ranker ('bm25 % 100')."
        ),
    ] = "or",
    fields: FieldsOption = None,
    queries: Annotated[
        str,
        typer.Option("--queries", help="The form of the queries: text, title, desc, title+narr, short, long."),
    ] = "text",
    train: Annotated[
        str | None,
        typer.Option(
            "--train", help="Leave out the queries that parameters were chosen by: a share (.5), or a file of ids."
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            help="Documents are the queries, and what shares a label is relevant: a metadata field, or qrels.",
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", help="With --labels: a file of label, tab, group; or malina2016, for Reuters."),
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", help="With --labels: how many documents are drawn to be queries.")
    ] = 1000,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            help="With -o: score so many random documents for each query, too, and relevant and irrelevant ones.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Draws queries, documents, and permutations of tests.")] = 1,
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            help=f"Test whether rankers differ by more than chance: {', '.join((*PAIRED_TESTS, *TESTS_OF_ALL))}.",
        ),
    ] = None,
    correction: Annotated[
        str, typer.Option("--correction", help=f"For the number of tests: {', '.join(CORRECTIONS)}.")
    ] = "holm",
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Test against this ranker instead of all pairs.")
    ] = None,
    per_query: PerQueryOption = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A folder for results, per-query values and runs.")
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            help="Of a FILE.toml: where finished runs are kept. [default: ~/.cache/aboutness/experiments]",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Of a FILE.toml: take no run from before, and keep none.")
    ] = False,
    ray: RayOption = None,
    shards: MadeShardsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare rankers on a test collection, all that are registered unless some are named; or run a FILE.toml.

    What rankers need is trained on the documents first, unless there is an index, which has its own. A file
    declares collections, rankers, measures, fields, forms of queries and tests; what is finished is kept, so that
    the same again goes on where it was.
    """
    from aboutness.app.by_shards import ByShards
    from aboutness.app.comparing import DEFAULT_MEASURES, compare, results_of, trained_first
    from aboutness.app.comparing import collection as opened
    from aboutness.app.experimenting import (
        by_label,
        check_test,
        differences_of,
        is_experiment,
        results_in,
        without_train,
    )
    from aboutness.app.index import Index
    from aboutness.app.layers import DEFAULT_ANALYZER

    check_count(shards)
    by = None if ray is None and shards is None else ByShards(shards, ray=ray)
    if is_experiment(collection):
        _refuse_beside_file(context)
        if cache and no_cache:
            raise UsageError("--cache says where runs are kept, and --no-cache that none are: give one of them")
        _run_file(collection, output, cache or not no_cache, by, per_query=per_query, as_json=as_json)
        return
    if index is not None:
        check_searched(ray, shards)
    _check_options(
        {"--cache": cache, "--no-cache": no_cache, "--index": index, "--analyzer": analyzer, "--vectors": vectors,
         "--groups": groups, "--labels": labels, "--random": random, "-o": output}
    )  # fmt: skip
    test = "fisher" if baseline and not test else test
    if test:
        check_test(test, correction)
    rankers = chosen_rankers(ranker) if ranker else None
    with results_in(output):
        on = (
            by_label(collection, labels, groups=groups, queries=sample, seed=seed)
            if labels
            else opened(collection)
        )
        if train is not None:
            on = without_train(on, share(train), seed)
        if rankers is None and index is None and not as_json:
            first = ", ".join(trained_first(vectors))
            typer.echo(f"comparing all rankers (-r chooses some); trained first: {first}", err=True)
        with queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
            found = compare(
                rankers,
                on,
                DEFAULT_MEASURES if measures is None else measures,
                analyzer=DEFAULT_ANALYZER if analyzer is None else analyzer,
                index=Index.open(index) if index else None,
                vectors=vectors,
                depth=k,
                match=match,
                fields=fields,
                queries=queries,
                random=random,
                seed=seed,
                progress=tell_queries,
                indexing=tell_documents,
                training=tell_training,
                by=by,
            )
        with working("testing differences"):
            tests = differences_of(found, test, correction, baseline, seed) if test else None
        how = {"test": test or "fisher", "correction": correction, "baseline": baseline}
        if as_json:
            show_json({**found.to_json(per_query=per_query), **({"tests": tests.to_json()} if tests else {})})
        else:
            show_comparison(found, tests, per_query=per_query)
        _saved(results_of(found, command=_command(), seed=seed, **how), output, found.samples, told=not as_json)


def _check_options(given: dict[str, Any]) -> None:
    """Raise where options do not go together."""
    if given["--cache"] or given["--no-cache"]:
        raise UsageError(
            "runs are kept for experiments of a FILE.toml: give such a file, or neither of these options"
        )
    if given["--index"] and given["--analyzer"]:
        raise UsageError("an index has its own analyzer: give --index or --analyzer, not both")
    if given["--index"] and given["--vectors"]:
        raise UsageError("an index has its own word vectors: give --index or --vectors, not both")
    if given["--random"] is not None and not given["-o"]:
        raise UsageError("--random writes scores to the folder of results: give -o, too")
    if given["--groups"] and not given["--labels"]:
        raise UsageError("--groups puts labels into groups: give --labels, too")


def _run_file(
    file: str, output: Path | None, cache: Path | bool, by: ByShards | None, *, per_query: bool, as_json: bool
) -> None:
    """Run the experiment of a file."""
    from aboutness.app.experimenting import differences_of, results_in, run_experiment

    with results_in(output):
        with experiment_progress() as (tell, tell_documents, tell_training):
            found = run_experiment(
                file, cache=cache, progress=tell, indexing=tell_documents, training=tell_training,
                command=_command(), by=by,
            )  # fmt: skip
        with working("testing differences"):
            tests = [
                differences_of(one, found.test, found.correction, found.baseline, found.made.seed)
                if len(one.rows) > 1
                else None
                for one in found.comparisons
            ]
        if as_json:
            plain = found.to_json(per_query=per_query)
            for one, tested in zip(plain["comparisons"], tests, strict=True):
                one.update({"tests": tested.to_json()} if tested else {})
            show_json(plain)
        else:
            for place, (one, tested) in enumerate(zip(found.comparisons, tests, strict=True)):
                typer.echo("\n" if place else "", nl=False)
                show_comparison(one, tested, per_query=per_query)
            tell_times(found)
        _saved(found, output, told=not as_json)


def _saved(results: Results, output: Path | None, samples: SampledScores | None = None, *, told: bool) -> None:
    from aboutness.app.experimenting import save_all

    if output:
        with working("writing results"):
            written = save_all(results, output, [samples] if samples else [])
        if told:
            typer.echo(f"\n{counted(len(written), 'file is', 'files are')} in {output}")


def _command() -> str:
    """Return the command that was given, as a shell takes it."""
    return shlex.join(["aboutness", *sys.argv[1:]])


def _refuse_beside_file(context: typer.Context) -> None:
    """Raise where an option is given that an experiment's file says itself."""
    allowed = ("collection", "output", "cache", "no_cache", "per_query", "as_json", "ray", "shards")
    for one in context.command.params:
        source = context.get_parameter_source(one.name or "")
        if one.name not in allowed and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{one.opts[-1]} stands in the file of an experiment, and cannot be given besides")
