"""Uses a store, forks, and uses it in the child and then in the parent."""

import os
import signal
import sys
from pathlib import Path

import anyio

from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.wiring import SystemClock

BY = Actor("default/user/sarah", "test")
SPACE = Space.of_user("default", "sarah")

store = SqliteStore(Path(sys.argv[1]), clock=SystemClock())


async def write(number):
    memory = memory_of(number, f"Bulb {number} shows only white", space=SPACE)
    await store.records.apply(SPACE, [put(memory)], by=BY)
    return len((await store.records.scan(SPACE)).memories)


signal.alarm(60)  # rather than waiting for ever for a lock that a thread of the parent held
anyio.run(write, 1)
child = os.fork()
if child == 0:
    signal.alarm(30)
    seen = anyio.run(write, 2)
    os._exit(0 if seen == 2 else 1)
_, status = os.waitpid(child, 0)
held = anyio.run(write, 3)
findings = anyio.run(store.verify, SPACE)
anyio.run(store.close)
print(status, held, len(findings))  # noqa: T201 - it is what the parent reads
