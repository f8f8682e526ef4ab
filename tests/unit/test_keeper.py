"""Keeping: all of a batch or none, once for a key, each turn after the one before it."""

from types import MappingProxyType

import pytest

from pinyon.domain.change import Erase
from pinyon.domain.draft import Draft
from pinyon.errors import (
    BadInput,
    InvalidId,
    InvalidText,
    InvalidValue,
    KeyReused,
    NotFound,
    PinyonError,
    TooLarge,
)
from pinyon.testing.makers import ANN
from pinyon.write.keeper import BATCH_MAX, KEY_CHARS_MAX

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

NOWHERE = "mem_" + "f" * 32


async def events_of(store):
    return list((await store.records.events(ANN)).events)


# ── what becomes of words ────────────────────────────────────────────────────────────────────


async def test_a_users_words_become_an_episode(client):
    written = await client.remember("My bulbs are white", session="s1")
    memory = await client.show(written.id)

    assert (memory.kind, memory.text) == ("episodic", "My bulbs are white")
    assert (memory.source.role, memory.source.session) == ("user", "s1")


@pytest.mark.parametrize(
    ("role", "event_type"),
    [
        ("assistant", "message"),
        ("system", "message"),
        ("thought", "thought"),
        ("tool", "tool_result"),
        ("Function", "tool_result"),
        ("tool_call", "tool_call"),
    ],
)
async def test_what_others_say_goes_to_the_event_log_and_not_into_recall(
    client, store, ask, role, event_type
):
    written = await client.remember("Try a reset", session="s1", role=role)
    (event,) = await events_of(store)

    assert (event.id, event.role, event.event_type) == (written.id, role, event_type)
    assert await ask("reset") == []


@pytest.mark.parametrize(
    ("role", "recallable", "kept"), [("assistant", True, 1), ("user", False, 0)]
)
async def test_the_caller_may_say_what_becomes_a_memory(client, role, recallable, kept):
    await client.remember("Try a reset", role=role, recallable=recallable)

    assert len((await client.list()).memories) == kept


async def test_an_event_keeps_what_is_said_of_it(client, store):
    await client.remember(
        "ls",
        role="tool",
        session="s1",
        event_type="tool_call",
        message_id="m1",
        occurred_at="1970-01-01T01:00:07+01:00",
        metadata={"tool": "bash"},
    )
    (event,) = await events_of(store)

    assert (event.event_type, event.message_id) == ("tool_call", "m1")
    assert (event.occurred_at_us, event.offset_min) == (7_000_000, 60)
    assert event.metadata == (("tool", "bash"),)


async def test_an_event_at_the_epoch_happened_at_the_epoch(client, store):
    await client.remember("ls", role="tool", occurred_at="1970-01-01T00:00:00Z")
    (event,) = await events_of(store)

    assert event.occurred_at_us == 0


async def test_a_reply_sent_again_within_a_minute_is_one_event(client, store, clock):
    first = await client.remember("Try a reset", session="s1", role="assistant")
    clock.forward(60)

    second = await client.remember("Try a reset", session="s1", role="assistant")

    assert (second.id, second.created) == (first.id, False)
    assert len(await events_of(store)) == 1


# ── refused ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["", "   \n", "\u00a0", None, [], [{"role": "user"}], {}])
@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_a_text_that_says_nothing_is_refused_and_nothing_is_stored(client, store, text, role):
    with pytest.raises(InvalidText):
        await client.remember(text, role=role)

    assert await store.registry.info(ANN) is None


@pytest.mark.parametrize(
    "bad", [{"text": ""}, {"text": "x", "kind": "fact"}, {"text": "x", "tags": 7}]
)
async def test_a_batch_with_one_bad_draft_is_refused_whole(client, store, bad):
    with pytest.raises(BadInput):
        await client.write_many([Draft(text="Sarah has a dog"), Draft(**bad)])

    assert await store.registry.info(ANN) is None


async def test_a_batch_of_too_many_is_refused_whole(client, store):
    with pytest.raises(TooLarge):
        await client.write_many([Draft(text="x")] * (BATCH_MAX + 1))

    assert await store.registry.info(ANN) is None


async def test_an_empty_batch_writes_nothing(client, store):
    assert await client.write_many([]) == ()
    assert await store.registry.info(ANN) is None


@pytest.mark.parametrize(("supporting", "error"), [([NOWHERE], NotFound), (["*"], InvalidId)])
async def test_a_fact_cannot_rest_on_what_is_not_there(client, store, supporting, error):
    with pytest.raises(error):
        await client.write("Sarah has a dog", supporting=supporting)

    assert await store.registry.info(ANN) is None


async def test_a_fact_cannot_rest_on_what_another_user_said(client, client_of):
    foreign = await client_of("bob").remember("I have a dog")

    with pytest.raises(NotFound):
        await client.write("Sarah has a dog", supporting=[foreign.id])


async def test_a_fact_names_what_it_rests_on(client):
    said = await client.remember("I have a dog")

    written = await client.write("Sarah has a dog", supporting=[said.id])

    assert (await client.show(written.id)).source.supporting == (said.id,)


# ── idempotency keys ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_a_retry_under_a_key_is_answered_as_the_first_time(client, clock, role):
    first = await client.remember("It failed", session="s1", role=role, key="k1")
    clock.forward(3_600)

    assert await client.remember("It failed", session="s1", role=role, key="k1") == first


