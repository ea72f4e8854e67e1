"""Every kind of figure, by name."""

from __future__ import annotations

from aboutness.report import index_figures, result_figures
from aboutness.report.kinds import FIGURES

__all__ = ["FIGURES", "index_figures", "result_figures"]
