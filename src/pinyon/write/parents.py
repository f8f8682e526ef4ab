"""What something belongs to: a result to its call, by its id or by the caller's own message id."""

from collections.abc import Sequence
from dataclasses import replace

from pinyon.domain.ids import EventId, MemoryId, turn_id
from pinyon.domain.space import Space
from pinyon.errors import InvalidId, NotFound
from pinyon.ports.event_log import EventLog
from pinyon.ports.records import Records
from pinyon.write.gate import Admitted

_PREFIXES = ("evt_", "mem_")


class Parents:
    """Looks up what drafts name as their parents, and keeps it as an id."""

    def __init__(self, records: Records, log: EventLog | None) -> None:
        self._records, self._log = records, log

    async def found(self, space: Space, admitted: Sequence[Admitted]) -> list[Admitted]:
        """Return memories with the ids of their parents.

        A name that is no id is the message id of an earlier turn of the same session: of one that
        is there, or of one before it in the batch.

        Raises:
            NotFound: A parent is not in the space.
        """
        earlier: dict[tuple[str, str], MemoryId] = {}
        placed = []
        for one in admitted:
            memory, source = one.memory, one.memory.source
            if source.parent_event:
                parent = await self._parent(space, source.session, source.parent_event)
                parent = parent or earlier.get((source.session, source.parent_event))
                if parent is None:
                    raise NotFound(source.parent_event)
                memory = replace(memory, source=replace(source, parent_event=parent))
            if source.message_id:
                earlier.setdefault((source.session, source.message_id), memory.id)
            placed.append(replace(one, memory=memory))
        return placed

    async def _parent(self, space: Space, session: str, named: str) -> MemoryId | EventId | None:
        if named.startswith(_PREFIXES):
            try:
                turn = turn_id(named)
            except InvalidId:
                pass  # somebody's message ids begin so too
            else:
                is_there = await self._records.turn_text(space, turn) is not None
                return turn if is_there else None
        return None if self._log is None else await self._log.turn_named(space, session, named)
