from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aboutness import Index
from aboutness.cli.main import app
from aboutness.models.centroids import KIND
from cli.running import THREE
from experiment.small import with_vectors
from reliability.test_read_only import as_reader, closed

PAIRS = ["plain", "english"]


def ids(folder):
    return [document.id for document in Index.open(folder)]


def test_index_tells_what_it_made(write, run, nothing_left):
    write("three.jsonl", THREE)
    ran = run("index", "three.jsonl", "-o", "three.index", "--json")
    assert (ran.code, ran.err) == (0, "")
    seconds = ran.json.pop("seconds")
    assert 0 < seconds < 60
    assert {key: value for key, value in ran.json.items() if key != "seconds"} == {
        "index": "three.index",
        "documents": 3,
        "added": 3,
        "updated": 0,
        "rejected": 0,
        "rejects": None,
        "generation": 1,
    }
    assert nothing_left("three.jsonl", "three.index")


def test_index_in_words(three, call):
    ran = call("index", "three.jsonl", "-o", "again.index", "--analyzer", "plain", "--weight", "title=2.5")
    assert ran.code == 0
    assert ran.out.startswith("3 documents added in ")
    assert ran.out.endswith("again.index holds 3\n")
    info = call("info", "again.index", "--json").json
    assert {field["name"]: field["weight"] for field in info["fields"]} == {"title": 2.5, "text": 1.0}


def test_index_several_sources_and_layers(write, call):
    write("a.jsonl", [{"id": "1", "text": "cats"}])
    write("b.csv", "id,text\n2,dogs and cats\n")
    ran = call(
        "index", "a.jsonl", "b.csv", "-o", "x.index", "--layer", "exact=plain", "--layer", "b=bigrams", "--json"
    )
    assert ran.json["documents"] == 2
    layers = call("info", "x.index", "--json").json["layers"]
    assert [(one["name"], one["analyzer"]) for one in layers] == [
        ("main", "english"),
        ("exact", "plain"),
        ("b", "bigrams"),
    ]
    assert [one["terms"] for one in layers][:2] == [2, 3]


def test_an_index_is_replaced_only_when_that_is_said(three, write, call):
    write("other.jsonl", [{"id": "z", "text": "new"}])
    refused = call("index", "other.jsonl", "-o", three)
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert ids(three) == ["a", "b", "c"]
    assert call("index", "other.jsonl", "-o", three, "--overwrite", "--json").json["generation"] == 2
    assert ids(three) == ["z"]


def test_a_folder_with_other_things_is_not_touched(write, call, tmp_path):
    write("a.jsonl", [{"id": "1", "text": "x"}])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("x")
    ran = call("index", "a.jsonl", "-o", "full")
    assert ran.code == 2
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["precious"]
    assert call("index", "a.jsonl", "-o", "full/precious").code == 2
    (tmp_path / "empty").mkdir()
    assert call("index", "a.jsonl", "-o", "empty").code == 0


def test_add_update_and_delete(three, write, call):
    write("more.jsonl", [{"id": "d", "text": "more"}])
    write("change.jsonl", [{"id": "a", "text": "changed"}, {"id": "e", "text": "e"}])
    assert call("add", three, "more.jsonl", "--json").json["documents"] == 4
    changed = call("add", three, "change.jsonl", "--update", "--json").json
    assert (changed["documents"], changed["updated"], changed["generation"]) == (5, 1, 3)
    assert Index.open(three)["a"].fields == {"text": "changed"}
    ran = call("delete", three, "b", "d", "--json")
    assert ran.json == {"index": str(three), "deleted": 2, "documents": 3, "generation": 4}
    assert sorted(ids(three)) == ["a", "c", "e"]


def test_delete_by_file_standard_input_and_condition(three, write, call):
    write("ids.txt", "a\r\n\nb\n")
    assert call("delete", three, "--ids-from", "ids.txt").out == f"Deleted 2 documents; 1 is left in {three}\n"
    assert call("delete", three, "--ids-from", "-", stdin="c\n").code == 0
    assert len(Index.open(three)) == 0
    call("add", three, "three.jsonl")
    assert call("delete", three, "--where", "year<1990", "--json").json["deleted"] == 1
    assert call("delete", three, "--where", "year<1990", "--json").json["deleted"] == 0
    assert call("delete", three, "--where", "topics=x", "--where", "year>1", "--json").json["deleted"] == 0
    assert ids(three) == ["b", "c"]
    assert call("delete", three, "--where", "nonsense").code == 2


