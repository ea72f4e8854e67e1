"""Query expansion: rankers that are asked more than the question."""

from aboutness.rank.expansion.eqe1 import EQE1
from aboutness.rank.expansion.eqe2 import EQE2
from aboutness.rank.expansion.nearest import Nearest
from aboutness.rank.expansion.rm3 import RM3
from aboutness.rank.expansion.rocchio import Rocchio

__all__ = ["EQE1", "EQE2", "RM3", "Nearest", "Rocchio"]
