"""Language models on trained rows: their two ends, equation 4 word by word, floors, and explanations.

    score(q, d) = sum over t of q:  c(t, q) * ln( (1 - lam) P_QL(t | d) + lam P_T(t | d) )

The rows and the words' vectors are drawn by chance: nothing here depends on how they were trained.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import aboutness as ab
from aboutness.models import language
from aboutness.models.pv_lm import EPVDLM, EPVDRJLM, EPVDRLM, PVLM
from aboutness.models.ql import QL
from aboutness.models.question import Question
from aboutness.text.strings import StringTable
from aboutness.vectors import products
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.pv import PV
from aboutness.vectors.trainer import plain
from aboutness.vectors.words import WordVectors
from models.drawing import (
    FIELDS,
    SEEDS,
    UNKNOWN,
    WORDS,
    drafts,
    index_of,
    large,
    large_questions,
    made,
    named,
    texts,
)
from models.drawing import asked as asked_of
from models.embeddings import assert_same_ranking, explained, scored
from models.naive import Counts
from models.scoring import scores
from models.test_trained import with_spaces

KNOWN = ["cc", "aa", "ff", "bb", "dd", "unheard"]  # "ee" and "über" have no vectors, nobody has "unheard"
ASKED = texts([*WORDS, *UNKNOWN, "unheard"])
LAMBDAS = st.sampled_from([0.0, 0.1, 0.3, 0.9, 1.0]) | st.floats(0, 1)
MUS = st.sampled_from([300.0, 0.5]) | st.floats(0.01, 5000)
WEIGHTS = st.fixed_dictionaries({name: st.sampled_from([1.0, 3.0, 0.3]) for name in FIELDS})
some = settings(max_examples=50)

EVERY = [PVLM, EPVDLM, EPVDRLM, EPVDRJLM]
every_model = pytest.mark.parametrize("model", EVERY, ids=lambda model: model.name)


@pytest.fixture(scope="module", autouse=True)
def _small_blocks():
    """The softmax of few documents over few words takes no longer than it must."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "ROWS", 8)
        patch.setattr(products, "WORDS", 16)
        yield


