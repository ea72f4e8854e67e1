from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from aboutness.core.errors import DamagedIndex
from aboutness.index.arrays import TYPES, let_go, map_arrays, write_arrays

SHAPES = [(), (0,), (1,), (7,), (3, 5), (0, 4), (4, 0), (2, 3, 4), (0, 2**31)]


def every_array():
    rng = np.random.default_rng(3)
    arrays = {}
    for name, dtype in TYPES.items():
        for shape in SHAPES:
            small = (
                rng.integers(0, 2 if name == "BOOL" else 100, shape).astype(dtype)
                if 0 not in shape
                else np.empty(shape, dtype)
            )
            arrays[f"{name}{shape}"] = np.asarray(small)
    return arrays


def same(left, right):
    assert left.keys() == right.keys()
    for name, array in left.items():
        assert (array.dtype, array.shape) == (right[name].dtype, right[name].shape), name
        assert array.tobytes() == right[name].tobytes(), name


def test_every_type_and_shape_comes_back(tmp_path):
    arrays = every_array()
    size, checksum = write_arrays(tmp_path / "a", arrays, durable=True)
    data = (tmp_path / "a").read_bytes()
    assert (size, checksum) == (len(data), zlib.crc32(data))
    same(map_arrays(tmp_path / "a"), arrays)


def test_the_reference_implementation_reads_what_we_write(tmp_path):
    arrays = every_array()
    write_arrays(tmp_path / "a", arrays, durable=False)
    same({name: np.asarray(array) for name, array in load_file(tmp_path / "a").items()}, arrays)


def test_we_read_what_the_reference_implementation_writes(tmp_path):
    arrays = {name: array for name, array in every_array().items() if array.size}
    save_file(arrays, tmp_path / "a", metadata={"made": "by others"})
    same(map_arrays(tmp_path / "a"), arrays)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8),
        st.tuples(st.sampled_from(sorted(TYPES)), st.lists(st.integers(0, 4), max_size=3)),
        max_size=6,
    )
)
def test_any_set_of_arrays_comes_back_aligned(tmp_path_factory, kinds):
    kinds.pop("__metadata__", None)
    path = tmp_path_factory.mktemp("arrays") / "a"
    arrays = {name: np.ones(shape, TYPES[kind]) for name, (kind, shape) in kinds.items()}
    write_arrays(path, arrays, durable=False)
    back = map_arrays(path)
    same(back, arrays)
    for array in back.values():
        assert array.ctypes.data % array.dtype.itemsize == 0
        assert array.flags.aligned


def test_the_data_starts_at_a_multiple_of_64(tmp_path):
    for count in range(1, 30):
        path = tmp_path / str(count)
        write_arrays(path, {"n" * count: np.arange(3)}, durable=False)
        assert (8 + int.from_bytes(path.read_bytes()[:8], "little")) % 64 == 0
        assert map_arrays(path)["n" * count].ctypes.data % 64 == 0


def test_layouts_in_memory_do_not_matter(tmp_path):
    array = np.arange(24, dtype=np.int32).reshape(4, 6)
    write_arrays(tmp_path / "a", {"fortran": np.asfortranarray(array), "part": array[::2, 1::2]}, durable=False)
    back = map_arrays(tmp_path / "a")
    assert back["fortran"].tolist() == array.tolist()
    assert back["part"].tolist() == array[::2, 1::2].tolist()


def test_mapped_arrays_cannot_be_written(tmp_path):
    write_arrays(tmp_path / "a", {"x": np.arange(4)}, durable=False)
    with pytest.raises(ValueError, match="read-only"):
        map_arrays(tmp_path / "a")["x"][0] = 1


def test_an_array_outlives_the_removal_of_its_file(tmp_path):
    write_arrays(tmp_path / "a", {"x": np.arange(100_000)}, durable=False)
    array = map_arrays(tmp_path / "a")["x"]
    (tmp_path / "a").unlink()
    assert int(array.sum()) == 99_999 * 50_000


def test_a_file_cut_anywhere_is_damaged(tmp_path):
    write_arrays(tmp_path / "whole", {"a": np.arange(5), "b": np.ones((2, 3), np.uint8)}, durable=False)
    data = (tmp_path / "whole").read_bytes()
    for length in range(len(data)):
        path = tmp_path / "cut"
        path.write_bytes(data[:length])
        with pytest.raises(DamagedIndex, match="cut"):
            map_arrays(path)
    (tmp_path / "longer").write_bytes(data + b"\0")
    with pytest.raises(DamagedIndex):
        map_arrays(tmp_path / "longer")


