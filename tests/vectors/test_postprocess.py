"""Steps of processing against their definitions in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from aboutness.core.errors import UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors import postprocess
from aboutness.vectors.postprocess import STEPS, all_but_the_top, centred, norms, process, unit
from aboutness.vectors.store import open_saved, save
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors

matrices = arrays(
    np.float32,
    st.tuples(st.integers(1, 40), st.integers(2, 8)),
    elements=st.integers(-9, 9).map(float),
    fill=st.just(0.0),
)


def of(rows, **others):
    words = StringTable.of([f"w{i}" for i in range(len(rows))])
    return WordVectors(words, {"in": np.asarray(rows, np.float32), **others})


def random_rows(count=500, dim=20, seed=0):
    chance = np.random.default_rng(seed)
    spread = np.linspace(5, 0.5, dim)
    return (chance.normal(size=(count, dim)) * spread + chance.normal(size=dim)).astype(np.float32)


@given(matrices)
def test_vectors_have_length_1_or_0(rows):
    made = unit(of(rows)).space().astype(np.float64)
    zero = ~rows.any(axis=1)
    np.testing.assert_allclose(np.linalg.norm(made[~zero], axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(made * np.linalg.norm(rows, axis=1)[:, None], rows, atol=1e-5)
    assert not made[zero].any()


@pytest.mark.parametrize("scale", [1e-44, 1e-30, 1e30, 3e38])
def test_vectors_of_any_length_can_be_scaled(scale):
    made = unit(of([[scale, 0], [0, -scale]])).space()
    np.testing.assert_allclose(made, [[1, 0], [0, -1]])


@given(matrices)
def test_the_mean_of_what_is_not_zero_becomes_zero(rows):
    some = rows.any(axis=1)
    made = centred(of(rows)).space()
    if some.any():
        np.testing.assert_allclose(made[some], rows[some] - rows[some].mean(axis=0, dtype=np.float64), atol=1e-5)
    assert not made[~some].any()


@given(matrices, st.integers(1, 7))
def test_nothing_varies_along_the_top_directions_any_more(rows, components):
    vectors = of(rows)
    if components >= vectors.dim:
        with pytest.raises(UsageError, match=rf"less than {vectors.dim}.* got {components}$"):
            all_but_the_top(vectors, components)
        return
    made = all_but_the_top(vectors, components).space()
    some = rows.any(axis=1)
    assert not made[~some].any()
    left = made[some].astype(np.float64)
    around_zero = rows[some].astype(np.float64)
    around_zero -= around_zero.mean(axis=0) if some.any() else 0
    variances = np.linalg.svd(around_zero, compute_uv=False) ** 2
    kept = np.sort(np.linalg.svd(left, compute_uv=False) ** 2)[::-1]
    # What is left has the other principal variances, whichever of several equal directions were taken.
    expected = np.zeros(len(kept))
    expected[: max(0, len(variances) - components)] = variances[components:]
    np.testing.assert_allclose(kept, expected, atol=1e-3)


def test_all_but_the_top_is_that_of_the_paper():
    rows = random_rows()
    around_zero = rows - rows.mean(axis=0, dtype=np.float64)
    top = np.linalg.svd(around_zero, full_matrices=False)[2][:3]
    expected = around_zero - sum(np.outer(around_zero @ direction, direction) for direction in top)
    made = all_but_the_top(of(rows), 3)
    np.testing.assert_allclose(made.space(), expected, atol=1e-5)
    assert np.abs(made.space() @ top.T).max() < 1e-5 < np.abs(around_zero @ top.T).max()
    assert made.provenance == {"processing": ["all-but-the-top=3"]}


@pytest.mark.parametrize(("dim", "expected"), [(2, 1), (100, 1), (160, 2), (300, 3)])
def test_the_number_of_directions_follows_from_the_dimensions(dim, expected):
    made = all_but_the_top(of(random_rows(20, dim)))
    assert made.provenance["processing"] == [f"all-but-the-top={expected}"]


@pytest.mark.parametrize("components", [0, -1, 4])
def test_some_directions_must_go_and_some_must_stay(components):
    with pytest.raises(UsageError, match="components must be at least 1 and less than 4"):
        all_but_the_top(of(np.eye(4)), components)


def test_a_single_number_has_no_direction_to_spare():
    with pytest.raises(UsageError, match="less than 1"):
        all_but_the_top(of([[1.0], [2.0]]))


@pytest.mark.parametrize("name", STEPS)
def test_blocks_change_nothing(name, monkeypatch):
    rows = random_rows()
    whole = process(of(rows), [name]).space()
    monkeypatch.setattr(postprocess, "BLOCK", 7 * 8 * rows.shape[1])
    np.testing.assert_allclose(process(of(rows), [name]).space(), whole, atol=1e-6)
    assert np.array_equal(norms(rows), [np.sqrt(np.square(row.astype(np.float64)).sum()) for row in rows])


@pytest.mark.parametrize("name", STEPS)
def test_the_same_bytes_each_time_and_the_input_as_it_was(name, tmp_path):
    save(of(random_rows(), out=random_rows(seed=1)), tmp_path / "v.safetensors")
    before = (tmp_path / "v.safetensors").read_bytes()
    mapped = open_saved(tmp_path / "v.safetensors")
    once, again = process(mapped, [name]), process(mapped, [name])
    for space in ("in", "out"):
        assert once.space(space).dtype == np.float32
        assert once.space(space).tobytes() == again.space(space).tobytes()
    assert (tmp_path / "v.safetensors").read_bytes() == before


@pytest.mark.parametrize("name", STEPS)
def test_every_space_is_processed_by_itself(name):
    one, other = random_rows(), random_rows(seed=1)
    both = process(of(one, out=other), [name])
    assert np.array_equal(both.space("in"), process(of(one), [name]).space())
    assert np.array_equal(both.space("out"), process(of(other), [name]).space())


@pytest.mark.parametrize("name", STEPS)
def test_no_words_at_all(name):
    assert process(of(np.zeros((0, 3))), [name]).space().shape == (0, 3)


def test_steps_are_done_and_noted_in_order():
    rows = random_rows()
    vectors = WordVectors(
        StringTable.of(map(str, range(len(rows)))),
        {"in": rows},
        counts=np.arange(len(rows)),
        subwords=Subwords(rows, 3, 6),
        provenance={"file": "v.bin", "processing": ["centred"]},
    )
    made = process(vectors, ["all-but-the-top=2", "unit"])
    assert np.array_equal(made.space(), unit(all_but_the_top(vectors, 2)).space())
    assert made.provenance == {"file": "v.bin", "processing": ["centred", "all-but-the-top=2", "unit"]}
    assert vectors.provenance["processing"] == ["centred"]
    assert made.words is vectors.words
    assert made.counts is vectors.counts
    assert made.subwords is None
    assert process(vectors, []) is vectors


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("whiten", "must be one of unit, centred, all-but-the-top; got 'whiten'"),
        ("", "must be one of"),
        ("unit=2", "unit takes no number"),
        ("all-but-the-top=", "whole number, as in all-but-the-top=3; got 'all-but-the-top='"),
        ("all-but-the-top=two", "whole number"),
        ("all-but-the-top=-1", "whole number"),
        ("all-but-the-top=٣", "whole number"),
        ("all-but-the-top=0", "at least 1"),
    ],
)
def test_steps_that_are_refused(step, message):
    with pytest.raises(UsageError, match=message):
        process(of(np.eye(4)), [step])


def test_names_are_checked_before_anything_is_done():
    with pytest.raises(UsageError, match="got 'nothing'"):
        process(of(np.eye(1)), ["all-but-the-top=1", "nothing"])
