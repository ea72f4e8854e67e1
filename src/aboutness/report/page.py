"""A report as one web page that loads nothing: tables that can be sorted, figures, and every query."""

from __future__ import annotations

from collections.abc import Sequence

from aboutness._version import __version__
from aboutness.experiment.results import Results
from aboutness.report import facts, tested
from aboutness.report.figures.sheet import NEEDED
from aboutness.report.findings import Finding, Section, overview
from aboutness.report.illustrations import Illustration, illustrations
from aboutness.report.levels import by_test
from aboutness.report.markup import allowed, as_data, as_text, asset
from aboutness.report.numbers import signed, told_p
from aboutness.report.queries import Queries

MOST_PAIRED = 12  # rankers of which all pairs are listed by every measure


def report_page(results: Results, sections: Sequence[Section]) -> str:
    """Return the page of some results."""
    style, script = asset("page.css") + asset("report.css"), asset("report.js")
    queries = [Queries.of(section, len(sections)) for section in sections]
    return asset("report.html").format(
        script_hash=allowed(script),
        style_hash=allowed(style),
        version=as_text(__version__),
        name=as_text(results.name or "Results"),
        style=style,
        script=script,
        summary=as_text(facts.summary(results)),
        contents="".join(
            [
                *(
                    f'<li><a href="#c{i}">{as_text(one.comparison.title)}</a></li>'
                    for i, one in enumerate(sections)
                ),
                '<li><a href="#made">How it was made</a></li>',
            ]
        ),
        sections=_overview(sections)
        + "\n".join(
            _section(number, one, results, some)
            for number, (one, some) in enumerate(zip(sections, queries, strict=True))
        ),
        made=_made(results, sections),
        data=as_data([one.plain() for one in queries]),
    )


