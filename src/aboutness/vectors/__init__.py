"""Words and documents to vectors: load, train, post-process, neighbours."""
