"""The client for code without an event loop: a shell around any client that has the operations."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Protocol, Self, TypeVar, Unpack

import anyio
from anyio.from_thread import BlockingPortal

from pinyon.domain.answers import (
    CatalogDocument,
    CatalogImported,
    EventListing,
    Exported,
    FedBack,
    Forgotten,
    History,
    Imported,
    Listing,
    Noted,
    Published,
    Recall,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.consent import Consent
from pinyon.domain.consolidation import (
    Consolidated,
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.draft import Annotations, Details, Draft, When
from pinyon.domain.event import EventType
from pinyon.domain.feedback import Outcome
from pinyon.domain.memory import Kind, Memory, Shelf
from pinyon.domain.principal import Principal
from pinyon.domain.question import Filters, Meant, Narrowing, RecallContext
from pinyon.domain.receipt import Receipt
from pinyon.domain.reflection import Ended, Reflected
from pinyon.domain.session import Session, SessionMode
from pinyon.domain.space import Scope
from pinyon.domain.turn import Context, Message, Moment, TaskOutcome, TurnDetails, TurnMemory
from pinyon.errors import StoreClosed
from pinyon.ports.client import Operations, Progress, Rows
from pinyon.turn.hooks import LoopHooks

T = TypeVar("T")


class AsyncClient(Operations, Protocol):
    """What the shell is put around: the operations, whom they are for, and an end."""

    @property
    def principal(self) -> Principal:
        """Whom this client speaks for."""

    async def close(self) -> None:
        """Let go of what it holds."""

    async def __aenter__(self) -> Self: ...


class BlockingMemoryClient(LoopHooks[TurnMemory]):
    """A client for code without an event loop: same methods, no logic of its own."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._portal: BlockingPortal | None = None
        self._is_closed = False

    @property
    def principal(self) -> Principal:
        """Whom this client speaks for."""
        return self._client.principal

    def remember(
        self,
        text: str,
        *,
        recallable: bool | None = None,
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Keep what was said, before it is answered."""
        call = partial(
            self._client.remember,
            text,
            recallable=recallable,
            key=key,
            **details,
        )
        return self._call(call)

    def turn(
        self,
        message: str,
        *,
        at: Moment = "message",
        outcome: TaskOutcome = "",
        key: str | None = None,
        **details: Unpack[TurnDetails],
    ) -> TurnMemory:
        """Keep what was said, before it is answered, and bring what memory holds for it."""
        return self._call(
            partial(self._client.turn, message, at=at, outcome=outcome, key=key, **details)
        )

    def build_context(
        self,
        task: str,
        *,
        session: str = "",
        history: Sequence[Message] = (),
        context: RecallContext | None = None,
        budget_tokens: int = 2_000,
        k: int = 20,
    ) -> Context:
        """Return what a prompt gets from memory."""
        call = partial(
            self._client.build_context,
            task,
            session=session,
            history=history,
            context=context,
            budget_tokens=budget_tokens,
            k=k,
        )
        return self._call(call)

    def write(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        scope: Scope = "own",
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Write a fact, a procedure or a catalog entry."""
        return self._call(
            partial(self._client.write, text, kind=kind, scope=scope, key=key, **details)
        )

    def write_many(
        self, drafts: Sequence[Draft], *, scope: Scope = "own", key: str | None = None
    ) -> tuple[Written, ...]:
        """Write up to 1,000 memories: all of them, or none."""
        return self._call(partial(self._client.write_many, drafts, scope=scope, key=key))

    def recall(
        self, question: str, *, k: int = 10, given: bool = False, **narrowing: Unpack[Narrowing]
    ) -> Recall:
        """Return the memories that answer a question, best first; or none, and why."""
        return self._call(partial(self._client.recall, question, k=k, given=given, **narrowing))

    def core_facts(self) -> tuple[Memory, ...]:
        """Return what an agent should know whatever is asked: at most 24, the weightiest first."""
        return self._call(self._client.core_facts)

    def warm(self) -> Warmed:
        """Load the model and the vectors, so that the first question need not wait for them."""
        return self._call(self._client.warm)

    def why_not(
        self, memory_id: str, question: str, *, k: int = 10, **narrowing: Unpack[Narrowing]
    ) -> WhyNot:
        """Return what becomes of one memory when a question is asked."""
        return self._call(partial(self._client.why_not, memory_id, question, k=k, **narrowing))

    def show(self, memory_id: str) -> Memory:
        """Return one memory whole."""
        return self._call(partial(self._client.show, memory_id))

    def list(
        self,
        *,
        kinds: Sequence[Kind] = (),
        filters: Filters | None = None,
        scope: Scope = "own",
        shelf: Shelf = "open",
        cursor: str | None = None,
        limit: int = 50,
    ) -> Listing:
        """Return the memories of one space, newest first, whatever their status."""
        call = partial(
            self._client.list,
            kinds=kinds,
            filters=filters,
            scope=scope,
            shelf=shelf,
            cursor=cursor,
            limit=limit,
        )
        return self._call(call)

    def events(
        self,
        *,
        session: str | None = None,
        query: str = "",
        types: Sequence[EventType] = (),
        scope: Scope = "own",
        cursor: str | None = None,
        limit: int = 50,
    ) -> EventListing:
        """Return what was said and done: from the beginning, or what a query finds."""
        call = partial(
            self._client.events,
            session=session,
            query=query,
            types=types,
            scope=scope,
            cursor=cursor,
            limit=limit,
        )
        return self._call(call)

    def history(self, memory_id: str) -> History:
        """Return what a memory superseded, how it changed, and who changed it."""
        return self._call(partial(self._client.history, memory_id))

    def edit(
        self, memory_id: str, *, version: int | None = None, **annotations: Unpack[Annotations]
    ) -> Memory:
        """Set annotations of a memory; what it says never changes in place."""
        return self._call(partial(self._client.edit, memory_id, version=version, **annotations))

    def retract(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Say that a memory was never true; it stays as history."""
        return self._call(partial(self._client.retract, memory_id, version=version))

    def end(self, memory_id: str, *, at: When = None, version: int | None = None) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor."""
        return self._call(partial(self._client.end, memory_id, at=at, version=version))

    def hide(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""
        return self._call(partial(self._client.hide, memory_id, version=version))

    def release(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Put a hidden, archived or quarantined memory back where recall looks."""
        return self._call(partial(self._client.release, memory_id, version=version))

    def undo(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take back the last act on a memory: superseding, retracting, ending or hiding it."""
        return self._call(partial(self._client.undo, memory_id, version=version))

    def forget(
        self,
        ids: str | Sequence[str] = (),
        *,
        scope: Scope = "own",
        dry_run: bool = False,
        confirmed: bool = False,
        **meant: Unpack[Meant],
    ) -> Forgotten:
        """Erase what is named, with all that rests on it alone, and answer with a receipt."""
        return self._call(
            partial(
                self._client.forget, ids, scope=scope, dry_run=dry_run, confirmed=confirmed, **meant
            )
        )

    def receipts(self, *, scope: Scope = "own") -> tuple[Receipt, ...]:
        """Return what is left of what was forgotten in a space, oldest first."""
        return self._call(partial(self._client.receipts, scope=scope))

    def publish(self, memory_id: str, *, scope: Scope = "project") -> Published:
        """Copy a memory into a space that others read, with whose it is."""
        return self._call(partial(self._client.publish, memory_id, scope=scope))

    def withdraw(self, memory_id: str, *, scope: Scope | None = None) -> Published:
        """Take back the copies of a memory: those in one space, or all."""
        return self._call(partial(self._client.withdraw, memory_id, scope=scope))

    def consolidate(self, *, limit: int = 10_000) -> Consolidated:
        """Make facts and playbooks of what nobody has looked at yet."""
        return self._call(partial(self._client.consolidate, limit=limit))

    def material(self, *, limit: int = 20) -> Material:
        """Return what waits to be consolidated, and what is known near it."""
        return self._call(partial(self._client.material, limit=limit))

    def propose(
        self,
        *,
        episodes: Sequence[str] = (),
        facts: Sequence[FactProposal] = (),
        ends: Sequence[EndProposal] = (),
        playbooks: Sequence[PlaybookProposal] = (),
        outcomes: Sequence[OutcomeProposal] = (),
    ) -> Consolidated:
        """Hand in facts and playbooks that somebody made of what the user said."""
        return self._call(
            partial(
                self._client.propose,
                episodes=episodes,
                facts=facts,
                ends=ends,
                playbooks=playbooks,
                outcomes=outcomes,
            )
        )

    def reflect(
        self,
        task: str,
        *,
        outcome: Ended,
        summary: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Reflected:
        """Learn from a task that is over: what led to success, and what failed."""
        return self._call(
            partial(
                self._client.reflect,
                task,
                outcome=outcome,
                summary=summary,
                session=session,
                key=key,
            )
        )

    def start_session(self, session: str, *, mode: SessionMode = "normal") -> Session:
        """Say what becomes of what is said in a session: kept, kept in it only, or not kept."""
        return self._call(partial(self._client.start_session, session, mode=mode))

    def end_session(self, session: str) -> Forgotten:
        """End a session; of a temporary one everything is forgotten."""
        return self._call(partial(self._client.end_session, session))

    def list_sessions(self) -> tuple[Session, ...]:
        """Return the sessions that were started and go on, oldest first."""
        return self._call(self._client.list_sessions)

    def consent(self) -> Consent:
        """Return what the user lets memory keep."""
        return self._call(self._client.consent)

    def set_consent(
        self, *, paused: bool | None = None, never: Sequence[str] | None = None
    ) -> Consent:
        """Say what memory may keep of the user; what is not named stays as it was."""
        return self._call(partial(self._client.set_consent, paused=paused, never=never))

    def feedback(
        self,
        ids: str | Sequence[str],
        outcome: Outcome,
        *,
        query: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Noted:
        """Say how it went with memories that were recalled."""
        call = partial(self._client.feedback, ids, outcome, query=query, session=session, key=key)
        return self._call(call)

    def export_feedback(self, *, scope: Scope = "own") -> Iterator[FedBack]:
        """Return what was asked and how it went with what was recalled, oldest first."""
        yield from self._each(self._client.export_feedback(scope=scope))

    def export(self, *, scope: Scope = "own") -> Iterator[Exported]:
        """Return everything that a space holds, oldest first, without loss."""
        yield from self._each(self._client.export(scope=scope))

    def import_rows(
        self,
        rows: Rows,
        *,
        scope: Scope = "own",
        name: str = "import",
        progress: Progress | None = None,
    ) -> Imported:
        """Keep the rows of an export, or plain ones; what is there already is not doubled."""
        call = partial(self._client.import_rows, rows, scope=scope, name=name, progress=progress)
        return self._call(call)

    def import_catalog(
        self,
        path: Path | str,
        *,
        scope: Scope = "shared",
        name: str | None = None,
        progress: Progress | None = None,
    ) -> CatalogImported:
        """Make the catalog equal to the documents of a folder, or to one document."""
        call = partial(self._client.import_catalog, path, scope=scope, name=name, progress=progress)
        return self._call(call)

    def list_catalog(self, *, scope: Scope = "shared") -> tuple[CatalogDocument, ...]:
        """Return the documents of a catalog, by what they were imported as and by name."""
        return self._call(partial(self._client.list_catalog, scope=scope))

    def close(self) -> None:
        """Let go of the home. Closing twice is closing once."""
        portal, self._portal, self._is_closed = self._portal, None, True
        if portal is not None:
            portal.call(self._client.close)
            portal.call(portal.stop)

    def __enter__(self) -> Self:
        self._call(self._client.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _call(self, call: Callable[[], Awaitable[T]]) -> T:
        return self._started().call(call)

    def _each(self, rows: AsyncIterator[T]) -> Iterator[T]:
        while True:
            try:
                yield self._call(partial(anext, rows))
            except StopAsyncIteration:
                return

    def _started(self) -> BlockingPortal:
        """Return the way into an event loop of our own, begun with the first call."""
        if self._is_closed:
            raise StoreClosed
        if self._portal is None:
            self._portal = start_loop()
        return self._portal


def start_loop() -> BlockingPortal:
    """Run an event loop in a thread that does not keep a program from ending."""
    begun: Future[BlockingPortal] = Future()

    async def serve() -> None:
        async with BlockingPortal() as portal:
            begun.set_result(portal)
            await portal.sleep_until_stopped()

    Thread(target=anyio.run, args=(serve,), name="pinyon", daemon=True).start()
    return begun.result()
