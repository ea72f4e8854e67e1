"""Commands that measure rankings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aboutness.cli.help import Command
from aboutness.cli.options import JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json, show_table, told_p
from aboutness.core.counted import counted
from aboutness.core.errors import UsageError

if TYPE_CHECKING:
    from aboutness.app.evaluating import EvaluatedRun, Pairs

MeasuresOption = Annotated[
    str | None, typer.Option("--measures", help="Measures, with commas. [default: nDCG@10,AP,RR,P@10,R@100]")
]
PerQueryOption = Annotated[bool, typer.Option("--per-query", help="Show every query's values too.")]
AnalyzerOption = Annotated[
    str | None, typer.Option("--analyzer", help="How the documents are analysed. [default: english]")
]
HoldingIndexOption = Annotated[
    Path | None, typer.Option("--index", help="An index that holds the documents, instead of a new one.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        help="Word vectors for rankers that need some: a file, or how to train them. [default: word2vec]",
    ),
]
# As they are registered; help does not wait for the registries to be loaded.
PAIRED_TESTS = ("fisher", "t", "wilcoxon", "sign")
TESTS_OF_ALL = ("nemenyi", "dunn", "dunn-one-sided")
CORRECTIONS = ("holm", "bonferroni", "none")
CONVENTIONAL = "AP,RR,nDCG"  # what is shown in a convention unless measures are named


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {
        "evaluate": evaluate,
        "measures": measures,
    }
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))


def evaluate(
    qrels: Annotated[
        Path,
        typer.Argument(
            metavar="QRELS",
            help="Judgements: TREC's four columns or BEIR's three; a table with a header (.csv, .tsv), or JSON.",
        ),
    ],
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="Runs: TREC's form, MS MARCO's, a table with a header (.csv, .tsv), or JSON."
        ),
    ],
    measures: MeasuresOption = None,
    convention: Annotated[
        str | None,
        typer.Option("--convention", help="Whose AP, RR and nDCG: trec_eval, galke2017 or galke2017-printed."),
    ] = None,
    deviation: Annotated[
        bool, typer.Option("--deviation", help="Show the standard deviation over the queries, in brackets.")
    ] = False,
    test: Annotated[
        str | None,
        typer.Option(
            "--test",
            help="Test whether the other runs differ from the first more than by chance: "
            f"{', '.join(PAIRED_TESTS)}; or, for all pairs only, {', '.join(TESTS_OF_ALL)}.",
        ),
    ] = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="Test each run against each. [test: fisher]")] = False,
    correction: Annotated[
        str | None,
        typer.Option("--correction", help=f"For many tests at once: {', '.join(CORRECTIONS)}. [default: holm]"),
    ] = None,
    interval: Annotated[
        bool, typer.Option("--interval", help="Show 95 % intervals of means and differences (bootstrap).")
    ] = False,
    per_query: PerQueryOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure runs by judgements, as trec_eval -c does: a query without an answer counts 0."""
    from aboutness.app.evaluating import DEFAULT_MEASURES, evaluate_runs, is_of_all, pairs_of_runs

    if correction and not (test or pairs):
        raise UsageError("--correction is for tests: give --test or --pairs, too")
    usual = CONVENTIONAL if convention else DEFAULT_MEASURES
    every = pairs or (test is not None and is_of_all(test))
    with working("measuring"):
        found = evaluate_runs(
            qrels,
            runs,
            usual if measures is None else measures,
            convention=convention,
            test=None if every else test,
            correction=correction or "holm",
            interval=interval,
        )
        tested = pairs_of_runs(found, test or "fisher", correction or "holm") if every else {}
    if as_json:
        rows = [
            {**one.to_json(), **({"per_query": one.evaluation.per_query} if per_query else {})} for one in found
        ]
        shown = {"pairs": {name: one.to_json() for name, one in tested.items()}} if tested else {}
        show_json({"qrels": str(qrels), "rows": rows, **shown})
        return
    for one in found if per_query else ():
        show_table(
            [{"run": one.name, "query": query, **values} for query, values in one.evaluation.per_query.items()]
        )
        typer.echo()
    show_table([{"run": one.name, "queries": one.evaluation.queries, **_means(one, deviation)} for one in found])
    _show_intervals(found)
    _show_tests(found, correction or "holm")
    for name, each in tested.items():
        _show_pairs(name, each)
    for why in dict.fromkeys(each.why for each in tested.values()):
        typer.echo(f"\n{why}")
    for one in found:
        lists = one.evaluation
        tell(one.name, len(lists.unanswered), "judged", "no ranking", ": it counts 0", ": they count 0")
        tell(one.name, len(lists.unjudged), "ranked", "no judgement", ": it is left out", ": they are left out")
        tell(one.name, len(lists.without_relevant), "judged", "no relevant document")