def drawn_space(view, way, words=KNOWN, dim=3, seed=0, scale=1.0):
    """Rows for the living documents of a view, and vectors of some words, by chance; one row is 0."""
    chance = np.random.default_rng(seed)
    arrivals = view.arrivals[view.alive]
    out = (scale * chance.normal(size=(len(words), dim))).astype(np.float32)
    rows = chance.normal(size=(len(arrivals), dim)).astype(np.float32)
    rows[len(rows) // 2] = 0
    inference = {"epochs": 2, "negatives": 2, "gamma": 0.0, "rate": 0.1, "last_rate": 0.0, "seed": 1}
    about = {
        "training": way.name,
        "parameters": plain(way),
        "switches": list(way.objective.switches),
        "inference": inference,
    }
    vectors = WordVectors(StringTable.of(words), {"out": out})
    return ParagraphSpace(vectors, rows, arrivals, {"noise": np.ones(len(words))}, about).normalised()


@cache
def drawn(seed, scale=1.0):
    index = made(seed)
    return with_spaces(index.snapshot, pv=drawn_space(index.view(), PV(), seed=seed, scale=scale))


def probabilities(snapshot):
    """P_T of all known words in each living document, by the softmax as it is written."""
    space = ParagraphSpace.of_arrays(snapshot.trained.artefact("pv"))
    out = space.words.space("out").astype(np.float64)
    shares = np.exp(space.rows.astype(np.float64) @ out.T)
    shares /= shares.sum(axis=1, keepdims=True)
    return [dict(zip(space.words, row.tolist(), strict=True)) for row in shares]


def parts_of(model, counts, trained, text):
    """What each word brings to each document's score: {word: (P_QL, P_T, part)} for each."""
    found = []
    for tf, length, shares in zip(counts.tf, counts.length, trained, strict=True):
        parts = {}
        for word, times in counts.query(text).items():
            if model.lam == 1 and word not in KNOWN:
                continue
            seen = (tf.get(word, 0.0) + model.mu * counts.cf[word] / counts.total) / (length + model.mu)
            share = shares.get(word, 0.0)
            parts[word] = seen, share, times * math.log((1 - model.lam) * seen + model.lam * share)
        found.append(parts)
    return found


# --- the formula ------------------------------------------------------------------------------------------------


@settings(max_examples=120)
@given(seed=SEEDS, lam=LAMBDAS, mu=MUS, weights=WEIGHTS, text=ASKED)
def test_scores_are_those_of_the_formula(seed, lam, mu, weights, text):
    """On fields with weights, with words that have no vectors, and words that nobody has."""
    model, snapshot = PVLM(lam=lam, mu=mu, fields=weights), drawn(seed)
    counts = Counts.of(list(made(seed)), weights)
    expected = parts_of(model, counts, probabilities(snapshot), text)
    found = scored(model, snapshot, text)
    assert found == pytest.approx([math.fsum(p for *_, p in one.values()) for one in expected], rel=2e-6, abs=2e-6)


@every_model
def test_every_model_is_of_the_same_formula(model):
    index, text = made(7), "aa dd ff über"
    space = drawn_space(index.view(), model.trained)
    snapshot = with_spaces(index.snapshot, **{model.kept_as: space})
    same = with_spaces(index.snapshot, pv=drawn_space(index.view(), PV()))
    assert scored(model(lam=0.4, mu=20), snapshot, text) == scored(PVLM(lam=0.4, mu=20), same, text)


@cache
def drawn_for(model, seed):
    index = made(seed)
    return with_spaces(index.snapshot, mine=drawn_space(index.view(), model.trained, seed=seed))


@every_model
@settings(max_examples=25)
@given(seed=SEEDS, mu=MUS, weights=WEIGHTS, text=ASKED)
def test_with_lam_0_it_is_ql(model, seed, mu, weights, text):
    index, snapshot = made(seed), drawn_for(model, seed)
    found = scored(model(lam=0, mu=mu, fields=weights), snapshot, text)
    assert_same_ranking(found, scores(QL(mu=mu, fields=weights), index, text), within=2e-6)


def test_with_lam_0_it_ranks_as_ql_does():
    index = large()
    snapshot = with_spaces(index.snapshot, pv=drawn_space(index.view(), PV(), [f"w{n}" for n in range(0, 400, 3)]))
    model, ql = PVLM(lam=0).bind(snapshot), QL().bind(index.snapshot)
    for question in large_questions():
        one, other = model.top(question, 20), ql.top(question, 20)
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-6)
        apart = np.diff(other.scores.astype(float)) < -1e-5  # ties may be broken by rounding
        here = [part.tolist() for part in np.split(one.documents, np.flatnonzero(apart) + 1)]
        there = [part.tolist() for part in np.split(other.documents, np.flatnonzero(apart) + 1)]
        assert [sorted(part) for part in here[:-1]] == [sorted(part) for part in there[:-1]]


@some
@given(seed=SEEDS, text=ASKED)
def test_with_lam_1_it_is_what_was_trained_alone(seed, text):
    """Words without a vector are left out, and it makes no difference which documents have the others."""
    snapshot = drawn(seed)
    terms = [word for word in text.split() if word in KNOWN and made(seed).view().look_up([word])[0][1]]
    expected = [sum(math.log(shares[word]) for word in terms) for shares in probabilities(snapshot)]
    assert scored(PVLM(lam=1), snapshot, text) == pytest.approx(expected, rel=2e-6, abs=2e-6)
    assert scored(PVLM(lam=1, mu=3), snapshot, text) == scored(PVLM(lam=1), snapshot, text)


@some
@given(seed=SEEDS, lam=LAMBDAS, mu=MUS)
def test_probabilities_of_all_words_sum_to_1(seed, lam, mu):
    """Where all trained words are in the index; an empty document is the collection, and all words alike."""
    index = made(seed)
    view = index.view()
    words = [view.term(int(term)) for term in np.flatnonzero(view.df)]
    assume(words)
    snapshot = with_spaces(index.snapshot, pv=drawn_space(view, PV(), words, seed=seed))
    sums = np.zeros(len(index))
    for word in words:
        sums += np.exp(scored(PVLM(lam=lam, mu=mu), snapshot, Question(terms={word: 1.0})))
    np.testing.assert_allclose(sums, 1, rtol=1e-5)


def test_a_document_without_a_row_has_all_words_alike():
    index = index_of(named([{"text": "aa bb"}, {}, {"text": "cc dd"}]))
    snapshot = with_spaces(index.snapshot, pv=drawn_space(index.view(), PV()))
    (_, found, _) = scored(PVLM(lam=1), snapshot, "aa cc aa")
    assert found == pytest.approx(3 * math.log(1 / len(KNOWN)), rel=1e-6)


