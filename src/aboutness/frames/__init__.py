"""Rows <-> pandas' data frames, with the columns that other tools give them."""
