"""The words of a space in memory: they answer what the index on the disk does, as new as it is."""

from dataclasses import replace

import anyio
import pytest

from pinyon.domain.change import Erase
from pinyon.domain.filter import EVERYTHING, Eq
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Links
from pinyon.domain.principal import Actor
from pinyon.domain.terms import Terms
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.stores.sqlite import SqliteStore, words, words_at_hand
from pinyon.testing.clocks import FrozenClock
from pinyon.testing.makers import ANN, memory_of, put

pytestmark = pytest.mark.anyio
BY = Actor("acme/user/ann", "test")
HUB = Terms(("hub", "range"))


@pytest.fixture
async def store(tmp_path):
    """Return a store that keeps the words of a space from its first question on."""
    store = SqliteStore(tmp_path / "home", clock=FrozenClock(), durable=False, words_after=0)
    yield store
    await store.close()


@pytest.fixture
async def on_disk(tmp_path, store):
    """Return another process's store on the same home, which keeps no words."""
    other = SqliteStore(tmp_path / "home", clock=FrozenClock(), durable=False)
    yield other
    await other.close()


async def say(store, numbers, text="the hub has a range of {0} meters", **fields):
    changes = [put(memory_of(n, text.format(n), **fields)) for n in numbers]
    await store.records.apply(ANN, changes, by=BY)


async def found(store, terms=HUB, where=EVERYTHING):
    candidates = await store.search.keyword(ANN, terms, where, limit=500)
    stats = await store.search.term_stats(ANN, terms.words)
    return [(one.id, round(one.score, 5), one.matched) for one in candidates], stats


def held(store):
    """Return the words of the space that are in memory."""
    return store.home.opened(ANN).words


async def test_they_come_once_a_space_is_asked_often_and_answer_the_same(tmp_path):
    store = SqliteStore(tmp_path / "home", clock=FrozenClock(), durable=False, words_after=4)
    await say(store, range(1, 30))
    first = await found(store)
    assert held(store) is None
    await found(store)
    with anyio.fail_after(10):
        while held(store) is None:  # noqa: ASYNC110 - it is brought by a thread
            await anyio.sleep(0.001)

    assert await found(store) == first
    await store.close()


async def test_what_another_process_writes_and_erases_is_in_the_next_answer(store, on_disk):
    await say(store, range(1, 10))
    assert await found(store) == await found(on_disk)
    await say(on_disk, range(10, 20))
    assert await found(store) == await found(on_disk)
    gone = memory_of(3, "").id
    await on_disk.records.apply(ANN, [Erase(gone)], by=BY)

    answer = await found(store)

    assert answer == await found(on_disk)
    assert gone not in [one[0] for one in answer[0]]


async def test_the_words_of_an_erased_turn_are_not_left_with_the_one_that_follows(store):
    secret = Terms(("tulip",))
    await say(store, [1], "my password is tulip")
    follows = memory_of(2, "change it then", links=Links(previous=memory_of(1, "").id))
    await store.records.apply(ANN, [put(follows, "my password is tulip")], by=BY)
    assert len((await found(store, secret))[0]) == 2

    await store.records.apply(ANN, [Erase(MemoryId(memory_of(1, "").id))], by=BY)

    assert (await found(store, secret))[0] == []


async def test_a_space_that_is_erased_leaves_no_words(store):
    await say(store, range(1, 5))
    await found(store)
    file = store.home.opened(ANN)

    await store.erase(ANN)

    assert file.words is None
    assert (await found(store))[0] == []


async def test_many_changes_are_folded_in_and_cleared_out(store, on_disk, monkeypatch):
    monkeypatch.setattr(words, "FOLDED_FROM", 20)
    monkeypatch.setattr(words, "WORN_FROM", 10)
    await say(store, range(1, 10))
    await found(store)
    before = held(store)
    for turn in range(6):
        await say(store, range(1, 10), "the hub, said {0} times" + " again" * turn)
        assert await found(store) == await found(on_disk)

    assert held(store) is not before


async def test_those_of_a_large_space_are_summed_in_a_thread(store, on_disk, monkeypatch):
    monkeypatch.setattr(words_at_hand, "AT_ONCE_ROWS_MAX", 5)
    await say(store, range(1, 30))

    assert await found(store) == await found(on_disk)
    assert await found(store) == await found(on_disk)


async def test_what_they_cannot_tell_the_index_on_the_disk_does(store, on_disk):
    await say(store, range(1, 9), tags=("home",))
    phrase = Terms(("range",), (("hub", "has"),))
    where = Eq("tags", "home")

    assert await found(store, phrase) == await found(on_disk, phrase)
    assert await found(store, HUB, where) == await found(on_disk, HUB, where)
    assert len((await found(store, HUB, where))[0]) == 8


async def test_others_have_their_turn_between_two_recalls(store, turns_of_another):
    await say(store, range(1, 30))
    recaller = Recaller(store.records, store.search, store.sessions, changes=store.changes)
    question = question_of("hub range", spaces=[ANN], now_us=0, kinds=["procedural"])
    asked = replace(question, key="")  # nothing is kept of it
    await recaller.recall(asked)

    async with turns_of_another() as turns:
        for _ in range(20):
            await recaller.recall(asked)

    assert len(turns) >= 20


async def test_a_space_without_a_passage_answers_with_nothing(store):
    await say(store, [1])
    await store.records.apply(ANN, [Erase(memory_of(1, "").id)], by=BY)

    assert await found(store) == ([], (await found(store))[1])
    assert (await found(store))[1].passages == 0
