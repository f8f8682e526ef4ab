"""The reference store: the same promises as every other, in plain dictionaries.

It is not a mock. It passes the contract, and the property tests hold other stores against it.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from pinyon.domain.change import (
    ONCE_KEPT_US,
    Applied,
    Change,
    Count,
    Enqueue,
    Erase,
    FinishJob,
    IndexRow,
    Link,
    Once,
    Patch,
    Put,
    PutEvent,
    PutVectors,
    Settle,
    Unset,
)
from pinyon.domain.event import Event
from pinyon.domain.evolve import counted, is_retry, linked, patched, settled
from pinyon.domain.filter import EVERYTHING, Filter, matches
from pinyon.domain.ids import EventId, JobId, MemoryId
from pinyon.domain.job import PRIORITIES, Job, JobState
from pinyon.domain.memory import Awaits, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import (
    ForeignHit,
    InvalidCursor,
    KeyReused,
    NotFound,
    StoreClosed,
    VersionConflict,
)
from pinyon.ports.changes import ChangedSince
from pinyon.ports.clock import Clock
from pinyon.ports.journal import Entry
from pinyon.ports.records import EventPage, Order, Page, Relation
from pinyon.ports.registry import SpaceInfo
from pinyon.ports.search import Candidate, TermStats
from pinyon.ports.store import Health
from pinyon.ranking.bm25 import Fields, bm25, inverse_frequency, weighted_frequency

Vector = NDArray[np.float32]


@dataclass(slots=True)
class _Vectors:
    model: str
    dense: dict[int, Vector]
    tokens: dict[int, bytes]


@dataclass(slots=True)
class _Space:
    """All that one space holds. Memories keep the order in which they were first put."""

    created_at_us: int
    seq: int = 0
    memories: dict[MemoryId, Memory] = field(default_factory=dict)
    places: dict[MemoryId, int] = field(default_factory=dict)
    rows: dict[MemoryId, tuple[IndexRow, ...]] = field(default_factory=dict)
    versions: dict[MemoryId, list[Memory]] = field(default_factory=dict)
    vectors: dict[MemoryId, _Vectors] = field(default_factory=dict)
    events: dict[EventId, Event] = field(default_factory=dict)
    jobs: dict[JobId, Job] = field(default_factory=dict)
    once: dict[str, tuple[str, Applied, int]] = field(default_factory=dict)
    changed_at: dict[MemoryId, int] = field(default_factory=dict)
    gone_at: dict[MemoryId, int] = field(default_factory=dict)
    journal: list[Entry] = field(default_factory=list)
    placed: int = 0
    is_erased: bool = False

    def copy(self) -> "_Space":
        """Return a copy that can be changed without touching this one; values are frozen."""
        twin = replace(self, is_erased=False)
        for name in ("memories", "places", "rows", "vectors", "events", "jobs", "once"):
            setattr(twin, name, dict(getattr(self, name)))
        twin.versions = {key: list(kept) for key, kept in self.versions.items()}
        twin.changed_at, twin.gone_at = dict(self.changed_at), dict(self.gone_at)
        twin.journal = list(self.journal)
        return twin

    def get(self, memory_id: MemoryId) -> Memory:
        """Return a memory that must be there."""
        if memory_id not in self.memories:
            raise NotFound(memory_id)
        return self.memories[memory_id]

    def known(self, memory_id: MemoryId, at_us: int | None) -> Memory | None:
        """Return a memory as it was known at an instant; `None` if it was not."""
        memory = self.memories.get(memory_id)
        if memory is None or at_us is None:
            return memory
        states = [*self.versions.get(memory_id, []), memory]
        known = [state for state in states if state.times.updated_at_us <= at_us]
        if not known:
            return None
        return replace(known[-1], counts=memory.counts, awaits=memory.awaits)


class InMemoryStore:
    """Keeps spaces in dictionaries; every part of the store is the store itself."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._spaces: dict[Space, _Space] = {}
        self._closed = False

    @property
    def records(self) -> "InMemoryStore":
        """This store, as its own part."""
        return self

    search = journal = jobs = changes = registry = records

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
        state = held.copy() if held else _Space(created_at_us=now_us)
        for key, (_, _, at_us) in list(state.once.items()):
            if at_us < now_us - ONCE_KEPT_US:
                del state.once[key]
        if once is not None and once.key in state.once:
            request, first, _ = state.once[once.key]
            if request != once.request:
                raise KeyReused(once.key)
            return replace(first, replayed=True)
        for memory_id, version in (expect or {}).items():
            memory = state.memories.get(memory_id)
            if memory is None or memory.version != version:
                found = memory.version if memory else None
                raise VersionConflict(memory_id, expected=version, actual=found)
        batch = _Batch(space, state, by, now_us)
        for change in changes:
            batch.apply(change)
        applied = batch.applied()
        if once is not None:
            state.once[once.key] = (once.request, applied, now_us)
        self._spaces[space] = state
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
        newest = order == "newest"
        after = _cursor_place(cursor)
        placed = sorted(state.places.items(), key=lambda item: item[1], reverse=newest)
        found: list[tuple[int, Memory]] = []
        for memory_id, place in placed:
            if after is not None and (place >= after if newest else place <= after):
                continue
            memory = state.known(memory_id, known_at_us)
            if memory is not None and matches(where, memory):
                found.append((place, memory))
        page = found[:limit]
        more = len(found) > limit
        return Page(tuple(m for _, m in page), f"p{page[-1][0]}" if more and page else None)

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
        after = _cursor_place(cursor) or 0
        kept = [
            (place, event)
            for place, event in enumerate(state.events.values(), start=1)
            if place > after and session in (None, event.session)
        ]
        more = len(kept) > limit
        page = kept[:limit]
        return EventPage(tuple(e for _, e in page), f"p{page[-1][0]}" if more and page else None)

    async def turn_before(
        self, space: Space, session: str, at_us: int
    ) -> tuple[MemoryId | EventId, str] | None:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        turns: list[tuple[int, int, MemoryId | EventId, str]] = [
            (memory.times.occurred_at_us, memory.times.created_at_us, memory.id, memory.text)
            for memory in state.memories.values()
            if memory.kind == "episodic"
            and memory.source.session == session
            and memory.times.occurred_at_us is not None
            and memory.times.occurred_at_us <= at_us
        ]
        turns += [
            (event.occurred_at_us, event.created_at_us, event.id, event.text)
            for event in state.events.values()
            if event.session == session and event.occurred_at_us <= at_us
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
            todo.extend(m.id for m in state.memories.values() if memory.id in m.links.supersedes)
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
        )
        memories = self._of(space).memories.values()
        return [(name, m.id) for name, holds in relations for m in memories if holds(m)]

    async def pending(self, space: Space, awaited: Awaits, *, limit: int = 100) -> list[Memory]:
        """See `pinyon.ports.records.Records`."""
        state = self._of(space)
        waiting = [m for m in state.memories.values() if awaited in m.awaits]
        return sorted(waiting, key=lambda m: state.places[m.id])[:limit]

    # ── search ───────────────────────────────────────────────────────────────────────────────

    async def keyword(
        self,
        space: Space,
        terms: Terms,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        index = {
            (memory_id, row.position): Fields(
                row.head.split(), row.body.split(), row.context.split()
            )
            for memory_id, rows in state.rows.items()
            for row in rows
        }
        asked = [(word,) for word in terms.words] + list(terms.phrases)
        if not index or not asked:
            return []
        mean = sum(fields.length for fields in index.values()) / len(index)
        counts = {
            key: {term: f for term in asked if (f := weighted_frequency(term, fields)) > 0}
            for key, fields in index.items()
        }
        idf = {
            term: inverse_frequency(sum(term in found for found in counts.values()), len(index))
            * (2 if term in terms.phrases else 1)
            for term in asked
        }
        best: dict[MemoryId, Candidate] = {}
        for (memory_id, position), found in counts.items():
            memory = state.known(memory_id, known_at_us)
            whole = all(phrase in found for phrase in terms.phrases)
            if not found or not whole or memory is None or not matches(where, memory):
                continue
            fields = index[memory_id, position]
            score = bm25(found, idf, fields.length / mean if mean else 1.0)
            if memory_id not in best or score > best[memory_id].score:
                best[memory_id] = _candidate(memory_id, score, position, terms, fields)
        return self._ranked(state, best.values(), limit)

    async def dense(
        self,
        space: Space,
        vector: bytes,
        model: str,
        where: Filter = EVERYTHING,
        *,
        limit: int,
        known_at_us: int | None = None,
    ) -> list[Candidate]:
        """See `pinyon.ports.search.Search`."""
        state = self._of(space)
        query = np.frombuffer(vector, dtype=np.float32)
        found: list[Candidate] = []
        for memory_id, vectors in state.vectors.items():
            memory = state.known(memory_id, known_at_us)
            if vectors.model != model or memory is None or not matches(where, memory):
                continue
            scored = [
                (float(dense @ query), -position) for position, dense in vectors.dense.items()
            ]
            if scored:
                score, position = max(scored)
                found.append(Candidate(id=memory_id, score=score, passage=-position))
        return self._ranked(state, found, limit)

    async def token_vectors(
        self, space: Space, model: str, passages: Sequence[tuple[MemoryId, int]]
    ) -> Mapping[tuple[MemoryId, int], bytes]:
        """See `pinyon.ports.search.Search`."""
        kept = self._of(space).vectors
        return {
            (memory_id, position): kept[memory_id].tokens[position]
            for memory_id, position in passages
            if memory_id in kept
            and kept[memory_id].model == model
            and position in kept[memory_id].tokens
        }

    async def term_stats(self, space: Space, words: Sequence[str]) -> TermStats:
        """See `pinyon.ports.search.Search`."""
        passages = [
            {*row.head.split(), *row.body.split(), *row.context.split()}
            for rows in self._of(space).rows.values()
            for row in rows
        ]
        return TermStats(len(passages), {w: sum(w in held for held in passages) for w in words})

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
            if entry.mac != _mac(entry, before):
                return entry.n
            before = entry.mac
        return None

    async def lease(
        self, space: Space, *, lease_s: float, tasks: Sequence[str] | None = None
    ) -> Job | None:
        """See `pinyon.ports.jobs.Jobs`."""
        state, now_us = self._of(space), self._clock.now_us()
        due = [
            job
            for job in state.jobs.values()
            if (tasks is None or job.task in tasks)
            and job.run_at_us <= now_us
            and (job.state == "waiting" or _lease_ran_out(job, now_us))
        ]
        if not due:
            return None
        job = min(due, key=lambda job: (PRIORITIES.index(job.priority), job.run_at_us, job.id))
        until_us = now_us + int(lease_s * 1_000_000)
        leased = replace(job, state="leased", attempts=job.attempts + 1, lease_until_us=until_us)
        state.jobs[job.id] = leased
        return leased

    async def renew(self, space: Space, job: Job, *, lease_s: float) -> bool:
        """See `pinyon.ports.jobs.Jobs`."""
        state = self._of(space)
        held = state.jobs.get(job.id)
        if held is None or held.state != "leased" or held.attempts != job.attempts:
            return False
        until_us = self._clock.now_us() + int(lease_s * 1_000_000)
        state.jobs[job.id] = replace(held, lease_until_us=until_us)
        return True

    async def list_jobs(self, space: Space, *, state: JobState | None = None) -> list[Job]:
        """See `pinyon.ports.jobs.Jobs`."""
        return [job for job in self._of(space).jobs.values() if state in (None, job.state)]

    async def cancel(self, space: Space, job_id: JobId) -> bool:
        """See `pinyon.ports.jobs.Jobs`."""
        jobs = self._of(space).jobs
        if job_id not in jobs or jobs[job_id].state not in ("waiting", "leased"):
            return False
        jobs[job_id] = replace(jobs[job_id], state="cancelled", lease_until_us=None)
        return True

    async def seq(self, space: Space) -> int:
        """See `pinyon.ports.changes.Changes`."""
        return self._of(space).seq

    async def since(self, space: Space, seq: int) -> ChangedSince:
        """See `pinyon.ports.changes.Changes`."""
        state = self._of(space)
        return ChangedSince(
            state.seq,
            frozenset(key for key, at in state.changed_at.items() if at > seq),
            frozenset(key for key, at in state.gone_at.items() if at > seq),
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

    # ── store ────────────────────────────────────────────────────────────────────────────────

    async def erase(self, space: Space) -> None:
        """See `pinyon.ports.store.Store`."""
        self._check_open()
        if space in self._spaces:
            # The number goes on, so that whoever keeps something derived sees that it is void.
            seq = self._spaces[space].seq
            now_us = self._clock.now_us()
            emptied = _Space(created_at_us=now_us, seq=seq + bool(seq), is_erased=True)
            self._spaces[space] = emptied

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

    def _of(self, space: Space) -> _Space:
        self._check_open()
        return self._spaces.get(space) or _Space(created_at_us=0)

    @staticmethod
    def _ranked(
        state: _Space, found: "Sequence[Candidate] | object", limit: int
    ) -> list[Candidate]:
        candidates: list[Candidate] = list(found)  # type: ignore[call-overload]
        candidates.sort(key=lambda c: (-c.score, -state.places[c.id]))
        return candidates[:limit]


class _Batch:
    """Applies changes to a copy of a space, which replaces it when all went well."""

    def __init__(self, space: Space, state: _Space, by: Actor, now_us: int) -> None:
        self._space = space
        self._state, self._by, self._now_us = state, by, now_us
        self._equals: dict[str, str] = {}
        self._ids: list[str] = []
        self._moved = False

    def applied(self) -> Applied:
        return Applied(seq=self._state.seq, equals=self._equals, ids=tuple(self._ids))

    def apply(self, change: Change) -> None:
        match change:
            case Put():
                self._put_memory(change)
            case Patch():
                self._replace(patched(self._state.get(change.id), change, self._now_us), "patch")
                if not isinstance(change.rows, Unset):
                    self._state.rows[change.id] = change.rows
            case Link():
                self._replace(linked(self._state.get(change.id), change, self._now_us), "link")
            case Count():
                memory = self._state.get(change.id)
                self._state.memories[change.id] = replace(
                    memory, counts=counted(memory.counts, change)
                )
            case PutVectors():
                self._put_vectors(change)
            case Settle():
                memory = self._state.get(change.id)
                self._state.memories[change.id] = settled(memory, change)
            case Erase():
                self._erase(change)
            case PutEvent():
                self._put_event(change)
            case Enqueue():
                self._enqueue(change.job)
            case FinishJob():
                self._finish(change)
            case _:
                assert_never(change)

    def _put_memory(self, change: Put) -> None:
        state, memory = self._state, change.memory
        if memory.space != self._space:
            raise ForeignHit(memory.id)
        if change.unless is not None:
            equal = [m for m in state.memories.values() if matches(change.unless, m)]
            if equal:
                oldest = min(equal, key=lambda m: state.places[m.id])
                self._equals[memory.id] = oldest.id
                self._ids.append(oldest.id)
                return
        if memory.id not in state.places:
            state.placed += 1
            state.places[memory.id] = state.placed
        state.memories[memory.id] = memory
        state.rows[memory.id] = change.rows
        state.versions[memory.id] = list(change.earlier)
        state.vectors.pop(memory.id, None)
        self._ids.append(memory.id)
        self._change(memory.id)
        self._note("put", memory.id, memory.content_hash)

    def _replace(self, memory: Memory, action: str) -> None:
        state = self._state
        state.versions.setdefault(memory.id, []).append(state.memories[memory.id])
        state.memories[memory.id] = memory
        self._change(memory.id)
        self._note(action, memory.id, memory.content_hash)

    def _put_vectors(self, change: PutVectors) -> None:
        self._state.get(change.id)
        self._state.vectors[change.id] = _Vectors(
            change.model,
            # Kept in half precision, as every store keeps them.
            {
                at: np.frombuffer(raw, np.float32).astype(np.float16).astype(np.float32)
                for at, raw in change.dense.items()
            },
            dict(change.tokens),
        )
        self._change(change.id)

    def _erase(self, change: Erase) -> None:
        state, target = self._state, change.id
        if target in state.events:
            del state.events[EventId(target)]
            self._move()
        else:
            memory_id = MemoryId(target)
            state.get(memory_id)
            for kept in (state.memories, state.places, state.rows, state.versions, state.vectors):
                kept.pop(memory_id, None)
            state.changed_at.pop(memory_id, None)
            self._move()
            state.gone_at[memory_id] = state.seq
        for key, (_, first, _) in list(state.once.items()):
            if target in first.ids:
                del state.once[key]
        self._note("erase", target, "")

    def _put_event(self, change: PutEvent) -> None:
        within_us, event = change.unless_retry_within_us, change.event
        if within_us is not None:
            for earlier in self._state.events.values():
                if is_retry(event, earlier, within_us):
                    self._equals[event.id] = earlier.id
                    self._ids.append(earlier.id)
                    return
        self._state.events[event.id] = event
        self._ids.append(event.id)
        self._move()
        self._note("put_event", event.id, event.content_hash)

    def _enqueue(self, job: Job) -> None:
        for other in self._state.jobs.values():
            if job.dedupe_key and other.dedupe_key == job.dedupe_key:
                if other.state in ("waiting", "leased"):
                    self._equals[job.id] = other.id
                    return
        self._state.jobs[job.id] = job

    def _finish(self, change: FinishJob) -> None:
        job = self._state.jobs.get(change.id)
        if job is None or job.state != "leased" or job.attempts != change.attempt:
            raise NotFound(change.id)
        state: JobState = "done" if not change.error else "dead"
        if change.error and change.retry_at_us is not None:
            state = "waiting"
        self._state.jobs[change.id] = replace(
            job,
            state=state,
            lease_until_us=None,
            last_error=change.error,
            run_at_us=job.run_at_us if change.retry_at_us is None else change.retry_at_us,
        )

    def _change(self, memory_id: MemoryId) -> None:
        self._move()
        self._state.changed_at[memory_id] = self._state.seq
        self._state.gone_at.pop(memory_id, None)

    def _move(self) -> None:
        if not self._moved:
            self._state.seq += 1
            self._moved = True

    def _note(self, action: str, target: str, content_hash: str) -> None:
        journal = self._state.journal
        before = journal[-1].mac if journal else b""
        keyed = hashlib.blake2b(content_hash.encode(), key=b"in-memory", digest_size=16).hexdigest()
        entry = Entry(
            n=len(journal) + 1,
            at_us=self._now_us,
            actor=self._by.name,
            surface=self._by.surface,
            action=action,
            target=target,
            keyed_hash=keyed if content_hash else "",
            mac=b"",
        )
        journal.append(replace(entry, mac=_mac(entry, before)))


def _mac(entry: Entry, before: bytes) -> bytes:
    fields = (entry.n, entry.at_us, entry.actor, entry.surface, entry.action, entry.target)
    line = "\x1f".join(map(str, (*fields, entry.keyed_hash)))
    return hmac.digest(b"in-memory", before + line.encode(), "sha256")


def _candidate(
    memory_id: MemoryId, score: float, position: int, terms: Terms, fields: Fields
) -> Candidate:
    asked = {*terms.words, *(word for phrase in terms.phrases for word in phrase)}
    own = asked & {*fields.head, *fields.body}
    return Candidate(
        id=memory_id,
        score=score,
        passage=position,
        matched=frozenset(own),
        context_matched=frozenset((asked - own) & set(fields.context)),
    )


def _lease_ran_out(job: Job, now_us: int) -> bool:
    return job.state == "leased" and job.lease_until_us is not None and job.lease_until_us <= now_us


def _cursor_place(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.startswith("p") or not cursor[1:].isdecimal() or len(cursor) > 20:
        raise InvalidCursor(cursor)
    return int(cursor[1:])
