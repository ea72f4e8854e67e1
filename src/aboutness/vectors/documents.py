"""Documents that were trained on: a row of numbers for each, and how a new text gets its own."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aboutness.core.errors import DamagedIndex
from aboutness.vectors.words import WordVectors

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Arrays: TypeAlias = Mapping[str, NDArray[Any]]

KIND = "documents"
WORDS, OWN = "words.", "own."  # what the names of arrays begin with


@dataclass(frozen=True)
class Texts:
    """Texts as runs of word numbers: text t has `words[ends[t - 1]:ends[t]]`, each of which counts `weights`."""

    words: I32
    weights: F32
    ends: I64

    def __len__(self) -> int:
        return len(self.ends)


@dataclass(frozen=True, repr=False)
class DocumentSpace:
    """Rows of documents, the words they were made from, and all that is needed to make further rows.

    `arrivals` ascend: row r belongs to the document that was the arrivals[r]-th to come to the index. A text
    without a known word has a row of zeros.
    """

    kind: ClassVar[str] = KIND
    weighted: ClassVar[bool] = False  # whether the weights of fields count

    words: WordVectors
    rows: F32
    arrivals: I64
    own: Arrays = field(default_factory=dict)  # what else this kind of training leaves
    provenance: Mapping[str, Any] = field(default_factory=dict)
    token: object = field(init=False, default_factory=object)  # no other space has it, also when this one is gone

    def __repr__(self) -> str:
        made = self.provenance.get("training", "made by hand")
        return f"<{type(self).__name__}: {len(self):,} documents x {self.dim}, {len(self.words):,} words, {made}>"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dim(self) -> int:
        """Return how many numbers a row has."""
        return int(self.rows.shape[1])

    @abstractmethod
    def infer(self, texts: Texts, threads: int | None = None) -> F32:
        """Return a row for each text, with everything that was trained left as it is.

        It depends on the text alone: the same text has the same row every time, whatever the others are.
        """
        raise NotImplementedError

    def infer_question(self, texts: Texts) -> F32:
        """Return a row for each text that is short, as questions are: the same, or with more care."""
        return self.infer(texts, threads=1)

    def with_rows(self, rows: F32, arrivals: I64, places: I64 | None = None) -> Self:  # noqa: ARG002 - for who keeps more
        """Return the same for other documents; `places` says which row here each row is, -1 for none."""
        return replace(self, rows=rows, arrivals=arrivals)

    def with_provenance(self, **more: Any) -> Self:  # noqa: ANN401 - plain values
        """Return the same with more said of where it comes from."""
        return replace(self, provenance={**self.provenance, **more})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as named arrays, to be kept in an index."""
        kept: dict[str, NDArray[Any]] = {"rows": self.rows, "arrivals": self.arrivals}
        kept |= {WORDS + name: array for name, array in self.words.arrays().items()}
        kept |= {OWN + name: array for name, array in self.own.items()}
        kept["about"] = np.frombuffer(json.dumps(self.provenance, ensure_ascii=False).encode(), np.uint8)
        return kept

    @classmethod
    def of_arrays(cls, arrays: Arrays) -> Self:
        """Make what `arrays` described; it stays where it is (mapped, if it was)."""
        try:
            words, rows = WordVectors.of_arrays(_named(arrays, WORDS)), np.asarray(arrays["rows"])
            arrivals, about = np.asarray(arrays["arrivals"]), json.loads(arrays["about"].tobytes())
            if rows.shape != (len(arrivals), words.dim):
                raise ValueError(f"rows have shape {rows.shape}, not {len(arrivals)} x {words.dim}")
            return cls(words, rows, arrivals, _named(arrays, OWN), about)
        except (LookupError, ValueError, TypeError) as error:
            raise DamagedIndex(f"these are no rows of documents: {error!r}") from None


def _named(arrays: Arrays, beginning: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin so, without the beginning."""
    return {name.removeprefix(beginning): array for name, array in arrays.items() if name.startswith(beginning)}
