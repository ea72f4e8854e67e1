"""A report in LaTeX: tables with booktabs, the best in bold, and raised letters where a difference is sure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from aboutness.core.counted import counted
from aboutness.experiment.results import Results
from aboutness.report import facts, tested
from aboutness.report.findings import Finding, Section, letters, overview
from aboutness.report.levels import by_test
from aboutness.report.numbers import signed, told_p

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "-": "-{}", "[": "{[}", "]": "{]}", "\u2212": r"\ensuremath{-}", "\u2013": "--", "\u2014": "---",
    "\u2026": r"\ldots{}", "\u221e": r"\ensuremath{\infty}", "\u00d7": r"\ensuremath{\times}", "\u00a7": r"\S{}",
    "\u2018": "`", "\u2019": "'", "\u201c": "``", "\u201d": "''",
}  # fmt: skip
LONGEST_WORD = 14  # characters without a place where a line may end

HEAD = r"""% Made by aboutness. Each table can be taken by itself; it needs booktabs, textcomp and array.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{array}
\usepackage{booktabs}
\usepackage[margin=2cm]{geometry}
\begin{document}
"""


def latex_report(results: Results, sections: Sequence[Section]) -> str:
    """Return the report on some results: a whole document, of which tables can be taken."""
    parts = [
        HEAD.rstrip(),
        rf"\section*{{{escaped(results.name or 'Results')}}}",
        escaped(facts.summary(results)),
    ]
    parts += _overview(sections)
    for number, section in enumerate(sections, 1):
        parts += _section(number, section)
    parts += [
        r"\section*{How it was made}",
        "The command that makes it again:",
        rf"\begin{{quote}}\ttfamily\raggedright {escaped(facts.command(results))}\end{{quote}}",
        *_facts("Data", facts.data_facts(results)),
        *_facts("Tests", tested.test_facts(results, sections)),
        *_facts("Run", facts.made_facts(results)),
        r"\end{document}",
    ]
    return "\n\n".join(parts) + "\n"


def _overview(sections: Sequence[Section]) -> list[str]:
    """Return a table of all comparisons, where there are several: a row for each of them."""
    found = overview(sections)
    if found is None:
        return []
    short = letters(len(found.rows))
    of_comparison = zip(*found.rows.values(), strict=True)
    rows = [
        [escaped(title), *("--" if one is None else _mean(one, raised=False) for one in some)]
        for title, some in zip(found.titles, of_comparison, strict=True)
    ]
    named = "; ".join(f"{letter}: {escaped(name)}" for letter, name in zip(short, found.rows, strict=True))
    measure = escaped(found.measure)
    caption = f"All comparisons by {measure}: means (standard deviations). Bold: the best of a row. {named}."
    columns = f"{_names_column(len(short))}{'r' * len(short)}"
    return [_table(caption, "tab:all", columns, ["", *short], rows)]


def _section(number: int, section: Section) -> list[str]:
    comparison = section.comparison
    parts = [
        rf"\section*{{{escaped(comparison.title)}}}",
        _items([*facts.notes(comparison), *tested.omnibus(section)]),
    ]
    if not section.names:
        return parts
    parts.append(means_table(number, section))
    if section.pairs:
        parts.append(differences_table(number, section))
    rankers = [(name, ranker) for name, ranker, _ in facts.ranker_facts(comparison) if ranker != name]
    return [*parts, *_facts("Rankers", rankers)]


def _items(texts: Sequence[str]) -> str:
    items = "\n".join(rf"\item {escaped(text)}" for text in texts)
    return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"


def _tested(section: Section) -> str:
    """Return what is p by, for captions."""
    test = by_test(section.pairs[section.comparison.measures[0]], escaped)
    return f"$p<{section.level:g}$ ({test}{escaped(tested.against(section))})"


def means_table(number: int, section: Section) -> str:
    """Return the table of means (standard deviations)."""
    comparison = section.comparison
    rows = [
        [
            section.letters[row.name],
            escaped(row.name),
            *(_mean(section.findings[row.name][one]) for one in comparison.measures),
            facts.seconds(row),
        ]
        for row in comparison.rows
    ]
    tests = f" Raised letters: better than these rankers, {_tested(section)}." if section.pairs else ""
    caption = (
        f"{escaped(comparison.title)}: means over {counted(comparison.queries, 'query', 'queries')} (standard "
        f"deviations). Bold: the best of a column.{tests} s: seconds of ranking all queries"
        f"{facts.cached(comparison)}."
    )
    head = ["", "ranker", *map(escaped, comparison.measures), "s"]
    columns = f"l{_names_column(len(comparison.measures))}{'r' * (len(head) - 2)}"
    return _table(caption, f"tab:means-{number}", columns, head, rows)


def differences_table(number: int, section: Section) -> str:
    """Return the table of differences to the reference, with intervals and p."""
    measures = section.comparison.measures
    rows = [
        [escaped(name), *(_difference(section.findings[name][one]) for one in measures)]
        for name in section.names
        if name != section.reference
    ]
    caption = (
        f"{escaped(section.comparison.title)}: differences to {escaped(section.reference)}, with 95\\,\\% "
        f"intervals; bold: {_tested(section)}."
    )
    return _table(
        caption, f"tab:differences-{number}", f"{_names_column(len(measures))}{'r' * len(measures)}",
        ["ranker", *map(escaped, measures)], rows,
    )  # fmt: skip


def _names_column(measures: int) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{max(0.18, 0.5 - 0.07 * measures):.2f}\linewidth}}"


def _table(caption: str, label: str, columns: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [" & ".join(row) + r" \\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\small",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _mean(found: Finding, *, raised: bool = True) -> str:
    mean = rf"\textbf{{{found.mean:.4f}}}" if found.best else f"{found.mean:.4f}"
    beats = rf"\textsuperscript{{{','.join(found.beats)}}}" if found.beats and raised else ""
    return f"{mean}{beats} ({found.deviation:.2f})"


def _difference(found: Finding) -> str:
    assert found.difference is not None and found.interval is not None and found.p_value is not None
    low, high = (signed(value) for value in found.interval)
    told = escaped(signed(found.difference))
    told = rf"\textbf{{{told}}}" if found.sure else told
    interval = (
        rf"{{\footnotesize{{}}{escaped(f'[{low}, {high}]')} $p$ {escaped(told_p(found.p_value, found.level))}}}"
    )
    return rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{told}\\{interval}\end{{tabular}}"


def _facts(title: str, some: Sequence[tuple[str, str]]) -> list[str]:
    if not some:
        return []
    items = "\n".join(rf"\item[{{{escaped(name)}}}] {escaped(value)}" for name, value in some)
    return [rf"\subsection*{{{title}}}", f"\\begin{{description}}\\raggedright\n{items}\n\\end{{description}}"]


def escaped(text: str) -> str:
    r"""Return a text in one line in which nothing means anything to TeX, and that any engine can set.

    Letters that the usual fonts lack become their nearest ones, or else their number. Long words may be broken.

    >>> print(escaped("50% of x_1 & y: naïve, Erdős, א"))
    50\% of x\_1 \& y: naïve, Erdos, {[}U+05D0{]}
    """
    words = [_broken(word) for word in " ".join(text.split()).split(" ")]
    return " ".join(words)


def _broken(word: str) -> str:
    """Return a word escaped, with places where a line may end if it is very long."""
    made = [_character(one) for one in word]
    if len(made) <= LONGEST_WORD:
        return "".join(made)
    pieces = ["".join(made[first : first + LONGEST_WORD]) for first in range(0, len(made), LONGEST_WORD)]
    return r"\allowbreak{}".join(pieces)


def _character(one: str) -> str:
    if one in SPECIAL:
        return SPECIAL[one]
    if " " <= one <= "~" or re.fullmatch("[À-ÖØ-öø-ÿ]", one):
        return one
    plain = unicodedata.normalize("NFKD", one).encode("ascii", "ignore").decode().strip()
    if plain and plain.isprintable():
        return "".join(SPECIAL.get(letter, letter) for letter in plain)
    return "" if unicodedata.combining(one) else f"{{[}}U+{ord(one):04X}{{]}}"