def test_delete_wants_to_know_what(three, call, write):
    assert call("delete", three).code == 2
    missing = call("delete", three, "a", "zz")
    assert missing.code == 4
    assert "'zz'" in missing.err
    assert len(Index.open(three)) == 3
    assert call("delete", three, "a", "zz", "--missing-ok", "--json").json["deleted"] == 1
    write("latin1.txt", b"caf\xe9\n")
    ran = call("delete", three, "--ids-from", "latin1.txt")
    assert ran.code == 3
    assert "latin1.txt" in ran.err


def test_merge(three, write, call):
    write("more.jsonl", [{"id": "d", "text": "more"}])
    call("add", three, "more.jsonl")
    assert call("info", three, "--json").json["segments"] == 2
    assert call("merge", three, "--json").json == {"index": str(three), "segments_before": 2, "segments": 1}
    call("delete", three, "a")
    info = call("info", three, "--json").json
    assert (info["segments"], info["deleted"], info["documents"], info["generation"]) == (1, 1, 3, 4)
    assert call("merge", three).out == "Merged 1 segment to 1\n"
    assert call("merge", three).out == "Merged 1 segment to 1\n"
    info = call("info", three, "--json").json
    assert (info["segments"], info["deleted"], info["documents"], info["generation"]) == (1, 0, 3, 5)


def test_everything_can_be_deleted_and_merged(three, call):
    call("delete", three, "a", "b", "c")
    assert call("merge", three).code == 0
    assert call("check", three, "--deep").code == 0
    assert call("info", three, "--json").json["documents"] == 0
    assert call("add", three, "three.jsonl", "--json").json["documents"] == 3
    assert call("check", three, "--deep").code == 0
    assert ids(three) == ["a", "b", "c"]


def test_layer(three, call):
    assert call("layer", three, "exact", "plain").out == "Added layer exact (plain): 9 terms\n"
    assert call("layer", three, "exact", "plain").code == 2
    names = [one["name"] for one in call("info", three, "--json").json["layers"]]
    assert names == ["main", "exact"]


@pytest.mark.parametrize("name", ["a/b", "../x", "", "a:b", "x" * 65, "main", "a b", "é"])
def test_a_layer_needs_a_plain_name_of_its_own(three, call, name):
    assert call("layer", three, name, "plain").code == 2
    assert call("index", "three.jsonl", "-o", "new.index", "--layer", f"{name}=plain").code == 2
    assert call("info", three, "--json").json["generation"] == 1


def test_info(three, call):
    info = call("info", three, "--json").json
    assert info["index"] == str(three)
    assert info["fields"] == [
        {"name": "title", "weight": 1.0, "tokens": 2},
        {"name": "text", "weight": 1.0, "tokens": 5},
    ]
    assert info["layers"] == [{"name": "main", "analyzer": "english", "terms": 4, "tokens": 7}]
    assert info["metadata"] == [{"key": "topics", "values": 2}, {"key": "year", "values": 2}]
    assert {key: info[key] for key in ("documents", "deleted", "segments", "generation", "artefacts")} == {
        "documents": 3,
        "deleted": 0,
        "segments": 1,
        "generation": 1,
        "artefacts": [],
    }
    assert info["bytes"] == sum(path.stat().st_size for path in (three / "arrays").iterdir())
    words = call("info", three).out
    for part in ("documents   3", "fields", "layers", "metadata", "main  english   4      7"):
        assert part in words
    assert "artefacts" not in words


@pytest.fixture
def trained(call, tmp_path):
    """Return the folder of an index of twenty documents, on which rows and word vectors were trained."""
    index = Index.build(
        [{"id": f"d{n}", "text": f"city{n % 3} song{n % 2} harbour"} for n in range(20)], tmp_path / "t"
    )
    for kind in ("pv", "word2vec"):
        index.train(kind, dim=4, epochs=1, threads=1)
    return tmp_path / "t"


def of_artefacts(call, folder):
    """The rows of artefacts that info shows, and what it says below them."""
    rows, _, notes = call("info", folder).out.partition("\nartefacts\n")[2].partition("\n\n")
    return rows.splitlines()[1:], notes.splitlines()


def test_info_says_what_was_trained(trained, call):
    rows, notes = of_artefacts(call, trained)
    assert notes == []
    assert rows[0].startswith("pv        documents     20 documents, 6 words x 4  ")
    assert rows[1].startswith("word2vec  word-vectors  6 words x 4                ")
    assert "  pv[dim=4,epochs=1]        1  " in rows[0]


