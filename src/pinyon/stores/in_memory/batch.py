"""One batch of changes: each variant turned into new values."""

import hashlib
import hmac
from dataclasses import replace
from typing import assert_never

from pinyon.domain.change import (
    EXPOSURE_KEPT_US,
    Absent,
    Applied,
    Await,
    Change,
    Count,
    DropFeedback,
    DropSession,
    EndSession,
    Enqueue,
    Erase,
    Expose,
    FeedbackChange,
    FinishJob,
    Index,
    IndexRow,
    InSession,
    Link,
    LogChange,
    Mask,
    MemoryChange,
    Patch,
    Put,
    PutEvent,
    PutFeedback,
    PutReceipt,
    PutSession,
    PutTurnVectors,
    PutVectors,
    ServeVectors,
    SessionChange,
    Settle,
    TallyChange,
    Unset,
    VectorChange,
)
from pinyon.domain.evolve import awaiting, counted, is_retry, linked, patched, settled
from pinyon.domain.feedback import FEEDBACK_KEPT
from pinyon.domain.filter import matches
from pinyon.domain.ids import EventId, MemoryId
from pinyon.domain.job import ENDED_KEPT, Job, JobState
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import AlreadyThere, ForeignHit, InvalidValue, NotFound, SessionChanged
from pinyon.ports.exposures import Exposure
from pinyon.ports.journal import Entry
from pinyon.ranking.packing import packed, unpacked
from pinyon.stores.in_memory.space import SpaceState, Vectors
from pinyon.text.quoting import quotes


