"""Which turn came before: a batch is linked as if its turns had been written one by one."""

from datetime import UTC, datetime, timedelta

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinyon.client import MemoryClient
from pinyon.domain.draft import Draft
from pinyon.domain.principal import Principal
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.makers import ANN, counting_ids

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True


def turn(text, second, session="s1", **details):
    at = datetime(2026, 3, 2, 8, tzinfo=UTC) + timedelta(seconds=second)
    return Draft(
        text=text, kind="episodic", session=session, role="user", occurred_at=at, **details
    )


def fresh_client():
    store, clock = InMemoryStore(clock=FrozenClock()), FrozenClock()
    principal = Principal.of_home(tenant="acme", user="ann")
    return MemoryClient(store, principal, clock=clock, new_uuid=counting_ids())


async def links_of(client):
    """Return which turn each follows, by its text."""
    memories = (await client.list(limit=1_000)).memories
    texts = {memory.id: memory.text for memory in memories}
    return {m.text: texts.get(m.links.previous, m.links.previous) for m in memories}


SAID = st.lists(
    st.tuples(st.integers(0, 9).map(lambda tens: tens * 10), st.sampled_from(["s1", "s2"])),
    max_size=12,
)


@given(SAID, st.integers(0, 12))
def test_a_batch_is_linked_as_if_it_were_written_one_by_one(said, held):
    drafts = [turn(f"turn {n}", at_s, session) for n, (at_s, session) in enumerate(said)]

    async def scenario():
        one_by_one, at_once = fresh_client(), fresh_client()
        for draft in drafts:
            await one_by_one.write_many([draft])
        for draft in drafts[:held]:
            await at_once.write_many([draft])
        await at_once.write_many(drafts[held:])
        return await links_of(one_by_one), await links_of(at_once)

    expected, linked = anyio.run(scenario)

    assert linked == expected


@pytest.mark.parametrize(
    "drafts",
    [
        [turn("one", 0), turn("one", 5), turn("two", 10)],
        [turn("one", 0), turn("two", 5), turn("one", 10), turn("three", 15)],
        [turn("one", 0), turn("two", 5), turn("three", 15), turn("one", 10)],
        [
            turn("one", 0, message_id="m"),
            turn("two", 5),
            turn("one", 90, message_id="m"),
            turn("three", 95),
        ],
    ],
)
async def test_no_turn_of_a_batch_follows_one_that_was_only_sent_again(client, store, drafts):
    await client.write_many(drafts)
    memories = (await client.list()).memories

    assert {m.links.previous for m in memories} - {None} <= {m.id for m in memories}


async def test_no_turn_of_a_batch_follows_one_that_was_sent_before_the_batch(client):
    await client.write_many([turn("one", 0)])
    await client.write_many([turn("one", 5), turn("two", 10)])

    assert await links_of(client) == {"one": None, "two": "one"}


@pytest.mark.parametrize(
    "repeated",
    [turn("one", 100), turn("one", 20, message_id="m2")],
    ids=["later", "another message"],
)
async def test_a_turn_of_the_same_words_that_is_another_event_is_followed(client, repeated):
    _, second, third = await client.write_many([turn("one", 0), repeated, turn("two", 110)])

    assert second.created
    assert (await client.show(third.id)).links.previous == second.id


async def test_a_batch_filled_in_behind_what_is_held_does_not_follow_it(client):
    await client.write_many([turn("five", 500)])
    await client.write_many([turn("one", 0), turn("two", 10), turn("six", 600)])

    assert await links_of(client) == {"five": None, "one": None, "two": "one", "six": "five"}


async def test_the_turn_before_is_what_an_answer_is_found_by(client, store):
    await client.write_many([turn("Have you tried a reset?", 0), turn("Yes, twice", 5)])

    (found,) = [
        hit for hit in (await client.recall("reset")).hits if hit.memory.text == "Yes, twice"
    ]

    assert found.why.context_matched == ("reset",)
    assert found.memory.space == ANN
