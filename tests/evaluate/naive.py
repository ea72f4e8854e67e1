"""The measures as textbooks define them, for rankings that are given as lists of documents, best first."""

from __future__ import annotations

import math


def relevant(grades, rel=1):
    return {document for document, grade in grades.items() if grade >= rel}


def precision(grades, ranking, k, rel=1):
    return len(relevant(grades, rel) & set(ranking[:k])) / k


def recall(grades, ranking, k, rel=1):
    wanted = relevant(grades, rel)
    return len(wanted & set(ranking[:k])) / len(wanted) if wanted else 0.0


def average_precision(grades, ranking, k=None, rel=1):
    wanted = relevant(grades, rel)
    hits = [rank for rank, document in enumerate(ranking[:k], start=1) if document in wanted]
    return sum(precision(grades, ranking, rank, rel) for rank in hits) / len(wanted) if wanted else 0.0


def reciprocal_rank(grades, ranking, k=None, rel=1):
    wanted = relevant(grades, rel)
    return next((1 / rank for rank, document in enumerate(ranking[:k], start=1) if document in wanted), 0.0)


def r_precision(grades, ranking):
    wanted = relevant(grades)
    return precision(grades, ranking, len(wanted)) if wanted else 0.0


def success(grades, ranking, k):
    return float(bool(relevant(grades) & set(ranking[:k])))


def judged(grades, ranking, k):
    top = ranking[:k]
    return len(grades.keys() & set(top)) / len(top)


def ndcg(grades, ranking, k=None, gain=lambda grade: grade):
    def dcg(gains):
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(gains[:k], start=1))

    gains = {document: gain(max(grade, 0)) for document, grade in grades.items()}
    ideal = dcg(sorted(gains.values(), reverse=True))
    return dcg([gains.get(document, 0) for document in ranking]) / ideal if ideal else 0.0


def exponential(grade):
    return 2**grade - 1


NAIVE = {
    "nDCG": ndcg,
    "nDCG@1": lambda grades, ranking: ndcg(grades, ranking, 1),
    "nDCG@5": lambda grades, ranking: ndcg(grades, ranking, 5),
    "nDCG@100": lambda grades, ranking: ndcg(grades, ranking, 100),
    "nDCG(dcg='exp-log2')@5": lambda grades, ranking: ndcg(grades, ranking, 5, exponential),
    "nDCG(dcg='exp-log2')": lambda grades, ranking: ndcg(grades, ranking, None, exponential),
    "nDCG(gains={1:5})@5": lambda grades, ranking: ndcg(
        grades, ranking, 5, lambda grade: 5 if grade == 1 else grade
    ),
    "AP": average_precision,
    "AP@3": lambda grades, ranking: average_precision(grades, ranking, 3),
    "AP(rel=2)": lambda grades, ranking: average_precision(grades, ranking, rel=2),
    "RR": reciprocal_rank,
    "RR@2": lambda grades, ranking: reciprocal_rank(grades, ranking, 2),
    "RR(rel=2)": lambda grades, ranking: reciprocal_rank(grades, ranking, rel=2),
    "P@1": lambda grades, ranking: precision(grades, ranking, 1),
    "P@5": lambda grades, ranking: precision(grades, ranking, 5),
    "P(rel=2)@5": lambda grades, ranking: precision(grades, ranking, 5, 2),
    "R@5": lambda grades, ranking: recall(grades, ranking, 5),
    "R(rel=3)@5": lambda grades, ranking: recall(grades, ranking, 5, 3),
    "R@1000": lambda grades, ranking: recall(grades, ranking, 1000),
    "Rprec": r_precision,
    "Success@3": lambda grades, ranking: success(grades, ranking, 3),
    "Judged@4": lambda grades, ranking: judged(grades, ranking, 4),
    "Judged": lambda grades, ranking: judged(grades, ranking, None),
    "SetP": lambda grades, ranking: precision(grades, ranking, len(ranking)),
    "SetR": lambda grades, ranking: recall(grades, ranking, None),
}
