"""Time, as an argument."""

from typing import Protocol


class Clock(Protocol):
    """Tells the time; the only way in which the core learns it."""

    def now_us(self) -> int:
        """Return microseconds since 1970, UTC."""
