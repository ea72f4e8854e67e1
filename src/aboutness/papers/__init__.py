"""The papers done again: each one's own protocol, from the documents to its tables and figures."""

from __future__ import annotations

NAMES = ("galke2017", "ai2016", "malina2016", "mitra2016")
