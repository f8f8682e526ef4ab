"""Keeping: a draft goes through the gate, gets its place in the conversation, and is stored."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from pinyon.domain.answers import Written
from pinyon.domain.change import (
    Absent,
    Applied,
    Change,
    Count,
    Enqueue,
    Link,
    Once,
    Patch,
    Put,
    PutEvent,
    due_now,
)
from pinyon.domain.draft import Draft
from pinyon.domain.event import REMEMBERED, Event, event_type_of
from pinyon.domain.filter import EVERYTHING
from pinyon.domain.ids import EventId, MemoryId, NewUuid, memory_id
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor
from pinyon.domain.reflection import ENDINGS
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.errors import (
    AlreadyThere,
    InvalidValue,
    NotFound,
    NotWanted,
    SessionChanged,
    Superseded,
    TooLarge,
    VersionConflict,
    WasForgotten,
)
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.event_log import EventLog
from pinyon.ports.receipts import Receipts
from pinyon.ports.records import Records
from pinyon.ports.search import Search
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.write.allowing import Allowed, Allowing
from pinyon.write.anew import planned_anew
from pinyon.write.conflicts import Conflicts
from pinyon.write.duplicates import RETRY_WITHIN_US, equal_to
from pinyon.write.form import line, listed
from pinyon.write.gate import USUAL, Admitted, Gate, admit
from pinyon.write.limits import SUPPORT_MAX
from pinyon.write.parents import Parents
from pinyon.write.succession import (
    HARSH_COSTS,
    Succession,
    Wish,
    expectations,
    plan_succession,
)
from pinyon.write.support import supported
from pinyon.write.turns import TurnsBefore
from pinyon.write.vectors import Vectorised, owed, vectors_of

BATCH_MAX = 1_000
FILLED_PASSAGES_MAX = 8
"""Passages that a write gives the vectors that an earlier one could not have: about 0.1 s."""

WAITING_SEEN = 32

KEY_CHARS_MAX = 200

CONSOLIDATE = "consolidate"
"""The task of the job that makes facts and playbooks of what waits."""

REFLECT = "reflect"
"""The task of the job that learns from a task of an agent's that is over."""

IMPORTANCE_AT_ONCE = 0.8
"""From here on what is said does not wait until there is more of it."""

