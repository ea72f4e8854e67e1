"""Every query of a comparison, for a page: values by ranker and measure, and the first documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aboutness.core.counted import counted
from aboutness.report.findings import Section
from aboutness.report.markup import as_text, without_unwanted

MOST_VALUES = 42_000  # numbers in a page
MOST_QUERIES = 1000  # of one comparison
FEWEST_QUERIES = 20
FIRST = 5  # documents of a ranking
MOST_CHARACTERS = 400_000  # of the names of documents, and of where they stand
LONGEST_TEXT = 300  # characters of a query


@dataclass(frozen=True)
class Queries:
    """Some queries of a comparison: those that rankers differ most about, where not all have room."""

    section: Section
    chosen: list[str]
    left: int  # how many queries are not shown
    first: list[list[list[tuple[int, int | None]]]] = field(default_factory=list)  # ranker, query: document, grade
    documents: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, section: Section, sections: int = 1) -> Queries:
        """Return the queries of one of several sections, as many as a page has room for."""
        comparison = section.comparison
        rows = comparison.rows
        every = list(rows[0].evaluation.per_query) if rows else []
        room = MOST_VALUES // max(1, sections * len(rows) * len(comparison.measures))
        most = max(FEWEST_QUERIES, min(MOST_QUERIES, room))
        if len(every) > most:
            measure = comparison.measures[0]
            values = {query: [row.evaluation.per_query[query][measure] for row in rows] for query in every}
            spread = {query: max(of) - min(of) for query, of in values.items()}
            kept = set(sorted(every, key=lambda query: -spread[query])[:most])
            chosen = [query for query in every if query in kept]
        else:
            chosen = every
        first, documents = _first_documents(section, chosen, MOST_CHARACTERS // sections)
        return cls(section, chosen, len(every) - len(chosen), first, documents)

    def html(self, number: int) -> str:
        """Return a table of the queries by the first measure, hidden at first; the script adds the other ones."""
        comparison, names = self.section.comparison, self.section.names
        options = "".join(
            f'<option value="{i}">{as_text(one)}</option>' for i, one in enumerate(comparison.measures)
        )
        columns = self.section.letters.values() if len(names) > 1 else [as_text(names[0])]
        head = "".join(
            f'<th scope="col" class="n" title="{as_text(name)}">{letter}</th>'
            for name, letter in zip(names, columns, strict=True)
        )
        left = f" ({self.left:,} more not shown: rankers differ less about them)" if self.left else ""
        legend = "; ".join(f"{letter} <bdi>{as_text(name)}</bdi>" for name, letter in self.section.letters.items())
        rows = "\n".join(self._row(place, query) for place, query in enumerate(self.chosen))
        return f"""<details class="queries" data-part="{number}">
<summary>{counted(len(self.chosen), "query", "queries")} one by one{left}</summary>
<div class="controls" hidden><label>measure <select>{options}</select></label>
<label>find <input type="search" placeholder="id or words"></label></div>
<p class="soft">{as_text(comparison.measures[0])} unless chosen otherwise. {legend}</p>
<div class="scroll tall" tabindex="0" role="group" aria-label="queries">
<table class="sortable">
<thead><tr><th scope="col">query</th>{head}
<th scope="col" class="n" title="best less worst">spread</th></tr></thead>
<tbody>
{rows}
</tbody></table></div></details>"""

    def _row(self, place: int, query: str) -> str:
        measure = self.section.comparison.measures[0]
        values = [round(row.evaluation.per_query[query][measure], 4) for row in self.section.comparison.rows]
        high, low = max(values), min(values)
        cells = "".join(f'<td class="n{" high" if one == high > low else ""}">{one:.4f}</td>' for one in values)
        head = f'<th scope="row"><bdi>{as_text(query)}</bdi></th>'
        return f'<tr data-q="{place}">{head}{cells}<td class="n">{high - low:.4f}</td></tr>'

    def plain(self) -> dict[str, Any]:
        """Return what the script reads."""
        comparison = self.section.comparison
        texts = comparison.texts
        return {
            "rankers": list(map(without_unwanted, self.section.names)),
            "measures": list(map(without_unwanted, comparison.measures)),
            "queries": list(map(without_unwanted, self.chosen)),
            "texts": [without_unwanted(texts.get(query, "")[:LONGEST_TEXT]) for query in self.chosen]
            if texts
            else [],
            "relevant": [
                sum(grade > 0 for grade in comparison.qrels.get(query, {}).values()) for query in self.chosen
            ],
            "values": [
                [
                    [round(row.evaluation.per_query[query][measure], 4) for query in self.chosen]
                    for row in comparison.rows
                ]
                for measure in comparison.measures
            ],
            "documents": self.documents,
            "first": self.first,
        }


def _first_documents(
    section: Section, queries: list[str], room: int
) -> tuple[list[list[list[tuple[int, int | None]]]], list[str]]:
    """Return the first documents of each ranker's rankings, fewer or none where these need too much room."""
    comparison = section.comparison
    if not any(len(row.run) for row in comparison.rows):
        return [], []
    rankings = [
        [[document for document, _ in row.run.get(query, [])[:FIRST]] for query in queries]
        for row in comparison.rows
    ]
    for depth in range(FIRST, 0, -1):
        numbers: dict[str, int] = {}
        first = [
            [
                [
                    (numbers.setdefault(one, len(numbers)), comparison.qrels.get(query, {}).get(one))
                    for one in ranking[:depth]
                ]
                for query, ranking in zip(queries, of_ranker, strict=True)
            ]
            for of_ranker in rankings
        ]
        size = sum(len(one) + 3 for one in numbers) + sum(
            len(str(number)) + 5 for of_ranker in first for some in of_ranker for number, _ in some
        )
        if size <= room:
            return first, [without_unwanted(one) for one in numbers]
    return [], []
