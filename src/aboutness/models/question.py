"""What is asked of a ranker: a text, a document, or weighted terms."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from aboutness.core.errors import UsageError, shown

SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Question:
    """One of: a text; the texts of the fields of a document; the number of a document of the index; or terms,
    analysed already, with their weights. Each ranker analyses it as its own layer does.
    """

    text: str = ""
    fields: Mapping[str, str] | None = None
    document: int | None = None
    terms: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", SURROGATE.sub("\ufffd", self.text))
        for term, weight in (self.terms or {}).items():
            if not 0 <= weight < math.inf:
                raise UsageError(
                    f"the weight of term {shown(term)} must be a number of at least 0, got {shown(weight)}"
                )
