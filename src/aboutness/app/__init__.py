"""Use cases: all that the front ends may import."""
