"""What background work may spend on models: asked before each call, counted for all processes."""

from collections.abc import Sequence

from pinyon.domain.budget import Limits, Spent, day_of, next_day_us
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import BadModelOutput, BudgetSpent, ModelUnavailable
from pinyon.ports.budgets import Budgets
from pinyon.ports.chat import Chat, Completion, F, Message
from pinyon.ports.clock import Clock
from pinyon.text.counting import estimated_tokens

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

    async def correct(self, space: Space, *, calls: int = 0, tokens: int = 0) -> None:
        """Count what a call took beyond what was taken for it; negative: it took less.

        It is spent: it is counted even where that is more than may be.
        """
        for whose in (space, None):
            more = Spent(calls=calls, tokens=tokens)
            await self._budgets.spend(whose, more, day=self._today, most=WITHOUT_END)

    async def spent(self, space: Space | None) -> Spent:
        """Return what was spent today; `None` asks for the home."""
        return await self._budgets.spent(space, day=self._today)

    def paying(self, chat: Chat, space: Space) -> Chat:
        """Return a model whose every call is paid for by a space."""
        return _Paid(chat, self, space)

    @property
    def seconds_left(self) -> int:
        """How long it is until the next day begins, in s."""
        now_us = self._clock.now_us()
        return -(-(next_day_us(now_us) - now_us) // US_PER_S)

    @property
    def _today(self) -> int:
        return day_of(self._clock.now_us())


class _Paid:
    """A `pinyon.ports.chat.Chat` that takes from a budget before it asks, and settles after."""

    def __init__(self, chat: Chat, budget: Budget, space: Space) -> None:
        self._chat, self._budget, self._space = chat, budget, space

    @property
    def label(self) -> str:
        return self._chat.label

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """See the port.

        Raises:
            BudgetSpent: The day's budget holds no such call any more.
        """
        asked = sum(estimated_tokens(one.text) for one in messages)
        taken = asked + max_tokens
        if not await self._budget.take(self._space, tokens=taken):
            raise BudgetSpent(self._budget.seconds_left)
        try:
            done = await self._chat.complete(
                messages, form=form, max_tokens=max_tokens, timeout_s=timeout_s
            )
        except ModelUnavailable:
            await self._budget.correct(self._space, tokens=-taken)
            raise
        except BadModelOutput as error:
            # Its vendor may not say what it took: then all of it is taken for spent.
            tokens = (error.tokens or taken) - taken
            await self._budget.correct(self._space, calls=1, tokens=tokens)
            raise
        spent = done.tokens_in + done.tokens_out
        if not spent:
            spent = asked + estimated_tokens(done.value.model_dump_json())
        await self._budget.correct(self._space, calls=done.calls - 1, tokens=spent - taken)
        return done
