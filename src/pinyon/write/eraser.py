"""Forgetting within one space: one transaction, with the receipt that is left."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pinyon.domain.change import Change, DropFeedback, Erase, Mask, Patch, PutReceipt
from pinyon.domain.ids import EventId, MemoryId, NewUuid, ReceiptId
from pinyon.domain.memory import Awaits, Memory
from pinyon.domain.principal import Actor
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.errors import NotFound
from pinyon.ports.clock import Clock
from pinyon.ports.embedder import Embedder
from pinyon.ports.exposures import Exposures
from pinyon.ports.records import Records
from pinyon.text.index_rows import index_rows
from pinyon.text.normal import content_hash
from pinyon.write.anew import planned_anew
from pinyon.write.copies import following
from pinyon.write.forgetting import Forgetting, plan_forgetting
from pinyon.write.masking import covered_parts
from pinyon.write.vectors import Vectorised, vectors_of


class Eraser:
    """Plans, and does what was planned."""

    def __init__(
        self,
        records: Records,
        exposures: Exposures,
        *,
        clock: Clock,
        new_uuid: NewUuid,
        embedder: Embedder | None = None,
    ) -> None:
        self._records, self._exposures = records, exposures
        self._clock, self._new_uuid, self._embedder = clock, new_uuid, embedder

    async def plan(
        self,
        space: Space,
        ids: Sequence[MemoryId],
        events: Sequence[EventId] = (),
        *,
        everywhere: bool = True,
    ) -> Forgetting:
        """Return what forgetting some of a space's memories and events amounts to; see `forget`.

        Raises:
            NotFound: One of them is not there.
        """
        targets = await self._records.get(space, ids)
        missing = sorted(set(ids) - {memory.id for memory in targets})
        if missing:
            raise NotFound(missing[0])
        now_us = self._clock.now_us()
        return await plan_forgetting(
            self._records, space, targets, events=events, covers=everywhere, now_us=now_us
        )

    async def forget(
        self,
        space: Space,
        ids: Sequence[MemoryId],
        events: Sequence[EventId] = (),
        *,
        by: Actor,
        earlier: Receipt | None = None,
        everywhere: bool = True,
    ) -> Receipt:
        """Forget memories and events of a space, with all that hangs on them.

        Args:
            space: Whose they are.
            ids: Which memories.
            events: Which events.
            by: Who asks for it.
            earlier: The receipt of the parts before, where it is too much for one transaction.
            everywhere: Also in the messages that said it, which are covered, and in what comes
                later: its text is kept from being captured again.

        Returns:
            The receipt; `complete` is for the store to say.

        Raises:
            NotFound: One of them is not there.
        """

        async def attempt() -> Receipt:
            plan = await self.plan(space, ids, events, everywhere=everywhere)
            receipt = await self._receipt(space, plan, earlier)
            hashes = _hashes(plan) if everywhere else []
            changes = await self._changes(space, plan, PutReceipt(receipt, tuple(hashes)))
            await self._records.apply(space, changes, by=by, expect=plan.expect)
            return receipt

        return await planned_anew(attempt)

    async def _changes(self, space: Space, plan: Forgetting, receipt: PutReceipt) -> list[Change]:
        return [
            *await self._remade(space, plan),
            *plan.loosened,
            # First: a query that tells of it may be about what stays.
            DropFeedback(said=await self._told(space, plan)),
            *(Erase(memory_id) for memory_id in plan.gone),
            *(Erase(event_id) for event_id in plan.events),
            # Behind the erasures: those take the jobs along that name what goes.
            *self._followed(plan),
            receipt,
        ]

    async def _told(self, space: Space, plan: Forgetting) -> tuple[str, ...]:
        """Return every text that is forgotten."""
        texts = [text for memory in plan.gone.values() for text in _texts_of(memory)]
        texts += _covered(plan)
        texts += [await self._records.turn_text(space, one) or "" for one in plan.events]
        return tuple(dict.fromkeys(text for text in texts if text))

    async def _remade(self, space: Space, plan: Forgetting) -> list[Change]:
        """Return masked messages with their rows and vectors, and the turns after them."""
        vectors = await vectors_of(self._embedder, list(plan.masked.values()))
        changes: list[Change] = []
        for memory in plan.masked.values():
            given = vectors.memories.get(memory.id)
            rows = index_rows(memory, await self._context(memory, plan))
            changes.append(Mask(replace(memory, awaits=_awaits(memory, vectors)), rows, given))
        for follower in await self._followers(space, plan):
            # A version on, so that whoever edits it meanwhile cannot put the old words back.
            rows = index_rows(follower, await self._context(follower, plan))
            changes.append(Patch(id=follower.id, rows=rows))
            plan.expect[follower.id] = follower.version
        return changes

    async def _followers(self, space: Space, plan: Forgetting) -> Iterable[Memory]:
        ids: dict[MemoryId, None] = {}
        for memory_id in (*plan.masked, *plan.gone, *plan.events):
            related = await self._records.dependants(space, MemoryId(memory_id))
            ids.update((one, None) for name, one in related if name == "follows")
        left = [one for one in ids if one not in plan.gone and one not in plan.masked]
        return await self._records.get(space, left)

    async def _context(self, memory: Memory, plan: Forgetting) -> str:
        previous = memory.links.previous
        if previous is None or previous in plan.gone or previous in plan.events:
            return ""
        if previous in plan.masked:
            return plan.masked[MemoryId(previous)].text
        return await self._records.turn_text(memory.space, previous) or ""

    async def _receipt(self, space: Space, plan: Forgetting, earlier: Receipt | None) -> Receipt:
        own = {memory.source.session for memory in plan.gone.values()}
        sessions: dict[str, None] = {}
        for memory_id in (*plan.gone, *plan.masked):
            for one in await self._exposures.given(space, memory_id):
                # The session that it comes from may itself be what is to be forgotten.
                if one.session and one.session not in own:
                    sessions[one.session] = None
        copies = sum(len(m.links.copies) for m in (*plan.gone.values(), *plan.before.values()))
        receipt = Receipt(
            id=ReceiptId("rcp_" + self._new_uuid()),
            at_us=self._clock.now_us(),
            ids=(*plan.gone, *plan.events),
            masked=tuple(plan.masked),
            counts={
                "memories": len(plan.gone),
                "events": len(plan.events),
                "masked": len(plan.masked),
                "copies": copies,
            },
            sessions=tuple(sessions),
        )
        return receipt if earlier is None else joined(earlier, receipt)

    def _followed(self, plan: Forgetting) -> list[Change]:
        now_us = self._clock.now_us()
        published = (*plan.gone.values(), *plan.before.values())
        return [
            change
            for memory in published
            for change in following(memory, now_us=now_us, new_uuid=self._new_uuid)
        ]


def joined(earlier: Receipt, later: Receipt) -> Receipt:
    """Return the receipt of a part and of those before it."""
    return replace(
        earlier,
        ids=(*earlier.ids, *later.ids),
        masked=tuple(dict.fromkeys((*earlier.masked, *later.masked))),
        counts={name: earlier.counts.get(name, 0) + n for name, n in later.counts.items()},
        sessions=tuple(dict.fromkeys((*earlier.sessions, *later.sessions))),
    )


def _awaits(memory: Memory, vectors: Vectorised) -> tuple[Awaits, ...]:
    settled = memory.id in vectors.memories or memory.id in vectors.unknown
    others = tuple(one for one in memory.awaits if one != "vectors")
    return others if settled else ("vectors", *others)


def _hashes(plan: Forgetting) -> list[str]:
    """Return the content hashes of what is forgotten."""
    hashes = [memory.content_hash for memory in plan.gone.values()]
    hashes += [content_hash(part) for part in _covered(plan)]
    return list(dict.fromkeys(hashes))


def _texts_of(memory: Memory) -> list[str]:
    texts = [memory.text, memory.title]
    if memory.procedure is not None:
        texts += [memory.procedure.trigger]
        texts += [step.instruction for step in memory.procedure.steps]
    return texts


def _covered(plan: Forgetting) -> list[str]:
    """Return the parts of messages that are covered, as they read before."""
    masked: Mapping[MemoryId, Memory] = plan.masked
    return [
        part
        for memory_id, before in plan.before.items()
        for part in covered_parts(before.text, masked[memory_id].text)
    ]
