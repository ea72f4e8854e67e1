from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from aboutness.core.errors import UsageError
from aboutness.report.figures.distributions import score_distributions, usual_range
from aboutness.report.figures.points import MANY, around_queries, document_map, score_pairs
from report.figures.looking import NAMES, check_texts, words

CHANCE = np.random.default_rng(3)


def sets(rankers, sizes=(30, 20, 50)):
    names = ("relevant", "judged irrelevant", "random")
    return {
        name: {one: CHANCE.random(size).tolist() for one in rankers}
        for name, size in zip(names, sizes, strict=True)
    }


def test_a_map_has_the_most_frequent_labels():
    labels = [f"label {min(place % 20, 14)}" for place in range(200)]
    figure = document_map(CHANCE.random((200, 2)), labels, ("x", "y"))
    told = words(figure)
    assert "label 14 (60)" in told  # 14 to 19
    assert "all others (40)" in told
    assert len(figure.axes[0].collections) == 12
    assert sum(len(one.get_offsets()) for one in figure.axes[0].collections) == 200


def test_labels_on_one_place_are_moved_apart():
    points = CHANCE.normal(size=(90, 2)) * 0.01
    points[:2] = [[-1, -1], [1, 1]]
    check_texts(document_map(points, [f"a long label {place % 9}" for place in range(90)], ("x", "y")))


def test_a_map_without_labels():
    figure = document_map(CHANCE.random((10, 2)), [None] * 10, ("x", "y"))
    assert "all others (10)" in words(figure)
    check_texts(document_map(CHANCE.random((10, 2)), ["one"] * 10, ("x", "y")))


def test_very_many_points_are_pixels():
    figure = document_map(CHANCE.random((MANY + 1, 2)), ["a"] * (MANY + 1), ("x", "y"))
    assert all(one.get_rasterized() for one in figure.axes[0].collections)


def test_documents_about_their_query():
    points, relevant = CHANCE.normal(size=(40, 2)), CHANCE.random(40) < 0.3
    figure = around_queries(dict.fromkeys(NAMES[:3], (points, relevant, (0.5, 0.25))))
    check_texts(figure)
    hit, missed, query = figure.axes[0].collections
    assert hit.get_offsets().tolist() == points[relevant].tolist()
    assert missed.get_offsets().tolist() == points[~relevant].tolist()
    assert query.get_offsets().tolist() == [[0, 0]]
    assert f"{relevant.sum()} relevant, {(~relevant).sum()} not" in words(figure)
    assert "second component (25%)" in words(figure)


def test_scores_of_two_rankers():
    given = sets(NAMES[:3], (30, 20, 5000))
    figure = score_pairs(NAMES[0], NAMES[1:3], given, most=100)
    check_texts(figure)
    assert len(figure.axes) == 6
    drawn = figure.axes[0].collections[0].get_offsets()
    assert drawn.tolist() == list(map(list, zip(given["relevant"]["bm25"], given["relevant"]["ql"], strict=True)))
    assert len(figure.axes[2].collections[0].get_offsets()) == 100
    check_texts(score_pairs("bm25", ["ql"], sets(["bm25", "ql"], (3, 0, 0))))


def test_distributions():
    given = sets(NAMES[:5])
    figure = score_distributions(given, NAMES[:5])
    check_texts(figure)
    for patch in figure.axes[0].patches:
        assert patch.get_data().values.sum() == pytest.approx(1)
    assert len({str(patch.get_linestyle()) for patch in figure.axes[0].patches}) == 3
    check_texts(score_distributions(sets(["bm25"], (1, 0, 0)), ["bm25"]))


def test_what_is_far_from_all_others_is_left_out_and_told():
    scores = CHANCE.random(1000)
    scores[:5] = -1000
    assert usual_range([scores]) == pytest.approx((-0.03, 1.03), abs=0.02)
    assert usual_range([scores[5:], [3.0]]) == pytest.approx((-0.09, 3.09), abs=0.02)
    low, high = usual_range([[2.0, 2.0]])
    assert low < 2 < high
    assert usual_range([[]])[0] < usual_range([[]])[1]
    given = {"relevant": {"a": scores.tolist()}}
    assert "5 outside" in words(score_distributions(given, ["a"]))


def test_too_many_spaces():
    with pytest.raises(UsageError, match="1 to 12 spaces, got 0"):
        around_queries({})
