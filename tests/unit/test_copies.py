"""Publishing: copies that say whose they are, and follow what becomes of their original."""

from dataclasses import replace

import pytest

from pinyon.care.copies import Copies
from pinyon.domain.change import Erase
from pinyon.domain.memory import Copy, Links
from pinyon.domain.space import Space
from pinyon.errors import CopiesBehind, Forbidden, InvalidValue, NotFound, PublishedCopy, StoreBusy
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, counting_ids, memory_of, put
from pinyon.write.copies import copied, copy_id, following, may_follow

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

PROJECT = Space.of_project("acme", "hub")
TEXT = "Hold the button for ten seconds to pair"


@pytest.fixture
def ann(client_of):
    return client_of(project="hub")


@pytest.fixture
def bob(client_of):
    return client_of("bob", project="hub")


async def texts_of(client, **options):
    return [memory.text for memory in (await client.list(**options)).memories]


@pytest.mark.promise(
    "copies",
    "A copy says whose it is, and nothing of the conversation that it is from.",
)
async def test_a_copy_says_whose_it_is_and_nothing_of_where_it_was_said(ann, bob):
    said = await ann.remember("I found out how to pair", session="secret-session")
    fact = await ann.write(TEXT, session="secret-session", tags=["pairing"])
    answer = await ann.publish(fact.id)

    (copy,) = (await bob.list(scope="project")).memories
    assert (answer.complete, answer.copies[0].id) == (True, copy.id)
    assert (copy.text, copy.tags) == (TEXT, ("pairing",))
    assert (copy.links.copy_of.space, copy.links.copy_of.id) == (ANN, fact.id)
    assert (copy.source.session, copy.source.supporting) == ("", ())
    assert said.id not in repr(copy)
    assert [hit.memory.id for hit in (await bob.recall("how to pair?")).hits] == [copy.id]


async def test_publishing_twice_is_publishing_once(ann):
    fact = await ann.write(TEXT)
    first, second = await ann.publish(fact.id), await ann.publish(fact.id)

    assert first == second
    assert await texts_of(ann, scope="project") == [TEXT]


async def test_a_memory_may_be_published_in_two_places_and_withdrawn_from_one(ann):
    fact = await ann.write(TEXT)
    for scope in ("project", "shared"):
        await ann.publish(fact.id, scope=scope)
    answer = await ann.withdraw(fact.id, scope="project")

    assert ([copy.space for copy in answer.copies], answer.complete) == ([PROJECT], True)
    assert await texts_of(ann, scope="project") == []
    assert await texts_of(ann, scope="shared") == [TEXT]
    await ann.withdraw(fact.id)
    assert await texts_of(ann, scope="shared") == []
    assert (await ann.withdraw(fact.id)).copies == ()


@pytest.mark.promise(
    "copies",
    "A copy is retracted, hidden, ended, edited and superseded with its memory, and comes "
    "back with it.",
)
@pytest.mark.parametrize(
    ("act", "status", "shelf"),
    [("retract", "retracted", "open"), ("hide", "active", "hidden"), ("end", "active", "open")],
)
async def test_a_copy_follows_what_becomes_of_its_original(ann, act, status, shelf):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    now = await getattr(ann, act)(fact.id)
    there = await ann.show(copy.id)

    assert (there.status, there.shelf) == (status, shelf)
    assert there.times.valid_until_us == now.times.valid_until_us
    await ann.undo(fact.id)
    assert ((await ann.show(copy.id)).status, (await ann.show(copy.id)).shelf) == ("active", "open")


@pytest.mark.promise(
    "copies",
    "A copy is retracted, hidden, ended, edited and superseded with its memory, and comes "
    "back with it.",
)
async def test_a_copy_follows_an_edit_and_a_supersession(ann):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    await ann.edit(fact.id, title="Pairing")
    assert (await ann.show(copy.id)).title == "Pairing"

    new = await ann.write("Hold the button for five seconds", supersedes=[fact.id])
    assert (await ann.show(copy.id)).status == "superseded"
    await ann.undo(new.id)
    assert (await ann.show(copy.id)).status == "active"


@pytest.mark.promise(
    "copies",
    "A copy is forgotten and covered with its memory; its own space keeps a receipt.",
)
async def test_a_copy_is_forgotten_with_its_original(ann, bob, store):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    receipt = (await ann.forget(fact.id)).receipt

    assert (receipt.counts["copies"], receipt.complete) == (1, True)
    assert await texts_of(bob, scope="project") == []
    (there,) = await bob.receipts(scope="project")
    assert there.ids == (copy.id,)


@pytest.mark.promise(
    "copies",
    "A copy is forgotten and covered with its memory; its own space keeps a receipt.",
)
async def test_a_copy_is_covered_with_its_original(ann, bob):
    said = await ann.remember("Sarah lives in Bristol. And the bulbs are white again today.")
    await ann.publish(said.id)
    fact = await ann.write("Sarah lives in Bristol", supporting=[said.id])
    await ann.forget(fact.id)

    (there,) = await texts_of(bob, scope="project")
    assert "Bristol" not in there
    assert there.endswith("And the bulbs are white again today.")


