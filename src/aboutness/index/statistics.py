"""What models know of a whole collection, apart from its documents: so that a part can borrow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Statistics:
    """Counts over the living documents of a collection, for chosen and weighted fields; terms by number."""

    documents: int  # n
    df: NDArray[np.int64]  # documents with the term in any chosen field
    cf: NDArray[np.float64]  # weighted occurrences of the term
    total_length: float  # weighted occurrences of all terms

    @property
    def average_length(self) -> float:
        """Return the mean weighted length of a document; 1 where all are empty, so that one can divide by it."""
        return self.total_length / self.documents if self.total_length else 1.0
