"""Which turn came before: asked of the store once a session, then followed within a batch."""

from bisect import bisect_right, insort
from dataclasses import dataclass, field

from pinyon.domain.filter import matches
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.records import Records
from pinyon.write.duplicates import equal_to

Turn = tuple[MemoryId | EventId, str]

_FAR_US = 1 << 60


@dataclass(slots=True)
class _Session:
    """What is known of one session.

    Attributes:
        newest: Its last turn in the store.
        newest_from_us: An instant from which on the store's last turn is the newest one.
        said: The batch's own turns, by time.
        by_hash: The same, by their text.
    """

    newest: Turn | None
    newest_from_us: int = _FAR_US
    said: list[tuple[int, int, Memory]] = field(default_factory=list)
    by_hash: dict[str, list[Memory]] = field(default_factory=dict)


class TurnsBefore:
    """Answers for the episodes of one batch, in the order in which they are written."""

    def __init__(self, records: Records, space: Space) -> None:
        self._records, self._space = records, space
        self._sessions: dict[str, _Session] = {}

    async def before(self, memory: Memory) -> Turn | None:
        """Return the turn before an episode, which from now on is itself taken into account."""
        name, at_us = memory.source.session, memory.times.occurred_at_us or 0
        if name not in self._sessions:
            newest = await self._records.turn_before(self._space, name, _FAR_US)
            self._sessions[name] = _Session(newest)
        session = self._sessions[name]
        turn = await self._held(name, session, at_us)
        place = bisect_right(session.said, at_us, key=lambda said: said[0])
        if place:
            said_us, _, said = session.said[place - 1]
            # The batch follows what is held, unless it is being filled in behind it.
            if turn is None or await self._held(name, session, said_us) == turn:
                turn = (said.id, said.text)
        if not await self._is_there(session, memory):
            insort(session.said, (at_us, len(session.said), memory), key=lambda said: said[:2])
        return turn

    async def _is_there(self, session: _Session, memory: Memory) -> bool:
        """Return whether an episode is one sent again, which the store will not put."""
        equal = equal_to(memory)
        if any(matches(equal, said) for said in session.by_hash.get(memory.content_hash, ())):
            return True
        session.by_hash.setdefault(memory.content_hash, []).append(memory)
        if session.newest is None:
            return False
        return bool((await self._records.scan(self._space, equal, limit=1)).memories)

    async def _held(self, name: str, session: _Session, at_us: int) -> Turn | None:
        if session.newest is None or at_us >= session.newest_from_us:
            return session.newest
        held = await self._records.turn_before(self._space, name, at_us)
        if held == session.newest:
            session.newest_from_us = at_us
        return held
