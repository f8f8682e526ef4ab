"""Nobody sees what is another's, whatever is asked of whichever operation."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

import anyio
import pytest

from isolation.canaries import client_of, open_home
from isolation.checking import Prober, Report, everything_in, grouped, probe_together
from isolation.principals import COMPOSED, DECOMPOSED, LOOKALIKES, PRINCIPALS, own_of
from isolation.probes import GENERATORS, Case, call, swap
from pinyon.domain.principal import Principal
from pinyon.domain.space import Space
from pinyon.ports.client import OPERATIONS

pytestmark = pytest.mark.anyio

PARTS = 8
PROBES = 20_000
USERS = grouped(PRINCIPALS)
JOHN = PRINCIPALS[0]
READS = [operation.name for operation in OPERATIONS if operation.permission == "read"]


def part_of(number, parts=PARTS):
    return [principal for user in USERS[number::parts] for principal in user]


def writable_by(principals):
    return {space for principal in principals for space in principal.writes}


def run_elsewhere(home, world, principals, models):
    return anyio.run(partial(probe_together, home, world, principals, [2], models=models))


# ── the list is whole ────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "Over 20,000 calls of every operation by more than forty principals show nothing of "
    "another's and change nothing of it.",
)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_is_probed(operation, world, random):
    assert operation.name in GENERATORS
    assert list(GENERATORS[operation.name](Case(world, JOHN, random)))


def test_nothing_else_is_probed():
    assert set(GENERATORS) <= {operation.name for operation in OPERATIONS}


def test_the_principals_are_many_and_nearly_the_same(world):
    assert len(PRINCIPALS) >= 40
    assert {p.user for p in PRINCIPALS if p.tenant == "acme"} == {*LOOKALIKES} - {DECOMPOSED}
    assert len({p.tenant for p in PRINCIPALS}) == 10
    assert len(world.spaces) >= 50


def test_a_name_in_two_unicode_forms_is_one_user():
    composed, decomposed = (
        Principal.of_home(tenant="acme", user=u) for u in (COMPOSED, DECOMPOSED)
    )

    assert COMPOSED != DECOMPOSED
    assert composed == decomposed


# ── nobody sees, and nobody changes ──────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "Over 20,000 calls of every operation by more than forty principals show nothing of "
    "another's and change nothing of it.",
)
@pytest.mark.parametrize("number", range(PARTS))
async def test_nothing_of_others_is_seen_or_changed(home, world, models, number):
    principals = part_of(number)
    bystanders = [space for space in world.spaces if space not in writable_by(principals)]
    before = await everything_in(home, bystanders)

    report = await probe_together(home, world, principals, [1], models=models)

    assert report.leaks == []
    assert report.answers > 500
    assert report.refusals > 1_000
    assert report.probes >= PROBES / PARTS  # so that all parts are `PROBES` or more
    assert await everything_in(home, bystanders) == before


async def test_two_processes_that_probe_at_once_see_nothing(home, world, models):
    here, there = part_of(0, 12), part_of(5, 12)
    bystanders = [space for space in world.spaces if space not in writable_by([*here, *there])]
    before = await everything_in(home, bystanders)
    report = Report()

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        other = processes.submit(run_elsewhere, home, world, there, models)
        report.add(await probe_together(home, world, here, [2], models=models))
        report.add(await anyio.to_thread.run_sync(other.result))

    assert report.leaks == []
    assert report.probes > 2_000
    assert await everything_in(home, bystanders) == before


@pytest.mark.promise(
    "isolation",
    "What is another's is answered like what never was.",
)
@pytest.mark.parametrize("number", [0, 27, 31, 36])
async def test_in_a_quiet_home_anothers_and_none_are_answered_wholly_alike(
    home, world, models, number
):
    store = open_home(home)
    prober = Prober(world, partial(client_of, store, models=models))
    await prober.round(PRINCIPALS[number], 3, quiet=True)
    await store.close()

    assert prober.report.leaks == []


@pytest.mark.promise(
    "everything",
    "No space to which the user may not write changes by it, not even its journal.",
)
async def test_whoever_has_everything_forgotten_has_only_ones_own_forgotten(home, world, models):
    johns = [principal for principal in PRINCIPALS if own_of(principal) == own_of(JOHN)]
    theirs = {space for john in johns for space in john.reads if space.segments[0] == "user"}
    # His copies are withdrawn from what he shares with others.
    others = [space for space in world.spaces if space not in writable_by(johns)]
    before = await everything_in(home, others)
    store = open_home(home)

    answer = await client_of(store, JOHN, models).forget(everything=True)
    await store.close()

    assert answer.receipt.complete
    assert answer.counts["spaces"] == len(theirs) == 3
    assert await everything_in(home, others) == before
    left = await everything_in(home, sorted(theirs))
    assert all(memories.memories == () for _, memories, *_ in left.values())


async def test_each_space_says_only_its_own_users_changed_it(home, world, models):
    principals = part_of(3)
    await probe_together(home, world, principals, [4], models=models)
    store = open_home(home)
    strangers = []
    for space in world.spaces:
        entries = await store.journal.entries(space, limit=100_000)
        actors = {entry.actor.split(" (")[0] for entry in entries} - {"keeper", "pinyon"}
        if space.segments[0] == "user":
            strangers += actors - {str(Space(space.tenant, space.segments[:2]))}
        else:
            strangers += [one for one in actors if not one.startswith(f"{space}".split("/")[0])]
    await store.close()

    assert strangers == []


# ── the checker sees ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("operation", "probe"),
    [
        ("recall", lambda _: call("which lamp belongs to the blue hub?", k=50)),
        ("show", call),
        ("history", call),
        ("why_not", lambda named: call(named, "which lamp belongs to the hub?")),
        ("publish", lambda named: call(named, scope="shared")),
        ("retract", call),
    ],
)
async def test_a_store_that_let_one_see_anothers_would_be_caught(
    home, world, models, random, operation, probe
):
    held = world.spaces[Space.of_user("acme", "john-doe")]
    reads = (*JOHN.reads, held.space)
    store = open_home(home)
    prober = Prober(world, partial(client_of, store, models=models))
    client = client_of(store, replace(JOHN, reads=reads, writes=reads), models)
    case = Case(world, JOHN, random)
    tried = swap(probe, held.ids["active"], f"mem_{case.never()}")
    await prober.probe(client, operation, tried, asker=JOHN)
    await store.close()

    assert prober.report.leaks


@pytest.mark.parametrize("operation", ["list", "export", "receipts", "forget"])
async def test_a_client_of_another_would_be_caught(home, world, models, operation):
    held = world.spaces[Space.of_user("acme", "john-doe")]
    other = next(one for one in PRINCIPALS if own_of(one) == held.space)
    probe = call(query="first lamp") if operation == "forget" else call()
    store = open_home(home)
    prober = Prober(world, partial(client_of, store, models=models))
    await prober.probe(client_of(store, other, models), operation, probe, asker=JOHN)
    await store.close()

    assert prober.report.leaks


async def test_an_error_that_told_anothers_from_none_would_be_caught(home, world, models, random):
    held = world.spaces[Space.of_user("acme", "john-doe")]
    case = Case(world, JOHN, random)
    store = open_home(home)
    prober = Prober(world, partial(client_of, store, models=models))
    other = next(one for one in PRINCIPALS if own_of(one) == held.space)
    probe = replace(call(held.ids["active"]), twin=call(f"mem_{case.never()}"))
    await prober.probe(client_of(store, other, models), "show", probe)
    await store.close()

    assert any("told from what never was" in leak for leak in prober.report.leaks)
