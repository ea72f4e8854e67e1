"""Measurements against the peers: every figure in the docs comes from here."""
