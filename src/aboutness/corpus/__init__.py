"""Where text comes from: readers that stream records and say where bad input lies."""
