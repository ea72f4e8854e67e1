"""Paragraph vectors as a ranker: cosines by hand, documents that ask, explanations, and new documents."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.models import doc2vec
from aboutness.models.doc2vec import COMMON, REST, Doc2Vec
from aboutness.models.question import Question
from aboutness.models.trained import text_of, texts_of
from aboutness.vectors.kept import space_of
from aboutness.vectors.pv import EPV, PV
from models.drawing import SEEDS, WORDS, drafts, made, named
from models.drawing import asked as asked_of
from models.embeddings import ASKED, explained, scored
from models.test_trained import SMALL, built, with_spaces
from vectors.test_pv import TOPICS, changed, two_topics

WAYS = {
    "dbow": PV(dim=12, epochs=40),
    "dm": PV(dim=12, epochs=40, architecture="dm", window=1),
    "epv": EPV(dim=12, epochs=40),
}
every_way = pytest.mark.parametrize("name", list(WAYS))
some = settings(max_examples=30)


@cache
def two(name="dbow"):
    """An index of two topics, the last document empty and the one before of unknown words."""
    texts = [" ".join(words) for words in two_topics()] + ["rare", ""]
    index = ab.Index.build([{"id": str(i), "text": text} for i, text in enumerate(texts)], analyzer="plain")
    index.train(changed(WAYS[name], min_count=2), name="mine", threads=1)
    return index


@cache
def elsewhere(architecture="dbow"):
    """A training on other documents: every word of the drawn ones but "über" is there, and "unheard"."""
    texts = ["aa bb cc", "bb cc dd aa", "dd ee ff", "ff aa unheard", "ee ee bb", "cc dd unheard", "aa"]
    space = PV(dim=4, epochs=20, min_count=1, architecture=architecture).train(texts, threads=1)
    return replace(space, rows=space.rows[:0], arrivals=space.arrivals[:0], own={"noise": space.own["noise"]})


def drawn(seed, architecture="dbow"):
    return with_spaces(made(seed).snapshot, pv=elsewhere(architecture))


def model(name="dbow"):
    return Doc2Vec(vectors="mine" if name == "epv" else None)


def units(rows):
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros(rows.shape), where=lengths > 0)


# --- the formula ------------------------------------------------------------------------------------------------


@every_way
@pytest.mark.parametrize("text", ["sun1", "the sea3 of the sea4", "sun2 sun2 sea7 zzz"])
def test_scores_are_cosines_with_what_is_inferred(name, text):
    index = two(name)
    space = space_of(index.snapshot.trained, "mine")
    asked = space.infer_question(text_of(index.view(), Question(text), space))
    expected = (units(space.rows) @ units(asked).T)[:, 0]
    expected[120:] = -1
    found = scored(model(name), index.snapshot, text)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert max(found) <= 1 + 1e-6


@some
@given(seed=SEEDS, architecture=st.sampled_from(["dbow", "dm"]), data=st.data())
def test_questions_of_all_forms(seed, architecture, data):
    """Documents that were not trained on have the rows that their texts are given."""
    index, snapshot = made(seed), drawn(seed, architecture)
    question = asked_of(data.draw(drafts(list(index))), index.snapshot)
    view, space = Doc2Vec().view(snapshot), elsewhere(architecture)
    rows = units(space.infer(texts_of(view, view.alive, space)))
    if question.document is None:
        vector = units(space.infer_question(text_of(view, question, space)))[0]
    else:
        vector = rows[snapshot.live_numbers().tolist().index(question.document)]
    expected = np.where(rows.any(axis=1), rows @ vector, -1.0) if vector.any() else np.full(len(rows), -1.0)
    np.testing.assert_allclose(scored(Doc2Vec(), snapshot, question), expected, atol=1e-6)


@every_way
def test_a_document_asks_with_its_row(name):
    index = two(name)
    space = space_of(index.snapshot.trained, "mine")
    found = scored(model(name), index.snapshot, Question(document=3))
    np.testing.assert_allclose(found[:120], (units(space.rows) @ units(space.rows)[3])[:120], atol=1e-6)
    assert found[3] == pytest.approx(1, abs=1e-6)
    ranking = model(name).bind(index.snapshot).top(Question(document=3), 5, match="all")
    assert ranking.documents[0] == 3
    assert scored(model(name), index.snapshot, Question(document=121)) == [-1.0] * 122  # it is empty


@some
@given(seed=SEEDS, text=ASKED, chance=st.randoms(use_true_random=False))
def test_the_order_of_words_makes_no_difference(seed, text, chance):
    words = text.split()
    shuffled = " ".join(chance.sample(words, len(words)))
    assert scored(Doc2Vec(), drawn(seed), text) == scored(Doc2Vec(), drawn(seed), shuffled)


# --- what is not known ------------------------------------------------------------------------------------------


@some
@given(seed=SEEDS, text=ASKED)
def test_unknown_words_change_nothing(seed, text):
    assert scored(Doc2Vec(), drawn(seed), f"zz {text} über") == scored(Doc2Vec(), drawn(seed), text)


@pytest.mark.parametrize("text", ["zz", "", "über zz"])
def test_a_question_without_a_known_word_finds_nothing(text):
    snapshot = drawn(7)
    scorer = Doc2Vec().bind(snapshot)
    assert not scorer.knows(Question(text))
    assert len(scorer.top(Question(text), match="all")) == 0
    assert scored(Doc2Vec(), snapshot, text) == [-1.0] * len(made(7))
    assert scorer.floor(Question(text)) == -1
    why = scorer.explain(Question(text), int(snapshot.live_numbers()[0]))
    assert (why.score, why.parts) == (-1.0, ())


def test_documents_without_a_known_word_come_last():
    index = two()
    ranking = model().bind(index.snapshot).top(Question("sun1 sea1"), 200, match="all")
    assert ranking.documents.tolist()[-2:] == [120, 121]
    assert ranking.scores.tolist()[-2:] == [-1, -1]
    assert len(ranking) == 122
    assert ranking.scores[-3] > -1


def test_a_word_that_no_document_has_counts_if_it_was_trained():
    snapshot = drawn(7)
    assert scored(Doc2Vec(), snapshot, "aa unheard") != scored(Doc2Vec(), snapshot, "aa")
    assert len(Doc2Vec().bind(snapshot).top(Question("unheard"), match="all")) > 0


# --- explanations -----------------------------------------------------------------------------------------------


@some
@given(seed=SEEDS, architecture=st.sampled_from(["dbow", "dm"]), data=st.data())
def test_parts_sum_to_the_score(seed, architecture, data):
    index, snapshot = made(seed), drawn(seed, architecture)
    question = asked_of(data.draw(drafts(list(index))), index.snapshot)
    found = explained(Doc2Vec(), snapshot, question)
    assert [why.score for why in found] == scored(Doc2Vec(), snapshot, question)
    for document, why in zip(index, found, strict=True):
        if why.score == -1 and not why.parts:
            continue
        assert why.total == pytest.approx(why.score, abs=2e-6)
        *parts, common, rest = why.parts
        assert (common.name, rest.name) == (COMMON, REST)
        words = {word for text in document.fields.values() for word in text.split()}
        assert {part.word for part in parts} == words & set(WORDS) - {"über"}
        for part in parts:
            assert part.details["weight"] >= 0
            assert part.value == pytest.approx(part.details["weight"] * part.details["similarity"], abs=1e-6)


def test_words_of_fields_that_are_not_read_have_no_part():
    index = built()
    index.train(PV(**SMALL), fields=["text"], threads=1)
    why = Doc2Vec().bind(index.snapshot).explain(Question("aa"), 0)  # its title has "bb", which others' texts have
    assert "bb" in space_of(index.snapshot.trained, "pv").words
    assert {part.word for part in why.parts} == {"aa", "cc", None}


def test_words_near_to_the_question_bring_most():
    index = two()
    numbers = np.flatnonzero(np.arange(120) % 2 == 0)[:20]
    shares = {"sun": 0.0, "sea": 0.0}
    for number in numbers.tolist():
        for part in model().bind(index.snapshot).explain(Question("sun1 sun2 sun3"), number).parts:
            if part.word and part.word[:3] in shares:
                shares[part.word[:3]] += part.value
    assert shares["sun"] > 1
    assert shares["sun"] > 10 * shares["sea"]


@settings(max_examples=60)
@given(
    st.integers(0, 1 << 32),
    st.integers(0, 12),
    st.integers(1, 6),
    st.sampled_from(["", "zero", "same", "opposite"]),
)
def test_shares_of_words_in_a_row(seed, count, dim, odd):
    """Also where words have no vectors, all the same one, or are opposite to each other: none is below 0."""
    chance = np.random.default_rng(seed)
    words, usual, row = chance.normal(size=(count, dim)), chance.normal(size=dim), chance.normal(size=dim)
    if odd == "zero":
        words, usual = words * 0, usual * 0
    elif odd == "same" and count:
        words[:] = words[0]
    elif odd == "opposite":
        words = np.vstack([words, -words])
    shares, common = doc2vec._shares(words, usual, row)
    assert shares.shape == (len(words),)
    assert (shares >= 0).all()
    assert np.isfinite(common)
    rest = row - shares @ words - common * usual
    assert rest @ rest <= row @ row + 1e-9


# --- documents that come and go, and finding --------------------------------------------------------------------


def test_documents_that_come_later_have_the_row_of_their_text():
    index = built()
    index.train(PV(**SMALL), threads=1)
    before = dict(zip(index.snapshot.ids(), scored(Doc2Vec(), index.snapshot, "aa dd"), strict=True))
    index.add(named([{"text": "aa dd"}, {"text": "newer"}], "new"))
    after = dict(zip(index.snapshot.ids(), scored(Doc2Vec(), index.snapshot, "aa dd"), strict=True))
    assert {key: after[key] for key in before} == before
    assert after["new1"] == -1
    space = space_of(index.snapshot.trained, "pv")
    text = text_of(index.view(), Question("aa dd"), space)
    one, other = units(space.infer(text)), units(space.infer_question(text))
    assert after["new0"] == pytest.approx(float(one[0] @ other[0]), abs=1e-6)


@every_way
@pytest.mark.parametrize("topic", [0, 1])
def test_words_of_a_topic_find_it(name, topic):
    scorer = model(name).bind(two(name).snapshot)
    for word in TOPICS[topic][:4]:
        found = scorer.top(Question(f"{word} {TOPICS[topic][5]}"), 20, match="all").documents
        assert (found % 2 == topic).mean() >= 0.9


def test_batches_are_as_one_by_one():
    index = two()
    scorer = model().bind(index.snapshot)
    questions = [Question(text) for text in ("sun1", "sea1 the", "zz", "sun1 sea1", "")] + [Question(document=7)]
    alone = [scorer.top(question, 9) for question in questions]
    for threads in (1, 3):
        together = scorer.top_many(questions, 9, threads=threads)
        assert [one.documents.tolist() for one in together] == [one.documents.tolist() for one in alone]
        assert [one.scores.tolist() for one in together] == [one.scores.tolist() for one in alone]


def test_what_it_needs():
    assert Doc2Vec().wanted() == ("pv", PV())
    index = built()
    index.train(EPV(**SMALL), threads=1)
    assert Doc2Vec().needs(index.snapshot.trained) == [("pv", PV())]
    assert Doc2Vec(vectors="epv").needs(index.snapshot.trained) == []
    assert Doc2Vec(vectors="epv").bind(index.snapshot)
    index.train(PV(**SMALL, architecture="dm"), threads=1)
    assert Doc2Vec().entry(index.snapshot.trained).name == "pv"
