"""Language models on paragraph vectors: which training each reads, new documents, and that they find more."""

from __future__ import annotations

import numpy as np
import pytest

import aboutness as ab
from aboutness.core.errors import NotFound, UsageError
from aboutness.experiment.collection import collection
from aboutness.experiment.compare import compare_on
from aboutness.models.model import MODELS
from aboutness.models.pv_lm import EPVDLM, EPVDRJLM, EPVDRLM, PVLM
from aboutness.models.ql import QL
from aboutness.models.question import Question
from aboutness.models.trained import texts_of
from aboutness.vectors.kept import space_of
from aboutness.vectors.normalisers import log_normalisers
from aboutness.vectors.pv import EPV, PV
from models.drawing import named
from models.embeddings import scored
from models.test_trained import BODIES, SMALL, built
from vectors.test_pv import changed

LADDER = [PVLM, EPVDLM, EPVDRLM, EPVDRJLM]
every_model = pytest.mark.parametrize("model", LADDER, ids=lambda model: model.name)
OFF = {"by_documents": "off", "gamma": 0, "joint": 0}
FITTING = {
    "pv": PV(**SMALL),
    "other-pv": PV(**SMALL, power=0.5, seed=3),
    "epv-none": EPV(**SMALL, **OFF),
    "dm": PV(**SMALL, architecture="dm"),
    "d": EPV(**SMALL, gamma=0, joint=0),
    "d-eta": EPV(**SMALL, gamma=0, joint=0, eta=0.5),
    "r": EPV(**SMALL, by_documents="off", joint=0),
    "j": EPV(**SMALL, by_documents="off", gamma=0),
    "dr": EPV(**SMALL, joint=0),
    "dr-gamma": EPV(**SMALL, joint=0, gamma=100),
    "dj": EPV(**SMALL, gamma=0),
    "rj": EPV(**SMALL, by_documents="off"),
    "drj": EPV(**SMALL),
    "drj-joint": EPV(**SMALL, joint=1),
}


# --- which training ---------------------------------------------------------------------------------------------


def test_the_ladder():
    """Each adds a change to the one before, and is kept by a name of its own."""
    wanted = {model.name: model().wanted() for model in LADDER}
    assert wanted == {
        "pv-lm": ("pv", PV()),
        "epv-d-lm": ("epv-d", EPV(gamma=0, joint=0)),
        "epv-dr-lm": ("epv-dr", EPV(joint=0)),
        "epv-drj-lm": ("epv", EPV()),
    }
    switches = [model.trained.objective.switches for model in LADDER]
    assert switches == [
        (False, False, False, False),
        (True, False, False, False),
        (True, True, False, False),
        (True, True, True, False),
    ]
    assert all(MODELS[model.name] is model for model in LADDER)
    assert {(model().lam, model().mu) for model in LADDER} == {(PVLM().lam, QL().mu)}


@pytest.fixture(scope="module")
def ways():
    """An index with one training of each kind."""
    index = built()
    for name, way in FITTING.items():
        index.train(way, name=name, threads=1)
    return index


