"""One file is one model is one paper: parameters to scorer."""
