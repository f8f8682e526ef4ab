"""Meaning beside words, with a model that needs no weights."""

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pinyon.client import MemoryClient
from pinyon.domain.change import Erase
from pinyon.domain.principal import Principal
from pinyon.ports.models import Models
from pinyon.ranking.maxsim import best_matches, product, with_context
from pinyon.recall.legs import vector as vector_leg
from pinyon.stores.in_memory import InMemoryStore
from pinyon.testing import FrozenClock
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import counting_ids
from pinyon.write import vectors as write_vectors

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

ANN = Principal.of_home(tenant="acme", user="ann")
NEW_UUID = counting_ids()
"""One for all: several clients write to one store."""


@pytest.fixture
def store():
    return InMemoryStore(clock=FrozenClock())


def client_with(store, embedder):
    return MemoryClient(
        store, ANN, clock=FrozenClock(), new_uuid=NEW_UUID, models=Models(embedder=embedder)
    )


@pytest.fixture
def embedder():
    return HashEmbedder()


@pytest.fixture
def client(store, embedder):
    return client_with(store, embedder)


class Slow(HashEmbedder):
    async def embed(self, texts):
        await anyio.sleep(60)
        return await super().embed(texts)

    async def embed_question(self, question):
        await anyio.sleep(60)
        return await super().embed_question(question)


async def test_a_hit_says_in_which_legs_it_was_found(client):
    await client.write("the bulbs only show white")

    (hit,) = (await client.recall("white bulbs")).hits

    assert set(hit.why.legs) == {"keyword", "vector"}


async def test_a_memory_with_vectors_no_longer_awaits_them(client):
    written = await client.write("the bulbs only show white")

    assert (await client.show(written.id)).awaits == ()
    assert written.degraded == ()


async def test_an_equal_memory_is_given_no_second_vectors(client):
    first = await client.write("the bulbs only show white")
    again = await client.write("The bulbs only show white.")

    assert (again.id, again.created) == (first.id, False)


async def test_a_model_that_fails_fails_no_write_and_no_recall(store):
    client = client_with(store, HashEmbedder(fails=True))
    written = await client.write("the bulbs only show white")
    answer = await client.recall("white bulbs")

    assert (written.created, written.degraded) == (True, ("vectors",))
    assert "vectors" in (await client.show(written.id)).awaits
    assert [hit.memory.id for hit in answer.hits] == [written.id]
    assert answer.degraded == ("vectors",)


async def test_a_model_that_is_slow_keeps_nobody_waiting(store, monkeypatch):
    monkeypatch.setattr(write_vectors, "EMBED_WITHIN_S", 0.01)
    monkeypatch.setattr(vector_leg, "EMBED_WITHIN_S", 0.01)
    client = client_with(store, Slow())
    written = await client.write("the bulbs only show white")

    assert written.degraded == ("vectors",)
    assert len((await client.recall("white bulbs")).hits) == 1


async def test_memories_of_another_model_are_found_by_their_words(store):
    await client_with(store, HashEmbedder(name="old@1")).write("the bulbs only show white")

    (hit,) = (await client_with(store, HashEmbedder(name="new@1")).recall("white bulbs")).hits

    assert set(hit.why.legs) == {"keyword"}


async def test_a_text_that_the_model_does_not_know_has_no_vectors(client, embedder):
    written = await client.write("记得设置止损")

    assert written.degraded == ()
    assert "vectors" not in (await client.show(written.id)).awaits
    assert len((await client.recall("止损")).hits) == 1


async def test_what_is_far_does_not_come_along(client):
    await client.write("the bulbs only show white")
    await client.write("seventeen unrelated words")

    assert len((await client.recall("white bulbs")).hits) == 1


async def test_a_literal_word_counts_whatever_the_model_says(client):
    await client.write("It is about v2.3.1 and many other quite different things of every kind")
    await client.write("the firmware of the hub")

    hits = (await client.recall("v2.3.1")).hits

    assert "v2.3.1" in hits[0].memory.text


async def test_the_turn_before_helps_its_answer(client):
    await client.write_many([])
    await client.remember("Have you tried a reset?", session="s1")
    answer = await client.remember("Yes twice neither helped", session="s1")

    hits = (await client.recall("tried a reset")).hits

    assert answer.id in {hit.memory.id for hit in hits}


