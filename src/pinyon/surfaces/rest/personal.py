"""Routes over what a person lets memory keep, over conversations, and over how it went."""

from fastapi import APIRouter, Depends
from fastapi.responses import Response

from pinyon.domain.feedback import Outcome
from pinyon.domain.session import SessionMode
from pinyon.surfaces import encode
from pinyon.surfaces.rest.asking import Consenting, Key, Reading, Writing, no_key
from pinyon.surfaces.rest.bodies import Body

router = APIRouter(prefix="/v1", tags=["personal"])

KEYLESS = [Depends(no_key)]


class StartBody(Body):
    """Which conversation, and what becomes of what is said in it."""

    session: str
    mode: SessionMode = "normal"


class SessionBody(Body):
    """Which conversation."""

    session: str


class ConsentBody(Body):
    """What is not named stays as it was."""

    paused: bool | None = None
    never: list[str] | None = None


class FeedbackBody(Body):
    """How it went with which memories, and what they were recalled for."""

    ids: list[str]
    outcome: Outcome
    query: str = ""
    session: str = ""


@router.post("/sessions", name="start_session", dependencies=KEYLESS)
async def start_session(body: StartBody, asked: Writing) -> Response:
    """Say what becomes of what is said in a session: kept, kept in it only, or not kept."""
    started = await asked.client.start_session(body.session, mode=body.mode)
    return asked.answer("start_session", started, encode.session)


@router.post("/sessions/end", name="end_session", dependencies=KEYLESS)
async def end_session(body: SessionBody, asked: Writing) -> Response:
    """End a session; of a temporary one everything is forgotten."""
    forgotten = await asked.client.end_session(body.session)
    return asked.answer("end_session", forgotten, encode.forgotten)


@router.get("/sessions", name="list_sessions")
async def list_sessions(asked: Reading) -> Response:
    """List the sessions that were started and go on, oldest first."""
    return asked.answer("list_sessions", await asked.client.list_sessions(), encode.sessions)


@router.get("/consent", name="consent")
async def consent(asked: Reading) -> Response:
    """Show what the user lets memory keep."""
    return asked.answer("consent", await asked.client.consent(), encode.consent)


@router.patch("/consent", name="set_consent", dependencies=KEYLESS)
async def set_consent(body: ConsentBody, asked: Consenting) -> Response:
    """Pause memory or go on, and say what is never kept; what is not named stays as it was."""
    said = await asked.client.set_consent(paused=body.paused, never=body.never)
    return asked.answer("set_consent", said, encode.consent)


@router.post("/memory/feedback", name="feedback")
async def feedback(body: FeedbackBody, asked: Writing, key: Key) -> Response:
    """Say how it went with memories that were recalled: `used`, `worked` or `failed`."""
    noted = await asked.client.feedback(key=key, **body.sent())
    return asked.answer("feedback", noted, encode.noted)
