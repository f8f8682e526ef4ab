"""The same question again: answered at once as long as nothing it rests on has changed."""

from dataclasses import replace

import pytest

from pinyon.client import MemoryClient
from pinyon.domain.principal import Principal
from pinyon.domain.question import AsOf, RecallContext
from pinyon.domain.space import Space
from pinyon.operating import Operator
from pinyon.ports.models import Models
from pinyon.recall import caching
from pinyon.recall.caching import AnswerCache
from pinyon.recall.planning import question_of
from pinyon.recall.recaller import Recaller
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.embedder import HashEmbedder, HashReranker
from pinyon.testing.makers import ANN, counting_ids

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

HUB = "The hub is blue"
QUESTION = "which colour is the hub?"


def is_as_before(answer):
    return [stage.stage for stage in answer.trace.stages] == ["cache"]


def texts(answer):
    return [hit.memory.text for hit in answer.hits]


@pytest.fixture
async def hub(client):
    return (await client.write(HUB)).id


@pytest.fixture
def anew(store, client_of):
    """Return a function that answers a question without any cache."""

    async def answer(question, **narrowing):
        client = client_of(recaller=Recaller(store.records, store.search, store.sessions))
        return await client.recall(question, **narrowing)

    return answer


async def test_the_same_question_is_answered_as_before(client, hub):
    first = await client.recall(QUESTION)
    again = await client.recall(QUESTION)

    assert not is_as_before(first)
    assert is_as_before(again)
    assert again.trace.stages[0].candidates == 1
    assert (again.hits, again.trace.terms) == (first.hits, first.trace.terms)


async def test_that_there_is_nothing_is_answered_as_before_too(client, hub):
    for _ in range(2):
        answer = await client.recall("zzqq flurble")

    assert is_as_before(answer)
    assert (answer.hits, answer.empty_because) == ((), "below_floor")


@pytest.mark.looks_inside
async def test_without_word_of_changes_nothing_is_kept(client_of, store, hub):
    client = client_of(recaller=Recaller(store.records, store.search, store.sessions))
    await client.recall(QUESTION)
    assert not is_as_before(await client.recall(QUESTION))

    await client.forget(hub)

    assert texts(await client.recall(QUESTION)) == []


# ── what voids it ────────────────────────────────────────────────────────────────────────────


async def _released(client, memory_id):
    await client.hide(memory_id)
    await client.recall(QUESTION)
    await client.release(memory_id)


