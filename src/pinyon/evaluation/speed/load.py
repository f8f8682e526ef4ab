"""A load on a server of this machine: requests at full rate, or by the clock; idle connections.

It speaks HTTP/1.1 by hand over connections that stay open, since any client library would take
more of the machine than the server that it is to measure. It reaches loopback and nothing else.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from itertools import cycle, islice
from typing import Any, Self
from urllib.parse import urlsplit

import anyio

from pinyon.errors import InvalidValue
from pinyon.evaluation.timing import quantile

REQUESTS_MAX = 200_000
"""So many requests at most has a phase, however fast they are answered."""
CONNECTIONS_MAX = 4_000

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A server on this machine, or several on one home.

    Attributes:
        beside: Ports of the others.
    """

    host: str
    port: int
    beside: tuple[int, ...] = ()

    @classmethod
    def at(cls, url: str) -> Self:
        """Read where a server is.

        Raises:
            InvalidValue: It is on another machine: no load is put on those.
        """
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if parts.scheme != "http" or port is None or not _is_loopback(host):
            raise InvalidValue("url", url, "an address of this machine, as http://127.0.0.1:7469")
        return cls(host, port)

    @property
    def each(self) -> "tuple[Target, ...]":
        """Return every server by itself."""
        return tuple(Target(self.host, port) for port in (self.port, *self.beside))

    def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> bytes:
        """Return a request as it is sent."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body


@dataclass(frozen=True, slots=True)
class Sample:
    """How a request went.

    Attributes:
        took_ms: From when it was to be sent until its answer was there.
        is_good: It was answered as hoped.
        late_ms: How much later it was sent because of us, and not of the server.
    """

    took_ms: float
    is_good: bool
    late_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long requests took, in milliseconds.

    Attributes:
        failed: How many were answered by an error.
    """

    requests: int
    failed: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float


class Connection:
    """One that stays open, and carries one request after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    @asynccontextmanager
    async def to(cls, target: Target) -> AsyncIterator[Self]:
        """Open one, and close it."""
        reader, writer = await asyncio.open_connection(target.host, target.port)
        try:
            yield cls(reader, writer)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        """Send a request; return the status and the body of what it is answered.

        Raises:
            EOFError: The server closed the connection.
        """
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        body = await self._reader.readexactly(int(length[1])) if length else b""
        return int(head[9:12]), body


async def at_full_rate(
    target: Target, requests: Iterator[bytes], *, connections: int, seconds: float
) -> list[Sample]:
    """Send from every connection, as soon as the last request on it was answered."""
    samples: list[Sample] = []
    bounded = islice(requests, REQUESTS_MAX)
    async with _opened(target, connections) as opened:
        until = time.perf_counter() + seconds

        async def work(connection: Connection) -> None:
            for request in bounded:
                began = time.perf_counter()
                if began >= until:
                    return
                status, _ = await connection.ask(request)
                samples.append(Sample((time.perf_counter() - began) * 1000, status < 300))

        await _on_each(opened, work)
    return samples


async def at_rate(
    target: Target, requests: Iterator[bytes], *, per_s: float, connections: int, seconds: float
) -> list[Sample]:
    """Send by the clock, whether or not earlier requests were answered.

    Where all connections wait for an answer a request is sent late, and what it waited is counted
    with what it took: a server that stands still for a second keeps all those waiting that came
    in that second, and not one.
    """
    samples: list[Sample] = []
    number = max(1, min(REQUESTS_MAX, int(per_s * seconds)))
    async with _opened(target, connections) as opened:
        began = time.perf_counter()
        schedule = zip((began + n / per_s for n in range(number)), requests, strict=False)

        async def work(connection: Connection) -> None:
            for at, request in schedule:
                waits = at - time.perf_counter()
                late = 0.0
                if waits > 0:
                    await asyncio.sleep(waits)
                    late = time.perf_counter() - at
                status, _ = await connection.ask(request)
                took = time.perf_counter() - at
                samples.append(Sample(took * 1000, status < 300, late * 1000))

        await _on_each(opened, work)
    return samples


@asynccontextmanager
async def kept_open(target: Target, request: bytes, connections: int) -> AsyncIterator[int]:
    """Keep so many connections open that have asked once; tell how many were answered."""
    async with _opened(target, connections) as opened:
        answers = [await one.ask(request) for one in opened]
        yield sum(status < 300 for status, _ in answers)


def latency(samples: Sequence[Sample]) -> Latency:
    """Return how long requests took.

    Raises:
        InvalidValue: There was none.
    """
    if not samples:
        raise InvalidValue("requests", 0, "at least 1")
    took = [sample.took_ms for sample in samples]
    return Latency(
        requests=len(samples),
        failed=sum(not sample.is_good for sample in samples),
        p50_ms=quantile(took, 0.5),
        p95_ms=quantile(took, 0.95),
        p99_ms=quantile(took, 0.99),
        max_ms=max(took),
    )


@asynccontextmanager
async def _opened(target: Target, connections: int) -> AsyncIterator[list[Connection]]:
    if not 1 <= connections <= CONNECTIONS_MAX:
        raise InvalidValue("connections", connections, f"1 to {CONNECTIONS_MAX:,}")
    async with AsyncExitStack() as stack:
        by_turns = islice(cycle(target.each), connections)
        yield [await stack.enter_async_context(Connection.to(one)) for one in by_turns]


async def _on_each(
    opened: Sequence[Connection], work: Callable[[Connection], Coroutine[Any, Any, None]]
) -> None:
    async with anyio.create_task_group() as group:
        for connection in opened:
            group.start_soon(work, connection)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
