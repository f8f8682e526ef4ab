"""Workers that are killed, and those that share a home with them."""

import os
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from crash.children.laborer import PACE, worker_over
from pinyon.domain.change import Enqueue
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9")

BY = Actor("default/user/sarah", "test")
SPACES = [Space.of_user("default", name) for name in ("sarah", "tom", "ann")]
JOBS = 200
ROUNDS = 8


@dataclass
class Aftermath:
    told: Counter = field(default_factory=Counter)
    uses: Counter = field(default_factory=Counter)
    states: Counter = field(default_factory=Counter)
    attempts: int = 0


async def enqueue(home):
    """Give each space jobs, each of which is to count one use of a memory of its own."""
    store = SqliteStore(home, clock=SystemClock())
    for space in SPACES:
        memories = [memory_of(number, space=space) for number in range(JOBS)]
        jobs = [
            Job(
                id=JobId(f"job_{number:032x}"),
                task="use",
                payload=(("memory", memory.id),),
                run_at_us=number,
            )
            for number, memory in enumerate(memories)
        ]
        changes = [*map(put, memories), *map(Enqueue, jobs)]
        await store.records.apply(space, changes, by=BY)
    await store.close()


async def look(home, after):
    """Let one worker end what is left, and see what became of all."""
    store = SqliteStore(home, clock=SystemClock())
    await worker_over(store, lambda attempted: None).run_once()
    for space in SPACES:
        for memory in (await store.records.scan(space, limit=JOBS)).memories:
            after.uses[memory.counts.uses] += 1
        for job in await store.jobs.list_jobs(space):
            after.states[job.state] += 1
            after.attempts += job.attempts
    await store.close()


@pytest.fixture(scope="module")
def aftermath(start, tmp_path_factory):
    home = Path(tmp_path_factory.mktemp("workers")) / "home"
    anyio.run(enqueue, home)
    after = Aftermath()
    for number in range(ROUNDS):
        both = [start("laborer.py", home) for _ in range(2)]
        # Another moment in each round: the kill falls into whatever they do just then.
        for process in both:
            for _ in range(5 + number):
                after.told[process.stdout.readline().strip()] += 1
        for process in both:
            process.kill()
            process.wait()
    time.sleep(PACE.lease_s * 1.5)
    anyio.run(look, home, after)
    return after


@pytest.mark.promise(
    "work",
    "A worker that is killed at any point loses no effect of a job and doubles none.",
)
def test_each_effect_happened_once_whoever_was_killed(aftermath):
    assert aftermath.uses == {1: JOBS * len(SPACES)}
    assert aftermath.states == {"done": JOBS * len(SPACES)}


def test_the_kills_fell_into_work(aftermath):
    assert aftermath.told["done"] >= ROUNDS * 5
    assert aftermath.attempts > JOBS * len(SPACES)


def _wait_until_it_hears(process):
    """Wait until a process answers SIGTERM itself, which Python does not do unasked."""
    status, until = Path(f"/proc/{process.pid}/status"), time.monotonic() + 20
    while status.exists() and time.monotonic() < until:
        caught = int(status.read_text().partition("SigCgt:")[2].split()[0], 16)
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.02)
    time.sleep(1.5)


@pytest.mark.promise("work", "A worker that is told to end ends in order, and says what it did.")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_command_ends_when_it_is_told_to(start, tmp_path, ending):
    options = {"stderr": subprocess.PIPE}
    process = start("-m", "pinyon", "worker", "--home", tmp_path / "home", "--json", **options)
    _wait_until_it_hears(process)
    process.send_signal(ending)
    said, complained = process.communicate(timeout=30)

    assert (process.returncode, complained) == (0, "")
    assert '"done": 0' in said
    assert not (tmp_path / "home").exists()
