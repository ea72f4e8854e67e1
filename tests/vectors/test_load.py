from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, NotFound, StorageError, UsageError
from aboutness.text.strings import StringTable
from aboutness.vectors import store
from aboutness.vectors.files import Content
from aboutness.vectors.load import FORMATS, convert, format_of, load_vectors, look_at
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.words import WordVectors
from vectors import writing
from vectors.writing import put

WORDS = [b"sun", b"Moon", "été".encode()]
MATRIX = np.array([[0.5, -1.25], [3, 4], [1e-3, 7]], np.float32)
CONTENTS = {
    "word2vec-binary": writing.word2vec_binary(WORDS, MATRIX),
    "word2vec-text": writing.word2vec_text(WORDS, MATRIX),
    "glove": writing.glove(WORDS, MATRIX),
    "fasttext-bin": writing.fasttext_bin(WORDS, MATRIX, pieces=MATRIX + 1, out=-MATRIX),
    "npy": writing.npy(MATRIX),
    "safetensors": writing.safetensors({"x": MATRIX}),
}
OURS = WordVectors(
    StringTable.of(["sun", "Moon", "été"]), {"in": MATRIX, "out": -MATRIX}, None, Subwords(MATRIX, 2, 3), {"a": 1}
)


@pytest.fixture
def folder(tmp_path) -> Path:
    put(tmp_path, "vocab.txt", b"\n".join(WORDS))
    return tmp_path


def test_every_format_has_a_summary_and_a_test():
    assert set(CONTENTS) == set(FORMATS)
    assert all(FORMATS.values())


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_is_found_out_whatever_the_file_is_called(folder, name):
    path = put(folder, "some.file", CONTENTS[name])
    assert format_of(Content(path)) == name
    found, named = load_vectors(path), load_vectors(path, format=name)
    assert list(found.words) == list(named.words) == ["sun", "Moon", "été"]
    np.testing.assert_array_equal(found.space(), named.space())
    assert found.provenance["format"] == name


@pytest.mark.parametrize("name", ["word2vec-binary", "word2vec-text", "glove", "fasttext-bin", "npy"])
def test_packed_with_gzip(folder, name):
    plain = load_vectors(put(folder, "a", CONTENTS[name]))
    packed = load_vectors(put(folder, "b.gz", gzip.compress(CONTENTS[name])))
    assert list(packed.words) == list(plain.words)
    np.testing.assert_array_equal(packed.space(), plain.space())


@pytest.mark.parametrize("name", FORMATS)
def test_another_format_than_the_file_has(folder, name):
    """A wrong name is refused, or the file happens to make sense: never anything else."""
    path = put(folder, "v", CONTENTS[name])
    for other in FORMATS:
        try:
            assert isinstance(load_vectors(path, format=other), WordVectors)
        except BadInput:
            assert other != name


def test_unknown_names_are_refused(folder):
    path = put(folder, "v", CONTENTS["glove"])
    with pytest.raises(UsageError, match=r"format must be one of word2vec-binary, .*, got 'csv'"):
        load_vectors(path, format="csv")
    with pytest.raises(UsageError, match="case must be one of exact, any, got 'lower'"):
        load_vectors(path, case="lower")
    with pytest.raises(UsageError, match="several terms, got the one string 'sun'"):
        load_vectors(path, only="sun")
    with pytest.raises(UsageError, match=r"has its words in it, so that it takes no vocabulary .*vocab\.txt"):
        load_vectors(path, vocab=folder / "vocab.txt")


# IN and OUT in two files


def test_a_pair_is_matched_by_word(tmp_path):
    """The second file has the words in another order, one is missing, one is new, and it is of another format."""
    one = put(tmp_path, "in.bin", CONTENTS["word2vec-binary"])
    two = put(tmp_path, "out.txt", b"4 2\nx 9 9\n\xc3\xa9t\xc3\xa9 5 6\nsun 7 8\ny 9 9\n")
    vectors = load_vectors(one, out=two)
    assert list(vectors.words) == ["sun", "été"]
    np.testing.assert_array_equal(vectors.space("in"), MATRIX[[0, 2]])
    np.testing.assert_array_equal(vectors.space("out"), [[7, 8], [5, 6]])
    assert vectors.provenance["only_in_one"] == 3
    assert (vectors.provenance["file"], vectors.provenance["out"]["file"]) == ("in.bin", "out.txt")