def test_probabilities_too_small_for_a_number():
    """Products so large that exp of their difference is 0: scores are still finite, and the best come first."""
    index = made(3)
    space = drawn_space(index.view(), PV(), seed=3, scale=900.0)
    snapshot = with_spaces(index.snapshot, pv=space)
    for lam in (0.3, 1.0):
        scorer = PVLM(lam=lam).bind(snapshot)
        found = scorer.scores(Question("aa bb cc"), snapshot.live_numbers())
        assert np.isfinite(found).all()
        assert scorer.floor(Question("aa bb cc")) <= found.min() < (-300 if lam == 1 else 0)
        worst = scorer.explain(Question("aa bb cc"), int(snapshot.live_numbers()[found.argmin()]))
        assert worst.total == pytest.approx(worst.score)


# --- words that are not known -----------------------------------------------------------------------------------


@some
@given(seed=SEEDS, lam=LAMBDAS, text=ASKED)
def test_unknown_words_change_nothing(seed, lam, text):
    snapshot, model = drawn(seed), PVLM(lam=lam)
    assert scored(model, snapshot, f"zz {text} unheard yy") == scored(model, snapshot, text)


def test_questions_of_which_nothing_can_be_scored():
    snapshot = drawn(7)
    for lam, text, known in (
        (0.5, "zz", False),
        (0.5, "unheard", False),
        (0.5, "", False),
        (0.5, "ee", True),
        (1.0, "ee", False),
        (1.0, "über ee zz", False),
        (1.0, "ee aa", True),
    ):
        scorer = PVLM(lam=lam).bind(snapshot)
        assert scorer.knows(Question(text)) is known
        assert (len(scorer.top(Question(text), match="all")) > 0) is known
        if not known:
            assert scored(PVLM(lam=lam), snapshot, text) == [0.0] * len(made(7))
            assert scorer.explain(Question(text), int(snapshot.live_numbers()[0])).parts == ()


# --- explanations, floors, matching -----------------------------------------------------------------------------


@some
@given(seed=SEEDS, lam=LAMBDAS, mu=MUS, text=ASKED)
def test_every_word_has_its_part(seed, lam, mu, text):
    model, snapshot = PVLM(lam=lam, mu=mu), drawn(seed)
    counts = Counts.of(list(made(seed)), FIELDS)
    expected = parts_of(model, counts, probabilities(snapshot), text)
    found = explained(model, snapshot, text)
    assert [why.score for why in found] == scored(model, snapshot, text)
    for tf, parts, why in zip(counts.tf, expected, found, strict=True):
        assert why.total == pytest.approx(why.score, rel=1e-6, abs=1e-6)
        assert why.formula == "sum of in query * ln P(word | document)"
        assert {part.name for part in why.parts} == set(parts)
        for part in why.parts:
            seen, share, value = parts[part.name]
            assert part.value == pytest.approx(value, rel=2e-6, abs=2e-6)
            assert part.details["in_query"] == counts.query(text)[part.name]
            assert part.details["in_document"] == pytest.approx(tf.get(part.name, 0.0))
            assert part.details["p_in_document"] == pytest.approx(seen, rel=1e-9)
            assert part.details["p_trained"] == pytest.approx(share, rel=1e-5)
            assert part.word == (part.name if tf.get(part.name) else None)


@settings(max_examples=100)
@given(seed=SEEDS, lam=LAMBDAS, mu=MUS, weights=WEIGHTS, data=st.data())
def test_no_score_is_below_the_floor(seed, lam, mu, weights, data):
    index, snapshot = made(seed), drawn(seed)
    question = asked_of(data.draw(drafts(list(index))), index.snapshot)
    scorer = PVLM(lam=lam, mu=mu, fields=weights).bind(snapshot)
    found = scorer.scores(question, snapshot.live_numbers())
    assert scorer.floor(question) <= found.min() + 1e-6 * abs(found.min())


def test_the_floor_is_not_far_below():
    """It depends on what was trained: a mixture with a ranker that left a document out is not ruined by it."""
    snapshot = drawn(7)
    found = scored(PVLM(), snapshot, "aa bb")
    assert PVLM().bind(snapshot).floor(Question("aa bb")) > min(found) - 5


