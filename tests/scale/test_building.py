from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import aboutness
from aboutness.app.index import Index
from aboutness.app.sharded import build_sharded
from aboutness.app.sources import Sources
from aboutness.core.errors import BadInput, BadRecord, IndexBusy, StorageError, UsageError
from aboutness.index.check import check
from aboutness.scale.workplace import PASSING, Workplace
from scale.building_by_hand import WORDS, differences, rejects_of, write_lines

FORMS = ["one file", "many files", "packed", "table", "text files"]


def records(count: int) -> list[dict]:
    """Documents with two fields, of which one comes late, and with metadata of several kinds."""
    chance = np.random.default_rng(7)
    made = []
    for i in range(count):
        some = [WORDS[int(w)] for w in np.minimum(chance.zipf(1.3, 12) - 1, len(WORDS) - 1)]
        one = {"_id": f"d{i}", "text": " ".join(some), "year": 1900 + i % 7, "tags": [WORDS[i % 5], "é"]}
        if i > count // 2:
            one = {"title": f"{WORDS[i % len(WORDS)]} new{i}", **one}
        made.append(one)
    return made


def written(folder, form, made):
    """Write records in one of several forms; return the source."""
    folder.mkdir()
    if form == "one file":
        return write_lines(folder / "all.jsonl", made)
    if form == "packed":
        return write_lines(folder / "all.jsonl.gz", made)
    if form == "many files":
        for i in range(0, len(made), 7):
            write_lines(folder / f"part{i:05d}.jsonl", made[i : i + 7])
    elif form == "table":
        rows = [
            "id,title,text,year",
            *(f'{r["_id"]},{r.get("title", "")},"{r["text"]}",{r["year"]}' for r in made),
        ]
        (folder / "all.csv").write_text("\n".join(rows) + "\n")
    else:
        for i, one in enumerate(made):
            (folder / f"{i:04d}.txt").write_text(one["text"])
    return folder


@pytest.mark.parametrize(("form", "shards"), [("one file", 1), *((form, 4) for form in FORMS)])
def test_a_sharded_build_is_the_build_of_the_same_sources(tmp_path, form, shards):
    source = written(tmp_path / "in", form, records(90))
    sources = Sources([str(source)])
    whole = Index.build(sources.documents(), tmp_path / "whole.index", layers={"letters": "plain[letters=3]"})
    parts = build_sharded(sources, tmp_path / "parts.index", shards, layers={"letters": "plain[letters=3]"})
    assert differences(whole, parts) == []
    assert check(tmp_path / "parts.index", deep=True).problems == []
    assert len(parts.snapshot.segments) == shards
    assert parts.added.added == 90
    sizes = [len(segment) for segment in parts.snapshot.segments]
    assert max(sizes) < 3 * min(sizes)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "parts.index", "whole.index"]


def test_several_sources_keep_their_order(tmp_path):
    made = records(60)
    names = [
        str(written(tmp_path / form, form, made[i : i + 20])) for i, form in zip((0, 20, 40), FORMS, strict=False)
    ]
    sources = Sources([names[1], names[0], names[2]])
    whole = Index.build(sources.documents(), tmp_path / "whole.index")
    assert differences(whole, build_sharded(sources, tmp_path / "parts.index", 5)) == []


def test_fields_that_come_late_or_in_another_order(tmp_path):
    made = [{"_id": f"a{i}", "text": f"first text {i}"} for i in range(10)]
    made += [{"_id": f"b{i}", "body": f"a body {i}", "title": f"first title {i}"} for i in range(10)]
    made += [
        {"_id": f"c{i}", "title": f"title {i}", "abstract": f"short {i}", "text": "words first"} for i in range(10)
    ]
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", made))])
    for weights in ({}, {"abstract": 2.0}, {"title": 3.0, "text": 1.0}):
        whole = Index.build(sources.documents(), tmp_path / "w.index", weights=weights, overwrite=True)
        parts = build_sharded(sources, tmp_path / "p.index", 3, weights=weights, overwrite=True)
        assert differences(whole, parts) == []
        assert [segment.fields for segment in parts.snapshot.segments][-1] == len(parts.snapshot.fields)


