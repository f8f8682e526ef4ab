"""What was spent on models in a day, counted where every process sees it."""

from typing import Protocol

from pinyon.domain.budget import Spent
from pinyon.domain.space import Space


class Budgets(Protocol):
    """Counts for each space, and for the home as a whole. Of each, only the last day is kept."""

    async def spend(self, space: Space | None, more: Spent, *, day: int, most: Spent) -> bool:
        """Count more as spent, unless it would then be over the most that may be.

        Decided inside the transaction, so that several processes keep to one limit together.

        Args:
            space: Whose; `None` for the home as a whole. Neither is made by this: where nothing was
                ever written nothing can be spent.
            more: What is about to be spent; negative numbers give back.
            day: Since 1970; what was spent on days before is forgotten.
            most: What may be spent in a day.

        Returns:
            Whether it was counted; if not, nothing changed.
        """

    async def spent(self, space: Space | None, *, day: int) -> Spent:
        """Return what was spent in a day."""
