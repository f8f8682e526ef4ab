"""Works until it is killed, and says of each attempt how it ended, in a line; and now and then `.`.

So whoever listens never waits for long.
"""

import os
import sys
from pathlib import Path

import anyio

from pinyon.care.tasks import Task
from pinyon.care.worker import Pace, Worker
from pinyon.domain.change import Count
from pinyon.domain.ids import MemoryId
from pinyon.stores.sqlite import SqliteStore
from pinyon.wiring import SystemClock, new_uuid

PACE = Pace(at_once=3, lease_s=0.6, renewed_every_s=0.1, polled_every_s=0.02, swept_every_s=0.2)
TICK_S = 0.2


async def use(attempt):
    """Count a use, which counts again whenever it is done again."""
    memory = MemoryId(str(dict(attempt.job.payload)["memory"]))
    await attempt.finish([Count(id=memory, uses=1)])


def worker_over(store, told):
    return Worker(
        store,
        {"use": Task(handler=use, attempts_max=None)},
        clock=SystemClock(),
        new_uuid=new_uuid,
        chance=lambda: 0.5,
        told=told,
        pace=PACE,
    )


async def main(home):
    def say(line):
        os.write(1, f"{line}\n".encode())

    async def tick():
        while True:
            await anyio.sleep(TICK_S)
            say(".")

    store = SqliteStore(Path(home), clock=SystemClock())
    async with anyio.create_task_group() as beside:
        beside.start_soon(tick)
        await worker_over(store, lambda one: say(one.outcome)).run(anyio.Event())


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
