"""What users of other memories ran into when messages became facts, tried without a model.

Held elsewhere: what a bad model says (`test_bad_models.py`); writes from two processes
(`tests/crash`); that a block which memory handed out is not kept again (`test_taking_a_turn.py`).
"""

import anyio
import pytest

from pinyon.domain.consolidation import FactProposal
from pinyon.errors import InvalidText

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True
THROUGH_EVERY_CLIENT = True

CHATTER = (
    "What is your name?",
    "Run echo hello",
    "echo hello",
    "[heartbeat] still alive at 12:00",
    "cron: nightly backup finished",
    "You are a helpful assistant. Always answer in the user's language.",
    "Hi there!",
    "ok",
    "lol",
    "Can you summarise this for me?",
    "你好",
    "在吗？",
    "帮我写一首诗",
)


async def said(client, *texts, **details):
    """Say things, each in its own time, and let memory learn from them."""
    ids = [(await client.remember(text, session="s", **details)).id for text in texts]
    await client.consolidate()
    return ids


async def facts_of(client, **filters):
    listing = await client.list(kinds=["semantic"], filters={"status": "active", **filters})
    return sorted(one.text for one in listing.memories)


async def fact_of(client, text):
    listing = await client.list(kinds=["semantic"])
    return next(one for one in listing.memories if one.text == text)


async def test_the_same_said_again_is_one_fact_and_deletes_nothing(client, clock):
    for text in ("I live in Leeds now", "i live in leeds now.", "I live in  Leeds now!"):
        await said(client, text)
        clock.forward(3600)

    assert await facts_of(client) == ["I live in Leeds now"]
    fact = await fact_of(client, "I live in Leeds now")
    assert (fact.counts.support, len(fact.source.supporting)) == (2, 3)


async def test_love_that_turns_to_hate_leaves_the_new_and_keeps_the_old(client, clock):
    await said(client, "I love Chinese food")
    clock.forward(3600)
    await said(client, "I hate Chinese food")

    assert await facts_of(client) == ["I hate Chinese food"]
    old = await fact_of(client, "I love Chinese food")
    assert (old.status, old.links.superseded_by) == (
        "superseded",
        (await fact_of(client, "I hate Chinese food")).id,
    )


async def test_only_the_current_version_comes_and_the_former_is_history(client, clock):
    await said(client, "I have a Lumio Hub v2")
    clock.forward(3600)
    await said(client, "I have a Lumio Hub v3 now, not the v2 any more")
    (hit,) = (await client.recall("which hub do I have?", kinds=["semantic"])).hits

    assert hit.memory.text == "I have a Lumio Hub v3 now, not the v2 any more"
    former = await fact_of(client, "I have a Lumio Hub v2")
    assert former.links.superseded_by == hit.memory.id


async def test_facts_that_add_to_each_other_retire_none(client):
    await said(
        client,
        "I work at Acme as CTO",
        "I administer Acme's GitHub organisation",
        "I have a cat",
        "I have a brown dog",
    )
    every = await client.list(kinds=["semantic"])

    assert {one.status for one in every.memories} == {"active"}
    assert {"I have a cat", "I have a brown dog", "I work at Acme as CTO"} <= {
        one.text for one in every.memories
    }


@pytest.mark.promise(
    "consolidation", "Chatter, questions, heartbeats and system prompts become no facts."
)
async def test_fifty_turns_of_chatter_give_no_facts(client, clock):
    for number in range(50):
        await client.remember(CHATTER[number % len(CHATTER)], session=f"s{number}")
        clock.forward(120)
    done = await client.consolidate()

    assert (done.episodes, done.left, done.created) == (50, 0, ())
    assert await facts_of(client) == []


@pytest.mark.parametrize("empty", ["", "   \n", "\u200b", None, [], [{"role": "user"}]])
async def test_what_says_nothing_is_refused_and_leaves_nothing(client, empty):
    with pytest.raises(InvalidText):
        await client.remember(empty)

    assert (await client.consolidate()).episodes == 0


