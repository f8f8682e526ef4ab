"""The reference store: most of its ports in one class over dictionaries."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pinyon.domain.change import ONCE_KEPT_US, Applied, Change, Once
from pinyon.domain.consent import Consent
from pinyon.domain.event import Event, is_summary
from pinyon.domain.filter import EVERYTHING, Filter, test_of
from pinyon.domain.grant import Grant
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.memory import Awaits, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.receipt import Receipt
from pinyon.domain.session import Session
from pinyon.domain.space import Space
from pinyon.errors import KeyReused, NotFound, StoreClosed, VersionConflict
from pinyon.ports.changes import ChangedSince
from pinyon.ports.clock import Clock
from pinyon.ports.exposures import Exposure
from pinyon.ports.feedback import FeedbackPage
from pinyon.ports.journal import Entry
from pinyon.ports.records import EventPage, Order, Page, Relation
from pinyon.ports.registry import SpaceInfo
from pinyon.ports.store import Health, Measures
from pinyon.stores.cursors import cursor_of, place_of
from pinyon.stores.in_memory.batch import Batch, keyed_hash, mac_of
from pinyon.stores.in_memory.event_log import InMemoryEventLog
from pinyon.stores.in_memory.keys import InMemoryKeys
from pinyon.stores.in_memory.queue import InMemoryBudgets, InMemoryHints, InMemoryJobs
from pinyon.stores.in_memory.search import InMemorySearch
from pinyon.stores.in_memory.space import SpaceState

_UNDONE = ("waiting", "leased")


class InMemoryStore:
    """Keeps spaces in dictionaries; every part but those that search is the store itself."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._spaces: dict[Space, SpaceState] = {}
        self._erasures: dict[Space, list[Receipt]] = {}
        self._grants: dict[tuple[Space, str], Grant] = {}
        self._consents: dict[Space, Consent] = {}
        self._closed = False
        self.search = InMemorySearch(self._of)
        self.keys = InMemoryKeys(self._check_open)
        self.event_log = InMemoryEventLog(self._of)
        self.hints = InMemoryHints(self._check_open)
        self.jobs = InMemoryJobs(self._of, clock, self.hints)
        self.budgets = InMemoryBudgets(self._exists)

    @property
    def records(self) -> "InMemoryStore":
        """This store, as its own part."""
        return self

    vectors = exposures = receipts = journal = changes = registry = records
    sessions = feedback = records

    # ── records ──────────────────────────────────────────────────────────────────────────────

    async def apply(
        self,
        space: Space,
        changes: Sequence[Change],
        *,
        by: Actor,
        expect: Mapping[MemoryId, int] | None = None,
        once: Once | None = None,
    ) -> Applied:
        """See `pinyon.ports.records.Records`."""
        self._check_open()
        now_us = self._clock.now_us()
        held = self._spaces.get(space)
        state = held.copy() if held else SpaceState(created_at_us=now_us)
        for key, (_, _, at_us) in list(state.once.items()):
            if at_us < now_us - ONCE_KEPT_US:
                del state.once[key]
        if once is not None and (by.name, once.key) in state.once:
            request, first, _ = state.once[by.name, once.key]
            if request != once.request:
                raise KeyReused(once.key)
            return replace(first, replayed=True)
        for memory_id, version in (expect or {}).items():
            memory = state.memories.get(memory_id)
            if memory is None or memory.version != version:
                found = memory.version if memory else None
                raise VersionConflict(memory_id, expected=version, actual=found)
        batch = Batch(space, state, by, now_us)
        for change in changes:
            batch.apply(change)
        applied = batch.applied()
        if once is not None:
            state.once[by.name, once.key] = (once.request, applied, now_us)
        self._spaces[space] = state
        await self.hints.put_for(space, changes)
        return applied

    async def get(
        self, space: Space, ids: Sequence[MemoryId], *, known_at_us: int | None = None
    ) -> list[Memory]:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        found = (state.known(memory_id, known_at_us) for memory_id in ids)
        return [memory for memory in found if memory is not None]

    async def scan(
        self,
        space: Space,
        where: Filter = EVERYTHING,
        *,
        order: Order = "newest",
        cursor: str | None = None,
        limit: int = 100,
        known_at_us: int | None = None,
    ) -> Page:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        newest, passes = order == "newest", test_of(where)
        after = None if cursor is None else place_of(cursor)
        placed = sorted(state.places.items(), key=lambda item: item[1], reverse=newest)
        found: list[tuple[int, Memory]] = []
        for memory_id, place in placed:
            if after is not None and (place >= after if newest else place <= after):
                continue
            memory = state.known(memory_id, known_at_us)
            if memory is not None and passes(memory):
                found.append((place, memory))
        page = found[:limit]
        more = len(found) > limit
        return Page(tuple(m for _, m in page), cursor_of(page[-1][0]) if more and page else None)

    async def events(
        self,
        space: Space,
        *,
        session: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> EventPage:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        after = 0 if cursor is None else place_of(cursor)
        kept = [
            (place, event)
            for event, place in ((e, state.event_places[e.id]) for e in state.events.values())
            if place > after and session in (None, event.session)
        ]
        more = len(kept) > limit
        page = kept[:limit]
        return EventPage(
            tuple(e for _, e in page), cursor_of(page[-1][0]) if more and page else None
        )

    async def turn_before(
        self, space: Space, session: str, at_us: int, *, memories_only: bool = False
    ) -> tuple[MemoryId | EventId, str] | None:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        turns: list[tuple[int, int, MemoryId | EventId, str]] = [
            (memory.times.occurred_at_us, memory.times.created_at_us, memory.id, memory.text)
            for memory in state.memories.values()
            if memory.kind == "episodic"
            and not is_summary(memory)
            and memory.source.session == session
            and memory.times.occurred_at_us is not None
            and memory.times.occurred_at_us <= at_us
        ]
        turns += [
            (event.occurred_at_us, event.created_at_us, event.id, event.text)
            for event in state.events.values()
            if event.session == session and event.occurred_at_us <= at_us and not memories_only
        ]
        if not turns:
            return None
        _, _, turn, text = max(turns, key=lambda found: (found[0], found[1], found[2][4:]))
        return turn, text

    async def turn_text(self, space: Space, turn: MemoryId | EventId) -> str | None:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        found = state.memories.get(MemoryId(turn)) or state.events.get(EventId(turn))
        return None if found is None else found.text

    async def chain(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        seen: set[MemoryId] = set()
        todo = [memory_id]
        while todo:
            memory = state.memories.get(todo.pop())
            if memory is None or memory.id in seen:
                continue
            seen.add(memory.id)
            todo.extend(memory.links.supersedes)
            todo.extend([memory.links.superseded_by] if memory.links.superseded_by else [])
            todo.extend(
                m.id
                for m in state.memories.values()
                if memory.id in m.links.supersedes or memory.id == m.links.superseded_by
            )
        return sorted((state.memories[found] for found in seen), key=lambda m: state.places[m.id])

    async def versions(self, space: Space, memory_id: MemoryId) -> list[Memory]:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        if memory_id not in state.memories:
            return []
        now = state.memories[memory_id]
        kept = [
            replace(old, counts=now.counts, awaits=now.awaits)
            for old in state.versions.get(memory_id, [])
        ]
        return [*kept, now]

    async def dependants(
        self, space: Space, memory_id: MemoryId
    ) -> list[tuple[Relation, MemoryId]]:
        """See `pinyon.ports.records.Records`."""
        relations: Sequence[tuple[Relation, Callable[[Memory], bool]]] = (
            ("derived", lambda m: memory_id in m.source.derived_from),
            ("supports", lambda m: memory_id in m.source.supporting),
            ("follows", lambda m: memory_id == m.links.previous),
            ("conflicts", lambda m: memory_id in m.links.conflicts_with),
            ("outdated", lambda m: memory_id == m.links.outdated_by),
            ("supersedes", lambda m: memory_id in m.links.supersedes),
        )
        memories = self._of(space).memories.values()
        return [(name, m.id) for name, holds in relations for m in memories if holds(m)]

    async def pending(self, space: Space, awaited: Awaits, *, limit: int = 100) -> list[Memory]:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        waiting = [m for m in state.memories.values() if awaited in m.awaits]
        return sorted(waiting, key=lambda m: state.places[m.id])[:limit]

    # ── vectors, exposures ───────────────────────────────────────────────────────────────────

    async def serving(self, space: Space) -> str | None:
        """See `pinyon.ports.vectors.Vectors`."""
        return self._of(space).serving

    async def lacking(
        self, space: Space, model: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page:
        """See `pinyon.ports.vectors.Vectors`."""
        state = self._of(space)
        after = 0 if cursor is None else place_of(cursor)
        found = sorted(
            (place, memory_id)
            for memory_id, place in state.places.items()
            if place > after
            and (memory_id, model) not in state.vectors
            and state.memories[memory_id].shelf != "quarantined"
        )
        page = found[:limit]
        more = len(found) > limit and page
        memories = tuple(state.memories[memory_id] for _, memory_id in page)
        return Page(memories, cursor_of(page[-1][0]) if more else None)

    async def turns_lacking(self, space: Space, model: str, *, limit: int = 100) -> Sequence[Event]:
        """See `pinyon.ports.vectors.Vectors`."""
        state = self._of(space)
        followed = {memory.links.previous for memory in state.memories.values()}
        lacking = [
            event
            for event in state.events.values()
            if event.id in followed and (event.id, model) not in state.turn_vectors
        ]
        return sorted(lacking, key=lambda event: state.event_places[event.id])[:limit]

    async def given(self, space: Space, memory_id: MemoryId) -> Sequence[Exposure]:
        """See `pinyon.ports.exposures.Exposures`."""
        return sorted(self._of(space).exposures.get(memory_id, ()), key=lambda one: one.at_us)

    async def of_space(self, space: Space) -> Sequence[Receipt]:
        """See `pinyon.ports.receipts.Receipts`."""
        own = sorted(self._of(space).receipts.values(), key=lambda one: (one.at_us, one.id))
        kept = [*own, *self._erasures.get(space, [])]
        complete = await self.settle(space)
        return [replace(one, complete=complete or one.whole) for one in kept]

    async def forgotten(self, space: Space, content_hashes: Sequence[str]) -> Mapping[str, int]:
        """See `pinyon.ports.receipts.Receipts`."""
        held = self._of(space).forgotten
        keyed = {one: keyed_hash(one) for one in content_hashes}
        return {one: held[hashed] for one, hashed in keyed.items() if hashed in held}

    async def settle(self, space: Space) -> bool:
        """See `pinyon.ports.receipts.Receipts`: only a copy may have to follow."""
        jobs = self._of(space).jobs.values()
        return not any(job.task == "follow" and job.state in _UNDONE for job in jobs)

    # ── sessions, feedback ───────────────────────────────────────────────────────────────────

    async def list_sessions(self, space: Space) -> Sequence[Session]:
        """See `pinyon.ports.sessions.Sessions`."""
        kept = self._of(space).sessions.values()
        return sorted(kept, key=lambda one: (one.started_at_us, one.name))

    async def sessions_over(self, space: Space, names: Collection[str]) -> frozenset[str]:
        """See `pinyon.ports.sessions.Sessions`."""
        over = self._of(space).sessions_over
        return frozenset(name for name in names if keyed_hash(name) in over)

    async def list_feedback(
        self, space: Space, *, cursor: str | None = None, limit: int = 100
    ) -> FeedbackPage:
        """See `pinyon.ports.feedback.FeedbackLog`."""
        after = 0 if cursor is None else place_of(cursor)
        kept = [(n, one) for n, one in self._of(space).feedback.items() if n > after]
        page = kept[:limit]
        more = len(kept) > limit and page
        return FeedbackPage([one for _, one in page], cursor_of(page[-1][0]) if more else None)

    # ── journal, jobs, changes, registry ─────────────────────────────────────────────────────

    async def entries(
        self, space: Space, *, target: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[Entry]:
        """See `pinyon.ports.journal.Journal`."""
        journal = self._of(space).journal
        return [e for e in journal if e.n > after and target in (None, e.target)][:limit]

    async def broken_at(self, space: Space) -> int | None:
        """See `pinyon.ports.journal.Journal`."""
        before = b""
        for entry in self._of(space).journal:
            if entry.mac != mac_of(entry, before):
                return entry.n
            before = entry.mac
        return None

    async def seq(self, space: Space) -> int:
        """See `pinyon.ports.changes.Changes`."""
        return self._of(space).mark

    async def since(self, space: Space, seq: int) -> ChangedSince:
        """See `pinyon.ports.changes.Changes`."""
        state = self._of(space)
        known = seq - state.created_at_us if seq else 0
        return ChangedSince(
            state.mark,
            frozenset(key for key, at in state.changed_at.items() if at > known),
            frozenset(key for key, at in state.gone_at.items() if at > known),
            state.emptied_seq > known or known < 0,
        )

    async def spaces(self, tenant: str | None = None) -> list[Space]:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        there = (space for space, state in self._spaces.items() if not state.is_erased)
        return sorted((space for space in there if tenant in (None, space.tenant)), key=str)

    async def info(self, space: Space) -> SpaceInfo | None:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        state = self._spaces.get(space)
        if state is None or state.is_erased:
            return None
        return SpaceInfo(
            space=space,
            memories=len(state.memories),
            events=len(state.events),
            bytes=sum(len(memory.text.encode()) for memory in state.memories.values()),
            seq=state.seq,
            created_at_us=state.created_at_us,
        )

    async def grants(self, space: Space | None = None) -> list[Grant]:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        found = (one for one in self._grants.values() if space in (None, one.space))
        return sorted(found, key=lambda one: (str(one.space), one.user))

    async def grant(self, grant: Grant) -> None:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        self._grants[grant.space, grant.user] = grant

    async def revoke(self, space: Space, user: str) -> None:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        if self._grants.pop((space, user), None) is None:
            raise NotFound(f"a grant of {user!r} in {space}")

    async def consent(self, space: Space) -> Consent:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        return self._consents.get(space, Consent())

    async def put_consent(
        self, space: Space, *, paused: bool | None = None, never: tuple[str, ...] | None = None
    ) -> Consent:
        """See `pinyon.ports.registry.Registry`."""
        self._check_open()
        held = self._consents.get(space, Consent())
        self._consents[space] = Consent(
            paused=held.paused if paused is None else paused,
            never=held.never if never is None else never,
        )
        return self._consents[space]

    # ── store ────────────────────────────────────────────────────────────────────────────────

    async def erase(self, space: Space, receipt: Receipt | None = None) -> None:
        """See `pinyon.ports.store.Store`."""
        self._check_open()
        if receipt is not None:
            self._erasures.setdefault(space, []).append(replace(receipt, whole=True))
        self.keys.drop_closed(space, self._clock.now_us())
        self.hints.forget(space)
        self.budgets.forget(space)
        if space in self._spaces:
            # The number goes on, so that whoever keeps something derived sees that it is void.
            seq = self._spaces[space].seq
            emptied = SpaceState(
                created_at_us=self._spaces[space].created_at_us,
                seq=seq + bool(seq),
                emptied_seq=seq + bool(seq),
                is_erased=True,
            )
            self._spaces[space] = emptied

    async def open_spaces(self) -> list[Space]:
        """See `pinyon.ports.store.Measured`: all spaces are open."""
        self._check_open()
        return sorted(self._spaces, key=str)

    async def measures(self) -> Measures:
        """See `pinyon.ports.store.Measured`: all spaces are open."""
        self._check_open()
        jobs = [job for state in self._spaces.values() for job in state.jobs.values()]
        return Measures(
            spaces_open=len(self._spaces),
            jobs=Counter(job.state for job in jobs),
            due_since_us=min(
                (job.run_at_us for job in jobs if job.state == "waiting"), default=None
            ),
        )

    async def health(self) -> Health:
        """See `pinyon.ports.store.Store`."""
        self._check_open()
        return Health(True, ("in memory: gone when the process ends",))

    async def close(self) -> None:
        """See `pinyon.ports.store.Store`."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed

    def _exists(self, space: Space | None) -> bool:
        self._check_open()
        return bool(self._spaces) if space is None else space in self._spaces

    def _of(self, space: Space) -> SpaceState:
        self._check_open()
        return self._spaces.get(space) or SpaceState(created_at_us=0)
