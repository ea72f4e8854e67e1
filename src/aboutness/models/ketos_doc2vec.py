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
    """Doc2Vec as malina2016 has it: the angle of documents trained on edges, also from words to words.

    Paper: malina2016 ("Doc2Vec", after Le and Mikolov 2014; it has no formula), by skip-gram on document -> word
    and word -> neighbour edges (`train DIR edges`).

    Differs from the paper: it says no more than which edges there are; see `aboutness.vectors.edges`. It asks with
    documents of the collection, so that the choice of `unknown` does not arise there.
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
