"""Match, score, re-rank, mix: the ranking algebra."""
