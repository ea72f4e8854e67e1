from __future__ import annotations

from dataclasses import replace

from aboutness.experiment.results import Made
from aboutness.report import facts
from aboutness.report.findings import sections
from report.made_results import MADE, comparison, results


def with_evaluation(one, place=0, **changed):
    rows = list(one.rows)
    rows[place] = replace(rows[place], evaluation=replace(rows[place].evaluation, **changed))
    return replace(one, rows=tuple(rows))


def test_nothing_is_missing():
    assert facts.notes(comparison()) == [
        "The means are over 9 queries that have judgements.",
        "All 9 have answers and relevant documents.",
    ]
    assert facts.notes(comparison(queries=1)) == [
        "The means are over 1 query that has judgements.",
        "This query has answers and relevant documents.",
    ]
    assert facts.notes(comparison([])) == ["There is no ranker."]


def test_whatever_is_missing_is_told():
    one = comparison(unknown={"q1": ["x", "y"]}, left_out={"wmd": "it has no vectors"}, note="a note")
    one = with_evaluation(one, 0, unanswered=("q1", "q2"), without_relevant=("q3",))
    one = with_evaluation(one, 1, unjudged=("q77",))
    assert facts.notes(one) == [
        "The means are over 9 queries that have judgements.",
        "1 judged query has no relevant document and counts 0: q3.",
        "2 queries have no answer by one and count 0: q1, q2.",
        "1 query without judgements that two answered is left out: q77.",
        "2 judged documents are not in the collection: counted as never found.",
        "wmd is left out: it has no vectors.",
        "a note.",
    ]


def test_queries_that_were_left_out_or_never_asked():
    left = tuple(f"x{number}" for number in range(12))
    told = facts.notes(comparison(unjudged=left))
    assert told == [
        f"The means are over 9 of 21 queries: 12 have no judgements ({', '.join(left[:10])} and 2 more).",
        "All 9 have answers and relevant documents.",
    ]
    assert facts.notes(comparison(chosen_by=8))[0] == (
        "The means are over 9 of 17 queries: 8 served only to choose parameters."
    )
    assert facts.notes(comparison(chosen_by=8, unjudged=("x",)))[0] == (
        "The means are over 9 of 18 queries: 8 served only to choose parameters and 1 has no judgements (x)."
    )
    never = comparison(unasked=("q3",))
    for place in range(3):
        never = with_evaluation(never, place, unanswered=("q3", "q4") if place == 1 else ("q3",))
    assert facts.notes(never) == [
        "The means are over 9 queries that have judgements.",
        "1 judged query is not among the collection's queries: never asked, counts 0: q3.",
        "1 query has no answer by two and counts 0: q4.",
    ]


def test_many_ids_are_cut():
    ids = tuple(f"q{number}" for number in range(25))
    told = facts.notes(with_evaluation(comparison(), unanswered=ids))[1]
    assert told == f"25 queries have no answer by one and count 0: {', '.join(ids[:10])} and 15 more."


def test_the_best():
    found = sections(results(comparison(["only"])))[0]
    assert facts.best(found) == "Best by every measure: only."
    told = facts.best(sections(results())[0])
    assert told.startswith("Best")
    assert "three" in told


def test_what_was_compared():
    assert facts.summary(results()) == "3 rankers on chance: 9 judged queries, 2026-11-16T12:00:00+00:00"
    settings = [comparison(["one"], setting=setting) for setting in ("title", "text")]
    more = results(*settings, comparison(["two"], 4, collection="other"), made=Made())
    assert facts.summary(more) == "2 rankers on chance and other, 3 settings: 13 judged queries"


def test_data_parameters_versions_and_times():
    given = results()
    data = dict(facts.data_facts(given))["chance"]
    for part in ("source data/chance", "documents 50", "queries 9", "judgements 27", "checksum abc123", "english"):
        assert part in data
    assert data.count("judgements checksum") == 1
    told = {**MADE.data["chance"], "judgements_checksum": "told"}
    again = dict(facts.data_facts(results(made=replace(MADE, data={"chance": told}))))["chance"]
    assert again.count("judgements checksum") == 1
    assert "judgements checksum told" in again
    made = dict(facts.made_facts(given))
    assert made["seed"] == "7"
    assert made["time"] == "12.5 s in all"
    assert made["memory"] == "346 MB at most"
    assert made["versions"] == "aboutness 0.0, python 3.13"
    assert made["rankers"] == "bm25, ql"
    assert made["depth"] == "1,000"
    assert facts.command(given) == MADE.command
    assert "Python" in facts.command(results(made=Made()))
    assert dict(facts.data_facts(results(made=Made())))["chance"].startswith("50 documents; 9 judged queries")


def test_rankers_of_a_declared_experiment_have_a_line_each_and_the_seed_stands_once():
    declared = [{"name": "one", "ranker": "bm25"}, {"name": "two", "ranker": "ql", "grid": ["mu=1,2"]}]
    made = replace(
        MADE,
        parameters={"seed": 7, "correction": "holm", "ranker": declared, "tune": {"by": "AP"}, "fields": None},
    )
    told = facts.made_facts(results(made=made))
    assert [value for name, value in told if name == "seed"] == ["7"]
    assert dict(told)["ranker 1"] == "name = one, ranker = bm25"
    assert dict(told)["ranker 2"] == "name = two, ranker = ql, grid = mu=1,2"
    assert dict(told)["tune"] == "by = AP"
    assert "fields" not in dict(told)  # nothing was said of them
    assert "correction" not in dict(told)  # that is told with the tests: some make none


def test_rankings_that_were_made_earlier():
    one = comparison()
    some = replace(one, rows=(replace(one.rows[0], cached=True), *one.rows[1:]))
    told = dict(facts.made_facts(results(some)))
    assert told["time"] == "12.5 s in all, without making the rankings of 1 of 3 rows: these were made earlier"
    assert told["memory"].startswith("346 MB at most, without making")
    every = replace(one, rows=tuple(replace(row, cached=True) for row in one.rows))
    assert dict(facts.made_facts(results(every)))["time"].startswith(
        "12.5 s in all, without making the rankings: "
    )


def test_how_long_each_ranker_took():
    one = comparison(["a", "b"])
    one = replace(one, rows=(one.rows[0], replace(one.rows[1], cached=True)))
    assert facts.ranker_facts(one) == [
        ("a", "bm25[k1=1]", "0.50 s"),
        ("b", "bm25[k1=1.01]", "1.50 s (made earlier)"),
    ]
    tuned = replace(one, rows=(replace(one.rows[0], chosen="k1=2 (5 of 5 folds)"),))
    assert facts.ranker_facts(tuned)[0][1] == "bm25[k1=1]; chosen: k1=2 (5 of 5 folds)"
