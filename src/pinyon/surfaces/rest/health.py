"""Whether the server lives, is ready, and what it has done."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from pinyon.surfaces.rest.asking import caller_of, holder_of, json_of, serving_of
from pinyon.surfaces.rest.guards import LOOPBACK
from pinyon.surfaces.rest.serving import Serving

router = APIRouter(tags=["health"])


@router.get("/healthz", name="healthz")
async def healthz() -> Response:
    """Say that the process answers; nothing else is touched."""
    return json_of({"status": "ok"})


@router.get("/readyz", name="readyz")
async def readyz(serving: Annotated[Serving, Depends(serving_of)]) -> Response:
    """Say whether requests can be answered: `ready`, `degraded` and why, or not (503)."""
    readiness = await serving.operator.readiness()
    status = 200 if readiness.is_ready else 503
    told = {"status": readiness.status, "because": list(readiness.because)}
    return json_of(told, status=status)


@router.get("/metrics", name="metrics")
async def metrics(request: Request, serving: Annotated[Serving, Depends(serving_of)]) -> Response:
    """Give what was counted, for Prometheus: to anybody on this machine, else to an admin."""
    if not _is_local(request):
        holder = await holder_of(
            request, serving, authorization=request.headers.get("authorization")
        )
        caller = await caller_of(request, holder)
        caller.check("metrics")
    body, media_type = await serving.metrics()
    return Response(body, media_type=media_type)


def _is_local(request: Request) -> bool:
    """Return whether it comes from this machine, by no proxy."""
    peer = request.client.host if request.client else ""
    forwarded = {"forwarded", "x-forwarded-for", "x-real-ip"}
    return peer in LOOPBACK and not forwarded.intersection(request.headers)