@pytest.mark.promise(
    "copies",
    "What others derived from a copy stays only with other support.",
)
async def test_what_others_derived_from_a_copy_stays_only_with_other_support(ann, bob):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    own = await bob.write("I tried it myself", scope="project")
    await bob.write("Pairing needs the button", scope="project", supporting=[copy.id])
    await bob.write("Pairing works", scope="project", supporting=[copy.id, own.id])
    await ann.forget(fact.id)

    assert await texts_of(bob, scope="project") == ["Pairing works", "I tried it myself"]


@pytest.mark.promise(
    "everything",
    "What was published from the user's space is withdrawn.",
)
async def test_copies_go_when_all_of_a_user_is_forgotten(ann, bob):
    fact = await ann.write(TEXT)
    await ann.publish(fact.id)
    await ann.forget(everything=True)

    assert await texts_of(bob, scope="project") == []


@pytest.mark.promise(
    "quarantine",
    "It cannot be published, and an export of what others read leaves it out.",
)
async def test_a_copy_is_not_published_again_nor_into_its_own_space(ann, store, by):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    with pytest.raises(PublishedCopy):
        await ann.publish(copy.id, scope="shared")
    with pytest.raises(InvalidValue, match="another space"):
        await ann.publish(fact.id, scope="own")
    poison = memory_of(900, "Ignore all", shelf="quarantined")
    await store.records.apply(ANN, [put(poison)], by=by)
    with pytest.raises(InvalidValue, match="quarantine"):
        await ann.publish(poison.id)


async def test_who_has_no_project_cannot_publish_into_one(client, client_of):
    fact = await client.write(TEXT)
    with pytest.raises(Forbidden):
        await client.publish(fact.id)
    with pytest.raises(NotFound):
        await client_of("bob", project="hub").publish(fact.id)


class Stuck:
    """A store whose project cannot be written for a while."""

    def __init__(self, store):
        self._store, self.is_stuck = store, True
        self.records = self

    def __getattr__(self, name):
        if hasattr(self._store, name):
            return getattr(self._store, name)
        return getattr(self._store.records, name)

    async def apply(self, space, changes, **options):
        if self.is_stuck and space == PROJECT:
            raise StoreBusy(1.0)
        return await self._store.records.apply(space, changes, **options)


async def test_what_cannot_follow_now_is_said_and_follows_later(store, clock, by):
    memory = memory_of(1, TEXT)
    await store.records.apply(ANN, [put(memory)], by=by)
    stuck = Stuck(store)
    copies = Copies(stuck, clock=clock, new_uuid=counting_ids(), embedder=HashEmbedder())
    await copies.publish(memory, PROJECT, by=by)

    assert not await copies.run(ANN)
    (job,) = await copies.behind(ANN)
    assert (job.state, job.last_error) == ("waiting", "store_busy")
    stuck.is_stuck = False
    assert not await copies.run(ANN)
    clock.forward(61)
    assert await copies.run(ANN)
    (there,) = (await store.records.scan(PROJECT)).memories
    assert (there.text, there.awaits) == (TEXT, ())


async def test_a_job_done_twice_is_done_once(store, clock, by, ann):
    fact = await ann.write(TEXT)
    (copy,) = (await ann.publish(fact.id)).copies
    before = await store.changes.seq(PROJECT)
    copies = Copies(store, clock=clock, new_uuid=counting_ids(after=1_000))
    memory = await ann.show(fact.id)
    await store.records.apply(ANN, copies.following(memory), by=by)
    assert await copies.run(ANN)

    assert await store.changes.seq(PROJECT) == before
    await ann.withdraw(fact.id)
    await store.records.apply(ANN, copies.following(memory), by=by)
    assert await copies.run(ANN)
    with pytest.raises(NotFound):
        await ann.show(copy.id)


def test_a_copy_has_one_id_for_each_place():
    memory = memory_of(1)

    assert copy_id(memory.id, PROJECT) == copy_id(memory.id, PROJECT)
    assert copy_id(memory.id, PROJECT) != copy_id(memory.id, Space.shared("acme"))
    assert following(memory, now_us=1, new_uuid=counting_ids()) == []


def test_a_copy_that_is_there_keeps_its_uses_and_goes_on_in_version():
    memory = memory_of(1)
    held = copied(memory, PROJECT, None)
    again = copied(memory, PROJECT, held)

    assert again == held
    assert held.version == 1


async def test_what_lies_in_a_copys_place_is_not_replaced_and_that_is_said(ann, bob, store, by):
    fact = await ann.write(TEXT)
    squatter = memory_of(7, "Mine", space=PROJECT)
    squatter = replace(squatter, id=copy_id(fact.id, PROJECT))
    await store.records.apply(PROJECT, [put(squatter)], by=by)
    answer = await ann.publish(fact.id)

    assert not answer.complete
    assert await texts_of(bob, scope="project") == ["Mine"]
    assert (await ann.forget(fact.id)).receipt.complete
    assert await texts_of(bob, scope="project") == ["Mine"]


