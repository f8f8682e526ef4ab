"""The records of a space: the truth, and the one door through which it changes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pinyon.domain.change import Applied, Change, Once
from pinyon.domain.event import Event
from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Awaits, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space

Order = Literal["newest", "oldest"]
Relation = Literal["derived", "supports", "follows", "conflicts", "outdated", "supersedes"]

PAGE = 500
"""Rows that a walk over a space asks for at once."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, and where the next one begins (`None` after the last)."""

    memories: tuple[Memory, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class EventPage:
    """A part of a space's event log."""

    events: tuple[Event, ...]
    next_cursor: str | None


class Records(Protocol):
    """Keeps memories and events; it never ranks, embeds or decides what is worth keeping.

    A space that was never written to is empty, and reading does not create it.
    """

    async def apply(
        self,
        space: Space,
        changes: Sequence[Change],
        *,
        by: Actor,
        expect: Mapping[MemoryId, int] | None = None,
        once: Once | None = None,
    ) -> Applied:
        """Apply changes in order, all or nothing, with their journal entries.

        When it returns, every read of every process sees them, and a power cut cannot undo them.

        Args:
            space: Where; created if need be.
            changes: At most 2,000.
            by: Whom the journal names.
            expect: Versions that must still hold, by id.
            once: If `by` applied a batch with this key before, nothing happens and the first
                answer is given again. Another actor's keys are that one's own.

        Raises:
            NotFound: A change names an id that the space does not hold.
            AlreadyThere: A memory passes the filter of an `Absent`.
            ForeignHit: A memory to be put names another space as its own.
            VersionConflict: A version in `expect` no longer holds.
            KeyReused: The key of `once` came with another request.
            Unavailable: The store cannot be written now; nothing was changed.
        """

    async def get(
        self, space: Space, ids: Sequence[MemoryId], *, known_at_us: int | None = None
    ) -> list[Memory]:
        """Return the memories that the space holds, in the order of `ids`; others are left out.

        With `known_at_us`, each as it was known then.
        """

    async def scan(
        self,
        space: Space,
        where: Filter = EVERYTHING,
        *,
        order: Order = "newest",
        cursor: str | None = None,
        limit: int = 100,
        known_at_us: int | None = None,
    ) -> Page:
        """Return memories that pass the filter, in the order in which they were put.

        Walking the cursors gives every memory that was there throughout exactly once.

        Raises:
            InvalidCursor: `cursor` was not given by a scan of this store.
        """

    async def events(
        self,
        space: Space,
        *,
        session: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> EventPage:
        """Return events, oldest first, of one session or of all."""

    async def turn_before(
        self, space: Space, session: str, at_us: int, *, memories_only: bool = False
    ) -> tuple[MemoryId | EventId, str] | None:
        """Return id and text of the session's last turn at or before an instant."""

    async def turn_text(self, space: Space, turn: MemoryId | EventId) -> str | None:
        """Return the text of a memory or an event, `None` where it is not there."""

    async def chain(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """Return all that supersede or are superseded by it, directly or not, oldest first."""

    async def versions(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """Return a memory as it was at each of its versions, oldest first."""

    async def dependants(
        self, space: Space, memory_id: MemoryId
    ) -> list[tuple[Relation, MemoryId]]:
        """Return what points at a memory or event, and how.

        `derived`: made from it; `supports`: it supports that; `follows`: the turn after it;
        `conflicts`: says otherwise; `outdated`: an episode that it outdates;
        `supersedes`: its successor.
        """

    async def pending(self, space: Space, awaited: Awaits, *, limit: int = 100) -> list[Memory]:
        """Return memories that await something, oldest first."""


async def every_memory(
    records: Records, space: Space, where: Filter = EVERYTHING, *, order: Order = "newest"
) -> AsyncIterator[Memory]:
    """Yield all memories that pass a filter, page by page."""
    cursor: str | None = None
    while True:
        page = await records.scan(space, where, order=order, cursor=cursor, limit=PAGE)
        for memory in page.memories:
            yield memory
        cursor = page.next_cursor
        if cursor is None:
            return


async def every_event(
    records: Records, space: Space, *, session: str | None = None
) -> AsyncIterator[Event]:
    """Yield all events, of one session or of all, oldest first, page by page."""
    cursor: str | None = None
    while True:
        page = await records.events(space, session=session, cursor=cursor, limit=PAGE)
        for event in page.events:
            yield event
        cursor = page.next_cursor
        if cursor is None:
            return