async def test_what_others_say_or_do_is_not_the_users(client):
    await client.remember("I prefer JavaScript", session="s", speaker="Bob")
    await client.remember("I prefer Rust", session="s", speaker="ann")
    await client.remember("My friend Jack hates football", session="s", speaker="ann")
    await client.remember("Here is my recursive solution", session="s", role="assistant")
    await client.consolidate()

    assert await facts_of(client) == ["I prefer Rust"]


async def test_what_is_written_while_memory_learns_is_there(client):
    await client.remember("I live in Leeds now")
    async with anyio.create_task_group() as group:
        group.start_soon(client.consolidate)
        for number in range(20):
            group.start_soon(client.write, f"The lamp in room {number} is white")
    await client.consolidate()

    assert len(await facts_of(client)) == 21


async def test_tags_and_metadata_survive_every_pass(client, clock):
    await said(client, "I live in Leeds now")
    fact = await fact_of(client, "I live in Leeds now")
    await client.edit(fact.id, tags=["home"], metadata={**dict(fact.metadata), "room": "hall"})
    for _ in range(3):
        clock.forward(3600)
        await said(client, "I live in Leeds now")

    now = await client.show(fact.id)
    assert (now.tags, dict(now.metadata)["room"], now.counts.support) == (("home",), "hall", 3)


async def test_what_replaces_something_is_found_at_once(client, clock):
    await said(client, "I live in Bristol")
    clock.forward(3600)
    await said(client, "I live in Leeds now")
    (first, *others) = (await client.recall("where do I live?", kinds=["semantic"])).hits

    assert (first.memory.text, others) == ("I live in Leeds now", [])


async def test_five_passes_leave_everything_as_the_first_left_it(client):
    await said(client, "I live in Leeds now", "I have a Lumio Hub v2", "That worked, thanks!")
    first = (await client.list(limit=100)).memories
    passes = [await client.consolidate() for _ in range(5)]

    assert {(one.episodes, one.created, one.superseded) for one in passes} == {(0, (), ())}
    assert (await client.list(limit=100)).memories == first


async def test_a_fact_has_the_time_of_what_was_said_and_not_of_the_import(client):
    at = "2023-05-24T10:00:00+00:00"
    (episode,) = await said(client, "I moved to Paris last week", occurred_at=at)
    fact = await fact_of(client, "I moved to Paris last week")

    source = await client.show(episode)
    assert fact.times.occurred_at_us == source.times.occurred_at_us
    assert fact.times.created_at_us > fact.times.occurred_at_us


async def test_each_fact_tells_the_message_and_the_place_that_say_it(client):
    (episode,) = await said(client, "We packed for days. I live in Leeds now, near the canal")
    fact = await fact_of(client, "I live in Leeds now")

    (span,) = fact.source.spans
    text = (await client.show(episode)).text
    assert (span.memory_id, text[span.start : span.end]) == (episode, "I live in Leeds now")
    assert fact.source.supporting == (episode,)


async def test_learning_deletes_and_archives_nothing_and_can_be_taken_back(client, clock):
    await said(client, "I live in Bristol")
    clock.forward(3600)
    await said(client, "I live in Leeds now")
    new, old = (
        await fact_of(client, "I live in Leeds now"),
        await fact_of(client, "I live in Bristol"),
    )
    await client.undo(new.id)

    listing = await client.list(limit=100)
    assert {one.shelf for one in listing.memories} == {"open"}
    assert (await client.show(old.id)).status == "active"
    assert (await client.show(new.id)).status == "retracted"


@pytest.mark.promise(
    "temporary", "What is said in a temporary session becomes no fact and no playbook."
)
async def test_what_is_said_in_a_temporary_session_becomes_no_fact(client):
    await client.start_session("t", mode="temporary")
    episode = await client.remember("Always answer me in metric units", session="t")
    material = await client.material()
    done = await client.consolidate()
    proposed = await client.propose(
        facts=[
            FactProposal(
                text="Always answer in metric units",
                support=episode.id,
                quote="Always answer me in metric units",
            )
        ]
    )

    assert (material.episodes, done.created, done.left) == ((), (), 0)
    assert dict(proposed.refused) == {"unknown_support": 1}
    assert await facts_of(client) == []
