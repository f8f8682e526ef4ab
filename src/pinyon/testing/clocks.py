"""A clock that stands still until it is told to go on."""

from pinyon.domain.times import US_PER_S, read_instant


class FrozenClock:
    """Tells one instant, and another after `forward`."""

    def __init__(self, at: str = "2026-03-02T09:00:00+00:00") -> None:
        self.at_us = read_instant(at)[0]

    def now_us(self) -> int:
        """Return the instant at which it stands."""
        return self.at_us

    def forward(self, seconds: float) -> int:
        """Move on, and return the new instant."""
        self.at_us += int(seconds * US_PER_S)
        return self.at_us
