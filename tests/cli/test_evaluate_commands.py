from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time

import pytest

from aboutness.app.comparing import compare, known_measures, trained_first
from aboutness.app.index import Index
from aboutness.cli import progress
from aboutness.rank.known import known_rankers
from aboutness.vectors.trainer import Progress
from cli.running import environment
from experiment.small import (
    QRELS,
    TERM_MODELS,
    TRAINED,
    documents,
    judgements,
    lines,
    small_vectors,
    vectors_for,
    with_all,
    write_collection,
)

DEFAULT = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
COUNTS = ["run", "queries", "unanswered", "unjudged", "without_relevant"]
RUN = "q1 Q0 d1 1 2.5 me\nq3 Q0 d4 1 1 me\nq9 Q0 d4 1 1 me\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    place = write_collection(tmp_path_factory.mktemp("cli") / "small")
    with_all(Index.build(documents(), place / "small.index"))
    small_vectors().save(place / "small.safetensors")
    return place


@pytest.fixture(scope="module")
def index(small):
    return Index.open(small / "small.index")


# --- evaluate ------------------------------------------------------------------------------------------


def test_the_shape_of_evaluations(call, write, small):
    write("x.trec", RUN)
    write("none.trec", "")
    ran = call("evaluate", small / "qrels.tsv", "x.trec", "none.trec", "--measures", "P@1,RR", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {
        "qrels": str(small / "qrels.tsv"),
        "rows": [
            {
                "run": "x.trec", "queries": 5, "unanswered": 3, "unjudged": 1, "without_relevant": 0,
                "P@1": 0.4, "RR": 0.4, "deviation": pytest.approx({"P@1": 0.3**0.5, "RR": 0.3**0.5}),
            },
            {
                "run": "none.trec", "queries": 5, "unanswered": 5, "unjudged": 0, "without_relevant": 0,
                "P@1": 0.0, "RR": 0.0, "deviation": {"P@1": 0.0, "RR": 0.0},
            },
        ],
    }  # fmt: skip
    ran = call("evaluate", small, "x.trec", "--measures", "RR", "--json", "--per-query")
    (row,) = ran.json["rows"]
    assert list(row) == [*COUNTS, "RR", "deviation", "per_query"]
    values = {"q1": 1.0, "q2": 0.0, "q3": 1.0, "q4": 0.0, "q6": 0.0}
    assert row["per_query"] == {query: {"RR": value} for query, value in values.items()}
    assert list(call("evaluate", small, "x.trec", "--json").json["rows"][0]) == [*COUNTS, *DEFAULT, "deviation"]


def test_evaluations_in_words(call, write, small):
    write("x.trec", RUN)
    ran = call("evaluate", small, "x.trec", "--measures", "P@1,RR", "--per-query")
    table, means = ran.out.split("\n\n")
    assert table.splitlines()[:2] == ["run     query  P@1     RR", "x.trec  q1     1.0000  1.0000"]
    assert means == "run     queries  P@1     RR\nx.trec  5        0.4000  0.4000\n"
    assert ran.err == (
        "x.trec: 3 judged queries have no ranking: they count 0\n"
        "x.trec: 1 ranked query has no judgement: it is left out\n"
    )
    write("zero.qrels", "q1 0 d1 0\n")
    ran = call("evaluate", "zero.qrels", "x.trec")
    assert ran.err.endswith("x.trec: 1 judged query has no relevant document\n")


def test_order_and_ties_are_those_of_the_scores(call, write):
    write("qrels", "1 0 b 1\n")
    write("x.trec", "1 Q0 a 1 0.5 me\n1 Q0 b 2 0.5 me\n1 Q0 c 3 0.7 me\n")
    assert call("evaluate", "qrels", "x.trec", "--measures", "RR", "--json").json["rows"][0]["RR"] == 0.5


def test_measures_with_commas_inside(call, write, small):
    write("x.trec", RUN)
    asked = "P(rel=2,judged_only=True)@5, nDCG(dcg='exp-log2')@10"
    row = call("evaluate", small, "x.trec", "--measures", asked, "--json").json["rows"][0]
    assert list(row)[5:-1] == ["P(rel=2,judged_only=True)@5", "nDCG(dcg='exp-log2')@10"]


BAD = {
    "columns": ("x.trec", "q1 Q0 d1 1 1 me\nq1 Q0 d2 2 1\n", "x.trec:2: a line of a run has 6 columns"),
    "score": ("x.trec", "\nq1 Q0 d1 1 high me\n", "x.trec:2: the score must be a finite number"),
    "twice": ("x.trec", "q1 Q0 d1 1 2 me\nq1 Q0 d1 2 1 me\n", "x.trec:2: document 'd1' is ranked twice"),
    "bytes": ("x.trec", b"q1 Q0 d\xff 1 2 me\n", "x.trec:1: not UTF-8"),
    "grade": ("qrels", "q1 0 d1 1\nq1 0 d2 much\n", "qrels:2: the grade must be a whole number, got 'much'"),
    "judgement": ("qrels", "q1 0 d1 1\nq1\n", "qrels:2: a judgement has 3 or 4 columns, this line has 1"),
    "two grades": ("qrels", "q1 0 d1 1\nq1 0 d1 2\n", "qrels:2: query 'q1': document 'd1' is judged twice"),
    "a large grade": (
        "qrels",
        "q1 0 d1 1\nq1 0 d2 5000\n",
        "qrels:2: query 'q1': the grade of document 'd2' must be",
    ),
    "a score that is none": ("x.trec", "q1 Q0 d1 1 nan me\n", "x.trec:1: the score must be a finite number"),
    "no text": ("x.trec", b"\x89PNG\r\n\x1a\n\x00\x00", "x.trec:1: a line of a run has 6 columns"),
    "no judgements": ("qrels", "", "qrels: there are no judgements"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lines_end_with_3(call, write, name):
    write("x.trec", RUN)
    write("qrels", "q1 0 d1 1\n")
    file, content, told = BAD[name]
    write(file, content)
    for more in ([], ["--json"]):
        ran = call("evaluate", "qrels", "x.trec", *more)
        assert (ran.code, ran.out) == (3, "")
        assert ran.err.startswith(f"aboutness: {told}")
        assert ran.err.count("\n") == 1


def test_what_is_not_there_ends_with_4(call, write, small, tmp_path):
    write("x.trec", RUN)
    for arguments in ([small, "none.trec"], ["none.qrels", "x.trec"], [small, "x.trec", "none.trec"]):
        ran = call("evaluate", *arguments)
        assert (ran.code, ran.out) == (4, "")
        assert "no such file" in ran.err
    ran = call("evaluate", tmp_path, "x.trec")
    assert ran.code == 4
    assert "no qrels/test.tsv or qrels.tsv" in ran.err


@pytest.mark.parametrize(
    "measures", ["nope", "P@0", "P", "nDCG@x", ",", "AP(rel=-1)", "P@10;AP", "__import__('os')"]
)
def test_a_wrong_measure_ends_with_2(call, write, small, measures):
    write("x.trec", RUN)
    for command in (["evaluate", small, "x.trec"], ["experiment", small, "-r", "bm25"]):
        ran = call(*command, "--measures", measures)
        assert (ran.code, ran.out) == (2, "")
        assert "nDCG@10, AP, RR" in ran.err


def test_evaluate_wants_a_run(call, small):
    ran = call("evaluate", small)
    assert (ran.code, ran.out) == (2, "")
    assert "RUN" in ran.err


WORSE = "q1 Q0 d5 1 2 me\nq1 Q0 d1 2 1 me\nq3 Q0 d4 1 1 me\n"


def test_runs_are_tested_against_the_first(call, write, small):
    write("x.trec", RUN)
    write("none.trec", "")
    write("worse.trec", WORSE)
    command = ["evaluate", small, "x.trec", "none.trec", "worse.trec", "--measures", "P@1,RR"]
    ran = call(*command, "--test", "fisher", "--json")
    assert (ran.code, ran.err) == (0, "")
    plain = call(*command, "--json").json
    first, *others = ran.json["rows"]
    assert first == plain["rows"][0]
    assert ran.json["qrels"] == plain["qrels"]
    assert [list(row)[-2:] for row in others] == [["against", "fisher"]] * 2
    for row, bare in zip(others, plain["rows"][1:], strict=True):
        assert {key: row[key] for key in bare} == bare
        assert (row["against"], list(row["fisher"])) == ("x.trec", ["P@1", "RR"])
    assert others[0]["fisher"]["RR"] == (
        {"difference": -0.4, "p_value": 0.5, "n": 5, "permutations": 4, "exact": True, "adjusted": 1.0}
    )
    assert others[1]["fisher"] == {
        "P@1": {"difference": -0.2, "p_value": 1.0, "n": 5, "permutations": 2, "exact": True, "adjusted": 1.0},
        "RR": {"difference": -0.1, "p_value": 1.0, "n": 5, "permutations": 2, "exact": True, "adjusted": 1.0},
    }
    assert list(call(*command, "--test", "fisher", "--json", "--per-query").json["rows"][1])[-1] == "per_query"


def test_tests_in_words(call, write, small):
    write("x.trec", RUN)
    write("none.trec", "")
    write("worse.trec", WORSE)
    command = ["evaluate", small, "none.trec", "x.trec", "worse.trec", "--measures", "P@1,RR"]
    without = call(*command)
    ran = call(*command, "--test", "fisher")
    assert (ran.code, ran.err) == (0, without.err)
    assert ran.out == without.out + (
        "\nagainst none.trec (fisher):\n"
        "run         measure  difference  p    p (holm)\n"
        "x.trec      P@1      +0.4000     0.5  1\n"
        "x.trec      RR       +0.4000     0.5  1\n"
        "worse.trec  P@1      +0.2000     1    1\n"
        "worse.trec  RR       +0.3000     0.5  1\n"
        "\nFisher's randomisation test, two-sided: paired, for all rankers answer the same queries, and it assumes "
        "nothing about how the values are distributed\n"
    )


def test_tests_that_cannot_be_made(call, write, small):
    write("x.trec", RUN)
    ran = call("evaluate", small, "x.trec", "x.trec", "--test", "ficher")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "aboutness: unknown test 'ficher'; did you mean 'fisher'? Known: fisher, t, wilcoxon"
    )
    ran = call("evaluate", small, "x.trec", "--test", "fisher")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "aboutness: a test compares runs with each other: name at least two, got 1\n"


# --- experiment ----------------------------------------------------------------------------------------


def test_the_shape_of_experiments(call, small):
    ran = call("experiment", small, "-r", "bm25", "-r", "bm25 % 2 >> ql", "--measures", "nDCG@10,AP", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert list(found) == [
        "collection",
        "documents",
        "analyzer",
        "queries",
        "unjudged",
        "unasked",
        "chosen_by",
        "unanswered",
        "unknown_documents",
        "rows",
    ]
    assert [found[key] for key in list(found)[:8]] == ["small", 7, "english", 5, ["q5"], ["q6"], 0, 1]
    assert [list(row) for row in found["rows"]] == [["ranker", "nDCG@10", "AP"]] * 2
    assert [row["ranker"] for row in found["rows"]] == ["bm25", "bm25 % 2 >> ql"]
    assert all(0 < row["AP"] < 1 for row in found["rows"])


def test_all_rankers_and_the_usual_measures_unless_said(call, small):
    ran = call("experiment", small, "--json")
    assert (ran.code, ran.err) == (0, "")
    names = [name for name in known_rankers() if name != "default-vectors"]
    assert [row["ranker"] for row in ran.json["rows"]] == names
    assert list(ran.json["left_out"]) == ["default-vectors"]  # which is for vectors of whole words
    assert all(list(row) == ["ranker", *DEFAULT] for row in ran.json["rows"])
    assert ran.json["rows"] == compare(names, small, vectors="word2vec").to_json()["rows"]


OPTIONS = {
    "measures": (["--measures", "AP,P(rel=2)@5"], {"measures": ["AP", "P(rel=2)@5"]}),
    "analyzer": (["--analyzer", "plain"], {"analyzer": "plain"}),
    "k": (["-k", "1"], {"depth": 1}),
    "and": (["--match", "and"], {"match": "and"}),
    "all": (["--match", "all"], {"match": "all"}),
    "a cut": (["--match", "bm25 % 1"], {"match": "bm25 % 1"}),
    "fields": (["--fields", "3*title+text"], {"fields": "3*title+text"}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_same_answer_as_in_python(call, small, name):
    options, named = OPTIONS[name]
    rankers = ["bm25[k1=1.7,b=.95]", "ql", "bm25 % 2 >> tfidf"]
    ran = call("experiment", small, "-r", ",".join(rankers), "--json", "--per-query", *options)
    assert ran.json == compare(rankers, small, **named).to_json(per_query=True)
    assert list(ran.json)[-1] == "per_query"


def test_an_index_that_is_there_may_be_used(call, small, index):
    wanted = call("experiment", small, "-r", "bm25", "--json").json
    assert call("experiment", small, "-r", "bm25", "--index", small / "small.index", "--json").json == wanted
    ran = call("experiment", small, "--index", "none.index")
    assert (ran.code, ran.out) == (4, "")
    assert "there is no index at none.index" in ran.err


def test_an_index_has_its_own_vectors(call, small, index):
    ran = call("experiment", small, "-r", "iwcs,bm25 + 30*wcs", "--index", small / "small.index", "--json")
    assert ran.json == compare(["iwcs", "bm25 + 30*wcs"], small, index=index).to_json()


def test_vectors_of_a_file_or_a_way_of_training(call, small, index):
    rankers = ["iwcs", "bm25 % 3 >> desm-in-out", "bm25 + 30*desm-in-out"]
    command = ["experiment", small, "-r", ",".join(rankers), "--json", "--per-query"]
    ran = call(*command, "--vectors", small / "small.safetensors")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == compare(rankers, small, index=index).to_json(per_query=True)
    trained = compare(rankers, small).to_json(per_query=True)
    assert call(*command).json == call(*command, "--vectors", "word2vec").json == trained


def test_vectors_that_cannot_be_had(call, small, write, tmp_path):
    write("text.txt", "no vectors at all\n")
    for given, code, told in (("none.bin", 4, "there is no file none.bin"), ("text.txt", 3, "text.txt")):
        ran = call("experiment", small, "-r", "iwcs", "--vectors", given, "-o", "out")
        assert (ran.code, ran.out) == (code, "")
        assert told in ran.err
        assert ran.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_what_vectors_do_not_suffice_for_is_left_out_and_told(call, small):
    vectors_for([*small_vectors()], ("in",)).save("in.safetensors")
    without = ["bm25-desm", "desm-in-out", "desm-out-in", "desm-out-out"]
    given = ["--measures", "AP", "--vectors", "in.safetensors"]
    ran = call("experiment", small, *given)
    assert ran.code == 0
    shown = [line.split()[0] for line in ran.out.split("\n\n")[1].splitlines()]
    assert shown == ["ranker", *(name for name in known_rankers() if name not in without)]
    first, told = ran.err.splitlines()[:2]
    assert first.startswith("comparing all rankers (-r chooses some); trained first: ")
    assert "word2vec" not in first
    assert told.startswith(f"{', '.join(without)} are left out: these vectors have no space 'out'")
    told = call("experiment", small, *given, "--json")
    assert (told.err, list(told.json["left_out"])) == ("", without)
    ran = call("experiment", small, *given, "-r", "bm25,desm-in-out")
    assert (ran.code, ran.out) == (2, "")
    Index.build(documents(), "plain.index")
    found = call("experiment", small, "--index", "plain.index", "--json").json
    assert [row["ranker"] for row in found["rows"]] == [name for name in known_rankers() if name in TERM_MODELS]
    assert len(found["left_out"]) == len(known_rankers()) - len(TERM_MODELS)


def test_what_is_trained_first_is_told_and_what_cannot_be_is_left_out(call, small, tmp_path):
    place = write_collection(tmp_path / "few")
    (place / "corpus.jsonl").write_text(lines([{"_id": "d1", "text": "city"}, {"_id": "d4", "text": "river"}]))
    ran = call("experiment", place, "--measures", "AP")
    assert ran.code == 0
    first, *told = ran.err.splitlines()
    assert first == f"comparing all rankers (-r chooses some); trained first: {', '.join(trained_first())}"
    left_out = [line for line in told if " left out: " in line]
    assert len(left_out) < len(trained_first()) + 2  # a line for each reason, not for each ranker
    assert "epv-d-lm is left out: epv-d cannot be trained: no word stands at least min_count=2 times" in ran.err
    assert "iwcs, iwcs-wmd, ketos, wcs, wmd are left out: word2vec cannot be trained: " in ran.err
    ran = call("experiment", place, "--measures", "AP", "-r", "bm25,pv-lm")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "comparing" not in call("experiment", small, "--index", small / "small.index", "--measures", "AP").err


def test_rankers_that_need_training_are_trained_for(call, small):
    ran = call("experiment", small, "-r", "pv-lm,bm25", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == compare(["pv-lm", "bm25"], small).to_json()
    Index.build(documents(), "plain.index")
    ran = call("experiment", small, "-r", "pv-lm,bm25", "--index", "plain.index")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.endswith("; run: aboutness train plain.index pv\n")


def test_in_words(call, small, index):
    ran = call("experiment", small, "-r", "bm25,ql", "--measures", "AP")
    assert ran.code == 0
    head, table = ran.out.split("\n\n")
    assert head == "small: 7 documents (english), 5 of 6 queries; 1 has no judgements"
    assert table == f"{compare(['bm25', 'ql'], small, 'AP', index=index)}\n"
    assert ran.err == (
        "small: 1 judged document is not in the collection, which counts as never found\n"
        "small: 1 judged query is not among its queries (q6): never asked, which counts 0\n"
        "small: 1 judged query has no ranking by bm25, ql: it counts 0\n"
    )
    ran = call("experiment", small, "-r", "bm25", "--measures", "AP", "--per-query")
    rows = ran.out.split("\n\n")[1].splitlines()
    assert rows[0].split() == ["ranker", "query", "AP"]
    assert [row.split()[1] for row in rows[1:]] == list(QRELS)


def test_judged_documents_that_are_all_there_are_not_told(call, small, tmp_path):
    place = write_collection(tmp_path / "whole")
    (place / "qrels.tsv").write_text(judgements().replace("gone", "d7"))
    assert "not in the collection" not in call("experiment", place, "-r", "bm25").err
    assert call("experiment", place, "-r", "bm25", "--json").json["unknown_documents"] == 0


@pytest.mark.parametrize(
    "ranker",
    [
        *(name for name in known_rankers() if name not in TRAINED),  # the index has these trained in another way
        *("bm25 % 2 >> ql", "bm25 % 3 >> iwcs", "bm25 + 30*desm-in-out"),
    ],
)
def test_a_run_evaluated_has_the_values_of_the_experiment(call, small, ranker):
    given = ["--vectors", small / "small.safetensors"]
    experiment = call("experiment", small, "-r", ranker, *given, "--json", "--per-query").json
    assert call("run", small / "small.index", small / "queries.jsonl", "-o", "x.trec.gz", "-r", ranker).code == 0
    (row,) = call("evaluate", small, "x.trec.gz", "--json", "--per-query").json["rows"]
    assert {name: row[name] for name in DEFAULT} == {name: experiment["rows"][0][name] for name in DEFAULT}
    assert [row["per_query"]] == list(experiment["per_query"].values())
    assert (row["queries"], row["unjudged"]) == (experiment["queries"], 1)


def test_a_folder_of_results(call, small, tmp_path):
    ran = call(
        "experiment", small, "-r", "bm25", "-r", "bm25[k1=1,b=0] % 2 >> ql", "-o", "a/b", "--measures", "AP,RR"
    )
    assert ran.out.endswith("\n6 files are in a/b\n")
    runs = ["runs/01-bm25.trec", "runs/02-bm25-k1-1-b-0-2-ql.trec"]
    names = ["per_query.csv", "qrels/01-small.tsv", "queries/01-small.jsonl", "results.json", *runs]
    assert sorted(str(p.relative_to(tmp_path / "a" / "b")) for p in tmp_path.rglob("*") if p.is_file()) == names
    ran = call(
        "experiment", small, "-r", "bm25,bm25[k1=1,b=0] % 2 >> ql", "-o", "c", "--measures", "AP,RR", "--json"
    )
    (plain,) = json.loads((tmp_path / "c" / "results.json").read_text())["comparisons"]
    assert [row["run"] for row in plain["rows"]] == runs
    assert [row["AP"] for row in plain["rows"]] == [row["AP"] for row in ran.json["rows"]]
    tags = {line.split()[5] for line in (tmp_path / "c" / runs[1]).read_text().splitlines()}
    assert tags == {"bm25-k1-1-b-0-2-ql"}
    for name in set(names) - {"results.json"}:  # which says when it was made
        assert (tmp_path / "c" / name).read_bytes() == (tmp_path / "a" / "b" / name).read_bytes()
    with (tmp_path / "c" / "per_query.csv").open(newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == ["collection", "setting", "ranker", "query", "measure", "value"]
    assert [row[3] for row in table[1::2]] == list(QRELS) * 2
    evaluated = call("evaluate", small, *(f"c/{name}" for name in runs), "--measures", "AP,RR", "--json").json
    for row, one in zip(ran.json["rows"], evaluated["rows"], strict=True):
        assert (row["AP"], row["RR"]) == (one["AP"], one["RR"])


def test_a_folder_of_results_used_again(call, small, tmp_path):
    call("experiment", small, "-r", "bm25,ql", "-o", "out", "--measures", "AP")
    (tmp_path / "out" / "runs" / "mine.trec").write_text("mine")
    call("experiment", small, "-r", "tfidf", "-o", "out", "--measures", "AP")
    assert sorted(path.name for path in (tmp_path / "out" / "runs").iterdir()) == ["01-tfidf.trec", "mine.trec"]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert call("experiment", small, "-r", "bm25[layer=nope]", "-o", "out").code == 2
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_measures_and_the_folder_are_looked_at_before_the_documents(call, tmp_path):
    broken = write_collection(tmp_path / "broken")
    (broken / "corpus.jsonl").write_text("nonsense\n")
    ran = call("experiment", broken, "--measures", "AP,nope")
    assert ran.code == 2
    assert "there is no measure 'nope'" in ran.err
    ran = call("experiment", broken, "-o", "broken/qrels.tsv")
    assert ran.code == 6
    assert "cannot make the folder broken/qrels.tsv" in ran.err
    ran = call("experiment", broken, "-o", "new/out")
    assert ran.code == 3
    assert "corpus.jsonl:1: " in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


def test_a_folder_that_cannot_be_made_ends_with_6(call, small, write):
    write("file", "mine")
    ran = call("experiment", small, "-r", "bm25", "-o", "file/x", "--json")
    assert (ran.code, ran.out) == (6, "")
    assert "cannot make the folder file/x" in ran.err


def test_collections_that_are_none(call, small, write, tmp_path):
    pytest.importorskip("ir_datasets")
    ran = call("experiment", "none")
    assert (ran.code, ran.out) == (4, "")
    looked = tmp_path / "none"
    assert ran.err.startswith(
        f"aboutness: {looked}: there is no such folder, and ir_datasets has no collection 'none'"
    )
    assert call("experiment", "irds:none").code == 4
    ran = call("experiment", small / "qrels.tsv")
    assert (ran.code, ran.out) == (3, "")
    assert "this is a file" in ran.err
    ran = call("experiment", tmp_path)
    assert ran.code == 4
    assert "no corpus.jsonl" in ran.err


BROKEN = {
    "documents": ("corpus.jsonl", "nonsense\n", "corpus.jsonl:1: "),
    "queries": ("queries.jsonl", '{"_id": "q1", "text": "x"}\nnonsense\n', "queries.jsonl:2: "),
    "judgements": ("qrels.tsv", "q1\td1\t1\nq1\td2\n", "qrels.tsv:2: "),
    "twice": (
        "queries.jsonl",
        lines([{"_id": "q1", "text": "x"}] * 2),
        "queries.jsonl:2: two queries have the id 'q1'",
    ),
    "judged twice": (
        "qrels.tsv",
        "q1\td1\t1\nq1\td1\t2\n",
        "qrels.tsv:2: query 'q1': document 'd1' is judged twice",
    ),
    "no document": ("corpus.jsonl", "", "corpus.jsonl: there are no documents"),
    "no judged query": ("qrels.tsv", "q9\td1\t1\n", "none of its 5 queries has a judgement"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_collection_ends_with_3(call, tmp_path, name):
    place = write_collection(tmp_path / "broken")
    file, content, told = BROKEN[name]
    (place / file).write_text(content)
    ran = call("experiment", place, "-r", "bm25", "--json")
    assert (ran.code, ran.out) == (3, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-r", "bm26"], f"Known: {', '.join(known_rankers(combinations=True))}"),
        (["-r", "bm25,"], "a ranker is missing"),
        (["-r", "bm25[k1=-1]"], "bm25: k1 must be a number at least 0"),
        (["-r", "bm25[layer=nope]"], "the index has no layer 'nope'"),
        (["-k", "0"], "k must be a whole number of at least 1"),
        (["--match", "xor"], "match must be one of"),
        (["--fields", "body"], "the index has no field 'body'"),
        (["--analyzer", "englsh"], "did you mean 'english'?"),
        (["--index", "INDEX", "--analyzer", "english"], "give --index or --analyzer, not both"),
        (["--index", "none.index", "--analyzer", "plain"], "give --index or --analyzer, not both"),
        (["--index", "INDEX", "--vectors", "word2vec"], "give --index or --vectors, not both"),
        (["--measures", "AP,nope"], "there is no measure 'nope'"),
    ],
)
def test_wrong_use_ends_with_2(call, small, options, told, tmp_path):
    options = [str(small / "small.index") if one == "INDEX" else one for one in options]
    ran = call("experiment", small, "-o", "out", *options)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert not list(tmp_path.iterdir())


# --- measures, progress, pipes -------------------------------------------------------------------------


def test_measures(call):
    found = call("measures", "--json").json
    assert found == known_measures()
    assert {"AP", "nDCG", "P", "R", "RR"} <= {one["name"] for one in found}
    assert all(list(one) == ["name", "about", "example"] and all(one.values()) for one in found)
    rows = call("measures").out.splitlines()
    assert rows[0].split() == ["name", "about", "example"]
    assert [row.split()[0] for row in rows[1:]] == [one["name"] for one in found]


def test_every_example_is_a_measure(call, small, write):
    write("x.trec", RUN)
    examples = [one["example"] for one in call("measures", "--json").json]
    row = call("evaluate", small, "x.trec", "--measures", ",".join(examples), "--json").json["rows"][0]
    assert len(row) == len(COUNTS) + len(examples) + 1


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_goes_to_a_terminal_on_standard_error_and_is_wiped(monkeypatch, capsys):
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress.queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
        tell_documents(1234, 5)
        tell_training("epv", Progress(640, 1000, 5.0))
        time.sleep(0.3)
        tell_queries("bm25 % 2 >> ql", 64, 100)
    assert "training epv" in terminal.getvalue()
    assert "5 words/s, 0:01:12 left" in terminal.getvalue()
    assert "bm25 % 2 >> ql" in terminal.getvalue()
    assert "64 of 100" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")
    assert capsys.readouterr().out == ""


def test_progress_is_silent_without_a_terminal(capsys):
    with progress.queries_progress("indexing") as (tell_documents, tell_queries, tell_training):
        tell_documents(1, 2)
        tell_training("epv", Progress(640, 1000, 5.0))
        tell_queries("bm25", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_long_training_is_told_now_and_then_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress.queries_progress("indexing") as (_, _, tell_training):
        tell_training("epv", Progress(0, 1, 0.0))
        tell_training("epv", Progress(640, 1000, 5.0))
        tell_training("epv", Progress(1000, 1000, 5.0))
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "training epv: 0%, starting",
        "training epv: 64%, 5 words/s, 0:01:12 left",
    ]


def test_a_closed_pipe_ends_quietly(small):
    line = f"{sys.executable} -m aboutness experiment small --index small/small.index --per-query | head -1"
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, env=environment(), cwd=small.parent
    )
    assert done.stdout == "small: 7 documents (english), 5 of 6 queries; 1 has no judgements\n"
    assert "Traceback" not in done.stderr
