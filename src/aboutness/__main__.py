"""Run as `python -m aboutness`."""

from aboutness.cli.main import main

main()
