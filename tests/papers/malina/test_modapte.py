from __future__ import annotations

from pathlib import Path

import pytest

from aboutness.core.errors import UsageError
from aboutness.corpus.read import read
from aboutness.experiment.labels import read_groups
from aboutness.papers.malina2016.modapte import (
    SAME_GROUP,
    SAME_LABEL,
    both_missions,
    groups_of,
    modapte,
    write_folder,
)
from papers.malina.stories import GROUPS, Stories, small_corpus


def test_categories_are_those_of_both_parts(tmp_path: Path) -> None:
    made = Stories()
    made.add("wheat")
    made.add("gold")
    both = made.add("wheat", "gold", split="TEST")
    made.add("crude", split="TEST")
    made.add("wheat", split="NOT-USED")
    made.add("wheat", has="NO")
    made.add("wheat", has="BYPASS", split="TEST")
    none = made.add()
    found = modapte(made.write(tmp_path / "sgml"))
    assert found.categories == {"wheat", "gold"}
    assert found.in_split == 5  # crude and the one without a topic are of the split
    assert {one.id for one in found.documents} == {"1", "2", both}
    assert found.labels[both] == ("wheat", "gold")
    assert (found.single, found.without) == (2, 2)
    assert none not in found.labels


def test_topics_of_one_part_are_no_labels(tmp_path: Path) -> None:
    made = Stories()
    made.add("wheat", "crude")  # crude is in no other story: the only label is wheat
    made.add("wheat", split="TEST")
    found = modapte(made.write(tmp_path / "sgml"))
    assert found.labels == {"1": ("wheat",), "2": ("wheat",)}
    assert found.single == 2


def test_other_folders_are_refused(tmp_path: Path) -> None:
    made = Stories()
    made.add("wheat")
    with pytest.raises(UsageError, match="both parts of ModApte"):
        modapte(made.write(tmp_path / "sgml"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"there are no SGML files of Reuters-21578 here, reut2-000\.sgm"):
        modapte(tmp_path / "empty")


def test_one_ranking_serves_both_missions(tmp_path: Path) -> None:
    small_corpus(tmp_path / "sgml")
    corpus, groups = modapte(tmp_path / "sgml"), read_groups("malina2016")
    folder = write_folder(corpus, tmp_path)
    on = both_missions(folder, groups, queries=30, seed=1)
    assert {one.id for one in read(str(folder))} == set(corpus.labels)
    assert len(on.hidden) == len(on.queries) == 30
    assert on.only is not None
    assert on.only == {one for one, own in corpus.labels.items() if len(own) == 1}
    for query, grades in on.qrels.items():
        assert not grades.keys() & on.hidden
        (label,) = corpus.labels[query]
        for one in on.only - on.hidden:
            (other,) = corpus.labels[one]
            wanted = SAME_LABEL if other == label else SAME_GROUP if groups[other] == groups[label] else None
            assert grades.get(one) == wanted
    names = groups_of(on.qrels, corpus, groups)
    assert all(corpus.labels[query][0] in GROUPS[group] for query, group in names.items())


def test_queries_are_drawn_by_the_seed(tmp_path: Path) -> None:
    small_corpus(tmp_path / "sgml")
    folder = write_folder(modapte(tmp_path / "sgml"), tmp_path)
    groups = read_groups("malina2016")
    one, same, other = (both_missions(folder, groups, queries=20, seed=seed).hidden for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.slow
def test_the_corpus_as_distributed(data_folder: Path) -> None:
    found = modapte(data_folder / "reuters21578_sgml")
    assert (found.in_split, len(found.documents), found.single, len(found.categories)) == (12902, 10789, 9161, 90)
    known = {one.id for one in read(str(data_folder / "reuters21578_apte90"))}
    assert known == set(found.labels)
    assert set(read_groups("malina2016")) >= found.categories
