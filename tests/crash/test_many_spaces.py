"""Many spaces, few of them open at once."""

import anyio
import pytest

import pinyon
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock

pytestmark = pytest.mark.anyio

BY = Actor("acme/user/ann", "test")


async def test_ten_spaces_are_used_at_once_while_only_two_may_be_open(home):
    store = SqliteStore(home, clock=SystemClock(), durable=False, spaces_open_max=2)
    seen = {}

    async def use(user):
        space = Space.of_user("acme", user)
        for number in range(1, 21):
            memory = memory_of(number, f"{user} has bulb {number}", space=space)
            await store.records.apply(space, [put(memory)], by=BY)
            page = await store.records.scan(space)
            assert len(page.memories) == number
        seen[user] = {memory.text.split()[0] for memory in page.memories}

    users = [f"user-{number}" for number in range(10)]
    async with anyio.create_task_group() as group:
        for user in users:
            group.start_soon(use, user)
    await store.close()

    assert seen == {user: {user} for user in users}


async def test_a_hundred_spaces_are_made_and_listed(home):
    spaces = sorted(str(Space.of_user("acme", f"user-{number}")) for number in range(100))
    store = SqliteStore(home, clock=SystemClock(), durable=False, spaces_open_max=16)
    for space in map(Space.parse, spaces):
        await store.records.apply(space, [put(memory_of(1, space=space))], by=BY)
    await store.close()
    async with pinyon.operate(home) as operator:
        listed = await operator.spaces()

    assert [str(info.space) for info in listed] == spaces
