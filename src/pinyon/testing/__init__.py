"""What we test with, shipped so that others can hold their stores to the same promises."""

from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import memory_of, put, rows_of

__all__ = ["FrozenClock", "memory_of", "put", "rows_of"]
