"""Grants: what is shared is open to its tenant until somebody is granted something there."""

import pytest

from pinyon.domain.draft import Draft
from pinyon.domain.space import Space
from pinyon.errors import Forbidden, InvalidName, InvalidValue, NotFound
from pinyon.operating import Operator
from pinyon.testing.makers import counting_ids

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

HUB, SHARED = Space.of_project("acme", "hub"), Space.shared("acme")


@pytest.fixture
def operator(store, clock):
    return Operator(store, clock=clock, new_uuid=counting_ids())


@pytest.fixture
def ann(client_of):
    return client_of("ann", project="hub")


@pytest.fixture
def bob(client_of):
    return client_of("bob", project="hub")


async def test_without_a_grant_it_is_open_to_all_of_the_tenant(ann, bob):
    await ann.write("The hub is v2", scope="project")

    assert [h.memory.text for h in (await bob.recall("which hub?")).hits] == ["The hub is v2"]
    assert (await bob.write("The hub is white", scope="project")).created


@pytest.mark.promise(
    "isolation",
    "From the first grant on, a shared space is closed to whoever has none.",
)
async def test_from_the_first_grant_on_it_is_closed_to_others(operator, ann, bob):
    fact = await ann.write("The hub is v2", scope="project")
    await operator.grant(HUB, "ann")

    answer = await bob.recall("which hub?")
    assert (answer.hits, HUB in answer.trace.spaces) == ((), False)
    assert (await ann.recall("which hub?")).hits
    for call in (
        lambda: bob.write("mine", scope="project"),
        lambda: bob.write_many([Draft(text="mine")], scope="project"),
        lambda: bob.list(scope="project"),
        lambda: bob.receipts(scope="project"),
        lambda: bob.import_rows([], scope="project"),
        lambda: bob.forget(session="s", scope="project"),
        lambda: bob.list_catalog(scope="project"),
        lambda: anext(bob.export(scope="project")),
    ):
        with pytest.raises(Forbidden):
            await call()
    for call in (bob.show, bob.history, bob.retract, bob.forget):
        with pytest.raises(NotFound):
            await call(fact.id)


async def test_who_may_read_may_not_write(operator, ann, bob):
    fact = await ann.write("The hub is v2", scope="project")
    await operator.grant(HUB, "bob", "read")
    await operator.grant(HUB, "ann")

    assert (await bob.recall("which hub?", given=True)).hits
    assert len((await bob.list(scope="project")).memories) == 1
    assert len([row async for row in bob.export(scope="project")]) == 1
    with pytest.raises(Forbidden):
        await bob.write("mine", scope="project")
    with pytest.raises(Forbidden):
        await bob.edit(fact.id, title="mine")
    with pytest.raises(NotFound):
        await bob.forget(fact.id)
    own = await bob.write("Bob's own")
    with pytest.raises(Forbidden):
        await bob.publish(own.id)


@pytest.mark.promise("isolation", "A grant that is taken back is gone at the next call.")
async def test_a_grant_that_is_taken_back_is_gone_at_once(operator, ann, bob):
    await operator.grant(SHARED, "ann")
    await operator.grant(SHARED, "bob", "read")
    await ann.write("The office is open", scope="shared")
    assert (await bob.recall("office")).hits

    await operator.revoke(SHARED, "bob")
    assert (await bob.recall("office")).hits == ()
    await operator.revoke(SHARED, "ann")
    assert (await bob.recall("office")).hits
    with pytest.raises(NotFound):
        await operator.revoke(SHARED, "ann")


async def test_names_are_exact(operator, ann, client_of):
    await operator.grant(HUB, "an_")

    for user in ("ann", "Ann", "%", "an"):
        with pytest.raises(Forbidden):
            await client_of(user, project="hub").write("mine", scope="project")
    assert (await client_of("an_", project="hub").write("mine", scope="project")).created


async def test_another_tenants_project_of_that_name_is_another(operator, client_of):
    await operator.grant(HUB, "ann")

    assert (await client_of("bob", tenant="globex", project="hub").write("x", scope="project")).id


async def test_what_can_be_granted(operator):
    with pytest.raises(InvalidValue, match="space"):
        await operator.grant(Space.of_user("acme", "ann"), "bob")
    with pytest.raises(InvalidValue, match="permission"):
        await operator.grant(HUB, "bob", "own")
    with pytest.raises(InvalidName):
        await operator.grant(HUB, " ")
    assert await operator.grants() == ()
