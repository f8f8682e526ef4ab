"""The library's front door: `MemoryClient`.

A client is bound to one principal for its life; none of its methods takes one.
"""

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Sequence,
)
from dataclasses import replace
from functools import partial
from typing import Self, TypeVar, Unpack

from pinyon.access.grants import narrowed
from pinyon.blocking import BlockingMemoryClient
from pinyon.care.consolidating import Consolidator
from pinyon.care.copies import Copies
from pinyon.care.feedback import FeedbackKeeper
from pinyon.care.forgetter import Forgetter, Wanted
from pinyon.care.gathering import Gatherer
from pinyon.care.learning import LearningOperations
from pinyon.care.lessons_by_rule import REFLECTS
from pinyon.care.log_reader import LogReader, Read
from pinyon.care.personal import PersonalOperations
from pinyon.care.reflecting import Reflection
from pinyon.care.rules import RULES
from pinyon.care.sessions import SessionKeeper
from pinyon.care.summarising import Summariser
from pinyon.domain.answers import (
    Act,
    EventListing,
    Forgotten,
    History,
    Listing,
    Published,
    Recall,
    Warmed,
    WhyNot,
    Written,
)
from pinyon.domain.draft import Annotations, Details, Draft, When
from pinyon.domain.event import REMEMBERED, EventType
from pinyon.domain.ids import NewUuid
from pinyon.domain.ids import memory_id as read_memory_id
from pinyon.domain.memory import Kind, Memory, Shelf
from pinyon.domain.principal import Principal
from pinyon.domain.question import Filters, Meant, Narrowing
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Scope, Space
from pinyon.errors import Forbidden, NotFound
from pinyon.moving.operations import MovingOperations
from pinyon.ports.clock import Clock
from pinyon.ports.models import NO_MODELS, Models
from pinyon.ports.proposer import Proposer
from pinyon.ports.reflector import Reflector
from pinyon.ports.store import Store
from pinyon.ports.watch import NO_WATCH, Watch, watched
from pinyon.recall.core_facts import CoreFacts
from pinyon.recall.listing import listed
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.text.counting import estimated_tokens
from pinyon.text.statements import statements_in
from pinyon.turn.building import ContextBuilder
from pinyon.turn.operations import TurnOperations
from pinyon.turn.packing import CountTokens
from pinyon.turn.taking import TurnTaker
from pinyon.write import form
from pinyon.write.editor import edit
from pinyon.write.gate import USUAL, Gate
from pinyon.write.keeping import keeper_of
from pinyon.write.limits import SUPPORT_MAX
from pinyon.write.standing import Standing
from pinyon.write.uses import Uses

T = TypeVar("T")

WARMING = "what is remembered here?"


