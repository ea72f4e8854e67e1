from __future__ import annotations

import pytest

import aboutness as ab
from aboutness.core.errors import BadRecord, NotFound, UsageError
from aboutness.experiment.labels import by_label, read_groups
from experiment.small import lines

LABELS = ["gold", "gold", "tin", "rice", "rice", "rice", "wheat", "wheat", ["gold", "rice"], [], "tin", "tin"]
GROUPS = {"gold": "metal", "tin": "metal", "rice": "bulk", "wheat": "bulk"}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled") / "news"
    folder.mkdir()
    records = [
        {"_id": f"d{n}", "title": f"Story {n}", "text": "a story", "topics": labels, "year": 1987}
        for n, labels in enumerate(LABELS)
    ]
    (folder / "corpus.jsonl").write_text(lines(records))
    (folder / "queries.jsonl").write_text(lines([{"_id": "gold", "text": "gold"}, {"_id": "tin", "text": "tin"}]))
    judged = "gold\td0\t1\ngold\td1\t1\ngold\td8\t1\ntin\td2\t1\ntin\td8\t1\ntin\td10\t1\ntin\td11\t0\n"
    (folder / "qrels.tsv").write_text(judged)
    return folder


def labels_of(number):
    own = LABELS[int(number.removeprefix("d"))]
    return {own} if isinstance(own, str) else set(own)


def same(made, equal):
    drawn = {query.id for query in made.queries}
    for query in drawn:
        assert set(made.qrels[query]) == {
            f"d{n}" for n in range(len(LABELS)) if f"d{n}" in belongs(made) - drawn and equal(query, f"d{n}")
        }
    assert made.hidden == drawn
    assert made.by_document
    assert set(made.qrels) == drawn


def belongs(made):
    return {f"d{n}" for n in range(len(LABELS))} if made.only is None else set(made.only)


def test_single_labels(labelled):
    made = by_label(labelled, "topics", queries=4)
    assert len(made.queries) == 4
    assert made.only == {f"d{n}" for n, own in enumerate(LABELS) if isinstance(own, str)}
    same(made, lambda one, other: labels_of(one) == labels_of(other))
    assert [one.id for one in made.documents()] == [f"d{n}" for n in (0, 1, 2, 3, 4, 5, 6, 7, 10, 11)]
    assert made.name == "news by topics"
    assert all(query.text.startswith("Story") for query in made.queries)
    assert ab.by_label is by_label


def test_groups_of_labels(labelled, tmp_path):
    (tmp_path / "groups.tsv").write_text("# mine\n" + "".join(f"{one}\t{own}\n" for one, own in GROUPS.items()))
    made = by_label(labelled, "topics", groups=tmp_path / "groups.tsv", queries=5)
    assert made == by_label(labelled, "topics", groups=GROUPS, queries=5)
    same(made, lambda one, other: {GROUPS[x] for x in labels_of(one)} == {GROUPS[x] for x in labels_of(other)})
    assert made.name == "news by topics in groups"
    single = by_label(labelled, "topics", queries=5)
    assert [query.id for query in single.queries] == [query.id for query in made.queries]
    assert sum(map(len, made.qrels.values())) > sum(map(len, single.qrels.values()))


def test_several_labels(labelled):
    made = by_label(labelled, "topics", queries=3, single=False)
    assert made.only is None
    same(made, lambda one, other: bool(labels_of(one) & labels_of(other)))
    drawn = [{query.id for query in by_label(labelled, "topics", queries=3, single=False, seed=n).queries}
             for n in range(20)]  # fmt: skip
    assert any("d8" in some for some in drawn)
    assert not any("d9" in some for some in drawn)  # which has no label


def test_labels_from_judgements(labelled):
    made = by_label(labelled, "qrels", queries=2)
    assert made.only == {"d0", "d1", "d2", "d10"}  # d8 has two, d11 is judged irrelevant
    same(made, lambda one, other: labels_of(one) == labels_of(other))


def test_the_seed_draws(labelled):
    drawn = {
        tuple(query.id for query in by_label(labelled, "topics", queries=3, seed=n).queries) for n in range(8)
    }
    assert len(drawn) > 4
    assert by_label(labelled, "topics", queries=3, seed=5) == by_label(labelled, "topics", queries=3, seed=5)


def test_what_is_refused(labelled, tmp_path):
    with pytest.raises(
        UsageError, match=r"no document has the metadata field 'topic'[.] There are: topics, year, qrels"
    ):
        by_label(labelled, "topic", queries=2)
    with pytest.raises(UsageError, match="10 documents cannot be queries where 10 have labels"):
        by_label(labelled, "topics", queries=10)
    with pytest.raises(UsageError, match="the number of query documents must be a whole number"):
        by_label(labelled, "topics", queries=0)
    with pytest.raises(UsageError, match="the label 'gold' is in no group"):
        by_label(labelled, "topics", groups={"tin": "metal"}, queries=2)
    for text, why in (("gold metal\n", "a label, a tab and its group"), ("a\tb\na\tc\n", "two groups, b and c")):
        (tmp_path / "bad.tsv").write_text(text)
        with pytest.raises(BadRecord, match=rf"bad\.tsv:{text.count(chr(10))}: .*{why}"):
            read_groups(tmp_path / "bad.tsv")
    with pytest.raises(NotFound):
        read_groups(tmp_path / "gone.tsv")


def test_the_groups_of_reuters():
    groups = read_groups("malina2016")
    assert len(groups) == 135
    assert set(groups.values()) == {"economy", "currency", "acq", "earn", "fuel", "metal", "bulk"}
    known = {"interest": "economy", "money-fx": "currency", "crude": "fuel", "tin": "metal", "ship": "bulk"}
    assert {label: groups[label] for label in known} == known
    assert groups["rice"] == groups["grain"] == "bulk"


def test_reuters(data_folder):
    made = by_label(data_folder / "reuters21578_apte90", "qrels", groups="malina2016")
    assert (len(made.queries), len(made.only or ())) == (1000, 9161)
    shared = {id(grades) for grades in made.qrels.values()}
    assert len(shared) == 7
    assert not made.hidden & {one for grades in made.qrels.values() for one in grades}