def test_a_pair_of_which_some_words_are_wanted(tmp_path):
    one = put(tmp_path, "in", CONTENTS["glove"])
    two = put(tmp_path, "out", writing.glove(WORDS[::-1], -MATRIX[::-1]))
    vectors = load_vectors(one, out=two, only=["moon", "été"], case="any")
    assert list(vectors.words) == ["Moon", "été"]
    np.testing.assert_array_equal(vectors.space("out"), -MATRIX[1:])


def test_pairs_that_are_none(tmp_path):
    one = put(tmp_path, "in", CONTENTS["glove"])
    with pytest.raises(BadInput, match=r"have 2 numbers, those of .* 3"):
        load_vectors(one, out=put(tmp_path, "out", b"sun 1 2 3\n"))
    with pytest.raises(BadInput, match="no word"):
        load_vectors(one, out=put(tmp_path, "out", b"star 1 2\n"))
    with pytest.raises(UsageError, match="has OUT vectors itself"):
        load_vectors(put(tmp_path, "f", CONTENTS["fasttext-bin"]), out=one)


def test_what_is_wrong_in_the_second_file_is_said_of_the_second_file(tmp_path):
    one = put(tmp_path, "in", CONTENTS["glove"])
    with pytest.raises(BadInput, match="second: line 1, of the word 'été', has nan"):
        load_vectors(one, out=put(tmp_path, "second", "été 1 nan\nsun 2 3\n".encode()))


# only some words


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_words_that_terms_can_reach(folder, name):
    path = put(folder, "v", CONTENTS[name])
    whole = load_vectors(path)
    for only, case, words in [
        (["été", "moon", "star"], "exact", ["été"]),
        (["été", "moon", "star"], "any", ["Moon", "été"]),
        (["SUN", "MOON", "sun"], "any", ["sun", "Moon"]),
        ((term for term in ["sun"]), "exact", ["sun"]),
        ([], "any", []),
    ]:
        some = load_vectors(path, only=only, case=case)
        assert list(some.words) == words
        for space in whole.spaces:
            np.testing.assert_array_equal(some.space(space), whole.space(space)[whole.numbers(words)])


def test_of_several_forms_the_first_that_is_there_is_kept(tmp_path):
    path = put(tmp_path, "v", b"sun 1 2\nSun 3 4\nSUN 5 6\n")
    kept = {term: list(load_vectors(path, only=[term], case="any").words) for term in ["sun", "Sun", "SUN", "sUN"]}
    assert kept == {"sun": ["sun"], "Sun": ["Sun"], "SUN": ["SUN"], "sUN": ["sun"]}


@given(st.lists(st.sampled_from(["sun", "Sun", "SUN", "moon", "Moon", "star"])), st.sampled_from(["exact", "any"]))
def test_terms_are_found_among_some_words_as_among_all(tmp_path_factory, terms, case):
    path = put(tmp_path_factory.getbasetemp(), "cases", b"Sun 1 2\nsun 3 4\nMoon 5 6\nSTAR 7 8\n")
    whole, some = (
        load_vectors(path).look_up(terms, case=case),
        load_vectors(path, only=terms, case=case).look_up(terms, case=case),
    )
    np.testing.assert_array_equal(whole[0], some[0])
    np.testing.assert_array_equal(whole[1], some[1])


# convert


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("only", [None, ["été", "sun"]])
def test_what_is_converted_is_what_is_loaded(folder, name, only, monkeypatch):
    monkeypatch.setattr("aboutness.vectors.load.BLOCK", 16)  # blocks of two rows
    path = put(folder, "v", CONTENTS[name])
    converted, loaded = convert(path, folder / "t.safetensors", only=only), load_vectors(path, only=only)
    assert not converted.space().flags.owndata
    again = store.open_saved(folder / "t.safetensors").arrays()
    for part, array in loaded.arrays().items():
        np.testing.assert_array_equal(again[part], array)
        np.testing.assert_array_equal(converted.arrays()[part], array)
    assert list(load_vectors(folder / "t.safetensors").words) == list(loaded.words)


