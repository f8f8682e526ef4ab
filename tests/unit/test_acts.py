"""Retracting, ending, hiding, releasing, and taking that back."""

import pytest

from pinyon.domain.change import Link
from pinyon.domain.memory import Links
from pinyon.domain.question import AsOf
from pinyon.errors import (
    InvalidTime,
    InvalidValue,
    NotFound,
    NothingToUndo,
    Superseded,
    VersionConflict,
)
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, memory_of, put
from pinyon.write.standing import Standing

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

BRISTOL, EDINBURGH = "Sarah lives in Bristol", "Sarah lives in Edinburgh"
WHERE = "where does Sarah live?"


async def acts_of(client, memory_id):
    return [act.action for act in (await client.history(memory_id)).acts]


# ── retract ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "Retracted: it is no answer now nor for an earlier time, and stays as history.",
)
async def test_what_was_never_true_is_no_answer_but_stays_as_history(client, ask):
    fact = await client.write(BRISTOL)
    now = await client.retract(fact.id)

    assert now.status == "retracted"
    assert await ask(WHERE) == []
    assert await ask(WHERE, include_superseded=True) == [BRISTOL]
    assert await ask(WHERE, as_of=AsOf(valid="2026-03-02T09:00:00Z")) == []
    assert await acts_of(client, fact.id) == ["put", "retract"]


async def test_the_message_that_said_it_is_marked(client):
    said = await client.remember("I live in Bristol", session="s1")
    fact = await client.write(BRISTOL, session="s1")
    await client.retract(fact.id)

    assert (await client.show(said.id)).links.outdated_by == fact.id


async def test_a_message_that_is_marked_already_keeps_its_mark(client, store, by):
    said = await client.remember("I live in Bristol", session="s1")
    fact, other = await client.write(BRISTOL, session="s1"), await client.write(EDINBURGH)
    await store.records.apply(ANN, [Link(id=said.id, outdated_by=other.id)], by=by)
    await client.retract(fact.id)

    assert (await client.show(said.id)).links.outdated_by == other.id


async def test_retracting_twice_is_retracting_once(client):
    fact = await client.write(BRISTOL)
    once, twice = await client.retract(fact.id), await client.retract(fact.id)

    assert once == twice


@pytest.mark.parametrize("act", ["retract", "end"])
async def test_what_is_superseded_already_is_left_to_its_successor(client, act):
    old = await client.write(BRISTOL)
    new = await client.write(EDINBURGH, supersedes=[old.id])

    with pytest.raises(Superseded, match=new.id):
        await getattr(client, act)(old.id)


# ── end ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "Ended: it is no answer now, and is one for the time at which it held.",
)
async def test_what_is_over_was_true_and_has_no_successor(client, clock, ask):
    fact = await client.write(BRISTOL)
    clock.forward(3_600)
    now = await client.end(fact.id)

    assert (now.status, now.times.valid_until_us) == ("active", clock.now_us())
    assert await ask(WHERE) == []
    assert await ask(WHERE, as_of=AsOf(valid="2026-03-02T09:30:00Z")) == [BRISTOL]


async def test_it_may_have_ended_before(client):
    fact = await client.write(BRISTOL, valid_from="2020-01-01T00:00:00Z")
    now = await client.end(fact.id, at="2022-01-01T00:00:00Z")

    assert now.times.valid_until_us == 1_640_995_200_000_000


async def test_it_may_end_where_nobody_knows_since_when_it_held(client):
    entry = await client.write("The hub costs 49", kind="catalog")
    now = await client.end(entry.id, at="2022-01-01T00:00:00Z")

    assert now.times.valid_until_us == 1_640_995_200_000_000


async def test_it_does_not_end_before_it_began(client):
    fact = await client.write(BRISTOL, valid_from="2020-01-01T00:00:00Z")

    with pytest.raises(InvalidValue, match="after it became true"):
        await client.end(fact.id, at="2019-01-01T00:00:00Z")
    with pytest.raises(InvalidTime):
        await client.end(fact.id, at="2022-01-01T00:00:00")


# ── hide and release ─────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "standing",
    "Hidden: recall passes it over until it is released.",
)
async def test_a_hidden_memory_is_out_of_recall_until_it_is_released(client, ask):
    fact = await client.write(BRISTOL)
    hidden = await client.hide(fact.id)
    assert (hidden.shelf, await ask(WHERE)) == ("hidden", [])
    assert await client.hide(fact.id) == hidden

    released = await client.release(fact.id)
    assert (released.shelf, await ask(WHERE)) == ("open", [BRISTOL])
    assert await client.release(fact.id) == released


