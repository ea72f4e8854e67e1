"""Ketos' Doc2Vec: the angle between rows that were trained on edges of documents and of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from aboutness.models.doc2vec import DocumentAngle
from aboutness.models.model import register
from aboutness.vectors.edges import Edges
from aboutness.vectors.trainer import DocumentTrainer


@register
@dataclass(frozen=True)
class KetosDoc2Vec(DocumentAngle):
    """Doc2Vec as malina2016 has it: skip-gram on document -> word and word -> neighbour edges.

    score(q, d) = cos(q, d)

    d is the document's row (IN); q the row that is inferred for the query's words with their OUT vectors as they
    are, or the row of the document that asks.

    Differs from the paper: it says no more than which edges there are; see `aboutness.vectors.edges`. Words that
    were not trained are left out. A document without any known word has -1 and comes last; such a query finds
    nothing. Cost: as `doc2vec`.
    """

    name: ClassVar[str] = "ketos-doc2vec"
    summary: ClassVar[str] = "cosine of documents trained by skip-gram on document-word and word-word edges"
    source: ClassVar[str] = "malina2016"

    def wanted(self) -> tuple[str, DocumentTrainer]:
        """Return what has to be trained."""
        return "ketos-edges", Edges(window=5)

    def fits(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something was trained on edges of both kinds."""
        return bool(made["training"] == Edges.name and made["parameters"]["window"])
