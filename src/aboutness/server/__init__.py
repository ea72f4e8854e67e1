"""The server: requests in, use cases, answers and pages out."""
