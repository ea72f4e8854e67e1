from __future__ import annotations

from dataclasses import replace

from aboutness.report import queries
from aboutness.report.findings import section
from aboutness.report.queries import Queries
from report.made_results import comparison, names_of, results
from report.pages import Page


def of(one, sections=1):
    return Queries.of(section(results(one), one), sections)


def test_all_queries_with_values_and_first_documents():
    one = comparison(texts={"q1": "a question"})
    plain = of(one).plain()
    assert plain["queries"] == list(one.qrels)
    assert plain["texts"][1] == "a question"
    assert plain["relevant"] == [2] * 9
    assert plain["values"][1][2] == [
        round(values["AP"], 4) for values in one.rows[2].evaluation.per_query.values()
    ]
    first = plain["first"][2][4]
    assert [plain["documents"][number] for number, _ in first] == [
        name for name, _ in one.rows[2].run["q4"][: queries.FIRST]
    ]
    assert [grade for _, grade in first] == [
        one.qrels["q4"].get(name) for name, _ in one.rows[2].run["q4"][: queries.FIRST]
    ]


def test_where_there_is_no_room_those_that_rankers_differ_about(monkeypatch):
    monkeypatch.setattr(queries, "MOST_QUERIES", 4)
    monkeypatch.setattr(queries, "FEWEST_QUERIES", 2)
    one = comparison()
    found = of(one)
    values = {query: [row.evaluation.per_query[query]["nDCG@10"] for row in one.rows] for query in one.qrels}
    spread = {query: max(some) - min(some) for query, some in values.items()}
    assert len(found.chosen) == 4
    assert found.left == 5
    assert min(spread[query] for query in found.chosen) >= max(
        spread[query] for query in one.qrels if query not in found.chosen
    )
    assert found.chosen == [query for query in one.qrels if query in found.chosen]
    assert "5 more not shown" in found.html(0)
    monkeypatch.setattr(queries, "MOST_VALUES", 3 * 2 * 3 * 3)
    assert len(of(one, 3).chosen) == 3
    assert len(of(one, 1000).chosen) == 2


def test_documents_with_long_names_are_fewer_or_none(monkeypatch):
    one = comparison()
    sizes = []
    for room in (100_000, 800, 200, 10):
        monkeypatch.setattr(queries, "MOST_CHARACTERS", room)
        sizes.append(max((len(some) for ranker in of(one).first for some in ranker), default=0))
    assert sizes[0] == queries.FIRST
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0


def test_without_runs():
    one = comparison()
    one = replace(one, rows=tuple(replace(row, run={}) for row in one.rows))
    assert of(one).plain()["first"] == []


def test_a_table_that_can_be_read_without_a_script():
    one = comparison(names_of(2), 3)
    found = Page(of(one).html(0).replace(" hidden", ""))
    rows = found.texts("tr")
    assert rows[0].split() == ["queryab", "spread"]
    assert len(rows) == 4
    first, second = ([values["nDCG@10"] for values in row.evaluation.per_query.values()] for row in one.rows)
    higher = [max(pair) for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    assert found.texts("td", _class="n high") == [f"{value:.4f}" for value in higher]
