"""Everything that a space holds, row by row."""

from collections.abc import AsyncIterator

from pinyon.domain.answers import Exported
from pinyon.domain.filter import EVERYTHING, Filter
from pinyon.domain.memory import Memory
from pinyon.domain.space import Space
from pinyon.ports.records import Records, every_event, every_memory


async def export(
    records: Records, space: Space, where: Filter = EVERYTHING
) -> AsyncIterator[Exported]:
    """Yield the events, then the memories, oldest first, each with its earlier versions.

    Events come first, so that whoever reads the rows in order knows what a memory answered to.
    """
    async for event in every_event(records, space):
        yield Exported(event=event)
    async for memory in every_memory(records, space, where, order="oldest"):
        earlier: tuple[Memory, ...] = ()
        if memory.version > 1:
            earlier = tuple((await records.versions(space, memory.id))[:-1])
        yield Exported(memory=memory, earlier=earlier)
