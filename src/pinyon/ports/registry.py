"""Which spaces there are."""

from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.space import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceInfo:
    """A space and what it holds.

    Attributes:
        bytes: On disk, or in memory, with every index.
    """

    space: Space
    memories: int
    events: int
    bytes: int
    seq: int
    created_at_us: int


class Registry(Protocol):
    """Lists spaces; it can be rebuilt from them."""

    async def spaces(self, tenant: str | None = None) -> list[Space]:
        """Return the spaces of a tenant, or of all, in the order of their text form."""

    async def info(self, space: Space) -> SpaceInfo | None:
        """Return what a space holds, or `None` for one that was never written to."""
