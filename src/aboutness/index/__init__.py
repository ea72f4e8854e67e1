"""Tokens to the term-document matrix on disk: segments, store, snapshot, statistics."""
