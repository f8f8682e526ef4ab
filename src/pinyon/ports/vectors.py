"""Which model serves a space, and what still lacks its vectors."""

from collections.abc import Sequence
from typing import Protocol

from pinyon.domain.event import Event
from pinyon.domain.space import Space
from pinyon.ports.records import Page


class Vectors(Protocol):
    """Looks after the vectors of a space; they are put by `Records.apply`."""

    async def serving(self, space: Space) -> str | None:
        """Return the fingerprint of the model whose vectors answer; `None` where there are none."""

    async def lacking(
        self, space: Space, model: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page:
        """Return memories without dense vectors of a model, oldest first; none in quarantine.

        Raises:
            InvalidCursor: `cursor` was not given by this.
        """

    async def turns_lacking(self, space: Space, model: str, *, limit: int = 100) -> Sequence[Event]:
        """Return events that a memory follows and that have no token vectors of a model."""
