"""Word Mover's Distance: what a distance must keep, against POT and gensim, and that bounds leave out nothing."""

from __future__ import annotations

import math
import random
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.deadline import wanted_until
from aboutness.models import moving, nearby
from aboutness.models.model import MATCHES, Scorer
from aboutness.models.question import Question
from aboutness.models.wmd import WMD
from models.drawing import SEEDS, WORDS, index_of, made, named, questions, word_vectors
from models.scoring import assert_title_counts_three_times, of_texts, scores

KNOWN = WORDS[:-1]  # words that have vectors
variants = st.sampled_from([WMD(), WMD(unit="yes"), WMD(cost="cosine"), WMD(oov="random")])
bags = st.lists(st.sampled_from(KNOWN), min_size=1, max_size=6)


@cache
def collection(seed=1):
    """Six hundred documents of up to forty words, in two segments: some equal, some empty, some dead."""
    chance = random.Random(seed)
    words = [f"w{n}" for n in range(120)]
    texts = [" ".join(chance.choices(words, k=chance.choice([0, 1, 2, 5, 12, 40]))) for _ in range(400)]
    texts += ["w7 w14"] * 5  # words without vectors
    documents = named([{"text": text} for text in [*texts, *chance.choices(texts, k=195)]])
    return index_of(documents[:350], documents[350:], dead=[f"d{chance.randrange(600)}" for _ in range(40)])


def asks(size, seed=2):
    return Question(" ".join(random.Random(seed * 1000 + size).choices([f"w{n}" for n in range(120)], k=size)))


def by_pot(query, document, cost="euclidean", unit=False):
    """The distance of two lists of words, with POT."""
    ot = pytest.importorskip("ot")
    sides = []
    for words in (query, document):
        names = list(dict.fromkeys(words))
        counts = np.array([words.count(name) for name in names], np.float64)
        rows = word_vectors().look_up(names)[0].astype(np.float64)
        sides.append((counts / counts.sum(), rows / (np.linalg.norm(rows, axis=1)[:, None] if unit else 1)))
    (a, x), (b, y) = sides
    if cost == "cosine":
        lengths = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)[None]
        costs = 1 - x @ y.T / lengths
    else:
        costs = np.linalg.norm(x[:, None] - y[None], axis=2)
    return ot.emd2(a, b, costs)


def assert_same(one, other):
    assert one.documents.tolist() == other.documents.tolist()
    assert one.scores.tobytes() == other.scores.tobytes()


