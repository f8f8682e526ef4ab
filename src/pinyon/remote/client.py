"""The library's front door over a network: the same operations, done by a server.

It holds no rule of the product: it sends what it was asked, and gives back the values that the
server answers. See `pinyon.client.MemoryClient`, which it is the twin of.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, Unpack
from urllib.parse import quote

import anyio

from pinyon import wire
from pinyon.blocking import BlockingMemoryClient
from pinyon.care.handed_in import handed_in
from pinyon.care.reflecting import over_of
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
from pinyon.domain.ids import memory_id as read_memory_id
from pinyon.domain.ids import turn_id as read_turn_id
from pinyon.domain.memory import Kind, Memory, Shelf
from pinyon.domain.principal import Principal
from pinyon.domain.question import Filters, Meant, Narrowing, RecallContext
from pinyon.domain.receipt import Receipt
from pinyon.domain.reflection import Ended, Reflected
from pinyon.domain.session import Session, SessionMode
from pinyon.domain.space import Scope, Space
from pinyon.domain.turn import Context, Message, Moment, TaskOutcome, TurnDetails, TurnMemory
from pinyon.errors import (
    ServerUnreachable,
)
from pinyon.moving.documents import read_texts
from pinyon.moving.jsonl import read_row
from pinyon.ports.client import Progress, Rows
from pinyon.remote.sending import (
    json_of,
    lines_of,
    sent_draft,
    sent_filter,
    sent_narrowing,
    sent_turn,
)
from pinyon.remote.speaking import Speaking
from pinyon.turn.hooks import LoopHooks


class RemoteMemoryClient(LoopHooks[Awaitable[TurnMemory]]):
    """What one principal remembers, at a server. Use it as `MemoryClient`.

    Its methods are those of `pinyon.ports.client.Operations`, and raise the same errors; beside
    those `Unauthenticated`, `NotAllowed`, `RateLimited` and `ServerUnreachable`.
    """

    def __init__(self, to: Speaking) -> None:
        """Take the way to a server; nothing is sent yet."""
        self._to = to
        self._principal: Principal | None = None
        self._shell: BlockingMemoryClient | None = None

    @property
    def principal(self) -> Principal:
        """Whom this client speaks for, as the server says; known once it was entered or asked."""
        if self._principal is None:
            raise ServerUnreachable(self._to.url, "it was not asked yet; enter the client first")
        return self._principal

    def acting_for(self, user: str, *, agent: str | None = None) -> "RemoteMemoryClient":
        """Return a client for another user of the tenant; it takes a service's key.

        It ends with this one; closing it closes nothing.
        """
        return RemoteMemoryClient(self._to.for_another(user=user, agent=agent))

    # ── operations ───────────────────────────────────────────────────────────────────────────

    async def remember(
        self,
        text: str,
        *,
        recallable: bool | None = None,
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Keep what was said, before it is answered."""
        body = {"text": text, "recallable": recallable, **details}
        written: Written = await self._to.ask("remember", "POST", "memory/events", body, key=key)
        return written

    async def turn(
        self,
        message: str,
        *,
        at: Moment = "message",
        outcome: TaskOutcome = "",
        key: str | None = None,
        **details: Unpack[TurnDetails],
    ) -> TurnMemory:
        """Keep what was said, before it is answered, and bring what memory holds for it."""
        body = {"message": message, "at": at, "outcome": outcome, **sent_turn(details)}
        brought: TurnMemory = await self._to.ask("turn", "POST", "memory/turns", body, key=key)
        return brought

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
        """Return what a prompt gets from memory."""
        wanted = TurnDetails(
            session=session, history=history, context=context, budget_tokens=budget_tokens, k=k
        )
        body = {"task": task, **sent_turn(wanted)}
        built: Context = await self._to.ask("build_context", "POST", "memory/context", body)
        return built

    async def write(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        scope: Scope = "own",
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Write a fact, a procedure or a catalog entry, perhaps in the place of others."""
        body = {"text": text, "kind": kind, "scope": scope, **details}
        written: Written = await self._to.ask("write", "POST", "memory", body, key=key)
        return written

    async def write_many(
        self, drafts: Sequence[Draft], *, scope: Scope = "own", key: str | None = None
    ) -> tuple[Written, ...]:
        """Write up to 1,000 memories: all of them, or none."""
        body = {"memories": [sent_draft(draft) for draft in drafts], "scope": scope}
        written: tuple[Written, ...] = await self._to.ask(
            "write_many", "POST", "memory/batch", body, key=key
        )
        return written

    async def recall(
        self, question: str, *, k: int = 10, given: bool = False, **narrowing: Unpack[Narrowing]
    ) -> Recall:
        """Return the memories that answer a question, best first; or none, and why."""
        body = {"query": question, "k": k, "given": given, **sent_narrowing(narrowing)}
        recall: Recall = await self._to.ask("recall", "POST", "memory/search", body)
        return recall

    async def core_facts(self) -> tuple[Memory, ...]:
        """Return what an agent should know whatever is asked: at most 24, the weightiest first."""
        memories: tuple[Memory, ...] = await self._to.ask("core_facts", "GET", "memory/core")
        return memories

    async def warm(self) -> Warmed:
        """Load the model and the vectors, so that the first question need not wait for them."""
        warmed: Warmed = await self._to.ask("warm", "POST", "memory/warm")
        return warmed

    async def why_not(
        self, memory_id: str, question: str, *, k: int = 10, **narrowing: Unpack[Narrowing]
    ) -> WhyNot:
        """Return what becomes of one memory when a question is asked."""
        body = {"query": question, "k": k, **sent_narrowing(narrowing)}
        answer: WhyNot = await self._to.ask("why_not", "POST", _of(memory_id, "why-not"), body)
        return answer

    async def show(self, memory_id: str) -> Memory:
        """Return one memory whole."""
        memory: Memory = await self._to.ask("show", "GET", _of(memory_id))
        return memory

    async def list(
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
        asked: dict[str, object] = {
            "kind": [*kinds],
            "scope": scope,
            "shelf": shelf,
            "limit": limit,
            "cursor": cursor,
            "filter": None if filters is None else json_of(sent_filter(filters)),
        }
        listing: Listing = await self._to.ask("list", "GET", "memory", query=asked)
        return listing

    async def events(
        self,
        *,
        session: str | None = None,
        query: str = "",
        types: Sequence[EventType] = (),
        scope: Scope = "own",
        cursor: str | None = None,
        limit: int = 50,
    ) -> EventListing:
        """Return what was said and done: in its order, or what a query's words find."""
        asked: dict[str, object] = {
            "session": session,
            "query": query,
            "type": [*types],
            "scope": scope,
            "cursor": cursor,
            "limit": limit,
        }
        listing: EventListing = await self._to.ask("events", "GET", "memory/events", query=asked)
        return listing

    async def history(self, memory_id: str) -> History:
        """Return what a memory superseded, how it changed, and who changed it."""
        history: History = await self._to.ask("history", "GET", _of(memory_id, "history"))
        return history

    async def edit(
        self, memory_id: str, *, version: int | None = None, **annotations: Unpack[Annotations]
    ) -> Memory:
        """Set annotations of a memory; what it says never changes in place."""
        return await self._act("edit", "PATCH", _of(memory_id), {**annotations}, version=version)

    async def retract(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Say that a memory was never true; it stays as history."""
        return await self._act("retract", "POST", _of(memory_id, "retract"), version=version)

    async def end(self, memory_id: str, *, at: When = None, version: int | None = None) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor."""
        return await self._act("end", "POST", _of(memory_id, "end"), {"at": at}, version=version)

    async def hide(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""
        return await self._act("hide", "POST", _of(memory_id, "hide"), version=version)

    async def release(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Put a hidden, archived or quarantined memory back where recall looks."""
        return await self._act("release", "POST", _of(memory_id, "release"), version=version)

    async def undo(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take back the last act on a memory: superseding, retracting, ending or hiding it."""
        return await self._act("undo", "POST", _of(memory_id, "undo"), version=version)

    async def forget(
        self,
        ids: str | Sequence[str] = (),
        *,
        scope: Scope = "own",
        dry_run: bool = False,
        confirmed: bool = False,
        **meant: Unpack[Meant],
    ) -> Forgotten:
        """Erase what is named, with all that rests on it alone, and answer with a receipt."""
        named = [read_turn_id(one) for one in ((ids,) if isinstance(ids, str) else ids)]
        body = {"ids": named, "scope": scope, "dry_run": dry_run, "confirmed": confirmed, **meant}
        forgotten: Forgotten = await self._to.ask("forget", "POST", "memory/forget", body)
        return forgotten

    async def receipts(self, *, scope: Scope = "own") -> tuple[Receipt, ...]:
        """Return what is left of what was forgotten in a space, oldest first."""
        asked = {"scope": scope}
        found: tuple[Receipt, ...] = await self._to.ask(
            "receipts", "GET", "memory/receipts", query=asked
        )
        return found

    async def consolidate(self, *, limit: int = 10_000) -> Consolidated:
        """Make facts and playbooks of what nobody has looked at yet."""
        done: Consolidated = await self._to.ask(
            "consolidate", "POST", "memory/consolidate", {"limit": limit}
        )
        return done

    async def material(self, *, limit: int = 20) -> Material:
        """Return what waits to be consolidated, and what is known near it."""
        found: Material = await self._to.ask(
            "material", "GET", "memory/material", query={"limit": limit}
        )
        return found

    async def propose(
        self,
        *,
        episodes: Sequence[str] = (),
        facts: Sequence[FactProposal] = (),
        ends: Sequence[EndProposal] = (),
        playbooks: Sequence[PlaybookProposal] = (),
        outcomes: Sequence[OutcomeProposal] = (),
    ) -> Consolidated:
        """Hand in facts and playbooks that somebody made of what the user said."""
        given = handed_in(
            episodes=episodes, facts=facts, ends=ends, playbooks=playbooks, outcomes=outcomes
        )
        done: Consolidated = await self._to.ask(
            "propose", "POST", "memory/proposals", given.as_rows()
        )
        return done

    async def reflect(
        self,
        task: str,
        *,
        outcome: Ended,
        summary: str = "",
        session: str = "",
        key: str | None = None,
    ) -> Reflected:
        """Learn from a task that is over: what led to success, and what failed."""
        over = over_of(task, outcome=outcome, summary=summary, session=session, key=key)
        body = {"outcome": over.outcome, "summary": over.summary, "session": over.session}
        where = f"memory/tasks/{quote(over.task, safe='')}/finish"
        done: Reflected = await self._to.ask("reflect", "POST", where, body, key=key)
        return done

    async def start_session(self, session: str, *, mode: SessionMode = "normal") -> Session:
        """Say what becomes of what is said in a session: kept, kept in it only, or not kept."""
        body = {"session": session, "mode": mode}
        started: Session = await self._to.ask("start_session", "POST", "sessions", body)
        return started

    async def end_session(self, session: str) -> Forgotten:
        """End a session; of a temporary one everything is forgotten."""
        body = {"session": session}
        forgotten: Forgotten = await self._to.ask("end_session", "POST", "sessions/end", body)
        return forgotten

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return the sessions that were started and go on, oldest first."""
        found: tuple[Session, ...] = await self._to.ask("list_sessions", "GET", "sessions")
        return found

    async def consent(self) -> Consent:
        """Return what the user lets memory keep."""
        consent: Consent = await self._to.ask("consent", "GET", "consent")
        return consent

    async def set_consent(
        self, *, paused: bool | None = None, never: Sequence[str] | None = None
    ) -> Consent:
        """Say what memory may keep of the user; what is not named stays as it was."""
        body = {"paused": paused, "never": never}
        consent: Consent = await self._to.ask("set_consent", "PATCH", "consent", body)
        return consent

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
        named = [ids] if isinstance(ids, str) else ids
        body = {"ids": named, "outcome": outcome, "query": query, "session": session}
        noted: Noted = await self._to.ask("feedback", "POST", "memory/feedback", body, key=key)
        return noted

    async def export_feedback(self, *, scope: Scope = "own") -> AsyncIterator[FedBack]:
        """Return what was asked and how it went with what was recalled, oldest first."""
        async for line in self._to.lines("memory/feedback", {"scope": scope}):
            yield wire.unpack_bit("export_feedback", line)

    async def publish(self, memory_id: str, *, scope: Scope = "project") -> Published:
        """Copy a memory into a space that others read, with whose it is."""
        body = {"scope": scope}
        published: Published = await self._to.ask(
            "publish", "POST", _of(memory_id, "publish"), body
        )
        return published

    async def withdraw(self, memory_id: str, *, scope: Scope | None = None) -> Published:
        """Take back the copies of a memory: those in one space, or all."""
        body = {"scope": scope}
        left: Published = await self._to.ask("withdraw", "POST", _of(memory_id, "withdraw"), body)
        return left

    async def export(self, *, scope: Scope = "own") -> AsyncIterator[Exported]:
        """Return everything that a space holds, oldest first, without loss."""
        space: Space | None = None
        number = 0
        async for line in self._to.lines("memory/export", {"scope": scope}):
            number += 1
            row = json.loads(line)
            if space is None:
                space = Space.parse(str(row.get("space")))
            read = read_row(row, space, name=self._to.url, line=number)
            if isinstance(read, Exported):
                yield read

    async def import_rows(
        self,
        rows: Rows,
        *,
        scope: Scope = "own",
        name: str = "import",
        progress: Progress | None = None,
    ) -> Imported:
        """Keep the rows of an export, or plain ones; what is there already is not doubled."""
        asked = {"scope": scope, "name": name}
        lines = lines_of(rows, progress)
        imported: Imported = await self._to.ask(
            "import_rows", "POST", "memory/import", query=asked, lines=lines
        )
        return imported

    async def import_catalog(
        self,
        path: Path | str,
        *,
        scope: Scope = "shared",
        name: str | None = None,
        progress: Progress | None = None,
    ) -> CatalogImported:
        """Make the catalog equal to the documents of a folder, or to one document.

        They are read here, and sent.
        """
        read = await anyio.to_thread.run_sync(read_texts, Path(path), name)
        asked = {
            "name": read.name,
            "scope": scope,
            "is_whole": read.is_whole,
            "skipped": read.skipped,
        }
        rows = ({"name": of, "text": text} for of, text in read.texts.items())
        imported: CatalogImported = await self._to.ask(
            "import_catalog", "PUT", "catalog", query=asked, lines=lines_of(rows, progress)
        )
        return imported

    async def list_catalog(self, *, scope: Scope = "shared") -> tuple[CatalogDocument, ...]:
        """Return the documents of a catalog, by what they were imported as and by name."""
        asked = {"scope": scope}
        found: tuple[CatalogDocument, ...] = await self._to.ask(
            "list_catalog", "GET", "catalog", query=asked
        )
        return found

    async def _act(
        self,
        operation: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        version: int | None,
    ) -> Memory:
        memory: Memory = await self._to.ask(operation, method, path, body, version=version)
        return memory

    # ── life ─────────────────────────────────────────────────────────────────────────────────

    async def open(self) -> None:
        """Ask the server whom this client speaks for.

        Raises:
            Unauthenticated: The key opens nothing there.
            ServerUnreachable: No Pinyon answers there.
        """
        self._principal = _principal_of(await self._to.json("me"))

    async def close(self) -> None:
        """Let go of the connections. Closing twice is closing once."""
        await self._to.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def __enter__(self) -> BlockingMemoryClient:
        self._shell = BlockingMemoryClient(self)
        return self._shell.__enter__()

    def __exit__(self, *exc: object) -> None:
        if self._shell is not None:
            self._shell.close()


def _of(memory_id: str, act: str = "") -> str:
    path = f"memory/{read_memory_id(memory_id)}"
    return f"{path}/{act}" if act else path


def _principal_of(told: Mapping[str, Any]) -> Principal:
    return Principal(
        tenant=told["tenant"],
        user=told["user"] or "",
        agent=told["agent"],
        project=told["project"],
        reads=tuple(Space.parse(space) for space in told["reads"]),
        writes=tuple(Space.parse(space) for space in told["writes"]),
        role=told["role"],
        credential_id=told["credential_id"],
    )
