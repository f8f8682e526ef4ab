"""`python -m pinyon` is `pinyon`."""

from pinyon.surfaces.cli.start import run

run()
