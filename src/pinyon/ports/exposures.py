"""To whom memories were given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """One time that a memory was given to a model.

    Attributes:
        session: The conversation, "" where none was named.
        surface: Through which surface.
    """

    at_us: int
    session: str
    surface: str


class Exposures(Protocol):
    """Reads what `Expose` changes wrote."""

    async def given(self, space: Space, memory_id: MemoryId) -> Sequence[Exposure]:
        """Return when a memory was given to a model within the last 90 days, oldest first."""
