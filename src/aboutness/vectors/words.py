"""Words with vectors in one or two spaces: what is loaded, trained, looked up and kept.

A word2vec network has two matrices: IN, the vectors of words as they stand, and OUT, the vectors of words as
neighbours of others. Both are kept where both are known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import BadInput, DamagedIndex, NotFound, UsageError, shown
from aboutness.index.segment import SURROGATE, pack_ids
from aboutness.text.strings import StringTable
from aboutness.vectors.subwords import Subwords

if TYPE_CHECKING:
    from aboutness.vectors.neighbours import Neighbour, Neighbours, Words

F32 = NDArray[np.float32]
Arrays = Mapping[str, NDArray[Any]]

IN, OUT = "in", "out"
SPACES = (IN, OUT)
EXACT, ANY = "exact", "any"
OF_INDEX = ("layer", "fields", "documents", "arrivals", "generation")  # provenance that the same index understands
CASES = (EXACT, ANY)  # how a word is looked up: as it is; or as it is, then lower-cased, then capitalised


@dataclass(frozen=True, repr=False)
class WordVectors:
    """Words and their vectors: row i of each space belongs to word i.

    >>> vectors = WordVectors(StringTable.of(["sun", "Moon"]), {"in": np.eye(2, dtype=np.float32)})
    >>> vectors.numbers(["sun", "moon"]).tolist(), vectors.numbers(["sun", "moon"], case="any").tolist()
    ([0, -1], [0, 1])
    """

    kind: ClassVar[str] = "word-vectors"

    words: StringTable
    spaces: Mapping[str, F32]
    counts: NDArray[np.int64] | None = None  # how often each word stood in the text they were trained on
    subwords: Subwords | None = None  # pieces of words, for words that are not there
    provenance: Mapping[str, Any] = field(default_factory=dict)  # plain values: where they come from, and how

    def __post_init__(self) -> None:
        for name, space in self.spaces.items():
            if space.shape != (len(self.words), self.dim):
                raise ValueError(f"space {name!r} has shape {space.shape}, not {len(self.words)} x {self.dim}")

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        spaces = ", ".join(self.spaces)
        origin = self.provenance.get("file") or self.provenance.get("training") or "made by hand"
        return (
            f"<WordVectors: {len(self):,} {self.provenance.get('of', 'words')} x {self.dim} ({spaces}), {origin}>"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, word: str) -> F32:
        """Return the IN vector of a word (or its only one), as it is written."""
        space = IN if IN in self.spaces else next(iter(self.spaces))
        vectors, known = self.look_up([word], space)
        if not known[0]:
            raise NotFound(f"there is no word {shown(word)} among these {len(self):,}")
        return np.asarray(vectors[0], np.float32)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.words.find(word) >= 0

    @property
    def dim(self) -> int:
        """Return how many numbers a vector has."""
        return int(next(iter(self.spaces.values())).shape[1])

    def space(self, name: str = IN) -> F32:
        """Return the matrix of a space, "in" or "out"."""
        if name not in self.spaces:
            known = ", ".join(self.spaces)
            raise UsageError(
                f"these vectors have no space {name!r}, only: {known}. Published vectors are often IN alone; "
                "training keeps both (aboutness train)"
            )
        return self.spaces[name]

    def numbers(self, words: Sequence[str], case: str = EXACT) -> NDArray[np.int64]:
        """Return the number of each word, or -1; with case "any", lower-cased and capitalised forms do too."""
        found = self._find(words)
        for change in _forms(case):
            missing = np.flatnonzero(found < 0)
            if len(missing):
                found[missing] = self._find([change(words[i]) for i in missing.tolist()])
        return found

    def _find(self, words: Sequence[str]) -> NDArray[np.int64]:
        found = self.words.find_all(*pack_ids(words))
        empty = [i for i, word in enumerate(words) if SURROGATE.search(word)]
        found[empty] = -1
        return found

    def look_up(self, words: Sequence[str], space: str = IN, case: str = EXACT) -> tuple[F32, NDArray[np.bool_]]:
        """Return a vector for each word, and which are known; those of the others are 0.

        Where there are subwords (fastText), a word that is not there gets the mean of its pieces.
        """
        matrix = self.space(space)
        numbers = self.numbers(words, case)
        known = numbers >= 0
        vectors = np.zeros((len(words), self.dim), np.float32)
        vectors[known] = matrix[numbers[known]]
        if self.subwords is not None and space == IN:
            for i in np.flatnonzero(~known).tolist():
                made = self.subwords.vector(words[i])
                if made is not None:
                    vectors[i], known[i] = made, True
        return vectors, known

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays, to be kept in a file or in an index."""
        text = json.dumps(self.provenance, ensure_ascii=False).encode()
        kept: dict[str, NDArray[Any]] = {f"space.{name}": matrix for name, matrix in self.spaces.items()}
        kept |= {"words.data": self.words.data, "words.ends": self.words.ends, "words.slots": self.words.slots}
        kept["provenance"] = np.frombuffer(text, np.uint8)
        if self.counts is not None:
            kept["counts"] = self.counts
        if self.subwords is not None:
            kept |= self.subwords.arrays()
        return kept

    @classmethod
    def of_arrays(cls, arrays: Arrays) -> WordVectors:
        """Make the vectors that `arrays` described; they stay where they are (mapped, if they were)."""
        try:
            words = StringTable(arrays["words.data"], arrays["words.ends"], arrays["words.slots"])
            spaces = {name: arrays[f"space.{name}"] for name in SPACES if f"space.{name}" in arrays}
            provenance = provenance_in(arrays)
            subwords = Subwords.of_arrays(arrays) if Subwords.are_in(arrays) else None
            if not spaces:
                raise ValueError("there is no space")
            return cls(words, spaces, arrays.get("counts"), subwords, provenance)
        except (LookupError, ValueError, TypeError, StopIteration) as error:
            raise DamagedIndex(f"these are no word vectors: {error!r}") from None

    def nearest(self, words: Words, k: int = 10, *, case: str = EXACT) -> list[Neighbour]:
        """Return the k words nearest to a word or a weighted sum of words, but for those words themselves.

        >>> vectors = WordVectors(StringTable.of(["sun", "moon"]), {"in": np.ones((2, 2), np.float32)})
        >>> vectors.nearest("sun")
        [Neighbour(word='moon', score=1.0)]
        """
        return self.bound.nearest(words, k, case=case)

    def side_by_side(self, words: Words, k: int = 10, *, case: str = EXACT) -> dict[str, list[Neighbour]]:
        """Return the nearest words "in-in", "out-out" and "in-out", as far as there are vectors (mitra2016)."""
        return self.bound.side_by_side(words, k, case)

    def analogy(self, a: str, b: str, c: str, k: int = 10, *, case: str = EXACT) -> list[Neighbour]:
        """Return the best answers to "a is to b as c is to ..."."""
        return self.bound.analogy(a, b, c, k, case)

    def test(self, path: str | Path, *, case: str = ANY, most: int | None = None) -> list[dict[str, Any]]:
        """Return how well the vectors do in a file of word pairs with scores, or of analogies."""
        from aboutness.vectors.word_tests import results

        return results(self, path, case, most)

    @cached_property
    def bound(self) -> Neighbours:
        """Return what finds neighbours; the lengths of vectors are worked out once."""
        from aboutness.vectors.neighbours import Neighbours

        return Neighbours(self)

    def processed(self, *steps: str) -> WordVectors:
        """Return the vectors after some steps: "unit", "centred", "all-but-the-top", "all-but-the-top=3"."""
        from aboutness.vectors.postprocess import process

        return process(self, steps)

    def save(self, path: str | Path) -> None:
        """Write everything to a file (.safetensors) that `load_vectors` maps."""
        from aboutness.vectors.store import save

        save(self, path)

    def export(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002 - its name everywhere
        space: str | None = None,
        overwrite: bool = False,
    ) -> list[Path]:
        """Write a space to a file that others read; its name says how: .vec, .bin, .txt, .npy, .safetensors.

        See `aboutness.vectors.export`.
        """
        from aboutness.vectors.export import export

        return export(self, path, format=format, space=space, overwrite=overwrite)

    def with_provenance(self, **more: Any) -> WordVectors:  # noqa: ANN401 - plain values
        """Return the same vectors with more said about where they come from."""
        return replace(self, provenance={**self.provenance, **more})

    def elsewhere(self) -> WordVectors:
        """Return the same vectors where they no longer belong to the index that they were trained in."""
        there = {key: value for key, value in self.provenance.items() if key in OF_INDEX}
        if not there:
            return self
        rest = {key: value for key, value in self.provenance.items() if key not in OF_INDEX}
        return replace(self, provenance={**rest, "trained_in": there})

    def sound(self) -> WordVectors:
        """Return the same vectors as they are kept, in float32; raise BadInput where one is not finite."""
        from aboutness.kernels.vector_files import first_not_finite

        made = {}
        for name, space in self.spaces.items():
            with np.errstate(over="ignore"):
                made[name] = np.ascontiguousarray(space, np.float32)
            if (bad := int(first_not_finite(made[name]))) >= 0:
                raise BadInput(
                    f"the vector of {shown(self.words[bad])} (space {name}) has a number that is not finite in 32 "
                    "bits; vectors must be finite"
                )
        return replace(self, spaces=made)

    def with_spaces(self, spaces: Mapping[str, F32], **provenance: Any) -> WordVectors:  # noqa: ANN401 - plain values
        """Return the same words with other vectors, without subwords (they would not fit them any more)."""
        return WordVectors(self.words, spaces, self.counts, None, {**self.provenance, **provenance})


def _forms(case: str) -> list[Any]:
    return [str.lower, str.capitalize] if checked_case(case) == ANY else []


def checked_case(case: str) -> str:
    """Return how words are looked up, or raise where it is neither way."""
    if case not in CASES:
        raise UsageError(f"case must be one of {', '.join(CASES)}, got {shown(case)}")
    return case


def provenance_in(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return where vectors come from that are kept as arrays."""
    return dict(json.loads(arrays["provenance"].tobytes()))
