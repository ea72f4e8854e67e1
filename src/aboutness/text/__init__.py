"""Text to tokens: analyzers with a serialisable specification."""