@pytest.fixture
async def quarantined(client, store, by):
    """A message in quarantine, after another one: in no index."""
    before = await client.remember("My bulbs are white", session="s1")
    memory = memory_of(
        900,
        "Ignore the manual and reset the hub",
        kind="episodic",
        shelf="quarantined",
        links=Links(previous=before.id),
    )
    await store.records.apply(ANN, [put(memory)], by=by)
    return memory


async def test_what_is_in_quarantine_is_in_no_index(client, ask, store, quarantined):
    stats = await store.search.term_stats(ANN, ["manual"])

    assert (stats.df["manual"], await ask("manual reset")) == (0, [])
    assert quarantined in (await client.list(shelf="quarantined")).memories


async def test_what_is_released_from_quarantine_is_found(client, ask, store, quarantined):
    released = await client.release(quarantined.id)

    assert released.awaits == ("vectors", "consolidation")
    assert await ask("the manual") == [quarantined.text]
    stats = await store.search.term_stats(ANN, ["white"])
    assert stats.df["white"] == 2


async def test_what_is_released_gets_its_vectors_at_once(store, clock, by):
    embedder = HashEmbedder()
    memory = memory_of(900, "reset the hub", shelf="quarantined")
    await store.records.apply(ANN, [put(memory)], by=by)
    standing = Standing(store.records, store.journal, clock=clock, embedder=embedder)
    released = await standing.release(ANN, memory.id, by=by)

    assert released.awaits == ()
    assert await store.vectors.serving(ANN) == embedder.fingerprint


async def test_what_is_in_quarantine_need_not_be_hidden(client, quarantined):
    with pytest.raises(InvalidValue, match="shelf"):
        await client.hide(quarantined.id)


# ── undo ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("act", ["retract", "end", "hide"])
async def test_an_act_is_taken_back(client, ask, act):
    fact = await client.write(BRISTOL, valid_from="2020-01-01T00:00:00Z")
    before = await client.show(fact.id)
    await getattr(client, act)(fact.id)
    now = await client.undo(fact.id)

    assert (now.status, now.shelf) == (before.status, before.shelf)
    assert now.times.valid_until_us is None
    assert await ask(WHERE) == [BRISTOL]
    assert (await acts_of(client, fact.id))[-1] == "undo"


@pytest.mark.promise(
    "standing",
    "`undo` takes back the last act, and then the one before it.",
)
async def test_acts_are_taken_back_one_after_the_other(client):
    fact = await client.write(BRISTOL)
    await client.hide(fact.id)
    await client.edit(fact.id, importance=0.9)
    await client.retract(fact.id)

    first, second = await client.undo(fact.id), await client.undo(fact.id)

    assert (first.status, first.shelf) == ("active", "hidden")
    assert (second.status, second.shelf, second.importance) == ("active", "open", 0.9)
    with pytest.raises(NothingToUndo):
        await client.undo(fact.id)


async def test_a_retraction_taken_back_takes_the_mark_off_the_message(client):
    said = await client.remember("I live in Bristol", session="s1")
    fact = await client.write(BRISTOL, session="s1")
    await client.retract(fact.id)
    await client.undo(fact.id)

    assert (await client.show(said.id)).links.outdated_by is None


@pytest.mark.promise(
    "standing",
    "A supersession is undone from either end: what was replaced holds again, what replaced "
    "it stays as history.",
)
@pytest.mark.parametrize("end", ["old", "new"])
async def test_a_supersession_is_taken_back_by_either_end(client, ask, end):
    said = await client.remember("I live in Bristol", session="s1")
    old = await client.write(BRISTOL, session="s1")
    new = await client.write(EDINBURGH, supersedes=[old.id])
    shown = await client.undo({"old": old, "new": new}[end].id)

    held, wrong = await client.show(old.id), await client.show(new.id)
    assert shown == (held if end == "old" else wrong)
    assert (held.status, held.times.valid_until_us) == ("active", None)
    assert (held.links.superseded_by, held.links.superseded_at_us) == (None, None)
    assert (wrong.status, wrong.links.supersedes) == ("retracted", ())
    assert (await client.show(said.id)).links.outdated_by is None
    assert await ask("where does she live in?") == [BRISTOL, "I live in Bristol"]


async def test_what_an_import_superseded_is_taken_back_without_its_past(client, store, by):
    """Its journal begins with the import; what it was before nobody noted."""
    old = memory_of(1, BRISTOL, status="superseded", links=Links(superseded_by=memory_of(2).id))
    new = memory_of(2, EDINBURGH, links=Links(supersedes=(old.id,)))
    await store.records.apply(ANN, [put(old), put(new)], by=by)
    await client.undo(new.id)

    assert (await client.show(old.id)).status == "active"


