"""Documents' vectors that are kept in an index: used where they hold, brought up to date, equal to a rebuild."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest

from aboutness.app import keeping
from aboutness.app.index import Index
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.core.record import Document
from aboutness.index.borrowed import borrowing
from aboutness.index.writer import IndexWriter
from aboutness.kernels import centroids as kernels
from aboutness.models.centroids import KIND
from aboutness.models.dense_rows import DenseRows
from aboutness.models.desm import DESM
from aboutness.models.pv_lm import PVLM
from aboutness.models.question import Question
from aboutness.models.wcs import WCS
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker
from aboutness.text.strings import StringTable
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.words import WordVectors
from models.embeddings import with_vectors
from reliability.harm import result_of

WORDS = [f"w{n}" for n in range(40)]
LAYERS = {"pairs": "plain[words=1-2]"}
QUERIES = ["w1 w2", "w3 w3 w30 unheard", "w7"]
SEVERAL = [
    "wcs",
    "iwcs",
    "ketos",
    "desm-in-out",
    "desm-in-in[pivot=0.5]",
    "desm-out-out[similarity=dot]",
    "wcs[layer=pairs]",
    "iwcs[fields=3*title+text,oov=random]",
]
NOBODY = 65534


def vectors(seed=0, spaces=("in", "out")):
    """Vectors for most words, and for one that no document has."""
    chance = np.random.default_rng(seed)
    words = [*WORDS[:35], "unheard", "w1 w2"]
    made = {space: chance.normal(size=(len(words), 6)).astype(np.float32) for space in spaces}
    return WordVectors(StringTable.of(words), made)


def documents(count, first=0, seed=0):
    chance = random.Random(f"{seed} {first}")
    return [
        {
            "id": f"d{number}",
            "title": chance.choice(WORDS),
            "text": " ".join(chance.choices(WORDS, k=chance.randrange(1, 9))),
        }
        for number in range(first, first + count)
    ]


def built(records, path=None):
    index = Index.build(records, path, analyzer="plain", layers=LAYERS)
    index.keep_vectors(vectors(), "words")
    return index


@pytest.fixture
def index():
    return built(documents(40))


def found_by(snapshot, text, match="all"):
    """The whole ranking for each query, with scores to the bit."""
    rankings = bind(ranker(text), snapshot).top_many([Question(query) for query in QUERIES], 1000, match=match)
    return [
        [(snapshot.id(n), score) for n, score in zip(one.documents.tolist(), one.scores.tolist(), strict=True)]
        for one in rankings
    ]


def assert_as_rebuilt(index, rankers=SEVERAL, with_those=None):
    """Rankings and scores are bit for bit those of an index made anew, in which nothing is kept."""
    anew = Index.build(list(index), analyzer="plain", layers=LAYERS)
    snapshot = with_vectors(anew.snapshot, words=with_those or vectors())
    for text in rankers:
        assert found_by(index.snapshot, text) == found_by(snapshot, text), text


def kept(index):
    """The files of the vectors that are kept, by ranker."""
    entries = index.snapshot.trained.of_kind(KIND)
    assert list(entries) == [f"documents {entry.parameters['ranker']}" for entry in entries.values()]
    return {entry.parameters["ranker"]: entry.file.name for entry in entries.values()}


@pytest.fixture
def made(monkeypatch):
    """How many documents' vectors were made, each time that some were."""
    counts = []
    kernel = kernels.centroids

    def counting(*arguments):
        counts.append(int(arguments[6].sum()))
        kernel(*arguments)

    monkeypatch.setattr(kernels, "centroids", counting)

    def so_far():
        total = sum(counts)
        counts.clear()
        return total

    return so_far


def falsify(index, change=lambda rows: -rows):
    """Change what is kept behind the index's back."""
    with index.writing() as writer:
        for name, entry in index.snapshot.trained.of_kind(KIND).items():
            arrays = index.snapshot.trained.artefact(name)
            changed = DenseRows(change(np.asarray(arrays["rows"])))
            kept = {**changed.arrays(), "arrivals": arrays["arrivals"]}
            writer.save_artefact(name, KIND, kept, entry.parameters)