def _means(one: EvaluatedRun, with_deviation: bool) -> dict[str, Any]:
    found = one.evaluation
    if not with_deviation:
        return found.mean
    return {name: f"{mean:.4f} ({found.deviation[name]:.4f})" for name, mean in found.mean.items()}


def _show_intervals(found: list[EvaluatedRun]) -> None:
    rows = [
        {"run": one.name, "measure": name, "mean": interval.mean, "from": interval.low, "to": interval.high}
        for one in found
        for name, interval in one.intervals.items()
    ]
    if rows:
        typer.echo("\n95 % intervals of the means (bootstrap):")
        show_table(rows)


def _show_tests(found: list[EvaluatedRun], correction: str) -> None:
    rows = [
        {
            "run": one.name,
            "measure": name,
            "difference": f"{result.difference:+.4f}",
            **_ends(one, name),
            "p": told_p(result.p_value),
            **_corrected(correction, one.adjusted[name]),
        }
        for one in found
        for results in one.tests.values()
        for name, result in results.items()
    ]
    if rows:
        typer.echo(f"\nagainst {found[0].name} ({', '.join(found[1].tests)}):")
        show_table(rows)
        whys = (result.why for one in found for results in one.tests.values() for result in results.values())
        for why in dict.fromkeys(whys):
            typer.echo(f"\n{why}")


def _corrected(correction: str, p_value: float) -> dict[str, str]:
    return {} if correction == "none" else {f"p ({correction})": told_p(p_value)}


def _ends(one: EvaluatedRun, measure: str) -> dict[str, str]:
    """Return the ends of the interval of a difference, if there is one."""
    if measure not in one.differences:
        return {}
    interval = one.differences[measure]
    return {"from": f"{interval.low:+.4f}", "to": f"{interval.high:+.4f}"}


def _show_pairs(measure: str, tested: Pairs) -> None:
    from aboutness.app.evaluating import critical_difference, r_table

    typer.echo(f"\n{measure}, each against each ({tested.test}):")
    if tested.omnibus:
        typer.echo(f"all together: {tested.omnibus}")
    show_table(
        [
            {
                "run": row["ranker"],
                "other": row["other"],
                "difference": f"{row['difference']:+.4f}",
                "p": told_p(row["p"]),
                **_corrected(tested.correction, row["adjusted"]),
                tested.effect: f"{row['effect']:+.2f}",
            }
            for row in tested.rows()
        ]
    )
    if tested.test == "dunn-one-sided":
        typer.echo(f"z (column less row) and p ({tested.correction}), as R's dunn.test has them:")
        typer.echo(r_table(tested))
    if tested.test == "nemenyi":
        apart = critical_difference(len(tested.names), tested.n)
        typer.echo(f"mean ranks must differ by {apart:.4f} to be significant at 0.05")


def measures(as_json: JsonOption = False) -> None:
    """List the measures."""
    from aboutness.app.evaluating import known_measures

    rows = known_measures()
    if as_json:
        show_json(rows)
    else:
        show_table(rows)


def tell(name: str, count: int, which: str, lack: str, it: str = "", they: str = "") -> None:
    """Say on standard error how many queries lack something, if there are any, and what becomes of them."""
    if count:
        has = counted(count, f"{which} query has".strip(), f"{which} queries have".strip())
        typer.echo(f"{name}: {has} {lack}{it if count == 1 else they}", err=True)
