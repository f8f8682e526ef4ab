"""Reading the event log: a conversation from its beginning, or what a query finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from pinyon.domain.answers import EventListing
from pinyon.domain.event import EVENT_TYPES, EventType, turn_of_event
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue
from pinyon.ports.event_log import EventLog, Within
from pinyon.recall.events import EventFinder, Search
from pinyon.recall.listing import checked_limit
from pinyon.recall.planning import checked_question
from pinyon.text.tokens import question_terms
from pinyon.write.form import line


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What is to be read; see `pinyon.ports.client.Operations.events`."""

    session: str | None = None
    query: str = ""
    types: Sequence[EventType] = ()
    cursor: str | None = None
    limit: int


class LogReader:
    """Reads the log of one space at a time."""

    def __init__(self, log: EventLog) -> None:
        self._log, self._finder = log, EventFinder(log)

    async def read(self, space: Space, wanted: Read) -> EventListing:
        """Return a part of what was said and done.

        Raises:
            BadInput: A part of it is not what it must be.
        """
        limit = checked_limit(wanted.limit)
        if unknown := [one for one in wanted.types if one not in EVENT_TYPES]:
            raise InvalidValue("type", unknown[0], "one of " + ", ".join(EVENT_TYPES))
        session = None if wanted.session is None else line("session", wanted.session)
        if wanted.query != "":
            return await self._found(space, wanted, session)
        page = await self._log.replay(
            space, session=session, types=wanted.types, cursor=wanted.cursor, limit=limit
        )
        return EventListing(page.turns, page.next_cursor)

    async def _found(self, space: Space, wanted: Read, session: str | None) -> EventListing:
        if wanted.cursor is not None:
            allowed = "none where there is a query: the best come first"
            raise InvalidValue("cursor", wanted.cursor, allowed)
        text = checked_question(wanted.query)
        found = await self._finder.find(
            Search(
                spaces=(space,),
                text=text,
                terms=question_terms(text),
                within=Within(session=session, types=tuple(wanted.types)),
                limit=wanted.limit,
            )
        )
        return EventListing(tuple(turn_of_event(hit.event) for hit in found), None)
