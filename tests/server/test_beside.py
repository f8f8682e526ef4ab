"""What a server does beside the requests: it writes what was gathered, and ends what is due."""

import gc
import logging

import anyio
import apsw
import pytest

from pinyon.domain.change import Enqueue
from pinyon.domain.credential import Holder
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.observing.metrics import Metrics
from pinyon.stores.sqlite import connection
from pinyon.surfaces import server
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import at_work, beside, serving_from
from pinyon.testing import FrozenClock
from pinyon.wiring import serve_home
from pinyon.write.copies import FOLLOW
from server.conftest import Desk, httpx2

pytestmark = pytest.mark.anyio

DAY_S = 24 * 60 * 60
GIFT = {"text": "Sarah looks for a red bicycle for Bob", "session": "gift"}
PATIENCE_S = 10


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
async def hurried(settings, clock, monkeypatch):
    """Give a server beside which everything is done again and again."""
    monkeypatch.setattr(server, "FLUSHED_EVERY_S", 0.01)
    monkeypatch.setattr(server, "ENDED_EVERY_S", 0.01)
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 20)
    monkeypatch.setattr(connection, "BUSY_GIVE_UP_S", 0.05)
    served = serve_home(settings, clock=clock)
    keys = {
        user: (await served.keyring.create(Holder.of("user", tenant="acme", user=user)))[1]
        for user in ("sarah", "tom")
    }
    shared = serving_from(served, settings)
    app = rest_app(shared)
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://localhost"
    ) as http:
        yield Desk(http, keys, app, served, [], shared)
    await served.base.close()


def running(desk):
    return beside(desk.serving, desk.served, Metrics())(desk.app)


async def until(holds):
    with anyio.fail_after(PATIENCE_S):
        while not await holds():  # noqa: ASYNC110 - nothing tells when
            await anyio.sleep(0.01)


@pytest.fixture
async def gifts(hurried):
    """Let Sarah and Tom say something in a temporary session; give what is held of it."""
    for user in ("sarah", "tom"):
        asked = {"session": "gift", "mode": "temporary"}
        await hurried.ask("POST", "/v1/sessions", asked, role=user)
        await hurried.ask("POST", "/v1/memory/events", GIFT, role=user)

    async def held(user):
        # Below the client, whose use would end what is due by itself.
        space = next(
            one
            for one in await hurried.served.store.registry.spaces()
            if str(one) == f"acme/user/{user}"
        )
        return len((await hurried.served.store.records.scan(space, limit=9)).memories)

    return held


@pytest.mark.promise("temporary", "A server ends a temporary session that is due, unasked.")
async def test_a_session_that_is_due_is_ended_unasked(hurried, gifts, clock):
    async with running(hurried):
        await anyio.sleep(0.1)
        before = [await gifts("sarah"), await gifts("tom")]
        clock.forward(DAY_S)
        await until(lambda: are_gone(gifts, "sarah", "tom"))

    assert before == [1, 1]


async def test_a_space_that_is_held_keeps_no_other_session_from_its_end(
    hurried, gifts, clock, settings, caplog
):
    held_by = {}
    for path in settings.home.glob("spaces/??/*.db"):
        opened = apsw.Connection(str(path))
        held_by[opened.execute("SELECT space FROM meta").fetchone()[0]] = opened
    held = held_by["acme/user/sarah"]
    held.execute("BEGIN IMMEDIATE")
    clock.forward(DAY_S)
    with caplog.at_level(logging.WARNING, "pinyon.server"):
        async with running(hurried):
            await until(lambda: are_gone(gifts, "tom"))
            lives = (await hurried.ask("GET", "/healthz", role=None)).status_code
            kept = await gifts("sarah")
            await until(lambda: is_told(caplog))
            held.execute("ROLLBACK")
            await until(lambda: are_gone(gifts, "sarah"))
    for one in held_by.values():
        one.close()

    assert (lives, kept) == (200, 1)
    told = {record.getMessage() for record in caplog.records}
    assert "put off: store_busy" in told
    # The worker looks at the space too, if its turn comes while that is held.
    assert told <= {"put off: store_busy", "a space was not looked at: store_busy"}


async def are_gone(held, *users):
    return not any([await held(user) for user in users])


async def is_told(caplog):
    return bool(caplog.records)


async def test_uses_and_when_a_key_was_used_are_written(hurried, clock):
    kept = (
        await hurried.ask("POST", "/v1/memory", {"text": "Sarah has a dog"}, role="sarah")
    ).json()
    asked = {"query": "a dog?", "given": True}
    async with running(hurried):
        await hurried.ask("POST", "/v1/memory/search", asked, role="sarah")

        async def is_written():
            keys = await hurried.served.operator.list_keys()
            shown = await hurried.ask("GET", f"/v1/memory/{kept['id']}", role="sarah")
            return keys[0].last_used_at_us is not None and shown.json()["uses"] == 1

        await until(is_written)


async def test_who_comes_while_uses_are_written_ends_nothing(hurried):
    """New clients change what is walked over meanwhile."""
    async with running(hurried):
        for number in range(30):
            agent = {"Pinyon-Agent": f"agent-{number}"}
            body = {"query": "a dog?", "given": True}
            answer = await hurried.ask(
                "POST", "/v1/memory/search", body, role="sarah", headers=agent
            )
            assert answer.status_code == 200
        assert (await hurried.ask("GET", "/v1/memory", role="tom")).status_code == 200


async def test_a_bug_beside_the_requests_is_told_and_ends_nothing(caplog):
    done = []

    async def broken():
        done.append(None)
        raise RuntimeError("the text was: my PIN is 4471")

    with caplog.at_level(logging.ERROR, "pinyon.server"):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.every, 0.001, broken)

            async def often():
                return len(done) > 2

            await until(often)
            tasks.cancel_scope.cancel()

    assert "put off: a bug" in {record.getMessage() for record in caplog.records}


async def test_a_server_looks_for_cycles_less_often_than_a_program_usually_does():
    usual = gc.get_threshold()
    try:
        server._collect_seldom()
        least, _, _ = gc.get_threshold()
        kept = gc.get_freeze_count()
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)

    assert least > usual[0]
    assert kept


async def test_the_worker_does_what_a_dead_process_left_behind(hurried):
    job = Job(
        id=JobId(f"job_{1:032x}"),
        task=FOLLOW,
        payload=tuple(
            {"copy": f"mem_{1:032x}", "memory": f"mem_{2:032x}", "space": "acme/shared"}.items()
        ),
        run_at_us=1,
    )
    store, sarah = hurried.served.store, Space.of_user("acme", "sarah")
    await store.records.apply(sarah, [Enqueue(job)], by=Actor("test", "test"))

    async def is_done():
        return [one.id for one in await store.jobs.list_jobs(sarah, state="done")] == [job.id]

    async with running(hurried):
        await until(is_done)


async def test_a_server_that_is_told_so_leaves_the_work_to_others(settings, clock):
    served = serve_home(settings.model_copy(update={"worker": "off"}), clock=clock)
    async with at_work(served.worker):
        assert served.worker is None
    await served.base.close()