async def test_why_not_says_that_a_memory_is_far(client):
    far = await client.write("seventeen unrelated words")
    await client.write("the bulbs only show white")

    answer = await client.why_not(far.id, "white bulbs")

    assert (answer.came, answer.stage) == (False, "score")


async def test_why_not_looks_at_a_memory_that_came_by_meaning(client):
    written = await client.write("the bulbs only show white")

    assert (await client.why_not(written.id, "white bulbs")).came


async def test_why_not_looks_at_a_memory_that_a_filter_keeps_out(client):
    written = await client.write("the bulbs only show white")

    answer = await client.why_not(written.id, "white bulbs", kinds=["episodic"])

    assert (answer.came, answer.reason) == (False, "its kind is semantic")


@pytest.mark.parametrize("first", [True, False])
async def test_a_long_memory_is_scored_by_its_best_passage(client, first):
    filler = "Seventeen unrelated words stand here. " * 20
    told = "The bulbs only show white. "
    await client.write(told + filler if first else filler + told)

    (hit,) = (await client.recall("bulbs only show white")).hits

    passage = hit.why.passage
    assert told.strip() in hit.memory.text[passage.start : passage.end]


# ── what is filled in later ──────────────────────────────────────────────────────────────────


async def test_a_later_write_gives_an_earlier_one_its_vectors(store):
    broken, mended = HashEmbedder(fails=True), HashEmbedder()
    first = await client_with(store, broken).write("the bulbs only show white")
    client = client_with(store, mended)

    await client.write("a hub in the hall")

    assert (await client.show(first.id)).awaits == ()
    (hit,) = (await client.recall("white bulbs")).hits
    assert "vector" in hit.why.legs


async def test_a_model_that_comes_back_fills_what_it_missed(client, embedder):
    embedder.fails = True
    first = await client.write("the bulbs only show white")
    embedder.fails = False

    await client.write("a hub in the hall")
    await client.write("a lamp in the hall")

    assert (await client.show(first.id)).awaits == ()


async def test_a_long_memory_is_not_filled_by_somebody_elses_write(client, embedder):
    embedder.fails = True
    long = await client.write("The bulbs only show white again today. " * 120)
    short = await client.write("the dog chews cables")
    embedder.fails = False

    await client.write("a hub in the hall")
    await client.write("a lamp in the hall")

    assert "vectors" in (await client.show(long.id)).awaits
    assert (await client.show(short.id)).awaits == ()


async def test_filling_that_fails_waits_for_the_next_write(client, embedder, monkeypatch):
    embedder.fails = True
    first = await client.write("the bulbs only show white")
    embedder.fails = False
    embed = embedder.embed

    async def once(texts):
        embedder.fails = True
        return await embed(texts)

    async def first_time(texts):
        embedder.embed = once
        return await embed(texts)

    embedder.embed = first_time
    await client.write("a hub in the hall")
    assert "vectors" in (await client.show(first.id)).awaits

    embedder.embed, embedder.fails = embed, False
    await client.write("a lamp in the hall")
    assert (await client.show(first.id)).awaits == ()


async def test_what_is_erased_while_it_is_filled_is_left_alone(client, embedder, store):
    embedder.fails = True
    first = await client.write("the bulbs only show white")
    embedder.fails = False
    embed, calls = embedder.embed, []

    async def erasing(texts):
        calls.append(texts)
        if len(calls) == 2:
            await store.records.apply(first_space, [Erase(first.id)], by=client._by)
        return await embed(texts)

    first_space = ANN.space("own")
    embedder.embed = erasing
    written = await client.write("a hub in the hall")

    assert written.degraded == ()


async def test_a_new_title_is_part_of_what_is_near(client):
    written = await client.write("it only shows white", title="Bulbs")
    await client.edit(written.id, title="Zigbee")

    (hit,) = (await client.recall("zigbee")).hits

    assert "vector" in hit.why.legs


# ── turns ────────────────────────────────────────────────────────────────────────────────────