ACTS = {
    "write": lambda c, one: c.write("The hub is loud"),
    "remember": lambda c, one: c.remember("The hub is hot", session="s1"),
    "edit": lambda c, one: c.edit(one, importance=1.0),
    "edit what is searched": lambda c, one: c.edit(one, title="Colour"),
    "supersede": lambda c, one: c.write("The hub is red", supersedes=[one]),
    "retract": lambda c, one: c.retract(one),
    "end": lambda c, one: c.end(one),
    "hide": lambda c, one: c.hide(one),
    "release": _released,
    "forget": lambda c, one: c.forget(one),
    "forget everything": lambda c, one: c.forget(everything=True),
    "import": lambda c, one: c.import_rows([{"text": "The hub is round"}]),
    "share": lambda c, one: c.write("A hub is round", scope="shared"),
    "publish": lambda c, one: c.publish(one, scope="shared"),
    "another user shares": lambda c, one: c.acting_for("bob").write("A hub!", scope="shared"),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.looks_inside
async def test_a_change_of_what_may_be_read_voids_it(client, anew, hub, act):
    await client.recall(QUESTION)
    assert is_as_before(await client.recall(QUESTION))

    await ACTS[act](client, hub)
    answer = await client.recall(QUESTION)

    assert not is_as_before(answer)
    assert answer.hits == (await anew(QUESTION)).hits


async def test_another_client_on_the_same_store_voids_it(client, client_of, hub):
    await client.recall(QUESTION)
    await client_of().retract(hub)

    assert texts(await client.recall(QUESTION)) == []


async def test_another_process_on_the_same_home_voids_it(clock, tmp_path):
    new_uuid = counting_ids()
    stores = [SqliteStore(tmp_path / "both", clock=clock, durable=False) for _ in range(2)]
    ours, theirs = (
        MemoryClient(
            store,
            Principal.of_home(tenant="acme", user="ann"),
            clock=clock,
            new_uuid=new_uuid,
            recaller=Recaller(store.records, store.search, store.sessions, changes=store.changes),
        )
        for store in stores
    )
    async with ours, theirs:
        written = await ours.write(HUB)
        await ours.recall(QUESTION)
        await theirs.forget(written.id)

        assert texts(await ours.recall(QUESTION)) == []


async def test_what_another_user_keeps_for_themselves_voids_nothing(client, client_of, hub):
    await client.recall(QUESTION)
    await client_of("bob").write("Bob's hub is green")

    assert is_as_before(await client.recall(QUESTION))


async def test_what_was_forgotten_is_never_given_again(client, clock, hub):
    await client.recall(QUESTION)
    await client.forget(everything=True)
    assert (await client.recall(QUESTION)).empty_because == "empty_store"

    for number in range(4):
        clock.forward(1)
        await client.write(f"The hub is number {number}")
        assert HUB not in texts(await client.recall(QUESTION))


@pytest.mark.looks_inside
async def test_what_was_forgotten_lies_in_no_answer_that_is_kept(client, client_of, clock, hub):
    kept = client._recaller._cache._answers
    await client.recall(QUESTION)
    await client.forget(hub)
    assert not kept

    elsewhere = await client.write(HUB)
    await client.recall(QUESTION)
    await client_of().forget(elsewhere.id)
    clock.forward(60)
    await client.recall("dog")

    assert HUB not in repr(kept)


async def test_what_may_no_longer_be_read_is_not_given_again(client, store, clock):
    await client.write("The office has a hub", scope="shared")
    assert texts(await client.recall("hub")) == ["The office has a hub"]

    operator = Operator(store, clock=clock, new_uuid=counting_ids())
    await operator.grant(Space.shared("acme"), "bob")

    assert texts(await client.recall("hub")) == []


async def test_being_given_to_a_model_voids_nothing(client, clock, hub):
    await client.recall(QUESTION)
    for _ in range(3):
        answer = await client.recall(QUESTION, given=True)
        clock.forward(6)

    assert (await client.show(hub)).counts.uses > 0
    assert is_as_before(answer)
    assert is_as_before(await client.recall(QUESTION))


# ── another question ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "narrowing",
    [
        {"k": 3},
        {"kinds": ["semantic"]},
        {"filters": {"kind": "semantic"}},
        {"context": RecallContext(session="s1")},
        {"context": RecallContext(recent_turns=("Hello",))},
        {"as_of": AsOf(known="2026-03-02T09:00:00Z")},
        {"include_superseded": True},
        {"intent": "fact"},
        {"deadline_ms": 60_000},
        {"if_needed": True},
        {"question": "what colour is the hub?"},
    ],
    ids=str,
)
async def test_what_is_asked_otherwise_is_another_question(client, hub, narrowing):
    await client.recall(QUESTION)
    other = {"question": QUESTION, **narrowing}

    assert not is_as_before(await client.recall(**other))
    assert is_as_before(await client.recall(**other))
    assert is_as_before(await client.recall(QUESTION))


async def test_a_better_quality_is_another_question(client_of, hub):
    client = client_of(models=Models(reranker=HashReranker()))
    await client.recall(QUESTION)

    assert not is_as_before(await client.recall(QUESTION, quality="best"))
    assert is_as_before(await client.recall(QUESTION, quality="best"))


