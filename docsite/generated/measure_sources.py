"""Where each measure comes from, how ours differs from that, and what it costs.

The names are those of `known_measures()`; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass

RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, chapter 7."
TREC_EVAL = "none; as in NIST's program trec_eval."
GALKE = "galke2017."
NOTHING = "Nothing."
CUT_OFF = "The paper measures whole rankings; a cut-off is added."


@dataclass(frozen=True)
class Source:
    """The paper that a measure is from, and how it differs from it."""

    paper: str
    differs: str = NOTHING


SOURCES: dict[str, Source] = {
    "AP": Source("Harman 1992, Evaluation issues in information retrieval.", CUT_OFF),
    "nDCG": Source(
        "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques; the discount is that of "
        "Burges and others 2005, Learning to rank using gradient descent.",
        "The first paper does not discount the ranks before b, and divides by the logarithm to base b from there "
        "on; here, as in trec_eval, rank i is divided by log2(i + 1), also the first ones. With dcg='exp-log2' "
        "gains are those of the second paper, too.",
    ),
    "RR": Source("Kantor and Voorhees 2000, The TREC-5 confusion track.", CUT_OFF),
    "P": Source(RIJSBERGEN, "The set that is measured is the first k documents."),
    "R": Source(RIJSBERGEN, "The set that is measured is the first k documents."),
    "Rprec": Source("Buckley and Voorhees 2005, Retrieval system evaluation."),
    "Success": Source(TREC_EVAL),
    "Judged": Source("none; as in ir_measures."),
    "IPrec": Source(
        RIJSBERGEN,
        "A level of recall is reached as soon as in trec_eval, which rounds how many documents that takes.",
    ),
    "MaxF1": Source("malina2016."),
    "SetP": Source(RIJSBERGEN),
    "SetR": Source(RIJSBERGEN),
    "SetF": Source(
        RIJSBERGEN,
        "`beta` stands where the square of his beta stands, as in trec_eval; with 1 there is no difference.",
    ),
    "SetAP": Source(TREC_EVAL),
    "Bpref": Source(
        "Buckley and Voorhees 2004, Retrieval evaluation with incomplete information.",
        "The paper divides b by R; here it is min(R, N), as in trec_eval, so that the value can fall to 0 also "
        "where few documents are judged not relevant.",
    ),
    "infAP": Source(
        "Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments.",
    ),
    "Compat": Source(
        "Clarke, Vtyurina and Smucker 2021, Assessing top-k preferences; the overlap is that of Webber, Moffat "
        "and Zobel 2010, A similarity measure for indefinite rankings.",
        "The overlap is a sum without end; here it ends at D. Preferences are taken from grades.",
    ),
    "AP(convention='galke2017')": Source(
        GALKE,
        "The formula that is printed is another, `AP(convention='galke2017-printed')`; its figures look so.",
    ),
    "AP(convention='galke2017-printed')": Source(GALKE),
    "RR(convention='galke2017')": Source(GALKE),
    "nDCG(convention='galke2017')": Source(GALKE),
}

OURS = (
    "All measures share one search for the judged documents in the rankings. This one then makes one pass over "
    "the judgements, for all queries at once; documents without a judgement cost nothing more."
)
THEIRS = (
    "A call of ir_measures, which gets each ranking and its judgements: it grows with the length of the rankings, "
    "and is slower than measures with a formula of our own."
)
EACH_RANK = f"{THEIRS} At each rank two sets of documents are intersected, in Python."


def cost(name: str, ours: bool) -> str:
    """Return what a measure costs, by whether the formula is our own."""
    return OURS if ours else EACH_RANK if name == "Compat" else THEIRS
