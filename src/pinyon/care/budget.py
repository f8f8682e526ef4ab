"""What background work may spend on models: asked before each call, counted for all processes."""

from pinyon.domain.budget import Limits, Spent, day_of
from pinyon.domain.space import Space
from pinyon.ports.budgets import Budgets
from pinyon.ports.clock import Clock

WITHOUT_END = Spent(calls=2**62, tokens=2**62)


class Budget:
    """Calls and tokens a day, for a space and for the home; each day begins at midnight UTC."""

    def __init__(self, budgets: Budgets, limits: Limits, *, clock: Clock) -> None:
        self._budgets, self._limits, self._clock = budgets, limits, clock

    async def take(self, space: Space, *, calls: int = 1, tokens: int = 0) -> bool:
        """Take what a call is about to spend; false, and nothing is taken, if it is too much.

        Args:
            space: For whom.
            calls: How many calls.
            tokens: How many tokens they may take, in and out together.
        """
        more, day = Spent(calls=calls, tokens=tokens), self._today
        limits = self._limits
        if not await self._budgets.spend(space, more, day=day, most=limits.of_space):
            return False
        if await self._budgets.spend(None, more, day=day, most=limits.of_home):
            return True
        back = Spent(calls=-calls, tokens=-tokens)
        await self._budgets.spend(space, back, day=day, most=limits.of_space)
        return False

    async def correct(self, space: Space, *, tokens: int) -> None:
        """Count tokens that a call took beyond what was taken for it; negative: it took fewer.

        They are spent: it is counted even where that is more than may be.
        """
        for whose in (space, None):
            more = Spent(tokens=tokens)
            await self._budgets.spend(whose, more, day=self._today, most=WITHOUT_END)

    async def spent(self, space: Space | None) -> Spent:
        """Return what was spent today; `None` asks for the home."""
        return await self._budgets.spent(space, day=self._today)

    @property
    def _today(self) -> int:
        return day_of(self._clock.now_us())
