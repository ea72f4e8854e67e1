from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.core.errors import NotFound, UsageError
from aboutness.papers import NAMES
from aboutness.papers.known import paper
from aboutness.papers.paper import Step, Work
from aboutness.vectors.trainer import Progress


def test_data_are_found_in_the_folder_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "scifact").mkdir(parents=True)
    monkeypatch.setenv("ABOUTNESS_DATA", str(tmp_path / "here"))
    monkeypatch.delenv("ABOUTNESS_VECTORS", raising=False)
    assert Work().collection("scifact") == str(tmp_path / "here" / "scifact")
    with pytest.raises(NotFound, match="there is no cisi in this folder, which --data or ABOUTNESS_DATA names"):
        Work().collection("cisi")
    with pytest.raises(NotFound, match=r"x\.bin is needed: say in which folder word vectors are"):
        Work().vector_file("x.bin")
    with pytest.raises(NotFound, match="other"):
        Work(data=tmp_path / "other").collection("scifact")  # what is said goes before the environment


def test_training_is_told_with_what_is_left() -> None:
    told: list[Step] = []
    work = Work(tell=told.append)
    work.trained("ketos", Progress(50, 200, 10.0))
    work.trained("ketos", Progress(0, 200, 0.0))
    assert told == [Step("training ketos", 0.25, 15.0), Step("training ketos", 0.0, None)]


def test_what_was_kept_from_before_is_counted() -> None:
    work = Work()
    work.count("runs", 0, 3)
    assert work.earlier == ""
    work.count("runs", 2, 4)
    work.count("trainings", 1, 1)
    assert work.earlier == ", with 2 of 7 runs and 1 of 1 trainings from before"


def test_runs_that_were_kept_are_counted(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "corpus.jsonl").write_text('{"_id": "d", "text": "a story"}\n')
    (tmp_path / "c" / "queries.jsonl").write_text('{"_id": "q", "text": "story"}\n')
    (tmp_path / "c" / "qrels.tsv").write_text("q\td\t1\n")
    work = Work(cache=tmp_path / "kept", threads=1)
    for rankers in (["bm25"], ["bm25", "tfidf"]):
        work.experiment(name="x", collections=[str(tmp_path / "c")], rankers=rankers, measures=["AP"])
    assert work.counts == {"runs": (1, 3)}


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_is_known_by_its_name(name: str) -> None:
    one = paper(name)
    assert one.name == name
    assert one.reference


def test_an_unknown_paper_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="unknown paper 'galke2018'; these can be reproduced: galke2017, ai2016"):
        paper("galke2018")
