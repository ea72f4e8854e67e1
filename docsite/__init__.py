"""The docs site: pages written by hand, and pages made from what is registered, built into `site/`."""
