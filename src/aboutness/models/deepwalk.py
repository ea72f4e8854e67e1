"""DeepWalk: the angle between rows that were trained on the graph of documents and words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from aboutness.models.doc2vec import DocumentAngle
from aboutness.models.model import register
from aboutness.vectors.edges import Edges
from aboutness.vectors.trainer import DocumentTrainer
from aboutness.vectors.walks import Walks


@register
@dataclass(frozen=True)
class DeepWalk(DocumentAngle):
    """DeepWalk: the angle of documents that were trained by skip-gram on edges to their words.

    Paper: malina2016 ("Deep Walk", after Perozzi et al. 2014; it has no formula). `edges` without a window trains
    it as malina2016 describes it, and is PV-DBOW; `walks` trains it on true random walks (Perozzi et al.).
    `vectors` names one of both.

    Differs from the paper: it says no more than which edges there are; see `aboutness.vectors.edges`. It asks with
    documents of the collection, so that the choice of `unknown` does not arise there.
    """

    name: ClassVar[str] = "deepwalk"
    summary: ClassVar[str] = "cosine of documents trained by skip-gram on document-word edges, or on random walks"
    source: ClassVar[str] = "malina2016; Perozzi et al. 2014"

    def wanted(self) -> tuple[str, DocumentTrainer]:
        """Return what has to be trained."""
        return Edges.name, Edges()

    def fits(self, made: Mapping[str, Any]) -> bool:
        """Tell whether something was trained on edges of documents alone, or on walks."""
        return made["training"] == Walks.name or (
            made["training"] == Edges.name and not made["parameters"]["window"]
        )