# --- a distance ------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(bags, bags)
def test_it_is_what_pot_says(query, document):
    index = of_texts(" ".join(document))
    question = " ".join(query)
    assert -scores(WMD(), index, question)[0] == pytest.approx(by_pot(query, document), rel=1e-6, abs=1e-6)
    unit = scores(WMD(unit="yes"), index, question)[0]
    assert -unit == pytest.approx(by_pot(query, document, unit=True), rel=1e-6, abs=1e-6)
    cosine = scores(WMD(cost="cosine"), index, question)[0]
    assert -cosine == pytest.approx(by_pot(query, document, "cosine"), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("unit", [True, False])
def test_it_is_what_gensim_says(unit):
    models = pytest.importorskip("gensim.models")
    pytest.importorskip("ot")
    ours = word_vectors()
    theirs = models.KeyedVectors(ours.dim)
    theirs.add_vectors(list(ours), ours.space("in"))
    index = collection()
    texts = [document.fields.get("text", "") for document in index]
    for size in (1, 3, 9, 30):
        question = asks(size)
        found = scores(WMD(unit="yes" if unit else "no"), index, question)
        for text, score in list(zip(texts, found, strict=True))[:60]:
            expected = theirs.wmdistance(question.text.split(), text.split(), norm=unit)
            if math.isfinite(expected):
                assert -score == pytest.approx(expected, rel=1e-5, abs=1e-6)


@settings(max_examples=30)
@given(data=st.data())
def test_a_document_is_no_way_from_itself(data):
    index, model = made(data.draw(SEEDS)), data.draw(variants)
    scorer = model.bind(index.snapshot)
    for number in index.snapshot.live_numbers().tolist():
        question = Question(document=number)
        if scorer.knows(question):
            found = scorer.scores(question, np.array([number]))
            assert found.tobytes() == np.zeros(1, np.float32).tobytes()  # and not -0
            assert scorer.top(question, 1, match="all").scores[0] == 0


def test_the_same_words_in_another_order_are_no_way_away():
    index = of_texts("aa bb bb cc dd ee ff aa aa", "ff aa bb cc aa bb dd aa ee", "ee")
    assert scores(WMD(), index, "aa aa aa bb bb cc dd ee ff")[:2] == [0, 0]
    weighted = Question(terms={"ff": 0.1, "aa": 0.3, "ee": 0.1, "bb": 0.2, "dd": 0.1, "cc": 0.1})
    assert scores(WMD(), index, weighted)[:2] == [0, 0]


@settings(max_examples=30)
@given(bags, bags, variants)
def test_the_way_back_is_as_long(one, other, model):
    there = scores(model, of_texts(" ".join(other)), " ".join(one))
    back = scores(model, of_texts(" ".join(one)), " ".join(other))
    assert there == pytest.approx(back, rel=1e-6)


@settings(max_examples=30)
@given(bags, bags, bags, st.sampled_from([WMD(), WMD(unit="yes")]))
def test_no_way_round_is_shorter(one, other, third, model):
    index = of_texts(" ".join(other), " ".join(third))
    to_other, to_third = scores(model, index, " ".join(one))
    between = scores(model, index, " ".join(other))[1]
    assert -to_third <= -to_other - between + 1e-5


@settings(max_examples=20)
@given(bags, st.integers(2, 5), variants)
def test_only_shares_count(words, times, model):
    index = of_texts("aa bb cc", " ".join(["aa bb cc"] * times))
    found = scores(model, index, " ".join(words))
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert scores(model, index, " ".join(words * times)) == pytest.approx(found, rel=1e-6)


def test_a_title_of_weight_three_is_a_title_three_times():
    assert_title_counts_three_times(WMD)


def test_fields_that_are_not_chosen_do_not_count():
    index = index_of(named([{"title": "aa", "text": "bb"}, {"title": "bb", "text": "aa"}, {"text": "aa"}]))
    found = scores(WMD(fields="title"), index, "aa")
    assert found[0] == 0
    assert found[0] > found[1] > found[2]


def test_rotating_the_vectors_changes_no_ranking():
    ours = word_vectors()
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(ours.dim, ours.dim)))[0]
    space = ours.space("in")
    index = collection()
    with index.changes() as writer:
        turned = {"in": (space.astype(np.float64) @ turn).astype(np.float32)}
        writer.save_artefact("turned", "word-vectors", ours.with_spaces(turned).arrays(), {})
    try:
        for size in (2, 20):
            one, other = (scores(WMD(vectors=name), index, asks(size)) for name in ("words", "turned"))
            assert one == pytest.approx(other, rel=1e-5, abs=1e-6)
    finally:
        index.drop("turned")


# --- unknown words and empty documents ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", [WMD(), WMD(unit="yes"), WMD(cost="cosine")], ids=str)
def test_documents_without_known_words_come_last(model):
    index = of_texts("zz", "", "aa", "ff bb", "yy zz")
    scorer = model.bind(index.snapshot)
    question = Question("aa zz")
    assert scores(model, index, question) == pytest.approx(
        [scorer.floor(question)] * 2 + scores(model, index, "aa")[2:4] + [scorer.floor(question)]
    )
    ranking = scorer.top(question, 10, match="all")
    assert ranking.documents.tolist() == [2, 3, 0, 1, 4]
    assert (ranking.scores[2:] == np.float32(scorer.floor(question))).all()
    assert (ranking.scores[:2] > np.float32(scorer.floor(question))).all()
    assert scorer.explain(question, 1).parts == ()
    assert scorer.explain(question, 1).score == pytest.approx(scorer.floor(question))


def test_no_document_is_below_the_floor():
    index = collection()
    for model in (WMD(), WMD(unit="yes"), WMD(cost="cosine"), WMD(oov="random")):
        scorer = model.bind(index.snapshot)
        for size in (1, 3, 20):
            found = scorer.scores(asks(size), index.snapshot.live_numbers())
            assert found.min() >= np.float32(scorer.floor(asks(size)))
    assert WMD(unit="yes").bind(index.snapshot).floor(asks(1)) == pytest.approx(-2, rel=1e-5)