# --- prepare ---------------------------------------------------------------------------------------------------


def test_what_is_prepared_is_kept_by_the_name_of_its_vectors(index):
    assert index.prepare("wcs") == ["wcs[vectors=words]"]
    assert index.prepare(["desm-in-out[pivot=0.5]", WCS()]) == [
        "desm-in-out[vectors=words,pivot=0.5]", "wcs[vectors=words]"
    ]  # fmt: skip
    assert list(kept(index)) == ["wcs[vectors=words]", "desm-in-out[vectors=words,pivot=0.5]"]
    entry = index.snapshot.trained.of_kind(KIND)["documents wcs[vectors=words]"]
    arrays = index.snapshot.trained.artefact(entry.name)
    assert (arrays["rows"].shape, arrays["rows"].dtype) == ((40, 6), np.float32)
    assert arrays["arrivals"].tolist() == index.snapshot.arrivals.tolist()
    assert index.check(deep=True).ok


@pytest.mark.parametrize(
    ("text", "models"),
    [
        ("bm25 + 30*desm-in-out", ["desm-in-out[vectors=words]"]),
        ("bm25 % 100 >> wcs", ["wcs[vectors=words]"]),
        ("wcs % 10 >> bm25 + 2*iwcs", ["wcs[vectors=words]", "iwcs[vectors=words]"]),
        ("wcs + wcs[vectors=words]", ["wcs[vectors=words]"]),
    ],
)
def test_the_models_of_mixtures_and_pipelines(index, text, models):
    assert index.prepare(text) == models
    assert list(kept(index)) == models


def test_named_pipelines(index):
    prepared = index.prepare("bm25-desm")
    assert [name.split("[")[0] for name in prepared] == ["desm-in-out"]
    assert list(kept(index)) == prepared


@pytest.mark.parametrize("text", ["bm25", "bm25 % 10 >> ql", ["bm25", "tfidf"]])
def test_where_there_is_nothing_to_prepare(index, text):
    with pytest.raises(UsageError, match=r"there is nothing to prepare for (bm25|bm25 % 10 >> ql|bm25, tfidf)$"):
        index.prepare(text)
    assert index.prepare() == []
    assert index.prepare([]) == []
    assert kept(index) == {}


def test_without_vectors_or_with_several():
    index = Index.build(documents(5), analyzer="plain")
    with pytest.raises(NotFound, match="has no word vectors; train some"):
        index.prepare("wcs")
    index.keep_vectors(vectors(), "one")
    assert index.prepare("wcs") == ["wcs[vectors=one]"]
    index.keep_vectors(vectors(1), "two")
    with pytest.raises(UsageError, match="has several word vectors; name one: one, two"):
        index.prepare("wcs")
    assert index.prepare("wcs[vectors=two]") == ["wcs[vectors=two]"]
    assert list(kept(index)) == ["wcs[vectors=one]", "wcs[vectors=two]"]
    first = kept(index)["wcs[vectors=one]"]
    index.drop("two")
    assert kept(index) == {"wcs[vectors=one]": first}


def test_what_is_kept_is_used(index, made):
    for text in SEVERAL:
        before = found_by(index.snapshot, text)
        index.prepare(text)
        made()
        opened = Index(index.snapshot.open(index.path))
        assert found_by(opened.snapshot, text) == before
        assert made() == 0


def test_what_is_kept_is_trusted(index):
    """Rows that were turned around turn the scores around."""
    true = dict(found_by(index.snapshot, "wcs")[0])
    index.prepare("wcs")
    falsify(index)
    false = dict(found_by(index.snapshot, "wcs")[0])
    known = {name for name, score in true.items() if score > -1}
    assert len(known) > 30
    assert {name: -score for name, score in true.items() if name in known} == {name: false[name] for name in known}


