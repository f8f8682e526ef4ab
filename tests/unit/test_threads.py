"""Whoever stops waiting for a read goes on at once; a write is waited for, and so is the end.

A few rows are read at once, where nothing is in the way; else by a thread, which may wait.
"""

import sys
import threading
import time

import anyio
import anyio.lowlevel
import apsw
import pytest

from pinyon.domain.consent import Consent
from pinyon.domain.grant import Grant
from pinyon.domain.space import Space
from pinyon.errors import StoreBusy, StoreClosed
from pinyon.stores.sqlite.home import Home
from pinyon.stores.sqlite.reading import SqliteRegistry
from pinyon.stores.sqlite.threads import WAITING_MAX, Threads
from pinyon.testing.clocks import FrozenClock

pytestmark = pytest.mark.anyio

SLOW_S = 0.4


@pytest.fixture
def threads(tmp_path):
    return Threads(Home(tmp_path / "home", now_us=FrozenClock().now_us))


@pytest.fixture
def slow():
    """Return a function that takes its time, and what it says when it is through."""
    done = threading.Event()

    def act():
        time.sleep(SLOW_S)
        done.set()

    return act, done


async def test_a_read_that_is_cut_is_left_to_itself(threads, slow):
    act, done = slow
    with anyio.move_on_after(0.02):
        await threads.run(act, leaves=True)
    assert not done.is_set()

    await threads.close()
    assert done.is_set()


async def test_a_write_that_is_cut_is_waited_for(threads, slow):
    act, done = slow
    with anyio.move_on_after(0.02):
        await threads.run(act)
    assert done.is_set()
    await threads.close()


async def test_who_reads_does_not_queue_behind_those_that_wait_for_the_disk(threads):
    may_go, read = threading.Event(), []

    async def wait():
        await threads.run(lambda: may_go.wait(5))

    async with anyio.create_task_group() as group:
        for _ in range(WAITING_MAX + 1):
            group.start_soon(wait)
        await anyio.sleep(0.01)
        await threads.run(lambda: read.append("read"), leaves=True)
        were_waiting = not may_go.is_set()
        may_go.set()
    await threads.close()

    assert (read, were_waiting) == (["read"], True)


# ── glances ──────────────────────────────────────────────────────────────────────────────────

ANN, TEAM = Space.of_user("acme", "ann"), Space.of_project("acme", "team")


def thread_and_space(connection):
    """Return which thread reads, and what it reads."""
    ((space,),) = connection.execute("SELECT space FROM meta")
    return threading.get_ident(), space


@pytest.fixture
async def opened(threads):
    """Return threads whose home has a space that is open, and a connection to it at hand."""
    await threads.write(ANN, lambda _file: None)
    await threads.read(ANN, lambda _connection: None, None)
    yield threads
    await threads.close()


async def test_a_few_rows_of_an_open_space_are_read_without_a_thread(opened):
    thread, space = await opened.glance(ANN, thread_and_space, None)

    assert thread == threading.get_ident()
    assert space == str(ANN)


async def test_a_space_that_was_never_written_to_is_empty_at_a_glance(opened):
    assert await opened.glance(TEAM, thread_and_space, "nothing") == "nothing"


async def test_a_space_that_is_not_open_is_read_by_a_thread(opened):
    await opened.run(opened.home.close)
    other = Threads(Home(opened.home.path, now_us=FrozenClock().now_us))

    thread, space = await other.glance(ANN, thread_and_space, None)
    await other.close()

    assert thread != threading.get_ident()
    assert space == str(ANN)


async def test_no_glance_waits_for_another_thread_that_has_the_home(opened):
    has_it, may_go = threading.Event(), threading.Event()

    def hold():
        with opened.home.open_files(), opened.home._lock:
            has_it.set()
            may_go.wait(5)

    async with anyio.create_task_group() as group:
        group.start_soon(opened.run, hold)
        await anyio.to_thread.run_sync(has_it.wait)
        thread, _ = await opened.glance(ANN, thread_and_space, None)
        may_go.set()

    assert thread == threading.get_ident()


async def test_a_space_that_is_closed_during_a_glance_keeps_no_connection(opened):
    with opened.home.space(ANN) as file:
        connections = []

        def close_meanwhile(connection):
            connections.append(connection)
            file.close()
            return True

        assert await opened.glance(ANN, close_meanwhile, False)

    with pytest.raises(apsw.ConnectionClosedError):
        connections[0].pragma("user_version")


@pytest.fixture
def switching_often():
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("switching_often")
async def test_glances_and_threads_that_walk_over_the_open_spaces_meet_without_harm(opened):
    spaces = [Space.of_user("acme", f"user-{n}") for n in range(40)]
    for space in spaces:
        await opened.write(space, lambda _file: None)
        await opened.read(space, lambda _connection: None, None)
    walked = opened.run(lambda: [opened.home.mirror_heads() for _ in range(100)])

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: walked)
        for n in range(3_000):
            await opened.glance(spaces[n * 7 % 40], thread_and_space, None)
            if n % 10 == 0:
                await anyio.lowlevel.checkpoint()


