"""What every report says besides numbers: the data, the tests, what is missing, and how all was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aboutness.experiment.compare import Comparison
from aboutness.experiment.hashes import qrels_checksum
from aboutness.experiment.results import Results
from aboutness.report.findings import LEVEL, Section

CHECKSUM = "judgements checksum"
MOST_NAMED = 10  # ids in a sentence
CORRECTIONS = {
    "holm": "Holm's correction: so that no more than one of twenty such families of tests has any false finding",
    "bonferroni": "Bonferroni's correction: each p is multiplied by the number of tests",
    "none": "not corrected: of many tests, one in twenty finds a difference by chance alone",
}


def summary(results: Results) -> str:
    """Return in one sentence what was compared."""
    comparisons = results.comparisons
    rankers = list(dict.fromkeys(row.name for one in comparisons for row in one.rows))
    collections = list(dict.fromkeys(one.collection for one in comparisons))
    settings = f", {len(comparisons)} settings" if len(comparisons) > len(collections) else ""
    queries = sum({one.collection: one.queries for one in comparisons}.values())
    date = f", {results.made.date}" if results.made.date else ""
    return (
        f"{_count(len(rankers), 'ranker')} on {_names(collections)}{settings}: "
        f"{_count(queries, 'judged query', 'judged queries')}{date}"
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
    found = [f"The means are over {_count(comparison.queries, 'query', 'queries')} that have judgements."]
    if not comparison.rows:
        return ["There is no ranker."]
    lacking = comparison.rows[0].evaluation.without_relevant
    if lacking:
        found.append(
            f"{_count(len(lacking), 'judged query has', 'judged queries have')} no relevant document and "
            f"{'counts' if len(lacking) == 1 else 'count'} 0: {_some(lacking)}."
        )
    unanswered: dict[tuple[str, ...], list[str]] = {}
    unjudged: dict[tuple[str, ...], list[str]] = {}
    for row in comparison.rows:
        unanswered.setdefault(row.evaluation.unanswered, []).append(row.name)
        unjudged.setdefault(row.evaluation.unjudged, []).append(row.name)
    found += [
        f"{_count(len(queries), 'query has', 'queries have')} no answer by {_names(names)} and "
        f"{'counts' if len(queries) == 1 else 'count'} 0: {_some(queries)}."
        for queries, names in unanswered.items()
        if queries
    ]
    found += [
        f"{_count(len(queries), 'query', 'queries')} without judgements that {_names(names)} answered "
        f"{'is' if len(queries) == 1 else 'are'} left out: {_some(queries)}."
        for queries, names in unjudged.items()
        if queries
    ]
    if not (any(unanswered) or any(unjudged) or lacking):
        found[0] = f"{found[0][:-1]}; all of them have answers and relevant documents."
    unknown = sum(map(len, comparison.unknown.values()))
    if unknown:
        found.append(
            f"{_count(unknown, 'judged document is', 'judged documents are')} not in the collection: "
            "counted as never found."
        )
    found += [f"{name} is left out: {why}." for name, why in comparison.left_out.items()]
    return [*found, *([f"{comparison.note}."] if comparison.note else [])]


def test_facts(results: Results, sections: Sequence[Section]) -> list[tuple[str, str]]:
    """Return which test was made, why, and how p was corrected."""
    why = list(dict.fromkeys(section.why for section in sections))
    against = f"all others against {results.baseline}" if results.baseline else "all pairs of rankers"
    return [
        ("test", " ".join(why)),
        ("tested", f"{against}, by each measure for itself; p below {LEVEL:g} counts as more than chance"),
        ("correction", CORRECTIONS.get(results.correction, results.correction)),
        (
            "intervals",
            "95 %, by bootstrap: the queries are drawn again many times, and the middle of the means is taken",
        ),
    ]


def data_facts(results: Results) -> list[tuple[str, str]]:
    """Return what the data were, by collection."""
    facts: dict[str, list[str]] = {}
    for name, said in results.made.data.items():
        about = said if isinstance(said, Mapping) else {"": said}
        facts[name] = [f"{key.replace('_', ' ')} {_value(value)}".strip() for key, value in about.items()]
    for one in results.comparisons:
        known = facts.setdefault(one.title, [f"{one.documents:,} documents", f"{one.queries:,} judged queries"])
        known.append(f"analyzer {one.analyzer}")
        told = facts.get(one.collection, known)
        if not any(part.startswith(CHECKSUM) for part in told):
            told.append(f"{CHECKSUM} {qrels_checksum(one.qrels)}")
    return [(name, "; ".join(parts)) for name, parts in facts.items()]


def made_facts(results: Results) -> list[tuple[str, str]]:
    """Return how the results were made."""
    made = results.made
    facts = [
        ("date", made.date),
        ("seed", str(made.seed)),
        ("time", f"{made.seconds:,.1f} s in all" if made.seconds else ""),
        ("memory", f"{made.peak_mb:,.0f} MB at most" if made.peak_mb else ""),
        ("versions", ", ".join(f"{name} {version}" for name, version in made.versions.items())),
        *((f"{name.replace('_', ' ')}", _value(value)) for name, value in made.parameters.items()),
    ]
    return [(name, value) for name, value in facts if value]


def ranker_facts(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return each ranker's name, what it is, and how long its rankings took."""
    return [
        (row.name, str(row.ranker), f"{row.seconds:,.2f} s{' (made earlier)' if row.cached else ''}")
        for row in comparison.rows
    ]


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


def _count(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def _some(ids: Iterable[str]) -> str:
    every = list(ids)
    rest = f" and {len(every) - MOST_NAMED:,} more" if len(every) > MOST_NAMED else ""
    return f"{', '.join(every[:MOST_NAMED])}{rest}"
