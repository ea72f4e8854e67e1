"""The same steps over shards."""