class MemoryClient(PersonalOperations, TurnOperations, LearningOperations, MovingOperations):
    """What one principal remembers. Use it as `async with`, or plain `with` for a blocking one."""

    def __init__(  # noqa: PLR0913 - all but two by keyword, and only wiring calls it
        self,
        store: Store,
        principal: Principal,
        *,
        clock: Clock,
        new_uuid: NewUuid,
        surface: str = "python",
        owns_store: bool = True,
        models: Models = NO_MODELS,
        gate: Gate = USUAL,
        recaller: Recaller | None = None,
        core_facts: CoreFacts | None = None,
        watch: Watch = NO_WATCH,
        remembered: Collection[str] = REMEMBERED,
        count_tokens: CountTokens = estimated_tokens,
        proposer: Proposer = RULES,
        reflector: Reflector = REFLECTS,
    ) -> None:
        self._store, self._principal, self._clock = store, principal, clock
        self._new_uuid, self._surface, self._owns_store = new_uuid, surface, owns_store
        self._by = principal.by(surface)
        self._models, self._gate, self._watch = models, gate, watch
        self._remembered, self._count_tokens = remembered, count_tokens
        self._keeper = keeper_of(
            store,
            self._own,
            clock=clock,
            new_uuid=new_uuid,
            models=models,
            gate=gate,
            remembered=remembered,
        )
        self._recaller = recaller or Recaller(
            store.records, store.search, store.sessions, models, log=store.event_log
        )
        self._log_reader = LogReader(store.event_log)
        self._core_facts = core_facts or CoreFacts(store.records, store.changes, store.sessions)
        self._copies = Copies(store, clock=clock, new_uuid=new_uuid, embedder=models.embedder)
        self._standing = Standing(
            store.records,
            store.journal,
            clock=clock,
            embedder=models.embedder,
            also=self._copies.following,
        )
        self._forgetter = Forgetter(
            store,
            by=self._by,
            clock=clock,
            new_uuid=new_uuid,
            recaller=self._recaller,
            copies=self._copies,
        )
        self._uses = Uses(store.records, clock=clock, by=self._by)
        self._summariser = Summariser(
            store, self._keeper, clock=clock, new_uuid=new_uuid, by=self._by
        )
        self._sessions = SessionKeeper(
            store, self._forgetter, clock=clock, by=self._by, summariser=self._summariser
        )
        self._feedback = FeedbackKeeper(store, self._keeper, clock=clock, by=self._by)
        self._turns = TurnTaker(
            self._keeper, self._recaller, store.event_log, clock=clock, count=count_tokens
        )
        self._contexts = ContextBuilder(
            self._recaller,
            self._core_facts,
            store.event_log,
            store.records,
            clock=clock,
            count=count_tokens,
        )
        gatherer = Gatherer(store, self._recaller, reads=statements_in, clock=clock)
        self._proposer = proposer
        self._consolidator = Consolidator(
            store,
            self._keeper,
            gatherer,
            self._copies,
            proposer=proposer,
            fallback=RULES,
            reads=statements_in,
            clock=clock,
            new_uuid=new_uuid,
        )
        self._reflector = reflector
        self._reflection = Reflection(
            store,
            self._keeper,
            gatherer,
            reflector=reflector,
            fallback=REFLECTS,
        )
        self._shell: BlockingMemoryClient | None = None

    @property
    def principal(self) -> Principal:
        """Whom this client speaks for."""
        return self._principal

    def acting_for(self, user: str, *, agent: str | None = None) -> "MemoryClient":
        """Return a client for another user of the tenant, on the same home.

        It ends with this one; closing it closes nothing.
        """
        principal = Principal.of_home(
            tenant=self._principal.tenant, user=user, agent=agent, project=self._principal.project
        )
        known = self._principal
        return self.bound_to(replace(principal, role=known.role, credential_id=known.credential_id))

    def bound_to(self, principal: Principal, *, surface: str = "") -> "MemoryClient":
        """Return a client for another principal, on the same home; see `acting_for`.

        Args:
            principal: Whom it speaks for.
            surface: What the journal calls where its operations come from; the same by default.
        """
        return MemoryClient(
            self._store,
            principal,
            clock=self._clock,
            new_uuid=self._new_uuid,
            surface=surface or self._surface,
            owns_store=False,
            models=self._models,
            gate=self._gate,
            recaller=self._recaller,
            core_facts=self._core_facts,
            watch=self._watch,
            remembered=self._remembered,
            count_tokens=self._count_tokens,
            proposer=self._proposer,
            reflector=self._reflector,
        )

    # ── operations ───────────────────────────────────────────────────────────────────────────

    @watched
    async def remember(
        self,
        text: str,
        *,
        recallable: bool | None = None,
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Keep what was said, before it is answered. See `pinyon.ports.client.Operations`."""
        details.setdefault("role", "user")
        draft = Draft(text=text, kind="episodic", **details)
        space = (await self._who("own")).space("own")
        await self._end_overdue()
        return await self._keeper.remember(
            space, draft, by=self._by, key=key, recallable=recallable
        )

    @watched
    async def write(
        self,
        text: str,
        *,
        kind: Kind = "semantic",
        scope: Scope = "own",
        key: str | None = None,
        **details: Unpack[Details],
    ) -> Written:
        """Write a fact, a procedure or a catalog entry. See `pinyon.ports.client.Operations`."""
        draft = Draft(text=text, kind=kind, **details)
        (written,) = await self._kept([draft], scope, key)
        return written

    @watched
    async def write_many(
        self, drafts: Sequence[Draft], *, scope: Scope = "own", key: str | None = None
    ) -> tuple[Written, ...]:
        """Write up to 1,000 memories: all of them, or none."""
        return await self._kept(drafts, scope, key)

    @watched
    async def recall(
        self, question: str, *, k: int = 10, given: bool = False, **narrowing: Unpack[Narrowing]
    ) -> Recall:
        """Return the memories that answer a question. See `pinyon.ports.client.Operations`."""
        now_us = self._clock.now_us()
        is_given = form.flag("given", given)
        principal = await self._who()
        await self._end_overdue()
        asked = question_of(question, spaces=principal.reads, now_us=now_us, k=k, **narrowing)
        answer = await self._recaller.recall(asked)
        if is_given:
            memories = [hit.memory for hit in answer.hits]
            allowed = [memory for memory in memories if memory.space in principal.writes]
            await self._note_given(allowed, asked.context.session)
        return answer

    @watched
    async def core_facts(self) -> tuple[Memory, ...]:
        """Return what an agent should know whatever is asked: at most 24, the weightiest first."""
        spaces = (await self._who()).reads
        return await self._core_facts.of(spaces, self._clock.now_us())

    @watched
    async def warm(self) -> Warmed:
        """Load the model and the vectors, so that the first question need not wait for them."""
        spaces = (await self._who()).reads
        asked = question_of(WARMING, spaces=spaces, now_us=self._clock.now_us(), k=1)
        answer = await self._recaller.recall(asked)
        infos = [await self._store.registry.info(space) for space in spaces]
        return Warmed(
            memories=sum(info.memories for info in infos if info is not None),
            stages=answer.trace.stages,
            degraded=answer.degraded,
            degraded_because=answer.degraded_because,
        )

    @watched
    async def why_not(
        self, memory_id: str, question: str, *, k: int = 10, **narrowing: Unpack[Narrowing]
    ) -> WhyNot:
        """Return what becomes of one memory when a question is asked."""
        memory = await self._shown(memory_id)
        now_us = self._clock.now_us()
        spaces = (await self._who()).reads
        asked = question_of(question, spaces=spaces, now_us=now_us, k=k, **narrowing)
        return await self._recaller.why_not(asked, memory)

    @watched
    async def show(self, memory_id: str) -> Memory:
        """Return one memory whole."""
        return await self._shown(memory_id)

    @watched
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
        where = listed(kinds, filters, shelf, limit)
        space = (await self._who(scope)).space(scope, to="read")
        page = await self._store.records.scan(space, where, cursor=cursor, limit=limit)
        return Listing(page.memories, page.next_cursor)

    @watched
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
        """Return what was said and done. See `pinyon.ports.client.Operations`."""
        space = (await self._who(scope)).space(scope, to="read")
        wanted = Read(session=session, query=query, types=types, cursor=cursor, limit=limit)
        return await self._log_reader.read(space, wanted)

    @watched
    async def history(self, memory_id: str) -> History:
        """Return what a memory superseded, how it changed, and who changed it."""
        memory = await self._shown(memory_id)
        records, space = self._store.records, memory.space
        entries = await self._store.journal.entries(space, target=memory.id)
        return History(
            chain=tuple(await records.chain(space, memory.id)),
            versions=tuple(await records.versions(space, memory.id)),
            acts=tuple(
                Act(at_us=e.at_us, actor=e.actor, surface=e.surface, action=e.action)
                for e in entries
            ),
        )

    @watched
    async def edit(
        self, memory_id: str, *, version: int | None = None, **annotations: Unpack[Annotations]
    ) -> Memory:
        """Set annotations of a memory; what it says never changes in place."""
        act = partial(
            edit,
            self._store.records,
            annotations=annotations,
            version=version,
            embedder=self._models.embedder,
            also=self._copies.following,
            gate_for=self._keeper.gate_for,
            is_users=not self._principal.is_agents,
        )
        return await self._done(act, memory_id)

    @watched
    async def retract(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Say that a memory was never true; it stays as history."""
        return await self._done(partial(self._standing.retract, version=version), memory_id)

    @watched
    async def end(self, memory_id: str, *, at: When = None, version: int | None = None) -> Memory:
        """Say that a memory was true until an instant, by default now, and has no successor."""
        return await self._done(partial(self._standing.end, at=at, version=version), memory_id)

    @watched
    async def hide(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take a memory out of recall; `release` or `undo` brings it back."""
        return await self._done(partial(self._standing.hide, version=version), memory_id)

    @watched
    async def release(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Put a hidden, archived or quarantined memory back where recall looks."""
        return await self._done(partial(self._standing.release, version=version), memory_id)

    @watched
    async def undo(self, memory_id: str, *, version: int | None = None) -> Memory:
        """Take back the last act on a memory: superseding, retracting, ending or hiding it."""
        return await self._done(partial(self._standing.undo, version=version), memory_id)

    @watched
    async def forget(
        self,
        ids: str | Sequence[str] = (),
        *,
        scope: Scope = "own",
        dry_run: bool = False,
        confirmed: bool = False,
        **meant: Unpack[Meant],
    ) -> Forgotten:
        """Erase what is named. See `pinyon.ports.client.Operations`."""
        wanted = Wanted(ids=(ids,) if isinstance(ids, str) else ids, **meant)
        principal = await self._who()
        space = principal.space(scope)
        await self._uses.flush()
        forgotten = await self._forgetter.forget(
            principal, wanted, space, dry_run=dry_run, confirmed=confirmed
        )
        self._recaller.let_go()
        return forgotten

    @watched
    async def receipts(self, *, scope: Scope = "own") -> tuple[Receipt, ...]:
        """Return what is left of what was forgotten in a space, oldest first."""
        space = (await self._who(scope)).space(scope, to="read")
        await self._copies.run(space)
        await self._store.receipts.settle(space)
        return tuple(await self._store.receipts.of_space(space))

    @watched
    async def publish(self, memory_id: str, *, scope: Scope = "project") -> Published:
        """Copy a memory into a space that others read, with whose it is."""
        memory = await self._writable(memory_id)
        await self._sessions.check_may_leave(self._own, memory)
        target = (await self._who(scope)).space(scope)
        copy = await self._copies.publish(memory, target, by=self._by)
        return Published(copies=(copy,), complete=await self._copies.run(memory.space))

    @watched
    async def withdraw(self, memory_id: str, *, scope: Scope | None = None) -> Published:
        """Take back the copies of a memory: those in one space, or all."""
        memory = await self._writable(memory_id)
        target = None if scope is None else (await self._who(scope)).space(scope)
        withdrawn = await self._copies.withdraw(memory, target, by=self._by)
        complete = await self._copies.run(memory.space)
        return Published(copies=tuple(withdrawn), complete=complete)

    async def _who(self, scope: Scope | None = None) -> Principal:
        """Return the principal as grants leave it now; its own spaces need none."""
        if scope in ("own", "agent"):
            return self._principal
        return await narrowed(self._store.registry, self._principal)

    def _as_spoken(self, draft: Draft) -> Draft:
        """Return a draft with whose words it is: where an agent acts, its own unless it says so."""
        if not self._principal.is_agents or not isinstance(draft, Draft):
            return draft
        is_anybodys = draft.trust is None and not draft.role and draft.kind != "catalog"
        return replace(draft, trust="agent") if is_anybodys else draft

    async def _check_replaceable(self, space: Space, drafts: Sequence[Draft]) -> None:
        """See that no draft takes the place of a copy, which would be taken back."""
        ids = {
            read_memory_id(one)
            for draft in drafts
            if isinstance(draft, Draft)
            for one in form.listed("supersedes", draft.supersedes, SUPPORT_MAX)
        }
        for memory in await self._store.records.get(space, sorted(ids)) if ids else ():
            await self._copies.check_is_own(memory)

    async def _kept(
        self, drafts: Sequence[Draft], scope: Scope, key: str | None
    ) -> tuple[Written, ...]:
        space = (await self._who(scope)).space(scope)
        await self._end_overdue()
        drafts = [self._as_spoken(draft) for draft in drafts]
        await self._check_replaceable(space, drafts)
        written = await self._keeper.keep(space, drafts, by=self._by, key=key)
        if any(one.superseded for one in written):
            await self._copies.run(space)
        return tuple(written)

    async def _shown(self, memory_id: str) -> Memory:
        identifier = read_memory_id(memory_id)
        for space in (await self._who()).reads:
            found = await self._store.records.get(space, [identifier])
            if found:
                return found[0]
        raise NotFound(identifier)

    async def _writable(self, memory_id: str) -> Memory:
        memory = await self._shown(memory_id)
        if memory.space not in (await self._who()).writes:
            raise Forbidden(str(memory.space))
        await self._copies.check_is_own(memory)
        return memory

    async def _done(self, act: Callable[..., Awaitable[Memory]], memory_id: str) -> Memory:
        """Do something to a memory, and let its copies follow."""
        memory = await self._writable(memory_id)
        now = await act(memory.space, memory.id, by=self._by)
        await self._copies.run(memory.space)
        return now

    # ── life ─────────────────────────────────────────────────────────────────────────────────

    async def flush(self) -> None:
        """Write what was gathered: which memories were given to a model."""
        await self._uses.flush()

    async def close(self) -> None:
        """Let go of the home. Closing twice is closing once."""
        await self.flush()
        if self._owns_store:
            await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def __enter__(self) -> BlockingMemoryClient:
        self._shell = BlockingMemoryClient(self)
        return self._shell.__enter__()

    def __exit__(self, *exc: object) -> None:
        if self._shell is not None:
            self._shell.close()