def test_a_weight_for_a_field_that_no_document_has(tmp_path):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(9)))])
    with pytest.raises(UsageError, match=r"weight for field 'body', but no document has it"):
        build_sharded(sources, tmp_path / "parts.index", 2, weights={"body": 2.0})
    assert not (tmp_path / "parts.index").exists()


def bad_lines(tmp_path):
    made = [json.dumps(one) for one in records(40)]
    made[11] = "{broken"
    made[23] = json.dumps({"_id": "d2", "text": "the id of a document in the first shard"})
    made[24] = json.dumps({"_id": "d22", "text": "the id of a document just before"})
    made[37] = json.dumps({"_id": "", "text": "no id"})
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(made) + "\n")
    return path


def test_bad_records_and_ids_of_other_shards_are_set_aside(tmp_path):
    sources = Sources([str(bad_lines(tmp_path))])
    bad_whole, bad_parts = [], []
    whole = Index.build(sources.documents(bad_whole.append), tmp_path / "whole.index", on_bad=bad_whole.append)
    parts = build_sharded(sources, tmp_path / "parts.index", 4, on_bad=bad_parts.append)
    assert differences(whole, parts) == []
    assert len(bad_whole) == 4
    assert rejects_of(bad_whole) == rejects_of(bad_parts)
    assert sorted(error.origin.line for error in bad_parts) == [12, 24, 25, 38]


@pytest.mark.parametrize(("line", "text"), [(11, "{broken"), (23, '{"_id": "d2", "text": "again"}')])
def test_a_bad_record_stops_a_build(tmp_path, line, text):
    made = [json.dumps(one) for one in records(40)]
    made[line] = text
    (tmp_path / "all.jsonl").write_text("\n".join(made) + "\n")
    with pytest.raises(BadRecord) as caught:
        build_sharded(Sources([str(tmp_path / "all.jsonl")]), tmp_path / "parts.index", 4)
    assert caught.value.origin == (str(tmp_path / "all.jsonl"), line + 1)
    assert not (tmp_path / "parts.index").exists()


def test_an_index_that_is_there(tmp_path):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(20)))])
    build_sharded(sources, tmp_path / "parts.index", 2)
    with pytest.raises(UsageError, match="overwrite"):
        build_sharded(sources, tmp_path / "parts.index", 2)
    again = build_sharded(sources, tmp_path / "parts.index", 4, overwrite=True)
    assert len(again.snapshot.segments) == 4
    assert again.snapshot.arrivals.tolist() == list(range(20, 40))  # a place is never given twice
    assert check(tmp_path / "parts.index", deep=True).problems == []


def test_shards_stay_when_documents_come_and_go(tmp_path):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(40)))])
    parts = build_sharded(sources, tmp_path / "parts.index", 4)
    for i in range(5):
        parts.add([{"id": f"x{i}", "text": "one more"}])
    assert [s.name.startswith("shard-") for s in parts.snapshot.segments].count(True) == 4
    assert len(parts.snapshot.segments) < 4 + 5
    before = len(parts.snapshot.segments[0])
    parts.delete([f"d{i}" for i in range(8)])  # most of the first shard: it is written anew
    assert [s.name.startswith("shard-") for s in parts.snapshot.segments].count(True) == 4
    assert len(parts.snapshot.segments[0]) == before - 8
    parts.merge()
    assert len(parts.snapshot.segments) == 1


def test_fewer_documents_than_shards_and_none_at_all(tmp_path):
    few = build_sharded(Sources([str(write_lines(tmp_path / "few.jsonl", records(2)))]), tmp_path / "few.index", 5)
    assert len(few) == 2
    empty = tmp_path / "none.jsonl"
    empty.write_text("")
    assert len(build_sharded(Sources([str(empty)]), tmp_path / "none.index", 5)) == 0


