"""What changed, for whoever keeps something derived from a space."""

from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.ids import MemoryId
from pinyon.domain.space import Space


@dataclass(frozen=True, slots=True)
class ChangedSince:
    """What a space saw since a sequence number: now at `seq`; these changed, those are gone.

    With `was_emptied`, everything that was there at that number is gone.
    """

    seq: int
    changed: frozenset[MemoryId]
    gone: frozenset[MemoryId]
    was_emptied: bool = False


class Changes(Protocol):
    """Tells caches what to drop."""

    async def seq(self, space: Space) -> int:
        """Return the space's sequence number; 0 for one that was never written to."""

    async def since(self, space: Space, seq: int) -> ChangedSince:
        """Return what changed after a sequence number."""
