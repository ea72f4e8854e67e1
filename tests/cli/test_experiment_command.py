from __future__ import annotations

import signal
import subprocess
import sys

import pytest

import aboutness as ab
from aboutness.cli import evaluate_commands
from aboutness.cli.experiment_shown import clock
from aboutness.experiment.hashes import code_version
from aboutness.experiment.testing import differences_of
from cli.running import environment
from experiment.drawn import DRAWN, RECORDS
from experiment.small import lines

FILE = """
name = "first look"
collections = ["drawn"]
measures = ["AP", "nDCG@10"]
match = ["or", "judged"]
baseline = "bm25"

[rankers]
bm25 = "bm25"
mixed = "bm25 + 3*ql"
"""

# What the command does, until it is killed as it goes to keep the fourth run.
KILLED = """
import os, signal
from aboutness.cli.main import main
from aboutness.experiment.kept_runs import KeptRuns

write, kept = KeptRuns.put, []

def put(*arguments):
    if len(kept) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    write(*arguments)
    kept.append(arguments)

KeptRuns.put = put
main()
"""


@pytest.fixture
def drawn(tmp_path):
    """Return the folder of a collection whose queries have two forms, beside a file of an experiment."""
    folder = tmp_path / "drawn"
    folder.mkdir()
    records = [{"_id": one["id"], "text": one["text"], "topics": one["text"].split()[0]} for one in RECORDS]
    (folder / "corpus.jsonl").write_text(lines(records))
    queries = [{"_id": one.id, "text": one.text, "desc": f"{one.text} sea old"} for one in DRAWN.queries]
    (folder / "queries.jsonl").write_text(lines(queries))
    judged = [f"{query}\t{d}\t{grade}\n" for query, grades in DRAWN.qrels.items() for d, grade in grades.items()]
    (folder / "qrels.tsv").write_text("".join(judged))
    (tmp_path / "look.toml").write_text(FILE)
    return folder


# --- a file --------------------------------------------------------------------------------------------


def test_a_file_in_json(call, drawn, tmp_path):
    ran = call("experiment", "look.toml", "--cache", "cache", "--json", "--per-query")
    assert (ran.code, ran.err) == (0, "")
    found = ab.run_experiment(tmp_path / "look.toml", cache=False)
    assert ran.json["name"] == "first look"
    assert [one.get("setting", "") for one in ran.json["comparisons"]] == ["", "judged documents"]
    for plain, one in zip(ran.json["comparisons"], found.comparisons, strict=True):
        assert plain["collection"] == "drawn"
        assert [row["ranker"] for row in plain["rows"]] == ["bm25", "mixed"]
        assert [row["expression"] for row in plain["rows"]] == ["bm25", "bm25 + 3*ql"]
        assert [row["AP"] for row in plain["rows"]] == [row.evaluation.mean["AP"] for row in one.rows]
        assert plain["per_query"]["mixed"] == one.rows[1].evaluation.per_query
        assert plain["tests"] == differences_of(one, baseline="bm25").to_json()
    assert [row["cached"] for row in ran.json["comparisons"][0]["rows"]] == [False, False]
    again = call("experiment", "look.toml", "--cache", "cache", "--json").json
    assert [row["cached"] for one in again["comparisons"] for row in one["rows"]] == [True] * 4
    assert again["comparisons"][1]["rows"][0]["seconds"] == ran.json["comparisons"][1]["rows"][0]["seconds"]
    assert again["made"]["data"] == ran.json["made"]["data"]


def test_a_file_in_words(call, drawn):
    ran = call("experiment", "look.toml", "--cache", "cache")
    assert ran.code == 0
    assert "drawn: 40 documents (english), 17 queries" in ran.out
    assert "drawn, judged documents: 40 documents" in ran.out
    assert ran.out.count("measure  ranker  other  difference") == 2
    assert ran.out.count("Fisher's randomisation test") == 2
    assert "already" not in ran.err
    assert "; 4 of 4 runs were there already\n" in call("experiment", "look.toml", "--cache", "cache").err
    assert "already" not in call("experiment", "look.toml", "--no-cache").err