def test_info_says_how_many_documents_came_and_went_since_a_training(trained, call):
    index = Index.open(trained)
    index.add([{"id": "new1", "text": "a new city1"}, {"id": "new2", "text": "song1 of old"}])
    keeps = f"aboutness prepare {trained} keeps them"
    assert of_artefacts(call, trained)[1] == [
        f"pv: 2 documents came since, 2 folded in when searched ({keeps}); train again to learn from them",
        "word2vec: 2 documents came since; train again to learn from them",
    ]
    assert call("prepare", trained, "-r", "pv-lm").out.startswith(
        "kept the document vectors of pv-lm[vectors=pv] ("
    )
    index.refresh()
    index.delete(["d3"])
    assert of_artefacts(call, trained)[1] == [
        "pv: 2 documents came and 1 document went since, folded in; train again to learn from them",
        "word2vec: 2 documents came and 1 document went since; train again to learn from them",
    ]
    told = {one["name"]: one for one in call("info", trained, "--json").json["artefacts"]}
    assert (told["pv"]["inferred"], told["pv"]["parameters"]["inferred"], told["word2vec"]["inferred"]) == (
        0,
        2,
        None,
    )


def test_info_where_documents_only_went(trained, call):
    Index.open(trained).delete(["d3"])
    assert of_artefacts(call, trained)[1] == [
        "pv: 1 document went since",
        "word2vec: 1 document went since",
    ]


def test_check(three, call):
    report = call("check", three, "--deep", "--json").json
    assert report == {
        "index": str(three),
        "ok": True,
        "deep": True,
        "generation": 1,
        "files": 3,
        "bytes": sum(path.stat().st_size for path in (three / "arrays").iterdir()),
        "documents": 3,
        "problems": [],
        "unnamed": [],
    }
    assert "--deep" in call("check", three).out
    (three / "arrays" / "left-behind").write_text("x")
    ran = call("check", three)
    assert ran.code == 0
    assert ran.out.startswith("1 file belongs to no commit; the next writer removes it")
    assert call("check", three, "--json").json["unnamed"] == ["left-behind"]


def test_damage_ends_with_5(three, run, call):
    path = max((three / "arrays").iterdir(), key=lambda path: path.stat().st_size)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert call("check", three).code == 0
    ran = run("check", three, "--deep")
    assert ran.code == 5
    assert path.name in ran.out
    assert ran.err == f"aboutness: {three} is damaged; build it anew, or restore a copy\n"
    report = call("check", three, "--deep", "--json")
    assert (report.code, report.json["ok"], len(report.json["problems"])) == (5, False, 1)
    path.write_bytes(content[:-1])
    assert call("check", three).code == 5
    assert call("info", three).code == 5
    path.unlink()
    for command in (["check", three], ["info", three], ["add", three, "three.jsonl"], ["merge", three]):
        ran = call(*command)
        assert ran.code == 5
        assert path.name in ran.out + ran.err
    assert call("index", "three.jsonl", "-o", three, "--overwrite").code == 0
    assert call("check", three, "--deep").code == 0