@some
@given(seed=SEEDS, lam=LAMBDAS, text=ASKED, k=st.integers(1, 12), data=st.data())
def test_the_best_of_those_that_match_and_are_allowed(seed, lam, text, k, data):
    index, snapshot = made(seed), drawn(seed)
    scorer, numbers = PVLM(lam=lam).bind(snapshot), snapshot.live_numbers()
    values = dict(zip(numbers.tolist(), scored(PVLM(lam=lam), snapshot, text), strict=True))
    bodies = dict(zip(numbers.tolist(), (set(tf) for tf in Counts.of(list(index), FIELDS).tf), strict=True))
    terms = set(text.split())
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=scorer.view.size, max_size=scorer.view.size)))
    for match in ("or", "and", "all"):
        matching = [
            number
            for number, words in bodies.items()
            if match == "all" or (words & terms if match == "or" else terms and terms <= words)
        ]
        order = sorted(matching if scorer.knows(Question(text)) else [], key=lambda number: -values[number])
        for allowed in (None, chosen, np.flatnonzero(chosen)):
            expected = [number for number in order if allowed is None or chosen[number]][:k]
            ranking = scorer.top(Question(text), k, match=match, allowed=allowed)
            assert ranking.documents.tolist() == expected
            assert ranking.scores.tolist() == [values[number] for number in expected]


def test_several_questions_at_once_are_as_one_by_one():
    index = large()
    snapshot = with_spaces(index.snapshot, pv=drawn_space(index.view(), PV(), [f"w{n}" for n in range(0, 400, 3)]))
    scorer, questions = PVLM().bind(snapshot), [*large_questions(), Question("nobody")]
    alone = [scorer.top(question, 15) for question in questions]
    for threads in (1, 3, None):
        together = scorer.top_many(questions, 15, threads=threads)
        assert [one.documents.tolist() for one in together] == [one.documents.tolist() for one in alone]
        assert [one.scores.tolist() for one in together] == [one.scores.tolist() for one in alone]
    assert scorer.top_many([], 15) == []


def test_how_many_documents_are_worked_out_together_makes_no_difference(monkeypatch):
    snapshot = drawn(7)
    whole = scored(PVLM(), snapshot, "aa dd über")
    monkeypatch.setattr(language, "AT_ONCE", 2)
    assert scored(PVLM(), snapshot, "aa dd über") == whole
    numbers = snapshot.live_numbers()
    for place, number in enumerate(numbers):
        assert (
            PVLM().bind(snapshot).scores(Question("aa dd über"), number[None]).tolist() == whole[place : place + 1]
        )
    assert PVLM().bind(snapshot).scores(Question("aa"), numbers[:0]).shape == (0,)


@pytest.mark.parametrize("wrong", [{"lam": -0.1}, {"lam": 1.1}, {"mu": 0}, {"lam": math.nan}])
def test_values_that_are_refused(wrong):
    with pytest.raises(ab.AboutnessError, match=f"pv-lm: {next(iter(wrong))} must be"):
        PVLM(**wrong)


# --- a real collection ------------------------------------------------------------------------------------------


def test_on_cranfield_scores_are_those_of_numpy(data_folder):
    """All documents at once, by dense matrices, over its own fields with weights."""
    if not (data_folder / "cranfield").is_dir():
        pytest.skip("cranfield is not there")
    index = ab.Index.build(ab.read(data_folder / "cranfield"), analyzer="english")
    index.train("pv", dim=20, epochs=2, threads=1)
    space = ParagraphSpace.of_arrays(index.snapshot.trained.artefact("pv"))
    out = space.words.space("out").astype(np.float64)
    shares = np.exp(space.rows.astype(np.float64) @ out.T)
    shares /= shares.sum(axis=1, keepdims=True)
    view = index.view(fields=dict.fromkeys(index.snapshot.fields, 1.0) | {index.snapshot.fields[0]: 2.0})
    fields = "+".join([f"2*{index.snapshot.fields[0]}", *index.snapshot.fields[1:]])
    counts = view.matrix().tocsc()
    lengths, total = np.asarray(counts.sum(axis=1)).ravel(), counts.sum()
    for text in ("shock waves", "the heat transfer of a blunt body", "supersonic flow flow zzz hypersonic"):
        terms = [term for term in view.analyzer.terms(text) if view.look_up([term])[0][1]]
        for lam in (0.0, 0.25, 1.0):
            expected = np.zeros(len(lengths))
            for term in terms:
                column = counts[:, [view.look_up([term])[0][0]]].toarray()[:, 0]
                seen = (column + 50 * column.sum() / total) / (lengths + 50)
                (place,) = space.words.numbers([term])
                trained = shares[:, place] if place >= 0 else 0.0
                if lam < 1 or place >= 0:
                    expected += np.log((1 - lam) * seen + lam * trained)
            found = scored(PVLM(lam=lam, mu=50, fields=fields), index.snapshot, text)
            np.testing.assert_allclose(found, expected, rtol=1e-5)
