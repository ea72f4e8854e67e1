"""ai2016: paragraph vectors in language models for ad-hoc retrieval."""