def test_results_of_a_file(call, drawn, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["aboutness", "experiment", "look.toml", "-o", "my results"])
    ran = call("experiment", "look.toml", "--no-cache", "-o", "my results")
    assert ran.out.endswith("\n9 files are in my results\n")
    found = ab.read_results(tmp_path / "my results")
    assert found.made.command == "aboutness experiment look.toml -o 'my results'"
    assert (found.name, found.baseline, len(found.comparisons)) == ("first look", "bm25", 2)
    assert call("experiment", "my results/declared.toml", "--no-cache").code == 0
    for row in found.comparisons[0].rows:
        (path,) = (tmp_path / "my results" / "runs").glob(f"0?-drawn-{row.name}.trec")
        (plain,) = call("evaluate", "drawn", path, "--measures", "AP", "--json").json["rows"]
        assert plain["AP"] == row.evaluation.mean["AP"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["-r", "ql"], "--ranker stands in the file of an experiment"),
        (["--measures", "AP"], "--measures stands in the file"),
        (["--match", "or"], "--match stands in the file"),
        (["--test", "t"], "--test stands in the file"),
        (["--cache", "x", "--no-cache"], "give one of them"),
    ],
)
def test_what_cannot_be_given_beside_a_file(call, drawn, more, why):
    ran = call("experiment", "look.toml", *more)
    assert ran.code == 2
    assert why in ran.err


def test_files_with_mistakes(call, write, tmp_path):
    ran = call("experiment", "gone.toml")
    assert (ran.code, ran.err) == (4, "aboutness: there is no file gone.toml\n")
    write("bad.toml", "rankers = ['bm25']\ncollection = 'x'\nmeasurs = 1\n")
    ran = call("experiment", "bad.toml")
    assert ran.code == 2
    assert ran.err.startswith("aboutness: bad.toml: unknown key 'measurs'; did you mean 'measures'?")
    write("bad.toml", "rankers = [\n")
    ran = call("experiment", "bad.toml", "-o", "out")
    assert ran.code == 3
    assert not (tmp_path / "out").exists()


def test_the_user_s_cache_is_taken_unless_said(call, drawn, tmp_path, monkeypatch):
    monkeypatch.setenv("ABOUTNESS_CACHE", str(tmp_path / "mine"))
    call("experiment", "look.toml")
    assert len(list((tmp_path / "mine" / "experiments").glob("*.run"))) == 4


def test_killed_and_started_again(drawn, call, write, tmp_path):
    code_version.cache_clear()  # so that both processes have that of now
    rankers = ", ".join(f'"bm25[k1={n / 10}]"' for n in range(1, 26))
    write(
        "many.toml",
        f'collections = ["drawn"]\nrankers = [{rankers}]\nmeasures = ["AP"]\nbaseline = "bm25[k1=1]"\n',
    )
    command = [sys.executable, "-c", KILLED, "experiment", "many.toml", "--cache", "cache"]
    child = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert child.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "cache").glob("*.run"))) == 3
    ran = call("experiment", "many.toml", "--cache", "cache")
    assert "; 3 of 25 runs were there already" in ran.err
    assert ran.out == call("experiment", "many.toml", "--no-cache").out


# --- a collection --------------------------------------------------------------------------------------


def test_the_shape_that_others_rely_on(call, drawn):
    ran = call("experiment", drawn, "-r", "bm25,ql", "--measures", "nDCG@10,AP", "--json")
    assert {"collection", "queries", "rows"} <= set(ran.json)
    assert [list(row) for row in ran.json["rows"]] == [["ranker", "nDCG@10", "AP"]] * 2
    assert "tests" not in ran.json


def test_tests_of_rankers(call, drawn):
    given = ["-r", "bm25,ql,tfidf", "--measures", "AP"]
    plain = call("experiment", drawn, *given, "--test", "wilcoxon", "--correction", "bonferroni", "--json").json
    assert (plain["tests"]["test"], plain["tests"]["correction"]) == ("wilcoxon", "bonferroni")
    assert [(row["ranker"], row["other"]) for row in plain["tests"]["rows"]] == [
        ("bm25", "ql"), ("bm25", "tfidf"), ("ql", "tfidf"),
    ]  # fmt: skip
    against = call("experiment", drawn, *given, "--baseline", "ql", "--json").json["tests"]
    assert (against["test"], against["baseline"]) == ("fisher", "ql")
    assert [row["ranker"] for row in against["rows"]] == ["bm25", "tfidf"]
    words = call("experiment", drawn, *given, "--test", "t", "--baseline", "ql").out
    assert "measure  ranker  other  difference" in words
    assert "t-test" in words
    for more, why in (
        (["--test", "z"], "unknown test 'z'"),
        (["--test", "t", "--correction", "z"], "unknown correction 'z'"),
        (["--baseline", "lsa"], "baseline must be one of the rankers bm25, ql, tfidf, got 'lsa'"),
    ):
        ran = call("experiment", drawn, *given, *more)
        assert (ran.code, why in ran.err) == (2, True)


def test_a_test_of_all_rankers_together_is_told_and_what_was_not_corrected(call, drawn):
    words = call("experiment", drawn, "-r", "bm25,ql,tfidf", "--measures", "AP", "--test", "nemenyi").out
    assert "AP, all together: chi-squared = " in words
    assert "(Friedman test)" in words
    assert "p (" not in words
    words = call("experiment", drawn, "-r", "bm25,ql,tfidf", "--measures", "AP", "--test", "t").out
    assert "all together" not in words
    assert "p (holm)" in words