async def test_a_retry_under_a_key_has_the_id_of_the_first_time_and_writes_nothing(client, clock):
    first = await client.remember("It failed", session="s1", key="k1")
    clock.forward(3_600)

    again = await client.remember("It failed", session="s1", key="k1")

    assert again.id == first.id
    assert len((await client.list()).memories) == 1


async def test_a_retried_batch_has_the_ids_of_the_first_time(client):
    drafts = [Draft(text="Sarah has a dog"), Draft(text="Sarah has a hub")]
    first = await client.write_many(drafts, key="k1")

    again = await client.write_many(drafts, key="k1")

    assert [one.id for one in again] == [one.id for one in first]


async def test_a_retry_under_a_key_gives_a_fact_no_support(client):
    first = await client.write("Sarah has a dog", key="k1")
    await client.write("Sarah has a dog", key="k1")

    assert (await client.show(first.id)).counts.support == 0


@pytest.mark.parametrize(
    "other", [{"text": "It failed!"}, {"importance": 0.9}, {"metadata": {"a": 1}}, {"tags": ["x"]}]
)
async def test_a_key_with_another_request_is_a_conflict_and_writes_nothing(client, other):
    await client.write("It failed", key="k1")

    with pytest.raises(KeyReused):
        await client.write(**{"text": "It failed", **other}, key="k1")

    assert len((await client.list()).memories) == 1


async def test_a_key_is_forgotten_after_a_day(client, clock):
    await client.write("It failed", key="k1")
    clock.forward(24 * 3_600 + 1)

    assert (await client.write("It works", key="k1")).created


async def test_a_key_belongs_to_its_user(client, client_of):
    await client.write("It failed", key="k1")

    assert (await client_of("bob").write("It works", key="k1")).created


async def test_a_request_may_hold_any_mapping_as_metadata(client):
    metadata = MappingProxyType({"b": 2, "a": 1})
    first = await client.write("It failed", metadata=metadata, key="k1")

    assert (await client.write("It failed", metadata={"a": 1, "b": 2}, key="k1")).id == first.id


@pytest.mark.parametrize("key", [7, "x" * (KEY_CHARS_MAX + 1), ["k"]])
async def test_what_is_no_key_is_refused_and_nothing_is_stored(client, store, key):
    with pytest.raises(PinyonError):
        await client.write("It failed", key=key)

    assert await store.registry.info(ANN) is None


# ── scopes ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("scope", ["own", "agent", "project", "shared"])
async def test_a_memory_lives_in_the_space_that_its_scope_names(client_of, scope):
    client = client_of(agent="a", project="p")
    written = await client.write("Sarah has a dog", scope=scope)

    assert (await client.show(written.id)).space == client.principal.space(scope)


@pytest.mark.parametrize("key", ["user_id", "tenant", "space"])
async def test_metadata_cannot_name_another_owner(client, client_of, key):
    with pytest.raises(InvalidValue):
        await client.write("PIN 4471", metadata={key: "bob"})

    assert (await client_of("bob").list()).memories == ()


# ── the turn before ──────────────────────────────────────────────────────────────────────────


async def previous_of(client, written):
    return (await client.show(written.id)).links.previous


async def test_an_episode_follows_the_turn_before_it_whoever_spoke(client, clock):
    asked = await client.remember("Have you tried a reset?", session="s1", role="assistant")
    clock.forward(5)
    answered = await client.remember("Yes, twice", session="s1")
    clock.forward(5)

    assert await previous_of(client, answered) == asked.id
    assert await previous_of(client, await client.remember("No luck", session="s1")) == answered.id


async def test_a_reply_follows_the_turn_before_it(client, store, clock):
    said = await client.remember("My bulbs are white", session="s1")
    clock.forward(5)
    await client.remember("Try a reset", session="s1", role="assistant")
    (event,) = await events_of(store)

    assert event.previous == said.id


async def test_the_first_turn_of_a_session_follows_nothing(client):
    await client.remember("My bulbs are white", session="s1")

    assert await previous_of(client, await client.remember("Hello", session="s2")) is None


async def test_words_without_a_session_follow_nothing(client, clock):
    await client.remember("My bulbs are white")
    clock.forward(5)

    assert await previous_of(client, await client.remember("Hello")) is None


async def test_a_fact_follows_nothing(client):
    await client.remember("My bulbs are white", session="s1")

    assert await previous_of(client, await client.write("Bulbs are white", session="s1")) is None


async def test_a_turn_that_is_filled_in_later_follows_what_was_said_before_it(client):
    first, third = [
        await client.remember(text, session="s1", occurred_at=f"2026-03-02T08:0{minute}:00Z")
        for text, minute in [("one", 1), ("three", 3)]
    ]

    second = await client.remember("two", session="s1", occurred_at="2026-03-02T08:02:00Z")

    assert await previous_of(client, second) == first.id
    assert await previous_of(client, third) == first.id


async def test_a_turn_may_follow_one_that_is_gone(client, store, by, clock):
    said = await client.remember("one", session="s1")
    await store.records.apply(ANN, [Erase(said.id)], by=by)
    clock.forward(5)

    assert await previous_of(client, await client.remember("two", session="s1")) is None


@pytest.mark.parametrize("draft", [None, {"text": "It failed"}, "It failed"])
async def test_what_is_no_draft_is_refused(client, draft):
    with pytest.raises(InvalidValue):
        await client.write_many([draft])
