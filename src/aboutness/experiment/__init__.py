"""A declared grid to tidy, cached, resumable results."""
