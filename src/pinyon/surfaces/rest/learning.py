"""Routes by which what was said becomes what is true and what works."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from pinyon.domain.consolidation import Says
from pinyon.domain.memory import Contradiction
from pinyon.domain.reflection import Ended
from pinyon.surfaces import encode_consolidation
from pinyon.surfaces.proposals import proposals_of
from pinyon.surfaces.rest.asking import Key, Reading, Writing, no_key
from pinyon.surfaces.rest.bodies import Body

router = APIRouter(prefix="/v1", tags=["learning"])

KEYLESS = [Depends(no_key)]


class ConsolidateBody(Body):
    """How much of it at most."""

    limit: int = 10_000


class FactBody(Body):
    """A fact that an episode (`support`) is said to state, with the user's words that say it."""

    text: str
    support: str
    quote: str
    subject: str = ""
    attribute: str = ""
    confidence: float = 1.0
    category: str = ""
    supersedes: Sequence[str] = ()
    contradiction: Contradiction = "natural"
    why: str = ""


class EndBody(Body):
    """A fact that holds no more, or never did, with nothing in its place."""

    fact: str
    support: str
    quote: str
    says: Says = "ended"
    confidence: float = 1.0
    why: str = ""


class PlaybookBody(Body):
    """A way of doing something, with the user's words that tell the steps or that it worked."""

    text: str
    trigger: str
    steps: list[str]
    supports: list[str]
    quote: str
    confidence: float = 1.0
    refines: str | None = None
    why: str = ""


class OutcomeBody(Body):
    """How it went with a playbook that is known."""

    playbook: str
    outcome: str
    support: str
    quote: str
    confidence: float = 1.0


class ProposalsBody(Body):
    """What somebody made of episodes; those under `episodes` are done with."""

    episodes: Sequence[str] = ()
    facts: Sequence[FactBody] = ()
    ends: Sequence[EndBody] = ()
    playbooks: Sequence[PlaybookBody] = ()
    outcomes: Sequence[OutcomeBody] = ()


class FinishBody(Body):
    """How a task went."""

    outcome: Ended
    summary: str = ""
    session: str = ""


@router.post("/memory/consolidate", name="consolidate", dependencies=KEYLESS)
async def consolidate(body: ConsolidateBody, asked: Writing) -> Response:
    """Make facts and playbooks of what the user said and what nobody has looked at yet."""
    done = await asked.client.consolidate(limit=body.limit)
    return asked.answer("consolidate", done, encode_consolidation.consolidated)


@router.get("/memory/material", name="material")
async def material(asked: Reading, limit: Annotated[int, Query()] = 20) -> Response:
    """Show what waits to be consolidated, and what is known near it, for another model to read."""
    found = await asked.client.material(limit=limit)
    return asked.answer("material", found, encode_consolidation.material)


@router.post("/memory/proposals", name="propose", dependencies=KEYLESS)
async def propose(body: ProposalsBody, asked: Writing) -> Response:
    """Hand in what somebody made of it; the guards of consolidation decide."""
    given: dict[str, Any] = proposals_of(body.sent())
    done = await asked.client.propose(**given)
    return asked.answer("propose", done, encode_consolidation.consolidated)


@router.post("/memory/tasks/{task:path}/finish", name="reflect")
async def reflect(task: str, body: FinishBody, asked: Writing, key: Key) -> Response:
    """Learn from a task that is over: what led to success is a playbook, what failed a pitfall."""
    done = await asked.client.reflect(task, key=key, **body.sent())
    return asked.answer("reflect", done, encode_consolidation.reflected)
