"""What a question says of itself, by rule: what it is after, and whether it stands by itself."""
