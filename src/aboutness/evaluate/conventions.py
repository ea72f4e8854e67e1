"""Measures as certain papers have them, where these differ from trec_eval's.

`galke2017` (Galke, Saleh and Scherp 2017): documents are relevant or not; AP is the mean of the precisions at the
hits, so that what was not found costs nothing; the gain of the second document is not discounted,
DCG = r_1 + sum of r_i / log2(i). `galke2017-printed`: the same, but AP as its formula is printed there, the mean
of P@1, P@2, … down to the last document found. The paper looks at the first 20 documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aboutness.evaluate.formulas import discounts, hits, reciprocal_rank, shares

if TYPE_CHECKING:
    from ir_measures import Measure

    from aboutness.evaluate.formulas import Floats, Formula, Parameters
    from aboutness.evaluate.places import Places

TREC_EVAL = "trec_eval"
CUTOFF = 20  # of the paper


def precision_by_hits(places: Places, parameters: Parameters) -> Floats:
    """Return the mean of the precisions at the hits, by how many hits there are."""
    found = hits(places, parameters)
    return shares(found.sums(found.precision), found.count())


def mean_precision(places: Places, parameters: Parameters) -> Floats:
    """Return the mean of the precisions at all ranks down to the cut-off or the end of the ranking.

    A hit at rank i counts 1/i at that rank and 1/j at each rank j below it.
    """
    found = hits(places, parameters)
    looked_at = np.minimum(places.ranked, parameters.get("cutoff", places.ranked))
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, int(looked_at.max(initial=0)) + 1))])
    counted = harmonic[looked_at[found.query]] - harmonic[found.rank]
    return shares(found.sums(counted), looked_at)


def binary_ndcg(places: Places, parameters: Parameters) -> Floats:
    """Return nDCG with gains of 0 or 1, of which the first two count in full."""
    found = hits(places, parameters)
    most = np.minimum(found.relevant, parameters.get("cutoff", found.relevant))
    longest = max(int(most.max(initial=0)), int(found.rank.max(initial=0)) + 1)
    weights = 1 / np.concatenate([[1.0], discounts(longest)])[:longest]  # the ranks' logarithms, one later
    ideal = np.concatenate([[0.0], np.cumsum(weights)])[most]
    return shares(found.sums(weights[found.rank]), ideal)


GALKE: dict[str, Formula] = {"AP": precision_by_hits, "RR": reciprocal_rank, "nDCG": binary_ndcg}
CONVENTIONS: dict[str, dict[str, Formula]] = {
    TREC_EVAL: {},
    "galke2017": GALKE,
    "galke2017-printed": GALKE | {"AP": mean_precision},
}
"""For each convention the formulas of the measures that it has its own for."""


def conventional(measure: Measure) -> Formula | None:
    """Return the formula of a measure in its convention, if that can be combined with its other parameters."""
    if measure.params.keys() - {"convention", "cutoff", "rel"}:
        return None
    return CONVENTIONS[measure.params["convention"]].get(str(measure.NAME))
