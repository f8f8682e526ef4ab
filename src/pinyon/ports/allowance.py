"""What models that talk may take in a day, as far as whoever asks one needs to know it."""

from typing import Protocol

from pinyon.domain.space import Space


class Allowance(Protocol):
    """Says beforehand whether a model may be asked."""

    async def take(self, space: Space, *, calls: int = 1, tokens: int = 0) -> bool:
        """Take what a call is about to spend; false, and nothing is taken, if it is too much.

        Args:
            space: For whom.
            calls: How many calls.
            tokens: How many tokens they may take, in and out together.
        """

    async def correct(self, space: Space, *, tokens: int) -> None:
        """Count tokens that a call took beyond what was taken for it; negative: it took fewer."""
