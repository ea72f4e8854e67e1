"""Pages of rankers: what they show is true, and can be typed in."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import ClassVar

import pytest
from docsite.figures.drawing import pictures
from docsite.figures.shown import TIMES, example_of, shown_by
from docsite.figures.small_corpus import ABOUT, ELSEWHERE, MENTIONED, PASSAGES, QUERY, UNNAMED, small_index
from docsite.figures.sweep import values_of
from docsite.generated.parameters import training_command
from docsite.generated.rankers import Named, _page, _varied, python_of

import aboutness as ab
from aboutness.app.needed import needs
from aboutness.cli.main import app
from aboutness.core.kinds import Choice, Number, Whole
from aboutness.core.parameters import Parameter
from aboutness.models.bm25 import BM25
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.known import known_rankers
from aboutness.vectors.known import TRAINERS

RANKERS = known_rankers(combinations=True)
FEW = ["bm25", "lsa", "epv-drj-lm", "rm3", "rrf"]


@pytest.fixture(scope="module")
def index():
    return small_index()


@pytest.mark.parametrize("name", RANKERS)
def test_rankers_are_shown_as_they_are_written(index, name):
    example = example_of(index, RANKERS[name])
    for one in (example, _varied(example)):
        assert named_ranker(str(one)) == one
        assert eval(python_of(one), {"ab": ab}) == one


@pytest.mark.parametrize("name", RANKERS)
def test_commands_train_what_is_needed(index, name):
    for kept_as, way in needs([example_of(index, RANKERS[name])]).items():
        program, train, _, kind, *options = shlex.split(training_command(kept_as, way))
        given = {
            key.removeprefix("--").replace("-", "_"): value
            for key, value in zip(options[::2], options[1::2], strict=True)
        }
        assert (program, train) == ("aboutness", "train")
        assert given.pop("name", kind) == kept_as
        assert TRAINERS[kind].from_options(given) == way


def test_the_passages_tell_mentioning_from_being_about(index):
    """Term models go by the word, those on vectors by what stands around it: else the figures would show nothing."""
    words, vectors = (shown_by(index, RANKERS[name]).found for name in ("bm25", "iwcs"))
    assert words[MENTIONED][0] > words[UNNAMED][0] == words[ELSEWHERE][0] == 0
    assert vectors[ABOUT][0] > vectors[UNNAMED][0] > vectors[MENTIONED][0] > vectors[ELSEWHERE][0]


def test_scores_are_those_of_a_search(index):
    shown = shown_by(index, RANKERS["ql"])
    hits = index.search(QUERY, ranker="ql", k=1000, match="all")
    assert {hit.id: hit.score for hit in hits if hit.id in PASSAGES} == {
        name: score for name, (score, _) in shown.found.items()
    }
    assert sum(part.value for part in shown.parts) == pytest.approx(shown.found[ABOUT][0], rel=1e-5)
    assert shown.sweep.parameter.name == "mu"
    at_default = shown.sweep.values.index(RANKERS["ql"]().mu)
    assert shown.sweep.scores[ABOUT][at_default] == shown.found[ABOUT][0]
    assert len(shown.by_count) == len(TIMES)
    assert shown.by_count == sorted(shown.by_count)


def test_pictures_are_the_same_every_time(index):
    other = small_index()
    for name in FEW:
        one, two = (list(pictures(name, shown_by(where, RANKERS[name]))) for where in (index, other))
        assert one == two
        assert len(one) >= 2


@pytest.mark.parametrize(
    ("kind", "default", "least", "most"),
    [
        (Number(0, 1), 0.3, 0, 1),
        (Number(0, 1e9), 1.2, 0.15, 9.6),
        (Number(-100, 100), 0.0, -3, 3),
        (Whole(1, 10_000), 10, 1, 80),
        (Number(0, 1, open=True), 0.5, 0.0833, 1),
    ],
)
def test_values_of_a_parameter_are_allowed_and_hold_the_default(kind, default, least, most):
    values = values_of(Parameter("any", default, kind, "", ""))
    assert (min(values), max(values)) == (least, most)
    assert default in values
    assert list(values) == sorted(set(values))
    assert [kind.check(value) for value in values] == list(values)


def test_of_a_choice_all_are_shown():
    assert list(values_of(Parameter("any", "a", Choice(("a", "b")), "", ""))) == ["a", "b"]


@dataclass(frozen=True)
class Toy(BM25):
    """BM25 by another name, which nobody registered."""

    name: ClassVar[str] = "toy"


def test_a_new_model_has_its_page_without_anything_else(index):
    """Neither its class nor its name is known to anybody, and yet there is all that a page has."""
    page = _page(Named(Toy.name, Toy, shown_by(index, Toy)))
    assert page.path == "models/toy.md"
    assert page.text.startswith("# `toy`\n\nBM25 by another name, which nobody registered.")
    assert "score(q, d) = sum over t of q" in page.text
    assert f"`{Toy.__module__}.Toy`" in page.text
    assert "ranker=ab.ranker('toy[k1=" in page.text
    assert page.text.count("<figure><svg") == 3


def test_commands_of_the_pages_are_commands():
    assert {"train", "search"} <= {one.name for one in app.registered_commands}
