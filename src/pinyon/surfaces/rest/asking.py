"""Who asks, and how the answer goes back: what every route depends on."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header, Request, Response

from pinyon import wire
from pinyon.access.authenticating import Caller
from pinyon.client import MemoryClient
from pinyon.domain.credential import Right
from pinyon.domain.memory import Memory
from pinyon.errors import BadInput, InvalidValue, NotAllowed, RateLimited
from pinyon.surfaces import encode
from pinyon.surfaces.encode import Json
from pinyon.surfaces.rest.problems import wants_values
from pinyon.surfaces.rest.serving import Serving
from pinyon.surfaces.rest.unknown import refuse_body_for_nothing, refuse_unknown_parameters

Answer = TypeVar("Answer")


async def serving_of(request: Request) -> Serving:
    """Return what the app serves with."""
    serving: Serving = request.app.state.serving
    return serving


async def holder_of(
    request: Request,
    serving: Annotated[Serving, Depends(serving_of)],
    authorization: Annotated[str | None, Header(include_in_schema=False)] = None,
    pinyon_user: Annotated[
        str | None, Header(description="For whom a service key acts; percent-encoded.")
    ] = None,
    pinyon_agent: Annotated[
        str | None, Header(description="Which of the user's agents acts; percent-encoded.")
    ] = None,
    pinyon_project: Annotated[
        str | None, Header(description="Which project is worked on; percent-encoded.")
    ] = None,
) -> Caller:
    """Return whom the credential stands for; the headers choose among those it may act for.

    Raises:
        Unauthenticated: There is none, or it opens nothing.
        NotAllowed: It is not for the user or agent that a header names.
        RateLimited: It asks too often.
        BadInput: It sends a parameter that the route does not know.
    """
    caller = await serving.authenticator.caller(
        authorization, user=pinyon_user, agent=pinyon_agent, project=pinyon_project
    )
    request.state.credential = caller.credential_id
    wait_s = await serving.limiter.wait_s(caller)
    if wait_s:
        raise RateLimited(wait_s)
    refuse_unknown_parameters(request)
    return caller


async def caller_of(request: Request, caller: Annotated[Caller, Depends(holder_of)]) -> Caller:
    """Return the caller of a route that reads its body, if it takes one, as JSON of known fields.

    Raises:
        BadInput: There is a body, and the route takes none.
    """
    refuse_body_for_nothing(request)
    return caller


class Asked:
    """A request whose caller may do what it asks for, and the client that does it."""

    def __init__(self, request: Request, caller: Caller, client: MemoryClient) -> None:
        self.request, self.caller, self.client = request, caller, client

    def answer(
        self,
        operation: str,
        value: Answer,
        encoded: Callable[[Answer], Json],
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return an operation's answer: as JSON to read, or to our own client as it is."""
        if wants_values(self.request):
            packed = wire.pack(operation, value)
            return Response(packed, status, headers=headers, media_type=wire.MEDIA_TYPE)
        return json_of(encoded(value), status=status, headers=headers)

    def memory(self, operation: str, memory: Memory) -> Response:
        """Return a memory, with its version as an entity tag."""
        return self.answer(operation, memory, encode.memory, headers={"ETag": tag_of(memory)})


def json_of(
    value: Any,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a value as a response."""
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(raw, status, headers=headers, media_type="application/json")


def tag_of(memory: Memory) -> str:
    """Return the entity tag of a memory: its version."""
    return f'"{memory.version}"'


def asking(
    right: Right,
    *,
    caller_of: Callable[..., Awaitable[Caller]] = caller_of,
    surface: str = "rest",
) -> Callable[..., Awaitable[Asked]]:
    """Return what gives a route its client, if the caller may do such things.

    Args:
        right: What the route does.
        caller_of: What tells who asks.
        surface: What the journal calls where it comes from.
    """

    async def asked(
        request: Request,
        serving: Annotated[Serving, Depends(serving_of)],
        caller: Annotated[Caller, Depends(caller_of)],
    ) -> Asked:
        caller.check(right)
        if caller.principal is None:
            raise NotAllowed(
                f"a key of role {caller.role} has no memory of its own; a service key names a user "
                "by the header Pinyon-User"
            )
        return Asked(request, caller, serving.clients.of(caller.principal, surface=surface))

    return asked


Reading = Annotated[Asked, Depends(asking("memory:read"))]
Writing = Annotated[Asked, Depends(asking("memory:write"))]
Forgetting = Annotated[Asked, Depends(asking("memory:forget"))]
Auditing = Annotated[Asked, Depends(asking("audit:own"))]
Consenting = Annotated[Asked, Depends(asking("consent:write"))]


async def key_of(
    idempotency_key: Annotated[
        str | None,
        Header(description="A retry under it, for a day, is answered as the first time."),
    ] = None,
) -> str | None:
    """Return the idempotency key that was sent, if any."""
    return idempotency_key


async def no_key(
    idempotency_key: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> None:
    """Refuse an idempotency key where none is kept: it would promise what is not so."""
    if idempotency_key is not None:
        raise BadInput(
            "Idempotency-Key is taken where something new is kept; here name the version that you "
            "read, by If-Match"
        )


async def version_of(
    if_match: Annotated[
        str | None, Header(description='The version that was read, as its ETag: "3".')
    ] = None,
) -> int | None:
    """Return the version that must still hold, if one is named.

    Raises:
        InvalidValue: It is no entity tag of ours.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    bare = if_match.strip().removeprefix("W/").strip('"')
    if not bare.isascii() or not bare.isdigit() or len(bare) > 9:
        raise InvalidValue("If-Match", if_match, 'one ETag as it was given, like "3"')
    return int(bare)


Key = Annotated[str | None, Depends(key_of)]
Version = Annotated[int | None, Depends(version_of)]
