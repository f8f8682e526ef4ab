"""What every worker can do: copies that follow, vectors that are owed."""

from types import SimpleNamespace

import pytest

from pinyon.care.budget import Budget
from pinyon.care.copies import Copies
from pinyon.care.handlers import consolidating
from pinyon.care.model_proposer import ModelProposer
from pinyon.care.worker import Worker
from pinyon.client import MemoryClient
from pinyon.domain.budget import Limits, next_day_us
from pinyon.domain.space import Space
from pinyon.ports.models import Models
from pinyon.settings import read_settings
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, counting_ids, memory_of, put
from pinyon.testing.scripted_chat import ScriptedChat
from pinyon.wiring import Parts, worker_on
from pinyon.write.keeper import CONSOLIDATE
from pinyon.write.vectors import EMBED

pytestmark = pytest.mark.anyio

ON_EVERY_STORE = True

PROJECT = Space.of_project("acme", "hub")
TEXT = "The hub is a Lumio v2"


@pytest.fixture
def working(store, clock):
    """Return a worker, with a model or without."""
    new_uuid = counting_ids(1 << 50)

    def make(embedder=None, consolidate_every=0) -> Worker:
        settings = read_settings({}, consolidate_every=consolidate_every)
        parts = Parts(store=store, models=Models(embedder=embedder), new_uuid=new_uuid)
        return worker_on(parts, settings, clock=clock)

    return make


async def test_a_copy_that_a_dead_process_left_behind_follows(store, clock, by, working):
    memory = memory_of(1, TEXT)
    await store.records.apply(ANN, [put(memory)], by=by)
    copies = Copies(store, clock=clock, new_uuid=counting_ids())
    await copies.publish(memory, PROJECT, by=by)  # and the process dies

    await working().run_once()

    (there,) = (await store.records.scan(PROJECT)).memories
    assert there.text == TEXT
    assert await copies.behind(ANN) == []


async def test_whoever_publishes_waits_for_a_copy_that_a_worker_has_in_hand(
    store, clock, by, working
):
    memory = memory_of(1, TEXT)
    await store.records.apply(ANN, [put(memory)], by=by)
    copies = Copies(store, clock=clock, new_uuid=counting_ids())
    await copies.publish(memory, PROJECT, by=by)
    job = await store.jobs.lease(ANN, lease_s=60)
    is_held, asked = copies._is_held, []

    async def looked(space):
        asked.append(space)
        if len(asked) == 2:
            await store.jobs.give_back(ANN, job, run_at_us=0)
            await working().run_once()
        return await is_held(space)

    copies._is_held = looked

    assert await copies.run(ANN)
    assert len(asked) == 2


async def test_vectors_that_are_owed_are_made_when_the_model_is_back(
    store, clock, client_of, working
):
    model = HashEmbedder(fails=True)
    client = client_of("ann", models=Models(embedder=model))
    written = await client.write(TEXT)
    assert written.degraded == ("vectors",)
    worker = working(model)
    await worker.run_once()
    job = next(one for one in await store.jobs.list_jobs(ANN) if one.task == EMBED)
    assert (job.task, job.state, job.last_error) == (EMBED, "waiting", "model_unavailable")
    model.fails = False
    clock.forward(60)

    await worker.run_once()

    (memory,) = await store.records.get(ANN, [written.id])
    assert memory.awaits == ()
    assert await store.vectors.serving(ANN) == model.fingerprint
    states = [job.state for job in await store.jobs.list_jobs(ANN) if job.task == EMBED]
    assert states == ["done", "waiting"]  # and that of the schedule


async def test_many_memories_without_vectors_owe_one_job(store, client_of):
    client = client_of("ann", models=Models(embedder=HashEmbedder(fails=True)))
    for number in range(3):
        await client.write(f"{TEXT} {number}")

    assert len(await store.jobs.list_jobs(ANN)) == 1


async def test_a_space_that_another_model_serves_is_left_to_reembed(
    store, clock, client_of, working
):
    model, other = HashEmbedder(), HashEmbedder(name="hash@2")
    await client_of("ann", models=Models(embedder=model)).write(TEXT)
    await working(other).run_once()
    clock.forward(25 * 3600)

    await working(other).run_once()

    assert await store.vectors.serving(ANN) == model.fingerprint
    assert (await store.vectors.lacking(ANN, other.fingerprint)).memories != ()


async def test_without_a_model_vectors_that_are_owed_wait(store, client_of, working):
    await client_of("ann", models=Models(embedder=HashEmbedder(fails=True))).write(TEXT)

    await working().run_once()

    job = next(one for one in await store.jobs.list_jobs(ANN) if one.task == EMBED)
    assert (job.state, job.attempts) == ("waiting", 0)


async def test_what_waits_is_consolidated_at_once_when_it_matters(client, store, working):
    await client.remember("My hub is in the hall")
    assert await store.jobs.list_jobs(ANN) == []
    await client.remember("Always answer me in metric units")
    (job,) = await store.jobs.list_jobs(ANN)

    await working(consolidate_every=20).run_once()

    assert (job.task, job.priority) == (CONSOLIDATE, "high")
    assert await store.records.pending(ANN, "consolidation") == []
    assert [one.state for one in await store.jobs.list_jobs(ANN, state="done")] == ["done"]


async def test_what_waits_is_consolidated_when_it_is_much(client, store, working):
    for number in range(20):
        assert len(await store.records.pending(ANN, "consolidation")) == number
        await client.remember(f"I have a lamp in room {number}")
        await working(consolidate_every=20).run_once()

    assert await store.records.pending(ANN, "consolidation") == []
    made = await client.list(kinds=["semantic"])
    assert {act.surface for act in (await client.history(made.memories[0].id)).acts} == {"worker"}


async def test_where_the_day_is_spent_what_waits_waits_for_the_next_one(client, store, clock):
    await client.remember("Always answer me in metric units")
    (job,) = await store.jobs.list_jobs(ANN)
    budget = Budget(store.budgets, Limits(calls=0), clock=clock)
    proposer = ModelProposer(ScriptedChat([]), budget=budget)
    asking = MemoryClient(
        store, client.principal, clock=clock, new_uuid=counting_ids(1 << 41), proposer=proposer
    )
    task = consolidating(lambda _space: asking, clock=clock)
    worker = Worker(
        store,
        {CONSOLIDATE: task},
        clock=clock,
        new_uuid=counting_ids(1 << 40),
        chance=lambda: 0.5,
    )

    await worker.run_once()

    (waiting,) = await store.jobs.list_jobs(ANN)
    assert (waiting.id, waiting.state) == (job.id, "waiting")
    assert waiting.run_at_us == next_day_us(clock.now_us())
    assert len(await store.records.pending(ANN, "consolidation")) == 1


async def test_between_its_parts_a_long_job_rests_where_requests_go_first(
    client, store, clock, monkeypatch
):
    rested = []

    async def sleep(seconds):
        rested.append(seconds)

    for number in range(45):
        await client.remember(f"I have a lamp in room {number}")
    task = consolidating(lambda _space: client, clock=clock, rests=9.0)
    monkeypatch.setattr("pinyon.care.handlers.anyio.sleep", sleep)
    await task.handler(SimpleNamespace(space=ANN))

    assert await store.records.pending(ANN, "consolidation") == []
    assert len(rested) == 2
    assert all(seconds > 0 for seconds in rested)
