"""What a store promises of events and turns."""

from dataclasses import replace

from pinyon.domain.change import (
    PutEvent,
)
from pinyon.domain.memory import (
    Source,
)
from pinyon.ports.store import Store
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import (
    event_of,
)


class EventPromises(Promises):
    """The event log, and the turn before."""

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
