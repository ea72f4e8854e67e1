"""The two embeddings, and what is made of them: without their first directions, and with the words both have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aboutness.papers.paper import Work
from aboutness.vectors.load import load_vectors, look_at, outline
from aboutness.vectors.postprocess import ALL_BUT_THE_TOP

W2V, GLV = "W2V", "GLV"  # as the paper calls them
NAMES = {W2V: "Word2Vec", GLV: "GloVe"}
FILES = {
    GLV: "glove6b_100d/vectors.f16.npy",
    W2V: "googlenews_w2v_300d_small/GoogleNews-vectors-negative300-bolukbasi.bin",
}
LIKE = {GLV: re.compile("glove|840b", re.IGNORECASE), W2V: re.compile("google|w2v|word2vec", re.IGNORECASE)}


@dataclass(frozen=True)
class Embedding:
    """A file of word vectors; `key` is the paper's name for its like, or the file's own name."""

    key: str
    file: str
    words: int
    dim: int

    @property
    def name(self) -> str:
        """Return what it is called in tables."""
        return NAMES.get(self.key, self.key)

    @property
    def top(self) -> int:
        """Return how many of its first directions all-but-the-top removes: one for each 100 dimensions."""
        return max(1, round(self.dim / 100))

    def __str__(self) -> str:
        return f"{self.name}: {self.words:,} words, {self.dim} dimensions"


def embeddings(work: Work) -> list[Embedding]:
    """Return the embeddings that a study is made with: the usual two, or the files that are named."""
    if not work.embeddings:
        return [_looked_at(key, work.vector_file(file)) for key, file in FILES.items()]
    found: list[Embedding] = []
    for file in work.embeddings:
        own = Path(file).name.partition(".")[0]
        taken = {one.key for one in found}
        key = next((key for key, like in LIKE.items() if like.search(str(file)) and key not in taken), own)
        found.append(_looked_at(key if key not in taken else f"{key} {len(found) + 1}", file))
    return found


def _looked_at(key: str, file: str) -> Embedding:
    seen = look_at(file)
    return Embedding(key, file, len(seen.vocabulary.words), seen.dim)


def without_the_top(one: Embedding, folder: Path) -> Embedding:
    """Return an embedding less its mean and its first directions, in a file of its own (Mu et al. 2017)."""
    target = folder / f"{one.key}-without-the-top.safetensors"
    load_vectors(one.file).processed(f"{ALL_BUT_THE_TOP}={one.top}").save(target)
    return replace(one, file=str(target))


def with_shared_words(every: Sequence[Embedding], folder: Path) -> list[Embedding]:
    """Return the embeddings with just the words that all of them have; none where there are no two or no words."""
    if len(every) < 2:
        return []
    words = [list(outline(look_at(one.file))) for one in every]
    shared = set(words[0]).intersection(*words[1:])
    if not shared:
        return []
    kept = [word for word in words[0] if word in shared]
    found = []
    for one in every:
        target = folder / f"{one.key}-shared-words.safetensors"
        load_vectors(one.file, only=kept).save(target)
        found.append(replace(one, file=str(target), words=len(kept)))
    return found
