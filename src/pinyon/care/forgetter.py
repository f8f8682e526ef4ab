"""Forgetting as it is asked for: by id, by what it says, by session, document, or all of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pinyon.care.copies import Copies
from pinyon.domain.answers import Forgotten, Hit
from pinyon.domain.change import DropFeedback
from pinyon.domain.filter import And, Eq, Filter
from pinyon.domain.ids import EventId, MemoryId, NewUuid, ReceiptId, turn_id
from pinyon.domain.memory import Memory
from pinyon.domain.principal import Actor, Principal
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.errors import InvalidValue, NotFound
from pinyon.ports.clock import Clock
from pinyon.ports.records import every_event, every_memory
from pinyon.ports.registry import Registry
from pinyon.ports.store import Store
from pinyon.recall.planning import checked_question, question_of
from pinyon.recall.recaller import Recaller
from pinyon.text.normal import content_hash
from pinyon.text.quoting import naming_words
from pinyon.text.tokens import question_terms
from pinyon.write.allowing import forget_topics
from pinyon.write.form import flag, line, listed
from pinyon.write.limits import SUPPORT_MAX

BATCH = 250
"""Memories that are forgotten in one transaction; what hangs on them comes on top."""

CANDIDATE_SHARE = 0.5
"""Of the best one's relevance: what is less alike is no candidate."""
CANDIDATES = 10
SAME_MAX = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be forgotten: exactly one of these is named.

    Attributes:
        ids: Of memories or events.
        query: What it says; see `Forgetter.forget`.
        session: A conversation.
        document: A document of the catalog.
        everything: All that is remembered about the user.
    """

    ids: Sequence[str] = ()
    query: str | None = None
    session: str | None = None
    document: str | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        """Refuse what names nothing, or two things.

        Raises:
            InvalidValue: It does.
        """
        flag("everything", self.everything)
        given = {
            "ids": bool(self.ids),
            "query": self.query is not None,
            "session": self.session is not None,
            "document": self.document is not None,
            "everything": self.everything,
        }
        named = [name for name, is_given in given.items() if is_given]
        if len(named) != 1:
            asked = f"exactly one of {', '.join(given)}"
            raise InvalidValue("what to forget", " and ".join(named) or "nothing", asked)


class Forgetter:
    """Finds what is meant, shows it or forgets it, and answers with the receipt."""

    def __init__(
        self,
        store: Store,
        *,
        by: Actor,
        clock: Clock,
        new_uuid: NewUuid,
        recaller: Recaller,
        copies: Copies,
    ) -> None:
        self._store, self._records, self._by = store, store.records, by
        self._clock, self._new_uuid, self._recaller = clock, new_uuid, recaller
        self._copies, self._eraser = copies, copies.eraser

    async def forget(
        self,
        principal: Principal,
        wanted: Wanted,
        space: Space,
        *,
        dry_run: bool,
        confirmed: bool,
    ) -> Forgotten:
        """Forget what is meant, or show what would be.

        What says something is looked for first: nothing is forgotten unless one memory alone holds
        every word of it and that is confirmed; else the candidates are the answer.

        Raises:
            InvalidValue: What is to be forgotten is not what it must be.
            NotFound: It is not there.
        """
        flag("dry_run", dry_run)
        flag("confirmed", confirmed)
        if wanted.everything:
            return await self._everything(principal, dry_run=dry_run)
        if wanted.query is not None:
            query = checked_question(wanted.query)
            candidates = await self._candidates(query, [space])
            found = _unambiguous(candidates, query)
            if found is None or not confirmed:
                meant = None if found is None else found.id
                return Forgotten(candidates=tuple(candidates), meant=meant)
            await self._copies.check_is_own(found)
            return await self._those(found.space, [found.id], [], dry_run=dry_run)
        if wanted.ids:
            space, ids, events = await self._located(principal, wanted.ids)
        else:
            ids, events = await self._chosen(space, wanted)
        forgotten = await self._those(space, ids, events, dry_run=dry_run)
        if wanted.session is not None and not dry_run:
            await self._drop_feedback(space, line("session", wanted.session))
        return forgotten

    async def forget_session(self, space: Space, name: str) -> Forgotten:
        """Forget what was said in a session and nothing else, with the feedback that is of it.

        What it rests on, outside of it, is not covered, and its words may be said again: nobody
        asked that they be forgotten, only that they stay in the session.
        """

        async def attempt() -> Forgotten:
            ids, events = await self._chosen(space, Wanted(session=name))
            return await self._those(space, ids, events, dry_run=False, everywhere=False)

        try:
            forgotten = await attempt()
        except NotFound:
            forgotten = await attempt()  # another process forgets it too
        await self._drop_feedback(space, name)
        return forgotten

    async def _drop_feedback(self, space: Space, session: str) -> None:
        if (await self._store.feedback.list_feedback(space, limit=1)).feedback:
            await self._records.apply(space, [DropFeedback(session=session)], by=self._by)

    # ── what is meant ────────────────────────────────────────────────────────────────────────

    async def _candidates(self, query: str, spaces: Sequence[Space]) -> list[Hit]:
        question = question_of(
            query,
            spaces=tuple(spaces),
            now_us=self._clock.now_us(),
            k=CANDIDATES,
            include_superseded=True,
        )
        answer = await self._recaller.recall(question)
        # What comes along behind a good hit is welcome to a reader, and nothing to be forgotten.
        best = max((hit.why.relevance for hit in answer.hits), default=0.0)
        least = best * CANDIDATE_SHARE
        return [hit for hit in answer.hits if hit.why.relevance >= least]

    async def _located(
        self, principal: Principal, given: Sequence[str]
    ) -> tuple[Space, list[MemoryId], list[EventId]]:
        """Return the space that holds what is named, with the ids of memories and of events."""
        listed("ids", given, SUPPORT_MAX * 10)
        turns = list(dict.fromkeys(turn_id(one) for one in given))
        events = [EventId(one) for one in turns if one.startswith("evt_")]
        ids = [MemoryId(one) for one in turns if one.startswith("mem_")]
        held: dict[Space, set[str]] = {}
        for space in principal.writes:
            found = await self._records.get(space, ids)
            for memory in found:
                await self._copies.check_is_own(memory)
            logged = [event for event in events if await self._is_event(space, event)]
            if found or logged:
                held[space] = {*(memory.id for memory in found), *logged}
        missing = [one for one in turns if not any(one in there for there in held.values())]
        if missing:
            raise NotFound(missing[0])
        (space, there), *others = held.items()
        if others:
            apart = next(one for one in turns if one not in there)
            raise InvalidValue("ids", apart, f"of {space} like the first; forget it by itself")
        return space, ids, events

    async def _is_event(self, space: Space, event_id: EventId) -> bool:
        return await self._records.turn_text(space, event_id) is not None

    async def _chosen(self, space: Space, wanted: Wanted) -> tuple[list[MemoryId], list[EventId]]:
        """Return everything of a session or of a document."""
        if wanted.document is not None:
            name = line("document", wanted.document, 500)
            if not name:
                raise InvalidValue("document", name, "the name of a document")
            where: Filter = And((Eq("kind", "catalog"), Eq("document", name)))
            return [memory.id async for memory in every_memory(self._records, space, where)], []
        name = line("session", wanted.session)
        if not name:
            raise InvalidValue("session", name, "the name of a conversation")
        ids = [
            memory.id async for memory in every_memory(self._records, space, Eq("session", name))
        ]
        events = [event.id async for event in every_event(self._records, space, session=name)]
        return ids, events

    # ── how it goes ──────────────────────────────────────────────────────────────────────────

    async def _those(
        self,
        space: Space,
        ids: Sequence[MemoryId],
        events: Sequence[EventId],
        *,
        dry_run: bool,
        everywhere: bool = True,
    ) -> Forgotten:
        if dry_run:
            return await self._preview(space, ids, events)
        receipt: Receipt | None = None
        left = list(ids)
        while left or events:
            part = left[:BATCH]
            receipt = await self._eraser.forget(
                space, part, events[:BATCH], by=self._by, earlier=receipt, everywhere=everywhere
            )
            gone = set(receipt.ids)
            left = [one for one in left if one not in gone]
            events = [one for one in events if one not in gone]
        if receipt is None:
            return Forgotten()
        await self._copies.run(space)
        complete = await self._store.receipts.settle(space)
        return Forgotten(receipt=replace(receipt, complete=complete))

    async def _preview(
        self, space: Space, ids: Sequence[MemoryId], events: Sequence[EventId]
    ) -> Forgotten:
        plan = await self._eraser.plan(space, ids, events)
        same: dict[MemoryId, Memory] = {}
        for memory in list(plan.gone.values())[:SAME_MAX]:
            for hit in await self._candidates(memory.text, [space]):
                other = hit.memory
                is_touched = other.id in plan.gone or other.id in plan.masked
                if not is_touched and _says_the_same(memory, other):
                    same[other.id] = other
        return Forgotten(
            gone=tuple(plan.gone.values()),
            masked=tuple(plan.masked.values()),
            same=tuple(same.values())[:SAME_MAX],
            events=len(plan.events),
        )

    async def _everything(self, principal: Principal, *, dry_run: bool) -> Forgotten:
        """Empty the user's space and those of the user's agents; withdraw what they gave.

        What the user never wanted kept is said in words of the user's, which go too; that memory is
        paused stays.
        """
        own = Space.of_user(principal.tenant, principal.user)
        spaces = await spaces_of_user(self._store.registry, own)
        counts = {"memories": 0, "events": 0, "spaces": len(spaces)}
        for space in spaces:
            info = await self._store.registry.info(space)
            if info is not None:
                counts["memories"] += info.memories
                counts["events"] += info.events
        if not dry_run:
            await forget_topics(self._store.registry, own)
        if dry_run or not spaces:
            return Forgotten(counts=counts)
        for space in spaces:
            async for memory in every_memory(self._records, space):
                # First: emptied, the space would not know any more what it owes.
                await self._copies.take_back(memory, by=self._by)
        receipt = Receipt(
            id=ReceiptId("rcp_" + self._new_uuid()),
            at_us=self._clock.now_us(),
            counts=counts,
            whole=True,
        )
        complete = True
        for space in spaces:
            another = replace(receipt, id=ReceiptId("rcp_" + self._new_uuid()))
            await self._store.erase(space, receipt if space == spaces[0] else another)
            complete = await self._store.receipts.settle(space) and complete
        return Forgotten(receipt=replace(receipt, complete=complete), counts=counts)


async def spaces_of_user(registry: Registry, own: Space) -> list[Space]:
    """Return a user's own space and those of the agents' notes about the user."""
    return [space for space in await registry.spaces(own.tenant) if space.owner == own]


def _unambiguous(candidates: Sequence[Hit], query: str) -> Memory | None:
    """Return the one memory that says what is asked for, `None` where none or several do."""
    words = set(question_terms(query).words)
    same = [hit.memory for hit in candidates if hit.memory.content_hash == content_hash(query)]
    whole = [
        hit.memory
        for hit in candidates
        if words and words <= set(question_terms(hit.memory.text).words)
    ]
    found = same or whole
    return found[0] if len(found) == 1 and (same or len(candidates) == 1) else None


def _says_the_same(memory: Memory, other: Memory) -> bool:
    """Return whether another memory holds most of the words of one that goes, and every name."""
    words, others = (set(question_terms(one.text).words) for one in (memory, other))
    if memory.content_hash == other.content_hash:
        return True
    shared = len(words & others)
    return shared * 3 >= 2 * max(1, len(words)) and naming_words(memory.text) <= others
