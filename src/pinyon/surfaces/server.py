"""A server of one home: its app, what runs beside it, and how it begins and ends."""

import gc
import logging
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeAlias

import anyio
import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from pinyon.care.worker import Worker
from pinyon.domain.credential import Holder
from pinyon.errors import InvalidSetting, PinyonError
from pinyon.observing.logs import Request, log_request
from pinyon.observing.metrics import Metrics
from pinyon.settings import Settings
from pinyon.surfaces.mcp import over_http
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.rest.asking import asking, holder_of
from pinyon.surfaces.rest.guards import LOOPBACK
from pinyon.surfaces.rest.limiting import Limiter
from pinyon.surfaces.rest.serving import Clients, Serving
from pinyon.wiring import Served, SystemClock, serve_home

if sys.platform != "win32":
    import resource

PORT = 7469
"""PINY, as telephones spell it."""

FLUSHED_EVERY_S = 5.0
ENDED_EVERY_S = 60.0
KEEP_ALIVE_S = 75
DRAINED_WITHIN_S = 20
"""How long requests that run at the end may take to end."""

FILES_WANTED = 16_384
"""Handles: one for each client's connection, and up to a dozen for each space that is open. What a
login gives is often 1,024, with leave to take more."""

COLLECTED_AFTER = (50_000, 20, 50)
"""Objects that come to be before cycles among the youngest are looked for; and how often that is
until the older and the oldest are. A recall makes thousands and leaves next to no cycle; as a
program usually does it, 7 % of a recall by words goes there."""

HEADERS_BYTES_MAX = 32 * 1024
BACKLOG = 1_024

log = logging.getLogger("pinyon.server")

Chore: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A server that answers.

    Attributes:
        url: Where.
        first_key: A key that was made because there was none, and is shown this once.
        first_user: Whose it is.
    """

    url: str
    first_key: str | None
    first_user: str


async def run(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    first_user: str,
    told: Callable[[Started], None] = lambda _started: None,
) -> None:
    """Serve a home until the process is told to end; then finish what runs, and write what is left.

    Args:
        settings: Which home, and how.
        host: The address to listen at.
        port: The port; 0 for any that is free.
        first_user: Whose the first key is, where one is made.
        told: Hears where the server is, once it answers.

    Raises:
        InvalidSetting: The address cannot be listened at, or nobody could be known there.
    """
    _take_file_handles()
    listening = _listen(host, port)
    with listening:
        metrics = Metrics()
        served = serve_home(settings, watch=metrics, told=metrics.worked)
        try:
            key = await _first_key(served, settings, host=host, user=first_user)
            serving = serving_from(served, settings, metrics)
            hosts = {*LOOPBACK, host.lower(), *settings.hosts}
            app = rest_app(
                serving,
                hosts=hosts,
                told=_teller(metrics),
                lifespan=beside(serving, served, metrics),
                takes_any_address=_is_any(host),
                beside=[mcp_routes(settings)],
            )
            _collect_seldom()
            started = Started(url=_url_of(listening), first_key=key, first_user=first_user)
            await _Server(_configured(app), lambda: told(started)).serve(sockets=[listening])
        finally:
            with anyio.CancelScope(shield=True):
                await served.base.close()


def serving_from(served: Served, settings: Settings, metrics: Metrics | None = None) -> Serving:
    """Return what the routes share."""
    counted = metrics or Metrics()

    async def shown() -> tuple[bytes, str]:
        now_us = SystemClock().now_us()
        await counted.sample(served.store, home=settings.home, now_us=now_us)
        return counted.render()

    return Serving(
        clients=Clients(served.base),
        operator=served.operator,
        authenticator=served.authenticator,
        limiter=Limiter(settings.rate_limit, SystemClock()),
        metrics=shown,
    )


def mcp_routes(settings: Settings) -> APIRouter:
    """Return the routes of MCP, for whoever may read memory; each tool looks at its own right."""
    let_in = asking("memory:read", caller_of=holder_of, surface="mcp")
    return over_http.router(let_in, settings.mcp_tools)


class _Server(uvicorn.Server):
    """Says when it has started, and ends as a program that was told to does: in order."""

    def __init__(self, config: uvicorn.Config, told: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._told()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let what runs end; the signal that asked for it is answered by that, and not repeated."""
        await super().shutdown(sockets)
        self._captured_signals.clear()


