"""Rankings and judgements as the frames of other tools, which must make the same of them."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aboutness as ab
from aboutness.core.errors import BadInput, UsageError
from aboutness.core.record import Query

RUN = {"q2": {"d1": 0.5, "d2": 2.0, "d3": 0.5}, "q10": {"d3": -1.0}}
QRELS = {"q2": {"d1": 1, "d3": 2}, "q10": {"d9": 1}}
BEST = {"q2": [("d2", 2.0), ("d1", 0.5), ("d3", 0.5)], "q10": [("d3", -1.0)]}

words = st.text(min_size=1, max_size=4)
scores = st.floats(-1e6, 1e6)
runs = st.dictionaries(words, st.dictionaries(words, scores, min_size=1, max_size=5), max_size=4)
grades = st.dictionaries(words, st.dictionaries(words, st.integers(-2, 9), min_size=1, max_size=5), max_size=4)
forms = st.sampled_from(["pyterrier", "ir-measures", "ranx"])


def test_columns_and_ranks_as_pyterrier_has_them():
    frame = ab.run_to_frame(RUN)
    assert list(frame.columns) == ["qid", "docno", "score", "rank"]
    expected = [(q, d, s, rank) for q, ranking in BEST.items() for rank, (d, s) in enumerate(ranking)]
    assert list(frame.itertuples(index=False, name=None)) == expected
    # As its add_ranks does it: within a query, from 0, equal scores in their order.
    again = frame.groupby("qid", sort=False)["score"].rank(ascending=False, method="first").astype(int) - 1
    assert again.tolist() == frame["rank"].tolist()


def test_columns_of_the_others():
    assert list(ab.run_to_frame(RUN, "ir-measures").columns) == ["query_id", "doc_id", "score"]
    assert list(ab.run_to_frame(RUN, "ranx").columns) == ["q_id", "doc_id", "score"]
    assert list(ab.judgements_to_frame(QRELS).columns) == ["qid", "docno", "label"]
    assert list(ab.judgements_to_frame(QRELS, "ir-measures").columns) == ["query_id", "doc_id", "relevance"]
    assert list(ab.judgements_to_frame(QRELS, "ranx").columns) == ["q_id", "doc_id", "score"]
    for made in (ab.run_to_frame({}), ab.judgements_to_frame({})):
        assert len(made) == 0
        assert str(made.dtypes.iloc[2])[:3] in ("flo", "int")
    for made in (ab.run_to_frame(RUN, "ranx"), ab.judgements_to_frame(QRELS, "ranx")):
        assert [made[name].dtype == "O" for name in ("q_id", "doc_id")] == [True, True]  # which it asserts
    for make in (ab.run_to_frame, ab.judgements_to_frame):
        with pytest.raises(UsageError, match="form must be one of pyterrier, ir-measures, ranx, got 'trec'"):
            make({}, "trec")


def test_the_texts_of_queries():
    texts = {"q2": "two", "q10": "ten"}
    queries = [Query("q2", "two"), Query("q10", "ten")]
    for given_ in (texts, queries, pd.DataFrame({"qid": ["q2", "q10"], "query": ["two", "ten"]})):
        frame = ab.run_to_frame(RUN, queries=given_)
        assert list(frame.columns) == ["qid", "query", "docno", "score", "rank"]
        assert frame["query"].tolist() == ["two", "two", "two", "ten"]


@given(runs, forms)
def test_a_run_there_and_back(run, form):
    assert ab.run_from_frame(ab.run_to_frame(run, form)) == run
    best = {query: sorted(ranking.items(), key=lambda pair: -pair[1]) for query, ranking in run.items()}
    assert ab.run_from_frame(ab.run_to_frame(best, form)) == run


@given(grades, forms)
def test_judgements_there_and_back(qrels, form):
    assert ab.judgements_from_frame(ab.judgements_to_frame(qrels, form)) == qrels


def test_what_a_frame_may_look_like_besides():
    frame = pd.DataFrame({"docid": [3, 4], "docno": ["a", "b"], "qid": [1, 1], "score": [2, 1], "rank": [0, 1]})
    assert ab.run_from_frame(frame) == {"1": {"a": 2.0, "b": 1.0}}
    assert ab.run_from_frame(frame.drop(columns="score")) == {"1": {"a": 0.0, "b": -1.0}}
    assert ab.run_from_frame(frame.drop(columns="docno")) == {"1": {"3": 2.0, "4": 1.0}}
    beir = pd.DataFrame({"query-id": ["q"], "corpus-id": ["d"], "score": [1.0]})
    assert ab.judgements_from_frame(beir) == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"score": [1.0, float("nan")]},
            "row 1 of the data frame: the score must be a finite number .*, got None",
        ),
        ({"score": [float("inf"), 1.0]}, "row 0 of the data frame: the score must be a finite number .*, got inf"),
        ({"score": ["1", "2"]}, "row 0 of the data frame: the score must be a finite number .*, got '1'"),
        (
            {"score": pd.Series([1, 10**400], dtype=object)},
            "row 1 .* the score must be a finite number .*, got 1000",
        ),
        ({"score": [1.0, 1e300]}, r"row 1 .* the score must be a finite number .*, got 1e\+300"),
        ({"score": None, "rank": [1, 1]}, "query 'q': two documents have the rank 1"),
        ({"score": None, "rank": [0.5, 1]}, "row 0 .* the rank must be a whole number of at least 0, got 0.5"),
        ({"score": None, "rank": [1, -1]}, "row 1 .* the rank must be a whole number of at least 0, got -1"),
        ({"score": None, "rank": [1.0, None]}, "row 1 .* the rank must be a whole number of at least 0, got None"),
        ({"docno": ["a", "a"]}, "row 1 of the data frame: document 'a' is ranked twice for query 'q'"),
        ({"docno": ["a", None]}, "row 1 of the data frame: the id of documents must be a text"),
        (
            {"score": None},
            r"there is no column of scores or ranks \(score or rank\); the columns are 'qid', 'docno'",
        ),
        (
            {"qid": None},
            r"there is no column of queries \(qid or query_id or .*\); the columns are 'docno', 'score'",
        ),
        ({"docno": None}, r"there is no column of documents \(docno or doc_id or .*\)"),
    ],
)
def test_frames_that_are_no_run(change, problem):
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0]} | change
    frame = pd.DataFrame({name: values for name, values in columns.items() if values is not None})
    with pytest.raises(BadInput, match=problem):
        ab.run_from_frame(frame)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": [1, 0.5]}, "row 1 of the data frame: the grade must be a whole number, got 0.5"),
        ({"label": [1, None]}, "row 1 of the data frame: the grade must be a whole number, got None"),
        ({"label": [True, False]}, "row 0 of the data frame: the grade must be a whole number, got True"),
        ({"docno": ["a", "a"]}, "row 1 of the data frame: query 'q': document 'a' is judged twice, with grades 2 and 1"),
        ({"label": None}, r"there is no column of grades \(label or relevance or rel or grade or score\)"),
    ],
)  # fmt: skip
def test_frames_that_are_no_judgements(change, problem):
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "label": [2, 1]} | change
    frame = pd.DataFrame({name: values for name, values in columns.items() if values is not None})
    with pytest.raises(BadInput, match=problem):
        ab.judgements_from_frame(frame)


def test_numbers_of_numpy_in_columns_of_objects():
    def objects(*values):
        return pd.Series(values, dtype=object)

    ids = {"qid": objects(np.int64(1), 1), "docno": objects(np.int64(2), np.str_("x"))}
    run = pd.DataFrame(ids | {"score": objects(np.float32(0.5), np.int8(1))})
    assert ab.run_from_frame(run) == {"1": {"2": 0.5, "x": 1.0}}
    qrels = pd.DataFrame(ids | {"label": objects(np.int64(3), np.float64(1))})
    assert ab.judgements_from_frame(qrels) == {"1": {"2": 3, "x": 1}}


@pytest.mark.parametrize("form", ["pyterrier", "ir-measures", "ranx"])
def test_ids_that_are_numbers_become_texts(form):
    frame = ab.run_to_frame({1: {2: np.float32(0.5)}, np.int64(2): [(3.0, 1)]}, form, queries={1: "x", "2": "y"})
    assert frame["query"].tolist() == ["x", "y"]
    assert ab.run_from_frame(frame) == {"1": {"2": 0.5}, "2": {"3": 1.0}}
    assert ab.judgements_from_frame(ab.judgements_to_frame({1: {2: np.int64(3), "x": 1.0}}, form)) == {
        "1": {"2": 3, "x": 1}
    }


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ({"q": {"d": None}}, "query 'q', document 'd': the score must be a finite number .*, got None"),
        ({"q": [("d", "1")]}, "query 'q', document 'd': the score must be a finite number .*, got '1'"),
        ({"q": {"d": float("nan")}}, "query 'q', document 'd': the score must be a finite number .*, got nan"),
        ({"q": [("d", 1.0), ("d", 2.0)]}, "document 'd' is ranked twice for query 'q'"),
        ({1: {"d": 1.0}, "1": {"d": 2.0}}, "document 'd' is ranked twice for query '1'"),
        ({None: {"d": 1.0}}, "the id of queries must be a text or a whole number, got None"),
        ({"q": {"": 1.0}}, "the id of documents must be a text or a whole number, got ''"),
    ],
)
def test_runs_that_make_no_frame(run, problem):
    with pytest.raises(BadInput, match=problem):
        ab.run_to_frame(run)


@pytest.mark.parametrize("grade", [1.5, None, "1", True, 10**400, float("inf")])
def test_judgements_that_make_no_frame(grade):
    with pytest.raises(BadInput, match="query 'q', document 'd': the grade must be a whole number, got "):
        ab.judgements_to_frame({"q": {"d": grade}})


def test_what_is_neither_a_run_nor_judgements():
    frame = ab.run_to_frame(RUN)
    with pytest.raises(UsageError, match=r"rankings by query are needed, \{query: \{document: number\}\}, got"):
        ab.run_to_frame(frame)
    with pytest.raises(UsageError, match="judgements by query are needed"):
        ab.judgements_to_frame([("q", "d", 1)])
    for wrong in (5, "ab", ["d"]):
        with pytest.raises(UsageError, match="query 'q': numbers by document, or pairs of these, are needed, got"):
            ab.run_to_frame({"q": wrong})
    with pytest.raises(UsageError, match=r"form must be one of .*, got \['x'\]"):
        ab.run_to_frame(RUN, ["x"])
    with pytest.raises(
        UsageError, match="queries must be a data frame, texts by id, or Query objects, got 'moon'"
    ):
        ab.run_to_frame(RUN, queries=["moon"])
    for take in (ab.run_from_frame, ab.judgements_from_frame):
        with pytest.raises(UsageError, match=r"a data frame is needed, got \{\}"):
            take({})
        with pytest.raises(BadInput, match="two columns of the data frame are named 'score'; rename one"):
            take(pd.DataFrame([["q", "d", 1, 2]], columns=["qid", "docno", "score", "score"]))


def test_ir_measures_makes_the_same_of_our_frames():
    measures = [ir_measures.nDCG @ 10, ir_measures.AP, ir_measures.RR]
    qrels, run = ab.judgements_to_frame(QRELS, "ir-measures"), ab.run_to_frame(RUN, "ir-measures")
    theirs = {str(name): value for name, value in ir_measures.calc_aggregate(measures, qrels, run).items()}
    ours = ab.evaluate_run(qrels, run, [str(one) for one in measures])
    assert ours.mean == pytest.approx(theirs)
    assert ours == ab.evaluate_run(QRELS, RUN, [str(one) for one in measures])
    assert 0 < theirs["AP"] < 1


def test_a_frame_is_written_as_a_run(tmp_path):
    shuffled = ab.run_to_frame(RUN).sample(frac=1, random_state=2)
    ab.write_run(tmp_path / "a.run", shuffled, "me")
    assert ab.read_run(tmp_path / "a.run") == {
        query: sorted(ranking.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        for query, ranking in RUN.items()
    }
    assert (tmp_path / "a.run").read_text().splitlines()[0].endswith(" me")


def test_scores_by_document_are_written_as_a_run(tmp_path):
    for name, run in (("a.run", RUN), ("b.run", list(RUN.items())), ("c.run", ab.run_to_frame(RUN))):
        ab.write_run(tmp_path / name, run, "me")
        assert (tmp_path / name).read_bytes() == (tmp_path / "a.run").read_bytes(), name
    assert ab.evaluate_run(QRELS, ab.read_run(tmp_path / "a.run"), "AP") == ab.evaluate_run(QRELS, RUN, "AP")
    for wrong in ({1: {"d": 1.0}}, {"q": {1: 1.0, "d": 1.0}}):
        with pytest.raises(UsageError, match="id must be one word, without blanks, to stand in a run; got 1"):
            ab.write_run(tmp_path / "d.run", wrong, "me")
    with pytest.raises(UsageError, match="the score of document 'd' must be a finite 32-bit float, got 1000"):
        ab.write_run(tmp_path / "d.run", {"q": {"d": 10**400}}, "me")
    assert not (tmp_path / "d.run").exists()


def test_runs_in_frames_are_compared():
    frames = {
        "one": ab.run_to_frame(RUN),
        "other": ab.run_to_frame({"q2": {"d3": 1.0}, "q10": {"d9": 1.0}}, "ranx"),
    }
    found = ab.evaluate_runs(ab.judgements_to_frame(QRELS), frames, "AP,RR", test="fisher", interval=True)
    table = found.to_frame()
    assert list(table.columns) == ["run", "queries", "AP", "RR", "p (AP)", "p (RR)"]
    assert table["run"].tolist() == ["one", "other"]
    assert table["AP"].tolist() == [one.evaluation.mean["AP"] for one in found]
    assert table["p (AP)"].isna().tolist() == [True, False]
    assert table["p (AP)"][1] == found[1].adjusted["AP"]
    unnamed = ab.evaluate_runs(QRELS, list(frames.values()), "AP")
    assert [one.name for one in unnamed] == ["run 1", "run 2"]
    assert [one.evaluation for one in unnamed] == [
        ab.evaluate_run(QRELS, frame, "AP") for frame in frames.values()
    ]


def test_what_is_no_list_of_runs():
    with pytest.raises(
        UsageError, match="evaluate_runs takes a list of runs, got a data frame; evaluate_run takes one"
    ):
        ab.evaluate_runs(QRELS, ab.run_to_frame(RUN))
    with pytest.raises(
        UsageError, match=r"evaluate_runs takes a list of runs, got 'a\.run'; evaluate_run takes one"
    ):
        ab.evaluate_runs(QRELS, "a.run")
    with pytest.raises(UsageError, match="judgements must be a file, a data frame or grades by query, got"):
        ab.evaluate_run([("q1", "d1", 1)], {"q1": {"d1": 1.0}}, "AP")
    with pytest.raises(UsageError, match="a run must be a file, a data frame or rankings by query, got 5"):
        ab.evaluate_run(QRELS, 5)
