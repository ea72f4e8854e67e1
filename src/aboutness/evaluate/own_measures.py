"""What ir_measures does not have: MaxF1, and its measures in the convention of a paper."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import UsageError, shown
from aboutness.evaluate.conventions import CONVENTIONS, CUTOFF, TREC_EVAL

if TYPE_CHECKING:
    from ir_measures import Measure


ABOUT = {
    "nDCG": "Gains of the documents, discounted by rank, as a share of the best ranking's (normalised DCG)",
    "AP": "Average precision: the precisions at the relevant documents, by how many there are to find",
    "RR": "Reciprocal rank: 1 by the rank of the first relevant document",
    "P": "Precision: the share of relevant documents in the first k",
    "R": "Recall: the share of the relevant documents that is in the first k",
    "Rprec": "Precision of as many documents as there are to find",
    "Success": "Whether there is a relevant document in the first k",
    "Judged": "The share of documents that are judged in the first k, or in all",
    "IPrec": "Interpolated precision: the best from a given recall on, any number from 0 to 1",
    "MaxF1": "The highest F1 (harmonic mean of precision and recall) at any rank of the whole ranking",
    "SetP": "Precision of the whole ranking",
    "SetR": "Recall of the whole ranking",
    "SetF": "F1, or weighted by beta, of the whole ranking",
    "SetAP": "Precision times recall of the whole ranking",
    "Bpref": "How far judged relevant documents are before others that are judged",
    "infAP": "Average precision estimated from a sample of judgements",
    "Compat": "Rank-biased overlap with an ideal ranking",
}
IN_CONVENTIONS = {
    "AP(convention='galke2017')@20": "AP by how many relevant documents were found (galke2017's program)",
    "AP(convention='galke2017-printed')@20": "The mean of P@1, P@2, … (AP as galke2017 prints it)",
    "RR(convention='galke2017')@20": "Reciprocal rank in the first k (galke2017)",
    "nDCG(convention='galke2017')@20": "nDCG with gains of 0 or 1 and DCG = r1 + sum of r_i / log2(i) (galke2017)",
}


def load_ir_measures() -> Any:  # noqa: ANN401 - the package has few types
    """Return the package ir_measures, which is imported when it is first used."""
    try:
        import ir_measures
    except ImportError:
        raise UsageError("evaluation needs ir_measures; install it with: pip install ir-measures") from None
    return ir_measures


@cache
def own_measures() -> dict[str, Measure]:
    """Return the measures that ir_measures does not have, by name."""
    base = load_ir_measures().measures
    relevant = "the lowest grade that counts as relevant"
    described = {
        "NAME": "MaxF1",
        "__name__": "MaxF1",
        "SHORT_DESC": ABOUT["MaxF1"],
        "SUPPORTED_PARAMS": {"rel": base.ParamInfo(dtype=int, default=1, desc=relevant)},
    }
    return {"MaxF1": type("MaxF1", (base.Measure,), described)()}


@cache
def with_convention() -> dict[str, Measure]:
    """Return the measures that some convention has its own formula for, with the parameter `convention`."""
    package = load_ir_measures()
    chosen = package.measures.ParamInfo(
        dtype=str, choices=list(CONVENTIONS), default=TREC_EVAL, desc="the paper or program whose formula it is"
    )
    names = dict.fromkeys(name for formulas in CONVENTIONS.values() for name in formulas)
    return {name: _extended(package.measures.registry[name], {"convention": chosen}) for name in names}


def _extended(measure: Measure, parameters: dict[str, Any]) -> Measure:
    kind = type(measure)
    extended: Measure = type(kind.__name__, (kind,), {"SUPPORTED_PARAMS": kind.SUPPORTED_PARAMS | parameters})()
    return extended


def in_convention(measure: Measure, convention: str) -> Measure:
    """Return a measure in a convention, with the paper's cut-off unless it has its own.

    A measure that the convention has no formula of its own for stays as it is.
    """
    if convention not in CONVENTIONS:
        raise UsageError(f"unknown convention {shown(convention)}. Known: {', '.join(CONVENTIONS)}")
    if measure.NAME not in CONVENTIONS[convention] or "convention" in measure.params:
        return measure
    changed: Measure = with_convention()[measure.NAME](
        **{"cutoff": CUTOFF} | measure.params | {"convention": convention}
    )
    return changed