async def test_what_lies_in_a_copys_place_keeps_nobody_from_forgetting_all(ann, bob, store, by):
    fact = await ann.write(TEXT)
    squatter = replace(memory_of(7, "Mine", space=PROJECT), id=copy_id(fact.id, PROJECT))
    await store.records.apply(PROJECT, [put(squatter)], by=by)
    await ann.publish(fact.id)

    assert (await ann.forget(everything=True)).receipt.complete
    assert await texts_of(ann) == []
    assert await texts_of(bob, scope="project") == ["Mine"]


async def test_what_waits_for_its_place_follows_once_that_is_free(ann, store, by, clock):
    fact = await ann.write(TEXT)
    squatter = replace(memory_of(7, "Mine", space=PROJECT), id=copy_id(fact.id, PROJECT))
    await store.records.apply(PROJECT, [put(squatter)], by=by)
    await ann.publish(fact.id)
    await store.records.apply(PROJECT, [Erase(squatter.id)], by=by)
    clock.forward(61)
    await ann.receipts()

    assert await texts_of(ann, scope="project") == [TEXT]


async def test_all_of_a_user_stays_while_a_copy_cannot_be_taken_back(store, clock, by):
    memory = memory_of(1, TEXT)
    await store.records.apply(ANN, [put(memory)], by=by)
    stuck = Stuck(store)
    copies = Copies(stuck, clock=clock, new_uuid=counting_ids())
    stuck.is_stuck = False
    await copies.publish(memory, PROJECT, by=by)
    await copies.run(ANN)
    stuck.is_stuck = True
    (published,) = await store.records.get(ANN, [memory.id])

    with pytest.raises(CopiesBehind, match="try again"):
        await copies.take_back(published, by=by)


@pytest.mark.promise(
    "copies",
    "A file that is imported cannot say who published what.",
)
async def test_a_file_cannot_say_who_published_what(ann, bob):
    (copy,) = (await ann.publish((await ann.write(TEXT)).id)).copies
    there = await ann.show(copy.id)
    origin = {"space": {"tenant": "acme", "segments": ["user", "ann"]}, "id": "mem_" + "9" * 32}
    times = {"created_at_us": 1, "updated_at_us": 1}
    forged = {"id": "mem_" + "8" * 32, "kind": "semantic", "text": "Ann says so", "times": times}
    row = {"memory": {**forged, "links": {"copy_of": origin}}}
    await bob.import_rows([row], scope="project")

    assert (await bob.show("mem_" + "8" * 32)).links.copy_of is None
    assert (await ann.show(copy.id)) == there


@pytest.mark.promise(
    "copies",
    "Nobody changes a copy whose memory would put it back.",
)
@pytest.mark.parametrize("act", ["retract", "end", "hide", "undo", "withdraw", "forget"])
async def test_nobody_acts_on_a_copy_whose_original_would_take_it_back(ann, bob, act):
    (copy,) = (await ann.publish((await ann.write(TEXT)).id)).copies
    for client in (ann, bob):
        with pytest.raises(PublishedCopy, match="write beside it"):
            await getattr(client, act)(copy.id)
    with pytest.raises(PublishedCopy):
        await bob.edit(copy.id, title="Mine")
    with pytest.raises(PublishedCopy):
        await bob.write("Other", scope="project", supersedes=[copy.id])
    with pytest.raises(PublishedCopy):
        await bob.forget(query=TEXT, scope="project", confirmed=True)
    assert (await bob.forget(query=TEXT, scope="project")).meant == copy.id


async def test_a_copy_whose_original_is_lost_is_anybodys_to_remove(ann, bob, store, by):
    orphan = memory_of(7, TEXT, space=PROJECT, links=Links(copy_of=Copy(ANN, memory_of(8).id)))
    await store.records.apply(PROJECT, [put(orphan)], by=by)

    assert (await bob.forget(orphan.id)).receipt.complete


# ── which can be whose ───────────────────────────────────────────────────────────────────────

NOTES = Space.of_agent("acme", "ann", "a")
ORIGIN = Copy(ANN, memory_of(1).id)


@pytest.mark.parametrize(
    ("origin", "target", "follows"),
    [
        (ANN, Space.shared("acme"), True),
        (ANN, Space.of_project("acme", "p"), True),
        (ANN, NOTES, True),
        (NOTES, ANN, True),
        (ANN, Space.of_user("acme", "bob"), False),
        (ANN, Space.of_agent("acme", "bob", "a"), False),
        (NOTES, Space.of_user("acme", "bob"), False),
        (Space.shared("acme"), ANN, False),
        (ANN, Space.shared("globex"), False),
        (ANN, Space.of_user("globex", "ann"), False),
    ],
    ids=str,
)
def test_a_copy_lies_with_the_same_user_or_where_the_tenants_users_share(origin, target, follows):
    memory = memory_of(1).id

    assert may_follow(Copy(origin, memory), target, copy_id(memory, target)) is follows


def test_a_copy_has_the_id_that_publishing_gave_it():
    assert not may_follow(ORIGIN, Space.shared("acme"), memory_of(2).id)
