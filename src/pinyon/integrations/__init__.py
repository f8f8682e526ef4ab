"""What other people's agents plug into: a module each, which needs that one's library."""