def test_a_question_without_known_words_finds_nothing():
    index = of_texts("zz aa", "zz")
    scorer = WMD().bind(index.snapshot)
    for text in ("zz", "", "zz yy"):
        assert not scorer.knows(Question(text))
        assert len(scorer.top(Question(text), 5, match="all")) == 0
        assert (scorer.scores(Question(text), np.arange(2)) == np.float32(scorer.floor(Question(text)))).all()
    assert scorer.knows(Question("unheard"))  # no document has it, but it has a vector
    assert scorer.top(Question("unheard"), 5, match="all").documents.tolist() == [0, 1]


def test_words_that_no_document_has_count():
    index = of_texts("aa", "bb")
    found = scores(WMD(), index, "unheard aa")
    assert -found[0] == pytest.approx(by_pot(["unheard", "aa"], ["aa"]), rel=1e-6)


# --- finding the nearest -----------------------------------------------------------------------------------------


@pytest.fixture
def bounds(monkeypatch):
    """Let bounds work on small collections, too."""
    monkeypatch.setattr(nearby, "FEW", 3)
    monkeypatch.setattr(nearby, "AT_ONCE", 2)


@pytest.mark.usefixtures("bounds")
@pytest.mark.parametrize("model", [WMD(), WMD(unit="yes"), WMD(cost="cosine"), WMD(oov="random")], ids=str)
@pytest.mark.parametrize("size", [1, 2, 4, 9, 30, 100])
def test_what_is_left_out_is_not_among_the_nearest(model, size):
    scorer = model.bind(collection().snapshot)
    chance = np.random.default_rng(size)
    mask = chance.random(scorer.view.size) < 0.5
    for match in MATCHES:
        for k in (1, 5, 40, 700):
            for allowed in (None, mask, np.flatnonzero(mask)[:9]):
                found = scorer.top(asks(size), k, match=match, allowed=allowed)
                assert_same(found, Scorer.top_many(scorer, [asks(size)], k, match=match, allowed=allowed)[0])


@pytest.mark.parametrize("short", [0, 1000])
@pytest.mark.parametrize("many", [0, 1000])
@pytest.mark.parametrize("room", [300, 1 << 25])
@pytest.mark.usefixtures("bounds")
def test_however_they_are_sought(monkeypatch, short, many, room):
    monkeypatch.setattr(nearby, "SHORT", short)  # better bounds for all questions, or for none
    monkeypatch.setattr(nearby, "MANY", many)  # capped ones among them, or not
    monkeypatch.setattr(moving, "ROOM", room)  # a few documents at a time, or all
    scorer = WMD().bind(collection().snapshot)
    for size in (2, 12, 60):
        for k in (1, 7, 40):
            found = scorer.top(asks(size), k, match="all")
            assert_same(found, Scorer.top_many(scorer, [asks(size)], k, match="all")[0])


def test_bounds_save_most_of_the_work(monkeypatch):
    solved = []
    original = moving.Travels.distances_at_once
    monkeypatch.setattr(
        moving.Travels, "distances_at_once", lambda self, some: solved.append(len(some)) or original(self, some)
    )
    scorer = WMD().bind(collection().snapshot)
    for size in (2, 30):
        solved.clear()
        scorer.top(asks(size), 5, match="all")
        assert sum(solved) < 0.35 * scorer.view.documents


@settings(max_examples=30)
@given(data=st.data())
def test_small_collections_are_ranked_as_scores_say(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearby, "FEW", 0)
        patch.setattr(nearby, "SHORT", data.draw(st.sampled_from([0, 8])))
        index = made(data.draw(SEEDS))
        scorer = data.draw(variants).bind(index.snapshot)
        question, match = data.draw(questions(index)), data.draw(st.sampled_from(MATCHES))
        found = scorer.top(question, data.draw(st.integers(1, 3)), match=match)
        assert_same(found, Scorer.top_many(scorer, [question], len(found) or 1, match=match)[0])


def test_threads_change_nothing():
    scorer = WMD().bind(collection().snapshot)
    asked = [asks(size, seed) for seed in range(4) for size in (1, 3, 12)]
    one, four = (scorer.top_many(asked, 10, match="all", threads=threads) for threads in (1, 4))
    for left, right, question in zip(one, four, asked, strict=True):
        assert_same(left, right)
        assert_same(left, scorer.top(question, 10, match="all"))


