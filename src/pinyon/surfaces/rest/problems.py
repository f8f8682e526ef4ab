"""Errors over HTTP: `application/problem+json` (RFC 9457), with Pinyon's own stable codes."""

import inspect
import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from pinyon import wire
from pinyon.errors import BudgetSpent, PinyonError, RateLimited, StoreBusy, Unavailable
from pinyon.surfaces.encode import error_message

MEDIA_TYPE = "application/problem+json"
ERRORS_TOLD = 10
"""Of a body with many mistakes so many are named."""

RETRY_AFTER_S = 1

_HTTP_CODES: Mapping[int, str] = {
    400: "bad_input",
    404: "no_such_route",
    405: "method_not_allowed",
    408: "too_slow",
    413: "too_large",
    415: "unsupported_media_type",
    421: "not_served",
}
"""What HTTP itself can refuse, beside the errors of `pinyon.errors`."""


def problem(  # noqa: PLR0913 - the members of a problem
    status: int,
    code: str,
    detail: str,
    *,
    title: str = "",
    request_id: str = "",
    errors: Sequence[Mapping[str, str]] = (),
    facts: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error as a response.

    Args:
        status: The HTTP status.
        code: The stable code, by which a program decides.
        detail: One sentence for a person: what was found and what to do next.
        title: What this code means in general.
        request_id: By which the request stands in the server's log.
        errors: Each field that is wrong, and why.
        facts: What the error's class keeps beside its message; for a client in Python.
        headers: Further headers.
    """
    body: dict[str, object] = {
        "type": f"urn:pinyon:problem:{code}",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": request_id,
    }
    if errors:
        body["errors"] = list(errors)
    if facts is not None:
        body["facts"] = dict(facts)
    # In ASCII: what was sent and is named again may be no Unicode at all.
    raw = json.dumps(body).encode("ascii")
    return Response(raw, status, headers=headers, media_type=MEDIA_TYPE)


def problem_of(error: PinyonError, request: Request) -> Response:
    """Return an error of ours as a response; one that time may mend says when to try again."""
    headers: dict[str, str] = {}
    if isinstance(error, RateLimited | BudgetSpent):
        headers["Retry-After"] = str(error.retry_after_s)
    elif isinstance(error, StoreBusy):
        headers["Retry-After"] = str(RETRY_AFTER_S)
    if error.http_status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="pinyon"'
    return _noted(
        request,
        error.http_status,
        error.code,
        error_message(error),
        title=(inspect.getdoc(type(error)) or "").split("\n", maxsplit=1)[0],
        facts=_facts_of(error) if wants_values(request) else None,
        headers=headers,
    )


def wants_values(request: Request) -> bool:
    """Return whether a client asks for values as they are rather than for JSON to read."""
    return request.headers.get("accept", "") == wire.MEDIA_TYPE


def _noted(request: Request, status: int, code: str, detail: str, **more: Any) -> Response:
    """Return a problem, and note its code for the log."""
    state = request.scope.setdefault("state", {})
    state["code"] = code
    return problem(status, code, detail, request_id=str(state.get("request_id", "")), **more)


def _mistake(found: Mapping[str, Any]) -> Mapping[str, str]:
    """Return which field is wrong, and why, without what stood in it."""
    if found["type"] == "json_invalid":
        at = found["loc"][-1]
        return {"field": "body", "why": f"it is no JSON, from character {at} on"}
    field = ".".join(str(part) for part in found["loc"][1:])
    return {"field": field or "body", "why": str(found["msg"])}


def bug(request_id: str) -> Response:
    """Return what a bug is told as: where it stands in the log, and no word of it."""
    detail = "this is a bug in Pinyon; the server's log has it under this request_id"
    return problem(500, "internal", detail, request_id=request_id)


def handle_errors(app: FastAPI) -> None:
    """Let every error end as a problem."""

    async def of_ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, PinyonError)  # noqa: S101 - FastAPI's type is wider
        return problem_of(error, request)

    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101
        status = error.status_code
        code = _HTTP_CODES.get(status, "bad_input" if status < 500 else "internal")
        detail = f"{error.detail}; see /openapi.json for what is served"
        return _noted(request, status, code, detail, headers=error.headers)

    async def of_form(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        told = [_mistake(one) for one in error.errors()[:ERRORS_TOLD]]
        detail = f"{told[0]['field']}: {told[0]['why']}"
        title = "What was asked cannot be asked."
        return _noted(request, 400, "bad_input", detail, title=title, errors=told)

    async def of_bug(request: Request, error: Exception) -> Response:
        # It goes on to the guards, which log it; whoever asked need not wait for that.
        return bug(str(request.scope.get("state", {}).get("request_id", "")))

    app.add_exception_handler(PinyonError, of_ours)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(Exception, of_bug)


def _facts_of(error: PinyonError) -> Mapping[str, object]:
    facts = wire.facts_of(error)
    if isinstance(error, Unavailable):
        facts.pop("path", None)
    return facts