@pytest.mark.parametrize(
    ("prepared", "also", "used"),
    [
        ("desm-in-in", "desm-out-in", True),
        ("iwcs", "iwcs[query=idf]", True),
        ("iwcs[idf=malina]", "ketos", True),
        ("wcs", "wcs[fields=title+text]", True),
        ("wcs", "wcs[layer=main]", True),
        ("wcs", "wcs[case=any]", False),
        ("wcs", "wcs[oov=random]", False),
        ("wcs", "wcs[fields=title]", False),
        ("wcs", "wcs[fields=2*title+text]", False),
        ("wcs", "wcs[layer=pairs]", False),
        ("wcs", "iwcs", False),
        ("wcs", "desm-in-in", False),
        ("iwcs", "iwcs[idf=slides]", False),
        ("iwcs", "ketos", False),
        ("desm-in-in", "desm-in-out", False),
        ("desm-in-in", "desm-in-in[pivot=0.5]", False),
        ("desm-in-in[pivot=0.4]", "desm-in-in[pivot=0.5]", False),
        ("desm-in-in", "desm-in-in[similarity=dot]", False),
    ],
)
def test_who_shares_what_is_kept(index, made, prepared, also, used):
    index.prepare(prepared)
    made()
    before = found_by(index.snapshot, also)
    assert made() == (0 if used else 40)
    assert before == found_by(with_vectors(index.snapshot, words=vectors()), also)


def test_other_vectors_have_rows_of_their_own(index, made):
    index.prepare("wcs")
    index.keep_vectors(vectors(1), "others")
    made()
    found_by(index.snapshot, "wcs[vectors=others]")
    assert made() == 40


# --- documents come and go -------------------------------------------------------------------------------------


def test_step_by_step_it_equals_a_rebuild(index):
    index.prepare(SEVERAL)
    assert len(kept(index)) == len(SEVERAL)
    assert_as_rebuilt(index)
    steps = [
        lambda: index.add(documents(1, 100)),
        lambda: index.add(documents(3, 1, seed=5), update=True),
        lambda: index.delete(["d7", "d100"]),
        lambda: index.add(documents(30, 200)),
        lambda: index.delete([f"d{number}" for number in range(10, 35)]),
        index.merge,
        lambda: index.add([{"id": "empty", "text": ""}, {"id": "strange", "text": "zz zz"}]),
        lambda: index.delete([document.id for document in index][3:]),
        lambda: index.add(documents(40, 300)),
    ]
    for step in steps:
        step()
        assert_as_rebuilt(index)
        assert len(kept(index)) == len(SEVERAL)


@pytest.mark.parametrize("seed", [1, 2])
def test_any_history_equals_a_rebuild(seed):
    """Also where nothing is brought up to date between changes, so that old rows meet new documents."""
    chance = random.Random(seed)
    index = built(documents(chance.choice([3, 20]), seed=seed))
    texts = ["wcs", "iwcs", "desm-in-out[pivot=0.5]"]
    index.prepare(texts)
    for turn in range(6):
        change = index.changes if chance.random() < 0.4 else index.writing
        with change() as writer:
            for _ in range(chance.randrange(1, 4)):
                ids = [document.id for document in index]
                number = chance.choice([1, 2, 15])
                if chance.random() < 0.5:
                    writer.add(documents(number, chance.randrange(60), seed=turn), update=True)
                else:
                    writer.delete(chance.sample(ids, min(number, len(ids))), missing_ok=True)
            if chance.random() < 0.3:
                writer.merge()
        assert_as_rebuilt(index, texts)


def test_a_new_field(index):
    index.prepare(["wcs", "wcs[fields=text]"])
    before = kept(index)
    index.add([Document("new", {"text": "w1", "note": "w2 w3 w4"})])
    after = kept(index)
    assert after["wcs[vectors=words]"] != before["wcs[vectors=words]"]
    assert after["wcs[fields=text,vectors=words]"] == before["wcs[fields=text,vectors=words]"]
    assert_as_rebuilt(index, ["wcs", "wcs[fields=text]", "wcs[fields=note]"])


def test_few_new_documents_are_made_when_they_are_needed_and_many_are_kept(index, made):
    """One in eight: of 40 and 5, 5 are fewer; of 40 and 6, 6 are not."""
    index.prepare("wcs")
    first = kept(index)
    index.add(documents(5, 100))
    assert kept(index) == first
    made()
    found_by(index.snapshot, "wcs")
    assert made() == 5
    index.add(documents(1, 200))
    assert kept(index) != first
    assert made() == 6
    found_by(index.snapshot, "wcs")
    assert made() == 0
    assert_as_rebuilt(index, ["wcs"])


