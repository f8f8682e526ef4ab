"""The sessions of a user that are not simply normal."""

from collections.abc import Collection, Sequence
from typing import Protocol

from pinyon.domain.session import Session
from pinyon.domain.space import Space


class Sessions(Protocol):
    """Reads what `PutSession`, `InSession` and `DropSession` changes wrote."""

    async def list_sessions(self, space: Space) -> Sequence[Session]:
        """Return the sessions of a space that have a record, by when they were started."""

    async def sessions_over(self, space: Space, names: Collection[str]) -> frozenset[str]:
        """Return which of these were temporary sessions that are over, and not started anew."""
