"""What a store promises of vectors: which model serves, what lacks them, and how they go."""

import pytest

from pinyon.domain.change import Erase, PutEvent, PutTurnVectors, PutVectors, ServeVectors
from pinyon.domain.memory import Links
from pinyon.errors import InvalidValue, NotFound, OtherModel
from pinyon.ports.search import PASSAGES_AROUND, TokenVectors
from pinyon.ports.store import Store
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import BOB, DIM, MODEL, event_of, unit

OTHER = "another@1"


def vectors(number: int, model: str = MODEL, tokens: bytes = b"ab") -> PutVectors:
    return PutVectors(memory_of(number).id, model, {0: unit(1)}, DIM, {0: tokens}, 2)


class MeaningPromises(Promises):
    """Vectors of one model answer at a time, and none outlives what it was made of."""

    async def test_a_space_without_vectors_answers_with_nothing(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)))

        assert await store.vectors.serving(ANN) is None
        assert await store.search.dense(ANN, unit(1), MODEL, limit=5) == []
        assert await store.search.dense(BOB, unit(1), MODEL, limit=5) == []

    async def test_the_first_model_serves_until_another_is_told_to(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), put(memory_of(2, "two")), vectors(1))
        await self.apply(store, vectors(1, OTHER), vectors(2, OTHER))

        assert await store.vectors.serving(ANN) == MODEL
        assert len(await store.search.dense(ANN, unit(1), MODEL, limit=5)) == 1
        with pytest.raises(OtherModel):
            await store.search.dense(ANN, unit(1), OTHER, limit=5)

        await self.apply(store, ServeVectors(OTHER))

        assert await store.vectors.serving(ANN) == OTHER
        assert len(await store.search.dense(ANN, unit(1), OTHER, limit=5)) == 2
        with pytest.raises(OtherModel):
            await store.search.dense(ANN, unit(1), MODEL, limit=5)
        around = {memory_of(1).id: 0}
        assert await store.search.token_vectors(ANN, MODEL, around) == {}

    async def test_a_model_without_vectors_cannot_serve(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), vectors(1))

        with pytest.raises(NotFound):
            await self.apply(store, ServeVectors(OTHER))

        assert await store.vectors.serving(ANN) == MODEL

    async def test_a_model_keeps_its_dimension(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), vectors(1))

        with pytest.raises(InvalidValue):
            await self.apply(store, PutVectors(memory_of(1).id, MODEL, {0: unit(1) * 2}, DIM * 2))

    async def test_what_lacks_vectors_is_listed_oldest_first(self, store: Store) -> None:
        await self.apply(store, *(put(memory_of(n, f"memory {n}")) for n in range(1, 6)))
        await self.apply(store, vectors(2), vectors(4, OTHER))

        first = await store.vectors.lacking(ANN, MODEL, limit=3)
        rest = await store.vectors.lacking(ANN, MODEL, cursor=first.next_cursor, limit=3)

        assert [m.id for m in first.memories] == [memory_of(n).id for n in (1, 3, 4)]
        assert [m.id for m in rest.memories] == [memory_of(5).id]
        assert rest.next_cursor is None

    async def test_token_vectors_come_with_those_of_the_turn_before(self, store: Store) -> None:
        turn = memory_of(1, "have you reset it?")
        answer = memory_of(2, "twice", links=Links(previous=turn.id))
        bare = memory_of(3, "no vectors")
        await self.apply(store, *map(put, (turn, answer, bare)))
        await self.apply(store, vectors(1, tokens=b"ab"), vectors(2, tokens=b"cd"))
        around = {turn.id: 0, answer.id: 0, bare.id: 0, memory_of(9).id: 0}

        found = await store.search.token_vectors(ANN, MODEL, around)

        assert found == {
            turn.id: TokenVectors(passages={0: b"ab"}),
            answer.id: TokenVectors(passages={0: b"cd"}, before=b"ab"),
        }
        assert await store.search.token_vectors(ANN, OTHER, around) == {}

    async def test_of_a_long_memory_the_passages_around_one_are_given(self, store: Store) -> None:
        memory = memory_of(1, "A sentence of some length stands here. " * 400)
        last = len(memory.passages) - 1
        assert last > 2 * PASSAGES_AROUND
        every = {n: bytes([n, n]) for n in range(last + 1)}
        dense = dict.fromkeys(every, unit(1))
        await self.apply(store, put(memory), PutVectors(memory.id, MODEL, dense, DIM, every, 2))

        found = await store.search.token_vectors(ANN, MODEL, {memory.id: last})

        assert set(found[memory.id].passages) == set(range(last - PASSAGES_AROUND, last + 1))

    async def test_many_token_vectors_come_back_whole_and_in_order(self, store: Store) -> None:
        memory = memory_of(1, "A sentence of some length stands here. " * 20)
        every = {n: bytes((n + at * 7) % 256 for at in range(9_600 + n)) for n in (0, 1)}
        dense = dict.fromkeys(every, unit(1))
        await self.apply(store, put(memory), PutVectors(memory.id, MODEL, dense, DIM, every, 2))

        found = await store.search.token_vectors(ANN, MODEL, {memory.id: 0})

        assert found[memory.id].passages == every

    async def test_a_message_that_is_no_memory_lends_its_vectors(self, store: Store) -> None:
        event = event_of(1)
        answer = memory_of(2, "twice", links=Links(previous=event.id))
        await self.apply(store, PutEvent(event), put(answer), vectors(2))
        assert [one.id for one in await store.vectors.turns_lacking(ANN, MODEL)] == [event.id]

        await self.apply(store, PutTurnVectors(event.id, MODEL, b"xy", DIM, 2))

        found = await store.search.token_vectors(ANN, MODEL, {answer.id: 0})
        assert found[answer.id].before == b"xy"
        assert await store.vectors.turns_lacking(ANN, MODEL) == []

    async def test_a_message_lends_nothing_once_nobody_follows_it(self, store: Store) -> None:
        event = event_of(1)
        first, second = (memory_of(n, "twice", links=Links(previous=event.id)) for n in (2, 3))
        await self.apply(store, PutEvent(event), put(first), put(second))
        await self.apply(store, PutTurnVectors(event.id, MODEL, b"xy", DIM, 2))

        async def lent() -> bytes:
            again = memory_of(9, "again", links=Links(previous=event.id))
            await self.apply(store, put(again), vectors(9))
            found = await store.search.token_vectors(ANN, MODEL, {again.id: 0})
            await self.apply(store, Erase(again.id))
            return found[again.id].before

        await self.apply(store, Erase(first.id))
        assert await lent() == b"xy"
        await self.apply(store, Erase(second.id))
        assert await lent() == b""

    async def test_vectors_of_an_unknown_message_are_refused(self, store: Store) -> None:
        with pytest.raises(NotFound):
            await self.apply(store, PutTurnVectors(event_of(1).id, MODEL, b"xy", DIM, 2))

    async def test_an_emptied_space_is_served_by_nobody(self, store: Store) -> None:
        await self.apply(store, put(memory_of(1)), vectors(1))
        await store.erase(ANN)
        assert await store.vectors.serving(ANN) is None

        await self.apply(store, put(memory_of(2)), vectors(2, OTHER))

        assert await store.vectors.serving(ANN) == OTHER
        assert len(await store.search.dense(ANN, unit(1), OTHER, limit=5)) == 1
