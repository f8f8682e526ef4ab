"""Sessions: starting them, ending them, and ending those of which nobody says any more."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pinyon.care.copies import Copies
from pinyon.care.forgetter import Forgetter, spaces_of_user
from pinyon.care.summarising import Summariser
from pinyon.domain.answers import Forgotten
from pinyon.domain.change import DropSession, EndSession, PutSession
from pinyon.domain.filter import Eq
from pinyon.domain.ids import NewUuid
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.session import SESSION_MODES, Session, SessionMode
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue, SessionUnderWay, TemporarySession, TooLarge
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.store import Store
from pinyon.recall.recaller import Recaller
from pinyon.write.eraser import joined
from pinyon.write.form import line

ENDER = Actor("pinyon", "sessions")

SESSIONS_MAX = 1_000
"""How many a user may have on record at once; each temporary one is part of every recall."""


class SessionKeeper:
    """Keeps the sessions of users; a user's sessions are recorded in the user's own space."""

    def __init__(
        self,
        store: Store,
        forgetter: Forgetter,
        *,
        clock: Clock,
        by: Actor,
        summariser: Summariser | None = None,
    ) -> None:
        """Take what it reads and writes.

        Args:
            store: Where.
            forgetter: Forgets what was said in a temporary session.
            clock: Tells the time.
            by: Whom the journal names.
            summariser: Tells in short what was said in another one; without it nobody does.
        """
        self._store, self._forgetter, self._clock, self._by = store, forgetter, clock, by
        self._summariser = summariser

    async def list(self, own: Space) -> tuple[Session, ...]:
        """Return the sessions on record that go on, by when they were started."""
        now_us = self._clock.now_us()
        kept = await self._store.sessions.list_sessions(own)
        return tuple(one for one in kept if not one.is_over_at(now_us))

    async def start(self, own: Space, session: object, mode: SessionMode) -> Session:
        """Start a session in a mode; started again in the same mode, it goes on.

        Raises:
            InvalidValue: The session has no name, or the mode is none.
            TooLarge: There are too many.
            SessionUnderWay: It is temporary and is to be another, or is to be temporary and
                something of it is kept already.
        """
        name = _name(session)
        if mode not in SESSION_MODES:
            raise InvalidValue("mode", mode, "one of " + ", ".join(SESSION_MODES))
        await self.end_overdue(own)
        kept = {one.name: one for one in await self._store.sessions.list_sessions(own)}
        held = kept.get(name)
        if held is not None and held.mode == mode:
            return held
        if held is not None and held.is_temporary:
            raise SessionUnderWay("the session is temporary, and what was said in it stays in it")
        if mode == "temporary" and await self._holds_anything(own, name):
            raise SessionUnderWay("something of the session is kept already")
        if held is None and len(kept) >= SESSIONS_MAX:
            size = len(kept) + 1
            hint = "end some, or let normal ones go without a start"
            raise TooLarge("sessions", size=size, limit=SESSIONS_MAX, unit="sessions", hint=hint)
        now_us = self._clock.now_us()
        started = Session(name=name, mode=mode, started_at_us=now_us, last_turn_at_us=now_us)
        await self._store.records.apply(own, [PutSession(started)], by=self._by)
        return started

    async def end(self, own: Space, session: object) -> Forgotten:
        """End a session; of a temporary one everything is forgotten, and the receipt answered.

        A normal one of some length is told in short.

        Raises:
            InvalidValue: The session has no name.
        """
        name = _name(session)
        kept = {one.name: one for one in await self._store.sessions.list_sessions(own)}
        if name in kept:
            return await self._end(own, kept[name])
        if await self._holds_anything(own, name):
            ended = EndSession(name=name, at_us=self._clock.now_us())
            await self._store.records.apply(own, [ended], by=self._by)
            await self._tell(own, name)
        return Forgotten()

    async def end_overdue(self, own: Space) -> int:
        """End the temporary sessions of which nothing was said for 24 hours; return how many.

        What a process that died had begun to forget is forgotten too.
        """
        now_us = self._clock.now_us()
        kept = await self._store.sessions.list_sessions(own)
        overdue = [one for one in kept if one.is_over_at(now_us)]
        for session in overdue:
            await self._end(own, session)
        return len(overdue)

    async def check_may_leave(self, own: Space, memory: Memory) -> None:
        """See that a memory may be put where others read.

        Raises:
            TemporarySession: It was said in a temporary session.
        """
        kept = await self._store.sessions.list_sessions(own)
        if any(one.is_temporary and one.name == memory.source.session for one in kept):
            raise TemporarySession("it cannot be published")

    async def _end(self, own: Space, session: Session) -> Forgotten:
        if not session.is_temporary:
            ended = EndSession(name=session.name, at_us=self._clock.now_us())
            await self._store.records.apply(own, [DropSession(session.name), ended], by=self._by)
            if session.mode == "normal":
                await self._tell(own, session.name)
            return Forgotten()
        # First closed, so that nothing comes in behind; then emptied; at last its name goes. Until
        # then no recall sees it, whatever becomes of this process.
        closed = replace(session, ended_at_us=self._clock.now_us())
        await self._store.records.apply(own, [PutSession(closed)], by=self._by)
        spaces = await spaces_of_user(self._store.registry, own)
        done = [await self._forgetter.forget_session(one, session.name) for one in spaces]
        await self._store.records.apply(own, [DropSession(session.name)], by=self._by)
        return _joined(done)

    async def _tell(self, own: Space, name: str) -> None:
        if self._summariser is not None:
            await self._summariser.tell(own, name)

    async def _holds_anything(self, own: Space, name: str) -> bool:
        for space in await spaces_of_user(self._store.registry, own):
            page = await self._store.records.scan(space, Eq("session", name), limit=1)
            log = await self._store.records.events(space, session=name, limit=1)
            if page.memories or log.events:
                return True
        return False


async def end_overdue(
    store: Store,
    own: Space,
    *,
    clock: Clock,
    new_uuid: NewUuid,
    embedder: Embedder | None = None,
) -> int:
    """End the temporary sessions of a user that are due, without a client; return how many.

    Args:
        store: Where.
        own: The user's own space.
        clock: Tells the time.
        new_uuid: Makes ids of receipts.
        embedder: Makes vectors anew where something around what is forgotten changes.
    """
    now_us = clock.now_us()
    if not any(one.is_over_at(now_us) for one in await store.sessions.list_sessions(own)):
        return 0
    forgetter = Forgetter(
        store,
        by=ENDER,
        clock=clock,
        new_uuid=new_uuid,
        recaller=Recaller(store.records, store.search, store.sessions),
        copies=Copies(store, clock=clock, new_uuid=new_uuid, embedder=embedder),
    )
    return await SessionKeeper(store, forgetter, clock=clock, by=ENDER).end_overdue(own)


def _name(session: object) -> str:
    name = line("session", session)
    if not name:
        raise InvalidValue("session", name, "the name of a conversation")
    return name


def _joined(done: Sequence[Forgotten]) -> Forgotten:
    """Return what was forgotten in several spaces as one answer."""
    receipts = [one.receipt for one in done if one.receipt is not None]
    if not receipts:
        return Forgotten()
    complete = all(one.complete for one in receipts)
    return Forgotten(receipt=replace(reduce(joined, receipts), complete=complete))