@pytest.mark.parametrize("count", [0, -1, 10_001])
def test_how_many_shards_there_may_be(tmp_path, count):
    with pytest.raises(UsageError, match="the number of shards must be from 1 to 10,000"):
        build_sharded(Sources(["stdlib"]), tmp_path / "parts.index", count)


def test_a_shard_larger_than_a_segment_may_be_has_several(tmp_path, monkeypatch):
    monkeypatch.setattr("aboutness.index.builder.LARGEST_TEXT", 2_000)
    monkeypatch.setattr("aboutness.index.merge.LARGEST_MERGED", 1)
    monkeypatch.setattr("aboutness.index.intake.FIRST_BATCH", 8)
    monkeypatch.setattr("aboutness.index.intake.BATCH_DOCUMENTS", 8)
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(200)))])
    parts = build_sharded(sources, tmp_path / "parts.index", 2)
    monkeypatch.undo()
    whole = Index.build(sources.documents(), tmp_path / "whole.index")
    assert len(parts.snapshot.segments) > 4
    assert differences(whole, parts) == []


# --- going on after something went wrong ---------------------------------------------------------------------


def made_by(index) -> set[str]:
    """The finished pieces of work of a build that has not reached its target, with what tells them from others."""
    place = index.parent / f".{index.name}.building"
    found = [p for p in place.iterdir() if PASSING not in p.name and (p / "record.json").exists()]
    return {(p.name, p.stat().st_ino, (p / "record.json").stat().st_mtime_ns) for p in found}


class Stop:
    """Told of progress, it raises after some steps, and counts."""

    def __init__(self, after: int, error: BaseException) -> None:
        self.after, self.error, self.told = after, error, []

    def __call__(self, told) -> None:
        self.told.append(told)
        if told.done == self.after:
            raise self.error


@pytest.mark.parametrize("after", [1, 4, 7])
def test_a_build_goes_on_where_it_was_interrupted(tmp_path, after):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(60)))])
    target = tmp_path / "parts.index"
    with pytest.raises(KeyboardInterrupt, match="what is finished is kept: run the same command again"):
        build_sharded(sources, target, 4, tell=Stop(after, KeyboardInterrupt()))
    finished = made_by(target)
    assert len(finished) == after
    seen = []

    def look(told) -> None:
        seen.append(made_by(target))

    parts = build_sharded(sources, target, 4, tell=look)
    assert finished <= seen[-1]
    assert len(seen[-1]) == 8  # 4 drafts and 4 finals, among which those that were there
    whole = Index.build(sources.documents(), tmp_path / "whole.index")
    assert differences(whole, parts) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.jsonl", "parts.index", "whole.index"]


def test_other_sources_or_options_are_done_anew(tmp_path):
    path = write_lines(tmp_path / "all.jsonl", records(60))
    target = tmp_path / "parts.index"
    with pytest.raises(KeyboardInterrupt):
        build_sharded(Sources([str(path)]), target, 4, tell=Stop(6, KeyboardInterrupt()))
    before = made_by(target)
    changed = [{**one, "text": one["text"].replace("sun", "sea")} for one in records(60)]
    write_lines(path, changed)  # as long as before
    seen = []
    parts = build_sharded(
        Sources([str(path)]), target, 4, analyzer="plain", tell=lambda _: seen.append(made_by(target))
    )
    assert not before & seen[-1]
    assert len(seen[-1]) == 8  # what was made for other sources is gone
    assert parts.snapshot.document(0).fields["text"] == changed[0]["text"]


@pytest.mark.parametrize("form", ["one file", "many files", "text files"])
def test_sources_that_change_meanwhile_are_noticed(tmp_path, form):
    """Else shards would be parts of different sources: some documents twice, others not at all."""
    source = written(tmp_path / "sources", form, records(60))
    target, change = tmp_path / "parts.index", [True]

    def tell(told) -> None:
        if change and told.done == 1:
            change.clear()
            files = [source] if source.is_file() else sorted(source.iterdir())
            files[-1].write_bytes(files[-1].read_bytes() + b"\n")

    with pytest.raises(BadInput, match=r"was changed while it was read.*run the same command again"):
        build_sharded(Sources([str(source)]), target, 4, tell=tell)
    parts = build_sharded(Sources([str(source)]), target, 4)
    assert differences(Index.build(Sources([str(source)]).documents(), tmp_path / "whole.index"), parts) == []


