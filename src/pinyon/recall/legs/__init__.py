"""The legs: each brings a ranked list of candidates from each space."""