@pytest.mark.parametrize(
    ("model", "fitting"),
    [
        (PVLM, ["pv", "other-pv", "epv-none"]),
        (EPVDLM, ["d", "d-eta"]),
        (EPVDRLM, ["dr", "dr-gamma"]),
        (EPVDRJLM, ["drj", "drj-joint"]),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_what_fits_is_what_has_the_same_switches(ways, model, fitting):
    """Whatever its other parameters are; what has others is refused, so that no table has a false label."""
    trained = ways.snapshot.trained
    assert [name for name, entry in trained.entries.items() if model().fits(entry.parameters)] == fitting
    if model().wanted()[0] in fitting:
        assert model().entry(trained).name == model().wanted()[0]
    else:
        with pytest.raises(UsageError, match=f"trainings for {model.name}; name one: {', '.join(fitting)}"):
            model().entry(trained)
    for name in FITTING:
        if name in fitting:
            assert model(vectors=name).entry(trained).name == name
        else:
            with pytest.raises(UsageError, match=f"'{name}' was trained by '.*', and {model.name} needs"):
                model(vectors=name).bind(ways.snapshot)


def test_other_trainings_do_not_fit():
    index = built()
    index.train("lsa", dim=2, min_count=1)
    index.train("edges", dim=4, epochs=2, min_count=1, threads=1)
    for model in LADDER:
        assert model().needs(index.snapshot.trained) == [model().wanted()]
        with pytest.raises(NotFound, match=f"{model.name} needs documents to be trained on"):
            model().bind(index.snapshot)
        for name in ("lsa", "edges"):
            with pytest.raises(UsageError, match=f"'{name}' was trained by '{name}', and {model.name} needs"):
                model(vectors=name).bind(index.snapshot)


# --- documents that come and go ---------------------------------------------------------------------------------


def naive(index, name, model, text):
    """Scores by the softmax as it is written: of trained rows, and of rows inferred for what came later."""
    view, space = model.view(index.snapshot), space_of(index.snapshot.trained, name)
    kept = dict(zip(space.arrivals.tolist(), space.rows, strict=True))
    inferred = dict(
        zip(view.arrivals[view.alive].tolist(), space.infer(texts_of(view, view.alive, space)), strict=True)
    )
    out, statistics = space.words.space("out").astype(np.float64), view.statistics
    expected = []
    for number in index.snapshot.live_numbers().tolist():
        row = kept.get(int(view.arrivals[number]), inferred[int(view.arrivals[number])]).astype(np.float64)
        shares = np.exp(out @ row) / np.exp(out @ row).sum()
        terms, counts = view.forward(number)
        inside = dict(zip(terms.tolist(), view.weigh(counts).tolist(), strict=True))
        total = 0.0
        for word in text.split():
            ((term, df),) = view.look_up([word])
            if not df:
                continue
            chance = statistics.cf[term] / statistics.total_length
            seen = (inside.get(term, 0.0) + model.mu * chance) / (view.lengths[number] + model.mu)
            (place,) = space.words.numbers([word])
            trained = shares[place] if place >= 0 else 0.0
            total += np.log((1 - model.lam) * seen + model.lam * trained)
        expected.append(total)
    return expected


@every_model
def test_documents_that_are_added_updated_and_deleted(model):
    """New ones are folded in and normalised; words that came with them are known to the documents alone."""
    index = built()
    name, way = model().wanted()
    index.train(changed(way, **SMALL), name=name, threads=1)
    text, asked = "aa dd newer ee", model(lam=0.4, mu=10)
    assert scored(asked, index.snapshot, text) == pytest.approx(naive(index, name, asked, text), rel=1e-5)
    index.add(named([{"text": "dd aa newer", "title": "bb"}, {"text": "newer"}, {"text": ""}], "new"))
    assert scored(asked, index.snapshot, text) == pytest.approx(naive(index, name, asked, text), rel=1e-5)
    index.delete(["d0"])
    index.add([{"id": "d5", "title": "cc", "text": "ee"}], update=True)
    assert scored(asked, index.snapshot, text) == pytest.approx(naive(index, name, asked, text), rel=1e-5)
    before = dict(zip(index.snapshot.ids(), scored(asked, index.snapshot, text), strict=True))
    index.merge()
    assert dict(zip(index.snapshot.ids(), scored(asked, index.snapshot, text), strict=True)) == before
    scorer = asked.bind(index.snapshot)
    expected = log_normalisers(scorer.space.rows, scorer.space.words.space("out"))
    np.testing.assert_array_equal(scorer.normalisers, expected)


def test_the_same_text_scores_the_same_wherever_it_stands():
    chance = np.random.default_rng(0)
    words = [f"w{number}" for number in range(2500)]
    texts = [" ".join(chance.choice(words, 40)) for _ in range(120)]
    index = ab.Index.build([{"id": str(n), "text": text} for n, text in enumerate(texts)], analyzer="plain")
    index.train("pv", dim=100, min_count=1, epochs=30, threads=1)
    copies = [(text, again) for text in range(6) for again in range(100)]
    index.add([{"id": f"new {text} {again}", "text": texts[text]} for text, again in copies])
    for hits in index.search_many([text[:60] for text in texts[:30]], 1000, "pv-lm[lam=1]", match="all"):
        new = [hit for hit in hits if hit.id.startswith("new")]
        assert len({(hit.id.split()[1], hit.score) for hit in new}) == 6
        assert [hit.id for hit in new] == [hit.id for hit in sorted(new, key=lambda hit: (-hit.score, hit.number))]


def test_an_index_that_is_closed_and_opened_ranks_alike(tmp_path):
    index = built(tmp_path / "x.index")
    index.train(EPV(**SMALL), threads=1)
    index.add(named([{"text": "dd aa"}], "new"))
    found = [(hit.id, hit.score) for hit in index.search("dd aa", ranker="epv-drj-lm[lam=0.5]", match="all")]
    del index
    opened = ab.Index.open(tmp_path / "x.index", verify=True)
    again = [(hit.id, hit.score) for hit in opened.search("dd aa", ranker="epv-drj-lm[lam=0.5]", match="all")]
    assert again == found
    assert len(found) == len(BODIES) + 1


# --- finding ----------------------------------------------------------------------------------------------------


@every_model
def test_documents_are_found_by_what_they_do_not_say(model):
    """Of documents that have a word of the question as often, those about its other words come first."""
    sky = ["sun moon star", "star sun comet", "moon comet sun"]
    sea = ["ship sea wave", "wave ship sail", "sea sail ship"]
    texts = [*sky * 5, *sea * 5, "telescope moon star comet", "telescope sea wave sail"]
    index = ab.Index.build([{"id": str(i), "text": text} for i, text in enumerate(texts)], analyzer="plain")
    name, way = model().wanted()
    pull = {"gamma": 1} if way.objective.gamma else {}  # documents of three words are pulled enough
    index.train(changed(way, dim=8, epochs=60, min_count=1, **pull), name=name, threads=1)
    order = [hit.id for hit in index.search("telescope sun", ranker=model(lam=0.7), match="all", k=40)]
    assert order.index("30") < order.index("31")
    found = [hit.id for hit in index.search("star", ranker=model(lam=1), match="all", k=16)]
    assert sum(int(one) < 15 or one == "30" for one in found) >= 14


def test_it_ranks_better_than_ql(data_folder):
    """Cranfield, with less training than by default."""
    if not (data_folder / "cranfield").is_dir():
        pytest.skip("cranfield is not there")
    cranfield = collection(data_folder / "cranfield")
    index = ab.Index.build(cranfield.documents(), analyzer="english")
    index.train("epv", dim=50, epochs=20, rate=0.1, threads=1)
    ql, best = compare_on(index.snapshot, cranfield, [QL(), EPVDRJLM()], "AP").rows
    assert best.evaluation.mean["AP"] > 1.04 * ql.evaluation.mean["AP"]


def test_questions_of_all_forms():
    index = built()
    index.train(EPV(**SMALL), threads=1)
    scorer = EPVDRJLM().bind(index.snapshot)
    by_text = scorer.scores(Question("aa aa cc"), index.snapshot.live_numbers())
    by_terms = scorer.scores(Question(terms={"aa": 2.0, "cc": 1.0}), index.snapshot.live_numbers())
    by_fields = scorer.scores(Question(fields={"text": "aa cc", "title": "aa"}), index.snapshot.live_numbers())
    np.testing.assert_allclose(by_terms, by_text, rtol=1e-6)
    np.testing.assert_allclose(by_fields, by_text, rtol=1e-6)
    as_document = scorer.top(Question(document=1), match="all")
    assert as_document.documents[0] == 1
