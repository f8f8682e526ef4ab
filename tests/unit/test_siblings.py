"""Chunks of one document leave room for what else answers; the turn before stands beside a hit."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.memory import Links
from pinyon.recall.neighbours import HITS_WITH_NEIGHBOURS, NEIGHBOUR_TOKENS_MAX
from pinyon.recall.selecting import SIBLINGS_MAX
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.text.counting import estimated_tokens

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True


# ── chunks of one document ───────────────────────────────────────────────────────────────────

NOTE = "a lamp, a shelf, a chair and a zigbee hub stand in the hall"


@pytest.fixture
def document(client):
    """Return a function that writes chunks of a document, each of which answers "zigbee hub"."""

    async def chunks(name, count, scope="shared"):
        texts = [f"zigbee hub {name} {number} {scope}" for number in range(count)]
        for text in texts:
            await client.write(text, kind="catalog", scope=scope, document=name)
        return texts

    return chunks


async def test_of_one_document_so_many_chunks_come_before_what_else_answers(client, ask, document):
    chunks = await document("manual", 6)
    await client.write(NOTE, kind="catalog", scope="shared")
    texts = await ask("zigbee hub")

    assert texts.index(NOTE) == SIBLINGS_MAX
    assert set(texts) == {NOTE, *chunks}


async def test_where_nothing_else_answers_they_fill_up(ask, document):
    chunks = await document("manual", 12)

    assert len(await ask("zigbee hub")) == 10
    assert set(await ask("zigbee hub", k=20)) == set(chunks)


async def test_with_few_places_what_else_answers_still_has_one(client, ask, document):
    await document("manual", 6)
    await client.write(NOTE, kind="catalog", scope="shared")

    assert NOTE in await ask("zigbee hub", k=SIBLINGS_MAX + 1)


async def test_those_behind_keep_their_order(client, client_of, document):
    await document("manual", 6)
    alone = [hit.memory.text for hit in (await client.recall("zigbee hub")).hits]
    await client.write(NOTE, kind="catalog", scope="shared")
    answer = await client.recall("zigbee hub")

    assert [hit.memory.text for hit in answer.hits if hit.memory.text != NOTE] == alone


async def test_each_document_has_so_many(ask, document):
    await document("one", 6)
    await document("other", 6)
    first = await ask("zigbee hub", k=2 * SIBLINGS_MAX)

    assert sorted(text.split()[2] for text in first) == ["one"] * 3 + ["other"] * 3


async def test_documents_of_one_name_in_two_spaces_are_two(client, ask, document):
    for scope in ("own", "shared"):
        await document("manual", SIBLINGS_MAX, scope=scope)
    await client.write(NOTE, kind="catalog", scope="shared")

    assert (await ask("zigbee hub")).index(NOTE) == 2 * SIBLINGS_MAX


async def test_entries_of_no_document_are_no_siblings(client, ask, document):
    await document("", 2 * SIBLINGS_MAX)
    await client.write(NOTE, kind="catalog", scope="shared", document="leaflet")

    assert (await ask("zigbee hub")).index(NOTE) == 2 * SIBLINGS_MAX


# ── the turn before ──────────────────────────────────────────────────────────────────────────


def beside(answer):
    return [[one.text for one in hit.neighbours] for hit in answer.hits]


@pytest.fixture
def talk(client, clock):
    async def turns(*texts, session="s1", **details):
        ids = []
        for text in texts:
            clock.forward(5)
            ids.append((await client.remember(text, session=session, **details)).id)
        return ids

    return turns


async def test_the_turn_before_a_hit_stands_beside_it(client, talk):
    await talk("Good morning", "which radio does it have?", "zigbee, I think")

    answer = await client.recall("zigbee")

    assert beside(answer) == [["which radio does it have?"]]
    assert answer.trace.stages[-1].note == "1 beside them"


async def test_a_turn_that_is_a_hit_stands_beside_none(client, talk):
    await talk("is it zigbee?", "zigbee, I think")

    assert beside(await client.recall("zigbee")) == [[], []]


async def test_a_turn_before_two_hits_comes_once(client, store, by):
    before = memory_of(1, "which radio?", kind="episodic")
    after = [
        memory_of(n, f"zigbee {n}", kind="episodic", links=Links(previous=before.id))
        for n in (2, 3)
    ]
    await store.records.apply(ANN, [put(memory) for memory in (before, *after)], by=by)

    assert beside(await client.recall("zigbee")) == [["which radio?"], []]


async def test_what_went_to_the_log_stands_beside_none(client, talk):
    await talk("which radio does it have?", role="assistant")
    await talk("zigbee, I think")

    answer = await client.recall("zigbee")

    assert beside(answer) == [[]]
    assert "beside" not in [stage.stage for stage in answer.trace.stages]


async def test_only_the_first_hits_have_the_turn_before_beside_them(client, talk):
    for number in range(HITS_WITH_NEIGHBOURS + 2):
        await talk(f"question {number}", f"zigbee {number}", session=f"s{number}")

    answer = await client.recall("zigbee")

    assert [len(turns) for turns in beside(answer)] == [1] * HITS_WITH_NEIGHBOURS + [0, 0]


async def test_a_turn_that_does_not_fit_into_the_budget_stays_away(client, talk):
    long = "a word of it " * 300
    assert estimated_tokens(long) > NEIGHBOUR_TOKENS_MAX
    await talk(long, "zigbee, I think")
    await talk("which radio?", "zigbee, I say", session="s2")

    answer = await client.recall("zigbee")

    assert sorted(beside(answer)) == [[], ["which radio?"]]


@pytest.mark.parametrize(
    "stands",
    [{"status": "superseded"}, {"status": "retracted"}, {"shelf": "hidden"}, {"valid_until_us": 1}],
    ids=str,
)
async def test_a_turn_that_no_longer_stands_is_not_shown(client, store, by, talk, stands):
    before, _ = await talk("which radio does it have?", "zigbee, I think")
    await store.records.apply(ANN, [Link(id=before, **stands)], by=by)

    assert beside(await client.recall("zigbee")) == [[]]


async def test_a_turn_that_the_asker_keeps_out_is_not_shown(client, talk):
    before, hit = await talk("which radio does it have?", "zigbee, I think")

    assert beside(await client.recall("zigbee", filters={"id": [before, hit]})) != [[]]
    assert beside(await client.recall("zigbee", filters={"id": hit})) == [[]]


async def test_a_turn_that_was_forgotten_is_not_shown(client, talk):
    before, _ = await talk("which radio does it have?", "zigbee, I think")
    await client.forget(before)

    assert beside(await client.recall("zigbee")) == [[]]
