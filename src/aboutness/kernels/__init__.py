"""Arrays in, arrays out: the only room that compiles."""
