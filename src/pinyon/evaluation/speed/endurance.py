"""What survives: processes that are killed while they write, and several that write at once."""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pinyon.domain.change import Erase
from pinyon.domain.ids import MemoryId
from pinyon.domain.principal import Principal
from pinyon.ports.store import Store, Verifies
from pinyon.testing.makers import memory_of, put

WRITERS = 3
TENANT, USER = "bench", "bench"
_SPACE_PRINCIPAL = Principal.of_home(tenant=TENANT, user=USER)
SPACE = _SPACE_PRINCIPAL.space("own")
BY = _SPACE_PRINCIPAL.by("bench")

OpenStore = Callable[[Path], Store]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """What became of acknowledged changes after a number of kills."""

    kills: int
    written: int
    erased: int
    lost: int
    back: int
    findings: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What became of the writes of several processes at once."""

    processes: int
    writes_each: int
    lost: int
    failed: int
    wall_s: float


async def survive_kills(
    open_store: OpenStore, folder: Path, *, kills: int, command: list[str]
) -> Survival:
    """Kill a writing process a number of times, and count what it had been promised.

    Args:
        open_store: Opens the home.
        folder: The home.
        kills: How many times.
        command: Starts a process that runs `write_until_killed` over the home; it is given the
            number of the round.
    """
    random = Random(11)  # noqa: S311 - not for secrets
    said: dict[str, set[str]] = {"+": set(), "?": set(), "-": set()}
    for number in range(kills):
        process = await asyncio.create_subprocess_exec(
            *command, str(number), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        first = await process.stdout.readline()
        await asyncio.sleep(random.uniform(0.2, 0.6))
        process.send_signal(signal.SIGKILL)
        rest = await process.stdout.read()
        await process.wait()
        for line in (first + rest).decode().splitlines():
            sign, _, identifier = line.partition(" ")
            if len(identifier) == len("mem_") + 32:
                said[sign].add(identifier)
    return await _counted(open_store(folder), kills, said)


def write_until_killed(open_store: OpenStore, folder: Path, number: int) -> None:
    """Write and erase in several threads, and say so once each is acknowledged."""
    store = open_store(folder)
    lock = threading.Lock()

    def say(sign: str, identifier: str) -> None:
        with lock:
            sys.stdout.write(f"{sign} {identifier}\n")
            sys.stdout.flush()

    async def write(writer: int) -> None:
        count = 0
        while True:
            place = ((number * WRITERS + writer) << 20) + count
            memory = memory_of(place, f"memory {place} of writer {writer}", space=SPACE)
            await store.records.apply(SPACE, [put(memory)], by=BY)
            say("+", memory.id)
            if count % 3 == 2:
                # Asked for, but not yet acknowledged: it may be there or gone, either is right.
                say("?", memory.id)
                await store.records.apply(SPACE, [Erase(memory.id)], by=BY)
                say("-", memory.id)
            count += 1

    threads = [
        threading.Thread(target=lambda at=writer: asyncio.run(write(at)))
        for writer in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def _counted(store: Store, kills: int, said: dict[str, set[str]]) -> Survival:
    held: set[str] = set()
    cursor: str | None = None
    while True:
        page = await store.records.scan(SPACE, cursor=cursor, limit=1_000)
        held.update(memory.id for memory in page.memories)
        cursor = page.next_cursor
        if cursor is None:
            break
    findings = len(await store.verify(SPACE)) if isinstance(store, Verifies) else 0
    await store.close()
    return Survival(
        kills=kills,
        written=len(said["+"]),
        erased=len(said["-"]),
        lost=len(said["+"] - said["?"] - held),
        back=len(said["-"] & held),
        findings=findings,
    )


async def write_together(
    open_store: OpenStore, folder: Path, *, processes: int, writes: int, command: list[str]
) -> Together:
    """Let several processes write to one space at once, each a number of times.

    `command` starts a process that runs `write_some`; it is given its number and the count.
    """
    started = asyncio.get_running_loop().time()
    running = [
        await asyncio.create_subprocess_exec(
            *command, str(number), str(writes), stdout=asyncio.subprocess.PIPE
        )
        for number in range(processes)
    ]
    failed = 0
    acknowledged: set[str] = set()
    for process in running:
        said, _ = await process.communicate()
        failed += process.returncode != 0
        acknowledged.update(line[2:] for line in said.decode().splitlines())
    wall_s = asyncio.get_running_loop().time() - started
    store = open_store(folder)
    ids = [MemoryId(identifier) for identifier in sorted(acknowledged)]
    held = await store.records.get(SPACE, ids)
    await store.close()
    return Together(
        processes=processes,
        writes_each=writes,
        lost=processes * writes - len(held),
        failed=failed,
        wall_s=wall_s,
    )


def write_some(open_store: OpenStore, folder: Path, number: int, count: int) -> None:
    """Write a number of memories, one transaction each, and say each id."""

    async def act() -> None:
        store = open_store(folder)
        for place in range(count):
            memory = memory_of(
                (number << 20) + place, f"memory {place} of process {number}", space=SPACE
            )
            await store.records.apply(SPACE, [put(memory)], by=BY)
            sys.stdout.write(f"+ {memory.id}\n")
        await store.close()

    asyncio.run(act())
