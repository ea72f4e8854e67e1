"""A folder with an index that has vectors, files of vectors, texts, tests and queries; and what commands refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from aboutness.app.index import Index
from aboutness.app.vectors import import_to_file
from cli.running import Ran
from vectors import writing
from vectors.writing import put

LINES = ["the sun rises over the cities and the sea", "the moon rises over the new harbour", "songs of the moon"]
WORDS = [b"sun", b"Moon", b"sea", b"harbour"]
MATRIX = np.array([[1, 0, 0.5], [0.75, 0.25, 0.5], [0, 1, 0], [0, 0.5, -1]], np.float32)
SMALL = ["--dim", "8", "--min-count", "1", "--epochs", "2", "--threads", "1"]
TRAIN = ["train", "x.index", "word2vec", *SMALL]


def make_folder(folder: Path) -> Path:
    """Make the folder."""
    records = [{"id": str(n), "title": "The sea", "text": text} for n, text in enumerate(LINES * 4)]
    index = Index.build(records, folder / "x.index", layers={"words": "plain"})
    index.train(dim=8, min_count=1, epochs=2, sample=0, threads=1)
    put(folder, "glove.txt", writing.glove(WORDS, MATRIX))
    put(folder, "in.bin", writing.word2vec_binary(WORDS, MATRIX))
    put(folder, "out.bin", writing.word2vec_binary(WORDS, -MATRIX))
    put(folder, "m.npy", writing.npy(MATRIX))
    put(folder, "words.txt", b"\n".join(WORDS))
    import_to_file(folder / "glove.txt", folder / "v.safetensors")
    (folder / "texts").mkdir()
    for n, text in enumerate(LINES):
        put(folder / "texts", f"{n}.txt", text.encode())
    put(folder, "pairs.tsv", b"sun\tmoon\t9\nsun\tsea\t2\nsea\tharbour\t3\nsun\tcomet\t5\n")
    put(folder, "analogies.txt", b": sky\nsun moon sea harbour\n: none\nsun comet sea harbour\n")
    put(folder, "q.jsonl", b'{"_id": "1", "text": "moon comet"}\n')
    put(folder, "topics.txt", b"<top>\n<num> 1\n<title> moon comet\n</top>\n")
    return folder


def bytes_in(folder: Path) -> dict[Path, bytes]:
    """Return what is in the files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "writer.lock"}


def refused(ran: Ran, code: int, told: str) -> bool:
    """Return True where a command ended so, with one line on standard error; else fail."""
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert "Traceback" not in ran.err
    if not ran.err.startswith("Usage: "):
        assert ran.err.startswith("aboutness: ")
        assert ran.err.count("\n") == 1
        assert len(ran.err) < 600
    return True
