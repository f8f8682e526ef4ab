"""Which turn came before: asked of the store once a session, then followed within a batch."""

from bisect import bisect_right, insort
from dataclasses import dataclass, field

from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.records import Records

Turn = tuple[MemoryId | EventId, str]

_FAR_US = 1 << 60


@dataclass(slots=True)
class _Session:
    """What is known of one session.

    Attributes:
        newest: Its last turn in the store.
        newest_from_us: An instant from which on the store's last turn is the newest one.
        said: The batch's own turns, by time.
    """

    newest: Turn | None
    newest_from_us: int = _FAR_US
    said: list[tuple[int, int, Memory]] = field(default_factory=list)


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
        repeats = False
        if place:
            said_us, _, said = session.said[place - 1]
            repeats = said.content_hash == memory.content_hash
            # The batch follows what is held, unless it is being filled in behind it.
            if turn is None or await self._held(name, session, said_us) == turn:
                turn = (said.id, said.text)
        if not repeats:
            insort(session.said, (at_us, len(session.said), memory), key=lambda said: said[:2])
        return turn

    async def _held(self, name: str, session: _Session, at_us: int) -> Turn | None:
        if session.newest is None or at_us >= session.newest_from_us:
            return session.newest
        held = await self._records.turn_before(self._space, name, at_us)
        if held == session.newest:
            session.newest_from_us = at_us
        return held
