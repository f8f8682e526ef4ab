"""What models that talk may take in a day, as far as whoever asks one needs to know it."""

from typing import Protocol

from pinyon.domain.space import Space
from pinyon.ports.chat import Chat


class Allowance(Protocol):
    """Pays for calls of a model, as long as there is something left for today."""

    def paying(self, chat: Chat, space: Space) -> Chat:
        """Return a model whose every call is paid for by a space.

        Beside what any model raises, it raises `BudgetSpent` where too little is left.
        """
