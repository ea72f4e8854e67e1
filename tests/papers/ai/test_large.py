"""The paper's own collections, as those have them who hold the licence: by ir_datasets, and too large to train on."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.experiment.collection import collection
from aboutness.papers.ai2016.cases import all_opened, papers_own
from aboutness.papers.ai2016.ladder import DR, DRJ, LDA, PAPERS_OWN, QL
from aboutness.papers.paper import Work
from aboutness.report.study import Study, Verdict
from aboutness.vectors.documents import DocumentSpace
from papers.ai.planted import TOPICS, WORDS, small, word, write

pytest.importorskip("tomotopy")
pytest.importorskip("krovetzstemmer")
ROBUST, GOV2 = "disks45/nocr/trec-robust-2004", "gov2/trec-tb-2004"


class Doc(NamedTuple):
    doc_id: str
    text: str


class Topic(NamedTuple):
    query_id: str
    title: str
    description: str


class Rel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Planted:
    """A collection as ir_datasets gives it, whose topics have titles and descriptions."""

    def __init__(self, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.docs = [
            Doc(f"d{i}", " ".join(word(i % TOPICS, int(one)) for one in chance.integers(0, WORDS, 12)))
            for i in range(40)
        ]
        self.queries = [
            Topic(
                f"{i}",
                word(i % TOPICS, i % WORDS),
                " ".join(word(i % TOPICS, (i + more) % WORDS) for more in range(4)),
            )
            for i in range(8)
        ]
        self.qrels = [
            Rel(f"{i}", f"d{j}", 1, "0") for i in range(8) for j in range(40) if i % TOPICS == j % TOPICS
        ]

    def __getattr__(self, name: str) -> object:
        part = getattr(self, name.removeprefix("has_").removesuffix("_iter"))
        return (lambda: bool(part)) if name.startswith("has_") else (lambda: iter(part))


@pytest.fixture
def licensed(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {ROBUST: Planted(1), GOV2: Planted(2)}
    monkeypatch.setitem(sys.modules, "ir_datasets", types.SimpleNamespace(load=sets.__getitem__))


@pytest.fixture
def study(licensed: None) -> Study:
    return small().study(Work(on=(ROBUST, GOV2), cache=False))


def test_both_forms_of_both_collections_stand_beside_the_papers(study: Study) -> None:
    sheets = {one.name: one for one in study.sheets}
    for name in ("Robust04 titles", "Robust04 descriptions", "GOV2 titles", "GOV2 descriptions"):
        values = {(row, column): value for row, column, value in sheets[f"table 1, {name}"].values}
        assert {row for row, _ in values} == set(PAPERS_OWN)
        assert all(value.here is not None for value in values.values())
        assert values[DRJ, "AP"].paper is not None
        assert values[DRJ, "AP"].difference is not None
    gov2 = {(row, column): value for row, column, value in sheets["table 1, GOV2 titles"].values}
    assert gov2["PV-LM", "AP"].paper is None  # which the paper leaves out
    titles, descriptions = (
        dict(zip(sheets["AP by collection"].columns, sheets["AP by collection"].rows[QL], strict=True))[
            f"{ROBUST}, {form}"
        ]
        for form in ("titles", "descriptions")
    )
    assert titles != descriptions


def test_what_needs_two_forms_or_the_web_is_tested(study: Study) -> None:
    verdicts = {one.says: one for one in study.claims}
    forms = verdicts["Gains are larger on titles than on descriptions of the same topics"]
    web = verdicts["On a large Web collection 300 topics hurt, and enhanced paragraph vectors do not"]
    assert forms.verdict != Verdict.UNTESTED
    assert ROBUST in forms.found
    assert web.verdict != Verdict.UNTESTED
    assert f"{GOV2}, titles: QL" in web.found
    assert not any(one.paper.startswith("Robust04") for one in study.replaced)


def test_each_of_the_papers_collections_has_its_own_parameters(
    licensed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, ways = Index.train, []

    def train(self: Index, way: object, **more: object) -> object:
        ways.append(way)
        return real(self, way, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "train", train)
    small().study(Work(on=(GOV2,), cache=False))
    assert {way.eta for way in ways if hasattr(way, "eta")} == {0.2}
    assert len(ways) == 9  # once for both forms
    robust, gov2, other = (small(sample=9).on(name) for name in ("Robust04", "GOV2", ""))
    assert [(one.mu, one.eta, one.sample) for one in (robust, gov2, other)] == [
        (1500, 0.1, 0),  # the paper trains on all of it
        (1500, 0.2, 9),
        (300, 0.1, 9),
    ]


def test_topics_of_several_years_are_one_collection(
    licensed: None,
    tmp_path: Path,
) -> None:
    sets = sys.modules["ir_datasets"].load.__self__
    later = "gov2/trec-tb-2005"
    sets[later] = Planted(2)
    sets[later].queries = [one._replace(query_id=f"9{one.query_id}") for one in sets[later].queries]
    sets[later].qrels = [one._replace(query_id=f"9{one.query_id}") for one in sets[later].qrels]
    whole, robust = all_opened(Work(on=(GOV2, later, ROBUST)), (GOV2, later, ROBUST))
    assert (whole.name, len(whole.judged_queries), len(robust.judged_queries)) == ("GOV2", 16, 8)
    assert len(list(whole.documents())) == 40
    write(tmp_path / "one")
    with pytest.raises(UsageError, match="one is named twice"):
        all_opened(Work(data=tmp_path), ("one", "one"))


def test_a_folder_with_such_a_name_is_not_the_papers(tmp_path: Path) -> None:
    names = ("trec-robust-2004", "gov2")
    for name in names:
        write(tmp_path / name)
    every = all_opened(Work(on=names, data=tmp_path), names)
    assert [one.name for one in every] == [*names]
    assert not any(papers_own(one.source) for one in every)


def test_who_holds_the_licence_is_told_all_names(tmp_path: Path) -> None:
    write(tmp_path / "one")
    study = small("one").study(Work(data=tmp_path, cache=False))
    told = next(one.why for one in study.replaced if one.paper.startswith("Robust04"))
    assert told.count("--on irds:gov2/trec-tb-200") == 3
    assert f"--on irds:{ROBUST} " in told
    assert study.made.parameters["epochs"] == 2
    assert small(epochs=0).parameters["epochs"] == "as many as the text needs"


def test_a_sample_is_trained_on_and_the_others_are_inferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "many", documents=300)
    real, made = Index.train, {}

    def train(self: Index, way: object, **more: object) -> object:
        made[more["name"]] = real(self, way, **more)  # type: ignore[arg-type]
        return made[more["name"]]

    monkeypatch.setattr(Index, "train", train)
    sizes = small("many", sample=100, candidates=300, depth=300, topics=30, iterations=60, epochs=20)
    study = sizes.study(Work(data=tmp_path, cache=False))
    tokens = Index.build(collection(tmp_path / "many").documents(), analyzer="krovetz").view().lengths.sum()
    assert len(made) == 9
    for name, space in made.items():
        assert isinstance(space, DocumentSpace)
        assert len(space) == 300
        assert np.linalg.norm(space.rows, axis=1).all(), name  # no document is without a row
        assert 0.2 * tokens < space.provenance["tokens"] < 0.45 * tokens
    means = {row["row"]: row["here"] for row in study.table if row["table"] == "AP by collection"}
    assert (
        min(means[LDA], means[DR]) > means[QL]
    )  # planted topics are found, also in documents that were not trained on
