"""The whole study, small, on planted topics."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import NotFound, UsageError
from aboutness.papers.ai2016 import measuring, protocol
from aboutness.papers.ai2016.ladder import DR, DRJ, LDA, OTHERS, PAPERS_OWN, QL, QL_TUNED
from aboutness.papers.paper import Step, Work
from aboutness.report.study import Study, Verdict
from papers.ai.planted import small, write

pytest.importorskip("tomotopy")
pytest.importorskip("krovetzstemmer")
MODELS = (*PAPERS_OWN, *OTHERS)
TRAINED = len(MODELS) - 2  # all but query likelihood


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write(folder / "first")
    write(folder / "second", documents=40, seed=2)
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def study(data: Path, cache: Path) -> Study:
    return small("first", "second").study(Work(data=data, cache=cache, full=True))


def numbers(study: Study) -> list[dict[str, object]]:
    return [row for row in study.table if row["table"] != "seconds of training"]


def sheet(study: Study, name: str) -> dict[str, dict[str, float | None]]:
    (found,) = [one for one in study.sheets if one.name == name]
    rows: dict[str, dict[str, float | None]] = {}
    for row, column, value in found.values:
        rows.setdefault(row, {})[column] = value.here
    return rows


def test_all_that_the_paper_has_is_there(study: Study) -> None:
    means, first = sheet(study, "AP by collection"), sheet(study, "table 1, mean over collections")
    assert tuple(means) == MODELS
    assert tuple(first) == PAPERS_OWN
    for model in PAPERS_OWN:
        assert (
            first[model]["AP"]
            == means[model]["mean"]
            == pytest.approx(sum(float(means[model][one] or 0) for one in ("first", "second")) / 2)
        )
    assert {one.verdict for one in study.claims} >= {Verdict.UNTESTED}
    assert study.made.data["second"]["documents"] == 40
    assert [one.name for one in study.sheets if one.tolerance is None] == ["seconds of training"]


def test_with_lambda_0_every_model_is_query_likelihood(study: Study) -> None:
    means = sheet(study, "AP by lambda")
    for model, by_lambda in means.items():
        assert by_lambda["0"] == pytest.approx(sheet(study, "AP by collection")[QL]["mean"]), model
        assert len(set(by_lambda.values())) == 3, model
    assert len(means) == TRAINED


def test_the_grids_have_the_models_of_the_ladder_among_them(study: Study) -> None:
    ladder = sheet(study, "AP by collection")
    for parameter, usual in (("gamma", "gamma 10"), ("eta", "eta 0.1")):
        found = sheet(study, parameter)
        assert len(found) == 2
        for model in (DR, DRJ):
            assert found[usual][model] == ladder[model]["mean"]
    assert sum(one.says.startswith("gamma 10 and eta 0.1") for one in study.claims) == 1


def test_query_likelihood_is_the_best_of_its_own_parameter(study: Study) -> None:
    tuned, by_mu = sheet(study, "AP by collection")[QL_TUNED], sheet(study, "QL by mu")
    for name in ("first", "second"):
        assert by_mu[name]["300"] == pytest.approx(sheet(study, "AP by collection")[QL][name])
        assert tuned[name] <= max(by_mu[name].values()) + 1e-12


def test_what_is_kept_is_not_done_again(
    study: Study, data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_args: object, **_more: object) -> None:
        raise AssertionError("it was kept")

    monkeypatch.setattr(Index, "train", never)
    monkeypatch.setattr(measuring, "cross_validate", never)
    again = small("first", "second").study(Work(data=data, cache=cache, full=True))
    assert numbers(again) == numbers(study)
    assert again.claims == study.claims
    assert not list((cache / "indexes").glob("*/kept.index"))  # removed when all was done


def test_neither_threads_nor_a_cache_change_a_number(study: Study, data: Path) -> None:
    told: list[Step] = []
    again = small("first", "second").study(Work(data=data, cache=False, threads=1, tell=told.append))
    usual = [row for row in numbers(study) if row["table"] not in ("gamma", "eta")]
    assert numbers(again) == usual
    assert again.claims == study.claims[:-1]
    parts = [one.part for one in told if one.part is not None]
    assert all(0 <= part <= 1 for part in parts)
    assert {one.what for one in told} >= {f"second: {DRJ}", f"first: {LDA}"}


def test_an_interrupted_study_goes_on_with_what_was_trained(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, trained = Index.train, []

    def train(self: Index, *args: object, **more: object) -> object:
        if len(trained) == 4 and "stopped" not in trained:
            trained.append("stopped")
            raise KeyboardInterrupt
        trained.append(more["name"])
        return real(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Index, "train", train)
    work = Work(data=data, cache=tmp_path, threads=1)
    with pytest.raises(KeyboardInterrupt):
        small("first").study(work)
    small("first").study(work)
    done = [one for one in trained if one != "stopped"]
    assert len(done) == len(set(done)) == TRAINED


def test_what_goes_wrong_in_one_collection_ends_the_others(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = measuring.OnCollection._train

    def train(self: measuring.OnCollection, rung: measuring.Rung) -> float | None:
        if self.whole.name == "second" and rung.name == DR:
            raise UsageError("no room")
        return real(self, rung)

    monkeypatch.setattr(measuring.OnCollection, "_train", train)
    with pytest.raises(UsageError, match="no room"):
        small("first", "second").study(Work(data=data, cache=False, threads=2))


def test_only_candidates_are_ranked_and_no_more_than_the_depth(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {}
    real = measuring.cross_validate

    def validated(*args: object, **more: object) -> object:
        found = real(*args, **more)  # type: ignore[arg-type]
        seen[str(found.ranker)] = found
        return found

    monkeypatch.setattr(measuring, "cross_validate", validated)
    small("first", candidates=15, depth=10).study(Work(data=data, cache=False))
    assert len(seen) == len(MODELS) - 1  # both of query likelihood are one ranker
    snapshot = Index.build(protocol.opened(Work(data=data), "first").documents(), analyzer="krovetz")
    for ranker, found in seen.items():
        assert ranker.startswith("ql % 15 >> ")
        for query in protocol.opened(Work(data=data), "first").queries:
            best = {hit.id for hit in snapshot.search(query.text, 15, "ql[mu=300]")}
            ranked = [one for one, _ in found.run[query.id]]
            assert len(ranked) == min(10, len(best))
            assert best.issuperset(ranked)


def test_what_is_to_be_installed_is_said_at_once(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work(data=data, cache=False)
    with monkeypatch.context() as without:
        without.setattr(protocol, "find_spec", lambda _name: None)
        with pytest.raises(UsageError, match=r"pip install 'aboutness\[krovetz,topics\]'"):
            small("first").study(work)
    monkeypatch.setitem(sys.modules, "krovetzstemmer", None)
    with pytest.raises(UsageError, match=r"pip install 'aboutness\[krovetz\]'"):
        small("first").study(work)


def test_a_collection_that_is_not_there_is_named(data: Path) -> None:
    with pytest.raises(NotFound, match="there is no third in this folder"):
        small("third").study(Work(data=data, cache=False))


def test_all_figures_can_be_drawn(study: Study) -> None:
    pytest.importorskip("matplotlib")
    names = [one.name for one in study.drawings]
    assert names == ["gains", "by-query", "by-query-topics", "lambda", "growth", "grids"]
    for one in study.drawings:
        assert one.draw().axes
