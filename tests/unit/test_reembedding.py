"""Another model: nothing mixes, the old vectors answer until the switch, and nothing is lost."""

import pytest

from pinyon.care import reembedding
from pinyon.care.reembedding import Reembedding
from pinyon.client import MemoryClient
from pinyon.domain.change import Erase
from pinyon.domain.principal import Principal
from pinyon.errors import ModelUnavailable
from pinyon.operating import Operator
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, counting_ids

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True

TEXTS = ["the bulbs only show white", "the dog chews cables", "a hub in the hall"]


@pytest.fixture
def with_model(store, clock):
    """Return a maker of clients on one store, each with its model."""
    new_uuid = counting_ids()
    principal = Principal.of_home(tenant="acme", user="ann")

    def make(embedder):
        models = Models(embedder=embedder)
        return MemoryClient(store, principal, clock=clock, new_uuid=new_uuid, models=models)

    return make


@pytest.fixture
def old():
    return HashEmbedder(name="old@1")


@pytest.fixture(params=["same", "other"])
def new(request):
    """Another model, of the same dimension and of another one."""
    return HashEmbedder(name="new@1", dim=64 if request.param == "same" else 48)


@pytest.fixture
def reembed(store, by):
    async def run(embedder, report=lambda _seen: None):
        return await Reembedding(store, embedder, by=by).run(ANN, report)

    return run


async def legs_of(client, question="white bulbs"):
    answer = await client.recall(question)
    return {leg for hit in answer.hits for leg in hit.why.legs}, answer


async def test_another_model_leaves_recall_to_its_words_and_says_why(with_model, old, new):
    await with_model(old).write(TEXTS[0])

    legs, answer = await legs_of(with_model(new))

    assert legs == {"keyword"}
    assert answer.degraded == ("vectors",)
    assert "pinyon reembed" in answer.degraded_because


async def test_what_is_written_meanwhile_does_not_mix(with_model, old, new):
    await with_model(old).write(TEXTS[0])
    await with_model(new).write(TEXTS[1])

    legs, _ = await legs_of(with_model(new), "dog cables")

    assert legs == {"keyword"}


async def test_after_reembedding_the_new_model_answers(with_model, reembed, old, new):
    client = with_model(new)
    for text in TEXTS:
        await with_model(old).write(text)
    seen = []

    made = await reembed(new, seen.append)

    legs, answer = await legs_of(client)
    assert (made, seen[-1]) == (3, 3)
    assert legs == {"keyword", "vector"}
    assert answer.degraded == ()


async def test_the_old_vectors_answer_until_the_switch(
    with_model, reembed, store, old, new, monkeypatch
):
    monkeypatch.setattr(reembedding, "PAGE", 1)
    for text in TEXTS:
        await with_model(old).write(text)

    class Aborted(Exception):
        pass

    def abort(seen):
        if seen == 2:
            raise Aborted

    with pytest.raises(Aborted):
        await reembed(new, abort)

    assert await store.vectors.serving(ANN) == "old@1"
    assert (await legs_of(with_model(old)))[0] == {"keyword", "vector"}
    before = new.calls
    assert await reembed(new) == 1
    assert new.calls == before + 1
    assert (await legs_of(with_model(new)))[0] == {"keyword", "vector"}


async def test_doing_it_twice_is_doing_it_once(with_model, reembed, old, new):
    await with_model(old).write(TEXTS[0])
    await reembed(new)

    assert await reembed(new) == 0


async def test_a_space_without_vectors_gets_its_first(client, with_model, reembed, store, new):
    written = await client.write(TEXTS[0])

    assert await reembed(new) == 1
    assert await store.vectors.serving(ANN) == "new@1"
    assert (await client.show(written.id)).awaits == ()


async def test_what_the_model_does_not_know_is_passed_over(client, reembed, store, new):
    written = await client.write("记得设置止损")

    assert await reembed(new) == 0
    assert await store.vectors.serving(ANN) is None
    assert (await client.show(written.id)).awaits == ()


async def test_a_foreign_space_of_unknown_texts_keeps_its_vectors(
    with_model, reembed, store, old, new
):
    await with_model(old).write("a hub")
    old_only = await with_model(old).recall("hub")
    await store.records.apply(ANN, [Erase(old_only.hits[0].memory.id)], by=with_model(old)._by)
    await with_model(old).write("记得设置止损")

    assert await reembed(new) == 0
    assert await store.vectors.serving(ANN) == "old@1"


