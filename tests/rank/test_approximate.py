"""`approximate(...)` as a ranker: bound, told, kept in an index, and brought up to date."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import aboutness as ab
from aboutness.app.index import Index
from aboutness.cli.main import app
from aboutness.core.errors import UsageError
from aboutness.models import approximate, dense, lists
from aboutness.models.approximate import ApproximateScorer
from aboutness.models.clusters import centres_of
from aboutness.models.lists import KIND
from aboutness.models.question import Question
from aboutness.rank.grammar import ranker
from aboutness.rank.inside import notes_of
from aboutness.scale.engine import Here
from aboutness.scale.spread import Spread
from aboutness.text.strings import StringTable
from aboutness.vectors.words import WordVectors

COUNT = 3000
WORDS = [f"w{n}" for n in range(120)]
QUERIES = ["w1 w2", "w30 w31 w77", "w119"]


def vectors(seed=0):
    made = np.random.default_rng(seed).normal(size=(len(WORDS), 24)).astype(np.float32)
    return WordVectors(StringTable.of(WORDS), {"in": made})


def documents(count, first=0):
    chance = random.Random(first)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    return [
        {"id": f"d{number}", "text": " ".join(chance.choices(WORDS, weights, k=chance.randrange(2, 9)))}
        for number in range(first, first + count)
    ]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(lists, "LEAST", 1000)


@pytest.fixture
def index(tmp_path):
    index = Index.build(documents(COUNT), tmp_path / "index", analyzer="plain")
    index.keep_vectors(vectors(), "words")
    return index


def ids(index, text, query, k=10, **how):
    return [hit.id for hit in index.search(query, ranker=text, k=k, match="all", **how)]


def shared(index, text, k=10):
    """The share of the first documents of the exact ranker that are found."""
    exact = text[text.index("(") + 1 : -1]
    both = [set(ids(index, text, query, k)) & set(ids(index, exact, query, k)) for query in QUERIES]
    return sum(map(len, both)) / (k * len(QUERIES))


def kept_names(index):
    return list(index.snapshot.trained.of_kind(KIND))


# --- as a ranker ------------------------------------------------------------------------------------------------


def test_it_is_a_value_with_a_text():
    one = ab.Approximate.of(ab.IWCS(), recall=0.9)
    assert str(one) == "approximate[recall=0.9](iwcs)"
    assert ranker("approximate[recall=.9](iwcs)") == one
    assert str(ranker("approximate[probes=8](lsa) % 100 >> wmd")) == "approximate[probes=8](lsa) % 100 >> wmd"


@pytest.mark.parametrize("text", ["approximate[recall=0](wcs)", "approximate[recall=1.1](wcs)"])
def test_a_recall_is_a_share(text):
    with pytest.raises(UsageError, match=r"recall must be a number at least 0.1 and at most 1"):
        ranker(text)


@pytest.mark.parametrize("inner", ["bm25", "wcs % 9", "approximate(wcs)", "wmd", "wcs + ql"])
def test_it_takes_rankers_that_compare_vectors(index, inner):
    with pytest.raises(
        UsageError, match=rf"must be one that compares vectors, as iwcs or lsa, got '.*{inner[:3]}"
    ):
        index.search("w1", ranker=f"approximate({inner})")


def test_answers_say_what_was_measured(index):
    hits = index.search("w1 w2", ranker="approximate[probes=2](wcs)", match="all")
    assert hits.note.startswith("approximate[probes=2](wcs) is approximate: recall@10 .")
    assert hits.note.endswith("(measured on 200 sampled questions; 2 of 108 lists are read)")
    assert hits.to_json()["note"] == hits.note
    assert index.search("w1", ranker="wcs", match="all").note is None
    told = float(hits.note.partition("recall@10 ")[2][:4])
    assert 0 < shared(index, "approximate[probes=2](wcs)") <= 1
    assert told < 1


def test_a_recall_is_reached(index):
    for wanted in (0.5, 0.9, 1):
        text = str(ab.Approximate.of(ab.WCS(), recall=wanted))
        note = index.search("w1", ranker=text).note
        values = [float(part.split()[1]) for part in note.split("approximate: ")[1].split(" (")[0].split(", ")]
        assert len(values) == 3
        assert min(values) >= wanted - 0.001
        assert shared(index, text) >= wanted - 0.2
    read = [index.notes([f"approximate[recall={wanted}](wcs)"])[0].split("; ")[1] for wanted in (0.5, 0.9)]
    assert read[0] != read[1]


def test_before_it_is_used_the_note_says_so(index):
    assert index.notes(["2*approximate(wcs) + bm25"]) == [
        "approximate(wcs) is approximate: recall is measured when it is first used"
    ]


def test_an_index_that_is_too_small_is_searched_exactly(monkeypatch):
    monkeypatch.setattr(lists, "LEAST", COUNT)
    index = Index.build(documents(400), analyzer="plain")
    index.keep_vectors(vectors(), "words")
    hits = index.search("w1 w2", ranker="approximate(wcs)", match="all")
    assert [hit.id for hit in hits] == ids(index, "wcs", "w1 w2")
    assert hits.note.startswith("approximate(wcs) is exact here: ")


def test_unknown_words_filters_and_explanations_are_as_without(index):
    assert not index.search("nothing", ranker="approximate(wcs)", match="all")
    text = "approximate[probes=1](wcs)"
    for match in ("or", "and"):
        hits = index.search("w100 w7", ranker=text, match=match)
        exact = index.search("w100 w7", ranker="wcs", match=match)
        assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in exact]  # few match
    hit = index.search("w1 w2", ranker=text, match="all")[0]
    assert hit.explain() == index.explain("w1 w2", hit.id, "wcs")


def test_it_takes_part_in_expressions(index):
    """In a mixture every document has its own score; a cut one has those that are found."""
    exact = index.search("w1 w2", ranker="wcs + bm25", k=20)
    found = index.search("w1 w2", ranker="approximate[probes=1](wcs) + bm25", k=20)
    assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in exact]
    assert "approximate" in found.note
    cut = index.search("w1 w2", ranker="approximate[probes=1](wcs) % 30 >> bm25", match="all", k=100)
    assert {hit.id for hit in cut} == set(ids(index, "approximate[probes=1](wcs)", "w1 w2", 30))
    fed = index.search("w1 w2", ranker="feedback(bm25, approximate(wcs))", k=20)
    assert len(fed) == 20
    assert "recall@100" in fed.note


def test_on_the_command_line(index):
    done = CliRunner().invoke(
        app, ["search", str(index.path), "w1 w2", "-r", "approximate[recall=.9](wcs)", "--match", "all"]
    )
    assert done.exit_code == 0
    assert "is approximate: recall@10 " in done.output
    listed = CliRunner().invoke(app, ["models", "--json"])
    assert "approximate(a)" in [row["written"] for row in json.loads(listed.stdout)]


def test_over_shards(monkeypatch):
    """Every shard looks into its own lists; scores are exact, and nearly everything is found."""
    monkeypatch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
    monkeypatch.setattr(dense, "FEW", 50)
    index = Index.build(documents(1500), analyzer="plain")
    index.add(documents(1500, 1500))
    index.keep_vectors(vectors(), "words")
    made = []
    monkeypatch.setattr(lists, "centres_of", lambda *how: made.append(how[2]) or centres_of(*how))
    spread = Spread(index.snapshot, Here(), 2)
    questions = [Question(query) for query in QUERIES]
    found = spread.bind(ranker("approximate[recall=.9](wcs)")).top_many(questions, 10, match="all")
    assert len(made) == 2
    whole = index.generation.bound(ranker("wcs"))
    exact = whole.top_many(questions, 10, match="all")
    both = 0
    for question, one, other in zip(questions, found, exact, strict=True):
        order = np.argsort(one.documents)
        scores = whole.scores(question, one.documents[order])
        np.testing.assert_array_equal(scores, one.scores[order])
        both += len(set(one.documents.tolist()) & set(other.documents.tolist()))
    assert both >= 24
    (note,) = notes_of([ranker("approximate[recall=.9](wcs)")], spread.snapshot)
    said = re.fullmatch(
        r"approximate\[recall=0\.9\]\(wcs\) is approximate: recall@10 (\S+) ± \S+, recall@100 (\S+) ± \S+, recall@1000 "
        r"\S+ ± \S+ \(measured on 200 sampled questions; 2 shards read lists of their own\)",
        note,
    )
    assert all(0.85 < float(value) <= 1 for value in said.groups()), note


def test_shards_take_the_lists_that_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("aboutness.index.writer.merge_run", lambda _: 0)
    monkeypatch.setattr(dense, "FEW", 50)
    index = Index.build(documents(1500), tmp_path / "index", analyzer="plain")
    index.add(documents(1500, 1500))
    index.keep_vectors(vectors(), "words")
    index.prepare("approximate(wcs)")
    index.delete(f"d{number}" for number in range(0, 3000, 100))
    monkeypatch.setattr(lists, "centres_of", None)  # made already
    questions = [Question(query) for query in QUERIES]
    over, whole = (
        one.bind(ranker("approximate[probes=5](wcs)")).top_many(questions, 10, match="all")
        for one in (Spread(index.snapshot, Here(), 2), Spread(index.snapshot, Here(), 1))
    )
    for one, other in zip(over, whole, strict=True):
        assert other.scores.tolist() == sorted(other.scores.tolist(), reverse=True)
        assert (one.scores >= other.scores).all()  # the same lists, and more where one shard has too few


# --- kept in an index -------------------------------------------------------------------------------------------


@pytest.fixture
def never(monkeypatch):
    """After it is called, nothing is clustered and nothing is measured."""

    def forbid(*names):
        for module, name in names or ((lists, "centres_of"), (approximate, "measured")):
            monkeypatch.setattr(module, name, None)
        monkeypatch.setattr("aboutness.rank.approximate.measured", None)

    return forbid


@pytest.mark.parametrize("inner", ["wcs", "iwcs", "wcs[vectors=words]"])
def test_prepare_keeps_lists_and_what_was_measured(index, never, inner):
    text = f"approximate[probes=2]({inner})"
    before = [ids(index, text, query) for query in QUERIES]
    note = index.search("w1", ranker=text).note
    named = str(ab.ranker(inner).__class__(vectors="words"))
    assert index.prepare(text) == [named, f"approximate({inner})"]
    assert kept_names(index) == [f"lists {named}"]
    assert index.prepare(text) == [named, f"approximate({inner})"]
    never()
    again = Index.open(index.path)
    assert [ids(again, text, query) for query in QUERIES] == before
    assert again.search("w1", ranker=text).note == note
    assert isinstance(again.generation.bound(ranker(text)), ApproximateScorer)


def test_lists_of_trained_documents(index, never):
    index.train("lsa", dim=12)
    text = "approximate[probes=3](lsa)"
    before = [ids(index, text, query) for query in QUERIES]
    assert index.prepare(text) == ["lsa[vectors=lsa]", "approximate(lsa)"]
    assert kept_names(index) == ["lists lsa[vectors=lsa]"]
    never()
    again = Index.open(index.path)
    assert [ids(again, text, query) for query in QUERIES] == before
    index.drop("lsa")
    index.add(documents(1, COUNT))
    assert kept_names(index) == []


def test_another_ranker_does_not_use_them(index):
    index.prepare("approximate(wcs)")
    index.keep_vectors(vectors(seed=9), "others")
    exact, text = "wcs[vectors=others]", "approximate[recall=1](wcs[vectors=others])"
    assert [ids(index, text, query) for query in QUERIES] == [ids(index, exact, query) for query in QUERIES]
    assert index.generation.bound(ranker(text)).lists.codes is not None
    assert kept_names(index) == ["lists wcs[vectors=words]"]


@pytest.mark.parametrize("inner", ["wcs", "iwcs"])
def test_documents_that_come_and_go(index, never, inner):
    """New documents are put into the lists that are kept, and found; the dead are not; recall is measured anew."""
    text = f"approximate[recall=1]({inner}[vectors=words])"
    index.prepare(text)
    never((lists, "centres_of"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aboutness.rank.approximate.measured", approximate.measured)
        index.add(documents(100, COUNT))
        index.delete(["d0", "d17", "d2999"])
        for query in QUERIES:
            expected = ids(index, f"{inner}[vectors=words]", query, 50)
            assert len(set(ids(index, text, query, 50)) & set(expected)) >= 48
        index.add([{"id": "exactly", "text": "w1 w2"}])
        assert "exactly" in ids(index, text, "w1 w2", 50)
        assert not {"d0", "d17", "d2999"} & set(ids(index, text, "w1", 1000))
        assert "measured on 200" in index.search("w1", ranker=text).note
        assert kept_names(index) == [f"lists {inner}[vectors=words]"]


def test_many_new_documents_make_new_lists(index):
    index.prepare("approximate(wcs)")
    (entry,) = index.snapshot.trained.of_kind(KIND).values()
    index.add(documents(1000, COUNT))
    (anew,) = index.snapshot.trained.of_kind(KIND).values()
    assert anew.file != entry.file
    assert anew.parameters["documents"] > entry.parameters["documents"]
    assert anew.parameters["lists"] > entry.parameters["lists"]


def test_lists_are_dropped(index):
    index.prepare(["approximate(wcs)", "approximate(iwcs)"])
    assert index.prepare("wcs", drop=True) == ["wcs[vectors=words]", "approximate(wcs[vectors=words])"]
    assert kept_names(index) == ["lists iwcs[vectors=words]"]
    assert index.prepare() == ["iwcs[vectors=words]", "approximate(iwcs[vectors=words])"]
    index.prepare(drop=True)
    assert kept_names(index) == []
    assert index.check(deep=True).ok


def test_damaged_lists_are_made_anew(index):
    index.prepare("approximate(wcs)")
    (entry,) = index.snapshot.trained.of_kind(KIND).values()
    file = index.path / "arrays" / entry.file.name
    file.write_bytes(file.read_bytes()[:-8])
    again = Index.open(index.path)
    assert len(again.search("w1", ranker="approximate(wcs)", match="all")) == 10


def test_lists_of_vectors_that_are_gone_go(index):
    index.prepare("approximate(wcs)")
    index.drop("words")
    index.add(documents(1, COUNT))
    assert kept_names(index) == []
