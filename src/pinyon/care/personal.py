"""The operations of a client on what a person lets memory keep, and on how it went with it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence

from pinyon.care.feedback import FeedbackKeeper
from pinyon.care.sessions import SessionKeeper
from pinyon.domain.answers import FedBack, Forgotten, Noted
from pinyon.domain.consent import Consent
from pinyon.domain.feedback import Outcome
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Principal
from pinyon.domain.session import Session, SessionMode
from pinyon.domain.space import Scope, Space
from pinyon.domain.times import US_PER_S
from pinyon.errors import Conflict, NotFound, Unavailable
from pinyon.ports.clock import Clock
from pinyon.ports.store import Store
from pinyon.ports.watch import Watch, watched, watched_stream
from pinyon.recall.recaller import Recaller
from pinyon.text.normal import keep
from pinyon.write.allowing import topics_of
from pinyon.write.form import flag
from pinyon.write.uses import Uses

LOOKED_EVERY_US = 60 * US_PER_S
"""How often a client that is in use looks for sessions that are due to end."""


class PersonalOperations(ABC):
    """Sessions, consent and feedback; `MemoryClient` has the rest."""

    _store: Store
    _principal: Principal
    _clock: Clock
    _recaller: Recaller
    _uses: Uses
    _sessions: SessionKeeper
    _feedback: FeedbackKeeper
    _watch: Watch
    _looked_at_us: int | None = None

    @abstractmethod
    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now."""

    @watched
    async def start_session(self, session: str, *, mode: SessionMode = "normal") -> Session:
        """Say what becomes of what is said in a session: kept, kept in it only, or not kept."""
        return await self._sessions.start((await self._who("own")).space("own"), session, mode)

    @watched
    async def end_session(self, session: str) -> Forgotten:
        """End a session; of a temporary one everything is forgotten."""
        own = (await self._who("own")).space("own")
        await self._uses.flush()
        forgotten = await self._sessions.end(own, session)
        self._recaller.let_go()
        return forgotten

    @watched
    async def list_sessions(self) -> tuple[Session, ...]:
        """Return the sessions that were started and go on, oldest first."""
        return await self._sessions.list((await self._who("own")).space("own", to="read"))

    @watched
    async def consent(self) -> Consent:
        """Return what the user lets memory keep."""
        own = (await self._who("own")).space("own", to="read")
        return await self._store.registry.consent(own)

    @watched
    async def set_consent(
        self, *, paused: bool | None = None, never: Sequence[str] | None = None
    ) -> Consent:
        """Say what memory may keep of the user; what is not named stays as it was."""
        own = (await self._who("own")).space("own")
        return await self._store.registry.put_consent(
            own,
            paused=None if paused is None else flag("paused", paused),
            never=None if never is None else topics_of(never),
        )

    @watched
    async def feedback(
        self,
        ids: str | Sequence[str],
        outcome: Outcome,
        *,
        query: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Noted:
        """Say how it went with memories that were recalled."""
        writes = (await self._who()).writes
        return await self._feedback.note(
            writes, ids, outcome, query=query, session=session, key=key
        )

    @watched_stream
    async def export_feedback(self, *, scope: Scope = "own") -> AsyncIterator[FedBack]:
        """Return what was asked and how it went with what was recalled, oldest first."""
        space = (await self._who(scope)).space(scope, to="read")
        async for pair in self._feedback.pairs(space):
            yield pair

    async def _end_overdue(self) -> None:
        """End the user's temporary sessions that are due, with the first use and now and then.

        Recall does not see them any more anyway; so that it cannot be done now stops nobody.
        """
        own, now_us = self._own, self._clock.now_us()
        is_recent = self._looked_at_us is not None and now_us - self._looked_at_us < LOOKED_EVERY_US
        if is_recent or own not in self._principal.writes:
            return
        self._looked_at_us = now_us
        try:
            if await self._sessions.end_overdue(own):
                self._recaller.let_go()
        except (Unavailable, Conflict, NotFound):
            return  # busy, or another process does it just now

    async def _note_given(self, memories: Iterable[Memory], session: str) -> None:
        """Note that memories were given to a model; of a temporary session not in which."""
        session = keep(session)
        kept = await self._store.sessions.list_sessions(self._own) if session else ()
        is_temporary = any(one.is_temporary for one in kept if one.name == session)
        await self._uses.note(memories, session="" if is_temporary else session)

    @property
    def _own(self) -> Space:
        return Space.of_user(self._principal.tenant, self._principal.user)
