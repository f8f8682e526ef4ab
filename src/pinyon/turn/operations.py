"""The operations of a client on a turn of a conversation, and on what a prompt gets."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Sequence
from typing import Unpack

from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.question import RecallContext
from pinyon.domain.space import Scope
from pinyon.domain.turn import Context, Cut, Message, Moment, TaskOutcome, TurnDetails, TurnMemory
from pinyon.ports.watch import Watch, watched
from pinyon.turn.building import ContextBuilder, Wanted
from pinyon.turn.hooks import LoopHooks
from pinyon.turn.taking import Said, TurnTaker


class TurnOperations(LoopHooks[Awaitable[TurnMemory]], ABC):
    """Turns and contexts; `MemoryClient` has the rest."""

    _by: Actor
    _watch: Watch
    _turns: TurnTaker
    _contexts: ContextBuilder

    @abstractmethod
    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now."""

    @abstractmethod
    async def _end_overdue(self) -> None:
        """End the user's temporary sessions that are due."""

    @abstractmethod
    async def _note_given(self, memories: Iterable[Memory], session: str) -> None:
        """Note that memories were given to a model."""

    @watched
    async def turn(
        self,
        message: str,
        *,
        at: Moment = "message",
        outcome: TaskOutcome = "",
        key: str | None = None,
        **details: Unpack[TurnDetails],
    ) -> TurnMemory:
        """Keep what was said, and bring what memory holds for it. See `Operations`."""
        principal = await self._who()
        await self._end_overdue()
        said = Said(message=message, at=at, outcome=outcome, key=key, **details)
        brought = await self._turns.take(principal, said, by=self._by)
        given = [hit.memory for hit in brought.recall.hits]
        await self._given(principal, given, brought.cut, said.session)
        return brought

    @watched
    async def build_context(
        self,
        task: str,
        *,
        session: str = "",
        history: Sequence[Message] = (),
        context: RecallContext | None = None,
        budget_tokens: int = 2_000,
        k: int = 20,
    ) -> Context:
        """Return what a prompt gets from memory. See `pinyon.ports.client.Operations`."""
        principal = await self._who()
        await self._end_overdue()
        wanted = Wanted(
            task=task,
            session=session,
            history=history,
            context=context,
            budget_tokens=budget_tokens,
            k=k,
        )
        built = await self._contexts.build(principal, wanted)
        told = {entry.id for section in built.sections for entry in section.entries}
        given = [hit.memory for hit in built.recall.hits if hit.memory.id in told]
        await self._given(principal, given, (), session)
        return built

    async def _given(
        self, principal: Principal, memories: Iterable[Memory], cut: Iterable[Cut], session: str
    ) -> None:
        gone = {one.id for one in cut if one.because == "budget"}
        allowed = [one for one in memories if one.id not in gone and one.space in principal.writes]
        await self._note_given(allowed, session)