def test_a_pair_is_converted(tmp_path):
    one, two = put(tmp_path, "in", CONTENTS["glove"]), put(tmp_path, "out", b"\xc3\xa9t\xc3\xa9 5 6\nsun 7 8\n")
    vectors = convert(one, tmp_path / "t.safetensors", out=two)
    np.testing.assert_array_equal(vectors.space("out"), [[7, 8], [5, 6]])


def test_a_failed_conversion_leaves_what_was_there(tmp_path):
    target = put(tmp_path, "t.safetensors", b"before")
    path = put(tmp_path, "v", b"a 1 2\nb 1 nan\n")
    with pytest.raises(BadInput, match="has nan"):
        convert(path, target)
    assert target.read_bytes() == b"before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.safetensors", "v"]


def test_where_vectors_cannot_be_written(tmp_path):
    path = put(tmp_path, "v", CONTENTS["glove"])
    with pytest.raises(UsageError, match=r"must end in \.safetensors"):
        convert(path, tmp_path / "t.bin")
    with pytest.raises(NotFound, match=r"there is no folder .*no to write t\.safetensors in"):
        convert(path, tmp_path / "no" / "t.safetensors")


# files that are not what they seem


def test_no_file(tmp_path):
    with pytest.raises(NotFound, match="there is no file"):
        load_vectors(tmp_path / "no")
    with pytest.raises(BadInput, match="is a folder"):
        load_vectors(tmp_path)
    with pytest.raises(BadInput, match="is empty"):
        load_vectors(put(tmp_path, "v", b""))
    with pytest.raises(BadInput, match="is empty"):
        load_vectors(put(tmp_path, "v.gz", gzip.compress(b"")))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a plain file"):
        load_vectors(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    put(tmp_path, "v", CONTENTS["glove"]).chmod(0)
    with pytest.raises(StorageError, match="permission denied"):
        load_vectors(tmp_path / "v")


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(StorageError, match="cannot read"):
        load_vectors(tmp_path / ("x" * 5000))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("name", ["v.bin", "v.txt", "v.npy", "v.kv"])
def test_a_pickle_is_never_opened(tmp_path, name, protocol):
    """These bytes would make a file if they were."""
    trap = tmp_path / "opened"
    content = bytes([0x80, protocol]) + f"cos\nsystem\n(S'touch {trap}'\ntR.".encode()
    for chosen in [None, *FORMATS]:
        with pytest.raises(BadInput, match=r"a pickle, which is never opened.*save_word2vec_format"):
            load_vectors(put(tmp_path, name, content), format=chosen)
    with pytest.raises(BadInput, match="a pickle"):
        load_vectors(put(tmp_path, name, gzip.compress(content)))
    assert not trap.exists()


def test_archives_are_told_apart(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as archive:
        archive.writestr("model/data.pkl", b"\x80\x02.")
    with pytest.raises(BadInput, match="zip archive with a pickle"):
        load_vectors(tmp_path / "model.pt")
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.txt", "sun 1 2\n")
    with pytest.raises(BadInput, match="zip archive; unpack it"):
        load_vectors(tmp_path / "glove.zip")
    with pytest.raises(BadInput, match="zip archive; unpack it"):
        load_vectors(put(tmp_path, "cut.zip", b"PK\x03\x04 and no more"))
    with pytest.raises(BadInput, match="packed with bzip2; unpack it"):
        load_vectors(put(tmp_path, "v.bz2", b"BZh91AY&SY"))


def test_a_full_disk_is_no_damage_to_what_is_unpacked(tmp_path, monkeypatch):
    path = put(tmp_path, "v.gz", gzip.compress(CONTENTS["glove"] * 100_000))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: io.FileIO("/dev/full", "w"))
    with pytest.raises(StorageError, match=r"cannot unpack .*v\.gz: the disk is full"):
        load_vectors(path)


def test_damaged_gzip(tmp_path):
    packed = gzip.compress(CONTENTS["glove"])
    with pytest.raises(BadInput, match="gzip"):
        load_vectors(put(tmp_path, "v.gz", packed[:-9]))
    with pytest.raises(BadInput, match="gzip"):
        load_vectors(put(tmp_path, "v.gz", packed[:20] + b"????" + packed[24:]))


@pytest.mark.parametrize(
    "content", [b"\n", b"   ", b"one\n", b"a b c\n", b"\x00" * 50, b"{}", b"<html>", bytes(range(256))]
)
def test_what_is_no_file_of_vectors(tmp_path, content):
    with pytest.raises(BadInput, match=r"in no format that can be read.*word2vec-binary.*it starts with"):
        load_vectors(put(tmp_path, "v", content))


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> dict[str, tuple[Path, bytes]]:
    """A small file of each format, each in a folder with a vocabulary."""
    made = {}
    base = tmp_path_factory.mktemp("small")
    store.save(OURS, base / "ours.safetensors")
    ours = (base / "ours.safetensors").read_bytes()
    everything = {**CONTENTS, "ours": ours, "packed": gzip.compress(CONTENTS["word2vec-binary"])}
    for name, content in everything.items():
        (base / name).mkdir()
        put(base / name, "vocab.txt", b"\n".join(WORDS))
        made[name] = base / name / "v", content
    return made


def outcome(path: Path, content: bytes) -> None:
    """Load some bytes: there are sound vectors, or BadInput."""
    path.unlink(missing_ok=True)  # what is mapped stays as it is
    path.write_bytes(content)
    try:
        vectors = load_vectors(path)
    except (BadInput, NotFound):
        return
    assert len(set(vectors.words)) == len(vectors) > 0
    assert all(np.isfinite(space).all() and space.dtype == np.float32 for space in vectors.spaces.values())
    found, _ = vectors.look_up(["sun", "star", "été"])
    assert np.isfinite(found).all()


EVERY = [*FORMATS, "ours", "packed"]


@pytest.mark.parametrize("name", EVERY)
def test_every_truncation(small, name):
    path, content = small[name]
    for end in range(len(content)):
        outcome(path, content[:end])


@pytest.mark.parametrize("name", EVERY)
def test_any_byte_may_be_another(small, name):
    path, content = small[name]

    @settings(max_examples=150)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255) | st.sampled_from(b" \n09-.e"))
    def check(place, value):
        outcome(path, content[:place] + bytes([value]) + content[place + 1 :])

    check()