async def test_the_reply_before_lends_its_vectors(client, store, embedder):
    await client.remember("have you tried a reset?", session="s1", role="assistant")
    answer = await client.remember("yes twice neither helped", session="s1")

    held = await store.search.token_vectors(ANN.space("own"), embedder.fingerprint, {answer.id: 0})

    assert held[answer.id].before


async def test_of_a_long_reply_the_first_tokens_are_kept(client, store, embedder):
    await client.remember("tried a reset? " * 100, session="s1", role="assistant")
    answer = await client.remember("yes twice", session="s1")

    held = await store.search.token_vectors(ANN.space("own"), embedder.fingerprint, {answer.id: 0})

    assert 0 < len(held[answer.id].before) <= write_vectors.TURN_TOKENS * embedder.token_dim


async def test_what_follows_a_near_turn_is_looked_at(client):
    await client.remember("have you tried a reset?", session="s1")
    answer = await client.remember("yes twice neither helped", session="s1")
    for number in range(3):
        await client.write(f"seventeen unrelated words {number}")

    hits = (await client.recall("tried reset")).hits

    (hit,) = [hit for hit in hits if hit.memory.id == answer.id]
    assert "turns" in hit.why.legs


# ── models without token vectors ─────────────────────────────────────────────────────────────


@pytest.fixture
def dense(store):
    return client_with(store, HashEmbedder(has_tokens=False))


async def test_one_vector_for_a_text_is_enough(dense):
    await dense.remember("have you tried a reset?", session="s1", role="assistant")
    await dense.remember("the bulbs only show white", session="s1")

    (hit,) = (await dense.recall("white bulbs")).hits

    assert set(hit.why.legs) == {"keyword", "vector"}
    assert hit.why.scores["cosine"] > 0.5


async def test_what_has_no_vectors_is_scored_by_its_words(dense, store):
    await dense.write("the bulbs only show white")
    await client_with(store, None).write("white bulbs")

    hits = (await dense.recall("white bulbs")).hits

    assert {("cosine" in hit.why.scores) for hit in hits} == {True, False}


# ── several things at once ───────────────────────────────────────────────────────────────────


async def test_a_message_with_two_things_is_answered_on_both(client):
    for text in ("the extender lies in its box", "the dog chews sensor cables"):
        await client.write(text)

    hits = (await client.recall("Where is the extender box? Which dog chews cables?")).hits

    assert len(hits) == 2
    assert all(hit.why.relevance > 0.5 for hit in hits)


async def test_one_space_may_have_vectors_and_another_none(client_of):
    with_model = client_of(models=Models(embedder=HashEmbedder()))
    await client_of().write("white bulbs of the catalog", kind="catalog", scope="shared")
    await with_model.write("the bulbs only show white")

    hits = (await with_model.recall("white bulbs")).hits

    assert {tuple(sorted(hit.why.legs)) for hit in hits} == {("keyword",), ("keyword", "vector")}


async def test_warming_loads_what_a_question_needs(client, embedder):
    await client.write("the bulbs only show white")

    warmed = await client.warm()

    assert warmed.memories == 1
    assert {"encode", "vector"} <= {stage.stage for stage in warmed.stages}
    assert (warmed.degraded, warmed.degraded_because) == ((), "")


ROWS = arrays(
    np.float32, st.tuples(st.integers(1, 9), st.just(4)), elements=st.floats(-1, 1, width=32)
)


@given(ROWS, ROWS)
def test_a_product_in_pieces_is_the_product(left, right):
    assert product(left, right.T) == pytest.approx(left @ right.T, abs=1e-5)


@given(ROWS, st.lists(ROWS, max_size=5))
def test_best_matches_are_those_of_the_best_token(question, texts):
    raw = [np.round(text * 127).astype(np.int8) for text in texts]

    found = best_matches(question, [text.tobytes() for text in raw])

    assert found.shape == (len(texts), len(question))
    for row, text in zip(found, raw, strict=True):
        assert row == pytest.approx(
            (text.astype(np.float32) @ question.T).max(axis=0) / 127, abs=1e-4
        )


@given(ROWS)
def test_context_never_lowers_a_score(own):
    alone = with_context(own, np.full_like(own, -1))

    assert (with_context(own, own + 0.5) >= alone - 1e-6).all()
    assert alone == pytest.approx(np.maximum(own, -1).mean(axis=1), abs=1e-5)
