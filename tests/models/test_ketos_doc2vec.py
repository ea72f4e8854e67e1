"""Ketos' Doc2Vec is tested together with `deepwalk`, which differs in its training only; here, that they differ."""

from __future__ import annotations

import numpy as np

from aboutness.models.deepwalk import DeepWalk
from aboutness.models.ketos_doc2vec import KetosDoc2Vec
from models.test_deepwalk import scores, trained


def test_edges_between_words_make_a_difference():
    index = trained("edges", "ketos-edges")
    one, other = scores(DeepWalk(), index, "moon tide"), scores(KetosDoc2Vec(), index, "moon tide")
    assert np.abs(one - other).max() > 0.05