@settings(max_examples=150)
@given(
    st.binary(max_size=200)
    | st.builds(
        lambda start, rest: start + rest,
        st.sampled_from([content[:20] for content in CONTENTS.values()]),
        st.binary(),
    )
)
def test_any_bytes(small, content):
    outcome(small["npy"][0], content)


# what it costs


def test_looking_reads_no_vectors(tmp_path):
    file = look_at(put(tmp_path, "v", b"a 1 2\nb 3 nan\n"))
    assert (list(file.words), file.dim, file.spaces, file.duplicates) == (["a", "b"], 2, ("in",), 0)
    assert file.rows("in", np.array([0])).tolist() == [[1, 2]]


MEASURED = """
    import sys
    from pathlib import Path
    from aboutness.vectors.load import convert, load_vectors

    def now(name):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name))

    small, large, target = sys.argv[1:]
    load_vectors(small), convert(small, target)
    before = now("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    load_vectors(large) if target.endswith("load.safetensors") else convert(large, target)
    print(now("VmHWM") - before)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A file of 120 MB."""
    path = tmp_path_factory.mktemp("large") / "large.bin"
    record = np.full(1_000, 0.5, np.float32).tobytes()
    with path.open("wb") as file:
        file.write(b"30000 1000\n")
        for row in range(30_000):
            file.write(b"w%d " % row + record + b"\n")
    return path


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="the peak cannot be reset on this system")
@pytest.mark.parametrize(("name", "least", "most"), [("load", 115, 120 + 60), ("convert", 0, 80)])
def test_memory(tmp_path, large, name, least, most):
    """Loading takes one matrix and some blocks of 16 or 32 MB; converting takes the blocks alone."""
    small = put(tmp_path, "small.bin", CONTENTS["word2vec-binary"])
    command = [sys.executable, "-c", textwrap.dedent(MEASURED), small, large, tmp_path / f"{name}.safetensors"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert least <= int(done.stdout) / 1000 <= most
