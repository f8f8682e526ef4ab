"""When two memories are one: equal text decides, never similarity."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.draft import Draft
from pinyon.testing.makers import ANN

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

FACT = "Sarah has a Lumio Hub v2"
OTHER_KINDS = ["semantic", "procedural", "catalog"]


@pytest.mark.parametrize(
    "again",
    [
        FACT,
        "sarah HAS a lumio hub V2",
        "  Sarah  has\na Lumio Hub v2 ",
        "Sarah has a “Lumio Hub v2”.",
        FACT + "!",
    ],
)
async def test_a_fact_written_again_is_the_one_already_there(client, again):
    first = await client.write(FACT)

    second = await client.write(again)

    assert (second.id, second.created) == (first.id, False)
    assert first.created


@pytest.mark.parametrize("kind", OTHER_KINDS)
async def test_what_is_written_again_gains_support_and_changes_nothing_else(client, kind):
    first = await client.write(FACT, kind=kind)
    before = await client.show(first.id)

    await client.write(FACT.upper(), kind=kind)

    after = await client.show(first.id)
    assert after.counts.support == before.counts.support + 1
    assert (after.text, after.version) == (before.text, before.version)


async def test_what_is_written_five_times_is_recalled_once(client, ask):
    for _ in range(5):
        await client.write(FACT)

    assert await ask("which hub does Sarah have") == [FACT]


async def test_what_is_written_again_is_never_deleted(client, ask):
    await client.write(FACT)
    await client.write(FACT)

    assert await ask("Lumio Hub") == [FACT]
    assert len((await client.list()).memories) == 1


async def test_the_same_fact_from_two_agents_of_a_user_is_one(client_of):
    first = await client_of(agent="support").write(FACT)

    assert (await client_of(agent="billing").write(FACT)).id == first.id


async def test_the_same_fact_of_two_users_is_two(client_of):
    first = await client_of("ann").write(FACT)

    second = await client_of("bob").write(FACT)

    assert second.created
    assert second.id != first.id


async def test_the_same_fact_twice_in_one_batch_is_one(client, ask):
    drafts = [Draft(text=FACT), Draft(text=FACT.lower())]

    first, second = await client.write_many(drafts)

    assert (second.id, second.created) == (first.id, False)
    assert (await client.show(first.id)).counts.support == 1


async def test_support_for_a_fact_that_is_stated_again_is_gathered(client):
    one, other = await client.remember("I got a v2"), await client.remember("mine is a v2")
    first = await client.write(FACT, supporting=[one.id])

    await client.write(FACT, supporting=[one.id, other.id])

    assert (await client.show(first.id)).source.supporting == (one.id, other.id)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sarah lives in Bristol", "Sarah lives in Edinburgh"),
        ("Sarah has a Hub v2", "Sarah has a Hub v3"),
        ("Sarah is allergic to nuts", "Sarah is not allergic to nuts"),
        ("Sarah writes C++", "Sarah writes C"),
        ("It is -5 outside", "It is 5 outside"),
        ("It works?", "It works."),
    ],
)
async def test_facts_that_are_merely_similar_are_two(client, one, other):
    first = await client.write(one)

    second = await client.write(other)

    assert second.created
    assert second.id != first.id


@pytest.mark.parametrize(
    "lost",
    [{"status": "superseded"}, {"status": "retracted"}, {"shelf": "hidden"}, {"shelf": "archived"}],
)
async def test_a_fact_that_no_longer_holds_is_new_when_it_is_stated_again(client, store, by, lost):
    first = await client.write(FACT)
    await store.records.apply(ANN, [Link(id=first.id, **lost)], by=by)

    second = await client.write(FACT)

    assert second.created
    assert second.id != first.id


async def test_the_same_words_are_two_when_their_kinds_differ(client):
    first = await client.write(FACT, kind="semantic")

    assert (await client.write(FACT, kind="catalog")).id != first.id


# ── episodes ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seconds", [0, 59, 60])
async def test_an_episode_sent_again_within_a_minute_is_one(client, clock, seconds):
    first = await client.remember("It failed again", session="s1")
    clock.forward(seconds)

    second = await client.remember("it failed again.", session="s1")

    assert (second.id, second.created) == (first.id, False)


async def test_an_episode_sent_again_within_a_minute_of_the_epoch_is_one(client):
    first = await client.remember("It failed", session="s1", occurred_at="1970-01-01T00:00:00Z")

    again = await client.remember("It failed", session="s1", occurred_at="1970-01-01T00:00:00Z")

    assert again.id == first.id


async def test_an_episode_sent_again_is_no_new_evidence(client):
    first = await client.remember("It failed again", session="s1")
    await client.remember("It failed again", session="s1")

    assert (await client.show(first.id)).counts.support == 0


async def test_an_episode_with_the_same_message_id_is_one_whenever_it_comes(client, clock):
    first = await client.remember("It failed again", session="s1", message_id="m1")
    clock.forward(86_400)

    assert (await client.remember("It failed again", session="s1", message_id="m1")).id == first.id


@pytest.mark.parametrize(
    "other",
    [{"session": "s2"}, {"message_id": "m2"}, {"role": "assistant", "recallable": True}],
)
async def test_the_same_words_of_another_message_are_another_event(client, other):
    first = await client.remember("It failed again", **{"session": "s1"})

    assert (await client.remember("It failed again", **{"session": "s1", **other})).id != first.id


async def test_the_same_words_later_are_another_event(client, clock):
    first = await client.remember("It failed again", session="s1")
    clock.forward(61)

    second = await client.remember("It failed again", session="s1")

    assert second.created
    assert second.id != first.id


async def test_the_same_words_at_several_times_are_shown_once_with_all_times(client, clock):
    said_at_us = []
    for _ in range(3):
        said_at_us.append(clock.forward(3_600))
        await client.remember("It failed again", session="s1")

    (hit,) = (await client.recall("what failed")).hits

    assert sorted([hit.memory.times.occurred_at_us, *hit.why.also_at_us]) == said_at_us
    assert "said 3 times" in hit.why.summary
