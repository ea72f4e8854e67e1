"""The same steps over shards, in this process or on a Ray cluster."""
