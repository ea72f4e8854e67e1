"""Files that were made to fill the memory or the disk, to lead elsewhere, to run something, or to take for ever."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import struct
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from aboutness import Index
from aboutness.core.errors import AboutnessError, BadInput, DamagedIndex
from aboutness.corpus import delimited, files
from aboutness.corpus.read import read
from aboutness.corpus.thesaurus import read_thesaurus
from aboutness.experiment.results_folder import read_results
from aboutness.vectors.load import FORMATS, load_vectors
from fuzz.contained import contained, heard
from fuzz.edits import drawn, edited
from fuzz.forged import forged, sealed
from fuzz.sources import MATRIX, STORY, VOCABULARY, Source, outcome, passed, sources, zipped
from reliability.harm import result_of
from vectors import writing

ALIKE = {  # they read lines, or the whole, as others do that are tried
    *("thesaurus t.ttl.gz", "thesaurus t.nt.gz", "topics t.tsv.gz", "topics t.jsonl.gz", "topics t.qry.gz"),
    *("analogies.gz", "pairs.gz", "judgements.gz", "groups.gz", "query ids.gz", "passages.gz"),
}
ZEROS = gzip.compress(bytes(1 << 24), mtime=0) * 64  # 1 GB in 1 MB


def refused(error: object) -> None:
    assert isinstance(error, AboutnessError), error
    assert str(error).strip()


# --- memory and time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in sources() if name.endswith(".gz") and name not in ALIKE])
def test_a_gigabyte_of_zeros_in_a_megabyte(name, tmp_path):
    source = sources()[name]
    path = source.written(tmp_path, {source.path: ZEROS})
    assert path.stat().st_size < 1_100_000
    refused(contained(lambda: source.read(path)))


def test_blank_lines_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 1 << 22)
    bomb = tmp_path / "a.jsonl.gz"
    bomb.write_bytes(gzip.compress(b"\n" * (1 << 23)))
    with pytest.raises(BadInput, match="unpacks to more than 200 times its size"):
        list(read(bomb))


def test_a_row_of_a_table_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST", 1 << 20)
    bomb = tmp_path / "a.csv"
    bomb.write_bytes(b"id,text\n" + b'"\n",' * (1 << 20))
    with pytest.raises(BadInput, match=r"a\.csv:\d+: a row longer than 1,048,576 bytes"):
        list(read(bomb, on_bad=passed))


LARGEST = (1 << 31) - 1
LYING_ARGUMENTS = struct.pack("<2i12id", writing.MAGIC, 12, *[LARGEST] * 6, 2, 2, LARGEST, 2, 3, 1, 0.5)
LYING = {
    "word2vec-binary": b"1000000000000 1000000000\nthe " + bytes(100),
    "word2vec-text": b"1000000000000 1000000000\nthe 1 2 3\n",
    "glove": b"the " + b"1 " * 100_000 + b"\nof 1\n",
    "fasttext-bin": LYING_ARGUMENTS + struct.pack("<3i2q", LARGEST, LARGEST, 0, 1, -1) + bytes(500),
    "npy": writing.npy(MATRIX).replace(b"(5, 4)", b"(1000000000000, 1000000000)"),
    "safetensors": writing.safetensors({"x": MATRIX}).replace(b"[5, 4]", b"[9, 9]"),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("named", [True, False])
def test_headers_that_promise_too_much(name, named, tmp_path):
    path = writing.put(tmp_path, "v.bin", LYING[name])
    (tmp_path / "vocab.txt").write_bytes(VOCABULARY)
    refused(contained(lambda: load_vectors(path, format=name if named else None), room=500_000_000))


def test_a_header_of_arrays_that_promises_too_much(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(VOCABULARY)
    for length in (1 << 63, (1 << 64) - 1, 1 << 24, 60):
        path = writing.put(tmp_path, "v.safetensors", struct.pack("<Q", length) + b'{"x":' + b" " * 60)
        refused(contained(lambda path=path: load_vectors(path, format="safetensors"), room=500_000_000))
    for shape in ([10**12, 10**9], [0, 10**30], [1] * 5000, [-1, -20], [[5, 4]], [True, 20]):
        for offsets in ([0, 80], [0, 10**21], [-80, 0], [0.0, 80.0], ["0", "80"], [80, 0]):
            head = str({"x": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}).replace("'", '"').encode()
            head = head.replace(b"True", b"true")
            path = writing.put(tmp_path, "v.safetensors", struct.pack("<Q", len(head)) + head + bytes(80))
            with pytest.raises(AboutnessError):
                load_vectors(path)


def test_n_grams_of_a_very_long_word(tmp_path):
    pieces = np.ones((8, 4), np.float32)
    long = b"a" * 300_000
    for sizes in ((1, 1 << 30), (0, (1 << 31) - 1), (-5, 3)):
        path = writing.put(tmp_path, "v.bin", writing.fasttext_bin([long], MATRIX[:1], pieces=pieces, sizes=sizes))
        refused(contained(lambda path=path: load_vectors(path)))
    path = writing.put(tmp_path, "v.bin", writing.fasttext_bin([long], MATRIX[:1], pieces=pieces, sizes=(1, 100)))
    assert len(contained(lambda: list(load_vectors(path)))) == 1


# --- zip files ----------------------------------------------------------------------------------------------


def test_a_zip_file_of_one_large_file(tmp_path):
    (tmp_path / "19960820.zip").write_bytes(zipped({"1newsML.xml": bytes(files.LARGEST + 1)}))
    refused(contained(lambda: list(read(tmp_path / "19960820.zip", on_bad=passed))))


def test_a_zip_file_whose_files_are_all_the_same_bytes(tmp_path):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1newsML.xml", bytes(10_000_000))
        archive.filelist += [archive.filelist[0]] * 200  # 2 GB
    (tmp_path / "19960820.zip").write_bytes(target.getvalue())
    refused(contained(lambda: list(read(tmp_path / "19960820.zip", on_bad=passed))))


def test_a_zip_file_that_says_its_files_are_small(tmp_path):
    content = zipped({"1newsML.xml": STORY + bytes(50_000_000)})
    size = struct.pack("<I", len(STORY) + 50_000_000)
    (tmp_path / "19960820.zip").write_bytes(content.replace(size, struct.pack("<I", 100)))
    bad = []
    assert list(read(tmp_path / "19960820.zip", on_bad=bad.append)) == []
    assert len(bad) == 1


@pytest.mark.parametrize(
    "name", ["../../1newsML.xml", "/tmp/1newsML.xml", "a\\..\\1newsML.xml", "x/../../1newsML.xml"]
)
def test_names_in_zip_files_are_only_names(name, tmp_path):
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    (folder / "19960820.zip").write_bytes(zipped({name: STORY}))
    before = sorted(tmp_path.rglob("*"))
    assert len(list(read(folder, format="rcv1"))) == ("\\" not in name)
    assert sorted(tmp_path.rglob("*")) == before


# --- links --------------------------------------------------------------------------------------------------

LINKED = {
    "folder": ("a.txt", b"text"), "tables": ("a.jsonl", b'{"id": 1, "text": "a"}\n'), "trec": ("a.trec", None),
    "smart": ("a.all", None), "reuters": ("reut2-000.sgm", None), "ntcir": ("ntc2-e1g", None), "rcv1": ("1newsML.xml", None),
}  # fmt: skip
INSIDE = {"trec": "trec", "smart": "smart", "reuters": "reuters", "ntcir": "ntcir", "rcv1": "rcv1"}


@pytest.mark.parametrize("form", LINKED)
def test_links_do_not_lead_out_of_a_folder(form, tmp_path):
    name, content = LINKED[form]
    content = content or next(iter(sources()[INSIDE[form]].files.values()))
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    (outside / "more").mkdir(parents=True)
    folder.mkdir()
    for place in (outside / name, outside / "more" / name, folder / name):
        place.write_bytes(content)
    alone = len(list(read(folder, format=form)))
    stem, ending = (name[:-5], name[-5:]) if form == "reuters" else (name, "")
    (folder / f"{stem}1{ending}" if form == "reuters" else folder / f"9{name}").symlink_to(outside / name)
    (folder / "out").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    (folder / f"self{name}").symlink_to(folder / f"self{name}")
    os.mkfifo(folder / f"pipe{name}")
    found = contained(lambda: len(list(read(folder, format=form, on_bad=passed))), patience=20)
    assert found == alone


def test_results_do_not_name_files_elsewhere(tmp_path):
    source = sources()["results"]
    folder = tmp_path / "results"
    folder.mkdir()
    source.written(folder)
    (tmp_path / "secret.tsv").write_bytes(b"query-id\tcorpus-id\tscore\nq0\td1\t1\n")
    content = (folder / "results.json").read_text("utf-8")
    for name in ("runs", "qrels", "queries"):
        own = next(file for file in source.files if file.startswith(f"{name}/"))
        for elsewhere in ("../secret.tsv", str(tmp_path / "secret.tsv"), "qrels/../../secret.tsv", ""):
            (folder / "results.json").write_text(content.replace(own, elsewhere), "utf-8")
            with pytest.raises(BadInput, match="none of its own"):
                read_results(folder)
    (folder / "results.json").write_text(content, "utf-8")
    own = folder / next(file for file in source.files if file.startswith("qrels/"))
    own.unlink()
    own.symlink_to(tmp_path / "secret.tsv")
    with pytest.raises(BadInput, match="none of its own"):
        read_results(folder)


def test_an_index_does_not_name_files_elsewhere(tmp_path):
    source = sources()["index"]
    outside = next(name for name in source.files if name.startswith("arrays/"))
    for elsewhere in ("../../{}", str(tmp_path / "{}"), "..", ".", "", "a/b"):
        folder = tmp_path / "x.index"
        source.written(folder)
        (tmp_path / Path(outside).name).write_bytes(source.files[outside])
        with sealed(folder) as database:
            changed = elsewhere.format(Path(outside).name)
            database.execute("UPDATE file SET name = ? WHERE name = ?", (changed, Path(outside).name))
        with pytest.raises(DamagedIndex, match="no name of a file"):
            Index.open(folder)


@pytest.mark.parametrize("seed", range(40))
def test_an_index_whose_checksums_were_made_to_fit(seed, tmp_path):
    """Nothing compiled may be led astray by numbers in files: the process would end without a word."""
    source = sources()["index"]
    path = forged(source, random.Random(seed), tmp_path)
    assert result_of(lambda: outcome(source, path)) in ("read", "refused")


# --- entities -----------------------------------------------------------------------------------------------

LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))
RDF = (
    '<?xml version="1.0"?><!DOCTYPE r [{declared}]><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:skos="http://www.w3.org/2004/02/skos/core#"><skos:Concept rdf:about="http://x/1">'
    "<skos:prefLabel>{used}</skos:prefLabel></skos:Concept></rdf:RDF>"
)


def test_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("<!ENTITY e 'canary'>", "utf-8")
    bombs = {
        f"<!ENTITY l0 'ha'>{LAUGHS}": "&l9;",
        f"<!ENTITY e SYSTEM 'file://{secret}'>": "&e;",
        "<!ENTITY e SYSTEM 'http://127.0.0.1:9/'>": "&e;",
        f"<!ENTITY % p SYSTEM 'file://{secret}'> %p;": "&e;",
    }
    for declared, used in bombs.items():
        path = tmp_path / "t.rdf"
        path.write_text(RDF.format(declared=declared, used=used), "utf-8")
        refused(contained(lambda path=path: read_thesaurus(path), room=500_000_000, patience=10))

        def opened(path=path):
            with suppress(AboutnessError):
                read_thesaurus(path)

        opened()  # which imports the parser
        assert [one for one in heard(opened, ("open", "socket.")) if str(path) not in one[1]] == []


# --- code ---------------------------------------------------------------------------------------------------


class Runs:
    """Something that makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def disguises(canary: Path) -> dict[str, bytes]:
    """Return pickles that make a file, in all kinds of clothes."""
    found = {
        f"protocol {number}": pickle.dumps(Runs(canary), number) for number in range(pickle.HIGHEST_PROTOCOL + 1)
    }
    worst = found["protocol 2"]
    objects = io.BytesIO()
    np.save(objects, np.array([Runs(canary)], object), allow_pickle=True)
    npz = io.BytesIO()
    np.savez(npz, a=np.array([Runs(canary)], object))
    found |= {
        "gzip": gzip.compress(worst),
        "numpy objects": objects.getvalue(),
        "numpy objects as a matrix": objects.getvalue().replace(b"(1,)", b"(1, 1)"),
        "npz": npz.getvalue(),
        "torch": zipped({"archive/data.pkl": worst}),
        "zip": zipped({"v.bin": worst}),
        "behind a header": b"1 4\nthe " + worst,
        "behind numpy's": b"\x93NUMPY\x01\x00" + worst,
        "an eval in numpy's header": b"\x93NUMPY\x01\x00\x60\x00"
        + f"{{'descr': open({str(canary)!r}, 'w')}}".encode(),
        "behind fastText's": struct.pack("<ii", writing.MAGIC, 12) + worst,
        "in arrays": struct.pack("<Q", len(worst)) + worst,
        "JSON": b'{"py/reduce": [{"py/type": "builtins.open"}, ["%s", "w"]]}' % str(canary).encode(),
    }
    return found


