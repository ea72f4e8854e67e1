"""Words every room shares: records, errors, checks, the registry."""
