"""Arrays to pictures: one function for each kind, without matplotlib's global state."""