def test_vectors_of_any_length(monkeypatch):
    monkeypatch.setattr(nearby, "FEW", 3)
    ours = word_vectors()
    index = collection()
    for scale in (1e-20, 1e-8, 1e8, 1e20):
        with index.changes() as writer:
            scaled = {"in": (ours.space("in") * scale).astype(np.float32)}
            writer.save_artefact("scaled", "word-vectors", ours.with_spaces(scaled).arrays(), {})
        try:
            scorer = WMD(vectors="scaled").bind(index.snapshot)
            found = scorer.top(asks(12), 7, match="all")
            assert_same(found, Scorer.top_many(scorer, [asks(12)], 7, match="all")[0])
            plain = WMD(vectors="words").bind(index.snapshot).top(asks(12), 7, match="all")
            assert found.documents.tolist() == plain.documents.tolist()
        finally:
            index.drop("scaled")


def test_words_that_are_all_the_same(monkeypatch):
    monkeypatch.setattr(nearby, "FEW", 0)
    monkeypatch.setattr(nearby, "SHORT", 0)
    ours, index = word_vectors(), collection()
    with index.changes() as writer:
        same = {"in": np.ones_like(ours.space("in"))}
        writer.save_artefact("same", "word-vectors", ours.with_spaces(same).arrays(), {})
    try:
        scorer = WMD(vectors="same").bind(index.snapshot)
        found = scorer.top(asks(12), 7, match="all")
        assert_same(found, Scorer.top_many(scorer, [asks(12)], 7, match="all")[0])
        assert (found.scores == 0).all()
    finally:
        index.drop("same")


# --- why -----------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(data=st.data())
def test_the_flow_explains_the_score(data):
    index = made(data.draw(SEEDS))
    scorer = data.draw(variants).bind(index.snapshot)
    question = data.draw(questions(index))
    number = data.draw(st.sampled_from(index.snapshot.live_numbers().tolist()))
    found = scorer.explain(question, number)
    assert found.score == scorer.scores(question, np.array([number]))[0]
    if found.parts:
        assert found.total == pytest.approx(found.score, abs=1e-6)
        assert sum(part.details["flow"] for part in found.parts) == pytest.approx(1)
        assert all(
            part.value == pytest.approx(-part.details["flow"] * part.details["distance"]) for part in found.parts
        )


def test_the_parts_say_what_went_where():
    index = of_texts("aa aa bb ee")
    found = WMD().bind(index.snapshot).explain(Question("bb aa"), 0)
    parts = {part.name: part for part in found.parts}
    assert parts["aa → aa"].details == {"flow": 0.5, "distance": 0.0}
    assert parts["bb → bb"].details == {"flow": 0.25, "distance": 0.0}
    assert parts["bb → ee"].word == "ee"
    assert parts["bb → ee"].details["flow"] == 0.25
    assert len(parts) == 3
    assert str(found).count("-0.0000") == 0


def test_distances_are_worked_out_only_while_somebody_waits(monkeypatch):
    scorer, question = WMD().bind(collection().snapshot), asks(12)
    documents = np.arange(len(scorer.sizes))
    found = scorer.scores(question, documents)
    monkeypatch.setattr(moving, "BETWEEN", 7)
    with wanted_until(time.monotonic() + 600):
        assert scorer.scores(question, documents).tolist() == found.tolist()
    with wanted_until(time.monotonic() - 1):
        for act in (lambda: scorer.scores(question, documents), lambda: scorer.top_many([question], 5)):
            with pytest.raises(TimeoutError):
                act()


@pytest.mark.parametrize("bound", ["relaxed", "capped", "priced"])
def test_bounds_are_worked_out_in_pieces_while_somebody_waits(monkeypatch, bound):
    from aboutness.kernels import movers

    monkeypatch.setattr(moving, "BETWEEN", 32)
    monkeypatch.setattr(nearby, "MANY", 0)  # so that all bounds are used
    scorer, question, sizes = WMD().bind(collection().snapshot), asks(24), []
    real = getattr(movers, bound)

    def noting(*arguments):
        sizes.append(len(arguments[-1]))
        real(*arguments)

    expected = scorer.top(question, 10)
    monkeypatch.setattr(movers, bound, noting)
    found = scorer.top(question, 10)
    assert max(sizes) <= 32 < sum(sizes)
    assert (found.documents.tolist(), found.scores.tolist()) == (
        expected.documents.tolist(),
        expected.scores.tolist(),
    )

    def late(*arguments):
        real(*arguments)
        monkeypatch.setattr(moving, "still_wanted", _over)

    sizes.clear()
    monkeypatch.setattr(movers, bound, late)
    with pytest.raises(TimeoutError):
        scorer.top(question, 10)


def _over():
    raise TimeoutError
