"""What happens to a question. One bus, one door; every surface asks through it."""
