"""Routes over one user's memories: one for each operation of a client."""

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from pinyon.domain.event import EventType
from pinyon.domain.memory import Kind, Shelf
from pinyon.domain.space import Scope
from pinyon.errors import InvalidFilter
from pinyon.surfaces import encode
from pinyon.surfaces.rest.asking import Auditing, Forgetting, Key, Reading, Version, Writing, no_key
from pinyon.surfaces.rest.bodies import (
    AnnotationsBody,
    EndBody,
    ForgetBody,
    PublishBody,
    RememberBody,
    SearchBody,
    WhyNotBody,
    WithdrawBody,
    WriteBody,
    WriteManyBody,
)

router = APIRouter(prefix="/v1/memory", tags=["memory"])

Id = Annotated[str, Path(description="Id of a memory: mem_ and 32 hex digits.")]
KEYLESS = [Depends(no_key)]


# ── keeping ──────────────────────────────────────────────────────────────────────────────────


@router.post("/events", name="remember", status_code=201)
async def remember(body: RememberBody, asked: Writing, key: Key) -> Response:
    """Keep what was said, before it is answered."""
    written = await asked.client.remember(key=key, **body.sent())
    return asked.answer("remember", written, encode.written, status=201)


@router.post("", name="write", status_code=201)
async def write(body: WriteBody, asked: Writing, key: Key) -> Response:
    """Write a fact, a procedure or a catalog entry, perhaps in the place of others."""
    written = await asked.client.write(key=key, **body.sent())
    return asked.answer("write", written, encode.written, status=201)


@router.post("/batch", name="write_many", status_code=201)
async def write_many(body: WriteManyBody, asked: Writing, key: Key) -> Response:
    """Write up to 1,000 memories: all of them, or none."""
    written = await asked.client.write_many(body.drafts(), scope=body.scope, key=key)
    return asked.answer("write_many", written, encode.written_many, status=201)


# ── asking ───────────────────────────────────────────────────────────────────────────────────


@router.post("/search", name="recall")
async def recall(body: SearchBody, asked: Reading) -> Response:
    """Find the memories that answer a question, best first; or none, and why."""
    answer = await asked.client.recall(body.query, k=body.k, given=body.given, **body.narrowing())
    encoded = encode.recall if body.explain else encode.recall_in_brief
    return asked.answer("recall", answer, encoded)


@router.post("/{memory_id}/why-not", name="why_not")
async def why_not(memory_id: Id, body: WhyNotBody, asked: Reading) -> Response:
    """Say what becomes of one memory when a question is asked."""
    answer = await asked.client.why_not(memory_id, body.query, k=body.k, **body.narrowing())
    return asked.answer("why_not", answer, encode.why_not)


@router.get("/core", name="core_facts")
async def core_facts(asked: Reading) -> Response:
    """Return what an agent should know whatever is asked: at most 24, the weightiest first."""
    return asked.answer("core_facts", await asked.client.core_facts(), encode.core_facts)


@router.post("/warm", name="warm", dependencies=KEYLESS)
async def warm(asked: Reading) -> Response:
    """Load the model and the vectors, so that the first question need not wait for them."""
    return asked.answer("warm", await asked.client.warm(), encode.warmed)


# ── looking ──────────────────────────────────────────────────────────────────────────────────


@router.get("", name="list")
async def list_memories(
    asked: Reading,
    kind: Annotated[list[Kind], Query(description="Only these kinds.")] = [],  # noqa: B006 - FastAPI copies it
    filter: Annotated[  # noqa: A002 - its name in the query
        str | None, Query(description='JSON: {"importance": {"gte": 0.5}}.')
    ] = None,
    scope: Scope = "own",
    shelf: Shelf = "open",
    cursor: str | None = None,
    limit: int = 50,
) -> Response:
    """List the memories of one space, newest first, whatever their status."""
    listing = await asked.client.list(
        kinds=kind,
        filters=_filters_of(filter),
        scope=scope,
        shelf=shelf,
        cursor=cursor,
        limit=limit,
    )
    return asked.answer("list", listing, encode.listing)


@router.get("/events", name="events")
async def events(
    asked: Reading,
    session: Annotated[str | None, Query(description="Only of this conversation.")] = None,
    query: Annotated[str, Query(description="Best first by these words; else in order.")] = "",
    type: Annotated[list[EventType], Query(description="Only these types.")] = [],  # noqa: A002, B006
    scope: Scope = "own",
    cursor: str | None = None,
    limit: int = 50,
) -> Response:
    """Read what was said and done: a conversation in its order, or what words find in the log."""
    listing = await asked.client.events(
        session=session, query=query, types=type, scope=scope, cursor=cursor, limit=limit
    )
    return asked.answer("events", listing, encode.events)


