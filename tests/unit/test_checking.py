"""Reading on: what weighs less does not keep out what weighs more and matches worse."""

import pytest

from pinyon.domain.draft import Draft
from pinyon.ports.models import Models
from pinyon.ranking.weights import Weights
from pinyon.recall import checking
from pinyon.recall.checking import FIRST_READ, READ_ON
from pinyon.recall.recaller import Tuning
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

QUESTION = "pairing of the zigbee hub"
OWN = "my hub: pairing it by zigbee, in the evening"
REPLIES = 40


@pytest.fixture(params=[None, HashEmbedder()], ids=["by words", "by meaning"])
def models(request):
    return Models(embedder=request.param)


@pytest.fixture
def chat(client_of, models):
    """Return a maker of clients whose user said one thing among many replies that match better."""

    async def make(replies=REPLIES, **parts):
        client = client_of(models=models, **parts)
        drafts = [
            Draft(text=f"pairing of the zigbee hub {n}", kind="episodic", role="assistant")
            for n in range(replies)
        ]
        await client.write_many(drafts)
        await client.remember(OWN)
        return client

    return make


@pytest.fixture
def read(store, monkeypatch):
    """Return how many records each reading asks for, from now on."""
    asked = []
    fetch = store.records.get

    async def counted(space, ids, **known):
        asked.append(len(ids))
        return await fetch(space, ids, **known)

    monkeypatch.setattr(store.records, "get", counted)
    return asked


async def test_the_users_own_words_come_although_many_replies_match_better(chat):
    client = await chat()

    answer = await client.recall(QUESTION)

    assert OWN in [hit.memory.text for hit in answer.hits]
    assert [hit.memory.source.role for hit in answer.hits].count("assistant") == 9


async def test_weighed_alike_they_stand_behind(chat):
    client = await chat(tuning=Tuning(weights=Weights(off=("reply", "trust"))))

    answer = await client.recall(QUESTION, k=REPLIES + 1)

    assert answer.hits[-1].memory.text == OWN


async def test_what_is_not_read_on_to_is_lost(chat, monkeypatch):
    monkeypatch.setattr(checking._Read, "leaves_room_for", lambda *_: False)
    client = await chat()

    answer = await client.recall(QUESTION)

    assert OWN not in [hit.memory.text for hit in answer.hits]


async def test_it_stops_where_no_weight_could_bring_what_is_next(client, read):
    near = [Draft(text=f"zigbee hub pairing {n}") for n in range(20)]
    far = [Draft(text=f"hub number {n}") for n in range(50)]
    await client.write_many([*near, *far])
    read.clear()

    await client.recall("zigbee hub pairing")

    assert read == [FIRST_READ]


async def test_what_is_gone_meanwhile_makes_room_for_what_stands_behind(client, store, monkeypatch):
    await client.write_many([Draft(text=f"zigbee hub {n}") for n in range(75)])
    fetch, asked = store.records.get, []

    async def gone_at_first(space, ids, **known):
        asked.append(len(ids))
        return await fetch(space, ids, **known) if len(asked) > 1 else []

    monkeypatch.setattr(store.records, "get", gone_at_first)
    answer = await client.recall("zigbee hub")

    assert len(answer.hits) == 10
    assert asked == [FIRST_READ, READ_ON]
