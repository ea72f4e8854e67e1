"""Figures that rankers draw of themselves, all on one small corpus."""
