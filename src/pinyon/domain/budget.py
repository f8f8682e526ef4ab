"""What background work may spend in a day on models."""

from dataclasses import dataclass

from pinyon.domain.times import US_PER_S

US_PER_DAY = 24 * 3600 * US_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Calls of a model, and tokens that went in and came out."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much may be spent in a day; a day begins at midnight UTC.

    Attributes:
        calls: For one space.
        tokens: For one space.
        home_calls: For all spaces of a home together.
        home_tokens: For all spaces of a home together.
    """

    calls: int = 200
    tokens: int = 1_000_000
    home_calls: int = 5_000
    home_tokens: int = 25_000_000

    def __post_init__(self) -> None:
        """See that no limit is negative."""
        for name in ("calls", "tokens", "home_calls", "home_tokens"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is negative; 0 allows none")

    @property
    def of_space(self) -> Spent:
        """Return what one space may spend."""
        return Spent(calls=self.calls, tokens=self.tokens)

    @property
    def of_home(self) -> Spent:
        """Return what a home may spend."""
        return Spent(calls=self.home_calls, tokens=self.home_tokens)


def day_of(now_us: int) -> int:
    """Return the number of a day since 1970, UTC."""
    return now_us // US_PER_DAY
