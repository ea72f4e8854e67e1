"""Named arrays in one file, memory-mapped: the safetensors format, which any tool can read.

A file is the length of its header (8 bytes), the header (JSON: name -> dtype, shape, place; padded so that the
data starts at a multiple of 64), and the arrays end to end, those with wide items first, so that each is
aligned. There is nothing in it that could be executed.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex, UsageError
from aboutness.index import disk

Array = NDArray[Any]

TYPES = {
    "F64": "<f8", "I64": "<i8", "U64": "<u8", "F32": "<f4", "I32": "<i4", "U32": "<u4",
    "F16": "<f2", "I16": "<i2", "U16": "<u2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
NAMES = {np.dtype(dtype): name for name, dtype in TYPES.items()}
LARGEST_HEADER = 1 << 24


@dataclass(frozen=True)
class Blocks:
    """An array that is made block by block while it is written, and is never whole in memory."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[], Iterator[Array]]

    @property
    def nbytes(self) -> int:
        """Return how many bytes all blocks have."""
        return prod(self.shape) * self.dtype.itemsize


def write_arrays(path: Path, arrays: Mapping[str, Array | Blocks], *, durable: bool) -> tuple[int, int]:
    """Write the arrays to a new file; return its size and CRC-32."""
    return disk.write_new(path, parts_of(arrays), durable=durable)


def parts_of(arrays: Mapping[str, Array | Blocks]) -> Iterator[memoryview | bytes]:
    """Yield the bytes of a file of arrays."""
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    header: dict[str, Any] = {}
    place = 0
    for name, array in ordered:
        kind = NAMES.get(array.dtype.newbyteorder("<"), "")
        if not kind:
            raise UsageError(f"array {name!r} must hold numbers or truth values, got {array.dtype}")
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [place, place + array.nbytes],
        }
        place += array.nbytes
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(8 + len(encoded)) % 64)
    yield len(encoded).to_bytes(8, "little") + encoded
    for _, array in ordered:
        for block in array.make() if isinstance(array, Blocks) else (array,):
            if block.size:
                yield np.ascontiguousarray(block).data.cast("B")


def map_arrays(path: Path) -> dict[str, Array]:
    """Map a file's arrays into memory, read-only; raise `DamagedIndex` where the header makes no sense."""
    with path.open("rb") as file:
        try:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise DamagedIndex(f"{path} is empty") from None
    length = int.from_bytes(whole[:8], "little")
    if len(whole) < 8 or length > min(LARGEST_HEADER, len(whole) - 8):
        raise DamagedIndex(f"{path} is truncated or not a file of arrays")
    try:
        header = json.loads(whole[8 : 8 + length])
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        filled = 0
        for first, last in sorted(entry["data_offsets"] for entry in entries.values()):
            if first != filled:
                raise ValueError(f"an array starts at byte {first}, but the one before it ends at {filled}")
            filled = last
        if 8 + length + filled != len(whole):
            raise ValueError(f"it speaks of {filled:,} bytes, but {len(whole) - 8 - length:,} follow")
        return {name: _array(whole, 8 + length, entry) for name, entry in entries.items()}
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DamagedIndex(f"{path} has a damaged header: {error}") from None


def let_go(array: Array) -> None:
    """Take a mapped array out of this process's memory; what is read of it again comes from the file again."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    whole = base.obj if isinstance(base, memoryview) else base
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and array.size:
        begin = array.ctypes.data - np.frombuffer(whole, np.uint8, 1).ctypes.data
        first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
        if begin + array.nbytes - first > 0:
            whole.madvise(mmap.MADV_DONTNEED, first, begin + array.nbytes - first)


def _array(whole: mmap.mmap, start: int, entry: dict[str, Any]) -> Array:
    dtype = np.dtype(TYPES[entry["dtype"]])
    shape = tuple(int(size) for size in entry["shape"])
    first, last = entry["data_offsets"]
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if min(shape, default=0) < 0 or first < 0 or last - first != count * dtype.itemsize:
        raise ValueError(f"shape {shape} does not fill bytes {first} to {last}")
    if start + last > len(whole):
        raise ValueError("it speaks of bytes behind the end of the file")
    if not count:
        return np.empty(shape, dtype)
    return np.frombuffer(whole, dtype, count, start + first).reshape(shape)