def _section(number: int, section: Section, results: Results, queries: Queries) -> str:
    comparison = section.comparison
    noted = "".join(f"<li>{as_text(note)}</li>" for note in facts.notes(comparison))
    parts = [
        f'<section id="c{number}" aria-labelledby="c{number}-title">',
        f'<h2 id="c{number}-title" dir="auto">{as_text(comparison.title)}</h2>',
        f"<p>{as_text(facts.best(section))}</p>" if section.names else "",
        f'<ul class="notes">{noted}</ul>',
        _means(section) if section.names else "",
        _differences(section) if section.pairs else "",
        _omnibus(section),
        _figures(number, section, results) if section.names else "",
        _pairs(section) if section.pairs else "",
        queries.html(number) if section.names else "",
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _overview(sections: Sequence[Section]) -> str:
    """Return a table of all comparisons, where there are several."""
    found = overview(sections)
    if found is None:
        return ""
    head = "".join(f'<th scope="col" class="n wrap">{as_text(title)}</th>' for title in found.titles)
    rows = "\n".join(
        f'<tr><th scope="row"><bdi>{as_text(name)}</bdi></th>'
        + "".join('<td class="n">\u2013</td>' if one is None else _mean(one, letters=False) for one in of_ranker)
        + "</tr>"
        for name, of_ranker in found.rows.items()
    )
    caption = (
        f"{as_text(found.measure)}: means, and in brackets standard deviations. Bold is the best of a column."
    )
    table = _table("all comparisons", caption, f'<th scope="col">ranker</th>{head}', rows)
    head = '<h2 id="all-title">All comparisons</h2>'
    return f'<section id="all" aria-labelledby="all-title">\n{head}\n{table}\n</section>\n'


# --- tables ---------------------------------------------------------------------------------------------------


def _means(section: Section) -> str:
    beaten = any(one.beats for findings in section.findings.values() for one in findings.values())
    letters = (
        f" Raised letters name the rankers that it is better than (p &lt; {section.level:g}"
        f"{as_text(tested.against(section))})."
        if beaten
        else ""
    )
    head = "".join(f'<th scope="col" class="n">{as_text(name)}</th>' for name in section.comparison.measures)
    rows = "\n".join(
        f"<tr>{_head(section, row.name, str(row.ranker))}"
        + "".join(_mean(section.findings[row.name][measure]) for measure in section.comparison.measures)
        + f'<td class="n" data-v="{row.seconds:.6f}">{facts.seconds(row)}</td></tr>'
        for row in section.comparison.rows
    )
    caption = (
        "Means over all queries, and in brackets standard deviations. Bold is the best of a column."
        f"{letters} Seconds are those of ranking all queries{facts.cached(section.comparison)}."
    )
    return _table(
        "means", caption, f'<th scope="col">ranker</th>{head}<th scope="col" class="n">seconds</th>', rows
    )


def _mean(found: Finding, *, letters: bool = True) -> str:
    best = ' class="n best"' if found.best else ' class="n"'
    beats = f"<sup>{' '.join(found.beats)}</sup>" if found.beats and letters else ""
    deviation = f'<span class="sd">({found.deviation:.2f})</span>'
    return f'<td{best} data-v="{found.mean!r}">{found.mean:.4f}{beats} {deviation}</td>'


def _differences(section: Section) -> str:
    measures = section.comparison.measures
    head = "".join(f'<th scope="col" class="n">{as_text(name)}</th>' for name in measures)
    rows = "\n".join(
        f"<tr>{_head(section, name)}{''.join(_difference(section.findings[name][one]) for one in measures)}</tr>"
        for name in section.names
        if name != section.reference
    )
    caption = (
        f"Differences to <b><bdi>{as_text(section.reference)}</bdi></b>, with 95 % intervals and p "
        f"({by_test(section.pairs[measures[0]], as_text)}{as_text(tested.against(section))}). ▲ better, ▼ worse "
        f"beyond chance: p &lt; {section.level:g}."
    )
    return _table("differences", caption, f'<th scope="col">ranker</th>{head}', rows)


def _omnibus(section: Section) -> str:
    told = "".join(f"<li>{as_text(one)}</li>" for one in tested.omnibus(section))
    return f'<ul class="notes">{told}</ul>' if told else ""


def _difference(found: Finding) -> str:
    assert found.difference is not None and found.interval is not None and found.p_value is not None
    sign = ("▲ " if found.difference > 0 else "▼ ") if found.sure else ""
    low, high = (signed(value) for value in found.interval)
    strong = " best" if found.sure else ""
    return (
        f'<td class="n{strong}" data-v="{found.difference!r}">{sign}{signed(found.difference)}'
        f'<span class="sd below">[{low}, {high}]</span>'
        f'<span class="sd below">p {as_text(told_p(found.p_value, found.level))}</span></td>'
    )


def _head(section: Section, name: str, ranker: str = "") -> str:
    other = f'<code class="as">{as_text(ranker)}</code>' if ranker not in ("", name) else ""
    letter = f'<span class="letter">{section.letters[name]}</span>' if len(section.names) > 1 else ""
    return f'<th scope="row" data-v="{as_text(name)}">{letter}<bdi>{as_text(name)}</bdi>{other}</th>'


def _pairs(section: Section) -> str:
    """Return all pairs of rankers, hidden at first."""
    measures = (
        section.comparison.measures if len(section.names) <= MOST_PAIRED else section.comparison.measures[:1]
    )
    rows = []
    for measure in measures:
        pairs = section.pairs[measure]
        for i, first in enumerate(pairs.names):
            for j in range(i + 1, len(pairs.names)):
                numbers = (
                    pairs.differences[i, j],
                    pairs.p_values[i, j],
                    pairs.adjusted[i, j],
                    pairs.effects[i, j],
                )
                told = (
                    signed(numbers[0], 4),
                    *(as_text(told_p(one, section.level)) for one in numbers[1:3]),
                    signed(numbers[3], 2),
                )
                cells = "".join(
                    f'<td class="n" data-v="{float(number)!r}">{text}</td>'
                    for number, text in zip(numbers, told, strict=True)
                )
                heads = _head(section, first) + _head(section, pairs.names[j])
                rows.append(f"<tr><td>{as_text(measure)}</td>{heads}{cells}</tr>")
    head = "".join(f'<th scope="col">{name}</th>' for name in ("measure", "ranker", "other"))
    head += "".join(
        f'<th scope="col" class="n">{name}</th>'
        for name in ("difference", "p", f"p ({by_test(section.pairs[measures[0]], as_text)})", section.effect)
    )
    said = f"{section.why}.{tested.all_against_all(section)}"
    table = _table("pairs", as_text(said), head, "\n".join(rows), tall=True)
    return f"<details><summary>All pairs of rankers</summary>\n{table}</details>"


def _table(name: str, caption: str, head: str, rows: str, *, tall: bool = False) -> str:
    """Return a table that scrolls within the page, below what is said of it."""
    return f"""<p class="soft">{caption}</p>
<div class="scroll{" tall" if tall else ""}" tabindex="0" role="group" aria-label="{name}">
<table class="sortable">
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody></table></div>"""


# --- figures, and what is said --------------------------------------------------------------------------------


def _figures(number: int, section: Section, results: Results) -> str:
    drawn: list[Illustration] | None = illustrations(section, results, f"c{number}")
    if drawn is None:
        return f'<p class="soft">There are no figures here: {as_text(NEEDED)}</p>'
    shown = "\n".join(
        f'<figure class="{"wide" if one.wide else "half"}">'
        f'<div class="sheet" tabindex="0" role="group" aria-label="figure">{one.svg}</div>'
        f"<figcaption>{as_text(one.caption)}</figcaption></figure>"
        for one in drawn
    )
    return f'<div class="figures">\n{shown}\n</div>'


def _made(results: Results, sections: Sequence[Section]) -> str:
    rankers = [one for section in sections for one in facts.ranker_facts(section.comparison)]
    told: list[tuple[str, Sequence[tuple[str, str]]]] = [
        ("Data", facts.data_facts(results)),
        ("Tests", tested.test_facts(results, sections)),
        ("Run", facts.made_facts(results)),
        ("Rankers", list(dict.fromkeys((name, ranker) for name, ranker, _ in rankers))),
    ]
    lists = "\n".join(f"<h3>{title}</h3>\n{_facts(some)}" for title, some in told if some)
    command = as_text(facts.command(results))
    return f"<p>The command that makes it again:</p>\n<pre><code>{command}</code></pre>\n{lists}"


def _facts(some: Sequence[tuple[str, str]]) -> str:
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{as_text(name)}</dt><dd>{as_text(value)}</dd>" for name, value in some)
        + "</dl>"
    )