def test_pickles_do_run_where_they_are_opened(tmp_path):
    pickle.loads(disguises(tmp_path / "canary")["protocol 2"]).close()
    assert (tmp_path / "canary").exists()


@pytest.mark.parametrize("dress", disguises(Path("x")))
def test_no_pickle_runs(dress, tmp_path):
    canary = tmp_path / "canary"
    content = disguises(canary)[dress]
    (tmp_path / "vocab.txt").write_bytes(VOCABULARY)
    for name in ("v.bin", "v.vec", "v.txt", "v.npy", "v.safetensors", "v.pkl", "v.model", "v.kv", "v"):
        for form in (None, *FORMATS):
            with suppress(AboutnessError):
                load_vectors(writing.put(tmp_path, name, content), format=form)
    for number, source in enumerate(sources().values()):
        for file in source.targets():
            folder = tmp_path / f"{number}"
            with suppress(AboutnessError):
                source.read(source.written(folder, {file: content}))
    assert not canary.exists()


def test_nothing_is_run_or_fetched():
    def every(source: Source, place: Path) -> None:
        for seed in range(6):
            chance = random.Random(seed)
            file = chance.choice(source.targets())
            outcome(source, source.written(place / f"{seed}", {file: edited(source.files[file], drawn(chance))}))

    def all_of_them() -> None:
        from tempfile import TemporaryDirectory

        for source in sources().values():
            with TemporaryDirectory() as place:
                outcome(source, source.written(Path(place)))
                every(source, Path(place))

    assert heard(all_of_them) == []


def test_what_is_run_or_fetched_would_be_heard(tmp_path):
    worst = disguises(tmp_path / "canary")["protocol 2"]
    assert [event for event, _ in heard(lambda: pickle.loads(worst).close())] == ["pickle.find_class"]
    assert [event for event, _ in heard(lambda: os.system("true"))] == ["os.system"]