def test_just_one_in_eight():
    index = built(documents(7))
    index.prepare("wcs")
    first = kept(index)
    index.add(documents(1, 100))
    assert kept(index) != first


def test_dead_documents_count_when_they_are_gone(index, made):
    index.prepare("wcs")
    first = kept(index)
    index.delete([f"d{number}" for number in range(12)])
    assert kept(index) == first
    index.add(documents(1, 100))  # a quarter is dead, and still there
    assert kept(index) == first
    made()
    found_by(index.snapshot, "wcs")
    assert made() == 1
    index.merge()
    assert kept(index) != first
    assert made() == 1  # the others are taken over
    entry = index.snapshot.trained.of_kind(KIND)["documents wcs[vectors=words]"]
    assert index.snapshot.trained.artefact(entry.name)["arrivals"].tolist() == [*range(12, 40), 40]
    assert_as_rebuilt(index, ["wcs"])


def test_a_merge_alone_leaves_few_dead_alone(index, made):
    index.prepare("wcs")
    first = kept(index)
    index.delete(["d3", "d39"])
    index.merge()
    assert kept(index) == first
    made()
    found_by(index.snapshot, "wcs")
    assert made() == 0
    assert_as_rebuilt(index, ["wcs"])


def test_without_rankers_what_is_kept_is_brought_up_to_date(index, made):
    index.prepare(["wcs", "desm-in-in"])
    first = kept(index)
    index.add(documents(2, 100))
    assert kept(index) == first
    made()
    assert index.prepare() == ["wcs[vectors=words]", "desm-in-in[vectors=words]"]
    assert made() == 4
    assert not set(kept(index).values()) & set(first.values())
    found_by(index.snapshot, "wcs")
    assert made() == 0


def test_several_changes_are_one(index, made):
    index.prepare("wcs")
    with index.changes() as writer:
        writer.add(documents(4, 100))
        writer.commit()
        writer.add(documents(4, 200))
    assert (
        index.snapshot.trained.of_kind(KIND)["documents wcs[vectors=words]"].generation
        == index.snapshot.generation - 1
    )
    made()
    found_by(index.snapshot, "wcs")
    assert made() == 0


# --- what depends on all documents -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["iwcs", "ketos", "desm-in-in[pivot=0.5]"])
def test_rows_that_depend_on_other_documents_are_not_used_when_these_change(index, made, text):
    index.prepare(text)
    falsify(index)
    assert found_by(index.snapshot, text) != found_by(with_vectors(index.snapshot, words=vectors()), text)
    with index.writing() as writer:
        writer.add([{"id": "one more", "text": "w1"}])
    made()
    assert_as_rebuilt(index, [text])
    assert made() == 41 * 2
    first = kept(index)
    index.add([{"id": "another", "text": "w2"}])  # few: they are made when they are needed
    assert kept(index) == first
    made()
    assert_as_rebuilt(index, [text])
    assert made() == 42 * 2
    index.add([{"id": f"more {n}", "text": "w3"} for n in range(6)])  # many: they are kept
    assert kept(index) != first
    made()
    assert_as_rebuilt(index, [text])
    assert made() == 48  # by the rebuilt one
    index.delete(["one more"])
    assert index.prepare() == [next(iter(kept(index)))]
    made()
    assert_as_rebuilt(index, [text])
    assert made() == 47


@pytest.mark.parametrize("text", ["iwcs", "ketos", "desm-in-in[pivot=0.5]"])
def test_a_merge_changes_no_statistics(index, made, text):
    index.delete(["d1"])
    index.prepare(text)
    made()
    with index.writing() as writer:
        writer.merge()
    found_by(index.snapshot, text)
    assert made() == 0


