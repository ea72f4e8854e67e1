"""What models know of a whole collection, apart from its documents: so that a part can borrow it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aboutness.index.postings import weighted_sum

if TYPE_CHECKING:
    from aboutness.index.view import LayerView


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


@dataclass(frozen=True)
class Counts:
    """What statistics are made of, in whole numbers: those of the parts of a collection add up to its own."""

    documents: int
    df: NDArray[np.int64]
    field_cf: NDArray[np.int64]  # of each field (row) and term
    field_lengths: NDArray[np.int64]  # tokens of each field in all documents

    @classmethod
    def of(cls, view: LayerView) -> Counts:
        """Return the counts of a view's own documents."""
        return cls(view.documents, view.df, view.field_cf, view.field_lengths.sum(axis=1))

    @classmethod
    def none(cls, fields: int) -> Counts:
        """Return the counts of no documents, where no term has a number."""
        return cls(0, *(np.zeros(shape, np.int64) for shape in (0, (fields, 0), fields)))

    def __add__(self, other: Counts) -> Counts:
        if not self.documents and not len(self.df):
            return other
        return Counts(
            self.documents + other.documents,
            self.df + other.df,
            self.field_cf + other.field_cf,
            self.field_lengths + other.field_lengths,
        )

    def statistics(self, weights: NDArray[np.float64]) -> Statistics:
        """Return what models know, where fields count as these weights say."""
        total = float(weighted_sum(weights, self.field_lengths[:, None])[0])
        return Statistics(self.documents, self.df, weighted_sum(weights, self.field_cf), total)