async def test_what_is_glanced_at_stays_open_before_what_is_not(tmp_path):
    home = Home(tmp_path / "home", now_us=FrozenClock().now_us, spaces_open_max=2)
    threads, asked = Threads(home), Space.of_user("acme", "asked")
    for space in (asked, ANN):
        await threads.write(space, lambda _file: None)
        await threads.read(space, lambda _connection: None, None)
    await threads.glance(asked, thread_and_space, None)

    await threads.write(TEAM, lambda _file: None)

    assert home.opened(asked) is not None
    assert home.opened(ANN) is None
    await threads.close()


# ── later ────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_done_later_is_of_no_consequence(opened):
    done = []

    def fail(_file):
        raise StoreBusy(1)

    opened.later(ANN, fail)
    opened.later(ANN, lambda file: done.append(file.space))
    with anyio.fail_after(10):
        while not done:  # noqa: ASYNC110 - a thread does it
            await anyio.sleep(0.001)

    assert done == [ANN]


async def test_a_bug_in_what_is_done_later_is_logged(opened, caplog):
    def slip(_file):
        raise ZeroDivisionError

    opened.later(ANN, slip)
    with anyio.fail_after(10):
        while not caplog.records:  # noqa: ASYNC110 - a thread does it
            await anyio.sleep(0.001)

    assert [(one.name, one.exc_info[0]) for one in caplog.records] == [
        ("pinyon.store", ZeroDivisionError)
    ]


async def test_who_closes_does_not_wait_for_what_was_to_be_done_later(opened):
    runs, may_go, done = threading.Event(), threading.Event(), []

    def wait(_file):
        runs.set()
        may_go.wait(5)

    opened.later(ANN, wait)
    opened.later(ANN, done.append)
    await anyio.to_thread.run_sync(runs.wait)
    async with anyio.create_task_group() as group:
        group.start_soon(opened.close)
        await anyio.sleep(0.01)
        may_go.set()

    assert done == []


async def test_where_a_connection_fails_a_thread_reads_anew(opened):
    failed = []

    def fail_once(connection):
        if not failed:
            failed.append(connection)
            raise apsw.BusyError("another process has it")
        return thread_and_space(connection)

    thread, _ = await opened.glance(ANN, fail_once, None)

    assert thread != threading.get_ident()
    with pytest.raises(apsw.ConnectionClosedError):
        failed[0].pragma("user_version")


async def test_a_closed_home_is_not_glanced_at(opened):
    await opened.run(opened.home.close)

    with pytest.raises(StoreClosed):
        await opened.glance(ANN, thread_and_space, None)


async def test_what_another_process_grants_and_takes_back_is_seen_at_the_next_glance(opened):
    registry = SqliteRegistry(opened)
    other = Threads(Home(opened.home.path, now_us=FrozenClock().now_us))
    grant = Grant(TEAM, "ann", "read")
    assert await registry.grants(TEAM) == []

    await SqliteRegistry(other).grant(grant)
    granted = opened.home.glance_at_grants(TEAM)
    await SqliteRegistry(other).revoke(TEAM, "ann")
    taken_back = opened.home.glance_at_grants(TEAM)
    await other.close()

    assert (granted, taken_back) == ([grant], [])


async def test_grants_are_read_by_a_thread_where_the_registry_was_made_anew(opened):
    registry = SqliteRegistry(opened)
    await registry.grant(Grant(TEAM, "ann", "read"))
    other = Home(opened.home.path, now_us=FrozenClock().now_us)
    other.rebuild_registry()
    other.close()

    assert opened.home.glance_at_grants(TEAM) is None
    assert await registry.grants(TEAM) == [Grant(TEAM, "ann", "read")]
    assert opened.home.glance_at_grants(TEAM) == [Grant(TEAM, "ann", "read")]


async def test_consent_is_read_at_a_glance_and_what_another_process_says_of_it_is_seen(opened):
    registry = SqliteRegistry(opened)
    other = Threads(Home(opened.home.path, now_us=FrozenClock().now_us))
    await registry.put_consent(ANN, paused=False)
    before = opened.home.glance_at_consent(ANN)

    await SqliteRegistry(other).put_consent(ANN, paused=True)
    after = opened.home.glance_at_consent(ANN)
    await other.close()

    assert (before, after) == (Consent(), Consent(paused=True))


async def test_the_registry_is_read_by_a_thread_while_another_has_the_home(opened):
    registry = SqliteRegistry(opened)
    await registry.put_consent(ANN, paused=True)
    has_it, may_go = threading.Event(), threading.Event()

    def hold():
        with opened.home._lock:
            has_it.set()
            may_go.wait(5)

    async with anyio.create_task_group() as group:
        group.start_soon(opened.run, hold)
        await anyio.to_thread.run_sync(has_it.wait)
        at_hand = opened.home.glance_at_consent(ANN)
        may_go.set()

    assert at_hand is None
    assert await registry.consent(ANN) == Consent(paused=True)


async def test_a_registry_that_is_broken_is_read_by_a_thread_which_makes_it_anew(opened):
    registry = SqliteRegistry(opened)
    await registry.grant(Grant(TEAM, "ann", "read"))
    opened.home._registry.close()

    assert opened.home.glance_at_grants(TEAM) is None