def test_the_same_number_of_words_in_other_documents(index):
    """n and the total length stay, df does not."""
    index.prepare("iwcs")
    fields = index["d5"].fields
    with index.writing() as writer:
        text = " ".join([fields["text"].split()[0]] * len(fields["text"].split()))
        writer.add([{"id": "d5", "title": fields["title"], "text": text}], update=True)
    assert_as_rebuilt(index, ["iwcs"])


def test_documents_without_words_count(index):
    """The total length and df stay, n does not."""
    index.prepare("iwcs")
    with index.writing() as writer:
        writer.add([{"id": "empty", "text": ""}])
    assert_as_rebuilt(index, ["iwcs"])


def test_the_average_length_to_its_last_digit():
    """Nothing changes but that a word stands there some more times, in more than a million."""
    text = "desm-in-in[pivot=0.5,fields=1000000*title+text]"
    records = [{"id": f"d{n}", "title": f"w{n % 5}", "text": "w7"} for n in range(23)]
    index = built(records)
    index.prepare(text)
    with index.writing() as writer:
        writer.add([{**records[3], "text": "w7 " * 20}], update=True)
    assert_as_rebuilt(index, [text])


# --- the vectors change ----------------------------------------------------------------------------------------


def test_other_vectors_of_the_same_name(index, made):
    index.prepare(["wcs", "iwcs", "desm-in-out"])
    first = kept(index)
    made()
    index.keep_vectors(vectors(1), "words")
    assert made() == 120
    assert kept(index).keys() == first.keys()
    assert not set(kept(index).values()) & set(first.values())
    assert_as_rebuilt(index, ["wcs", "iwcs", "desm-in-out"], vectors(1))


def test_other_vectors_of_the_same_name_before_anything_is_brought_up_to_date(index, monkeypatch):
    index.prepare("wcs")
    first = kept(index)
    monkeypatch.setattr("aboutness.app.index.bring_up_to_date", lambda _: None)
    index.keep_vectors(vectors(1), "words")
    assert kept(index) == first
    assert_as_rebuilt(index, ["wcs"], vectors(1))


def test_vectors_that_are_dropped_take_with_them_what_was_made_of_them(index):
    index.keep_vectors(vectors(1), "others")
    index.prepare(["wcs[vectors=words]", "iwcs[vectors=words]", "wcs[vectors=others]"])
    index.drop("words")
    assert list(kept(index)) == ["wcs[vectors=others]"]
    index.drop("others")
    assert kept(index) == {}
    assert index.prepare() == []
    assert index.check(deep=True).ok
    index.add(documents(1, 100))


def test_vectors_that_have_no_out_any_more(index):
    index.prepare(["desm-in-out", "wcs"])
    first = kept(index)
    index.keep_vectors(vectors(1, ["in"]), "words")
    assert list(kept(index)) == ["wcs[vectors=words]"]
    assert kept(index)["wcs[vectors=words]"] != first["wcs[vectors=words]"]
    assert_as_rebuilt(index, ["wcs", "desm-in-in"], vectors(1, ["in"]))


# --- trouble ---------------------------------------------------------------------------------------------------


def broken(folder, how):
    """An index in a folder whose kept vectors are damaged."""
    index = built(documents(12), folder)
    index.prepare(["wcs", "desm-in-out"])
    path = folder / "arrays" / kept(index)["wcs[vectors=words]"]
    how(path)
    return Index.open(folder)


@pytest.mark.parametrize(
    "how", [lambda path: path.write_bytes(path.read_bytes()[:50]), Path.unlink], ids=["cut", "gone"]
)
def test_damage_to_what_is_kept_stops_nobody(tmp_path, how):
    index = broken(tmp_path / "x.index", how)
    assert not index.check(deep=True).ok
    assert len(index.search("w1 w2 w3", ranker="bm25"))
    assert_as_rebuilt(index, ["wcs", "desm-in-out", "iwcs"])
    assert len(index.explain("w1", "d1", "wcs").parts)
    index.add(documents(1, 100))
    assert_as_rebuilt(index, ["wcs", "desm-in-out"])
    assert index.check(deep=True).ok


