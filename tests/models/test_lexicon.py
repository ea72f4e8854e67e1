"""Where the terms of a view meet word vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.app.index import Index
from aboutness.models.lexicon import Lexicon, lexicon_of
from aboutness.models.model import MODELS
from aboutness.models.question import Question
from aboutness.models.wcs import WCS
from aboutness.vectors.subwords import Subwords
from models.drawing import SEEDS, WORDS, asked, drafts, histories, index_of, made, named, word_vectors
from models.embeddings import ASKED, explained, in_vectors, scored, vectors_of, with_vectors
from models.scoring import of_texts

VECTORS = vectors_of(
    {
        "in": {"aa": [1, 2], "bb": [3, 4], "Moon": [5, 6], "unheard": [7, 8]},
        "out": {"aa": [-1, -2], "bb": [-3, -4], "Moon": [-5, -6], "unheard": [-7, -8]},
    }
)


def view_of(*texts):
    return of_texts(*texts).view()


def held(lexicon, space="in"):
    """The vector of each term of the view that has one."""
    matrix = lexicon.matrix(space)
    assert matrix.dtype == np.float32
    rows = {term: row for term, row in zip(lexicon.view.terms(), lexicon.rows.tolist(), strict=True) if row >= 0}
    assert sorted(rows.values()) == list(range(len(matrix)))
    return {term: matrix[row].tolist() for term, row in rows.items()}


def of_question(lexicon, question, space="in"):
    found = lexicon.asked(Question(question) if isinstance(question, str) else question)
    assert found.vectors(space).dtype == np.float32
    assert len(found) == len(found.words) == len(found.weights) == len(found.vectors(space))
    return dict(zip(found.words, found.vectors(space).tolist(), strict=True))


# --- terms and questions ---------------------------------------------------------------------------------------


def test_the_terms_of_a_view_that_have_vectors():
    lexicon = Lexicon(view_of("zz bb", "cc aa bb", "moon"), VECTORS)
    assert held(lexicon) == {"bb": [3, 4], "aa": [1, 2]}
    assert held(lexicon, "out") == {"bb": [-3, -4], "aa": [-1, -2]}
    assert lexicon.rows.dtype == np.int64
    assert lexicon.matrix() is lexicon.matrix("in")


@settings(max_examples=25)
@given(seed=SEEDS)
def test_terms_of_several_segments(seed):
    index = made(seed)
    words = {word: row.tolist() for word, row in zip(word_vectors(), word_vectors().space("out"), strict=True)}
    for layer in ("main", "pairs"):
        view = index.view(layer)
        df = dict(zip(view.terms(), view.df.tolist(), strict=True))  # some terms are of dead documents alone
        expected = {term: words[term] for term in view.terms() if term in words and df[term]}
        for case in ("exact", "any"):
            assert held(Lexicon(view, word_vectors(), case), "out") == expected


def test_the_words_of_a_question():
    """Each once, in their order, with their weights; also those that no document has."""
    lexicon = Lexicon(view_of("aa", "zz"), VECTORS)
    found = lexicon.asked(Question("unheard aa zz bb aa nope"))
    assert found.words == ["unheard", "aa", "bb"]
    assert found.weights.tolist() == [1, 2, 1]
    assert found.vectors().tolist() == [[7, 8], [1, 2], [3, 4]]
    assert found.vectors("out").tolist() == [[-7, -8], [-1, -2], [-3, -4]]
    weighted = lexicon.asked(Question(terms={"bb": 0.5, "aa": 0.0, "zz": 3.0, "unheard": 2.0}))
    assert (weighted.words, weighted.weights.tolist()) == (["bb", "unheard"], [0.5, 2.0])
    for empty in (Question(""), Question("zz"), Question(terms={})):
        assert len(lexicon.asked(empty)) == 0
        assert lexicon.asked(empty).vectors().shape == (0, 2)


@settings(max_examples=40)
@given(data=st.data())
def test_the_words_of_any_question_have_the_vectors_of_their_terms(data):
    index = made(data.draw(SEEDS))
    view = index.view(fields={"title": 2.0, "text": 0.5})
    question = asked(data.draw(drafts(list(index))), index.snapshot)
    case, oov = data.draw(st.sampled_from(["exact", "any"])), data.draw(st.sampled_from(["ignore", "random"]))
    lexicon = Lexicon(view, word_vectors(), case, oov)
    found = lexicon.asked(question)
    assert len(set(found.words)) == len(found.words)
    assert (found.weights > 0).all()
    for space in ("in", "out"):
        terms, words = held(lexicon, space), of_question(lexicon, question, space)
        assert {word: terms[word] for word in words if word in terms} == {
            w: v for w, v in words.items() if w in terms
        }
        assert all(word in word_vectors() for word in words if word not in terms)


def test_a_document_asks_with_its_weighted_words():
    index = index_of(named([{"title": "aa zz", "text": "aa bb", "see also": "bb"}, {"text": "cc"}]))
    lexicon = Lexicon(index.view(fields={"title": 3.0, "text": 0.5}), VECTORS)
    found = lexicon.asked(Question(document=0))
    assert (found.words, found.weights.tolist()) == (["aa", "bb"], [3.5, 0.5])


def test_it_is_made_once_for_each_way():
    snapshot = with_vectors(of_texts("aa", "bb").snapshot, one=VECTORS, two=VECTORS)
    view = snapshot.view()
    made_so = {(name, case, oov): lexicon_of(view, name, case, oov) for name in ("one", "two") for case in ("exact", "any") for oov in ("ignore", "random")}  # fmt: skip
    assert len(set(map(id, made_so.values()))) == 8
    for (name, case, oov), lexicon in made_so.items():
        assert lexicon_of(view, name, case, oov) is lexicon
        assert (lexicon.case, lexicon.oov) == (case, oov)
    alone = with_vectors(of_texts("aa", "bb").snapshot, one=VECTORS).view()
    assert lexicon_of(alone, None) is lexicon_of(alone, "one")


# --- case ------------------------------------------------------------------------------------------------------


def test_any_case():
    vectors = in_vectors(moon=[1, 0], Moon=[0, 1], Sun=[1, 1], sea=[2, 2], SKY=[3, 3])
    view = Index.build(
        [{"id": "a", "text": "moon sun SEA Sky"}, {"id": "b", "text": "Moon SUN"}],
        analyzer="plain[lowercase=false]",
    ).view()
    assert held(Lexicon(view, vectors)) == {"moon": [1, 0], "Moon": [0, 1]}
    expected = {"moon": [1, 0], "Moon": [0, 1], "sun": [1, 1], "SUN": [1, 1], "SEA": [2, 2]}
    assert held(Lexicon(view, vectors, "any")) == expected
    found = of_question(Lexicon(view, vectors, "any"), "sun SEA unheard Sky SUN Sea")
    assert found == {"sun": [1, 1], "SEA": [2, 2], "SUN": [1, 1], "Sea": [2, 2]}
    assert of_question(Lexicon(view, vectors), "sun SEA sea") == {"sea": [2, 2]}


# --- words out of vocabulary -----------------------------------------------------------------------------------


def test_random_vectors_depend_on_the_word_alone():
    one = Lexicon(view_of("aa zz", "yy"), VECTORS, oov="random")
    other = Lexicon(view_of("yy", "bb bb", "zz über zz"), VECTORS, oov="random")
    for space in ("in", "out"):
        here, there = held(one, space), held(other, space)
        assert set(here) == {"aa", "zz", "yy"}
        assert set(there) == {"yy", "bb", "zz", "über"}
        assert {word: here[word] for word in ("zz", "yy")} == {word: there[word] for word in ("zz", "yy")}
        assert here["zz"] != here["yy"]
        assert here["aa"] == (VECTORS["aa"] if space == "in" else -VECTORS["aa"]).tolist()
    assert held(one, "in")["zz"] != held(one, "out")["zz"]


def test_random_vectors_are_as_long_as_others_on_the_average():
    for space, scale in (("in", 1.0), ("out", 10.0)):
        spaces = {name: {"aa": [3, 4], "bb": [0, 1]} for name in ("in", "out")}
        spaces[space] = {word: [scale * x for x in row] for word, row in spaces[space].items()}
        lexicon = Lexicon(view_of("aa zz", "yy xx ww"), vectors_of(spaces), oov="random")
        for word in ("zz", "yy", "xx", "ww"):
            assert np.linalg.norm(held(lexicon, space)[word]) == pytest.approx(3 * scale, rel=1e-6)


def test_random_vectors_point_anywhere():
    words = [f"x{n}" for n in range(400)]
    vectors = in_vectors(aa=[1.0] * 10)
    matrix = Lexicon(view_of(" ".join(words)), vectors, oov="random").matrix().astype(np.float64)
    assert np.abs(matrix.mean(axis=0)).max() < 0.2
    cosines = matrix @ matrix.T / 10
    assert np.abs(cosines[~np.eye(400, dtype=bool)]).max() < 0.97
    assert len(np.unique(matrix, axis=0)) == 400


def test_only_words_of_documents_have_random_vectors():
    lexicon = Lexicon(view_of("aa zz", "yy"), VECTORS, oov="random")
    assert list(of_question(lexicon, "zz nope aa unheard")) == ["zz", "aa", "unheard"]
    assert of_question(lexicon, "zz")["zz"] == held(lexicon)["zz"]
    for space in ("in", "out"):
        assert of_question(lexicon, "zz", space)["zz"] == held(lexicon, space)["zz"]


def test_only_words_of_living_documents_have_random_vectors():
    index = index_of(named([{"text": "aa zz"}, {"text": "zz yy"}]), dead=["d1"])
    lexicon = Lexicon(index.view(), VECTORS, oov="random")
    assert set(held(lexicon)) == {"aa", "zz"}
    assert list(of_question(lexicon, "yy zz")) == ["zz"]
    lexicon = Lexicon(index.view(fields=["title"]), VECTORS, oov="random")
    assert list(of_question(lexicon, "zz aa")) == ["aa"]


@pytest.mark.parametrize("name", ["wcs", "iwcs", "ketos", "desm-in-out"])
@settings(max_examples=20)
@given(seed=st.integers(1, 4), text=ASKED)
def test_random_vectors_are_the_same_however_the_index_came_about(name, seed, text):
    model = MODELS[name](oov="random")
    found = [scored(model, index.snapshot, text) for index in histories(seed)]
    assert all(one == found[0] for one in found)


def test_random_vectors_count():
    index = of_texts("über", "aa", "")
    assert scored(WCS(), index.snapshot, "über") == [-1, -1, -1]
    found = scored(WCS(oov="random"), index.snapshot, "über")
    assert found[0] == pytest.approx(1, abs=1e-6)
    assert -1 < found[1] < 1
    assert found[2] == -1
    assert [part.word for part in explained(WCS(oov="random"), index.snapshot, "aa")[0].parts] == ["über"]


# --- pieces of words -------------------------------------------------------------------------------------------

ROWS = np.random.default_rng(3).normal(size=(50, 2)).astype(np.float32)
PIECES = vectors_of(
    {"in": {"aa": [1, 2], "bb": [3, 4]}, "out": {"aa": [5, 6], "bb": [7, 8]}}, subwords=Subwords(ROWS, 3, 4)
)


def test_pieces_give_vectors_to_words_that_are_not_there():
    """Also to words that no document has; a word that is too short for any piece has none."""
    view = view_of("aa unseen", "xx bb", "further")
    short = vectors_of({"in": {"aa": [1, 2]}}, subwords=Subwords(ROWS, 5, 6))
    lexicon = Lexicon(view, PIECES)
    found = held(lexicon)
    assert set(found) == {"aa", "bb", "xx", "unseen", "further"}
    for word in ("unseen", "further", "xx"):
        assert found[word] == pytest.approx(ROWS[PIECES.subwords.pieces(word)].mean(axis=0).tolist(), rel=1e-5)
    assert (found["aa"], found["bb"]) == ([1, 2], [3, 4])
    words = of_question(lexicon, "nowhere unseen aa")
    assert list(words) == ["nowhere", "unseen", "aa"]
    assert words["unseen"] == found["unseen"]
    assert words["nowhere"] == PIECES.subwords.vector("nowhere").tolist()
    assert set(held(Lexicon(view, short))) == {"aa", "unseen", "further"}
    assert list(of_question(Lexicon(view, short), "no xx nowhere aa")) == ["nowhere", "aa"]


def test_pieces_have_no_out():
    lexicon = Lexicon(view_of("aa unseen", "bb"), PIECES)
    assert held(lexicon, "out") == {"aa": [5, 6], "bb": [7, 8], "unseen": [0, 0]}
    snapshot = with_vectors(of_texts("aa unseen", "unseen").snapshot, words=PIECES)
    assert scored(MODELS["desm-in-out"](), snapshot, "aa") == pytest.approx([17 / np.sqrt(5 * 61), -1], abs=1e-6)
    assert scored(MODELS["desm-in-in"](), snapshot, "unseen")[1] == pytest.approx(1, abs=1e-6)
    assert len(MODELS["desm-out-in"]().bind(snapshot).top(Question("unseen"), 5)) == 0


def test_pieces_before_chance():
    lexicon = Lexicon(view_of("aa unseen", "bb"), PIECES, oov="random")
    assert held(lexicon)["unseen"] == PIECES.subwords.vector("unseen").tolist()
    assert np.linalg.norm(held(lexicon, "out")["unseen"]) == pytest.approx(
        np.linalg.norm([[5, 6], [7, 8]], axis=1).mean()
    )


def test_pieces_in_a_search():
    snapshot = with_vectors(of_texts("unseen", "aa").snapshot, words=PIECES)
    found = scored(WCS(), snapshot, "unseen")
    assert found[0] == pytest.approx(1, abs=1e-6)
    assert found[1] < 1
    assert WORDS[0] in PIECES