CONFLICTS_FOR = 16
"""Memories of one write for which it is looked what may say otherwise."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What happens in the same transaction as a write, against what it was read at."""

    changes: Sequence[Change] = ()
    expect: Mapping[MemoryId, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What became of a batch."""

    applied: Applied
    degraded: tuple[str, ...] = ()
    conflicts: Mapping[MemoryId, tuple[MemoryId, ...]] = field(default_factory=dict)


class Keeper:
    """Writes to one store."""

    def __init__(  # noqa: PLR0913 - all but the first by keyword, and only a client makes one
        self,
        records: Records,
        *,
        clock: Clock,
        new_uuid: NewUuid,
        embedder: Embedder | None = None,
        search: Search | None = None,
        receipts: Receipts | None = None,
        gate: Gate = USUAL,
        log: EventLog | None = None,
        remembered: Collection[str] = REMEMBERED,
        allowing: Allowing | None = None,
    ) -> None:
        """Take what it writes to and looks up.

        Args:
            records: What is kept.
            clock: Tells when.
            new_uuid: Makes ids.
            embedder: Gives vectors; without it they are owed.
            search: Finds what may say otherwise; without it nobody looks.
            receipts: Say what was forgotten.
            gate: What may be kept.
            log: Finds a parent by its message id; without it only an id names one.
            remembered: Roles and event types that become memories.
            allowing: Tells what the user lets memory keep; without it everything.
        """
        self._gate, self._allowing = gate, allowing
        self._parents, self._remembered = Parents(records, log), frozenset(remembered)
        self._conflicts = None if search is None else Conflicts(records, search)
        self._receipts = receipts
        self._records, self._clock, self._new_uuid = records, clock, new_uuid
        self._embedder = embedder
        # Spaces in which, as far as we know, nothing awaits vectors.
        self._filled: set[Space] = set()

    async def gate_for(self, space: Space, sessions: Collection[object] = ()) -> Gate:
        """Return the gate as it stands now for what goes into a space, of the sessions named."""
        if self._allowing is None:
            return self._gate
        return replace(self._gate, allowed=await self._allowing.of(space, sessions))

    async def remember(
        self, space: Space, draft: Draft, *, by: Actor, key: str | None, recallable: bool | None
    ) -> Written:
        """Keep what was said: an episode, or an event of the session's log.

        What its user does not want kept is no error: whoever passes on each message goes on.

        Args:
            space: Where.
            draft: What was said, with its session and role.
            by: Who keeps it.
            key: The caller's idempotency key.
            recallable: Whether it becomes a memory; by default what is said so of its role or type.
        """
        becomes_memory = self._becomes_memory(draft) if recallable is None else recallable

        async def attempt() -> Written:
            if not becomes_memory:
                return await self._log(space, draft, by=by, key=key)
            (written,) = await self.keep(space, [draft], by=by, key=key, is_capture=True)
            return written

        try:
            try:
                return await attempt()
            except SessionChanged:
                return await attempt()  # now it says itself what becomes of it
        except NotWanted as refused:
            return Written(id=MemoryId(""), created=False, not_kept=refused.reason)

    async def _log(self, space: Space, draft: Draft, *, by: Actor, key: str | None) -> Written:
        """Keep what was said as an event."""
        now_us = self._clock.now_us()
        gate = await self.gate_for(space, (draft.session,))
        one = self._admitted(replace(draft, kind="episodic"), space, now_us, gate)
        await self._check_forgotten(space, one)
        (one,) = await self._parents.found(space, [one])
        event = _event_of(one.memory)
        before = await self._records.turn_before(space, event.session, event.occurred_at_us)
        event = replace(event, previous=before[0] if before else None)
        going_on = gate.allowed.going_on(space, [event.session], now_us)
        changes: list[Change] = [*going_on, PutEvent(event, RETRY_WITHIN_US)]
        applied = await self._records.apply(space, changes, by=by, once=_once(key, [one.draft]))
        # The log is no memory: nothing is recalled from it that could be in quarantine.
        return replace(_written(one, applied, 0), quarantined=False)

    def _becomes_memory(self, draft: Draft) -> bool:
        kinds = {str(draft.role), str(draft.event_type or event_type_of(str(draft.role)))}
        return not kinds.isdisjoint(self._remembered)

    def _admitted(self, draft: Draft, space: Space, now_us: int, gate: Gate) -> Admitted:
        return admit(draft, space, now_us=now_us, new_uuid=self._new_uuid, gate=gate)

    async def _check_forgotten(self, space: Space, one: Admitted) -> None:
        """Refuse what was forgotten since it happened, or is said by anybody but the user.

        A user who says the same anew says it anew.
        """
        if self._receipts is None:
            return
        memory = one.memory
        found = await self._receipts.forgotten(space, [memory.content_hash])
        at_us = found.get(memory.content_hash)
        if at_us is None:
            return
        is_new = one.draft.occurred_at is None or (memory.times.occurred_at_us or 0) > at_us
        if memory.source.role != "user" or not is_new:
            raise WasForgotten(show_instant(at_us))

    async def keep(
        self,
        space: Space,
        drafts: Sequence[Draft],
        *,
        by: Actor,
        key: str | None = None,
        repeats_support: bool = True,
        is_capture: bool = False,
        beside: Beside | None = None,
    ) -> list[Written]:
        """Keep memories: all of them, or none.

        Args:
            space: Where.
            drafts: What.
            by: Who keeps them.
            key: The caller's idempotency key.
            repeats_support: Whether a fact that is there already gains support by being said again.
            is_capture: Whether it was said rather than written on purpose: what was forgotten since
                is refused.
            beside: What happens in the same transaction.

        Raises:
            BadInput: A draft is not what it must be.
            NotWanted: The user does not want one of them kept.
            TemporarySession: One would carry something out of a session that it stays in.
            SessionChanged: Its session ended meanwhile.
            NotFound: A memory that one is said to rest on, to replace or to belong to is not there.
            Superseded: A memory that one is to replace was replaced already.
            TooLarge: There are over `BATCH_MAX` of them.
        """
        if len(drafts) > BATCH_MAX:
            raise TooLarge(
                "batch",
                size=len(drafts),
                limit=BATCH_MAX,
                unit="memories",
                hint="send it in parts, or use `pinyon import`",
            )
        if not drafts:
            return []
        for draft in drafts:
            if not isinstance(draft, Draft):
                raise InvalidValue("draft", draft, "a pinyon.Draft")
        now_us = self._clock.now_us()
        gate = await self.gate_for(space, {str(draft.session) for draft in drafts})
        admitted = [self._admitted(draft, space, now_us, gate) for draft in drafts]
        if is_capture:
            for one in admitted:
                await self._check_forgotten(space, one)
        admitted = await supported(self._records, space, admitted)
        admitted = await self._parents.found(space, admitted)
        wishes = [_wish(one, gate.allowed.temporary) for one in admitted]
        # As it may be kept: of what was taken out not even a hash stays.
        once = _once(key, [one.draft for one in admitted])
        beside = beside or Beside()
        if is_capture:
            jobs = self._jobs_of([one.memory for one in admitted], now_us)
            beside = replace(beside, changes=(*beside.changes, *jobs))
        kept = await self._kept(
            space, admitted, wishes, gate.allowed, by=by, once=once, beside=beside
        )
        if repeats_support and not kept.applied.replayed:
            await self._count_support(space, admitted, kept.applied, by)
        if not kept.degraded:
            await self._fill(space, by)
        return [
            replace(
                _written(one, kept.applied, place),
                degraded=kept.degraded,
                possible_conflicts=kept.conflicts.get(one.memory.id, ()),
                superseded=() if wish is None else wish.supersedes,
            )
            for place, (one, wish) in enumerate(zip(admitted, wishes, strict=True))
        ]

    def _jobs_of(self, memories: Sequence[Memory], now_us: int) -> Iterator[Enqueue]:
        """Yield the jobs that do not wait until there is more of what was said."""
        if any(_matters(one) for one in memories):
            yield due_now(CONSOLIDATE, self._new_uuid, now_us, priority="high")
        for one in memories:
            if not one.source.task or one.source.role != "thought":
                continue
            outcome = dict(one.metadata).get("outcome", "")
            if outcome in ENDINGS:
                about = {"memory": one.id, "outcome": str(outcome), "task": one.source.task}
                yield due_now(REFLECT, self._new_uuid, now_us, priority="normal", about=about)

    async def _kept(
        self,
        space: Space,
        admitted: Sequence[Admitted],
        wishes: Sequence[Wish | None],
        allowed: Allowed,
        *,
        by: Actor,
        once: Once | None,
        beside: Beside,
    ) -> _Kept:
        """Plan and put; where somebody changed meanwhile what the plan rests on, plan anew."""
        now_us = self._clock.now_us()

        async def attempt() -> _Kept:
            plans = {
                wish.memory.id: await plan_succession(
                    self._records, space, wish, now_us=now_us, new_uuid=self._new_uuid
                )
                for wish in wishes
                if wish is not None
            }
            puts, turns = await self._placed(space, admitted, plans, allowed.temporary)
            changes, degraded = await self.with_vectors(space, puts, turns)
            conflicts = await self._conflicts_of(changes, allowed.temporary)
            expect = {**expectations(plans.values()), **beside.expect}
            sessions = [one.memory.source.session for one in admitted]
            going_on = allowed.going_on(space, sessions, now_us)
            ordered = [*going_on, *beside.changes, *_in_order(changes, plans)]
            applied = await self._records.apply(space, ordered, by=by, once=once, expect=expect)
            return _Kept(applied, degraded, conflicts)

        try:
            return await planned_anew(attempt)
        except Superseded:
            # Perhaps by this very request, of which this is a retry.
            first = await self._replayed(space, once, by)
            if first is None:
                raise
            return _Kept(first)

    async def _replayed(self, space: Space, once: Once | None, by: Actor) -> Applied | None:
        """Return the answer of the first time under a key, `None` where there was none."""
        if once is None:
            return None
        try:
            return await self._records.apply(space, [Absent(EVERYTHING)], by=by, once=once)
        except AlreadyThere:
            return None

    async def _conflicts_of(
        self, changes: Sequence[Change], temporary: frozenset[str]
    ) -> Mapping[MemoryId, tuple[MemoryId, ...]]:
        """Return what may say otherwise, by memory; of a large batch nobody reads that."""
        puts = [change for change in changes if isinstance(change, Put)]
        if self._conflicts is None or len(puts) > CONFLICTS_FOR:
            return {}
        found = {}
        for put in puts:
            memory = put.memory
            if memory.kind in ("semantic", "procedural") and memory.shelf == "open":
                known = frozenset((*memory.links.supersedes, *memory.source.supporting))
                found[memory.id] = await self._conflicts.of(
                    memory, put.vectors, known=known, apart=temporary - {memory.source.session}
                )
        return found

    async def with_vectors(
        self, space: Space, puts: Sequence[Put], turns: Mapping[EventId, str]
    ) -> tuple[list[Change], tuple[str, ...]]:
        """Return puts with the vectors of their memories, and what is degraded about them."""
        vectors = await vectors_of(self._embedder, [put.memory for put in puts], turns)
        changes = _vectorised(puts, vectors)
        if vectors.degraded:
            self._filled.discard(space)
            changes.append(owed(self._new_uuid, self._clock.now_us()))
        return changes, vectors.degraded

    async def _fill(self, space: Space, by: Actor) -> None:
        """Give a few memories what they still await; another write, or `reembed`, does the rest."""
        if self._embedder is None or space in self._filled:
            return
        waiting = await self._records.pending(space, "vectors", limit=WAITING_SEEN)
        if not waiting:
            self._filled.add(space)
            return
        vectors = await vectors_of(self._embedder, _few_of(waiting))
        if vectors.degraded:
            return
        changes = vectors.settling()
        try:
            if changes:
                versions = {memory.id: memory.version for memory in waiting}
                await self._records.apply(space, changes, by=by, expect=versions)
        except (NotFound, VersionConflict):
            return  # one of them was erased or masked meanwhile; the next write looks again

    async def _placed(
        self,
        space: Space,
        admitted: Sequence[Admitted],
        plans: Mapping[MemoryId, Succession],
        temporary: frozenset[str],
    ) -> tuple[list[Put], dict[EventId, str]]:
        """Link each episode to the turn before it, and make the rows it is found by.

        Returns:
            What is to be put, and the text of those turns before that are no memories.
        """
        turns = TurnsBefore(self._records, space)
        puts: list[Put] = []
        told: dict[EventId, str] = {}
        for one in admitted:
            plan = plans.get(one.memory.id)
            memory, context = one.memory if plan is None else plan.memory, ""
            if memory.kind == "episodic" and memory.source.session:
                before = await turns.before(memory)
                if before is not None:
                    memory = replace(memory, links=replace(memory.links, previous=before[0]))
                    context = before[1]
                    if before[0].startswith("evt_"):
                        told[EventId(before[0])] = context
            # Of a successor it was looked for already, and its absence is part of the plan.
            unless = equal_to(memory, temporary) if plan is None or not plan.is_new else None
            rows = index_rows(memory, context)
            hashed = content_hash(context) if context else ""
            puts.append(Put(memory, rows, unless=unless, context_hash=hashed))
        return puts, told

    async def _count_support(
        self, space: Space, admitted: Sequence[Admitted], applied: Applied, by: Actor
    ) -> None:
        """Let a fact stated again gain support. An episode sent again is no new evidence."""
        repeated: dict[MemoryId, list[Memory]] = {}
        for one in admitted:
            equal = applied.equals.get(one.memory.id)
            if equal is not None and one.memory.kind != "episodic":
                repeated.setdefault(MemoryId(equal), []).append(one.memory)
        if not repeated:
            return
        changes: list[Change] = []
        for held in await self._records.get(space, list(repeated)):
            again = repeated[held.id]
            changes.append(Count(id=held.id, support=len(again)))
            if held.links.contradiction == "harsh" and not held.counts.support:
                # Somebody else says so too: what the harshness had cost is earned back.
                earned = min(1.0, round(held.confidence + HARSH_COSTS, 6))
                changes.append(Patch(id=held.id, confidence=earned))
            supporting = tuple(
                dict.fromkeys(
                    (*held.source.supporting, *(s for m in again for s in m.source.supporting))
                )
            )
            if supporting != held.source.supporting:
                changes.append(Link(id=held.id, supporting=supporting))
        await self._records.apply(space, changes, by=by)


def _matters(memory: Memory) -> bool:
    """Return whether something that was said is to be consolidated at once."""
    return memory.importance >= IMPORTANCE_AT_ONCE and "consolidation" in memory.awaits


def _in_order(changes: Sequence[Change], plans: Mapping[MemoryId, Succession]) -> Iterator[Change]:
    """Yield each memory behind what its coming changes; so that two equal ones see each other."""
    for change in changes:
        if isinstance(change, Put) and change.memory.id in plans:
            yield from plans[change.memory.id].changes
        yield change


def _wish(one: Admitted, temporary: frozenset[str]) -> Wish | None:
    """Return what a draft wants to replace, `None` where that is nothing.

    What goes into quarantine replaces nothing: what it is put in the place of would be lost to
    recall, here and for everybody whom it was published to.
    """
    draft = one.draft
    named = listed("supersedes", draft.supersedes, SUPPORT_MAX)
    ids = tuple(dict.fromkeys(memory_id(value) for value in named))
    if not ids:
        return None
    if one.memory.shelf == "quarantined":
        allowed = "left out: what gives orders to a model takes the place of nothing"
        raise InvalidValue("supersedes", ids[0], allowed)
    return Wish(
        memory=one.memory,
        supersedes=ids,
        contradiction=draft.contradiction,
        temporary=temporary,
    )


def _event_of(memory: Memory) -> Event:
    """Return the event of something that is said and becomes no memory."""
    occurred_at_us, created_at_us = memory.times.occurred_at_us, memory.times.created_at_us
    return Event(
        id=EventId("evt_" + memory.id[4:]),
        text=memory.text,
        role=memory.source.role,
        session=memory.source.session,
        event_type=memory.source.event_type,
        speaker=memory.source.speaker,
        message_id=memory.source.message_id,
        parent=memory.source.parent_event,
        task=memory.source.task,
        occurred_at_us=created_at_us if occurred_at_us is None else occurred_at_us,
        offset_min=memory.times.offset_min,
        created_at_us=created_at_us,
        content_hash=memory.content_hash,
        metadata=memory.metadata,
    )


def _few_of(waiting: Sequence[Memory]) -> list[Memory]:
    """Return the first memories that fit into a write; a long one is left to `reembed`."""
    few: list[Memory] = []
    room = FILLED_PASSAGES_MAX
    for memory in waiting:
        if len(memory.passages) <= room:
            few.append(memory)
            room -= len(memory.passages)
    return few


def _vectorised(puts: Sequence[Put], vectors: Vectorised) -> list[Change]:
    """Return the changes that put memories and, for those that are put, their vectors."""
    changes: list[Change] = []
    for put in puts:
        given = vectors.memories.get(put.memory.id)
        memory = put.memory
        if given is not None or memory.id in vectors.unknown:
            awaits = tuple(what for what in memory.awaits if what != "vectors")
            memory = replace(memory, awaits=awaits)
        changes.append(replace(put, memory=memory, vectors=given))
    return [*changes, *vectors.turns]


def _once(key: str | None, drafts: Sequence[Draft]) -> Once | None:
    if key is None:
        return None
    checked = line("idempotency key", key, KEY_CHARS_MAX)
    # The request as its writer gave it: a retry repeats it to the letter.
    return Once(checked, repr([_plain(draft) for draft in drafts]))


def _plain(draft: Draft) -> tuple[object, ...]:
    values = (getattr(draft, field.name) for field in fields(draft))
    return tuple(sorted(v.items()) if isinstance(v, Mapping) else v for v in values)


def _written(one: Admitted, applied: Applied, place: int) -> Written:
    """Return the answer for one of a batch; a replayed one has the ids of its first time."""
    holder = applied.ids[place]
    kind = EventId if holder.startswith("evt_") else MemoryId
    return Written(
        id=kind(holder),
        created=applied.created[place],
        redacted=one.redacted,
        quarantined=one.memory.shelf == "quarantined",
    )
