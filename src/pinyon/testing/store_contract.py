"""What every store promises. Subclass it, override `store`, and every promise is checked.

```python
class TestMyStore(StoreContract):
    @pytest.fixture
    async def store(self, clock):
        yield MyStore(clock=clock)
```
"""

from dataclasses import replace

import numpy as np
import pytest

from pinyon.domain.change import (
    Applied,
    Change,
    Count,
    Enqueue,
    Erase,
    FinishJob,
    Link,
    Once,
    Patch,
    PutEvent,
    PutVectors,
    Settle,
)
from pinyon.domain.event import Event
from pinyon.domain.filter import And, Cmp, Eq, Exists, Filter, In, Not, Or, matches
from pinyon.domain.ids import EventId, JobId, MemoryId
from pinyon.domain.job import Job
from pinyon.domain.memory import (
    CatalogEntry,
    Counts,
    Facets,
    Links,
    Memory,
    Procedure,
    Source,
    Span,
    Step,
    Summary,
    Times,
)
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.domain.terms import Terms
from pinyon.errors import (
    ForeignHit,
    InvalidCursor,
    KeyReused,
    NotFound,
    StoreClosed,
    UnsupportedFilter,
    VersionConflict,
)
from pinyon.ports.store import Store
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.text.tokens import question_terms

BOB = Space.of_user("acme", "bob")
STRANGERS = [
    BOB,
    Space.of_user("globex", "ann"),
    Space.of_user("acme-corp", "ann"),
    Space.of_user("acme", "Ann"),
    Space.of_user("acme", "*"),
    Space.of_user("acme", "%"),
    Space.of_user("acme", "an_"),
    Space.of_user("acme", "ann/agent/a"),
    Space.of_agent("acme", "ann", "a"),
    Space.of_project("acme", "ann"),
    Space.shared("acme"),
]
BY = Actor("acme/user/ann", "test")
MODEL = "test@1"
DIM = 8


def unit(*numbers: float) -> bytes:
    """Return a vector of length 1 in `DIM` dimensions, as float32 bytes."""
    vector = np.zeros(DIM, np.float32)
    vector[: len(numbers)] = numbers
    return (vector / np.linalg.norm(vector)).astype(np.float32).tobytes()


def full_memory() -> Memory:
    """Return a memory in which every field has a value of its own."""
    other, another = MemoryId(f"mem_{98:032x}"), MemoryId(f"mem_{99:032x}")
    text = "Reset the hub.\n\n" + "Hold the button for ten seconds. " * 30
    plain = memory_of(7, text)
    return replace(
        plain,
        kind="procedural",
        title="Reset",
        keywords=("hub", "reset"),
        scenarios=("bulbs show only white",),
        category="support",
        project="lumio",
        module="hub",
        tags=("zigbee", "重置"),
        metadata=(("a", 1), ("b", "x"), ("c", None), ("d", True), ("e", 1.5)),
        importance=0.9,
        confidence=0.8,
        trust="agent",
        shelf="hidden",
        pinned=True,
        version=3,
        times=Times(
            occurred_at_us=1,
            offset_min=-90,
            valid_from_us=2,
            valid_until_us=3,
            created_at_us=4,
            updated_at_us=5,
            expires_at_us=6,
        ),
        source=Source(
            session="s",
            task="t",
            agent="a",
            event_type="message",
            role="user",
            speaker="Sarah",
            parent_event="evt_" + "0" * 32,
            message_id="m1",
            spans=(Span(other, 3, 9),),
            supporting=(other,),
            derived_from=(another,),
        ),
        links=Links(
            previous=EventId(f"evt_{5:032x}"),
            supersedes=(another,),
            superseded_by=other,
            superseded_at_us=8,
            contradiction="harsh",
            conflicts_with=(other,),
            outdated_by=another,
        ),
        counts=Counts(
            uses=1, support=2, successes=3, failures=4, last_used_at_us=5, last_success_at_us=6
        ),
        procedure=Procedure(
            trigger="only white", steps=(Step("Hold", "button"),), refined_steps=(Step("Wait"),)
        ),
        catalog=CatalogEntry(document="manual.md", position=2, before=other, after=another),
        summary=Summary("Reset it", "rule"),
        facets=Facets(
            language="en",
            has_code=True,
            has_error=True,
            task_type="fix",
            stage="test",
            entities=("Lumio Hub",),
        ),
        awaits=("vectors", "consolidation"),
    )