def test_the_test_is_kept_with_the_results(call, drawn, tmp_path):
    call("experiment", drawn, "-r", "bm25,ql", "--test", "t", "--baseline", "ql", "--seed", "5", "-o", "out")
    found = ab.read_results(tmp_path / "out")
    assert (found.test, found.correction, found.baseline, found.made.seed) == ("t", "holm", "ql", 5)


def test_forms_matching_and_splits(call, drawn):
    for given, how in (
        (["--queries", "desc"], {"queries": "desc"}),
        (["--match", "judged"], {"match": "judged"}),
        (["--match", "bm25 % 3"], {"match": "bm25 % 3"}),
        (["--match", "all", "-k", "7"], {"match": "all", "depth": 7}),
    ):
        plain = call("experiment", drawn, "-r", "ql", "--json", "--per-query", *given).json
        assert plain["rows"] == ab.compare("ql", drawn, **how).to_json()["rows"]
    plain = call("experiment", drawn, "-r", "ql", "--train", ".4", "--json").json
    assert plain["queries"] == 10
    ran = call("experiment", drawn, "-r", "ql", "--queries", "narr")
    assert ran.code == 2
    assert "has no form 'narr'; its queries have the forms text, desc" in ran.err


def test_documents_as_queries(call, drawn, write):
    plain = call(
        "experiment", drawn, "-r", "bm25", "--labels", "topics", "--sample", "5", "--seed", "3", "--json"
    ).json
    wanted = ab.compare("bm25", ab.by_label(drawn, "topics", queries=5, seed=3)).to_json()
    assert (plain["collection"], plain["queries"], plain["rows"]) == ("drawn by topics", 5, wanted["rows"])
    groups = write("groups.tsv", "".join(f"{one}\tall\n" for one in {r["text"].split()[0] for r in RECORDS}))
    plain = call(
        "experiment", drawn, "-r", "bm25", "--labels", "topics", "--groups", groups, "--sample", "5", "--json"
    )
    assert plain.json["collection"] == "drawn by topics in groups"
    ran = call("experiment", drawn, "--groups", groups)
    assert (ran.code, "give --labels, too" in ran.err) == (2, True)
    ran = call("experiment", drawn, "--no-cache")
    assert (ran.code, "runs are kept for experiments of a FILE.toml" in ran.err) == (2, True)


def test_queries_that_say_little_are_told(call, drawn):
    judged = (drawn / "qrels.tsv").read_text().splitlines()
    changed = [f"{line[:-1]}0" if line.startswith("q1\t") else line for line in judged]
    (drawn / "qrels.tsv").write_text("\n".join(changed) + "\n")
    ran = call("experiment", drawn, "-r", "bm25", "--measures", "AP")
    assert ran.err == "drawn: 1 judged query has no relevant document\n"
    one = [
        {"_id": f"d{n}", "text": f"{word} sea", "kind": word}
        for n, word in enumerate(["cat", "cat", "dog", "cat"])
    ]
    (drawn / "corpus.jsonl").write_text(lines(one))
    found = [
        call(
            "experiment", drawn, "-r", "bm25", "--labels", "kind", "--sample", "2", "--seed", n, "--measures", "AP"
        ).out.split("\n")[0]
        for n in range(6)
    ]
    assert "drawn by kind: 4 documents (english), 1 of 2 queries; 1 has no judgements" in found


def test_queries_that_do_not_count_are_told(call, drawn, tmp_path):
    more = [{"_id": name, "text": "cat dog"} for name in ("new", "newer")]
    with (drawn / "queries.jsonl").open("a") as file:
        file.write(lines(more))
    with (drawn / "qrels.tsv").open("a") as file:
        file.write("".join(f"lost{n}\td0\t1\n" for n in range(2)))
    head = "drawn: 40 documents (english), 19 of 21 queries; 2 have no judgements\n"
    ran = call("experiment", drawn, "-r", "bm25", "--measures", "AP", "-o", "out")
    assert ran.out.startswith(head)
    assert (
        ran.err
        == "drawn: 2 judged queries are not among its queries (lost0, lost1): never asked, which counts 0\n"
    )
    (kept,) = ab.read_results(tmp_path / "out").comparisons
    assert (kept.unjudged, kept.unasked, kept.chosen_by) == (("new", "newer"), ("lost0", "lost1"), 0)
    ran = call("experiment", drawn, "-r", "bm25", "--measures", "AP", "--train", ".5")
    assert "11 of 21 queries; parameters chosen by 8 others; 2 have no judgements\n" in ran.out
    text = 'collections = ["drawn"]\nmeasures = ["AP"]\n[[ranker]]\nname = "bm25"\ngrid = ["k1=0.1,9"]\n'
    (tmp_path / "train.toml").write_text(f"{text}[tune]\ntrain = 0.5\n")
    ran = call("experiment", "train.toml", "--no-cache", "--json")
    (plain,) = ran.json["comparisons"]
    assert (plain["unjudged"], plain["chosen_by"], plain["queries"]) == (["new", "newer"], 8, 11)
    (drawn / "queries.jsonl").write_text("".join((drawn / "queries.jsonl").read_text().splitlines(True)[:-2]))
    ran = call("experiment", "train.toml", "--no-cache")
    assert "11 of 19 queries; parameters chosen by the other 8\n" in ran.out


