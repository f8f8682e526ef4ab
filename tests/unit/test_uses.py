"""Uses: what was given to a model counts, gathered in batches; looking does not."""

import pytest

from pinyon.domain.question import RecallContext
from pinyon.errors import InvalidValue, StoreReadOnly
from pinyon.testing.makers import ANN
from pinyon.write.uses import CHANGES_MAX, GATHERED_FOR_US, GATHERED_MAX, Uses

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True


@pytest.fixture
async def hub(client):
    return (await client.write("zigbee hub")).id


async def uses_of(client, memory_id):
    return (await client.show(memory_id)).counts.uses


@pytest.mark.looks_inside
async def test_looking_counts_nothing(client, hub):
    await client.recall("zigbee")
    await client.why_not(hub, "zigbee")
    await client.close()

    assert client._uses._gathered == []


@pytest.mark.looks_inside
async def test_what_is_given_is_gathered_and_written_when_it_is_closed(client_of, store, hub):
    client = client_of()
    context = RecallContext(session="s9")
    for _ in range(3):
        await client.recall("zigbee", given=True, context=context)
    (before,) = await store.records.get(ANN, [hub])

    await client._uses.flush()

    (after,) = await store.records.get(ANN, [hub])
    assert (before.counts.uses, after.counts.uses) == (0, 3)
    assert {one.session for one in await store.exposures.given(ANN, hub)} == {"s9"}
    assert after.version == before.version


async def test_many_are_written_at_once(client, hub):
    for _ in range(GATHERED_MAX):
        await client.recall("zigbee", given=True)

    assert await uses_of(client, hub) == GATHERED_MAX


async def test_a_while_later_the_next_one_takes_them_along(client, clock, hub):
    await client.recall("zigbee", given=True)
    clock.forward(GATHERED_FOR_US / 1_000_000)
    await client.recall("zigbee", given=True)

    assert await uses_of(client, hub) == 2


@pytest.mark.looks_inside
async def test_nothing_found_is_nothing_given(client):
    await client.recall("zigbee", given=True)

    assert client._uses._gathered == []


class Unwritable:
    async def apply(self, space, changes, *, by):
        raise StoreReadOnly("/home", "read-only")


async def test_a_store_that_cannot_be_written_keeps_nobody_from_reading(client, clock, by, hub):
    uses = Uses(Unwritable(), clock=clock, by=by)
    memory = await client.show(hub)

    await uses.note([memory] * (CHANGES_MAX + 50), session="")

    assert len(uses._gathered) == CHANGES_MAX


@pytest.mark.parametrize("given", ["false", "yes", 1, None, []])
async def test_what_is_neither_yes_nor_no_counts_nothing(client, given):
    fact = await client.write("The hub is blue")

    with pytest.raises(InvalidValue, match="given"):
        await client.recall("hub", given=given)
    assert (await client.show(fact.id)).counts.uses == 0