def event_of(number: int, text: str = "Try a reset", **fields: object) -> Event:
    """Return an event whose id and times are made of a small number."""
    plain = Event(
        id=EventId(f"evt_{number:032x}"),
        text=text,
        role="assistant",
        session="s1",
        occurred_at_us=number * 1_000_000,
        created_at_us=number * 1_000_000,
        content_hash="ab" * 16,
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


FILTERS: list[Filter] = [
    Eq("kind", "semantic"),
    Eq("status", "active"),
    Eq("tags", "zigbee"),
    Eq("tags", ""),
    Eq("pinned", True),
    Eq("pinned", 1),
    Eq("importance", 0.9),
    Eq("importance", True),
    Eq("valid_until", None),
    Eq("valid_until", 3),
    Eq("superseded_by", ""),
    Eq("superseded_by", f"mem_{98:032x}"),
    Eq("superseded_by", "nonsense"),
    Eq("previous", f"evt_{5:032x}"),
    Eq("id", f"mem_{7:032x}"),
    Eq("content_hash", "zz"),
    Eq("metadata.a", 1),
    Eq("metadata.a", "1"),
    Eq("metadata.a", True),
    Eq("metadata.b", "x"),
    Eq("metadata.c", None),
    Eq("metadata.d", True),
    Eq("metadata.d", 1),
    Eq("metadata.nowhere", None),
    Eq("session", "*"),
    Eq("session", "%"),
    In("kind", ("episodic", "procedural")),
    In("tags", ("重置", "none")),
    In("kind", ()),
    Cmp("importance", "gte", 0.5),
    Cmp("valid_until", "lt", 10),
    Cmp("valid_until", "gt", 10),
    Cmp("metadata.a", "lte", 1),
    Cmp("metadata.b", "gt", "a"),
    Cmp("metadata.d", "gt", 0),
    Cmp("speaker", "gte", "S"),
    Cmp("importance", "gt", "0"),
    Exists("tags"),
    Exists("expires_at"),
    Exists("metadata.b"),
    Exists("metadata.d"),
    Exists("session"),
    And(()),
    Or(()),
    Not(Cmp("valid_until", "lt", 10)),
    Not(Eq("metadata.b", "x")),
    Or((Eq("kind", "catalog"), And((Eq("trust", "agent"), Exists("keywords"))))),
]


class StoreContract:
    """The promises of `pinyon.ports`, as tests."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def clock(self) -> FrozenClock:
        """Return the clock that the store is to be made with."""
        return FrozenClock()

    @pytest.fixture
    def store(self, clock: FrozenClock) -> Store:
        """Return a fresh, empty store."""
        raise NotImplementedError("return a fresh, empty store")

    async def apply(self, store: Store, *changes: Change, space: Space = ANN) -> Applied:
        return await store.records.apply(space, changes, by=BY)

    # ── records ──────────────────────────────────────────────────────────────────────────────

    async def test_a_memory_comes_back_as_it_was_put(self, store: Store) -> None:
        await self.apply(store, put(full_memory()))

        assert await store.records.get(ANN, [full_memory().id]) == [full_memory()]

    async def test_what_was_put_is_there_when_the_call_returns(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), put(memory_of(2, "Her dog chews cables")))

        found = await store.records.get(ANN, [memory_of(2).id, memory_of(9).id, memory_of(1).id])
        hits = await store.search.keyword(ANN, Terms(("bristol",)), limit=10)

        assert [m.text for m in found] == ["Her dog chews cables", "Sarah lives in Bristol"]
        assert [hit.id for hit in hits] == [memory_of(1).id]

    @pytest.mark.parametrize("stranger", STRANGERS, ids=str)
    async def test_no_space_sees_into_another(self, store: Store, stranger: Space) -> None:
        memory = replace(memory_of(1), source=Source(session="s1"), awaits=("vectors",))
        vectors = PutVectors(memory.id, MODEL, {0: unit(1)}, DIM, {0: b"\1\2"}, 2)
        await self.apply(store, put(memory), vectors, PutEvent(event_of(3)))
        await self.apply(store, put(memory_of(2, "quite another", space=stranger)), space=stranger)
        records, search = store.records, store.search
        far = 10**15

        assert await records.get(stranger, [memory.id]) == []
        assert memory.id not in {m.id for m in (await records.scan(stranger)).memories}
        assert await records.versions(stranger, memory.id) == []
        assert await records.chain(stranger, memory.id) == []
        assert await records.pending(stranger, "vectors") == []
        assert (await records.events(stranger)).events == ()
        assert await records.turn_before(stranger, "s1", far) is None
        assert await search.keyword(stranger, Terms(("bristol",)), limit=10) == []
        assert await search.dense(stranger, unit(1), MODEL, limit=10) == []
        assert await search.token_vectors(stranger, MODEL, [(memory.id, 0)]) == {}
        assert (await search.term_stats(stranger, ["bristol"])).df == {"bristol": 0}
        assert len(await store.journal.entries(stranger)) == 1
        for change in (Erase(memory.id), Patch(id=memory.id, pinned=True), Count(id=memory.id)):
            with pytest.raises(NotFound):
                await self.apply(store, change, space=stranger)
        assert await records.get(ANN, [memory.id]) == [memory]

    async def test_a_space_never_written_to_is_empty_and_is_not_made(self, store: Store) -> None:
        assert (await store.records.scan(BOB)).memories == ()
        assert await store.search.keyword(BOB, Terms(("x",)), limit=5) == []
        assert (await store.search.term_stats(BOB, ["x"])).passages == 0
        assert await store.changes.seq(BOB) == 0
        assert await store.registry.info(BOB) is None
        assert await store.registry.spaces() == []

    async def test_a_memory_of_another_space_is_not_put(self, store: Store) -> None:
        with pytest.raises(ForeignHit):
            await self.apply(store, put(memory_of(1, space=BOB)))

        assert (await store.records.scan(ANN)).memories == ()

    async def test_a_failed_change_undoes_the_whole_batch(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        before = await store.changes.seq(ANN)

        with pytest.raises(NotFound):
            await self.apply(store, put(memory_of(2)), Patch(id=memory_of(9).id, pinned=True))

        assert await store.records.get(ANN, [memory_of(2).id]) == []
        assert await store.changes.seq(ANN) == before
        assert len(await store.journal.entries(ANN)) == 1

    async def test_a_lost_version_changes_nothing(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        await self.apply(store, Patch(id=memory_of(1).id, pinned=True))

        with pytest.raises(VersionConflict) as caught:
            await store.records.apply(
                ANN, [Erase(memory_of(1).id)], by=BY, expect={memory_of(1).id: 1}
            )

        assert (caught.value.expected, caught.value.actual) == (1, 2)
        assert len(await store.records.get(ANN, [memory_of(1).id])) == 1

    async def test_an_equal_memory_is_named_instead_of_put(self, store: Store) -> None:
        unless = And((Eq("content_hash", memory_of(1).content_hash), Eq("status", "active")))
        await self.apply(store, put(memory_of(1), unless=unless))

        applied = await self.apply(store, put(memory_of(2), unless=unless), put(memory_of(3, "x")))

        assert applied.equals == {memory_of(2).id: memory_of(1).id}
        assert applied.ids == (memory_of(1).id, memory_of(3).id)
        assert await store.records.get(ANN, [memory_of(2).id]) == []

    async def test_an_equal_memory_in_the_same_batch_is_seen(self, store: Store) -> None:
        unless = Eq("content_hash", memory_of(1).content_hash)

        applied = await self.apply(
            store, put(memory_of(1), unless=unless), put(memory_of(2), unless=unless)
        )

        assert applied.equals == {memory_of(2).id: memory_of(1).id}

    async def test_a_key_is_answered_once(self, store: Store, clock: FrozenClock) -> None:
        once = Once("key", "request")
        first = await store.records.apply(ANN, [put(memory_of(1))], by=BY, once=once)

        again = await store.records.apply(ANN, [put(memory_of(2))], by=BY, once=once)
        with pytest.raises(KeyReused):
            await store.records.apply(
                ANN, [put(memory_of(3))], by=BY, once=Once("key", "another request")
            )
        clock.forward(24 * 3600 + 1)
        later = await store.records.apply(ANN, [put(memory_of(4, "new"))], by=BY, once=once)

        assert again == replace(first, replayed=True)
        assert later.ids == (memory_of(4).id,)
        assert len((await store.records.scan(ANN)).memories) == 2

    async def test_a_patch_keeps_the_old_version(self, store: Store, clock: FrozenClock) -> None:
        start_us = clock.now_us()
        times = Times(created_at_us=start_us, updated_at_us=start_us)
        memory = replace(memory_of(1), times=times)
        await self.apply(store, put(memory))
        later_us = clock.forward(60)
        await self.apply(store, Patch(id=memory.id, tags=("home",), importance=0.9))

        (now,) = await store.records.get(ANN, [memory.id])
        (then,) = await store.records.get(ANN, [memory.id], known_at_us=later_us - 1)
        versions = await store.records.versions(ANN, memory.id)

        assert (now.tags, now.importance, now.version) == (("home",), 0.9, 2)
        assert now.times.updated_at_us == later_us
        assert then == memory
        assert versions == [memory, now]
        assert await store.records.get(ANN, [memory.id], known_at_us=start_us - 1) == []

    async def test_what_was_known_is_what_is_filtered(
        self, store: Store, clock: FrozenClock
    ) -> None:
        start_us = clock.now_us()
        times = Times(created_at_us=start_us, updated_at_us=start_us)
        memory = replace(memory_of(1), times=times)
        await self.apply(store, put(memory))
        clock.forward(60)
        await self.apply(store, Link(id=memory.id, status="retracted"))
        active, terms = Eq("status", "active"), Terms(("bristol",))
        search = store.search

        assert await search.keyword(ANN, terms, active, limit=5) == []
        found = await search.keyword(ANN, terms, active, limit=5, known_at_us=start_us)
        assert [hit.id for hit in found] == [memory.id]
        assert await search.keyword(ANN, terms, active, limit=5, known_at_us=start_us - 1) == []
        page = await store.records.scan(ANN, active, known_at_us=start_us)
        assert page.memories == (memory,)

    async def test_versions_can_be_put_with_a_memory(self, store: Store) -> None:
        old = replace(memory_of(1), times=Times(created_at_us=10, updated_at_us=10))
        new = replace(old, version=2, tags=("x",), times=Times(created_at_us=10, updated_at_us=20))
        await self.apply(store, put(new, earlier=(old,)))

        assert await store.records.versions(ANN, new.id) == [old, new]
        assert await store.records.get(ANN, [new.id], known_at_us=15) == [old]

    async def test_a_link_can_clear_what_it_set(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        other = memory_of(2).id
        await self.apply(store, Link(id=memory_of(1).id, superseded_by=other, status="superseded"))
        await self.apply(store, Link(id=memory_of(1).id, superseded_by=None, status="active"))

        (memory,) = await store.records.get(ANN, [memory_of(1).id])

        assert (memory.links.superseded_by, memory.status, memory.version) == (None, "active", 3)

    async def test_counting_moves_no_version(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        before = await store.changes.seq(ANN)

        await self.apply(
            store,
            Count(id=memory_of(1).id, uses=2, used_at_us=10**13),
            Count(id=memory_of(1).id, uses=1, support=1, used_at_us=5, succeeded_at_us=7),
        )
        (memory,) = await store.records.get(ANN, [memory_of(1).id])

        assert memory.counts == Counts(
            uses=3, support=1, last_used_at_us=10**13, last_success_at_us=7
        )
        assert memory.version == 1
        assert await store.changes.seq(ANN) == before

    async def test_walking_the_cursors_gives_everything_once(self, store: Store) -> None:
        await self.apply(store, *(put(memory_of(n, f"memory {n}")) for n in range(1, 24)))

        for order in ("newest", "oldest"):
            seen: list[MemoryId] = []
            cursor: str | None = None
            while True:
                page = await store.records.scan(ANN, order=order, cursor=cursor, limit=5)
                seen.extend(memory.id for memory in page.memories)
                cursor = page.next_cursor
                if cursor is None:
                    break
            ids = [memory_of(n).id for n in range(1, 24)]
            assert seen == (ids if order == "oldest" else ids[::-1])

    @pytest.mark.parametrize("cursor", ["", "p", "p1'; DROP TABLE memory", "px", "p" + "9" * 40])
    async def test_a_foreign_cursor_is_refused(self, store: Store, cursor: str) -> None:
        await self.apply(store, put(memory_of(1)))

        with pytest.raises(InvalidCursor):
            await store.records.scan(ANN, cursor=cursor)

    @pytest.mark.parametrize("where", FILTERS, ids=repr)
    async def test_filters_mean_what_the_reference_means(self, store: Store, where: Filter) -> None:
        memories = [full_memory(), memory_of(1), memory_of(2, kind="episodic", pinned=True)]
        await self.apply(store, *map(put, memories))

        page = await store.records.scan(ANN, where, order="oldest")

        assert page.memories == tuple(m for m in memories if matches(where, m))

    async def test_what_has_no_order_cannot_be_compared(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))

        with pytest.raises(UnsupportedFilter):
            await store.records.scan(ANN, Cmp("tags", "lt", "x"))

    async def test_a_chain_is_read_from_any_member(self, store: Store) -> None:
        first, second, third = memory_of(1), memory_of(2), memory_of(3)
        await self.apply(store, put(first), put(second), put(third), put(memory_of(4)))
        await self.apply(
            store,
            Link(id=first.id, superseded_by=second.id),
            Link(id=second.id, supersedes=(first.id,), superseded_by=third.id),
            Link(id=third.id, supersedes=(second.id,)),
        )

        for member in (first, second, third):
            chain = await store.records.chain(ANN, member.id)
            assert [memory.id for memory in chain] == [first.id, second.id, third.id]

    async def test_dependants_are_found_from_the_other_side(self, store: Store) -> None:
        base = memory_of(1)
        derived = replace(memory_of(2), source=Source(derived_from=(base.id,)))
        supported = replace(memory_of(3), source=Source(supporting=(base.id,)))
        follower = replace(memory_of(4), links=Links(previous=base.id))
        rival = replace(memory_of(5), links=Links(conflicts_with=(base.id,)))
        await self.apply(store, *map(put, (base, derived, supported, follower, rival)))

        assert await store.records.dependants(ANN, base.id) == [
            ("derived", derived.id),
            ("supports", supported.id),
            ("follows", follower.id),
            ("conflicts", rival.id),
        ]

    async def test_what_is_awaited_is_listed_until_settled(self, store: Store) -> None:
        waiting = replace(memory_of(1), awaits=("vectors", "consolidation"))
        await self.apply(store, put(waiting), put(memory_of(2)))

        assert await store.records.pending(ANN, "vectors") == [waiting]
        await self.apply(store, Settle(waiting.id, "vectors"))
        assert await store.records.pending(ANN, "vectors") == []
        assert [m.id for m in await store.records.pending(ANN, "consolidation")] == [waiting.id]

    # ── events and turns ─────────────────────────────────────────────────────────────────────

    async def test_events_come_back_in_order_by_session(self, store: Store) -> None:
        events = [event_of(n, f"reply {n}", metadata=(("k", n),)) for n in (1, 2, 3)]
        other = event_of(4, session="s2", previous=memory_of(1).id, parent=events[0].id)
        await self.apply(store, *(PutEvent(event) for event in (*events, other)))

        first = await store.records.events(ANN, session="s1", limit=2)
        rest = await store.records.events(ANN, session="s1", cursor=first.next_cursor, limit=2)

        assert [*first.events, *rest.events] == events
        assert (await store.records.events(ANN)).events[-1] == other

    async def test_an_event_sent_again_is_one_event(self, store: Store) -> None:
        minute_us = 60_000_000
        await self.apply(store, PutEvent(event_of(1), minute_us))

        again = await self.apply(store, PutEvent(event_of(2), minute_us))
        much_later = await self.apply(store, PutEvent(event_of(100), minute_us))
        named = await self.apply(store, PutEvent(event_of(3, message_id="m"), minute_us))

        assert again.equals == {event_of(2).id: event_of(1).id}
        assert much_later.ids == (event_of(100).id,)
        assert named.ids == (event_of(3).id,)

    async def test_the_turn_before_is_the_last_of_the_session(self, store: Store) -> None:
        said = replace(memory_of(1, "Hello", kind="episodic"), source=Source(session="s1"))
        reply = event_of(2, "Hi", occurred_at_us=2 * 3_600_000_000)
        fact = replace(memory_of(3, "A fact"), source=Source(session="s1"))
        await self.apply(store, put(said), PutEvent(reply), put(fact))
        before = store.records.turn_before

        assert await before(ANN, "s1", 3_600_000_000) == (said.id, "Hello")
        assert await before(ANN, "s1", 10**15) == (reply.id, "Hi")
        assert await before(ANN, "s1", 0) is None
        assert await before(ANN, "s2", 10**15) is None
        assert await store.records.turn_text(ANN, said.id) == "Hello"
        assert await store.records.turn_text(ANN, reply.id) == "Hi"
        assert await store.records.turn_text(ANN, event_of(9).id) is None

    # ── erasing ──────────────────────────────────────────────────────────────────────────────

    async def test_an_erased_memory_is_gone_from_everywhere(self, store: Store) -> None:
        memory = memory_of(1)
        vectors = PutVectors(memory.id, MODEL, {0: unit(1)}, DIM, {0: b"\1\2"}, 2)
        once = Once("key", "request")
        await store.records.apply(ANN, [put(memory), vectors], by=BY, once=once)
        await self.apply(store, Patch(id=memory.id, pinned=True), put(memory_of(2, "other")))
        before = await store.changes.seq(ANN)

        await self.apply(store, Erase(memory.id))

        assert await store.records.get(ANN, [memory.id]) == []
        assert await store.records.versions(ANN, memory.id) == []
        assert await store.search.keyword(ANN, Terms(("bristol",)), limit=9) == []
        assert (await store.search.term_stats(ANN, ["bristol"])).df["bristol"] == 0
        assert await store.search.dense(ANN, unit(1), MODEL, limit=9) == []
        assert await store.search.token_vectors(ANN, MODEL, [(memory.id, 0)]) == {}
        assert memory.id in (await store.changes.since(ANN, before)).gone
        again = await store.records.apply(ANN, [put(memory_of(3))], by=BY, once=once)
        assert not again.replayed

    async def test_an_erased_event_is_gone(self, store: Store) -> None:
        await self.apply(store, PutEvent(event_of(1)))

        await self.apply(store, Erase(event_of(1).id))

        assert (await store.records.events(ANN)).events == ()
        with pytest.raises(NotFound):
            await self.apply(store, Erase(event_of(1).id))

    async def test_an_erased_space_is_empty_and_can_begin_anew(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), PutEvent(event_of(1)))
        await self.apply(store, put(memory_of(1, space=BOB)), space=BOB)

        await store.erase(ANN)
        await store.erase(Space.of_user("acme", "nobody"))

        assert (await store.records.scan(ANN)).memories == ()
        assert (await store.records.events(ANN)).events == ()
        assert await store.journal.entries(ANN) == []
        assert await store.search.keyword(ANN, Terms(("bristol",)), limit=9) == []
        assert await store.registry.spaces() == [BOB]
        assert await store.registry.info(ANN) is None
        await self.apply(store, put(memory_of(2)))
        assert [m.id for m in (await store.records.scan(ANN)).memories] == [memory_of(2).id]
        assert await store.journal.broken_at(ANN) is None
        assert await store.registry.info(ANN) is not None

    # ── search ───────────────────────────────────────────────────────────────────────────────

    async def test_fields_weigh_title_over_text_over_context(self, store: Store) -> None:
        in_title = memory_of(1, "Reset it", title="zigbee")
        in_text = memory_of(2, "Reset zigbee")
        in_context = memory_of(3, "Reset it")
        others = [memory_of(n, f"thing {n}") for n in range(10, 20)]
        await self.apply(store, put(in_text), put(in_context, "zigbee"), put(in_title))
        await self.apply(store, *map(put, others))

        hits = await store.search.keyword(ANN, question_terms("zigbee"), limit=10)

        assert [hit.id for hit in hits] == [in_title.id, in_text.id, in_context.id]
        assert hits[1].matched == hits[2].context_matched == set(question_terms("zigbee").words)
        assert hits[2].matched == hits[1].context_matched == frozenset()

    async def test_a_phrase_must_stand_word_after_word(self, store: Store) -> None:
        apart = memory_of(1, "The exit has a code of 2")
        together = memory_of(2, "It ended with exit code 2")
        await self.apply(store, put(apart), put(together))

        hits = await store.search.keyword(ANN, question_terms('"exit code 2"'), limit=10)

        assert [hit.id for hit in hits] == [together.id]

    @pytest.mark.parametrize("word", ['"', "'", "*", "NEAR", "a OR b", "-x", "^y", "(", "head:x"])
    async def test_no_word_is_an_operator(self, store: Store, word: str) -> None:
        await self.apply(store, put(memory_of(1)))

        assert await store.search.keyword(ANN, Terms((word,), ((word,),)), limit=5) == []

    async def test_a_memory_is_found_once_by_its_best_passage(self, store: Store) -> None:
        long = memory_of(1, "Filler stands here. " * 30 + "Zigbee zigbee. " + "And more. " * 50)
        assert len(long.passages) > 2
        await self.apply(store, put(long), put(memory_of(2, "zigbee too")), put(memory_of(3, "x")))

        hits = await store.search.keyword(ANN, question_terms("zigbee"), limit=10)

        assert sorted(hit.id for hit in hits) == [long.id, memory_of(2).id]
        (best,) = [hit for hit in hits if hit.id == long.id]
        passage = long.passages[best.passage]
        assert "Zigbee" in long.text[passage.start : passage.end]

    async def test_filters_hold_before_the_cut(self, store: Store) -> None:
        crowd = [memory_of(n, "zigbee zigbee zigbee") for n in range(1, 60)]
        wanted = memory_of(99, "zigbee, once, in a longer sentence", tags=("rare",))
        await self.apply(store, put(wanted), *map(put, crowd))
        for number in (99, *range(1, 60)):
            vector = unit(1, 0.2) if number == 99 else unit(1)
            await self.apply(store, PutVectors(memory_of(number).id, MODEL, {0: vector}, DIM))
        rare = Eq("tags", "rare")

        by_word = await store.search.keyword(ANN, question_terms("zigbee"), rare, limit=3)
        by_vector = await store.search.dense(ANN, unit(1), MODEL, rare, limit=3)

        assert [hit.id for hit in by_word] == [hit.id for hit in by_vector] == [wanted.id]

    async def test_a_patched_title_is_found_and_the_old_one_is_not(self, store: Store) -> None:
        memory = memory_of(1, title="oldtitle")
        await self.apply(store, put(memory), put(memory_of(2, "other")))
        renamed = put(replace(memory, title="newtitle")).rows

        await self.apply(store, Patch(id=memory.id, title="newtitle", rows=renamed))

        assert await store.search.keyword(ANN, question_terms("oldtitle"), limit=5) == []
        assert len(await store.search.keyword(ANN, question_terms("newtitle"), limit=5)) == 1

    async def test_term_stats_count_passages(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1, "zigbee hub")), put(memory_of(2, "hub"), "zigbee"))

        (word,) = question_terms("zigbee").words

        stats = await store.search.term_stats(ANN, [word, "hub", "none"])

        assert stats.passages == 2
        assert stats.df == {word: 2, "hub": 2, "none": 0}

    async def test_vectors_are_searched_exactly_and_by_model(self, store: Store) -> None:
        await self.apply(store, *(put(memory_of(n, f"memory {n}")) for n in (1, 2, 3)))
        for number, vector in ((1, unit(1, 0.1)), (2, unit(1, 1)), (3, unit(0, 1))):
            await self.apply(store, PutVectors(memory_of(number).id, MODEL, {0: vector}, DIM))
        await self.apply(store, PutVectors(memory_of(3).id, "another@1", {0: unit(1)}, DIM))

        hits = await store.search.dense(ANN, unit(1), MODEL, limit=10)

        assert [hit.id for hit in hits] == [memory_of(1).id, memory_of(2).id]
        assert hits[0].score == pytest.approx(0.995, abs=1e-3)
        assert await store.search.dense(ANN, unit(1), "unknown@1", limit=10) == []

    async def test_the_vector_leg_sees_every_change(self, store: Store) -> None:
        one, two = memory_of(1), memory_of(2)
        await self.apply(store, put(one), PutVectors(one.id, MODEL, {0: unit(1)}, DIM))
        active = And((Eq("status", "active"), Not(Cmp("valid_until", "lte", 100))))

        async def found() -> list[MemoryId]:
            hits = await store.search.dense(ANN, unit(1), MODEL, active, limit=9)
            return [hit.id for hit in hits]

        assert await found() == [one.id]
        await self.apply(store, put(two), PutVectors(two.id, MODEL, {0: unit(1, 1)}, DIM))
        assert await found() == [one.id, two.id]
        await self.apply(store, Link(id=one.id, status="retracted"))
        assert await found() == [two.id]
        await self.apply(store, Link(id=one.id, status="active", valid_until_us=50))
        assert await found() == [two.id]
        await self.apply(store, Link(id=one.id, valid_until_us=None))
        assert await found() == [one.id, two.id]
        await self.apply(store, Erase(two.id))
        assert await found() == [one.id]

    async def test_token_vectors_come_back_by_passage(self, store: Store) -> None:
        memory = memory_of(1, "A sentence of some length stands here. " * 20)
        dense = {0: unit(1), 1: unit(0, 1)}
        vectors = PutVectors(memory.id, MODEL, dense, DIM, {0: b"\1\2", 1: b"\3\4"}, 2)
        await self.apply(store, put(memory), vectors)
        asked = [(memory.id, 1), (memory.id, 5), (memory_of(9).id, 0)]

        assert await store.search.token_vectors(ANN, MODEL, asked) == {(memory.id, 1): b"\3\4"}
        assert await store.search.token_vectors(ANN, "another@1", asked) == {}

    # ── journal, jobs, changes, registry ─────────────────────────────────────────────────────

    async def test_the_journal_says_who_did_what_without_a_word_of_it(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), PutEvent(event_of(2)))
        await self.apply(store, Patch(id=memory_of(1).id, pinned=True), Count(id=memory_of(1).id))
        await self.apply(store, Erase(memory_of(1).id))

        entries = await store.journal.entries(ANN)

        assert [(e.n, e.action, e.target) for e in entries] == [
            (1, "put", memory_of(1).id),
            (2, "put_event", event_of(2).id),
            (3, "patch", memory_of(1).id),
            (4, "erase", memory_of(1).id),
        ]
        assert {(e.actor, e.surface) for e in entries} == {(BY.name, BY.surface)}
        assert "ristol" not in repr(entries)
        assert entries[0].keyed_hash not in ("", memory_of(1).content_hash)
        assert await store.journal.broken_at(ANN) is None
        assert await store.journal.entries(ANN, target=event_of(2).id) == [entries[1]]
        assert await store.journal.entries(ANN, after=3) == entries[3:]

    async def test_jobs_are_leased_by_priority_and_one_at_a_time(
        self, store: Store, clock: FrozenClock
    ) -> None:
        now_us = clock.now_us()
        low, high, later = (
            Job(id=JobId(f"job_{n:032x}"), task="t", priority=p, run_at_us=at_us)
            for n, p, at_us in ((1, "low", 0), (2, "high", 1), (3, "high", now_us + 10**9))
        )
        await self.apply(store, *(Enqueue(job) for job in (low, high, later)))

        first = await store.jobs.lease(ANN, lease_s=30)
        second = await store.jobs.lease(ANN, lease_s=30, tasks=["t"])
        third = await store.jobs.lease(ANN, lease_s=30)

        assert first is not None
        assert second is not None
        assert (first.id, second.id, third) == (high.id, low.id, None)
        assert (first.state, first.attempts) == ("leased", 1)

    async def test_a_lease_that_runs_out_is_given_on(
        self, store: Store, clock: FrozenClock
    ) -> None:
        job = Job(id=JobId(f"job_{1:032x}"), task="t", run_at_us=0, payload=(("n", 1),))
        await self.apply(store, Enqueue(job))
        first = await store.jobs.lease(ANN, lease_s=30)
        assert first is not None
        assert await store.jobs.renew(ANN, first, lease_s=60)
        clock.forward(61)

        second = await store.jobs.lease(ANN, lease_s=30)

        assert second is not None
        assert (second.attempts, second.payload) == (2, job.payload)
        assert not await store.jobs.renew(ANN, first, lease_s=60)
        with pytest.raises(NotFound):
            await self.apply(store, FinishJob(id=job.id, attempt=1))
        await self.apply(store, FinishJob(id=job.id, attempt=2))
        assert [j.state for j in await store.jobs.list_jobs(ANN)] == ["done"]

    async def test_a_failed_job_waits_or_dies(self, store: Store, clock: FrozenClock) -> None:
        job = Job(id=JobId(f"job_{1:032x}"), task="t", run_at_us=0)
        await self.apply(store, Enqueue(job))
        retry_at_us = clock.now_us() + 5_000_000

        await store.jobs.lease(ANN, lease_s=30)
        retry = FinishJob(id=job.id, attempt=1, error="model_down", retry_at_us=retry_at_us)
        await self.apply(store, retry)
        assert await store.jobs.lease(ANN, lease_s=30) is None
        clock.forward(6)
        await store.jobs.lease(ANN, lease_s=30)
        await self.apply(store, FinishJob(id=job.id, attempt=2, error="model_down"))

        (dead,) = await store.jobs.list_jobs(ANN, state="dead")
        assert (dead.last_error, dead.lease_until_us) == ("model_down", None)

    async def test_a_job_with_a_waiting_twin_is_not_added(self, store: Store) -> None:
        one, two = (
            Job(id=JobId(f"job_{n:032x}"), task="t", run_at_us=0, dedupe_key="k") for n in (1, 2)
        )
        await self.apply(store, Enqueue(one))

        applied = await self.apply(store, Enqueue(two))

        assert applied.equals == {two.id: one.id}
        assert await store.jobs.cancel(ANN, one.id)
        assert not await store.jobs.cancel(ANN, one.id)
        assert (await self.apply(store, Enqueue(two))).equals == {}

    async def test_changes_since_name_what_moved(self, store: Store) -> None:
        first = await self.apply(store, put(memory_of(1)), put(memory_of(2, "x")))
        second = await self.apply(store, Patch(id=memory_of(2).id, pinned=True))

        since = await store.changes.since(ANN, first.seq)

        assert second.seq == first.seq + 1 == await store.changes.seq(ANN)
        assert (since.seq, since.changed, since.gone) == (second.seq, {memory_of(2).id}, set())

    async def test_the_registry_names_every_space(self, store: Store) -> None:
        spaces = [Space.of_user("acme", "ü/%"), BOB, Space.shared("globex")]
        for space in spaces:
            await self.apply(store, put(memory_of(1, space=space)), space=space)

        info = await store.registry.info(BOB)

        assert set(await store.registry.spaces()) == set(spaces)
        assert await store.registry.spaces("globex") == [Space.shared("globex")]
        assert info is not None
        assert (info.memories, info.events) == (1, 0)

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))
        assert (await store.health()).ok
        await store.close()

        with pytest.raises(StoreClosed):
            await store.records.get(ANN, [memory_of(1).id])
