"""Routes over a turn of a conversation, and over what a prompt gets."""

from fastapi import APIRouter, Response

from pinyon.surfaces import encode_turn
from pinyon.surfaces.rest.asking import Key, Reading, Writing
from pinyon.surfaces.rest.bodies import BuildContextBody, TurnBody

router = APIRouter(prefix="/v1/memory", tags=["memory"])


@router.post("/turns", name="turn")
async def turn(body: TurnBody, asked: Writing, key: Key) -> Response:
    """Keep what was said, before it is answered, and bring what memory holds for it."""
    brought = await asked.client.turn(body.message, key=key, **body.details())
    return asked.answer("turn", brought, encode_turn.turn_memory)


@router.post("/context", name="build_context")
async def build_context(body: BuildContextBody, asked: Reading) -> Response:
    """Return what a prompt gets from memory: core facts, the last turns, what answers the task."""
    built = await asked.client.build_context(body.task, **body.details())
    return asked.answer("build_context", built, encode_turn.context)
