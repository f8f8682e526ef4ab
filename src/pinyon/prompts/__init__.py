"""Texts for models, each in a file of its own with a version, and what loads them."""
