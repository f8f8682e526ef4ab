"""Servers in processes of their own: begun, weighed and ended. Linux alone says what they take."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pinyon.errors import InvalidSetting
from pinyon.evaluation.speed.load import Connection, Target

READY_WITHIN_S = 60.0
ENDED_WITHIN_S = 30.0
AT_REST_WITHIN_S = 180.0
AT_REST_CORES = 0.3
"""A worker that rests most of the time takes a tenth of a core."""
_ASKED_EVERY_S, _LOOKED_AT_S = 0.005, 1.0
_PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A server that answers, or several on one home.

    Attributes:
        target: Where.
        ready_s: From starting the processes until `/readyz` of each said so.
    """

    pids: tuple[int, ...]
    target: Target
    ready_s: float

    def cpu_s(self) -> float:
        """Return the processor time that it took until now, in all its threads."""
        return sum(map(_cpu_s, self.pids))

    async def until_at_rest(self, within_s: float = AT_REST_WITHIN_S) -> None:
        """Wait until it does no more than it does beside requests; not for ever."""
        until = time.perf_counter() + within_s
        while time.perf_counter() < until:
            before_s = self.cpu_s()
            await asyncio.sleep(_LOOKED_AT_S)
            if self.cpu_s() - before_s < AT_REST_CORES * _LOOKED_AT_S:
                return

    def rss_bytes(self) -> int:
        """Return how much memory it holds."""
        return sum(map(_rss_bytes, self.pids))


def check_weighable() -> None:
    """See that this platform says what another process takes.

    Raises:
        InvalidSetting: It does not.
    """
    if not _PROCESSES.is_dir():
        raise InvalidSetting("--serve", "what a server takes can be read on Linux only")


@asynccontextmanager
async def running(
    command: Sequence[str], environment: Mapping[str, str], *, servers: int = 1
) -> AsyncIterator[ServerProcess]:
    """Start servers that say on stdout, in JSON, where they are; end them by a signal.

    Raises:
        InvalidSetting: One did not start.
    """
    async with AsyncExitStack() as stack:
        started = [
            await stack.enter_async_context(_running(command, environment)) for _ in range(servers)
        ]
        first, *others = (one.target for one in started)
        yield ServerProcess(
            pids=tuple(pid for one in started for pid in one.pids),
            target=Target(first.host, first.port, tuple(one.port for one in others)),
            ready_s=sum(one.ready_s for one in started),
        )


@asynccontextmanager
async def _running(
    command: Sequence[str], environment: Mapping[str, str]
) -> AsyncIterator[ServerProcess]:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command,
        env=dict(environment),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        target = await asyncio.wait_for(_said(process), READY_WITHIN_S)
        await asyncio.wait_for(_ready(target), READY_WITHIN_S)
        yield ServerProcess((process.pid,), target, time.perf_counter() - began)
    finally:
        await _end(process)


def _cpu_s(pid: int) -> float:
    said = (_PROCESSES / str(pid) / "stat").read_text("ascii")
    # Its name comes second, in brackets, and may hold blanks.
    fields = said.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_bytes(pid: int) -> int:
    said = (_PROCESSES / str(pid) / "statm").read_text("ascii")
    return int(said.split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def _said(process: asyncio.subprocess.Process) -> Target:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    line = await process.stdout.readline()
    if not line:
        raise InvalidSetting("--serve", f"the server ended with {await process.wait()}")
    return Target.at(json.loads(line)["url"])


async def _ready(target: Target) -> None:
    request = target.request("GET", "/readyz")
    while True:
        async with Connection.to(target) as connection:
            status, _ = await connection.ask(request)
        if status == 200:
            return
        await asyncio.sleep(_ASKED_EVERY_S)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), ENDED_WITHIN_S)
    except TimeoutError:
        process.kill()
        await process.wait()
