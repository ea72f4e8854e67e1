"""What pages take to be there already: files and indexes, small ones."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import aboutness as ab
from e2e.blocks import blocks_of

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
COLLECTION = ROOT / "docs" / "how-to" / "add-a-collection.md"


def lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def notes(folder: Path) -> None:
    """Three notes of all formats."""
    place = folder / "notes"
    place.mkdir()
    (place / "today.txt").write_text("A city in the desert, and its budget: a desert city.")
    (place / "song.md").write_text("# A song\n\nof the city")
    (place / "page.html").write_text("<title>Mexico</title><p>cities of New Mexico</p>")


def glove(folder: Path) -> None:
    """A small file of word vectors."""
    words = ["man", "king", "woman", "queen", "citi", "desert", "city"]
    (folder / "glove.txt").write_text("".join(f"{word} {i}.5 1 {-i}\n" for i, word in enumerate(words)))


def cranfield(folder: Path) -> None:
    """A test collection of eight documents and six queries."""
    place = folder / "path" / "to" / "cranfield"
    place.mkdir(parents=True)
    documents = [{"_id": str(i), "title": f"wing {i}", "text": "flow of air over wings " * i} for i in range(1, 9)]
    lines(place / "corpus.jsonl", documents)
    lines(place / "queries.jsonl", [{"_id": f"q{i}", "text": f"air over wing {i}"} for i in range(1, 7)])
    judged = "".join(f"q{i}\t{i}\t1\n" for i in range(1, 7))
    (place / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")


def tour(folder: Path) -> None:
    """All that the README and the tour speak of."""
    notes(folder)
    glove(folder)
    cranfield(folder)
    with gzip.open(folder / "more.jsonl.gz", "wt") as file:
        file.write(json.dumps({"id": "more", "title": "Budget", "text": "of the desert", "year": 1980}) + "\n")
    (folder / "pairs.tsv").write_text("man\tking\t3\nwoman\tqueen\t4\nman\tcity\t1\n")
    (folder / "topics.txt").write_text("<top>\n<num> 1\n<title> city budget\n</top>\n")
    (folder / "qrels.txt").write_text("1 0 today.txt 1\n")
    (folder / "theirs.trec").write_text("1 Q0 song.md 1 2.5 theirs\n1 Q0 today.txt 2 1.5 theirs\n")


def village(folder: Path) -> None:
    """The notes of the tutorial, made as it says."""
    (script,) = [block for block in blocks_of(TUTORIAL.read_text("utf-8")) if block.file == "make_notes.py"]
    (folder / "make_notes.py").write_text(script.text, "utf-8")
    subprocess.run([sys.executable, "make_notes.py"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def village_index(folder: Path) -> None:
    """The notes of the tutorial in an index."""
    village(folder)
    ab.Index.build(ab.read(folder / "notes"), folder / "notes.index")


def village_collection(folder: Path) -> None:
    """The notes of the tutorial as a test collection, made as its page says."""
    village(folder)
    for block in blocks_of(COLLECTION.read_text("utf-8")):
        if block.file:
            (folder / block.file).write_text(block.text, "utf-8")
        if block.file.endswith(".py"):
            subprocess.run([sys.executable, block.file], cwd=folder, check=True)


def default(folder: Path) -> None:
    """An index that is called DIR, and vectors."""
    notes(folder)
    glove(folder)
    ab.Index.build(ab.read(folder / "notes"), folder / "DIR")


def approximate(folder: Path) -> None:
    """An index with word vectors and latent dimensions."""
    texts = ["economics of trade", "trade and economics", "the moon and the sea", "sea and trade"]
    index = ab.Index.build([{"id": str(i), "text": text} for i, text in enumerate(texts)], folder / "news.index")
    index.train("word2vec", dim=10, min_count=1, threads=1)
    index.train("lsa", dim=2)


PREPARED: dict[str, Callable[[Path], None]] = {
    "README.md": tour,
    "docs/tour.md": tour,
    "docs/default.md": default,
    "docs/approximate.md": approximate,
    "docs/concepts/aboutness.md": village_index,
    "docs/concepts/data-flow.md": village,
    "docs/concepts/matching-and-scoring.md": village_index,
    "docs/concepts/why-idf.md": village,
    "docs/how-to/add-a-collection.md": village,
    "docs/how-to/add-a-model.md": village,
    "docs/how-to/back-up.md": village_index,
    "docs/how-to/judge-results.md": village_index,
    "docs/how-to/pretrained-vectors.md": village,
    "docs/how-to/reproduce-a-paper.md": village_collection,
    "docs/how-to/serve.md": village_index,
    "docs/how-to/tune.md": village_collection,
    "docs/how-to/write-an-experiment.md": village_collection,
}
