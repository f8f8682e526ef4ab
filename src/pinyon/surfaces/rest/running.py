"""Routes for whoever runs the place: keys, grants, spaces, journals, jobs. They show no memory."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from pinyon.access.authenticating import Caller
from pinyon.domain.credential import Holder, Right, Role
from pinyon.domain.grant import Permission
from pinyon.domain.job import JobState
from pinyon.domain.space import Space
from pinyon.errors import NotAllowed
from pinyon.operating import Operator
from pinyon.surfaces import encode_place
from pinyon.surfaces.rest.asking import caller_of, json_of, serving_of
from pinyon.surfaces.rest.bodies import Body, Instant
from pinyon.surfaces.rest.serving import Serving

router = APIRouter(prefix="/v1", tags=["running"])


class KeyBody(Body):
    """For whom a key speaks, and as what; its tenant is the caller's."""

    role: Role = "user"
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    name: str = ""
    expires: Instant | None = None


class GrantBody(Body):
    """Who may do what in a shared space."""

    space: str
    user: str
    may: Permission = "write"


class Running:
    """A request of somebody who may run the place, and what it is run by."""

    def __init__(self, caller: Caller, operator: Operator) -> None:
        self.caller, self.operator = caller, operator

    def space(self, text: object) -> Space:
        """Read a space, which must be of the caller's tenant.

        Raises:
            InvalidName: It is none.
            NotAllowed: It is another tenant's; whether it is there is not told.
        """
        space = Space.parse(text)
        if space.tenant != self.caller.tenant:
            raise NotAllowed("this credential is for another tenant")
        return space


def running(right: Right) -> Callable[..., Awaitable[Running]]:
    """Return what gives a route what the place is run by, if the caller may do such things."""

    async def allowed(
        serving: Annotated[Serving, Depends(serving_of)],
        caller: Annotated[Caller, Depends(caller_of)],
    ) -> Running:
        caller.check(right)
        return Running(caller, serving.operator)

    return allowed


Keys = Annotated[Running, Depends(running("keys"))]
Grants = Annotated[Running, Depends(running("grants"))]
Jobs = Annotated[Running, Depends(running("jobs"))]


@router.get("/me", name="me")
async def me(caller: Annotated[Caller, Depends(caller_of)]) -> Response:
    """Say for whom the credential speaks, as what, and which spaces it reads and writes."""
    return json_of(encode_place.caller(caller))


@router.post("/keys", name="create_key", status_code=201)
async def create_key(body: KeyBody, asked: Keys) -> Response:
    """Make a key and show it, this once: only a hash of it is kept."""
    holder = Holder.of(
        body.role,
        tenant=asked.caller.tenant,
        user=body.user,
        agent=body.agent,
        project=body.project,
    )
    made = await asked.operator.create_key(holder, name=body.name, expires=body.expires)
    return json_of(encode_place.created_key(made), status=201)


@router.get("/keys", name="list_keys")
async def list_keys(asked: Keys) -> Response:
    """List the tenant's keys, those that were revoked too."""
    return json_of(encode_place.keys(await asked.operator.list_keys(tenant=asked.caller.tenant)))


@router.delete("/keys/{key_id}", name="revoke_key")
async def revoke_key(key_id: str, asked: Keys) -> Response:
    """Let a key open nothing any more: at once, and for good."""
    revoked = await asked.operator.revoke_key(key_id, tenant=asked.caller.tenant)
    return json_of(encode_place.key(revoked))


@router.get("/grants", name="list_grants")
async def list_grants(asked: Grants) -> Response:
    """List what is granted in the tenant; a shared space without a grant is open to all of it."""
    return json_of(encode_place.grants(await asked.operator.grants(tenant=asked.caller.tenant)))


@router.put("/grants", name="grant")
async def grant(body: GrantBody, asked: Grants) -> Response:
    """Let a user read, or write, a shared space; the first grant closes it to others."""
    given = await asked.operator.grant(asked.space(body.space), body.user, body.may)
    return json_of(encode_place.grants([given]))


@router.delete("/grants", name="revoke_grant", status_code=204)
async def revoke_grant(space: str, user: str, asked: Grants) -> Response:
    """Take a grant back, at once."""
    await asked.operator.revoke(asked.space(space), user)
    return Response(status_code=204)


@router.get("/spaces", name="list_spaces")
async def list_spaces(asked: Annotated[Running, Depends(running("spaces"))]) -> Response:
    """List the tenant's spaces, and how much each holds."""
    spaces = await asked.operator.spaces(tenant=asked.caller.tenant)
    return json_of({"spaces": [encode_place.space(one) for one in spaces]})


@router.get("/audit", name="audit")
async def audit(
    serving: Annotated[Serving, Depends(serving_of)],
    caller: Annotated[Caller, Depends(caller_of)],
    space: str,
    memory: Annotated[
        str | None, Query(description="Only of this memory, event, job or receipt.")
    ] = None,
    after: Annotated[int, Query(description="Only behind this place.")] = 0,
    limit: int = 100,
) -> Response:
    """Read a journal: who did what to which memory, and when; without a word of any.

    An admin or auditor reads those of the tenant, a user those of the user's own spaces.
    """
    asked = Running(caller, serving.operator)
    of = asked.space(space)
    if not caller.allows("audit"):
        caller.check("audit:own")
        if caller.principal is None or of not in caller.principal.reads or not of.is_personal:
            raise NotAllowed("this credential reads the journals of its user's own spaces only")
    entries = await asked.operator.audit(of, memory=memory, after=after, limit=limit)
    return json_of(encode_place.audit(entries))


@router.get("/jobs", name="list_jobs")
async def list_jobs(asked: Jobs, space: str, state: JobState | None = None) -> Response:
    """List the background work of a space, oldest first."""
    return json_of(encode_place.jobs(await asked.operator.jobs(asked.space(space), state=state)))


@router.post("/jobs/{job_id}/retry", name="retry_job", status_code=204)
async def retry_job(job_id: str, space: str, asked: Jobs) -> Response:
    """Have a job that is dead, was cancelled, or waits for later tried now."""
    await asked.operator.retry_job(asked.space(space), job_id)
    return Response(status_code=204)


@router.delete("/jobs/{job_id}", name="cancel_job", status_code=204)
async def cancel_job(job_id: str, space: str, asked: Jobs) -> Response:
    """Cancel a job that waits or runs."""
    await asked.operator.cancel_job(asked.space(space), job_id)
    return Response(status_code=204)
