"""`python -m pinyon` is `pinyon`."""

from pinyon.surfaces.cli.main import run

run()
