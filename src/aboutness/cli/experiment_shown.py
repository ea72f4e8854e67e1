"""What experiments show on a terminal: how far they are, and what they found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from aboutness.cli.evaluate_commands import tell
from aboutness.cli.progress import Tell, now_and_then, queries_progress
from aboutness.cli.render import show_table, told_p
from aboutness.core.counted import counted
from aboutness.core.one_line import one_line

if TYPE_CHECKING:
    from aboutness.app.comparing import Comparison
    from aboutness.app.experimenting import Pace, Results, Tests

LONGEST = 70  # characters of what is being done


def tell_times(found: Results) -> None:
    """Say how long it took, and what was there already."""
    rows = [row for one in found.comparisons for row in one.rows]
    cached = sum(row.cached for row in rows)
    earlier = f"; {cached:,} of {len(rows):,} runs were there already" if cached else ""
    typer.echo(f"{found.made.seconds:,.1f} s, {found.made.peak_mb:,.0f} MB of memory{earlier}", err=True)


def _show_tests(tests: Tests) -> None:
    """Print what tests say: of all rankers together, where one does, and of pairs, corrected where they were."""
    for measure, test in tests.omnibus.items():
        typer.echo(f"{measure}, all together: {test}")
    corrected = tests.correction != "none"
    show_table(
        [
            {
                "measure": one.measure,
                "ranker": one.ranker,
                "other": one.other,
                "difference": f"{one.difference:+.4f}",
                "p": told_p(one.p),
                **({f"p ({tests.correction})": told_p(one.adjusted)} if corrected else {}),
            }
            for one in tests.rows
        ]
    )
    typer.echo(tests.why)


def show_comparison(found: Comparison, tests: Tests | None, *, per_query: bool) -> None:
    """Print a comparison and its tests; and on standard error what one should know of it."""
    documents = f"{counted(found.documents, 'document')} ({found.analyzer})"
    typer.echo(f"{found.title}: {documents}, {_asked(found)}\n")
    for row in found.rows if per_query else ():
        values = row.evaluation.per_query
        show_table([{"ranker": row.name, "query": query, **values[query]} for query in values])
        typer.echo()
    typer.echo(str(found))
    if tests:
        typer.echo()
        _show_tests(tests)
    if found.note:
        typer.echo(found.note, err=True)
    for why, rankers in _by_reason(found.left_out).items():
        typer.echo(f"{', '.join(rankers)} {'is' if len(rankers) == 1 else 'are'} left out: {why}", err=True)
    if unknown := sum(map(len, found.unknown.values())):
        what = counted(unknown, "judged document is", "judged documents are")
        typer.echo(f"{found.collection}: {what} not in the collection, which counts as never found", err=True)
    if found.unasked:
        what = counted(len(found.unasked), "judged query is", "judged queries are")
        lost = f"{what} not among its queries ({one_line(', '.join(found.unasked), LONGEST)})"
        typer.echo(f"{found.collection}: {lost}: never asked, which counts 0", err=True)
    for queries, rankers in found.unanswered.items():
        by = f"no ranking by {', '.join(rankers)}"
        tell(found.collection, len(queries), "judged", by, ": it counts 0", ": they count 0")
    lacking = len(found.rows[0].evaluation.without_relevant) if found.rows else 0
    tell(found.collection, lacking, "judged", "no relevant document")


def _asked(found: Comparison) -> str:
    """Return how many queries the means are over and, where they are not all, what became of the others."""
    unjudged, chosen_by = len(found.unjudged), found.chosen_by
    if not (unjudged or chosen_by):
        return counted(found.queries, "query", "queries")
    told = f"{found.queries:,} of {found.queries + unjudged + chosen_by:,} queries"
    others = f"{chosen_by:,} others" if unjudged else f"the other {chosen_by:,}"
    told += f"; parameters chosen by {others}" if chosen_by else ""
    return told + (f"; {unjudged:,} {'has' if unjudged == 1 else 'have'} no judgements" if unjudged else "")


def _by_reason(left_out: dict[str, str]) -> dict[str, list[str]]:
    """Return rankers by the reason for which they are left out."""
    rankers: dict[str, list[str]] = {}
    for ranker, why in left_out.items():
        rankers.setdefault(why, []).append(ranker)
    return rankers


@contextmanager
def experiment_progress() -> Iterator[tuple[Callable[[Pace], None], Tell, Callable[[str, Any], None]]]:
    """Show how far an experiment is, and the time left: a bar on a terminal, else a line now and then."""
    with queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
        say = now_and_then()

        def tell_pace(pace: Pace) -> None:
            left = "" if pace.seconds_left is None else f", about {clock(pace.seconds_left)} left"
            text = f"{pace.done + 1:,} of {pace.total:,}: {one_line(pace.what, LONGEST)}{left}"
            tell_queries(text, round(100 * pace.part), 100)
            say(text)

        yield tell_pace, tell_documents, tell_training


def clock(seconds: float) -> str:
    """Return a time as people say it: 0:07, or 1:02:03."""
    whole = int(seconds)
    hours = f"{whole // 3600}:" if whole >= 3600 else ""
    return f"{hours}{whole % 3600 // 60:{'02' if hours else ''}}:{whole % 60:02}"