def test_damage_to_what_is_kept_is_repaired_by_preparing(tmp_path):
    index = broken(tmp_path / "x.index", Path.unlink)
    assert index.prepare("wcs") == ["wcs[vectors=words]"]
    assert index.check(deep=True).ok
    index = broken(tmp_path / "y.index", Path.unlink)
    assert index.prepare() == ["wcs[vectors=words]", "desm-in-out[vectors=words]"]
    assert index.check(deep=True).ok


def test_an_index_that_cannot_be_written_can_be_searched():
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "x.index"
        index = built(documents(40), folder)
        index.prepare("wcs")
        with index.writing() as writer:
            writer.add(documents(20, 100))  # of which nothing is kept
        expected = {text: found_by(index.snapshot, text) for text in ("wcs", "iwcs")}
        paths = [folder, *folder.rglob("*")]
        for path in paths:
            path.chmod(0o555 if path.is_dir() else 0o444)

        def act():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setegid(NOBODY)
                os.seteuid(NOBODY)
            opened = Index.open(folder)
            return {text: found_by(opened.snapshot, text) for text in expected}

        assert result_of(act) == expected
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_writer_that_comes_between_does_not_spoil_a_change(tmp_path, monkeypatch):
    """The documents are in; what is derived from them is brought up to date some other time."""
    index = built(documents(10), tmp_path / "x.index")
    index.prepare("wcs")
    first = kept(index)
    others = []
    original = keeping._keep

    def meanwhile(*arguments):
        others.append(IndexWriter(index.path))
        return original(*arguments)

    monkeypatch.setattr(keeping, "_keep", meanwhile)
    assert index.add(documents(10, 100)).added == 10
    (other,) = others
    assert len(index) == len(Index.open(index.path)) == 20
    assert kept(index) == first
    assert_as_rebuilt(index, ["wcs"])
    other.close()
    monkeypatch.undo()
    index.add(documents(1, 200))
    assert kept(index) != first
    assert_as_rebuilt(index, ["wcs"])


def test_passages_beside_an_index_do_not_use_its_rows(index, made):
    """They have numbers and arrivals of their own, which happen to be the same."""
    for text in ("wcs", "desm-in-out"):
        index.prepare(text)
    passages = Index.build(documents(40, 500), analyzer="plain", layers=LAYERS)
    assert passages.snapshot.arrivals.tolist() == index.snapshot.arrivals.tolist()
    beside = borrowing(passages.snapshot, index.snapshot)
    made()
    own = with_vectors(passages.snapshot, words=vectors())
    for model in (WCS(), DESM()):
        scorer = model.bind(beside)
        assert scorer.view.lent
        assert made() == 40
        for query in QUERIES:
            numbers = passages.snapshot.live_numbers()
            expected = model.bind(own).scores(Question(query), numbers).tolist()
            assert scorer.scores(Question(query), numbers).tolist() == expected
        made()


# --- beside what was trained -----------------------------------------------------------------------------------

ROWS = {"dim": 4, "min_count": 1, "epochs": 2, "threads": 1}
MODEL = PVLM(lam=0.6)


@pytest.fixture
def trained():
    """An index of 40 documents on which rows were trained."""
    index = Index.build(documents(40), analyzer="plain", layers=LAYERS)
    index.train("pv", **ROWS, seed=5)
    return index


@pytest.fixture
def inferred(monkeypatch):
    """How many documents' rows were inferred since it was last asked."""
    counts = []
    infer = ParagraphSpace.infer

    def counting(self, texts, threads=None):
        counts.append(len(texts))
        return infer(self, texts, threads)

    monkeypatch.setattr(ParagraphSpace, "infer", counting)

    def so_far():
        total = sum(counts)
        counts.clear()
        return total

    return so_far


def row_file(index, name="pv"):
    return index.snapshot.trained.entries[name].file.name


def assert_as_unkept(index, space):
    """Scores are bit for bit those of what was trained at first, with nothing kept beside it."""
    snapshot = index.snapshot
    numbers = snapshot.live_numbers()
    fresh = MODEL.scorer_with(MODEL.view(snapshot), space)
    for query in QUERIES:
        expected = fresh.scores(Question(query), numbers)
        assert MODEL.bind(snapshot).scores(Question(query), numbers).tobytes() == expected.tobytes()


