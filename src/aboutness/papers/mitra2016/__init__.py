"""mitra2016: a dual embedding space model for document ranking."""
