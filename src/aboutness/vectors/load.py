"""Load word vectors of any published format, or convert them into a file of ours, which is mapped from then on."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from aboutness.core.errors import BadInput, UsageError, shown
from aboutness.index.arrays import LARGEST_HEADER, Array, Blocks
from aboutness.vectors import store
from aboutness.vectors.array_files import NPY, PICKLE, ArrayFile, SavedFile, npy, safetensors
from aboutness.vectors.fasttext_bin import MAGIC, FastTextBin
from aboutness.vectors.files import F32, HELD, I64, Content, PairFile, VectorFile, header
from aboutness.vectors.subwords import Subwords
from aboutness.vectors.text_file import TextFile, first_line, is_number
from aboutness.vectors.word2vec_binary import Word2vecBinary
from aboutness.vectors.words import EXACT, WordVectors

FORMATS = {
    "word2vec-binary": "word2vec's binary format (.bin): count, dimension, then words and floats",
    "word2vec-text": "word2vec's text format, and fastText's (.vec, .txt): count, dimension, then a word a line",
    "glove": "GloVe's text format (.txt): a word a line, without a first line of sizes",
    "fasttext-bin": "a fastText model (.bin) with its n-grams, so that unknown words have vectors, too",
    "npy": "a numpy matrix (.npy) with a vocabulary beside it, one word a line",
    "safetensors": "a file of ours, or one matrix (.safetensors) with a vocabulary beside it",
}

Path_ = str | Path

PACKED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf": "7z"}
BLOCK = 1 << 24  # bytes of vectors that are converted at a time
ZIP = b"PK\x03\x04"
SNIFFED = 4096
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\x0b\x0c\x1b"))


def load_vectors(
    path: Path_,
    *,
    out: Path_ | None = None,
    vocab: Path_ | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    only: Iterable[str] | None = None,
    case: str = EXACT,
) -> WordVectors:
    """Load word vectors; the format is found out from the content unless it is named.

    `out` is a second file with OUT vectors of the same words. `vocab` is the vocabulary of a matrix. With `only`,
    just the words are loaded by which these terms are found: with case "any" a term is found as it is, else
    lower-cased, else capitalised. Every vector that is loaded is finite, or BadInput says which is not.

    >>> _ = Path("two.txt").write_text("sun 1 0\\nmoon 0 2\\n")
    >>> load_vectors("two.txt")
    <WordVectors: 2 words x 2 (in), two.txt>
    """
    file = look_at(path, out=out, vocab=vocab, format=format)
    chosen = _chosen(file, only, case)
    if isinstance(file, SavedFile) and only is None:
        for space in file.spaces:
            for _ in _blocks(file, space, chosen):
                pass
        _check_subwords(file)
        return file.saved
    subwords = _check_subwords(file)
    if subwords is not None:
        subwords = Subwords(np.array(subwords.rows), subwords.shortest, subwords.longest)
        file.content.release()
    made = outline(file, chosen)
    spaces = {space: file.rows(space, chosen) for space in file.spaces}
    return WordVectors(made.words, spaces, made.counts, subwords, made.provenance)


def convert(
    path: Path_,
    target: Path_,
    *,
    out: Path_ | None = None,
    vocab: Path_ | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
    only: Iterable[str] | None = None,
    case: str = EXACT,
) -> WordVectors:
    """Write what `load_vectors` would load into a file of ours, block by block, and map that file."""
    file = look_at(path, out=out, vocab=vocab, format=format)
    store.write(streamed(file, only, case), target)
    return store.open_saved(target)


def streamed(file: VectorFile, only: Iterable[str] | None = None, case: str = EXACT) -> dict[str, Array | Blocks]:
    """Return what `load_vectors` would load as arrays to be written, whose rows are read while that is done."""
    chosen = _chosen(file, only, case)
    _check_subwords(file)
    arrays: dict[str, Array | Blocks] = {**outline(file, chosen).arrays()}
    for space in file.spaces:
        shape = len(chosen), file.dim
        arrays[f"space.{space}"] = Blocks(shape, np.dtype(np.float32), partial(_blocks, file, space, chosen))
    return arrays


def look_at(
    path: Path_,
    *,
    out: Path_ | None = None,
    vocab: Path_ | None = None,
    format: str | None = None,  # noqa: A002 - its name everywhere
) -> VectorFile:
    """Find out which words a file has, or a pair of files, without reading vectors."""
    files = [_look_at(name, vocab, format) for name in (path, out) if name is not None]
    if vocab is not None and not any(isinstance(file, ArrayFile) for file in files):
        raise UsageError(f"{path} has its words in it, so that it takes no vocabulary {vocab}")
    return PairFile(*files) if out is not None else files[0]


def _look_at(path: Path_, vocab: Path_ | None, name: str | None) -> VectorFile:
    if name is not None and name not in FORMATS:
        raise UsageError(f"format must be one of {', '.join(FORMATS)}, got {name!r}")
    content = Content(path)
    _refuse_pickles(content)
    readers: dict[str, Callable[[], VectorFile]] = {
        "word2vec-binary": lambda: Word2vecBinary(content),
        "word2vec-text": lambda: TextFile(content, has_header=True),
        "glove": lambda: TextFile(content, has_header=False),
        "fasttext-bin": lambda: FastTextBin(content),
        "npy": lambda: npy(content, vocab),
        "safetensors": lambda: safetensors(content, vocab),
    }
    return readers[name or format_of(content)]()


def format_of(content: Content) -> str:
    """Return the name of the format in which a file is."""
    start = content.part(0, 16)
    if start.startswith(NPY):
        return "npy"
    if start.startswith(MAGIC.to_bytes(4, "little")):
        return "fasttext-bin"
    if start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= LARGEST_HEADER:
        return "safetensors"
    for magic, tool in PACKED.items():
        if start.startswith(magic):
            raise BadInput(f"{content.path} is packed with {tool}; unpack it first")
    if (sizes := header(content)) is not None:
        _, dim, after = sizes
        return "word2vec-text" if _is_text(content, after, dim) else "word2vec-binary"
    columns = first_line(content, 0)
    if len(columns) > 1 and is_number(columns[-1]):
        return "glove"
    raise BadInput(
        f"{content.path} is in no format that can be read ({', '.join(FORMATS)}): it starts with {start!r}"
    )


def _is_text(content: Content, start: int, dim: int) -> bool:
    """Tell whether what follows a header is lines of text rather than words and floats."""
    columns = first_line(content, start)
    if len(columns) > dim and all(is_number(column) for column in columns[-dim:]):
        return True
    sample = content.part(start, start + SNIFFED)
    cut = sample.decode(errors="ignore").encode()  # a letter may be cut at the end
    return len(sample.translate(None, CONTROLS)) == len(sample) and len(sample) - len(cut) < 4


def _refuse_pickles(content: Content) -> None:
    start = content.part(0, 4)
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise BadInput(f"{content.path} is {PICKLE}")
    if start == ZIP:
        try:
            with zipfile.ZipFile(content.path) as archive:
                names = archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            names = []
        if any(name.endswith((".pkl", ".pickle")) for name in names):
            raise BadInput(f"{content.path} is a zip archive with {PICKLE}")
        raise BadInput(f"{content.path} is a zip archive; unpack it and name the file of vectors in it")


def _chosen(file: VectorFile, only: Iterable[str] | None, case: str) -> I64:
    """Return the numbers of the words that are wanted, in the order of the file."""
    everything = np.arange(len(file.words), dtype=np.int64)
    if isinstance(only, str):
        raise UsageError(f"only must be several terms, got the one string {shown(only)}")
    terms = list(only) if only is not None else []
    numbers = outline(file, everything).numbers(terms, case)
    return everything if only is None else np.unique(numbers[numbers >= 0])


def outline(file: VectorFile, chosen: I64 | None = None) -> WordVectors:
    """Return everything but the vectors, in whose place there are zeros that take no memory."""
    chosen = np.arange(len(file.words), dtype=np.int64) if chosen is None else chosen
    zeros = np.broadcast_to(np.float32(0), (len(chosen), file.dim))
    provenance = dict(file.provenance)
    if len(chosen) < len(file.words):
        provenance["left_out"] = len(file.words) - len(chosen)
    counts = file.counts[chosen] if file.counts is not None else None
    words = file.vocabulary.part(chosen).words
    return WordVectors(words, dict.fromkeys(file.spaces, zeros), counts, file.subwords, provenance)


def _blocks(file: VectorFile, space: str, chosen: I64) -> Iterator[F32]:
    step = max(1, BLOCK // (4 * file.dim))
    for first in range(0, len(chosen), step):
        yield file.rows(space, chosen[first : first + step])


def _check_subwords(file: VectorFile) -> Subwords | None:
    """Raise BadInput where a row of an n-gram is not finite."""
    from aboutness.kernels.vector_files import first_not_finite

    if file.subwords is None:
        return None
    rows = file.subwords.rows
    step = max(1, HELD // (4 * file.dim))
    for first in range(0, len(rows), step):
        if (bad := int(first_not_finite(rows[first : first + step]))) >= 0:
            raise BadInput(f"{file.content.path}: row {first + bad + 1:,} of its n-grams is not finite")
        file.content.release()
    return file.subwords
