"""What a store promises about what is masked, quarantined and forgotten."""

from dataclasses import replace

import pytest

from pinyon.domain.change import (
    Absent,
    Await,
    Count,
    Enqueue,
    Erase,
    Index,
    Link,
    Mask,
    Patch,
    PutEvent,
    PutReceipt,
    PutVectors,
    Settle,
)
from pinyon.domain.filter import Eq
from pinyon.domain.grant import Grant
from pinyon.domain.ids import JobId, ReceiptId
from pinyon.domain.job import Job
from pinyon.domain.memory import CatalogEntry, Copy, Links, Span
from pinyon.domain.receipt import Receipt
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import AlreadyThere, ForeignHit, NotFound, VersionConflict
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put, rows_of
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BOB, DIM, MODEL, event_of, unit
from pinyon.text.normal import content_hash

HASH = content_hash("Sarah lives in Bristol")


def receipt_of(number: int = 1, **fields: object) -> Receipt:
    """Return a receipt whose id and time are a small number."""
    ids = (memory_of(1).id,)
    values = {"ids": ids, "counts": {"memories": 1}, "sessions": ("s1",), **fields}
    return Receipt(id=ReceiptId(f"rcp_{number:032x}"), at_us=number, **values)  # type: ignore[arg-type]


class TrustPromises(Promises):
    """Masks, guards, receipts, quarantine."""

    async def test_a_masked_memory_keeps_nothing_of_what_it_said(self, store: Store) -> None:
        memory = memory_of(1, "Sarah lives in Bristol now")
        vectors = PutVectors(memory.id, MODEL, {0: unit(1)}, DIM, {0: b"\1\2"}, 2)
        await self.apply(store, put(memory), vectors, Patch(id=memory.id, title="In Bristol"))
        (held,) = await store.records.get(ANN, [memory.id])
        text = "Sarah lives in ███████ now"
        masked = replace(
            held,
            text=text,
            title="",
            version=3,
            content_hash=content_hash(text),
            awaits=("vectors",),
        )

        await self.apply(store, Mask(masked, rows_of(masked)))

        assert await store.records.get(ANN, [memory.id]) == [masked]
        assert await store.records.versions(ANN, memory.id) == [masked]
        assert await store.search.keyword(ANN, Terms(("bristol",)), limit=9) == []
        assert await store.search.token_vectors(ANN, MODEL, {memory.id: 0}) == {}
        assert [e.action for e in await store.journal.entries(ANN)] == ["put", "patch", "mask"]

    async def test_a_mask_may_bring_its_vectors_and_needs_its_memory(self, store: Store) -> None:
        memory = memory_of(1)
        vectors = PutVectors(memory.id, MODEL, {0: unit(0, 1)}, DIM)
        with pytest.raises(NotFound):
            await self.apply(store, Mask(memory, ()))
        await self.apply(store, put(memory), Mask(memory, rows_of(memory), vectors))
        with pytest.raises(ForeignHit):
            await self.apply(store, Mask(replace(memory, space=BOB), ()))

        (found,) = await store.search.dense(ANN, unit(0, 1), MODEL, limit=9)
        assert found.id == memory.id

    async def test_rows_are_made_anew_without_a_version(self, store: Store) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory, context="the kitchen"))

        await self.apply(store, Index(memory.id, rows_of(memory)))

        assert await store.search.keyword(ANN, Terms(("kitchen",)), limit=9) == []
        assert len(await store.search.keyword(ANN, Terms(("bristol",)), limit=9)) == 1
        assert await store.records.get(ANN, [memory.id]) == [memory]
        with pytest.raises(NotFound):
            await self.apply(store, Index(memory_of(2).id, ()))

    async def test_a_batch_breaks_off_where_something_is_there(self, store: Store) -> None:
        await self.apply(store, Absent(Eq("status", "active")), put(memory_of(1)))

        with pytest.raises(AlreadyThere, match=memory_of(1).id):
            await self.apply(store, put(memory_of(2)), Absent(Eq("content_hash", HASH)))

        assert await store.records.get(ANN, [memory_of(2).id]) == []

    async def test_what_is_owed_is_noted_and_settled(self, store: Store) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory))

        await self.apply(store, Await(memory.id, "consolidation"), Await(memory.id, "vectors"))

        (owed,) = await store.records.pending(ANN, "consolidation")
        assert (owed.awaits, owed.version) == (("vectors", "consolidation"), 1)
        await self.apply(store, Settle(memory.id, "vectors"), Settle(memory.id, "consolidation"))
        assert await store.records.get(ANN, [memory.id]) == [memory]
        with pytest.raises(NotFound):
            await self.apply(store, Await(memory_of(2).id, "vectors"))

    async def test_who_settles_first_is_the_only_one_where_that_matters(self, store: Store) -> None:
        memory = memory_of(1)
        await self.apply(store, put(memory), Await(memory.id, "consolidation"))
        first = Settle(memory.id, "consolidation", is_first=True)
        counted = Count(id=memory.id, successes=1)
        await self.apply(store, counted, first)

        with pytest.raises(VersionConflict, match="awaits nothing any more"):
            await self.apply(store, counted, first)

        (held,) = await store.records.get(ANN, [memory.id])
        assert held.counts.successes == 1
        await self.apply(store, Settle(memory.id, "consolidation"))
        with pytest.raises(NotFound):
            await self.apply(store, Settle(memory_of(2).id, "consolidation", is_first=True))

    async def test_a_link_changes_what_it_names_and_is_called_by_its_act(
        self, store: Store
    ) -> None:
        memory, other = memory_of(1, kind="catalog", catalog=CatalogEntry()), memory_of(2)
        await self.apply(store, put(memory), put(other))
        entry = CatalogEntry(document="a.md", position=3, before=other.id)
        change = Link(
            id=memory.id,
            derived_from=(other.id,),
            spans=(Span(other.id, 1, 2),),
            copies=(Copy(BOB, other.id),),
            catalog=entry,
            outdated_by=other.id,
            act="publish",
        )

        await self.apply(store, change)

        (now,) = await store.records.get(ANN, [memory.id])
        assert (now.source.derived_from, now.source.spans) == (change.derived_from, change.spans)
        assert (now.links.copies, now.catalog, now.version) == (change.copies, entry, 2)
        assert (await store.journal.entries(ANN))[-1].action == "publish"
        related = await store.records.dependants(ANN, other.id)
        assert related == [("derived", memory.id), ("outdated", memory.id)]
        await self.apply(store, Link(id=other.id, supersedes=(memory.id,)))
        assert await store.records.dependants(ANN, memory.id) == [("supersedes", other.id)]

    async def test_a_copy_names_what_it_was_made_from(self, store: Store) -> None:
        copy = memory_of(1, links=Links(copy_of=Copy(BOB, memory_of(2).id)))
        await self.apply(store, put(copy))

        assert await store.records.get(ANN, [copy.id]) == [copy]

    async def test_a_receipt_stays_and_its_text_is_known_again(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        await self.apply(store, Erase(memory_of(1).id), PutReceipt(receipt_of(), (HASH,)))

        (kept,) = await store.receipts.of_space(ANN)
        assert replace(kept, hashes=(), complete=False) == receipt_of()
        assert len(kept.hashes) == 1
        assert HASH not in repr(kept)
        assert await store.receipts.forgotten(ANN, [HASH, "00" * 16]) == {HASH: 1}
        assert await store.receipts.forgotten(BOB, [HASH]) == {}
        assert await store.receipts.settle(ANN)
        assert (await store.receipts.of_space(ANN))[0].complete
        assert (await store.journal.entries(ANN))[-1].action == "forget"
        assert await store.journal.broken_at(ANN) is None

    async def test_a_receipt_grows_under_its_id(self, store: Store) -> None:
        await self.apply(store, PutReceipt(receipt_of(), (HASH,)))
        more = receipt_of(counts={"memories": 2})
        await self.apply(store, PutReceipt(more, (content_hash("other"),)))

        (kept,) = await store.receipts.of_space(ANN)
        assert (kept.counts, len(kept.hashes)) == ({"memories": 2}, 2)

    async def test_a_receipt_is_open_while_a_copy_has_to_follow(self, store: Store) -> None:
        job = Job(id=JobId(f"job_{1:032x}"), task="follow", run_at_us=0)
        await self.apply(store, Enqueue(job), PutReceipt(receipt_of()))
        assert not await store.receipts.settle(ANN)
        assert not (await store.receipts.of_space(ANN))[0].complete

        await store.jobs.cancel(ANN, job.id)

        assert await store.receipts.settle(ANN)

    async def test_a_job_that_names_what_is_erased_goes_with_it(self, store: Store) -> None:
        memory = memory_of(1)
        naming = Job(
            id=JobId(f"job_{1:032x}"), task="t", run_at_us=0, payload=(("memory", memory.id),)
        )
        other = replace(naming, id=JobId(f"job_{2:032x}"), payload=(("n", 1),))
        await self.apply(store, put(memory), Enqueue(naming), Enqueue(other))

        await self.apply(store, Erase(memory.id))

        assert [job.id for job in await store.jobs.list_jobs(ANN)] == [other.id]

    async def test_the_receipt_of_a_whole_space_outlives_it(
        self, store: Store, clock: FrozenClock
    ) -> None:
        whole = Receipt(id=ReceiptId(f"rcp_{9:032x}"), at_us=9, counts={"memories": 1})
        await self.apply(store, put(memory_of(1)), PutReceipt(receipt_of(), (HASH,)))

        await store.erase(ANN, whole)

        assert await store.receipts.settle(ANN)
        assert await store.receipts.of_space(ANN) == [replace(whole, whole=True, complete=True)]
        assert await store.receipts.forgotten(ANN, [HASH]) == {}
        assert await store.receipts.of_space(BOB) == []

    async def test_what_is_in_quarantine_lacks_no_vectors(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1, shelf="quarantined")), put(memory_of(2)))

        lacking = await store.vectors.lacking(ANN, MODEL)

        assert [memory.id for memory in lacking.memories] == [memory_of(2).id]

    async def test_the_last_message_of_a_session_is_found_behind_its_log(
        self, store: Store
    ) -> None:
        said = memory_of(1, kind="episodic", source=replace(memory_of(1).source, session="s1"))
        await self.apply(store, put(said))

        turn = await store.records.turn_before(ANN, "s1", 1 << 60, memories_only=True)

        assert turn == (said.id, said.text)
        assert await store.records.turn_before(ANN, "s2", 1 << 60, memories_only=True) is None

    async def test_grants_are_kept_replaced_and_taken_back(self, store: Store) -> None:
        registry, hub = store.registry, Space.of_project("acme", "hub")
        for grant in (
            Grant(hub, "bob", "read"),
            Grant(hub, "ann", "write"),
            Grant(Space.shared("acme"), "ann", "read"),
            Grant(hub, "bob", "write"),
        ):
            await registry.grant(grant)

        assert await registry.grants(hub) == [
            Grant(hub, "ann", "write"),
            Grant(hub, "bob", "write"),
        ]
        assert len(await registry.grants()) == 3
        await registry.revoke(hub, "ann")
        assert await registry.grants(hub) == [Grant(hub, "bob", "write")]
        assert await registry.grants(Space.of_project("acme", "hu_")) == []
        with pytest.raises(NotFound):
            await registry.revoke(hub, "ann")

    async def test_rows_made_of_a_turn_that_was_forgotten_meanwhile_lose_it(
        self, store: Store
    ) -> None:
        before = memory_of(1, "the kitchen is white")
        said = put(event_turn := memory_of(2, links=Links(previous=before.id)), before.text)
        changed = replace(said, context_hash=before.content_hash)
        event = event_of(5, "the hall is white")
        after = memory_of(3, "thanks", links=Links(previous=event.id))
        follows = replace(put(after, event.text), context_hash=content_hash(event.text))

        await self.apply(store, put(before), PutEvent(event), changed, follows)
        white = await store.search.keyword(ANN, Terms(("white",)), limit=9)
        assert {one.id for one in white} == {before.id, event_turn.id, after.id}

        await self.apply(store, Erase(before.id), Erase(event.id), changed, follows)
        assert await store.search.keyword(ANN, Terms(("white",)), limit=9) == []
        other = memory_of(1, "the kitchen is blue")
        await self.apply(store, put(other), changed)
        assert len(await store.search.keyword(ANN, Terms(("kitchen",)), limit=9)) == 1