def test_rows_of_new_documents_are_kept_beside_those_trained(trained, inferred):
    space, first = trained.trained("pv"), trained.snapshot.trained.entries["pv"]
    trained.add(documents(3, 100))
    before = found_by(trained.snapshot, str(MODEL))
    assert inferred() == 3
    assert trained.prepare(MODEL) == ["pv-lm[vectors=pv,lam=0.6]"]
    entry, made = trained.snapshot.trained.entries["pv"], trained.trained("pv")
    assert entry.file != first.file
    assert (entry.kind, entry.seed, entry.generation) == (first.kind, 5, first.generation)
    assert made.provenance == {**space.provenance, "inferred": 3} == entry.parameters
    assert made.arrivals.tolist() == list(range(43))
    np.testing.assert_array_equal(made.rows[:40], space.rows)
    assert made.rows[40:].any(axis=1).all()
    inferred()
    assert found_by(Index(trained.snapshot.open(trained.path)).snapshot, str(MODEL)) == before
    assert inferred() == 0
    assert_as_unkept(trained, space)
    assert trained.check(deep=True).ok


def test_rows_that_are_all_there_stay_as_they_are(trained, inferred):
    first = row_file(trained)
    assert trained.prepare("pv-lm") == ["pv-lm[vectors=pv]"]
    assert trained.prepare() == ["pv"]
    assert trained.prepare(["bm25 + pv-lm", "pv-lm[lam=1]"]) == ["pv-lm[vectors=pv]", "pv-lm[vectors=pv,lam=1]"]
    assert (row_file(trained), inferred()) == (first, 0)
    trained.add(documents(1, 100))
    assert trained.prepare() == ["pv"]
    assert (row_file(trained) != first, inferred()) == (True, 1)


def test_rows_are_no_more_dropped_than_other_trainings(trained):
    trained.add(documents(1, 100))
    trained.prepare()
    first = row_file(trained)
    assert trained.prepare("pv-lm", drop=True) == trained.prepare(drop=True) == []
    assert row_file(trained) == first


def test_few_changes_leave_rows_alone_and_many_do_not(trained, inferred):
    space, first = trained.trained("pv"), row_file(trained)
    trained.add(documents(5, 100))
    assert (row_file(trained), inferred()) == (first, 0)
    trained.add(documents(1, 200))
    assert (row_file(trained) != first, inferred()) == (True, 6)
    assert trained.trained("pv").provenance["inferred"] == 6
    assert_as_unkept(trained, space)
    second = row_file(trained)
    trained.delete([f"d{number}" for number in range(20)])
    trained.merge()
    assert row_file(trained) != second
    assert trained.trained("pv").arrivals.tolist() == list(range(20, 46))
    assert trained.trained("pv").provenance["inferred"] == 6
    assert_as_unkept(trained, space)


def test_dead_documents_have_no_row_any_more(trained):
    space = trained.trained("pv")
    trained.add(documents(4, 100))
    trained.delete(["d3", "d101"])
    trained.prepare("pv-lm")
    made = trained.trained("pv")
    assert np.flatnonzero(~made.rows.any(axis=1)).tolist() == [3, 41]
    assert made.provenance["inferred"] == 3
    assert_as_unkept(trained, space)


@pytest.mark.parametrize("seed", [1, 2])
def test_rows_after_any_history_are_those_of_the_training(seed):
    chance = random.Random(seed)
    index = Index.build(documents(20, seed=seed), analyzer="plain", layers=LAYERS)
    space = index.train("pv", **ROWS)
    for turn in range(8):
        change = index.changes if chance.random() < 0.5 else index.writing
        with change() as writer:
            number = chance.choice([1, 2, 15])
            if chance.random() < 0.6:
                writer.add(documents(number, chance.randrange(60), seed=turn), update=True)
            else:
                ids = [document.id for document in index]
                writer.delete(chance.sample(ids, min(number, len(ids))))
            if chance.random() < 0.3:
                writer.merge()
        if chance.random() < 0.3:
            index.prepare()
        assert_as_unkept(index, space)


