"""The papers done again: each one's own protocol, from the documents to its tables and figures."""
