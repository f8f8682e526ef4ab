"""How fast Pinyon is on this machine, what it takes, and what it survives."""