@router.get("/receipts", name="receipts")
async def receipts(asked: Auditing, scope: Scope = "own") -> Response:
    """List what is left of what was forgotten in a space, oldest first."""
    return asked.answer("receipts", await asked.client.receipts(scope=scope), encode.receipts)


@router.get("/{memory_id}", name="show")
async def show(memory_id: Id, asked: Reading) -> Response:
    """Show one memory whole; its ETag is its version."""
    return asked.memory("show", await asked.client.show(memory_id))


@router.get("/{memory_id}/history", name="history")
async def history(memory_id: Id, asked: Reading) -> Response:
    """Show what a memory superseded, how it changed, and who changed it."""
    return asked.answer("history", await asked.client.history(memory_id), encode.history)


# ── changing ─────────────────────────────────────────────────────────────────────────────────


@router.patch("/{memory_id}", name="edit")
async def edit(memory_id: Id, body: AnnotationsBody, asked: Writing, version: Version) -> Response:  # type: ignore[valid-type]
    """Set annotations; what a memory says never changes in place."""
    now = await asked.client.edit(memory_id, version=version, **body.sent())  # type: ignore[attr-defined]
    return asked.memory("edit", now)


@router.post("/{memory_id}/retract", name="retract", dependencies=KEYLESS)
async def retract(memory_id: Id, asked: Writing, version: Version) -> Response:
    """Say that a memory was never true; it stays as history."""
    return asked.memory("retract", await asked.client.retract(memory_id, version=version))


@router.post("/{memory_id}/end", name="end", dependencies=KEYLESS)
async def end(
    memory_id: Id, asked: Writing, version: Version, body: EndBody | None = None
) -> Response:
    """Say that a memory was true until an instant, by default now, and has no successor."""
    at = None if body is None else body.at
    return asked.memory("end", await asked.client.end(memory_id, at=at, version=version))


@router.post("/{memory_id}/hide", name="hide", dependencies=KEYLESS)
async def hide(memory_id: Id, asked: Writing, version: Version) -> Response:
    """Take a memory out of recall; `release` or `undo` brings it back."""
    return asked.memory("hide", await asked.client.hide(memory_id, version=version))


@router.post("/{memory_id}/release", name="release", dependencies=KEYLESS)
async def release(memory_id: Id, asked: Writing, version: Version) -> Response:
    """Put a hidden, archived or quarantined memory back where recall looks."""
    return asked.memory("release", await asked.client.release(memory_id, version=version))


@router.post("/{memory_id}/undo", name="undo", dependencies=KEYLESS)
async def undo(memory_id: Id, asked: Writing, version: Version) -> Response:
    """Take back the last act on a memory: superseding, retracting, ending or hiding it."""
    return asked.memory("undo", await asked.client.undo(memory_id, version=version))


@router.post("/{memory_id}/publish", name="publish", dependencies=KEYLESS)
async def publish(memory_id: Id, asked: Writing, body: PublishBody | None = None) -> Response:
    """Copy a memory into a space that others read, with whose it is."""
    scope: Scope = "project" if body is None else body.scope
    published = await asked.client.publish(memory_id, scope=scope)
    return asked.answer("publish", published, encode.published)


@router.post("/{memory_id}/withdraw", name="withdraw", dependencies=KEYLESS)
async def withdraw(memory_id: Id, asked: Writing, body: WithdrawBody | None = None) -> Response:
    """Take back the copies of a memory: those in one space, or all."""
    scope = None if body is None else body.scope
    withdrawn = await asked.client.withdraw(memory_id, scope=scope)
    return asked.answer("withdraw", withdrawn, encode.published)


# ── forgetting ───────────────────────────────────────────────────────────────────────────────


@router.delete("/{memory_id}", name="forget_one")
async def forget_one(memory_id: Id, asked: Forgetting) -> Response:
    """Erase a memory or an event, with all that rests on it alone."""
    return asked.answer("forget", await asked.client.forget(memory_id), encode.forgotten)


@router.post("/forget", name="forget", dependencies=KEYLESS)
async def forget(body: ForgetBody, asked: Forgetting) -> Response:
    """Erase what is named, or show what would go; an ambiguous query erases nothing."""
    if body.session or body.document or body.everything:
        asked.caller.check("memory:forget_everything")
    meant = body.sent("ids")
    return asked.answer("forget", await asked.client.forget(body.ids, **meant), encode.forgotten)


def _filters_of(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidFilter("the filter is no JSON") from None
    if not isinstance(read, dict):
        raise InvalidFilter("the filter is no JSON object")
    return read