class Batch:
    """Applies changes to a copy of a space, which replaces it when all went well."""

    def __init__(self, space: Space, state: SpaceState, by: Actor, now_us: int) -> None:
        self._space = space
        self._state, self._by, self._now_us = state, by, now_us
        self._equals: dict[str, str] = {}
        self._ids: list[str] = []
        self._created: list[bool] = []
        self._moved = False

    def applied(self) -> Applied:
        """Return what became of the changes."""
        return Applied(
            seq=self._state.mark,
            equals=self._equals,
            ids=tuple(self._ids),
            created=tuple(self._created),
        )

    def apply(self, change: Change) -> None:
        """Apply one change."""
        if isinstance(change, MemoryChange):
            self._apply_to_memory(change)
        elif isinstance(change, TallyChange):
            self._apply_tally(change)
        elif isinstance(change, VectorChange):
            self._apply_vectors(change)
        elif isinstance(change, LogChange):
            self._apply_to_log(change)
        elif isinstance(change, SessionChange):
            self._change_session(change)
        elif isinstance(change, FeedbackChange):
            self._change_feedback(change)
        else:
            assert_never(change)

    def _apply_to_memory(self, change: MemoryChange) -> None:
        match change:
            case Put():
                self._put_memory(change)
            case Patch() | Link():
                self._evolve(change)
            case Mask():
                self._mask(change)
            case Index():
                self._state.get(change.id)
                self._state.rows[change.id] = change.rows
            case Absent():
                self._check_absent(change)
            case _:
                assert_never(change)

    def _apply_tally(self, change: TallyChange) -> None:
        if isinstance(change, Expose):
            self._expose(change)
            return
        memory = self._state.get(change.id)
        match change:
            case Count():
                memory = replace(memory, counts=counted(memory.counts, change))
            case Settle():
                memory = settled(memory, change)
            case Await():
                memory = awaiting(memory, change)
            case _:
                assert_never(change)
        self._state.memories[change.id] = memory

    def _apply_vectors(self, change: VectorChange) -> None:
        match change:
            case PutVectors():
                self._put_vectors(change)
            case PutTurnVectors():
                self._put_turn_vectors(change)
            case ServeVectors():
                self._serve(change)
            case _:
                assert_never(change)

    def _apply_to_log(self, change: LogChange) -> None:
        match change:
            case Erase():
                self._erase(change)
            case PutReceipt():
                self._put_receipt(change)
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
                self._answer(oldest.id, created=False)
                return
        if memory.id not in state.places:
            state.placed += 1
            state.places[memory.id] = state.placed
        state.memories[memory.id] = memory
        state.rows[memory.id] = self._rows_of(change)
        state.versions[memory.id] = list(change.earlier)
        self._drop_vectors(memory.id)
        if change.vectors is not None:
            self._put_vectors(change.vectors)
        self._answer(memory.id, created=True)
        self._change(memory.id)
        self._note("put", memory.id, memory.content_hash)

    def _rows_of(self, change: Put) -> tuple[IndexRow, ...]:
        previous = change.memory.links.previous
        if not change.context_hash or previous is None:
            return change.rows
        held = self._state.memories.get(MemoryId(previous)) or self._state.events.get(
            EventId(previous)
        )
        if held is not None and held.content_hash == change.context_hash:
            return change.rows
        return tuple(replace(row, context="") for row in change.rows)

    def _evolve(self, change: Patch | Link) -> None:
        state, memory = self._state, self._state.get(change.id)
        if isinstance(change, Patch):
            evolved, action = patched(memory, change, self._now_us), "patch"
        else:
            evolved, action = linked(memory, change, self._now_us), change.act
        state.versions.setdefault(memory.id, []).append(memory)
        state.memories[memory.id] = evolved
        if isinstance(change, Patch) and not isinstance(change.rows, Unset):
            state.rows[memory.id] = change.rows
        self._change(memory.id)
        self._note(action, memory.id, memory.content_hash)

    def _check_absent(self, change: Absent) -> None:
        equal = [m for m in self._state.memories.values() if matches(change.where, m)]
        if equal:
            raise AlreadyThere(min(equal, key=lambda m: self._state.places[m.id]).id)

    def _mask(self, change: Mask) -> None:
        state, memory = self._state, change.memory
        if memory.space != self._space:
            raise ForeignHit(memory.id)
        held = state.get(memory.id)
        state.memories[memory.id] = replace(memory, counts=held.counts)
        state.rows[memory.id] = change.rows
        state.versions[memory.id] = []
        self._drop_vectors(memory.id)
        self._drop_feedback_of(memory.id)
        if change.vectors is not None:
            self._put_vectors(change.vectors)
        self._change(memory.id)
        self._note("mask", memory.id, memory.content_hash)

    def _put_receipt(self, change: PutReceipt) -> None:
        state, receipt = self._state, change.receipt
        hashes = tuple(keyed_hash(one) for one in change.content_hashes)
        for hashed in hashes:
            state.forgotten[hashed] = max(state.forgotten.get(hashed, 0), receipt.at_us)
        earlier = state.receipts.get(receipt.id, receipt).hashes
        state.receipts[receipt.id] = replace(receipt, hashes=(*earlier, *hashes))
        self._note("forget", receipt.id, "")

    def _expose(self, change: Expose) -> None:
        state, memory = self._state, self._state.memories.get(change.id)
        if memory is None:
            return
        count = Count(id=change.id, uses=1, used_at_us=change.at_us)
        state.memories[change.id] = replace(memory, counts=counted(memory.counts, count))
        seen = Exposure(at_us=change.at_us, session=change.session, surface=self._by.surface)
        state.exposures.setdefault(change.id, []).append(seen)
        oldest_us = self._now_us - EXPOSURE_KEPT_US
        for memory_id, kept in state.exposures.items():
            state.exposures[memory_id] = [one for one in kept if one.at_us >= oldest_us]

    def _put_vectors(self, change: PutVectors) -> None:
        self._state.get(change.id)
        self._check_dim(change)
        self._state.vectors[change.id, change.model] = Vectors(
            # As exact as every store keeps them.
            {at: unpacked([packed(raw)])[0] for at, raw in change.dense.items()},
            dict(change.tokens),
        )
        self._state.serving = self._state.serving or change.model
        self._change(change.id)

    def _put_turn_vectors(self, change: PutTurnVectors) -> None:
        if change.id not in self._state.events:
            raise NotFound(change.id)
        self._check_dim(change)
        self._state.turn_vectors[change.id, change.model] = change.tokens

    def _check_dim(self, change: PutVectors | PutTurnVectors) -> None:
        held = self._state.dims.setdefault(change.model, change.dim)
        if held != change.dim:
            raise InvalidValue("dim", change.dim, f"{held}, as the model's other vectors have it")

    def _serve(self, change: ServeVectors) -> None:
        state = self._state
        if change.model not in state.dims:
            raise NotFound(change.model)
        state.serving = change.model
        state.vectors = {key: v for key, v in state.vectors.items() if key[1] == change.model}
        state.turn_vectors = {
            key: tokens for key, tokens in state.turn_vectors.items() if key[1] == change.model
        }
        state.dims = {change.model: state.dims[change.model]}
        self._move()

    def _drop_vectors(self, memory_id: MemoryId) -> None:
        for key in [key for key in self._state.vectors if key[0] == memory_id]:
            del self._state.vectors[key]

    def _drop_turn_vectors(self, event_id: EventId) -> None:
        for key in [key for key in self._state.turn_vectors if key[0] == event_id]:
            del self._state.turn_vectors[key]

    def _erase(self, change: Erase) -> None:
        state, target = self._state, change.id
        if target in state.events:
            del state.events[EventId(target)]
            del state.event_places[EventId(target)]
            self._drop_turn_vectors(EventId(target))
            self._move()
        else:
            memory_id = MemoryId(target)
            before = state.get(memory_id).links.previous
            self._drop_vectors(memory_id)
            self._drop_feedback_of(memory_id)
            for kept in (state.memories, state.places, state.rows, state.versions, state.exposures):
                kept.pop(memory_id, None)
            if not any(m.links.previous == before for m in state.memories.values()):
                self._drop_turn_vectors(EventId(before or ""))
            state.changed_at.pop(memory_id, None)
            self._move()
            state.gone_at[memory_id] = state.seq
        for job_id, job in list(state.jobs.items()):
            if target in dict(job.payload).values():
                del state.jobs[job_id]
        for follower in [m for m in state.memories.values() if m.links.previous == target]:
            rows = state.rows[follower.id]
            state.rows[follower.id] = tuple(replace(row, context="") for row in rows)
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
                    self._answer(earlier.id, created=False)
                    return
        if event.id not in self._state.event_places:
            self._state.placed += 1
            self._state.event_places[event.id] = self._state.placed
        self._state.events[event.id] = event
        self._answer(event.id, created=True)
        self._move()
        self._note("put_event", event.id, event.content_hash)

    def _change_session(self, change: SessionChange) -> None:
        state = self._state
        match change:
            case PutSession(session):
                state.sessions[session.name] = session
                state.sessions_over.pop(keyed_hash(session.name), None)
                self._move()
            case InSession():
                held = state.sessions.get(change.name)
                if held is None or held.mode != change.mode or held.ended_at_us is not None:
                    raise SessionChanged
                last_turn_at_us = max(held.last_turn_at_us, change.at_us)
                state.sessions[change.name] = replace(held, last_turn_at_us=last_turn_at_us)
            case DropSession(name):
                self._drop_session(name)
            case EndSession():
                ended, hashed = state.sessions_ended, keyed_hash(change.name)
                ended[hashed] = max(ended.get(hashed, change.at_us), change.at_us)
            case _:
                assert_never(change)

    def _drop_session(self, name: str) -> None:
        state = self._state
        held = state.sessions.pop(name, None)
        if held is None:
            return
        for memory_id, given in state.exposures.items():
            state.exposures[memory_id] = [
                replace(one, session="") if one.session == name else one for one in given
            ]
        if held.is_temporary:
            state.sessions_over[keyed_hash(name)] = self._now_us
        self._move()

    def _change_feedback(self, change: FeedbackChange) -> None:
        state = self._state
        match change:
            case PutFeedback(feedback):
                state.get(feedback.memory)
                state.fed_back += 1
                state.feedback[state.fed_back] = feedback
                for n in list(state.feedback)[:-FEEDBACK_KEPT]:
                    del state.feedback[n]
            case DropFeedback():
                for n, one in list(state.feedback.items()):
                    is_of_it = bool(change.session) and one.session == change.session
                    if is_of_it or any(quotes(one.query, text) for text in change.said):
                        del state.feedback[n]
            case _:
                assert_never(change)

    def _drop_feedback_of(self, memory_id: MemoryId) -> None:
        for n, one in list(self._state.feedback.items()):
            if one.memory == memory_id:
                del self._state.feedback[n]

    def _enqueue(self, job: Job) -> None:
        for other in self._state.jobs.values():
            is_twin = job.dedupe_key and other.dedupe_key == job.dedupe_key
            if is_twin and other.state in ("waiting", "leased"):
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
        if state == "done":
            for old in list(self._state.jobs.values())[: -ENDED_KEPT - 1]:
                if old.state in ("done", "cancelled"):
                    del self._state.jobs[old.id]

    def _answer(self, identifier: str, *, created: bool) -> None:
        self._ids.append(identifier)
        self._created.append(created)

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
        entry = Entry(
            n=len(journal) + 1,
            at_us=self._now_us,
            actor=self._by.name,
            surface=self._by.surface,
            action=action,
            target=target,
            keyed_hash=keyed_hash(content_hash) if content_hash else "",
            mac=b"",
        )
        journal.append(replace(entry, mac=mac_of(entry, before)))


def keyed_hash(content_hash: str) -> str:
    """Return the hash that stands for a content."""
    return hashlib.blake2b(content_hash.encode(), key=b"in-memory", digest_size=16).hexdigest()


def mac_of(entry: Entry, before: bytes) -> bytes:
    """Return the MAC of an entry that follows the one whose MAC is `before`."""
    fields = (entry.n, entry.at_us, entry.actor, entry.surface, entry.action, entry.target)
    line = "\x1f".join(map(str, (*fields, entry.keyed_hash)))
    return hmac.digest(b"in-memory", before + line.encode(), "sha256")
