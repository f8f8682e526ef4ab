"""A run as a page to look at: one file, no script, nothing fetched."""
