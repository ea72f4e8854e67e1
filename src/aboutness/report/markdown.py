"""A report in Markdown, with tables as GitHub has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aboutness.experiment.results import Results
from aboutness.report import facts, tested
from aboutness.report.findings import Finding, Section, overview
from aboutness.report.levels import by_test
from aboutness.report.numbers import signed, told_p

SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&])")


def markdown_report(results: Results, sections: Sequence[Section]) -> str:
    """Return the report on some results."""
    parts = [f"# {escaped(results.name or 'Results')}", escaped(facts.summary(results))]
    parts += _overview(sections)
    for section in sections:
        parts += _section(section)
    parts += [
        "## How it was made",
        "The command that makes it again:",
        _code(facts.command(results)),
        *_facts("Data", facts.data_facts(results)),
        *_facts("Tests", tested.test_facts(results, sections)),
        *_facts("Run", facts.made_facts(results)),
    ]
    return "\n\n".join(parts) + "\n"


def _overview(sections: Sequence[Section]) -> list[str]:
    """Return a table of all comparisons, where there are several."""
    found = overview(sections)
    if found is None:
        return []
    rows = [
        [escaped(name), *("\u2013" if one is None else _mean(one, letters=False) for one in of_ranker)]
        for name, of_ranker in found.rows.items()
    ]
    head = ["ranker", *map(escaped, found.titles)]
    return ["## All comparisons", f"{escaped(found.measure)}, means (standard deviations):", table(head, rows)]


def _section(section: Section) -> list[str]:
    comparison = section.comparison
    parts = [f"## {escaped(comparison.title)}"]
    parts.append("\n".join(f"- {escaped(note)}" for note in facts.notes(comparison)))
    if not section.names:
        return parts
    measures = comparison.measures
    rows = [
        [
            section.letters[row.name],
            row.name,
            *(_mean(section.findings[row.name][one]) for one in measures),
            escaped(facts.seconds(row)),
        ]
        for row in comparison.rows
    ]
    seconds = f"Seconds are those of ranking all queries{escaped(facts.cached(comparison))}"
    parts += [
        escaped(facts.best(section)),
        table(
            ["", "ranker", *map(escaped, measures), "seconds"],
            [[row[0], escaped(row[1]), *row[2:]] for row in rows],
        ),
        f"Means (standard deviations). Bold: the best of a column.{_raised(section)} {seconds}.",
    ]
    if section.pairs:
        others = [name for name in section.names if name != section.reference]
        parts += [
            f"Differences to {escaped(section.reference)}, with 95 % intervals and p ({_test(section)}):",
            table(
                ["ranker", *map(escaped, measures)],
                [
                    [escaped(name), *(_difference(section.findings[name][one]) for one in measures)]
                    for name in others
                ],
            ),
        ]
        if told := tested.omnibus(section):
            parts.append("\n".join(f"- {escaped(one)}" for one in told))
    rankers = [(name, ranker) for name, ranker, _ in facts.ranker_facts(comparison) if ranker != name]
    return [*parts, *(_facts("Rankers", rankers))]


def _raised(section: Section) -> str:
    if not section.pairs:
        return ""
    return f" Raised: better than these, p \\< {section.level:g}{escaped(tested.against(section))}."


def _test(section: Section) -> str:
    test = by_test(section.pairs[section.comparison.measures[0]], escaped)
    return f"{test}{escaped(tested.against(section))}"


def _mean(found: Finding, *, letters: bool = True) -> str:
    mean = f"**{found.mean:.4f}**" if found.best else f"{found.mean:.4f}"
    beats = f"<sup>{' '.join(found.beats)}</sup>" if found.beats and letters else ""
    return f"{mean}{beats} ({found.deviation:.2f})"


def _difference(found: Finding) -> str:
    assert found.difference is not None and found.interval is not None and found.p_value is not None
    low, high = (signed(value) for value in found.interval)
    told = f"{signed(found.difference)} \\[{low}, {high}\\] p {escaped(told_p(found.p_value, found.level))}"
    return f"**{told}**" if found.sure else told


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are Markdown already."""
    ruled = ["---" if place < 1 or name == "ranker" else "---:" for place, name in enumerate(head)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ruled, *rows])


def _facts(title: str, some: Sequence[tuple[str, str]]) -> list[str]:
    return (
        [f"### {title}", "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in some)] if some else []
    )


def _code(text: str) -> str:
    """Return a text as a block of code, whatever stands in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"


def escaped(text: str) -> str:
    r"""Return a text in one line in which nothing means anything to Markdown.

    >>> print(escaped("bm25 | <b> *x*"))
    bm25 \| \<b\> \*x\*
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