async def test_another_user_is_another_asker(client, hub):
    bob = client.acting_for("bob")
    # As many changes as in Ann's space: only the name of his tells them apart.
    await bob.write("Bob's hub is green")
    await client.recall(QUESTION)

    assert texts(await bob.recall(QUESTION)) == ["Bob's hub is green"]


# ── how long it stands ───────────────────────────────────────────────────────────────────────


async def test_an_answer_that_lacks_a_part_is_not_kept(client_of):
    embedder = HashEmbedder()
    client = client_of(models=Models(embedder=embedder))
    await client.write(HUB)

    embedder.fails = True
    for _ in range(2):
        lacking = await client.recall(QUESTION)
        assert (lacking.degraded, is_as_before(lacking)) == (("vectors",), False)
    embedder.fails = False

    assert (await client.recall(QUESTION)).degraded == ()
    assert is_as_before(await client.recall(QUESTION))


async def test_an_answer_stands_for_a_minute(client, clock, hub):
    await client.recall(QUESTION)

    clock.forward(59.9)
    assert is_as_before(await client.recall(QUESTION))
    clock.forward(0.1)
    assert not is_as_before(await client.recall(QUESTION))


@pytest.mark.parametrize("end", ["expires_at", "valid_until"])
async def test_an_answer_stands_no_longer_than_what_it_holds(client, clock, end):
    await client.write(HUB, **{end: "2026-03-02T09:00:30Z"})
    await client.recall(QUESTION)

    clock.forward(29)
    assert is_as_before(await client.recall(QUESTION))
    clock.forward(1)
    assert texts(await client.recall(QUESTION)) == []


async def test_what_begins_to_hold_is_looked_at_anew(client, clock):
    await client.write(HUB, valid_from="2026-03-02T09:00:30Z")
    (hit,) = (await client.recall(QUESTION)).hits
    assert hit.why.starts_later

    clock.forward(30)
    (hit,) = (await client.recall(QUESTION)).hits

    assert not hit.why.starts_later


async def test_an_answer_stands_no_longer_than_what_stands_beside_its_hits(client, clock):
    await client.remember("which hub?", session="s1", expires_at="2026-03-02T09:00:30Z")
    await client.remember("it speaks zigbee", session="s1")
    assert (await client.recall("zigbee")).hits[0].neighbours

    clock.forward(30)

    assert (await client.recall("zigbee")).hits[0].neighbours == ()


async def test_what_was_asked_least_recently_makes_room(client, hub, monkeypatch):
    monkeypatch.setattr(caching, "ANSWERS_MAX", 2)
    for question in ("hub", "blue", "hub", "colour"):
        await client.recall(question)

    assert is_as_before(await client.recall("hub"))
    assert is_as_before(await client.recall("colour"))
    assert not is_as_before(await client.recall("blue"))


@pytest.mark.looks_inside
async def test_long_answers_make_room_for_each_other(client, hub, monkeypatch):
    said = (await client.recall("hub")).hits
    monkeypatch.setattr(caching, "CHARS_MAX", sum(len(hit.memory.text) for hit in said) + 1)
    await client.recall("blue")

    assert is_as_before(await client.recall("blue"))
    assert not is_as_before(await client.recall("hub"))


@pytest.mark.looks_inside
async def test_an_answer_that_is_longer_than_all_may_be_is_not_kept(client, hub, monkeypatch):
    monkeypatch.setattr(caching, "CHARS_MAX", 1)
    await client.recall("hub")

    assert not is_as_before(await client.recall("hub"))


async def test_a_question_that_has_no_key_is_never_answered_from_before(store):
    asked = []

    async def find(question):
        asked.append(question)
        return await Recaller(store.records, store.search, store.sessions).recall(question)

    cache = AnswerCache(store.changes)
    question = replace(question_of("hub", spaces=[ANN], now_us=0), key="")
    for _ in range(2):
        await cache.answer(question, find)
    assert len(asked) == 2