def test_a_newer_format_ends_with_5(three, call):
    with closing(sqlite3.connect(three / "index.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    for command in ("info", "check", "merge"):
        ran = call(command, three)
        assert ran.code == 5
        assert "format 99" in ran.err
        assert "upgrade aboutness" in ran.err


def test_a_foreign_database_ends_with_5(tmp_path, call):
    with closing(sqlite3.connect(tmp_path / "index.db")) as connection:
        connection.execute("CREATE TABLE x (y)")
    assert call("info", tmp_path).code == 5
    (tmp_path / "index.db").write_bytes(b"")
    assert call("info", tmp_path).code == 5
    (tmp_path / "index.db").write_bytes(b"no database" * 500)
    assert call("info", tmp_path).code == 5


def test_what_is_not_there_ends_with_4(run, call, tmp_path, write, nothing_left):
    ran = run("info", "none.index")
    assert (ran.code, ran.out) == (4, "")
    assert "aboutness index SOURCE -o none.index" in ran.err
    (tmp_path / "folder").mkdir()
    for command in (["info"], ["check"], ["merge"], ["add", "x.jsonl"], ["delete", "x"], ["layer", "a", "plain"]):
        name, *rest = command
        ran = call(name, "folder", *rest)
        assert ran.code == 4
        assert "folder is not an aboutness index" in ran.err
    assert not list((tmp_path / "folder").iterdir())
    ran = call("index", "none.jsonl", "-o", "x.index")
    assert ran.code == 4
    assert "none.jsonl: no such file" in ran.err
    assert nothing_left("folder")


def test_wrong_values_end_with_2(three, call, nothing_left):
    source = ["index", "three.jsonl", "-o", "x.index"]
    unknown = call(*source, "-a", "englsh")
    assert unknown.code == 2
    assert "did you mean 'english'?" in unknown.err
    assert "plain, english" in unknown.err
    wrong = [
        ["--weight", "title"],
        ["--weight", "=2"],
        ["--weight", "title=much"],
        ["--weight", "title=nan"],
        ["--weight", "title=0"],
        ["--weight", "title=-1"],
        ["--weight", "title=inf"],
        ["--layer", "x"],
        ["--layer", "x=nosuch"],
        ["--rejects", "r.jsonl"],
        ["--on-error", "ignore"],
        ["--format", "nosuch"],
        ["--nosuch"],
    ]
    for options in wrong:
        ran = call(*source, *options)
        assert (ran.code, ran.out) == (2, ""), options
        assert ran.err
    assert nothing_left("three.jsonl", "three.index")


GOOD = b'{"id": "good", "text": "x"}\n'
BAD_LINES = {
    "broken JSON": (b'{"id": "1", "text": ', "broken JSON at column"),
    "not UTF-8": (b'{"id": "1", "text": "caf\xe9"}', "not UTF-8"),
    "duplicate": (b'{"id": "good", "text": "again"}', "the id 'good'"),
    "empty id": (b'{"id": "", "text": "x"}', "must not be empty"),
    "long id": (b'{"id": "' + b"x" * 10_000 + b'", "text": "x"}', "at most 2,048 bytes"),
    "control": (b'{"id": "a\\u0000b", "text": "x"}', "control characters"),
    "surrogate": (b'{"id": "1", "text": "\\ud800"}', "surrogate"),
    "NaN": (b'{"id": "1", "text": "x", "n": NaN}', "NaN"),
    "empty key": (b'{"id": "1", "text": "x", "": 1}', "metadata key"),
    "no text": (b'{"id": "1"}', "no text"),
    "raw NUL": (b'{"id": "1", "text": "\x00"}', "broken JSON"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_record_ends_with_3_and_names_its_place(write, call, nothing_left, name):
    line, problem = BAD_LINES[name]
    write("bad.jsonl", GOOD + line + b"\n" + b'{"id": "last", "text": "x"}\n')
    ran = call("index", "bad.jsonl", "-o", "x.index")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("aboutness: bad.jsonl:2: ")
    assert problem in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 400
    assert nothing_left("bad.jsonl")


def test_bad_input_leaves_an_index_as_it_was(three, write, call):
    before = {path: path.read_bytes() for path in three.rglob("*") if path.is_file()}
    write("bad.jsonl", GOOD + b"nonsense\n")
    assert call("add", three, "bad.jsonl").code == 3
    assert call("index", "bad.jsonl", "-o", three, "--overwrite").code == 3
    after = {path: path.read_bytes() for path in three.rglob("*") if path.is_file()}
    lock = three / "writer.lock"
    assert after.keys() == before.keys()
    assert all(after[path] == before[path] for path in before if path != lock)


def test_a_ragged_table_ends_with_3(write, call):
    write("t.csv", "id,text\n1,x\n2,y,z\n")
    ran = call("index", "t.csv", "-o", "x.index")
    assert ran.code == 3
    assert (
        ran.err
        == "aboutness: t.csv:3: 3 cells, but the header has 2; to go on without such records: --on-error skip\n"
    )


def test_skipped_records_are_kept_with_place_and_reason(write, call, tmp_path):
    lines = [GOOD.strip(), *(line for line, _ in BAD_LINES.values()), b'{"id": "last", "text": "x"}']
    write("mixed.jsonl", b"\n".join(lines) + b"\n")
    ran = call("index", "mixed.jsonl", "-o", "x.index", "--on-error", "skip", "--json")
    assert ran.code == 0
    assert ran.json["added"] + ran.json["rejected"] == len(lines)
    assert ran.json["rejected"] == len(BAD_LINES)
    assert ran.json["rejects"] == "x.rejects.jsonl"
    assert ids("x.index") == ["good", "last"]
    entries = [json.loads(line) for line in (tmp_path / "x.rejects.jsonl").read_text().splitlines()]
    assert sorted(entry["line"] for entry in entries) == list(range(2, len(BAD_LINES) + 2))
    by_line = {entry["line"]: entry for entry in entries}
    for number, (_, problem) in enumerate(BAD_LINES.values(), 2):
        assert by_line[number].keys() == {"file", "line", "error", "record"}
        assert by_line[number]["file"] == "mixed.jsonl"
        assert problem in by_line[number]["error"]
    assert by_line[2]["record"] == '{"id": "1", "text": '
    assert by_line[3]["record"] == '{"id": "1", "text": "caf\\xe9"}'
    assert "x" * 10_000 in by_line[6]["record"]


def test_the_reject_file_can_be_chosen_and_is_made_only_when_needed(three, write, call, tmp_path):
    write("bad.jsonl", GOOD + b"nonsense\n")
    write("good.jsonl", [{"id": "fine", "text": "x"}])
    ran = call("add", three, "good.jsonl", "--on-error", "skip", "--rejects", "mine.jsonl", "--json")
    assert (ran.json["rejected"], ran.json["rejects"]) == (0, None)
    assert not (tmp_path / "mine.jsonl").exists()
    ran = call("add", three, "bad.jsonl", "--on-error", "skip", "--rejects", "mine.jsonl")
    assert "1 record could not be used; it is in mine.jsonl\n  bad.jsonl:2: " in ran.out
    assert "nothing is deleted" not in ran.out
    assert json.loads((tmp_path / "mine.jsonl").read_text())["record"] == "nonsense"
    ran = call("add", three, "bad.jsonl", "--on-error", "skip", "--rejects", "no/such/folder.jsonl")
    assert ran.code == 6
    assert "no/such/folder.jsonl" in ran.err
    assert len(Index.open(three)) == 5


def test_a_bad_update_does_not_remove_the_document_it_would_have_replaced(three, write, call):
    write("bad.jsonl", '{"id": "a", "text": "new", "": 1}\n{"id": "b", "text": "new"}\n')
    ran = call("add", three, "bad.jsonl", "--update", "--on-error", "skip", "--json")
    assert (ran.json["rejected"], ran.json["updated"], ran.json["documents"]) == (1, 1, 3)
    opened = Index.open(three)
    assert opened["a"].fields["text"] == "a city in New Mexico"
    assert opened["b"].fields["text"] == "new"


def test_named_keys_and_formats(write, call):
    write("odd.txt", '{"nr": 5, "summary": "short", "text": "long"}\n')
    options = ["--format", "jsonl", "--id-key", "nr", "--field", "summary", "--field", "missing"]
    assert call("index", "odd.txt", "-o", "x.index", *options).code == 0
    document = Index.open("x.index")["5"]
    assert (document.fields, document.metadata) == ({"summary": "short"}, {"text": "long"})


def test_an_empty_source_makes_an_empty_index(write, call, three):
    write("empty.jsonl", "")
    assert call("index", "empty.jsonl", "-o", "e.index", "--json").json["documents"] == 0
    assert call("info", "e.index").code == 0
    info = call("info", "e.index", "--json").json
    assert (info["documents"], info["segments"], info["bytes"], info["fields"]) == (0, 0, 0, [])
    assert call("check", "e.index", "--deep").code == 0
    assert call("merge", "e.index").code == 0
    assert call("layer", "e.index", "exact", "plain").code == 0
    assert call("delete", "e.index", "a").code == 4
    assert call("add", "e.index", "empty.jsonl", "--json").json["documents"] == 0
    assert call("add", "e.index", "three.jsonl", "--json").json["documents"] == 3
    assert call("check", "e.index", "--deep").code == 0
    assert len(call("info", "e.index", "--json").json["layers"]) == 2


def test_strange_texts(write, call):
    huge = "x" * 10_000_000
    records = [
        {"id": "bom", "text": "first"},
        {"id": "nul", "text": "be\0fore after"},
        {"id": "empty", "text": ""},
        {"id": "blank", "title": " \t\n", "text": ""},
        {"id": "huge", "text": huge},
    ]
    write("strange.jsonl", "\ufeff" + "".join(json.dumps(record) + "\n" for record in records))
    assert call("index", "strange.jsonl", "-o", "x.index", "-a", "plain", "--json").json["documents"] == 5
    assert call("check", "x.index", "--deep").code == 0
    opened = Index.open("x.index")
    assert opened["nul"].fields == {"text": "be\0fore after"}
    assert opened["empty"].fields == {}
    assert opened["huge"].fields == {"text": huge}
    view = opened.view()
    assert sorted(view.terms()) == ["after", "be", "first", "fore", huge]


def test_a_name_that_is_too_long_is_no_traceback(call):
    for arguments in (["index", "x" * 300, "-o", "y"], ["info", "x" * 300], ["index", "x.jsonl", "-o", "x" * 300]):
        ran = call(*arguments)
        assert ran.code in (4, 6)
        assert ran.err.startswith("aboutness: ")


def test_lists(call):
    analyzers = call("analyzers", "--json").json
    assert [one["name"] for one in analyzers][:2] == PAIRS
    assert all(one.keys() == {"name", "summary"} and one["summary"] for one in analyzers)
    assert "english[stop=none,words=1-2]" in call("analyzers").out
    formats = call("formats", "--json").json
    assert {"stdlib", "jsonl", "csv", "tsv", "beir", "reuters"} <= {one["name"] for one in formats}
    assert all(one.keys() == {"name", "about", "sources"} for one in formats)
    assert call("formats").out.splitlines()[0].split() == ["name", "about", "sources"]


def test_a_disk_that_takes_no_more_ends_with_6(write, run, three, nothing_left):
    write("big.jsonl", [{"id": str(number), "text": "x" * 10_000} for number in range(20)])
    allowed = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (131072, 131072)); "
    command = allowed + "from aboutness.cli.main import main; main()"
    for arguments in (["index", "big.jsonl", "-o", "x.index"], ["add", "three.index", "big.jsonl"]):
        ran = run(*arguments, python=["-c", command])
        assert (ran.code, ran.out) == (6, "")
        assert "cannot write" in ran.err
        assert ran.err.count("\n") == 1
    assert ids(three) == ["a", "b", "c"]
    assert nothing_left("big.jsonl", "three.index", "three.jsonl")
    assert len(list((three / "arrays").iterdir())) == 3


# --- prepare ---------------------------------------------------------------------------------------------


@pytest.fixture
def prepared(three):
    """Return the folder of an index with word vectors."""
    with_vectors(Index.open(three))
    return three


def kept(folder):
    return [name for name, entry in Index.open(folder).snapshot.trained.entries.items() if entry.kind == KIND]


def test_prepare_keeps_what_rankers_need_and_says_for_which(prepared, call):
    ran = call("prepare", prepared, "-r", "iwcs,wcs", "-r", "bm25 % 3 >> desm-in-out", "--json")
    names = ["iwcs[vectors=words]", "wcs[vectors=words]", "desm-in-out[vectors=words]"]
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == {"index": str(prepared), "kept": names}
    assert sorted(kept(prepared)) == sorted(f"documents {name}" for name in names)
    assert call("check", prepared, "--deep").code == 0
    ran = call("prepare", prepared, "--ranker", "ketos")
    assert ran.out.startswith("kept the document vectors of ketos[vectors=words] (")


def test_prepare_without_a_ranker_brings_up_to_date(prepared, call, write):
    ran = call("prepare", prepared)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "no document vectors are kept; say for which ranker with -r, such as -r iwcs\n"
    assert call("prepare", prepared, "--json").json["kept"] == []
    call("prepare", prepared, "-r", "wcs")
    before = Index.open(prepared).snapshot.trained.entries["documents wcs[vectors=words]"].file
    with Index.open(prepared).writing() as writer:
        writer.add([{"id": "d", "text": "an old city"}])
    assert call("prepare", prepared, "--json").json["kept"] == ["wcs[vectors=words]"]
    assert Index.open(prepared).snapshot.trained.entries["documents wcs[vectors=words]"].file != before
    assert call("search", prepared, "old city", "-r", "wcs", "--json").json["hits"][0]["id"] == "d"


def test_prepare_drop_keeps_them_no_more(prepared, call):
    call("prepare", prepared, "-r", "wcs,iwcs")
    ran = call("prepare", prepared, "-r", "iwcs", "--drop", "--json")
    assert (ran.code, ran.json["dropped"]) == (0, ["iwcs[vectors=words]"])
    ran = call("prepare", prepared, "--drop")
    assert ran.out == "dropped the document vectors of wcs[vectors=words]\n"
    assert call("prepare", prepared, "--drop").out == "dropped the document vectors of no ranker\n"
    assert [one["kind"] for one in call("info", prepared, "--json").json["artefacts"]] == ["word-vectors"]


def test_prepare_for_rankers_that_need_nothing_ends_with_2(prepared, call):
    for ranker in ("bm25", "wmd", "bm25 % 5 >> ql"):
        ran = call("prepare", prepared, "-r", ranker)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == f"aboutness: there is nothing to prepare for {ranker}\n"
    assert call("prepare", prepared, "-r", "nope").code == 2
    assert kept(prepared) == []


def test_prepare_without_vectors_ends_with_4(three, call):
    ran = call("prepare", three, "-r", "iwcs")
    assert (ran.code, ran.out) == (4, "")
    assert "has no word vectors; train some" in ran.err
    with_vectors(Index.open(three))
    assert call("prepare", three, "-r", "iwcs[vectors=others]").code == 4
    assert call("prepare", "none.index", "-r", "iwcs").code == 4


def test_prepare_in_a_folder_that_cannot_be_written_ends_with_6():
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "x.index"
        with_vectors(Index.build(THREE, folder))
        closed(folder)

        def act():
            commands = (["prepare", str(folder), "-r", "iwcs"], ["search", str(folder), "city", "-r", "iwcs"])
            return [
                (ran.exit_code, ran.stdout, ran.stderr)
                for ran in (CliRunner().invoke(app, one) for one in commands)
            ]

        (code, out, err), (searched, hits, _) = as_reader(act)
        closed(folder, 0o644, 0o755)
        assert (code, out) == (6, "")
        assert "permission denied" in err
        assert err.count("\n") == 1
        assert (searched, hits[:12]) == (0, "iwcs: 2 hits")
        assert kept(folder) == []


def test_an_index_in_shards(write, run, nothing_left):
    write("three.jsonl", THREE)
    ran = run("index", "three.jsonl", "-o", "parts.index", "--shards", "2", "--json")
    assert (ran.code, ran.json["documents"], ran.json["added"]) == (0, 3, 3)
    assert "Indexing: 4 of 4 steps over shards, 3 documents" in ran.err
    assert run("info", "parts.index", "--json").json["segments"] == 2
    assert run("check", "parts.index", "--deep").code == 0
    assert nothing_left("three.jsonl", "parts.index")


def test_what_goes_with_shards(write, run, nothing_left):
    write("three.jsonl", THREE)
    refused = run("index", "three.jsonl", "-o", "parts.index", "--shards", "0")
    assert (refused.code, "from 1 to 10,000, got 0" in refused.err) == (2, True)
    for shards in (["--shards", "2"], []):
        refused = run("index", "three.jsonl", "-o", "parts.index", *shards, "--ray", "nowhere")
        assert (refused.code, "must be HOST:PORT" in refused.err) == (2, True)
    assert nothing_left("three.jsonl")


def test_snapshot(three, call):
    ran = call("snapshot", three, "-o", "copy.index")
    assert (ran.code, ran.out) == (0, f"Copied generation 1 of {three} to copy.index: 3 documents\n")
    assert ids("copy.index") == ids(three)
    made = call("snapshot", "copy.index", "-o", "second.index", "--json").json
    assert made == {"index": "copy.index", "copy": "second.index", "documents": 3, "generation": 1}
    ran = call("snapshot", three, "-o", "copy.index")
    assert ran.code == 2
    assert "there is an index at copy.index already" in ran.err
    assert call("snapshot", "no.index", "-o", "other.index").code == 4


def test_a_key_that_no_document_has_is_told_when_deleting(three, call):
    ran = call("delete", three, "--where", "yeer<1990")
    assert ran.out == f"Deleted 0 documents; 3 are left in {three}\n"
    assert ran.err == "note: no document has metadata 'yeer'; there are: topics, year\n"


def test_sync_makes_an_index_hold_just_what_there_is(write, run):
    write("one.jsonl", THREE)
    run("index", "one.jsonl", "-o", "x.index")
    write("two.jsonl", [THREE[0], {"id": "n", "text": "new"}])
    ran = run("sync", "x.index", "two.jsonl")
    assert (ran.code, ran.out.partition(" in ")[0]) == (0, "1 document added, 2 deleted, 1 unchanged")
    again = run("sync", "x.index", "two.jsonl", "--json").json
    assert (again["added"], again["updated"], again["unchanged"], again["deleted"]) == (0, 0, 2, 0)
    write("none.jsonl", [])
    refused = run("sync", "x.index", "none.jsonl")
    assert (refused.code, "all would be deleted" in refused.err) == (3, True)


def test_sync_can_only_say_what_it_would_do(write, call):
    write("one.jsonl", THREE)
    call("index", "one.jsonl", "-o", "x.index")
    write("two.jsonl", [THREE[0], {**THREE[1], "text": "other"}, {"id": "n", "text": "new"}])
    ran = call("sync", "x.index", "two.jsonl", "--dry-run")
    assert (ran.code, ran.out) == (0, "Would add 1 document, update 1, delete 1; 1 is as it was\n")
    told = call("sync", "x.index", "two.jsonl", "--dry-run", "--json").json
    assert [told[key] for key in ("added", "updated", "deleted", "unchanged", "dry_run")] == [1, 1, 1, 1, True]
    assert (told["generation"], ids("x.index")) == (1, [one["id"] for one in THREE])
    assert "dry_run" not in call("sync", "x.index", "two.jsonl", "--json").json


def test_a_source_that_is_out_of_reach_deletes_nothing(write, call):
    write("notes/a.md", "one")
    write("mail/b.md", "two")
    call("index", "notes", "-o", "x.index")
    call("add", "x.index", "mail")
    Path("mail/b.md").unlink()
    refused = call("sync", "x.index", "notes", "mail", "--format", "folder")
    assert refused.code == 3
    assert "mail: there are no documents" in refused.err
    assert ids("x.index") == ["a.md", "b.md"]


def test_records_that_a_reader_sets_aside_delete_nothing(write, call):
    write("one.jsonl", THREE)
    call("index", "one.jsonl", "-o", "x.index")
    write("two.jsonl", json.dumps(THREE[0]) + "\nbroken\n")
    ran = call("sync", "x.index", "two.jsonl", "--on-error", "skip", "--json")
    assert (ran.json["deleted"], ran.json["unchanged"], ran.json["rejected"]) == (0, 1, 1)
    ran = call("sync", "x.index", "two.jsonl", "--on-error", "skip")
    assert "nothing is deleted as long as records cannot be used" in ran.out


def test_a_dry_run_tells_bad_records_and_leaves_no_file_of_them(write, call, tmp_path):
    write("one.jsonl", THREE)
    call("index", "one.jsonl", "-o", "x.index")
    write("two.jsonl", json.dumps(THREE[0]) + "\n" + "broken\n" * 5)
    ran = call("sync", "x.index", "two.jsonl", "--on-error", "skip", "--dry-run")
    assert "5 records could not be used\n  two.jsonl:2: " in ran.out
    assert "two.jsonl:4: " in ran.out
    assert "two.jsonl:5: " not in ran.out
    assert "\n  and 2 more\nnothing is deleted" in ran.out
    told = call("sync", "x.index", "two.jsonl", "--on-error", "skip", "--dry-run", "--json").json
    assert (told["rejected"], told["rejects"]) == (5, None)
    assert not list(tmp_path.glob("*.rejects*"))


def test_files_that_are_no_text_are_told(write, call):
    for name in ("a.md", "b.txt", "c.pdf", "d.pdf", "sub/e.docx", "sub/README", ".hidden.pdf"):
        write(f"notes/{name}", "words")
    note = "note: 4 files of notes are no text, Markdown or HTML files, and were left out: .pdf 2, without an "
    note += "ending 1, .docx 1\n"
    assert call("index", "notes", "-o", "x.index").err == note
    assert call("add", "x.index", "notes", "--update").err == note
    assert call("sync", "x.index", "notes").err == note
    assert call("sync", "x.index", "notes", "--json").err == ""
    write("other/f.md", "words")
    write("other/g.pdf", "words")
    ran = call("add", "x.index", "other/")
    assert ran.err == "note: 1 file of other/ is no text, Markdown or HTML file, and was left out: .pdf 1\n"
    write("tables/a.csv", "id,text\n1,x\n")
    write("tables/b.pdf", "words")
    assert call("add", "x.index", "tables").err == ""


@pytest.mark.parametrize("place", ["other", "arrays/other"])
def test_no_index_is_made_within_another(three, write, call, tmp_path, place):
    write("more.jsonl", [{"id": "z", "text": "the sea"}])
    for command in (["index", "more.jsonl"], ["snapshot", "three.index"]):
        ran = call(*command, "-o", f"three.index/{place}")
        assert ran.code == 2
        assert f"three.index/{place} lies in the index" in ran.err
    assert call("index", "more.jsonl", "-o", "more.index").code == 0
    ran = call("snapshot", "more.index", "-o", f"three.index/{place}")
    assert (ran.code, "which removes what is not its own; choose another place" in ran.err) == (2, True)
    assert not (three / place).exists()
    write("folder/index.db", "no index")  # of somebody else
    assert call("index", "more.jsonl", "-o", "folder/more.index").code == 0


def test_ids_to_delete_may_come_with_a_bom(three, write, call):
    write("ids.txt", b"\xef\xbb\xbfa\r\n\r\nb\r\n")
    assert call("delete", three, "--ids-from", "ids.txt").code == 0
    assert ids(three) == ["c"]