async def test_a_model_that_fails_changes_nothing(with_model, reembed, store, old):
    await with_model(old).write(TEXTS[0])
    broken = HashEmbedder(name="new@1")

    async def fail(texts):
        raise ModelUnavailable("new@1", "it was told to fail")

    broken.embed = fail
    with pytest.raises(ModelUnavailable):
        await reembed(broken)

    assert await store.vectors.serving(ANN) == "old@1"


@pytest.mark.parametrize("meanwhile", ["edited", "erased"])
async def test_what_changes_meanwhile_is_taken_as_it_is_then(
    with_model, reembed, store, by, old, new, meanwhile
):
    first, _ = [await with_model(old).write(text) for text in TEXTS[:2]]
    embed = new.embed

    async def interrupted(texts):
        new.embed = embed
        if meanwhile == "erased":
            await store.records.apply(ANN, [Erase(first.id)], by=by)
        else:
            await with_model(None).edit(first.id, importance=0.9)
        return await embed(texts)

    new.embed = interrupted

    assert await reembed(new) == (1 if meanwhile == "erased" else 2)
    assert await store.vectors.serving(ANN) == "new@1"


async def test_one_that_changes_again_is_taken_after_the_switch(
    with_model, reembed, store, old, new
):
    written = await with_model(old).write(TEXTS[0])
    embed, edits = new.embed, [0.1, 0.2]

    async def interrupted(texts):
        if edits:
            await with_model(None).edit(written.id, importance=edits.pop())
        return await embed(texts)

    new.embed = interrupted

    # The first pass and its second try find it changed; the pass after the switch does not.
    assert await reembed(new) == 1
    assert edits == []


async def test_messages_that_memories_follow_get_theirs(with_model, reembed, store, old, new):
    client = with_model(old)
    await client.remember("have you tried a reset?", session="s1", role="assistant")
    answer = await client.remember("twice, and neither helped", session="s1")

    await reembed(new)

    held = await store.search.token_vectors(ANN, "new@1", {answer.id: 0})
    assert held[answer.id].before


async def test_the_home_as_a_whole_is_reembedded(store, clock, with_model, old, new):
    for text in TEXTS:
        await with_model(old).write(text)
    seen = []

    (done,) = await Operator(store, clock=clock, new_uuid=counting_ids(), embedder=new).reembed(
        progress=lambda *counts: seen.append(counts)
    )

    assert (done.space, done.memories, done.made) == (ANN, 3, 3)
    assert seen[-1] == (3, 3)


async def test_without_a_model_there_is_nothing_to_reembed_with(store, clock):
    with pytest.raises(ModelUnavailable):
        await Operator(store, clock=clock, new_uuid=counting_ids()).reembed()


async def test_progress_need_not_be_told(store, clock, with_model, old, new):
    await with_model(old).write(TEXTS[0])

    (done,) = await Operator(store, clock=clock, new_uuid=counting_ids(), embedder=new).reembed()

    assert done.made == 1


async def test_a_model_that_fails_for_one_of_them_is_not_switched_to(
    with_model, reembed, store, old, new
):
    written = await with_model(old).write(TEXTS[0])
    embed = new.embed

    async def interrupted(texts):
        # It finds the memory changed, and fails when that one is read again.
        new.embed, new.fails = embed, False
        await with_model(None).edit(written.id, importance=0.9)
        vectors = await embed(texts)
        new.fails = True
        return vectors

    new.embed = interrupted

    with pytest.raises(ModelUnavailable):
        await reembed(new)
    assert await store.vectors.serving(ANN) == "old@1"


async def test_a_model_that_fails_for_messages_says_so(with_model, reembed, store, old, new):
    client = with_model(old)
    await client.remember("have you tried a reset?", session="s1", role="assistant")
    await client.remember("twice, and neither helped", session="s1")
    embed = new.embed

    async def once(texts):
        vectors = await embed(texts)
        new.fails = True
        return vectors

    new.embed = once

    with pytest.raises(ModelUnavailable):
        await reembed(new)
    assert await store.vectors.serving(ANN) == "old@1"
