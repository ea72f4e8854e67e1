"""Query likelihood against its three smoothings in plain Python, and as probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.models.ql import QL
from aboutness.models.question import Question
from models.drawing import SEEDS, WORDS, made, texts
from models.naive import Counts
from models.scoring import WEIGHTS, assert_title_counts_three_times, of_texts, scores

SMOOTHINGS = ["dirichlet", "jm", "absolute"]
every_smoothing = pytest.mark.parametrize("smoothing", SMOOTHINGS)

PARAMETERS = st.fixed_dictionaries(
    {
        "mu": st.sampled_from([1000.0, 0.5]) | st.floats(0.01, 5000),
        "lam": st.sampled_from([0.5, 1.0]) | st.floats(0.01, 1),
        "delta": st.sampled_from([0.7, 1.0]) | st.floats(0.01, 1),
    }
)


def probability(model, counts, place, word):
    tf, length = counts.tf[place], counts.length[place]
    count, background = tf.get(word, 0.0), counts.cf[word] / counts.total
    if model.smoothing == "dirichlet":
        return (count + model.mu * background) / (length + model.mu)
    if model.smoothing == "jm":
        return (1 - model.lam) * (count / length if length else 0.0) + model.lam * background
    if not length:
        return background
    left = math.fsum(min(other, model.delta) for other in tf.values()) / length
    return max(count - model.delta, 0.0) / length + left * background


@every_smoothing
@settings(max_examples=60)
@given(data=st.data())
def test_scores_are_those_of_the_formula(smoothing, data):
    index, weights = made(data.draw(SEEDS)), data.draw(WEIGHTS)
    model = QL(smoothing=smoothing, fields=weights, **data.draw(PARAMETERS))
    text = data.draw(texts([*WORDS, "zz"]))
    counts = Counts.of(list(index), weights)
    expected = [
        math.fsum(
            times * math.log(probability(model, counts, place, word)) for word, times in counts.query(text).items()
        )
        for place in range(counts.n)
    ]
    assert scores(model, index, text) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@every_smoothing
@settings(max_examples=25)
@given(data=st.data())
def test_the_probabilities_of_all_words_sum_to_one(smoothing, data):
    index, weights = made(data.draw(SEEDS.filter(bool))), data.draw(WEIGHTS)
    scorer = QL(smoothing=smoothing, fields=weights, **data.draw(PARAMETERS)).bind(index.snapshot)
    numbers = np.flatnonzero(scorer.view.alive & (scorer.view.lengths > 0))
    sums = np.zeros(len(numbers))
    for word in np.flatnonzero(scorer.view.df):
        question = Question(terms={scorer.view.term(int(word)): 1.0})
        sums += np.exp(scorer.scores(question, numbers).astype(np.float64))
    np.testing.assert_allclose(sums, 1.0, rtol=1e-5)


@settings(max_examples=25)
@given(seed=SEEDS, text=texts())
def test_all_documents_are_the_collection_where_jm_takes_all_from_it(seed, text):
    assert len(set(scores(QL(smoothing="jm", lam=1.0), made(seed), text))) == 1


def test_an_empty_document_is_the_collection():
    index = of_texts("aa bb bb", "cc", "")
    background = math.log(2 / 4)
    assert scores(QL(smoothing="dirichlet"), index, "bb")[2] == pytest.approx(background, rel=1e-6)
    assert scores(QL(smoothing="absolute"), index, "bb")[2] == pytest.approx(background, rel=1e-6)
    found = scores(QL(smoothing="jm", lam=0.25), index, "bb")[2]
    assert found == pytest.approx(background + math.log(0.25), rel=1e-6)


@every_smoothing
def test_a_word_that_stands_there_oftener_counts_more(smoothing):
    index = of_texts(
        "aa aa aa aa xx", "aa aa aa bb xx", "aa aa bb bb xx", "aa bb bb bb xx", "bb bb bb bb xx", *["cc"] * 9
    )
    found = scores(QL(smoothing=smoothing, delta=0.5), index, "aa")
    if smoothing == "absolute":  # a document of fewer different words leaves less to the collection
        assert found[1] > found[2] > found[3] > found[4]
    else:
        assert found[0] > found[1] > found[2] > found[3] > found[4]


@every_smoothing
def test_having_a_rarer_word_makes_more_of_a_difference(smoothing):
    index = of_texts("aa bb cc", "xx yy zz", "bb cc", "cc", "dd", "ee", "ff", "dd", "ee")
    found = [scores(QL(smoothing=smoothing), index, word) for word in ("aa", "bb", "cc")]
    rare, less, least = (having - lacking for having, lacking, *_ in found)
    assert rare > less > least > 0


@every_smoothing
def test_a_title_of_weight_three_is_a_title_three_times(smoothing):
    assert_title_counts_three_times(QL, smoothing=smoothing, delta=1.0)


@every_smoothing
def test_the_details_of_an_explanation_are_probabilities(smoothing):
    index = of_texts("aa bb bb", "cc aa", "")
    model = QL(smoothing=smoothing)
    counts = Counts.of(list(index), {"text": 1.0})
    for place in range(3):
        explained = model.bind(index.snapshot).explain(Question("aa cc"), place)
        for part in explained.parts:
            expected = probability(model, counts, place, part.name)
            assert part.details["p_in_document"] == pytest.approx(expected, rel=1e-6)
            assert part.details["p_in_collection"] == pytest.approx(counts.cf[part.name] / 5)
            assert part.value == pytest.approx(math.log(expected), rel=1e-6)


def test_more_of_the_collection_brings_documents_nearer_to_each_other():
    index = of_texts("aa bb", "cc dd", "aa cc")
    for parameter, values in (("mu", [1.0, 10.0, 1000.0]), ("lam", [0.1, 0.5, 0.9])):
        smoothing = "dirichlet" if parameter == "mu" else "jm"
        spread = []
        for value in values:
            found = scores(QL(smoothing=smoothing, **{parameter: value}), index, "aa")
            spread.append(max(found) - min(found))
        assert spread[0] > spread[1] > spread[2] > 0
