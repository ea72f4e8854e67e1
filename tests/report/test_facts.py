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
        "The means are over 9 queries that have judgements; all of them have answers and relevant documents."
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


def test_the_test_and_why():
    given = results(baseline="two", correction="bonferroni")
    told = dict(facts.test_facts(given, sections(given)))
    assert told["test"].startswith("Fisher's randomisation test")
    assert told["tested"].startswith("all others against two")
    assert told["correction"].startswith("Bonferroni's correction")
    assert dict(facts.test_facts(results(), []))["tested"].startswith("all pairs")


def test_how_long_each_ranker_took():
    one = comparison(["a", "b"])
    one = replace(one, rows=(one.rows[0], replace(one.rows[1], cached=True)))
    assert facts.ranker_facts(one) == [
        ("a", "bm25[k1=1]", "0.50 s"),
        ("b", "bm25[k1=1.01]", "1.50 s (made earlier)"),
    ]