@pytest.mark.parametrize("many", [False, True])
def test_vectors_that_are_made_of_rows_are_kept_after_these(many):
    index = built(documents(20))
    index.train("edges", **ROWS)
    assert index.prepare("deepwalk-weighted") == ["deepwalk-weighted[vectors=words]"]
    index.add(documents(20 if many else 1, 100))
    if not many:
        assert index.prepare("deepwalk-weighted") == ["deepwalk-weighted[vectors=words]"]
    entry = index.snapshot.trained.of_kind(KIND)["documents deepwalk-weighted[vectors=words]"]
    assert entry.parameters["statistics"] == f"edges in {row_file(index, 'edges')}"
    assert index.trained("edges").provenance["inferred"] == (20 if many else 1)


def test_what_is_trained_anew_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    index = Index.build(documents(10), tmp_path / "x.index", analyzer="plain")
    index.train("pv", **ROWS)
    index.add(documents(1, 100))
    whole = keeping.on_all

    def meanwhile(view, space):
        Index.open(index.path).train("pv", **ROWS, seed=9)
        return whole(view, space)

    monkeypatch.setattr(keeping, "on_all", meanwhile)
    index.prepare("pv-lm")
    made = Index.open(index.path).trained("pv")
    assert (made.provenance["parameters"]["seed"], len(made)) == (9, 11)
    assert "inferred" not in made.provenance


def test_rows_that_cannot_be_used_do_not_stop_changes_or_others(tmp_path):
    index = Index.build(documents(10), tmp_path / "x.index", analyzer="plain")
    space = index.train("pv", **ROWS)
    with index.changes() as writer:
        writer.save_artefact("later", space.kind, space.arrays(), {**space.provenance, "training": "later"})
    index.train("pv", **ROWS, name="sound")
    index.keep_vectors(vectors(), "words")
    index.prepare("wcs")
    (tmp_path / "x.index" / "arrays" / row_file(index)).unlink()
    index = Index.open(tmp_path / "x.index")
    first, later = (kept(index), row_file(index, "sound")), row_file(index, "later")
    index.add(documents(10, 100))
    assert len(index) == 20
    assert kept(index) != first[0]
    assert row_file(index, "sound") != first[1]
    assert row_file(index, "later") == later
    with pytest.raises(UsageError, match="'later' was trained by 'later'"):
        index.prepare("pv-lm[vectors=later]")
    with pytest.raises(DamagedIndex, match="train it anew"):
        index.prepare("pv-lm[vectors=pv]")


def test_rows_of_a_training_on_some_fields_of_another_layer():
    index = Index.build(documents(20), analyzer="plain", layers=LAYERS)
    space = index.train("pv", **ROWS, layer="pairs", fields=["title"])
    index.add(documents(2, 100))
    index.prepare()
    assert len(index.trained("pv")) == 22
    assert_as_unkept(index, space)


# --- no more ---------------------------------------------------------------------------------------------------


def test_what_is_kept_can_be_dropped(index):
    index.prepare(["wcs", "iwcs", "desm-in-out"])
    assert index.prepare("bm25 + 2*iwcs", drop=True) == ["iwcs[vectors=words]"]
    assert sorted(index.snapshot.trained.of_kind(KIND)) == [
        "documents desm-in-out[vectors=words]",
        "documents wcs[vectors=words]",
    ]
    assert index.prepare("iwcs", drop=True) == []
    assert len(index.prepare(drop=True)) == 2
    assert index.snapshot.trained.of_kind(KIND) == {}
    assert index.prepare(drop=True) == []
    assert_as_rebuilt(index, ["wcs", "iwcs"])


def test_an_interrupt_after_the_commit_says_that_the_changes_are_in(index, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("aboutness.app.index.bring_up_to_date", interrupted)
    with pytest.raises(KeyboardInterrupt, match="the changes are in"):
        index.add([{"id": "new", "text": "w1"}])
    assert "new" in index
    monkeypatch.setattr("aboutness.app.index.bring_up_to_date", lambda _: np.empty(1 << 58))  # no memory
    index.add([{"id": "newer", "text": "w1"}])
    assert "newer" in index
