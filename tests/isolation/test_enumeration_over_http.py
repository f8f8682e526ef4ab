"""What holds of the embedded client holds over HTTP, down to the bytes of every response."""

from dataclasses import replace
from itertools import product

import pytest

from isolation.canaries import open_home
from isolation.checking import (
    Answered,
    Outcome,
    Prober,
    alike,
    everything_in,
    grouped,
    probe_together,
)
from isolation.over_http import WAYS, Served, held_by, over_http
from isolation.principals import PRINCIPALS
from isolation.probes import call
from pinyon.domain.space import Space
from pinyon.errors import NotFound
from pinyon.ports.client import OPERATIONS

pytestmark = pytest.mark.anyio

PARTS = 4
PROBES = 20_000
EACH = 490
"""So many of each principal are `PROBES` and more."""
MOST = 395
"""Calls of each principal; their twins come on top."""
USERS = grouped(PRINCIPALS)
JOHN = PRINCIPALS[0]


def part_of(number):
    return [principal for user in USERS[number::PARTS] for principal in user]


@pytest.fixture
async def store(home):
    opened = open_home(home)
    yield opened
    await opened.close()


@pytest.fixture
async def served(store, models):
    serving = Served(store, models)
    yield serving
    await serving.close()


async def test_every_way_in_leads_to_ones_own_spaces(served):
    for principal, way in product(PRINCIPALS, range(WAYS)):
        holder, names = held_by(principal, way)
        async with served.client(await served.key(**holder), names) as client:
            who = client.principal

        assert replace(who, role="user", credential_id="") == principal
        assert who.role == holder["role"]


@pytest.mark.promise(
    "isolation",
    "Over HTTP as well 20,000 calls show nothing of another's, in no byte of a response, and "
    "change nothing of it.",
)
@pytest.mark.parametrize("number", range(PARTS))
async def test_no_byte_of_a_response_is_anothers(home, world, models, number):
    principals = part_of(number)
    writable = {space for principal in principals for space in principal.writes}
    bystanders = [space for space in world.spaces if space not in writable]
    before = await everything_in(home, bystanders)

    report = await probe_together(
        home, world, principals, [5], models=models, most=MOST, over=over_http
    )

    assert report.leaks == []
    assert report.operations.keys() == {operation.name for operation in OPERATIONS}
    assert report.answers > 1_000
    assert report.refusals > 2_000
    assert report.probes >= EACH * len(principals)
    assert EACH * len(PRINCIPALS) >= PROBES
    assert await everything_in(home, bystanders) == before


@pytest.mark.promise(
    "isolation",
    "Over HTTP as well what is another's is answered like what never was, to the letter.",
)
@pytest.mark.parametrize("number", [0, 28])
async def test_in_a_quiet_home_anothers_and_none_are_answered_in_the_same_letters(
    store, world, models, number
):
    async with over_http(store, PRINCIPALS[: number + 1], models) as opened:
        prober = Prober(world, opened)
        await prober.round(PRINCIPALS[number], 3, most=200, quiet=True)

    assert prober.report.leaks == []


# ── the checker sees ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("operation", ["list", "export", "core_facts", "receipts"])
async def test_a_key_that_opened_anothers_memory_would_be_caught(served, world, operation):
    held = Space.of_user("acme", "john-doe")
    key = await served.key("user", tenant="acme", user=held.segments[-1])
    prober = Prober(world, lambda _: served.client(key, {}))
    await prober.probe(served.client(key, {}), operation, call(), asker=JOHN)

    assert prober.report.leaks


@pytest.mark.parametrize("differs", ["status", "headers", "body"])
def test_a_problem_that_told_anothers_from_none_would_be_caught(differs):
    answered = Answered(status=404, headers=(("age", "0"),), body="{}", request_id="5f")
    other = {"status": 403, "headers": (("age", "1"),), "body": "{ }"}
    error = NotFound("mem_1")
    outcomes = [
        Outcome(None, error, "", (one,))
        for one in (answered, replace(answered, **{differs: other[differs]}))
    ]

    assert not alike(*outcomes, ("mem_1", "mem_1"))
    assert alike(outcomes[0], outcomes[0], ("mem_1", "mem_1"))
