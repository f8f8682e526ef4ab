"""Routes by which what was said becomes what is true and what works."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    OutcomeProposal,
    PlaybookProposal,
)
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


class ProposalsBody(Body):
    """What somebody made of episodes; those under `episodes` are done with."""

    episodes: Sequence[str] = ()
    facts: Sequence[FactProposal] = ()
    ends: Sequence[EndProposal] = ()
    playbooks: Sequence[PlaybookProposal] = ()
    outcomes: Sequence[OutcomeProposal] = ()


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
