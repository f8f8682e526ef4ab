"""Several things asked at once: each wants its answer, however often another one is told."""

import pytest

from pinyon.domain.draft import Draft
from pinyon.ports.models import Models
from pinyon.recall import planning
from pinyon.recall.recaller import Tuning
from pinyon.testing.embedder import HashEmbedder

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

COUSIN, FESTIVAL = "How old is my cousin Lee?", "Where is the music festival?"
BOTH = f"{COUSIN} {FESTIVAL}"
TENT = "the music festival takes place in a tent"
MODELS = {
    "by words": None,
    "by tokens": HashEmbedder(),
    "by cosine": HashEmbedder(name="dense@1", has_tokens=False),
}


@pytest.fixture(params=MODELS)
async def told(request, client_of):
    """Return a client who knows much of a cousin, and one thing of a festival."""
    client = client_of(models=Models(embedder=MODELS[request.param]))
    cousin = [f"my cousin Lee is old, year {n}" for n in range(12)]
    await client.write_many([Draft(text=text) for text in (TENT, *cousin)])
    return client


def topic(hit):
    return hit.memory.text.split()[1]


async def test_each_thing_that_is_asked_for_has_its_turn(told):
    hits = (await told.recall(BOTH, k=2)).hits

    assert {topic(hit) for hit in hits} == {"cousin", "music"}


async def test_alone_each_is_answered_by_its_own(told):
    cousin = (await told.recall(COUSIN, k=1)).hits
    festival = (await told.recall(FESTIVAL, k=1)).hits

    assert [topic(hit) for hit in (*cousin, *festival)] == ["cousin", "music"]


async def test_the_best_answer_to_each_comes_before_the_second_best_to_any(told):
    await told.write("the music festival is loud")

    hits = (await told.recall(BOTH, k=4)).hits

    assert {topic(hit) for hit in hits[:2]} == {topic(hit) for hit in hits[2:]}


@pytest.mark.parametrize(
    ("without", "topics"), [((), {"cousin", "music"}), (("parts",), {"cousin"})]
)
async def test_taking_turns_can_be_left_out(client_of, without, topics):
    models = Models(embedder=MODELS["by tokens"])
    client = client_of(models=models, tuning=Tuning(without=without))
    await client.write_many([Draft(text=f"my cousin Lee is old, year {n}") for n in range(12)])
    await client.write("some music is played in a tent, or so I was told by my aunt")

    hits = (await client.recall(BOTH, k=2)).hits

    assert {topic(hit) for hit in hits} == topics


async def test_what_only_words_bring_is_compared_with_each_of_them(client_of, monkeypatch):
    monkeypatch.setattr(planning, "CANDIDATES_PER_LEG", 3)
    client = client_of(models=Models(embedder=MODELS["by cosine"]))
    await client.write_many([Draft(text=f"my cousin Lee is old, year {n}") for n in range(12)])
    await client.write_many([Draft(text=TENT), Draft(text="see my notes", keywords=["festival"])])

    hits = {hit.memory.text: hit.why for hit in (await client.recall(BOTH)).hits}

    assert set(hits["see my notes"].legs) == {"keyword"}
    assert "cosine" in hits["see my notes"].scores


async def test_where_only_one_is_known_of_it_fills_all_places(told):
    hits = (await told.recall(f"{COUSIN} What colour is my neighbour's bicycle?", k=3)).hits

    assert {topic(hit) for hit in hits} == {"cousin"}


async def test_a_message_that_no_longer_holds_stays_behind_what_replaced_it(client, clock):
    said, home = "I live in Bristol, in an old Victorian flat", "Sarah's home is Edinburgh"
    await client.remember(said, session="s1")
    old = await client.write("Sarah lives in Bristol", session="s1")
    clock.forward(60)
    await client.write(home, supersedes=[old.id])
    await client.write("the zigbee hub has number 7")

    question = "Where is the old Victorian flat? Which zigbee hub is there?"
    texts = [hit.memory.text for hit in (await client.recall(question)).hits]

    assert texts.index(home) < texts.index(said)
