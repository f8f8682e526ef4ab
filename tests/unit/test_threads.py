"""Whoever stops waiting for a read goes on at once; a write is waited for, and so is the end."""

import threading
import time

import anyio
import pytest

from pinyon.stores.sqlite.home import Home
from pinyon.stores.sqlite.threads import Threads
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
