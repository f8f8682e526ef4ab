"""Why one memory did not come, for every way of being lost."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.question import AsOf
from pinyon.errors import InvalidId, InvalidText, NotFound
from pinyon.testing.makers import ANN

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

DOG = "Sarah's dog chews sensor cables"


@pytest.fixture
async def dog(client, story):
    return story[DOG]


async def test_a_memory_that_came_says_at_which_place(client, dog):
    answer = await client.why_not(dog, "dog cables")

    assert (answer.came, answer.stage) == (True, "")
    assert answer.reason.startswith("it came, at place 1")
    assert answer.hit.memory.id == dog


@pytest.mark.parametrize(
    "question", ["dog", "sarah hub", "bulbs zigbee bristol", "what is it?", "zzqq"]
)
async def test_it_agrees_with_recall(client, story, question):
    came = {hit.memory.id for hit in (await client.recall(question, k=3)).hits}

    answers = [await client.why_not(one, question, k=3) for one in story.values()]

    assert {answer.id for answer in answers if answer.came} == came


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        ({"status": "superseded", "superseded_by": "mem_" + "0" * 32}, "it is superseded by mem_0"),
        ({"status": "retracted"}, "it is retracted"),
        ({"shelf": "hidden"}, "it is on the hidden shelf"),
        ({"valid_until_us": 1}, "no longer is"),
    ],
)
@pytest.mark.parametrize("question", ["dog", "hub", "zzqq"])
async def test_a_memory_that_does_not_hold_says_how_it_stands(
    client, store, by, dog, lost, reason, question
):
    await store.records.apply(ANN, [Link(id=dog, **lost)], by=by)

    answer = await client.why_not(dog, question)

    assert (answer.came, answer.stage) == (False, "filter")
    assert reason in answer.reason


@pytest.mark.parametrize(
    ("narrowing", "reason"),
    [
        ({"kinds": ["episodic"]}, "its kind is semantic"),
        ({"filters": {"tags": "none"}}, "the filter keeps it out"),
        ({"as_of": AsOf(valid="2025-01-01T00:00:00Z")}, "not yet true then"),
    ],
)
@pytest.mark.parametrize("question", ["dog", "zzqq"])
async def test_a_memory_that_is_kept_out_says_by_what(client, dog, narrowing, reason, question):
    answer = await client.why_not(dog, question, **narrowing)

    assert (answer.stage, answer.reason) == ("filter", reason)


async def test_a_memory_that_has_expired_says_so(client, clock, dog):
    await client.edit(dog, expires_at="2026-03-02T10:00:00Z")
    clock.forward(3_600)

    assert (await client.why_not(dog, "dog")).reason == "it has expired"


async def test_a_memory_that_was_not_known_then_is_not_said_to_be_too_far_behind(client, dog):
    answer = await client.why_not(dog, "dog", as_of=AsOf(known="2026-01-01T00:00:00Z"))

    assert not answer.came
    assert "looked at" not in answer.reason


async def test_a_memory_below_the_floor_names_it(client, dog):
    answer = await client.why_not(dog, "zzqq flurble 9999 xyzzy quux plugh dog")

    assert (answer.came, answer.stage) == (False, "floor")
    assert "the floor is 0.20" in answer.reason


async def test_a_memory_beyond_k_names_its_place(client, story):
    (first,) = (await client.recall("dog sarah", k=1)).hits
    other = next(one for text, one in story.items() if "Sarah" in text and one != first.memory.id)

    answer = await client.why_not(other, "dog sarah", k=1)

    assert (answer.came, answer.stage) == (False, "select")
    assert answer.reason.endswith("and k is 1")


async def test_a_memory_far_behind_is_looked_at_all_the_same(client):
    ids = [(await client.write(f"hub number {number}")).id for number in range(100)]

    answer = await client.why_not(ids[0], "hub number")

    assert (answer.came, answer.stage) == (False, "select")


async def test_a_memory_that_says_the_same_as_another_names_it(client, clock):
    first = await client.remember("It failed", session="s1")
    clock.forward(3_600)
    second = await client.remember("It failed", session="s1")
    (hit,) = (await client.recall("failed")).hits
    (lost,) = {first.id, second.id} - {hit.memory.id}

    answer = await client.why_not(lost, "failed")

    assert (answer.came, answer.stage) == (False, "same text")
    assert hit.memory.id in answer.reason


@pytest.mark.parametrize("question", ["bulbs", "zzqq flurble"])
async def test_a_memory_that_holds_no_word_of_the_question_says_so(client, dog, question):
    answer = await client.why_not(dog, question)

    assert (answer.came, answer.stage) == (False, "legs")
    assert "no leg found it" in answer.reason


async def test_a_memory_that_is_not_among_the_newest_is_lost_by_the_legs(client):
    ids = [(await client.write(f"number {number}")).id for number in range(30)]

    answer = await client.why_not(ids[0], "what is it?")

    assert (answer.came, answer.stage) == (False, "legs")


async def test_a_pinned_memory_may_be_the_only_candidate_and_still_be_lost(client, store, by):
    only = await client.write("Sarah has a dog")
    await store.records.apply(ANN, [Link(id=only.id, status="retracted")], by=by)

    assert (await client.why_not(only.id, "dog")).stage == "filter"


async def test_a_shared_memory_can_be_asked_about(client):
    shared = await client.write("The office has a hub", scope="shared")

    assert (await client.why_not(shared.id, "hub")).came


async def test_another_users_memory_cannot_be_asked_about(client_of, dog):
    with pytest.raises(NotFound):
        await client_of("bob").why_not(dog, "dog")


@pytest.mark.parametrize(
    ("memory_id", "question", "error"), [("*", "dog", InvalidId), (None, "", InvalidText)]
)
async def test_what_cannot_be_asked_is_refused(client, dog, memory_id, question, error):
    with pytest.raises(error):
        await client.why_not(memory_id or dog, question)