def test_a_finished_shard_that_was_damaged_is_made_again(tmp_path):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(60)))])
    target = tmp_path / "parts.index"
    with pytest.raises(KeyboardInterrupt):
        build_sharded(sources, target, 4, tell=Stop(6, KeyboardInterrupt()))
    for number, path in enumerate(sorted((tmp_path / ".parts.index.building").rglob("*.safetensors"))):
        if number % 5 == 0:
            path.write_bytes(path.read_bytes()[:-1] + b"\xee")
    parts = build_sharded(sources, target, 4)
    assert check(target, deep=True).problems == []
    assert differences(Index.build(sources.documents(), tmp_path / "whole.index"), parts) == []


def test_a_full_disk(tmp_path, monkeypatch):
    """The error is that of any full disk; the next run goes on, and nothing is left over."""
    from aboutness.index import disk

    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(60)))])
    target = tmp_path / "parts.index"
    count, write = 0, disk._write_all

    def failing(descriptor, piece) -> None:
        nonlocal count
        count += 1
        if count == 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(descriptor, piece)

    monkeypatch.setattr(disk, "_write_all", failing)
    with pytest.raises(StorageError, match="the disk is full; free some space and run the command again"):
        build_sharded(sources, target, 4)
    assert not list(tmp_path.glob("**/*passing*"))
    assert 0 < len(made_by(target)) < 8
    parts = build_sharded(sources, target, 4)
    assert len(parts) == 60
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.jsonl", "parts.index"]


def test_two_builds_of_one_index_at_a_time(tmp_path):
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(20)))])
    with Workplace(tmp_path / "parts.index"), pytest.raises(IndexBusy, match="is writing to"):
        build_sharded(sources, tmp_path / "parts.index", 2)


# --- on a cluster --------------------------------------------------------------------------------------------


def test_a_build_on_a_cluster_that_loses_a_node(cluster, tmp_path):
    """Whoever is killed, nothing that was finished is done again, and the index is the same."""
    sources = Sources([str(write_lines(tmp_path / "all.jsonl", records(300)))])
    target = tmp_path / "parts.index"
    seen = []

    def kill(told) -> None:
        seen.append(made_by(target))
        if told.done == 2:
            cluster.kill(2)

    parts = build_sharded(sources, target, 6, ray=cluster.address, tell=kill)
    assert all(earlier <= later for earlier, later in pairwise(seen))
    assert len(seen[-1]) == 12
    assert differences(Index.build(sources.documents(), tmp_path / "whole.index"), parts) == []


def test_a_killed_command_goes_on(cluster, tmp_path):
    """The process that drives the build is killed; the same command goes on."""
    write_lines(tmp_path / "all.jsonl", records(300))
    command = [sys.executable, "-m", "aboutness", "index", "all.jsonl", "-o", "parts.index", "--shards", "6"]
    command += ["--ray", cluster.address, "--json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(aboutness.__file__).parents[1])}
    first = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    for line in first.stderr:
        if line.startswith("Indexing: 2 of 12"):
            break
    first.kill()
    first.communicate()
    finished = made_by(tmp_path / "parts.index")
    assert len(finished) >= 2
    again = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["documents"] == 300
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.jsonl", "parts.index"]
    assert check(tmp_path / "parts.index", deep=True).problems == []


def test_documents_by_chance_can_be_built_in_shards(tmp_path):
    parts = build_sharded(Sources(["synthetic:300"]), tmp_path / "parts.index", 3)
    whole = Index.build(Sources(["synthetic:300"]).documents())
    assert [(one.id, one.fields) for one in parts] == [(one.id, one.fields) for one in whole]
