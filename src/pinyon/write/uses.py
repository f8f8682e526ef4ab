"""Noting which memories were given to a model: gathered in the process, written in batches."""

from collections.abc import Iterable

from pinyon.domain.change import Expose
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import Unavailable
from pinyon.ports.clock import Clock
from pinyon.ports.records import Records

GATHERED_MAX = 64
GATHERED_FOR_US = 5 * US_PER_S
CHANGES_MAX = 1_000


class Uses:
    """Gathers uses until they are worth a write, or nobody asks any more."""

    def __init__(self, records: Records, *, clock: Clock, by: Actor) -> None:
        self._records, self._clock, self._by = records, clock, by
        self._gathered: list[tuple[Space, Expose]] = []

    async def note(self, memories: Iterable[Memory], *, session: str) -> None:
        """Note that memories were given to a model, in a conversation.

        The conversation is kept in the user's own spaces only: whoever forgets in a space of
        several users reads there in which it was given, and its name is not theirs.
        """
        at_us = self._clock.now_us()
        self._gathered += [
            (memory.space, Expose(id=memory.id, at_us=at_us, session=_named(session, memory)))
            for memory in memories
        ]
        if not self._gathered:
            return
        waited_us = at_us - self._gathered[0][1].at_us
        if len(self._gathered) >= GATHERED_MAX or waited_us >= GATHERED_FOR_US:
            await self.flush()

    async def flush(self) -> None:
        """Write what was gathered. A store that cannot be written now keeps nobody from reading."""
        gathered, self._gathered = self._gathered, []
        by_space: dict[Space, list[Expose]] = {}
        for space, exposed in gathered:
            by_space.setdefault(space, []).append(exposed)
        for space, exposures in by_space.items():
            for start in range(0, len(exposures), CHANGES_MAX):
                part = exposures[start : start + CHANGES_MAX]
                try:
                    await self._records.apply(space, part, by=self._by)
                except Unavailable:
                    self._gathered += [(space, exposed) for exposed in part]
        del self._gathered[:-CHANGES_MAX]


def _named(session: str, memory: Memory) -> str:
    return session if memory.space.segments[0] == "user" else ""
