"""The HTTP server: parse, call the app, render."""
