"""Everything that a space holds, row by row."""

from collections.abc import AsyncIterator

from pinyon.domain.answers import Exported
from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.records import Records

PAGE = 500


async def export(
    records: Records, space: Space, where: Filter = EVERYTHING
) -> AsyncIterator[Exported]:
    """Yield the events, then the memories, oldest first, each with its earlier versions.

    Events come first, so that whoever reads the rows in order knows what a memory answered to.
    """
    cursor: str | None = None
    while True:
        events = await records.events(space, cursor=cursor, limit=PAGE)
        for event in events.events:
            yield Exported(event=event)
        cursor = events.next_cursor
        if cursor is None:
            break
    while True:
        page = await records.scan(space, where, order="oldest", cursor=cursor, limit=PAGE)
        for memory in page.memories:
            earlier: tuple[Memory, ...] = ()
            if memory.version > 1:
                earlier = tuple((await records.versions(space, memory.id))[:-1])
            yield Exported(memory=memory, earlier=earlier)
        cursor = page.next_cursor
        if cursor is None:
            return
