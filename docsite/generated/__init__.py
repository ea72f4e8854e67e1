"""Pages that are made when the site is built, from what the package says about itself."""
