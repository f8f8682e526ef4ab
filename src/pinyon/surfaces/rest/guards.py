"""What stands before every route: a name for the request, whom it is addressed to, how large it is.

Plain ASGI, so that a stream passes through untouched.
"""

import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

import anyio
from fastapi import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinyon.observing.known import CLIENT_GONE
from pinyon.observing.logs import Request, log_crash
from pinyon.surfaces.rest.problems import bug, problem

BODY_BYTES_MAX = 1024 * 1024
"""What a request may bring, unless its route takes a stream."""

BODY_WITHIN_S = 30.0
"""How long a client may take to send it."""

SAID_ONCE = frozenset(
    {
        b"authorization",
        b"host",
        b"idempotency-key",
        b"if-match",
        b"origin",
        b"pinyon-agent",
        b"pinyon-project",
        b"pinyon-user",
    }
)
"""Headers on which depends who asks, and for what: of two, one would be passed over."""

PASSED_BYTES_MAX = 8 * BODY_BYTES_MAX
PASSED_WITHIN_S = 2.0
"""Of a body that is too large so much is taken in before that is said."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
REQUEST_ID_CHARS_MAX = 64

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class _Refused(Exception):
    """A body that is not taken."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        self.status, self.code, self.detail = status, code, detail


@dataclass(slots=True)
class Guards:
    """The outermost layer of the app.

    Attributes:
        hosts: Names under which the server is reached, without a port; `*` stands for any.
        streams: Methods and paths of routes that read their body themselves.
        told: Hears of each request when it has been answered.
        takes_any_address: It is reached under any address, as opposed to a name: no page can make
            its own name stand for one in what a browser sends.
    """

    app: ASGIApp
    hosts: Collection[str] = LOOPBACK
    streams: Collection[tuple[str, str]] = ()
    told: Callable[[Request], None] = field(default=lambda _request: None)
    takes_any_address: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["request_id"] = request_id = _request_id(_header(scope, b"x-request-id"))
        began, status = time.perf_counter(), CLIENT_GONE

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._guarded(scope, receive, named)
        except Exception as error:  # noqa: BLE001 - the one place where a bug of this surface ends
            log_crash(error, request_id=request_id)
            if status == CLIENT_GONE:
                await bug(request_id)(scope, receive, named)
        finally:
            route = scope.get("route")
            self.told(
                Request(
                    operation=getattr(route, "name", ""),
                    method=scope["method"],
                    route=getattr(route, "path", ""),
                    status=status,
                    code=state.get("code", ""),
                    took_ms=(time.perf_counter() - began) * 1000,
                    request_id=request_id,
                    key_id=state.get("credential", ""),
                )
            )

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            _check_said_once(scope)
            self._check_addressed(scope)
            body = None if self._is_stream(scope) else await _read(receive, scope)
        except _Refused as refused:
            scope["state"]["code"] = refused.code
            await _refusal(refused, scope)(scope, receive, send)
            return
        if body is not None:
            scope["state"]["body"] = body
            receive = _replay(body, receive)
        elif not self._is_stream(scope):
            return  # the client is gone, and nobody waits for an answer
        await self.app(scope, receive, send)

    def _is_stream(self, scope: Scope) -> bool:
        return (scope["method"], scope["path"]) in self.streams

    def _check_addressed(self, scope: Scope) -> None:
        """See that the request names this server, and that no page of another site sends it.

        Without it a page could reach a server on loopback by a name that its owner points there.
        """
        host = _name_of(_header(scope, b"host"))
        if not self._serves(host):
            why = "this server does not answer to that name; PINYON_HOSTS says to which it does"
            raise _Refused(421, "not_served", why)
        origin = _header(scope, b"origin")
        if origin and scope["method"] not in SAFE_METHODS:
            its_name = _name_of(urlsplit(origin).netloc)
            if its_name != host or not self._serves(its_name):
                why = "a page of another site may not change anything here"
                raise _Refused(403, "foreign_origin", why)

    def _serves(self, host: str) -> bool:
        if host in self.hosts or "*" in self.hosts:
            return bool(host)
        return self.takes_any_address and _is_address(host)


def _check_said_once(scope: Scope) -> None:
    seen: set[bytes] = set()
    for name, _ in scope["headers"]:
        if name in SAID_ONCE and name in seen:
            why = f"the header {name.decode('ascii')} is there twice; send it once"
            raise _Refused(400, "bad_input", why)
        seen.add(name)


def _refusal(refused: _Refused, scope: Scope) -> Response:
    request_id = scope["state"]["request_id"]
    # Half of the body may still be on its way.
    headers = {"Connection": "close"}
    return problem(
        refused.status, refused.code, refused.detail, request_id=request_id, headers=headers
    )


async def _read(receive: Receive, scope: Scope) -> bytes | None:
    """Return a request's body, `None` where its client leaves before it has sent it all."""
    too_large = _Refused(
        413,
        "too_large",
        f"a request brings at most {BODY_BYTES_MAX:,} bytes; send less, or use the import",
    )
    said = _header(scope, b"content-length")
    if said.isdigit() and int(said) > BODY_BYTES_MAX:
        await _let_pass(receive)
        raise too_large
    parts: list[bytes] = []
    size, more = 0, True
    with anyio.move_on_after(BODY_WITHIN_S) as waiting:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part, more = message.get("body", b""), message.get("more_body", False)
            size += len(part)
            if size > BODY_BYTES_MAX:
                await _let_pass(receive)
                raise too_large
            parts.append(part)
    if waiting.cancelled_caught:
        why = f"the body was not here within {BODY_WITHIN_S:.0f} s; send it at once"
        raise _Refused(408, "too_slow", why)
    return b"".join(parts)


async def _let_pass(receive: Receive) -> None:
    """Take in what is on its way, within reason: who still sends may not read an answer."""
    passed, more = 0, True
    with anyio.move_on_after(PASSED_WITHIN_S):
        while more and passed < PASSED_BYTES_MAX:
            message = await receive()
            passed += len(message.get("body", b""))
            more = bool(message.get("more_body", False))


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _header(scope: Scope, name: bytes) -> str:
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return ""


def _name_of(address: str) -> str:
    """Return the name in `name:port`, `[::1]:port` or `name`, in small letters."""
    if address.startswith("["):
        return address[1:].partition("]")[0].lower()
    return address.partition(":")[0].lower()


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _request_id(given: str) -> str:
    """Return the caller's name for a request where it is a plain one, else a new one."""
    plain = given.replace("-", "").replace("_", "").replace(".", "")
    if plain.isascii() and plain.isalnum() and len(given) <= REQUEST_ID_CHARS_MAX:
        return given
    return secrets.token_hex(8)
