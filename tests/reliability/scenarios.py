"""Everything that changes an index or a file of vectors, to be cut short by a power loss or a failing disk."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from aboutness import Index
from aboutness.app.training import _checkpoint
from aboutness.experiment.hashes import digest
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.index.writer import IndexWriter
from aboutness.text.strings import StringTable
from aboutness.vectors.store import save
from aboutness.vectors.words import WordVectors
from reliability.harm import (
    AFTER,
    CHANGED,
    GONE,
    MORE,
    OLD,
    OPERATIONS,
    SYNCED,
    WORDS,
    State,
    some_documents,
    state_of,
)

INDEX, BROKEN, VECTORS, NEW = "x.index", "broken.index", "kept.safetensors", "new/deep/x.index"
FURTHER = [some_documents(2000 + 2 * number, 2) for number in range(3)]
RUN = {"depends": "on this"}
TINY = {"dim": 4, "min_count": 1, "epochs": 1, "threads": 1, "seed": 1}

Tell = Callable[
    [str], object
]  # the recorder: a change was acknowledged ("mark"), or may be there ("passing"), ...


@dataclass(frozen=True)
class Scenario:
    """A change: what makes it, what it changes, which documents are there after it, and the same as a command."""

    run: Callable[[Path, Tell], object]
    after: State | None = None  # None: no documents are looked at
    command: Callable[[Path], list[object]] | None = None
    target: str = INDEX
    durable: bool = True  # False: may be lost also after its end, but only as a whole


def sources(root: Path) -> Path:
    """Return the folder with the files from which commands read."""
    return root.parent / "sources"


def make_start(root: Path, original: Path) -> None:
    """Make what every scenario starts from: an index with word vectors, one that is broken, a file of vectors."""
    shutil.copytree(original, root / INDEX)
    sources(root).mkdir()
    for name, documents in {"more": MORE, "changed": CHANGED, "old": OLD, "synced": SYNCED}.items():
        lines = [json.dumps({"id": d.id, **d.fields, **d.metadata}) for d in documents]
        (sources(root) / f"{name}.jsonl").write_text("\n".join(lines))
    vectors = [f"{word} {number} {number % 7} {number % 3}" for number, word in enumerate(WORDS, 1)]
    (sources(root) / "words.txt").write_text("\n".join(vectors))
    Index.open(root / INDEX).import_vectors(sources(root) / "words.txt", name="tiny")
    save(_vectors(1), root / VECTORS)
    shutil.copytree(root / INDEX, root / BROKEN)
    (root / BROKEN / "index.db").write_bytes(b"not a database any more")


def _vectors(seed: int) -> WordVectors:
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 6)).astype(np.float32)
    return WordVectors(StringTable.of(WORDS), {"in": rows})


def _commits(root: Path, tell: Tell) -> None:
    """Commit again and again; each commit is acknowledged, the last by its end."""
    with IndexWriter(root / INDEX) as writer:
        for documents in FURTHER:
            writer.add(documents)
            writer.commit()
            if documents is not FURTHER[-1]:
                tell("mark")


def _killed(root: Path, tell: Tell) -> None:
    """Change an index whose last writer was killed when its commit had removed the journal, and not synced that."""
    if not (pid := os.fork()):
        tell("end_with_commit")
        OPERATIONS["update"](root / INDEX)
    os.waitpid(pid, 0)
    tell("passing")
    OPERATIONS["delete"](root / INDEX)


def _interrupted_training(root: Path, _: Tell) -> None:
    with _checkpoint(Index.open(root / INDEX), "halfway", restart=False) as checkpoint:
        assert checkpoint
        checkpoint.save({"of": "this"}, {"weights": np.arange(600, dtype=np.float32)})


def _on(name: str) -> Callable[[Path, Tell], object]:
    return lambda root, _: OPERATIONS[name](root / INDEX)


BEFORE = state_of(OLD)
SCENARIOS = {
    "build": Scenario(
        lambda root, _: Index.build(OLD, root / NEW),
        BEFORE,
        lambda root: ["index", sources(root) / "old.jsonl", "-o", root / NEW],
        target=NEW,
    ),
    "snapshot": Scenario(
        lambda root, _: Index.open(root / INDEX).copy_to(root / NEW),
        BEFORE,
        lambda root: ["snapshot", root / INDEX, "-o", root / NEW],
        target=NEW,
    ),
    "add": Scenario(_on("add"), AFTER["add"], lambda root: ["add", root / INDEX, sources(root) / "more.jsonl"]),
    "update": Scenario(
        _on("update"),
        AFTER["update"],
        lambda root: ["add", root / INDEX, sources(root) / "changed.jsonl", "--update"],
    ),
    "delete": Scenario(_on("delete"), AFTER["delete"], lambda root: ["delete", root / INDEX, *GONE]),
    "merge": Scenario(_on("merge"), BEFORE, lambda root: ["merge", root / INDEX]),
    "layer": Scenario(_on("layer"), BEFORE, lambda root: ["layer", root / INDEX, "exact", "plain"]),
    "overwrite": Scenario(
        _on("overwrite"),
        AFTER["overwrite"],
        lambda root: ["index", sources(root) / "more.jsonl", "-o", root / INDEX, "--overwrite"],
    ),
    "sync": Scenario(
        _on("sync"), AFTER["sync"], lambda root: ["sync", root / INDEX, sources(root) / "synced.jsonl"]
    ),
    "train": Scenario(
        lambda root, _: Index.open(root / INDEX).train("word2vec", name="trained", **TINY),
        BEFORE,
        lambda root: [
            "train", root / INDEX, "word2vec", "--name", "trained", "--dim", 4, "--min-count", 1, "--epochs", 1,
            "--threads", 1,
        ],
    ),
    "drop": Scenario(
        lambda root, _: Index.open(root / INDEX).drop("tiny"),
        BEFORE,
        lambda root: ["vectors", "drop", root / INDEX, "tiny"],
    ),
    "import": Scenario(
        lambda root, _: Index.open(root / INDEX).import_vectors(sources(root) / "words.txt", name="tiny"),
        BEFORE,
        lambda root: ["vectors", "import", sources(root) / "words.txt", "-o", root / INDEX, "--name", "tiny"],
    ),
    "prepare": Scenario(
        lambda root, _: Index.open(root / INDEX).prepare("wcs"),
        BEFORE,
        lambda root: ["prepare", root / INDEX, "-r", "wcs"],
    ),
    "commits": Scenario(_commits, {**BEFORE, **state_of(list(chain(*FURTHER)))}),
    "killed": Scenario(_killed, {key: one for key, one in AFTER["update"].items() if key not in GONE}),
    "replace": Scenario(
        lambda root, _: Index.build(MORE, root / BROKEN, overwrite=True),
        AFTER["overwrite"],
        lambda root: ["index", sources(root) / "more.jsonl", "-o", root / BROKEN, "--overwrite"],
        target=BROKEN,
    ),
    "vectors": Scenario(lambda root, _: save(_vectors(2), root / VECTORS), target=VECTORS),
    "checkpoint": Scenario(
        _interrupted_training, target=f"{INDEX}/training/halfway/checkpoint.safetensors"
    ),
    "run": Scenario(
        lambda root, _: KeptRuns(root / "runs").put(RUN, {"q": [("d1", 0.5)]}, {}),
        target=f"runs/{digest(RUN)[:32]}.run",
        durable=False,
    ),
}  # fmt: skip
