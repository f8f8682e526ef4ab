"""What a file, a key or a conversation says of others gives no power over them."""

import pytest

from isolation.canaries import client_of, open_home
from isolation.checking import everything_in
from isolation.principals import PRINCIPALS, own_of
from pinyon.domain.ids import MemoryId
from pinyon.domain.principal import Principal
from pinyon.domain.question import RecallContext
from pinyon.write.copies import copy_id

pytestmark = pytest.mark.anyio

JOHN = PRINCIPALS[0]
MINE = "mem_" + "1" * 32
VICTIMS = [
    Principal.of_home(tenant="acme", user="john-doe"),
    Principal.of_home(tenant="acme-corp", user="john_doe"),
]
ACTS = {
    "withdraw": lambda client: client.withdraw(MINE),
    "retract": lambda client: client.retract(MINE),
    "edit": lambda client: client.edit(MINE, title="Mine"),
    "forget": lambda client: client.forget(MINE),
    "hide": lambda client: client.hide(MINE),
}


@pytest.fixture
async def store(home):
    opened = open_home(home)
    yield opened
    await opened.close()


def row(text="I was here", memory=MINE, **links):
    times = {"created_at_us": 1, "updated_at_us": 1}
    return {"memory": {"id": memory, "kind": "semantic", "text": text, "times": times, **links}}


def claiming(space, *ids):
    named = {"tenant": space.tenant, "segments": list(space.segments)}
    return row(links={"copies": [{"space": named, "id": one} for one in ids]})


@pytest.mark.promise(
    "isolation",
    "A row of an import that claims another's memory as its copy does nothing to it.",
)
@pytest.mark.parametrize("victim", VICTIMS, ids=lambda victim: victim.tenant)
@pytest.mark.parametrize("act", ACTS)
async def test_a_row_that_claims_anothers_memory_as_its_copy_does_nothing_to_it(
    home, store, world, victim, act
):
    space = own_of(victim)
    held = world.spaces[space].ids["active"]
    before = await everything_in(home, [space])
    client = client_of(store, JOHN)
    await client.import_rows([claiming(space, held, copy_id(MemoryId(MINE), space))])

    await ACTS[act](client)

    assert await everything_in(home, [space]) == before


async def test_a_row_that_claims_the_id_of_what_another_published_does_not_change_the_copy(
    store, world
):
    victim = VICTIMS[0]
    published = world.spaces[own_of(victim)].ids["published in shared"]
    reader = client_of(store, victim)
    copy = await reader.show(copy_id(MemoryId(published), victim.space("shared")))
    client = client_of(store, JOHN)
    await client.import_rows([row(memory=published)])

    await client.publish(published, scope="shared")
    await client.retract(published)
    await client.withdraw(published)
    await client.forget(published)

    assert await reader.show(copy.id) == copy


async def test_a_key_of_another_is_not_known_in_a_space_of_both(store):
    one, other = (client_of(store, who) for who in (JOHN, VICTIMS[0]))
    first = await one.write("The hub stands in the hall", scope="shared", key="k")

    second = await other.write("The hub is a v2", scope="shared", key="k")
    again = await one.write("The hub stands in the hall", scope="shared", key="k")

    assert second.created
    assert again.id == first.id


@pytest.mark.promise(
    "receipts",
    "Of what is shared it names nobody's conversations.",
)
async def test_who_forgets_what_is_shared_learns_no_name_of_anothers_conversation(store):
    one, other = (client_of(store, who) for who in (JOHN, VICTIMS[0]))
    written = await one.write("The hub stands in the cellar", scope="shared")
    context = RecallContext(session="about my divorce")
    await one.recall("where in the cellar is the hub?", given=True, context=context)
    await one.close()

    forgotten = await other.forget(written.id)

    assert forgotten.receipt.sessions == ()


async def test_who_forgets_what_is_ones_own_learns_to_which_conversation_it_was_given(store):
    client = client_of(store, JOHN)
    written = await client.write("The hub stands in the cellar")
    context = RecallContext(session="about the house")
    await client.recall("where in the cellar is the hub?", given=True, context=context)

    forgotten = await client.forget(written.id)

    assert forgotten.receipt.sessions == ("about the house",)


async def test_what_is_withdrawn_goes_from_where_it_was_published_and_from_there_alone(
    home, store, world
):
    victim = VICTIMS[0]
    held = world.spaces[own_of(victim)]
    others = [space for space in world.spaces if space not in victim.writes]
    before = await everything_in(home, others)
    client = client_of(store, victim)

    withdrawn = await client.withdraw(held.ids["published in shared"])

    assert withdrawn.complete
    assert [copy.space for copy in withdrawn.copies] == [victim.space("shared")]
    assert await everything_in(home, others) == before
