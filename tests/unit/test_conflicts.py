"""What may say otherwise is named in the answer of a write, and never touched."""

import pytest

from pinyon.domain.change import PutVectors
from pinyon.domain.draft import Draft
from pinyon.errors import OtherModel
from pinyon.ports.models import Models
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import memory_of
from pinyon.write.conflicts import NAMED_MAX, Conflicts, Said, may_conflict
from pinyon.write.keeper import CONFLICTS_FOR

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Sarah lives in Edinburgh", "Sarah lives in Bristol"),
        ("Sarah has a Hub v3", "Sarah has a Hub v2"),
        ("Device A is a fnos NAS", "Device A is a Synology NAS"),
        ("autocommit=true in db-config", "autocommit=false in db-config"),
        ("I hate Chinese food", "I love Chinese food"),
        ("Sarah is not allergic to nuts", "Sarah is allergic to nuts"),
        ("Sarah isn’t allergic to nuts", "Sarah is allergic to nuts"),
        ("萨拉住在爱丁堡", "萨拉住在布里斯托"),
        ("萨拉没有养狗", "萨拉养狗"),
    ],
)
def test_two_texts_about_the_same_that_differ_may_conflict(new, old):
    assert may_conflict(Said.by(memory_of(1, new)), memory_of(2, old), None)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Sarah lives in Edinburgh", "sarah lives in Edinburgh."),
        ("Sarah lives in Edinburgh", "The dog chews cables"),
        ("Sarah lives in Edinburgh near the park", "Sarah lives in Edinburgh"),
        ("Sarah lives in Edinburgh", "We moved to Edinburgh last week"),
        ("Ann administers Acme's GitHub org", "Ann works at Acme as CTO"),
    ],
)
def test_what_agrees_or_only_adds_does_not(new, old):
    assert not may_conflict(Said.by(memory_of(1, new)), memory_of(2, old), None)


def test_what_is_near_in_meaning_counts_although_no_word_is_shared():
    new, old = memory_of(1, "Her hound is a beagle"), memory_of(2, "The dog is a poodle")

    assert may_conflict(Said.by(new), old, 0.95)
    assert not may_conflict(Said.by(new), old, 0.7)


@pytest.mark.promise(
    "standing",
    "Nothing is superseded that was not named; what may say otherwise is named in the "
    "answer of a write and left as it is.",
)
async def test_the_answer_names_them_and_leaves_them_alone(client):
    old = await client.write("Sarah lives in Bristol")
    said = await client.remember("Sarah lives in London, I think")
    other = await client.write("The dog chews cables")
    before = await client.show(old.id)
    new = await client.write("Sarah lives in Edinburgh")

    assert set(new.possible_conflicts) == {old.id, said.id}
    assert other.id not in new.possible_conflicts
    assert await client.show(old.id) == before


async def test_what_the_writer_named_is_not_named_again(client):
    old = await client.write("Sarah lives in Bristol")
    said = await client.remember("Sarah lives in Edinburgh now, really", session="s1")
    new = await client.write("Sarah lives in Edinburgh", session="s1", supersedes=[old.id])

    assert said.id not in new.possible_conflicts
    assert old.id not in new.possible_conflicts


@pytest.mark.parametrize("act", ["retract", "hide", "end"])
async def test_what_stands_aside_conflicts_with_nothing(client, clock, act):
    old = await client.write("Sarah lives in Bristol")
    await getattr(client, act)(old.id)
    clock.forward(1)

    assert (await client.write("Sarah lives in Edinburgh")).possible_conflicts == ()


async def test_procedures_conflict_with_procedures_only(client):
    await client.write("Reset the hub by its button")
    old = await client.write("Reset the hub by the app", kind="procedural")
    new = await client.write("Reset the hub by the switch", kind="procedural")

    assert new.possible_conflicts == (old.id,)


async def test_episodes_and_catalog_entries_conflict_with_nothing(client):
    await client.write("Sarah lives in Bristol")
    said = await client.remember("Sarah lives in Edinburgh")
    entry = await client.write("Sarah lives in Leeds", kind="catalog")

    assert (said.possible_conflicts, entry.possible_conflicts) == ((), ())


async def test_a_few_are_named_and_of_many_writes_none(client):
    for number in range(12):
        await client.write(f"Sarah lives in town number {number}")
    new = await client.write("Sarah lives in town number ninety")
    many = await client.write_many(
        [Draft(text=f"Sarah lives in city {n}") for n in range(CONFLICTS_FOR + 1)]
    )

    assert len(new.possible_conflicts) == NAMED_MAX
    assert {one.possible_conflicts for one in many} == {()}


class Everything(HashEmbedder):
    """A model to which all texts mean the same."""

    async def embed(self, texts):
        return [(await super(Everything, self).embed(["same"]))[0] for _ in texts]


async def test_with_a_model_meaning_finds_them_too(client_of):
    client = client_of(models=Models(embedder=Everything()))
    old = await client.write("The dog is a poodle")
    new = await client.write("Her hound turned out beagle")

    assert new.possible_conflicts == (old.id,)


async def test_another_models_vectors_are_left_alone(client_of, store):
    client = client_of(models=Models(embedder=HashEmbedder()))
    await client.write("Sarah lives in Bristol")
    (memory,) = (await client.list()).memories

    class Other:
        def __getattr__(self, name):
            return getattr(store.search, name)

        async def dense(self, space, *_args, **_options):
            raise OtherModel(str(space), serving="a", asked="b")

    vectors = PutVectors(memory.id, "b", {0: b"\0" * 4}, 1)
    new = memory_of(900, "Sarah lives in Leeds")
    found = await Conflicts(store.records, Other()).of(new, vectors, known=frozenset())

    assert found == (memory.id,)
