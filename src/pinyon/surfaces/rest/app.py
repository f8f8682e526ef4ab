"""The app: routes behind guards, errors as problems, and a description of it all."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from pinyon import __version__
from pinyon.observing.logs import Request
from pinyon.surfaces.rest import health, learning, memories, personal, running, streams, turns
from pinyon.surfaces.rest.describing import describe, named
from pinyon.surfaces.rest.guards import LOOPBACK, Guards
from pinyon.surfaces.rest.problems import handle_errors
from pinyon.surfaces.rest.serving import Serving

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def rest_app(
    serving: Serving,
    *,
    hosts: Collection[str] = LOOPBACK,
    told: Callable[[Request], None] = lambda _request: None,
    lifespan: Lifespan | None = None,
    takes_any_address: bool = False,
    beside: Sequence[APIRouter] = (),
) -> ASGIApp:
    """Return the app that serves a home over HTTP.

    Args:
        serving: What the routes share.
        hosts: Names under which it is reached, without a port; `*` stands for any.
        told: Hears of each request when it has been answered.
        lifespan: What runs beside it, from its start to its end.
        takes_any_address: It is reached under any address, as opposed to a name, too.
        beside: Routes of other surfaces, behind the same guards.
    """
    app = FastAPI(
        title="Pinyon",
        summary="Long-term memory for AI agents.",
        version=__version__,
        docs_url=None,  # the usual pages come from elsewhere; this server sends nobody there
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=named,
        lifespan=lifespan or _nothing_beside,
        telemetry={"tracing": False},
    )
    app.state.serving = serving
    handle_errors(app)
    # Streams first: `/v1/memory/export` is no memory's id.
    for router in (
        streams.router,
        personal.router,
        learning.router,
        turns.router,
        memories.router,
        running.router,
        health.router,
        *beside,
    ):
        app.include_router(router)
    describe(app)
    return Guards(
        app,
        hosts=frozenset(hosts),
        streams=frozenset(streams.STREAMS),
        told=told,
        takes_any_address=takes_any_address,
    )


@asynccontextmanager
async def _nothing_beside(_app: FastAPI) -> AsyncIterator[None]:
    yield
