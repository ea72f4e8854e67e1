from __future__ import annotations

import csv
import gc
import gzip
import json

import pytest

import aboutness as ab
from aboutness.app.comparing import (
    DEFAULT_MEASURES,
    collection,
    compare,
    evaluate_runs,
    results_in,
    run_queries,
    run_tag,
    save_comparison,
)
from aboutness.app.index import Index
from aboutness.core.errors import BadInput, BadRecord, NotFound, StorageError, UsageError
from aboutness.evaluate.runs import read_run
from aboutness.rank.known import known_rankers
from aboutness.vectors.word2vec import Word2Vec
from experiment.small import (
    BY_WORDS,
    DEFAULTS,
    DOCUMENTS,
    QRELS,
    QUERIES,
    TERM_MODELS,
    TRAINED,
    documents,
    lines,
    small_vectors,
    vectors_for,
    with_all,
    write_collection,
)

RANKERS = [*known_rankers(), "bm25 % 2 >> ql", "bm25[k1=1.7,b=.95]", "bm25 % 3 >> desm-in-out", "bm25 + 30*wcs"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return write_collection(tmp_path_factory.mktemp("collections") / "small")


@pytest.fixture(scope="module")
def index():
    return with_all(Index.build(documents()))


def means(comparison):
    return [(str(row.ranker), row.evaluation.mean) for row in comparison.rows]


# --- compare -------------------------------------------------------------------------------------------


def test_rankers_and_collections_by_name_or_as_they_are(small, index):
    wanted = compare(["bm25", "ql[mu=5]"], small)
    assert [name for name, _ in means(wanted)] == ["bm25", "ql[mu=5]"]
    assert wanted.measures == DEFAULT_MEASURES
    for rankers in ([ab.BM25(), ab.QL(mu=5)], ("bm25", ab.QL(mu=5.0)), iter(["bm25", "ql[mu=5]", "bm25"])):
        for on in (small, str(small), collection(small)):
            assert means(compare(rankers := list(rankers), on)) == means(wanted)
    assert means(compare("bm25", small)) == means(compare(ab.BM25(), small)) == means(wanted)[:1]
    assert means(compare("bm25", small, index=index)) == means(wanted)[:1]
    assert ab.compare is compare
    assert ab.collection is collection


def test_a_row_is_what_searching_finds(small, index):
    found = compare(RANKERS, small, index=index, depth=3)
    for row in found.rows:
        assert row.run == {
            query["_id"]: [(hit.id, hit.score) for hit in index.search(query["text"], 3, row.ranker)]
            for query in QUERIES[:4]
        }


def test_runs_outlive_the_index_that_was_made_for_them(small, index, tmp_path):
    found = compare(["bm25", "ql"], small)
    gc.collect()
    assert [row.run for row in found.rows] == [row.run for row in compare(["bm25", "ql"], small, index=index).rows]
    assert len(save_comparison(found, tmp_path)) == 6


def test_measures_by_name_list_or_text(small, index):
    for measures in ("AP, P(rel=2)@5", ["AP", "P(rel=2)@5"], ("AP", "P(rel=2)@5", "AP")):
        assert compare("bm25", small, measures, index=index).measures == ("AP", "P(rel=2)@5")
    with pytest.raises(UsageError, match="there is no measure 'nope'"):
        compare("bm25", small, "nope", index=index)


def test_the_analyzer_is_that_of_the_index(small, index):
    assert compare("bm25", small).analyzer == "english"
    plain = compare("bm25", small, analyzer="plain")
    assert plain.analyzer == "plain"
    assert means(plain) != means(compare("bm25", small))
    assert means(compare("bm25", small, index=Index.build(documents(), analyzer="plain"))) == means(plain)
    assert compare("bm25", small, analyzer="plain", index=index).analyzer == "english"
    with pytest.raises(UsageError, match="unknown analyzer 'nope'"):
        compare("bm25", small, analyzer="nope")


def test_an_index_is_taken_as_it_is_also_when_empty(small):
    found = compare("bm25", small, index=Index.build([]))
    assert found.documents == 0
    assert set(found.rows[0].evaluation.mean.values()) == {0.0}
    assert found.unknown == {query: list(grades) for query, grades in QRELS.items()}


def test_match_and_fields_are_as_in_search(small, index):
    for match in ("and", "all", "bm25 % 1"):
        for row in compare(["bm25", "ql"], small, index=index, match=match, fields="text").rows:
            name = "bm25" if "bm25[fields=text]" in str(row.ranker).split(">>")[-1] else "ql"
            for query in QUERIES[:4]:
                hits = index.search(query["text"], 1000, name, match=match, fields="text")
                assert hits.ranker == row.ranker
                assert row.run[query["_id"]] == [(hit.id, hit.score) for hit in hits]
    with pytest.raises(UsageError, match="match must be one of"):
        compare("bm25", small, index=index, match="xor")
    with pytest.raises(UsageError, match="the index has no field 'body'"):
        compare("bm25", small, index=index, fields="body")


def test_wrong_rankers_measures_and_depths_are_told_before_anything_is_indexed(small, tmp_path):
    broken = write_collection(tmp_path / "broken")
    (broken / "corpus.jsonl").write_text("nonsense\n")
    for rankers in ("bm26", ["bm25", "bm25[k1=-1]"], ["bm25 >> ql"]):
        with pytest.raises(UsageError):
            compare(rankers, broken)
    with pytest.raises(UsageError, match="there is no measure 'nope'"):
        compare("bm25", broken, ["AP", "nope"])
    for depth in (0, -1, 1.5, True):
        with pytest.raises(UsageError, match="k must be a whole number of at least 1"):
            compare("bm25", broken, depth=depth)
    with pytest.raises(BadRecord, match=r"corpus\.jsonl:1: "):
        compare("bm25", broken)
    with pytest.raises(BadInput, match="this is a file"):
        compare("bm25", small / "qrels.tsv")


def test_no_ranker_is_no_row(small, index):
    assert compare([], small, index=index).to_json()["rows"] == []


def test_progress_of_indexing_and_ranking(small):
    indexed, ranked = [], []
    compare("bm25", small, indexing=lambda *news: indexed.append(news), progress=lambda *news: ranked.append(news))
    assert indexed[-1][0] == len(DOCUMENTS)
    assert ranked == [("bm25", 4, 4)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(small, index, threads):
    assert [row.run for row in compare(RANKERS, small, index=index, threads=threads).rows] == [
        row.run for row in compare(RANKERS, small, index=index).rows
    ]


# --- word vectors --------------------------------------------------------------------------------------

BY_VECTORS = ["iwcs", "bm25 % 3 >> desm-in-out", "bm25 + 30*desm-in-out"]


@pytest.fixture
def trained(monkeypatch):
    """What vectors were trained with, each time that some were."""
    ways = []
    train = Index.train

    def noted(self, kind, **named):
        ways.append((kind, named["threads"]))
        return train(self, kind, **named)

    monkeypatch.setattr(Index, "train", noted)
    return ways


def test_vectors_are_trained_once_if_a_ranker_needs_some_and_always_the_same(small, trained):
    compare(TERM_MODELS, small)
    compare("bm25 % 3 >> ql + 2*tfidf", small, vectors="word2vec")
    assert trained == []
    told = []
    first = compare(["bm25", *BY_VECTORS], small, training=lambda *news: told.append(news))
    assert trained == [(Word2Vec(), 1)]
    assert {name for name, _ in told} == {"word2vec"}
    assert told[0][1].done == 0
    assert told[-1][1].done == told[-1][1].total > 1
    second = compare(["bm25", *BY_VECTORS], small, vectors="word2vec")
    assert trained == [(Word2Vec(), 1)] * 2
    assert [row.run for row in second.rows] == [row.run for row in first.rows]


def test_vectors_of_a_file_or_loaded_ones_are_those_of_an_index(small, index, trained, tmp_path):
    small_vectors().save(tmp_path / "v.safetensors")
    wanted = [row.run for row in compare(BY_VECTORS, small, index=index).rows]
    assert any(one["q1"] for one in wanted)
    for vectors in (tmp_path / "v.safetensors", str(tmp_path / "v.safetensors"), small_vectors()):
        assert [row.run for row in compare(BY_VECTORS, small, vectors=vectors).rows] == wanted
    assert trained == []


def test_vectors_can_be_trained_in_any_way(small, trained):
    way = Word2Vec(dim=8, min_count=1, epochs=2, seed=7)
    found = compare(BY_VECTORS, small, vectors=way)
    assert trained == [(way, 1)]
    index = Index.build(documents())
    index.train(way, threads=1)
    assert [row.run for row in found.rows] == [row.run for row in compare(BY_VECTORS, small, index=index).rows]
    other = compare(BY_VECTORS, small, vectors=Word2Vec(dim=8, min_count=1, epochs=2, seed=8))
    assert [row.run for row in other.rows] != [row.run for row in found.rows]


def test_an_index_has_its_own_vectors(small, index):
    with pytest.raises(UsageError, match="give `index` or `vectors`, not both"):
        compare("bm25", small, index=index, vectors="word2vec")
    with pytest.raises(NotFound, match="has no word vectors"):
        compare(["bm25", "iwcs"], small, index=Index.build(documents()))


def test_vectors_that_are_not_there(small, tmp_path):
    (tmp_path / "text.txt").write_text("no vectors at all\n")
    with pytest.raises(BadInput, match=r"text\.txt"):
        compare("iwcs", small, vectors=tmp_path / "text.txt")
    broken = write_collection(tmp_path / "broken")
    (broken / "corpus.jsonl").write_text("nonsense\n")
    for rankers in ("iwcs", "bm25", None):  # told before anything is indexed, also where nothing needs vectors
        for wrong in (tmp_path / "nope.bin", "word3vec", tmp_path):
            with pytest.raises(NotFound, match=r"there is no file .* with word vectors.*\(word2vec\)"):
                compare(rankers, broken, vectors=wrong)
        for wrong in (5, ["word2vec"], Word2Vec):
            with pytest.raises(UsageError, match="vectors must be a file, WordVectors or a way of training, got"):
                compare(rankers, broken, vectors=wrong)


def test_without_rankers_all_are_compared(small, index):
    found, there = compare(None, small, vectors=small_vectors()), compare(None, small, index=index)
    assert [str(row.ranker) for row in found.rows] == list(known_rankers())
    assert [str(row.ranker) for row in there.rows] == [name for name in known_rankers() if name not in DEFAULTS]
    assert list(there.left_out) == list(DEFAULTS)  # in whose place bm25 would answer
    same = [row for row in found.rows if str(row.ranker) not in DEFAULTS]
    for row, other in zip(same, there.rows, strict=True):
        if str(row.ranker) not in TRAINED:  # for the index, these were trained in another way
            assert row.run == other.run
    assert found.left_out == {}
    assert "left_out" not in found.to_json()


def test_without_rankers_those_that_the_vectors_do_not_suffice_for_are_left_out(small, tmp_path):
    words = [*small_vectors()]
    found = compare(None, small, vectors=vectors_for(words, ("in",)))
    without = ["bm25-desm", "desm-in-out", "desm-out-in", "desm-out-out"]
    assert list(found.left_out) == without
    assert all("'out'" in why for why in found.left_out.values())
    assert [str(row.ranker) for row in found.rows] == [name for name in known_rankers() if name not in without]
    assert found.to_json()["left_out"] == found.left_out
    save_comparison(found, tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["comparisons"][0]["left_out"] == found.left_out
    for name in without:
        with pytest.raises(UsageError, match="'out'"):
            compare(["bm25", name], small, vectors=vectors_for(words, ("in",)))
    alone = compare(None, small, index=Index.build(documents()))
    assert [str(row.ranker) for row in alone.rows] == [name for name in known_rankers() if name in TERM_MODELS]
    assert list(alone.left_out) == [name for name in known_rankers() if name not in TERM_MODELS]
    assert all("has no word vectors" in alone.left_out[name] for name in BY_WORDS)
    assert "aboutness vectors import" in alone.left_out["default-vectors"]
    assert all("run: index.train(" in alone.left_out[name] for name in TRAINED if name != "default-vectors")


def test_documents_that_no_vectors_can_be_trained_on(tmp_path):
    place = write_collection(tmp_path / "few")
    (place / "corpus.jsonl").write_text(lines([{"_id": "d1", "text": "city"}, {"_id": "d4", "text": "river"}]))
    with pytest.raises(UsageError, match="no word stands at least"):
        compare(["bm25", "iwcs"], place)
    found = compare(None, place)
    served = (*TERM_MODELS, "lsa", "default")  # which take words that stand but once
    assert [str(row.ranker) for row in found.rows] == [name for name in known_rankers() if name in served]
    assert list(found.left_out) == [name for name in known_rankers() if name not in served]
    assert all("cannot be trained: " in why for name, why in found.left_out.items() if name not in DEFAULTS)
    assert "word2vec cannot be trained: no word stands at least" in found.left_out["iwcs"]


@pytest.mark.parametrize(
    ("named", "told"), [({"fields": "body"}, "no field"), ({"match": "ql[layer=x] % 3"}, "no layer")]
)
def test_what_is_wrong_for_every_ranker_is_told_also_without_rankers(small, index, named, told):
    with pytest.raises(UsageError, match=told):
        compare(None, small, index=index, **named)


# --- runs and their evaluation -------------------------------------------------------------------------


@pytest.mark.parametrize("ranker", RANKERS)
def test_a_run_evaluated_has_the_values_of_the_comparison(small, index, tmp_path, ranker):
    (row,) = compare(ranker, small, index=index).rows
    run = tmp_path / "x.trec.gz"
    assert run_queries(index, small / "queries.jsonl", run, ranker) == 5
    for qrels in (small, small / "qrels.tsv", str(small)):
        (found,) = evaluate_runs(qrels, [run])
        assert found.evaluation.mean == row.evaluation.mean
        assert found.evaluation.per_query == row.evaluation.per_query
        assert (found.evaluation.unjudged, found.evaluation.unanswered) == (("q5",), ("q4", "q6"))


def test_a_run(index, tmp_path):
    (tmp_path / "q.tsv").write_text("7\told songs\n8\tthe\n9\tcats\n")
    assert run_queries(index, tmp_path / "q.tsv", tmp_path / "x.trec", "bm25 % 2 >> ql") == 3
    rows = [line.split() for line in (tmp_path / "x.trec").read_text().splitlines()]
    hits = [*index.search("old songs", ranker="bm25 % 2 >> ql"), *index.search("cats", ranker="ql")]
    assert [row[:4] for row in rows] == [
        ["7", "Q0", "d3", "1"], ["7", "Q0", "d7", "2"], ["9", "Q0", "d5", "1"],
    ]  # fmt: skip
    assert {row[5] for row in rows} == {"bm25-2-ql"}
    assert read_run(tmp_path / "x.trec") == {
        "7": [("d7", hits[1].score), ("d3", hits[0].score)],
        "9": [("d5", hits[2].score)],
    }


def test_a_run_to_some_depth_with_a_tag_fields_and_match(index, small, tmp_path):
    queries, target = small / "queries.jsonl", tmp_path / "x.trec"
    run_queries(index, queries, target, depth=1, tag="My>>own")
    assert {line.split()[5] for line in target.read_text().splitlines()} == {"My>>own"}
    assert {line.split()[3] for line in target.read_text().splitlines()} == {"1"}
    run_queries(index, queries, target, match="and", fields="text", threads=2)
    assert list(read_run(target)) == ["q1", "q2", "q3", "q5"]
    assert read_run(target)["q1"] == [
        (hit.id, hit.score) for hit in index.search("cities of Mexico", match="and", fields="text")
    ]
    run_queries(index, queries, target, match="bm25 % 1")
    assert [len(pairs) for pairs in read_run(target).values()] == [1, 1, 1, 1]
    for tag in (" ", "", "my own"):
        with pytest.raises(UsageError, match="tag of a run must be one word"):
            run_queries(index, queries, target, tag=tag)


@pytest.mark.parametrize(
    ("ranker", "tag"),
    [
        ("bm25", "bm25"),
        ("bm25 % 100 >> ql", "bm25-100-ql"),
        ("bm25[k1=1.7,b=.95]", "bm25-k1-1.7-b-0.95"),
        ("bm25[variant=bm25+,fields=3*Title+text] % 2", "bm25-fields-3-title-text-variant-bm25-2"),
        ("(bm25 % 5 >> ql) % 3 >> tfidf", "bm25-5-ql-3-tfidf"),
    ],
)
def test_the_tag_is_the_ranker_in_one_word(index, small, tmp_path, ranker, tag):
    assert run_tag(ab.ranker(ranker)) == tag
    if "Title" not in ranker:
        run_queries(index, small / "queries.jsonl", tmp_path / "x.trec", ranker)
        assert {line.split()[5] for line in (tmp_path / "x.trec").read_text().splitlines()} == {tag}


def test_a_run_that_fails_leaves_the_old_one(index, small, tmp_path):
    target = tmp_path / "x.trec"
    target.write_text("old\n")
    queries = small / "queries.jsonl"
    blank = Index.build([{"id": "with blank", "text": "city"}])
    assert [hit.id for hit in blank.search("city")] == ["with blank"]
    with pytest.raises(
        UsageError,
        match=r"the document id must be one word, without blanks, .* got 'with blank'; give it one ",
    ):
        run_queries(blank, queries, target)
    (tmp_path / "two.tsv").write_text("1\tcity\n1\tsong\n")
    with pytest.raises(BadInput, match=r"two\.tsv:2: two queries have the id '1'"):
        run_queries(index, tmp_path / "two.tsv", target)
    (tmp_path / "blank.tsv").write_text("1 2\tcity\n")
    with pytest.raises(UsageError, match="the query id must be one word"):
        run_queries(index, tmp_path / "blank.tsv", target)
    (tmp_path / "bad.tsv").write_text("1\tcity\nno tab\n")
    with pytest.raises(BadRecord, match=r"bad\.tsv:2: "):
        run_queries(index, tmp_path / "bad.tsv", target)
    with pytest.raises(NotFound, match="no such file"):
        run_queries(index, tmp_path / "nope.tsv", target)
    for depth in (0, True, 2.5):
        with pytest.raises(UsageError, match="k must be"):
            run_queries(index, queries, target, depth=depth)
    with pytest.raises(NotFound, match="there is no folder"):
        run_queries(index, queries, tmp_path / "no" / "x.trec")
    with pytest.raises(UsageError, match="is a folder"):
        run_queries(index, queries, tmp_path)
    assert target.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tsv", "blank.tsv", "two.tsv", "x.trec"]


def test_no_queries_make_an_empty_run(index, tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    assert run_queries(index, tmp_path / "none.jsonl", tmp_path / "x.trec") == 0
    assert (tmp_path / "x.trec").read_bytes() == b""


def test_runs_are_evaluated_one_by_one(small, tmp_path):
    (tmp_path / "good.trec").write_text("q1 Q0 d1 1 2.5 me\nq3 Q0 d4 1 1 me\nq9 Q0 d4 1 1 me\n")
    (tmp_path / "none.trec").write_text("")
    found = evaluate_runs(small, [tmp_path / "good.trec", tmp_path / "none.trec"], ["P@1", "RR"])
    for one, name, mean, unjudged in zip(found, ("good.trec", "none.trec"), (0.4, 0.0), (1, 0), strict=True):
        plain = one.to_json()
        assert (plain["run"], plain["P@1"], plain["RR"]) == (str(tmp_path / name), mean, mean)
        assert (plain["queries"], plain["unanswered"], plain["unjudged"]) == (5, 5 - int(5 * mean), unjudged)


def test_runs_are_tested_against_the_first_one_by_each_measure(small, index, tmp_path):
    names = ["bm25", "tfidf", "bm25"]
    runs = [tmp_path / f"{place}.trec" for place in range(3)]
    for name, run in zip(names, runs, strict=True):
        run_queries(index, small / "queries.jsonl", run, name)
    plain, found = (evaluate_runs(small, runs, ["AP", "RR"], test=test) for test in (None, "fisher"))
    assert [one.evaluation for one in found] == [one.evaluation for one in plain]
    assert (found[0], plain[1].against, plain[1].tests) == (plain[0], None, {})
    for one in found[1:]:
        assert one.against == str(runs[0])
        assert one.tests == {
            "fisher": {
                name: ab.fisher(
                    *({q: v[name] for q, v in e.evaluation.per_query.items()} for e in (one, found[0]))
                )
                for name in ("AP", "RR")
            }
        }
    assert found[2].tests["fisher"]["AP"].p_value == 1
    with pytest.raises(UsageError, match="unknown test 'nope'"):
        evaluate_runs(small, [], test="nope")
    with pytest.raises(UsageError, match="name at least two, got 1"):
        evaluate_runs(tmp_path / "nowhere", runs[:1], test="fisher")


def test_bad_runs_and_judgements_are_told_with_their_place(small, tmp_path):
    (tmp_path / "bad.trec").write_text("q1 Q0 d1 1 2.5 me\n\nq1 Q0 d2 2 high me\n")
    with pytest.raises(BadRecord, match=r"bad\.trec:3: the score must be a finite number"):
        evaluate_runs(small, [tmp_path / "bad.trec"])
    (tmp_path / "bad.qrels").write_text("q1 0 d1 1\n\nq1 0 d3 x\n")
    with pytest.raises(BadRecord, match=r"bad\.qrels:3: the grade must be a whole number"):
        evaluate_runs(tmp_path / "bad.qrels", [])
    with pytest.raises(NotFound, match=r"nope\.trec: no such file"):
        evaluate_runs(small, [tmp_path / "nope.trec"])


def runs_in(folder):
    (found,) = json.loads((folder / "results.json").read_text())["comparisons"]
    return [row["run"] for row in found["rows"]]


# --- saving --------------------------------------------------------------------------------------------


def test_a_comparison_is_saved_whole(small, index, tmp_path):
    found = compare(RANKERS, small, ["nDCG@10", "AP"], index=index)
    written = save_comparison(found, tmp_path / "new" / "out")
    tags = [*known_rankers(), "bm25-2-ql", "bm25-k1-1.7-b-0.95", "bm25-3-desm-in-out", "bm25-30-wcs"]
    names = [f"{number:02}-{tag}" for number, tag in enumerate(tags, 1)]
    assert [str(path.relative_to(tmp_path / "new" / "out")) for path in written] == [
        "results.json", *(f"runs/{name}.trec" for name in names), "qrels/01-small.tsv", "queries/01-small.jsonl",
        "per_query.csv",
    ]  # fmt: skip
    assert {path for path in (tmp_path / "new").rglob("*") if path.is_file()} == set(written)
    (plain,) = json.loads(written[0].read_text())["comparisons"]
    assert {key: value for key, value in plain.items() if key in found.to_json()} | {"rows": []} == (
        found.to_json() | {"rows": []}
    )
    assert [row["run"] for row in plain["rows"]] == [f"runs/{name}.trec" for name in names]
    for row, one in zip(found.to_json()["rows"], plain["rows"], strict=True):
        assert row.items() <= one.items()
    with written[-1].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["ranker"], row["query"], row["measure"], float(row["value"])) for row in rows] == [
        (str(row.ranker), query, measure, values[measure])
        for row in found.rows
        for query, values in row.evaluation.per_query.items()
        for measure in ("nDCG@10", "AP")
    ]
    assert {(row["collection"], row["setting"]) for row in rows} == {("small", "")}
    for row, path in zip(found.rows, written[1:-3], strict=True):
        assert evaluate_runs(small, [path], ["nDCG@10", "AP"])[0].evaluation.per_query == row.evaluation.per_query
        assert {line.split()[5] for line in path.read_text().splitlines()} == {path.stem.partition("-")[2]}


def test_saving_again_replaces(small, index, tmp_path):
    save_comparison(compare("bm25", small, ["AP"], index=index), tmp_path)
    save_comparison(compare("bm25", small, ["RR"], index=index), tmp_path)
    assert json.loads((tmp_path / "results.json").read_text())["comparisons"][0]["measures"] == ["RR"]
    head = "collection,setting,ranker,query,measure,value\nsmall,,bm25,q1,RR,1.0\n"
    assert (tmp_path / "per_query.csv").read_text().startswith(head)


def test_saving_again_removes_the_runs_of_before_and_nothing_else(small, index, tmp_path):
    runs = tmp_path / "runs"
    save_comparison(compare(["bm25", "ql", "tfidf"], small, ["AP"], index=index), tmp_path)
    mine = [tmp_path / "notes.txt", runs / "04-mine.trec", runs / "02-ql.trec.gz", tmp_path / "05-mine.trec"]
    for path in mine:
        path.write_text("mine")
    written = save_comparison(compare(["bm25", "tfidf"], small, ["AP"], index=index), tmp_path)
    assert sorted(path.name for path in runs.iterdir()) == [
        "01-bm25.trec", "02-ql.trec.gz", "02-tfidf.trec", "04-mine.trec",
    ]  # fmt: skip
    assert all(path.read_text() == "mine" for path in mine)
    assert runs_in(tmp_path) == ["runs/01-bm25.trec", "runs/02-tfidf.trec"]
    assert all(path.is_file() for path in written)


@pytest.mark.parametrize(
    "before",
    [
        "nonsense", "[]", "7", "{}", '{"files": null}', '{"files": 5}', '{"files": [null, 7]}',
        '{"files": ["../kept.trec", "kept.trec", "runs/kept.trec", "/01-kept.trec", "runs/01-Kept.trec", ""]}',
        '{"files": ["runs/01-../../kept.trec", "runs/01-kept.txt", "runs/../kept.trec", "../runs/01-kept.trec"]}',
    ],
)  # fmt: skip
def test_what_stands_there_as_results_is_not_trusted(small, index, tmp_path, before):
    (tmp_path / "runs").mkdir()
    for name in ("kept.trec", "runs/kept.trec", "runs/01-Kept.trec", "runs/01-kept.txt"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "results.json").write_text(before)
    save_comparison(compare("bm25", small, ["AP"], index=index), tmp_path)
    assert runs_in(tmp_path) == ["runs/01-bm25.trec"]
    assert sorted(path.name for path in tmp_path.rglob("*ept*")) == [
        "01-Kept.trec", "01-kept.txt", "kept.trec", "kept.trec",
    ]  # fmt: skip


def test_saving_that_fails_leaves_what_was_there(small, index, tmp_path):
    blank = Index.build([{"id": "with blank", "text": "city"}])
    cannot = compare(["bm25", "ql"], small, ["AP"], index=blank)
    with pytest.raises(UsageError, match="the document id must be one word"):
        save_comparison(cannot, tmp_path / "new" / "out")
    assert not list(tmp_path.iterdir())
    save_comparison(compare("tfidf", small, ["AP"], index=index), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match="the document id must be one word"):
        save_comparison(cannot, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_folder_of_work_that_fails_is_removed_if_it_was_made_for_it(tmp_path):
    (tmp_path / "there").mkdir()
    for name in ("new/deep/out", "there", "there/out"):
        with pytest.raises(KeyError), results_in(tmp_path / name):
            assert (tmp_path / name / "runs").is_dir()
            raise KeyError
        assert [path.name for path in tmp_path.rglob("*")] == ["there"]
    with pytest.raises(KeyError), results_in(tmp_path / "a" / "b"):
        (tmp_path / "a" / "mine").touch()
        raise KeyError
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["mine"]
    with results_in(tmp_path / "well"):
        pass
    assert (tmp_path / "well" / "runs").is_dir()
    with results_in(None):
        pass


def test_a_place_that_cannot_be_written(small, index, tmp_path):
    (tmp_path / "file").write_text("mine")
    found = compare("bm25", small, ["AP"], index=index)
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError, match="cannot make the folder"):
            save_comparison(found, place)
    assert (tmp_path / "file").read_text() == "mine"


def test_queries_with_commas_and_quotes_stay_whole(index, tmp_path):
    place = write_collection(tmp_path / "odd")
    odd = [{"_id": 'a,"b"', "text": "city"}, {"_id": "é", "text": "river"}]
    (place / "queries.jsonl").write_text(lines(odd))
    (place / "qrels.tsv").write_text('a,"b"\td1\t1\né\td4\t1\n')
    save_comparison(compare("bm25", place, ["RR"], index=index), tmp_path / "out")
    with (tmp_path / "out" / "per_query.csv").open(newline="", encoding="utf-8") as file:
        rows = [row[2:4] for row in csv.reader(file)]
    assert rows == [["ranker", "query"], ["bm25", 'a,"b"'], ["bm25", "é"]]


# --- real data -----------------------------------------------------------------------------------------


def test_cranfield(data_folder, tmp_path):
    place = data_folder / "cranfield"
    index = Index.build(collection(place).documents())
    index.train(dim=40, threads=1)
    rankers = [name for name in known_rankers() if name not in ("wmd", *TRAINED)]  # iwcs-wmd moves fewer words
    found = compare(rankers, place, ["nDCG@10"], index=index, depth=50)
    assert found.to_json()["queries"] == 225
    assert found.unknown == {}
    means = {str(row.ranker): row.evaluation.mean["nDCG@10"] for row in found.rows}
    assert list(means) == rankers
    assert all(means[name] > 0.3 for name in TERM_MODELS)
    assert all(mean > 0.1 for mean in means.values())
    for row in found.rows[::7]:
        run_queries(index, place / "queries.jsonl", tmp_path / "x.trec", row.ranker, depth=50)
        (evaluated,) = evaluate_runs(place, [tmp_path / "x.trec"], ["nDCG@10"])
        assert evaluated.evaluation.per_query == row.evaluation.per_query
    (tmp_path / "y.trec.gz").write_bytes(gzip.compress((tmp_path / "x.trec").read_bytes()))
    assert evaluate_runs(place, [tmp_path / "y.trec.gz"], ["nDCG@10"])[0].evaluation == evaluated.evaluation