def _teller(metrics: Metrics) -> Callable[[Request], None]:
    """Return what hears of each request: it goes into the log, and is counted."""

    def told(request: Request) -> None:
        metrics.requested(request.route, request.status)
        log_request(request)

    return told


def _configured(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",  # another parser that may be installed holds to no limit of headers
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who asks is told by a credential, never by an address
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAINED_WITHIN_S,
        h11_max_incomplete_event_size=HEADERS_BYTES_MAX,
    )


def beside(
    serving: Serving, served: Served, metrics: Metrics
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return what runs beside the requests, and what is written when they have ended."""

    @asynccontextmanager
    async def running(_app: FastAPI) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            for seconds, act in chores(serving, served):
                tasks.start_soon(every, seconds, act)
            tasks.start_soon(metrics.watch_loop)
            async with at_work(served.worker):
                yield
            tasks.cancel_scope.cancel()
        for act in (served.keyring.flush, serving.clients.flush):
            await _done(act)

    return running


@asynccontextmanager
async def at_work(worker: Worker | None) -> AsyncIterator[None]:
    """Let a worker do the background work meanwhile; what it has begun it ends, or gives back."""
    if worker is None:
        yield
        return
    stop = anyio.Event()
    async with anyio.create_task_group() as beside_it:
        beside_it.start_soon(worker.run, stop)
        try:
            yield
        finally:
            stop.set()


def chores(serving: Serving, served: Served) -> Sequence[tuple[float, Chore]]:
    """Return what is done beside the requests, and every how many seconds."""

    async def end_overdue() -> None:
        ended = await served.operator.end_overdue()
        if ended.sessions:
            served.recaller.let_go()
        for code in ended.put_off:
            log.warning("put off: %s", code)

    return (
        (FLUSHED_EVERY_S, serving.clients.flush),
        (FLUSHED_EVERY_S, served.keyring.flush),
        (ENDED_EVERY_S, end_overdue),
    )


async def every(seconds: float, act: Chore) -> None:
    """Do something now and then."""
    while True:
        await anyio.sleep(seconds)
        await _done(act)


async def _done(act: Chore) -> None:
    """Do something; that it cannot be done now, or has a bug, ends nothing else."""
    try:
        await act()
    except PinyonError as error:
        log.warning("put off: %s", error.code)
    except Exception:
        log.exception("put off: a bug")


async def _first_key(served: Served, settings: Settings, *, host: str, user: str) -> str | None:
    """Make a key where nobody could be known otherwise; its holder sees it on this machine only.

    Raises:
        InvalidSetting: Others could reach the server, and there is neither key nor issuer.
    """
    if is_loopback(host):
        holder = Holder.of("admin", tenant=settings.tenant, user=user)
        made = await served.keyring.create_first(holder, name="first key")
        return None if made is None else made[1]
    if not settings.jwt_issuer and not await served.operator.list_keys():
        why = "others can reach it, and nobody could be known; make a key first: pinyon keys create"
        raise InvalidSetting("--host", f"{host}: {why}")
    return None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_any(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return False


def _take_file_handles() -> None:
    """Take what handles the system lets this process have, up to `FILES_WANTED`."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(FILES_WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _collect_seldom() -> None:
    """Look for cycles less often, and never in what was there before the first request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = "another --port, or 0 for any that is free, may do"
        raise InvalidSetting("--host, --port", f"{host}:{port}: {why}; {hint}") from error
    # Connections inherit it. The loop sets it only where it made the socket itself; without it the
    # body of an answer waits 40 ms for the other side to confirm the head.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _url_of(listening: socket.socket) -> str:
    host, port, *_ = listening.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