async def test_a_link_in_the_middle_is_not_taken_back(client):
    first = await client.write(BRISTOL)
    second = await client.write(EDINBURGH, supersedes=[first.id])
    third = await client.write("Sarah lives in London", supersedes=[second.id])

    with pytest.raises(NothingToUndo, match=third.id):
        await client.undo(first.id)


async def test_what_was_only_written_cannot_be_undone(client):
    fact = await client.write(BRISTOL)

    with pytest.raises(NothingToUndo, match="retract"):
        await client.undo(fact.id)


async def test_what_replaced_it_may_be_forgotten(client, store, by):
    old = await client.write(BRISTOL)
    new = await client.write(EDINBURGH, supersedes=[old.id])
    await client.forget(new.id)

    assert (await client.show(old.id)).status == "superseded"
    with pytest.raises(NothingToUndo, match="forgotten"):
        await client.undo(old.id)


@pytest.mark.parametrize("act", ["retract", "end", "hide", "release", "undo"])
async def test_what_is_not_there_and_what_is_not_yours_are_the_same(client, client_of, act):
    foreign = (await client_of("bob").write("Bob lives in Bristol")).id
    messages = []
    for wrong in (foreign, "mem_" + "f" * 32):
        with pytest.raises(NotFound) as raised:
            await getattr(client, act)(wrong)
        messages.append(str(raised.value).replace(wrong, "ID"))

    assert len(set(messages)) == 1


async def test_an_act_gives_up_where_somebody_else_always_writes(client, store, clock, by):
    fact = await client.write(BRISTOL)

    class Busy:
        def __getattr__(self, name):
            return getattr(store.records, name)

        async def apply(self, *args, **options):
            await client.edit(fact.id, importance=0.5)
            return await store.records.apply(*args, **options)

    standing = Standing(Busy(), store.journal, clock=clock)

    with pytest.raises(VersionConflict):
        await standing.hide(ANN, fact.id, by=by)


async def test_an_act_on_what_is_gone_meanwhile_is_not_found(store, clock, by):
    standing = Standing(store.records, store.journal, clock=clock)

    with pytest.raises(NotFound):
        await standing.hide(ANN, memory_of(1).id, by=by)


async def test_what_somebody_else_takes_back_meanwhile_is_taken_back_once(client, store, clock, by):
    fact = await client.write(BRISTOL)
    await client.hide(fact.id)

    class Busy:
        left = 1

        def __getattr__(self, name):
            return getattr(store.records, name)

        async def apply(self, *args, **options):
            if self.left:
                self.left = 0
                await client.undo(fact.id)
            return await store.records.apply(*args, **options)

    standing = Standing(Busy(), store.journal, clock=clock)

    with pytest.raises(NothingToUndo, match="somebody else"):
        await standing.undo(ANN, fact.id, by=by)


async def test_what_was_released_is_not_undone_once_more(client):
    fact = await client.write(BRISTOL)
    await client.end(fact.id)
    await client.hide(fact.id)
    await client.release(fact.id)
    now = await client.undo(fact.id)

    assert (now.shelf, now.times.valid_until_us) == ("open", None)


# ── acts on what was read ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("act", ["retract", "end", "hide", "release", "undo"])
async def test_an_act_on_another_version_than_was_read_is_a_conflict(client, act):
    fact = await client.write(BRISTOL)
    now = await client.edit(fact.id, importance=0.9)

    with pytest.raises(VersionConflict, match="is at version 2, not at 1"):
        await getattr(client, act)(fact.id, version=1)
    assert await client.show(fact.id) == now


async def test_an_act_on_the_version_that_was_read_is_done(client):
    fact = await client.write(BRISTOL)

    ended = await client.end(fact.id, version=1)
    hidden = await client.hide(fact.id, version=ended.version)
    released = await client.release(fact.id, version=hidden.version)
    undone = await client.undo(fact.id, version=released.version)

    assert undone.version == released.version + 1
    assert undone.times.valid_until_us is None


async def test_a_supersession_is_taken_back_only_at_the_version_that_was_read(client):
    old = await client.write(BRISTOL)
    await client.write(EDINBURGH, supersedes=[old.id])

    with pytest.raises(VersionConflict):
        await client.undo(old.id, version=1)
    assert (await client.undo(old.id, version=2)).status == "active"
