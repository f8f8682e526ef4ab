"""A home at a server: the same client, over the network."""
