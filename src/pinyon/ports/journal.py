"""The audit: who did what to which memory, in a chain that shows any gap."""

from dataclasses import dataclass
from typing import Protocol

from pinyon.domain.space import Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the journal: no text and no query, only ids and a keyed hash.

    Attributes:
        n: Its place, from 1, without gaps.
        action: `put`, `patch`, `link`, `erase`, ...
        target: Id of the memory, event or job.
        keyed_hash: Hash of the content under a key that dies with the space.
        mac: Over this entry and the MAC of the one before, under the home's secret.
    """

    n: int
    at_us: int
    actor: str
    surface: str
    action: str
    target: str
    keyed_hash: str
    mac: bytes


class Journal(Protocol):
    """Reads the journal that `Records.apply` writes."""

    async def entries(
        self, space: Space, *, target: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[Entry]:
        """Return entries after a place, of one target or of all, oldest first."""

    async def broken_at(self, space: Space) -> int | None:
        """Return the place of the first entry that does not fit the chain, or `None`.

        A journal shorter than its mirrored head is broken behind its last entry.
        """