def test_the_setting_of_a_tuned_ranker_is_told(call, drawn, tmp_path):
    text = (
        'collections = ["drawn"]\nmeasures = ["AP"]\nrankers = [{ranker = "bm25", grid = ["k1=0.1,9"]}, "bm25"]\n'
    )
    for name, more in (("folds", ""), ("train", "[tune]\ntrain = 0.5\n")):
        (tmp_path / f"{name}.toml").write_text(text + more)
        ran = call("experiment", f"{name}.toml", "--cache", "cache", "-o", name)
        again = call("experiment", f"{name}.toml", "--cache", "cache", "--json").json["comparisons"][0]["rows"]
        tuned, plain = ab.read_results(tmp_path / name).comparisons[0].rows
        assert (tuned.name, plain.name, plain.chosen) == ("bm25 (tuned)", "bm25", "")
        assert f"bm25 (tuned): chosen by AP: {tuned.chosen}\n" in ran.err
        assert again[0]["chosen"] == tuned.chosen
        assert "chosen" not in again[1]
        if name == "train":
            assert tuned.chosen in ("k1=0.1", "k1=9")
        else:
            counts = [int(part.partition(" (")[2][0]) for part in tuned.chosen.split("; ")]
            assert sum(counts) == 5
            assert all(part.endswith(" of 5 folds)") for part in tuned.chosen.split("; "))


def test_a_collection_that_is_not_beside_the_file(call, tmp_path):
    pytest.importorskip("ir_datasets")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "gone.toml").write_text('collections = ["no/such"]\nrankers = ["bm25"]\n')
    ran = call("experiment", "sub/gone.toml", "--no-cache")
    assert (ran.code, ran.out) == (4, "")
    assert f"{tmp_path}/no/such: there is no such folder" in ran.err
    assert f"(looked for beside {tmp_path}/sub/gone.toml, too)" in ran.err


def test_checksums_are_stated(call, drawn, tmp_path):
    call("experiment", drawn, "-r", "bm25", "--measures", "AP", "-o", "out")
    by_file = call("experiment", "look.toml", "--no-cache", "--json").json["made"]["data"]["drawn"]
    assert ab.read_results(tmp_path / "out").made.data["drawn"] == by_file
    names = ("checksum", "queries_checksum", "judgements_checksum")
    assert len({by_file[name] for name in names}) == 3


def test_help_names_all_tests_and_corrections(call):
    from aboutness.evaluate.corrections import CORRECTIONS
    from aboutness.evaluate.pairs import PAIR_TESTS
    from aboutness.evaluate.significance import TESTS

    assert tuple(TESTS) == evaluate_commands.PAIRED_TESTS
    assert (*evaluate_commands.PAIRED_TESTS, *evaluate_commands.TESTS_OF_ALL) == tuple(PAIR_TESTS)
    assert tuple(CORRECTIONS) == evaluate_commands.CORRECTIONS
    for command in ("experiment", "evaluate"):
        told = "".join(call(command, "--help").out.split())
        assert all(name in told for name in (*PAIR_TESTS, *CORRECTIONS))


def test_random_documents(call, drawn, tmp_path):
    given = ["experiment", drawn, "-r", "bm25,ql", "--random", "3", "--seed", "4"]
    assert call(*given, "-o", "out").out.endswith("\n7 files are in out\n")
    wanted = ab.sample_scores(["bm25", "ql"], drawn, random=3, seed=4)
    rows = (tmp_path / "out" / "samples.csv").read_text().splitlines()[1:]
    assert [row.split(",")[2] for row in rows[::2]] == wanted.documents
    call("experiment", drawn, "-r", "bm25", "-o", "out")
    assert not (tmp_path / "out" / "samples.csv").exists()
    ran = call(*given)
    assert (ran.code, "give -o, too" in ran.err) == (2, True)


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (67, "1:07"), (3723.9, "1:02:03")])
def test_clock(seconds, shown):
    assert clock(seconds) == shown


def test_help_names_both_forms(call):
    ran = call("experiment", "--help")
    assert "COLLECTION|FILE.toml" in ran.out
