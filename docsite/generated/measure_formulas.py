"""What each measure is, as a formula; where its values lie; and what trec_eval calls it.

The names are those of `known_measures()`; a test compares both. In all formulas r_i is 1 where the document at
rank i is relevant (its grade is at least `rel`), else 0; R is the number of relevant documents that are known; n
that of documents found; k the cut-off.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Formula:
    """One measure: its formula, its meaning for those who have to choose, and trec_eval's name, if it has it."""

    formula: str
    meaning: str
    trec_eval: str = ""
    least: float = 0.0
    most: float = 1.0


FORMULAS: dict[str, Formula] = {
    "AP": Formula(
        "AP = 1/R  sum over ranks i of  r_i P@i,     P@i = 1/i  sum over j <= i of r_j",
        "Every relevant document counts by how clean the ranking is down to it; one that is not found counts 0. "
        "With a cut-off only the first k documents are looked at, and R stays as it is. Its mean over queries "
        "is MAP.",
        "`map`; with a cut-off `map_cut_k`",
    ),
    "nDCG": Formula(
        "nDCG@k = DCG@k / ideal DCG@k,     DCG@k = sum over i = 1 … k of  g_i / log2(i + 1)\n\n"
        "g_i    the grade of the document at rank i, 0 where it is not judged or below 0\n"
        "ideal  the DCG of all judged documents, the highest grades first",
        "Grades count, and early ranks count more. dcg='exp-log2' takes 2^grade - 1 for a gain; `gains` gives "
        "grades any others.",
        "`ndcg_cut_k`; without a cut-off `ndcg`",
    ),
    "RR": Formula(
        "RR = 1 / (the least i with r_i = 1),   0 where there is none",
        "How soon the first relevant document comes: for questions with one answer. Its mean over queries is MRR.",
        "`recip_rank`",
    ),
    "P": Formula(
        "P@k = 1/k  sum over i = 1 … k of  r_i",
        "How much of what is looked at is relevant. It is divided by k also where fewer documents are found.",
        "`P_k`",
    ),
    "R": Formula(
        "R@k = 1/R  sum over i = 1 … k of  r_i",
        "How much of what there is to find is among the first k documents.",
        "`recall_k`",
    ),
    "Rprec": Formula(
        "Rprec = 1/R  sum over i = 1 … R of  r_i",
        "Precision at the rank at which a perfect ranking would have found everything.",
        "`Rprec`",
    ),
    "Success": Formula(
        "Success@k = 1 where any of r_1 … r_k is 1, else 0",
        "Whether a reader of the first k documents finds anything.",
        "`success_k`",
    ),
    "Judged": Formula(
        "Judged@k = 1/m  sum over i = 1 … m of  j_i,     m = min(k, n)\n\n"
        "j_i  1 where the document at rank i has a grade, else 0",
        "How far other measures can be trusted: what is not judged counts as not relevant there.",
    ),
    "IPrec": Formula(
        "IPrec@c = the largest P@i over all i at which at least the share c of the relevant documents is found",
        "The points of a precision-recall curve. As in trec_eval, the share c is reached with int(c R + .9) hits.",
        "`iprec_at_recall_c`",
    ),
    "MaxF1": Formula(
        "MaxF1 = the largest over all i of  2 P@i R@i / (P@i + R@i)",
        "How good the best place to cut the ranking is, as malina2016 measures it.",
    ),
    "SetP": Formula(
        "SetP = 1/n  sum over all i of  r_i",
        "Precision of all that is found; the order does not count.",
        "`set_P`",
    ),
    "SetR": Formula(
        "SetR = 1/R  sum over all i of  r_i",
        "Recall of all that is found; the order does not count.",
        "`set_recall`",
    ),
    "SetF": Formula(
        "SetF = (beta + 1) P R / (R + beta P),     P = SetP,  R = SetR",
        "The harmonic mean of both, in which beta weighs recall.",
        "`set_F`",
    ),
    "SetAP": Formula(
        "SetAP = SetP * SetR",
        "Both have to be good; the order does not count.",
        "`set_map`",
    ),
    "Bpref": Formula(
        "Bpref = 1/R  sum over relevant documents that are found of  1 - min(b, R) / min(R, N)\n\n"
        "b  how many documents that are judged not relevant stand before it\n"
        "N  how many documents are judged not relevant",
        "Only judged documents count, so that it suffers less where many are not judged.",
        "`bpref`",
    ),
    "infAP": Formula(
        "infAP = 1/R  sum over ranks i of relevant documents of  E(P@i)\n\n"
        "E(P@i) = 1/i + (i - 1)/i  *  (pooled before i / (i - 1))  *  (relevant before i + e) / (judged before "
        "i + 2 e)",
        "Average precision where only a sample of the pooled documents is judged (a grade of -1 marks those "
        "that are pooled and not judged); e is tiny.",
        "`infAP`",
    ),
    "Compat": Formula(
        "Compat = RBO(ranking, ideal) / RBO(ideal, ideal)\n"
        "RBO(A, B) = sum over i = 1 … D of  p^(i - 1)  |first i of A and first i of B| / i\n\n"
        "ideal  the relevant documents, the highest grades first, and of equal ones those that are ranked higher\n"
        "D      the number of documents of the ranking, or of the ideal one where that is longer",
        "How much the ranking overlaps with the nearest ideal one, of which the first ranks count most; p says "
        "how much.",
    ),
    "AP(convention='galke2017')": Formula(
        "AP = 1/h  sum over i = 1 … k of  r_i P@i,     h = sum over i = 1 … k of  r_i",
        "By how many were found, not by how many there are: what is not found costs nothing. The figures that "
        "galke2017 prints look like this one.",
    ),
    "AP(convention='galke2017-printed')": Formula(
        "AP = 1/m  sum over i = 1 … m of  P@i,     m = min(k, n)",
        "As the formula is printed in galke2017: also ranks without a relevant document count.",
    ),
    "RR(convention='galke2017')": Formula(
        "RR = 1 / (the least i <= k with r_i = 1),   0 where there is none",
        "The usual one, in the first k documents.",
    ),
    "nDCG(convention='galke2017')": Formula(
        "nDCG@k = DCG@k / ideal DCG@k,     DCG@k = r_1 + sum over i = 2 … k of  r_i / log2(i)",
        "Documents are relevant or not, and the second one is not discounted.",
    ),
}
