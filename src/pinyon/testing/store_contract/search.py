"""What a store promises of its legs: words, phrases, vectors, and filters before any cut."""

from dataclasses import replace

import pytest

from pinyon.domain.change import (
    Erase,
    Link,
    Patch,
    PutVectors,
)
from pinyon.domain.filter import And, Cmp, Eq, Not
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Links
from pinyon.domain.terms import Terms
from pinyon.ports.store import Store
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.testing.store_contract.promises import Promises
from pinyon.testing.store_contract.values import (
    DIM,
    MODEL,
    unit,
)
from pinyon.text.tokens import question_terms


class SearchPromises(Promises):
    """The keyword leg and the vector leg."""

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

    async def test_vectors_are_searched_exactly(self, store: Store) -> None:
        await self.apply(store, *(put(memory_of(n, f"memory {n}")) for n in (1, 2, 3)))
        for number, vector in ((1, unit(1, 0.1)), (2, unit(1, 1))):
            await self.apply(store, PutVectors(memory_of(number).id, MODEL, {0: vector}, DIM))

        hits = await store.search.dense(ANN, unit(1), MODEL, limit=10)

        assert [hit.id for hit in hits] == [memory_of(1).id, memory_of(2).id]
        assert hits[0].score == pytest.approx(0.995, abs=1e-3)

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

    async def test_followers_come_with_the_turn_before(self, store: Store) -> None:
        turn, other = memory_of(1, "have you reset it?"), memory_of(2, "something else")
        answer = memory_of(3, "twice", links=Links(previous=turn.id))
        hidden = memory_of(4, "twice", links=Links(previous=turn.id), shelf="hidden")
        await self.apply(store, *map(put, (turn, other, answer, hidden)))
        where = Eq("shelf", "open")

        found = await store.search.followers(ANN, [turn.id, other.id], where)

        assert found == {answer.id: turn.id}
        assert await store.search.followers(ANN, [answer.id], where) == {}
        assert await store.search.followers(ANN, [turn.id], where, known_at_us=1) == {}
