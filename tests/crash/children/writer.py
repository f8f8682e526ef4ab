"""Writes and erases in three threads until it is killed, and says what it was promised.

`+ id` is said when a memory is kept, `? id` before one is erased, `- id` when it is.
"""

import os
import sys
from itertools import count
from pathlib import Path

import anyio
import numpy as np

from pinyon.domain.change import Erase, PutVectors
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock

BY = Actor("default/user/sarah", "test")
SPACE = Space.of_user("default", "sarah")
PER_THREAD = 1_000_000


def say(line):
    # One write of a short line is never cut in two by another one.
    os.write(1, f"{line}\n".encode())


async def write(store, thread, run):
    kept = []
    for number in count(run * 10 * PER_THREAD + thread * PER_THREAD):
        memory = memory_of(number, f"Bulb {number} shows only white", space=SPACE)
        vector = np.random.default_rng(number).normal(size=8).astype(np.float32).tobytes()
        changes = [put(memory), PutVectors(memory.id, "test@1", {0: vector}, 8)]
        await store.records.apply(SPACE, changes, by=BY)
        say(f"+ {memory.id}")
        kept.append(memory.id)
        if number % 3 == 2:
            erased = kept.pop(0)
            say(f"? {erased}")
            await store.records.apply(SPACE, [Erase(erased)], by=BY)
            say(f"- {erased}")


async def main(home, run):
    store = SqliteStore(Path(home), clock=SystemClock())
    async with anyio.create_task_group() as group:
        for thread in range(3):
            group.start_soon(write, store, thread, run)


anyio.run(main, sys.argv[1], int(sys.argv[2]))
