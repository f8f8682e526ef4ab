"""Measuring: how fast, and how good."""
