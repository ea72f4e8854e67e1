"""What every report says besides numbers: the data, what is missing, and how all was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aboutness.core.counted import counted
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.hashes import qrels_checksum
from aboutness.experiment.results import Made, Results
from aboutness.report.findings import Section

CHECKSUM = "judgements checksum"
TOLD = frozenset({"seed", "test", "correction", "baseline"})  # parameters that stand elsewhere in a report
MOST_NAMED = 10  # ids in a sentence


def summary(results: Results) -> str:
    """Return in one sentence what was compared."""
    comparisons = results.comparisons
    rankers = list(dict.fromkeys(row.name for one in comparisons for row in one.rows))
    collections = list(dict.fromkeys(one.collection for one in comparisons))
    settings = f", {len(comparisons)} settings" if len(comparisons) > len(collections) else ""
    queries = sum({one.collection: one.queries for one in comparisons}.values())
    date = f", {results.made.date}" if results.made.date else ""
    return (
        f"{counted(len(rankers), 'ranker')} on {_names(collections)}{settings}: "
        f"{counted(queries, 'judged query', 'judged queries')}{date}"
    )


def best(section: Section) -> str:
    """Return which ranker is best by each measure."""
    comparison = section.comparison
    by: dict[tuple[str, ...], list[str]] = {}
    for measure in comparison.measures:
        names = tuple(name for name in section.names if section.findings[name][measure].best)
        by.setdefault(names, []).append(measure)
    if len(by) == 1 and len(comparison.measures) > 1:
        return f"Best by every measure: {_names(next(iter(by)))}."
    return "Best: " + "; ".join(f"{_names(names)} by {_names(measures)}" for names, measures in by.items()) + "."


def notes(comparison: Comparison) -> list[str]:
    """Return what one should know of a comparison: whatever is missing, and what the means are over."""
    if not comparison.rows:
        return ["There is no ranker."]
    found = [_over(comparison)]
    lacking = comparison.rows[0].evaluation.without_relevant
    if comparison.unasked:
        found.append(
            f"{counted(len(comparison.unasked), 'judged query is', 'judged queries are')} not among the "
            f"collection's queries: never asked, {_zero(comparison.unasked)}."
        )
    if lacking:
        found.append(
            f"{counted(len(lacking), 'judged query has', 'judged queries have')} no relevant document and "
            f"{_zero(lacking)}."
        )
    found += [
        f"{counted(len(queries), 'query has', 'queries have')} no answer by {_names(names)} and {_zero(queries)}."
        for queries, names in comparison.unanswered.items()
    ]
    if len(found) == 1:
        those = "This query has" if comparison.queries == 1 else f"All {comparison.queries:,} have"
        found.append(f"{those} answers and relevant documents.")
    unjudged: dict[tuple[str, ...], list[str]] = {}
    for row in comparison.rows:
        unjudged.setdefault(row.evaluation.unjudged, []).append(row.name)
    found += [
        f"{counted(len(queries), 'query', 'queries')} without judgements that {_names(names)} answered "
        f"{'is' if len(queries) == 1 else 'are'} left out: {_some(queries)}."
        for queries, names in unjudged.items()
        if queries
    ]
    unknown = sum(map(len, comparison.unknown.values()))
    if unknown:
        found.append(
            f"{counted(unknown, 'judged document is', 'judged documents are')} not in the collection: "
            "counted as never found."
        )
    found += [f"{name} is left out: {why}." for name, why in comparison.left_out.items()]
    return [*found, *([f"{comparison.note}."] if comparison.note else [])]


def _over(comparison: Comparison) -> str:
    """Return which queries the means are over, and why not over all there are."""
    left, chosen_by = comparison.unjudged, comparison.chosen_by
    reasons = []
    if chosen_by:
        reasons.append(f"{chosen_by:,} served only to choose parameters")
    if left:
        reasons.append(f"{len(left):,} {'has' if len(left) == 1 else 'have'} no judgements ({_some(left)})")
    if not reasons:
        return (
            f"The means are over {counted(comparison.queries, 'query that has', 'queries that have')} judgements."
        )
    every = comparison.queries + len(left) + chosen_by
    return f"The means are over {comparison.queries:,} of {every:,} queries: {_names(reasons)}."


def _zero(queries: Sequence[str]) -> str:
    return f"{'counts' if len(queries) == 1 else 'count'} 0: {_some(queries)}"


def known_data(made: Made) -> dict[str, list[str]]:
    """Return what is known of the data of results, by collection."""
    facts = {}
    for name, said in made.data.items():
        about = said if isinstance(said, Mapping) else {"": said}
        facts[name] = [f"{key.replace('_', ' ')} {_value(value)}".strip() for key, value in about.items()]
    return facts


def data_facts(results: Results) -> list[tuple[str, str]]:
    """Return what the data were, by collection."""
    facts = known_data(results.made)
    for one in results.comparisons:
        known = facts.setdefault(one.title, _sizes(one))
        known.append(f"analyzer {one.analyzer}")
        told = facts.get(one.collection, known)
        if not any(part.startswith(CHECKSUM) for part in told):
            told.append(f"{CHECKSUM} {qrels_checksum(one.qrels)}")
    return [(name, "; ".join(parts)) for name, parts in facts.items()]


def _sizes(comparison: Comparison) -> list[str]:
    queries = counted(comparison.queries, "judged query", "judged queries")
    return [counted(comparison.documents, "document"), queries]


def made_facts(results: Results) -> list[tuple[str, str]]:
    """Return how the results were made."""
    return run_facts(results.made, _made_earlier(results))


def run_facts(made: Made, earlier: str = "") -> list[tuple[str, str]]:
    """Return how something was made; `earlier` says what was not made in the time that is told."""
    facts = [
        ("date", made.date),
        ("seed", str(made.seed)),
        ("time", f"{made.seconds:,.1f} s in all{earlier}" if made.seconds else ""),
        ("memory", f"{made.peak_mb:,.0f} MB at most{earlier}" if made.peak_mb else ""),
        ("versions", ", ".join(f"{name} {version}" for name, version in made.versions.items())),
    ]
    for name, value in made.parameters.items():
        if _is_of_named(value):
            facts += [(f"{name} {number}", _value(one)) for number, one in enumerate(value, 1)]
        elif name not in TOLD and value is not None:
            facts.append((name.replace("_", " "), _value(value)))
    return [(name, value) for name, value in facts if value]


def _is_of_named(value: Any) -> bool:  # noqa: ANN401 - plain values
    return isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value)


def _made_earlier(results: Results) -> str:
    """Return how many rankings were not made in the time that is told, where some were not."""
    rows = [row for one in results.comparisons for row in one.rows]
    cached = sum(row.cached for row in rows)
    if not cached:
        return ""
    some = "the rankings" if cached == len(rows) else f"the rankings of {cached:,} of {len(rows):,} rows"
    return f", without making {some}: these were made earlier"


def ranker_facts(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return each ranker's name, what it is, and how long its rankings took."""
    return [
        (row.name, _ranker(row), f"{row.seconds:,.2f} s{' (made earlier)' if row.cached else ''}")
        for row in comparison.rows
    ]


def seconds(row: Row) -> str:
    """Return how long a row's rankings took; with a star if that was earlier."""
    return f"{row.seconds:,.2f}{'*' if row.cached else ''}"


def cached(comparison: Comparison) -> str:
    """Return what the star means, where there is one."""
    return "; * made earlier" if any(row.cached for row in comparison.rows) else ""


def _ranker(row: Row) -> str:
    return f"{row.ranker}; chosen: {row.chosen}" if row.chosen else str(row.ranker)


def command(results: Results) -> str:
    """Return the command that makes the results again, or where it is not known, what to do."""
    return results.made.command or "(made in Python; no command was told)"


def _value(value: Any) -> str:  # noqa: ANN401 - plain values
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_value(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def _some(ids: Iterable[str]) -> str:
    every = list(ids)
    rest = f" and {len(every) - MOST_NAMED:,} more" if len(every) > MOST_NAMED else ""
    return f"{', '.join(every[:MOST_NAMED])}{rest}"