def entry(dtype="I64", shape=(2,), offsets=(0, 16)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


WRONG_HEADERS = {
    "not an object": [1, 2],
    "a number": 5,
    "null": None,
    "entry is no object": {"a": 5},
    "entry is a text": {"a": "I64"},
    "nothing said": {"a": {}},
    "unknown type": {"a": entry("F128")},
    "type is a list": {"a": entry(["I64"])},
    "negative size": {"a": entry(shape=(-2,))},
    "two negative sizes": {"a": entry(shape=(-1, -2))},
    "negative and nothing": {"a": entry(shape=(-1, 0), offsets=(0, 0)), "b": entry()},
    "shape too small": {"a": entry(shape=(1,))},
    "shape too large": {"a": entry(shape=(3,))},
    "shape is astronomical": {"a": entry(shape=(2**62, 2**62))},
    "empty but astronomical": {"a": entry(shape=(0, 10**30), offsets=(0, 0)), "b": entry()},
    "shape is infinite": {"a": entry(shape=(float("inf"),))},
    "shape is no number": {"a": entry(shape=(float("nan"),))},
    "shape is text": {"a": entry(shape=("two",))},
    "shape is null": {"a": {"dtype": "I64", "shape": None, "data_offsets": [0, 16]}},
    "too many sizes": {"a": entry(shape=[1] * 200 + [2])},
    "offsets turned round": {"a": entry(offsets=(16, 0))},
    "negative offsets": {"a": entry(offsets=(-16, 0))},
    "behind the end": {"a": entry(offsets=(16, 32))},
    "far behind the end": {"a": entry(shape=(2**40,), offsets=(0, 2**43))},
    "one offset": {"a": {"dtype": "I64", "shape": [2], "data_offsets": [0]}},
    "three offsets": {"a": {"dtype": "I64", "shape": [2], "data_offsets": [0, 16, 32]}},
    "offsets are texts": {"a": {"dtype": "I64", "shape": [2], "data_offsets": ["0", "16"]}},
    "offsets are fractions": {"a": {"dtype": "I64", "shape": [2], "data_offsets": [0.5, 16.5]}},
    "overlapping": {"a": entry(), "b": entry()},
    "overlapping in part": {"a": entry("U8", (10,), (0, 10)), "b": entry("U8", (10,), (6, 16))},
    "a hole": {"a": entry("U8", (4,), (0, 4)), "b": entry("U8", (4,), (12, 16))},
    "does not fill the file": {"a": entry("U8", (4,), (0, 4))},
    "no array at all": {},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_HEADERS)
def test_a_lying_header_is_damage(name, tmp_path):
    header = json.dumps(WRONG_HEADERS[name]).encode()
    (tmp_path / "a").write_bytes(len(header).to_bytes(8, "little") + header + bytes(16))
    with pytest.raises(DamagedIndex):
        map_arrays(tmp_path / "a")


@pytest.mark.parametrize(
    "header", [b"", b"{", b"\xff\xfe", b"nonsense", b'{"a": ' * 2000, b"[" * 200_000, b'{"a":NaN}']
)
def test_a_header_that_is_no_json_is_damage(header, tmp_path):
    (tmp_path / "a").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(DamagedIndex):
        map_arrays(tmp_path / "a")


@pytest.mark.parametrize("length", [17, 1 << 24, (1 << 24) + 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_a_header_longer_than_the_file_is_damage(length, tmp_path):
    (tmp_path / "a").write_bytes(length.to_bytes(8, "little") + b'{"a":{}}' + bytes(8))
    with pytest.raises(DamagedIndex, match="truncated"):
        map_arrays(tmp_path / "a")


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_changed_byte_gives_damage_or_arrays(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("changed") / "a"
    write_arrays(path, {"a": np.arange(3), "b": np.ones(4, np.uint8)}, durable=False)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        arrays = map_arrays(path)
    except DamagedIndex:
        return
    assert sum(array.nbytes for array in arrays.values()) <= len(content)


def resident_files():
    """How much of mapped files this process has in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("RssFile"))


def test_a_mapped_array_that_is_let_go_stays_readable(tmp_path):
    arrays = {"large": np.arange(1 << 20), "row": np.ones((2, 1000), np.int32), "tiny": np.zeros(3, np.uint8)}
    write_arrays(tmp_path / "a", arrays, durable=False)
    mapped = map_arrays(tmp_path / "a")
    same(mapped, arrays)
    before = resident_files()
    let_go(mapped["large"][1:])
    assert before - resident_files() > 7 << 20
    for name in ("row", "tiny"):
        let_go(mapped[name])
    let_go(mapped["row"][1])
    let_go(mapped["large"][:0])
    same(mapped, arrays)


def test_an_array_in_memory_cannot_be_let_go():
    array = np.arange(10_000)
    let_go(array)
    let_go(array[10:])
    assert np.array_equal(array, np.arange(10_000))
