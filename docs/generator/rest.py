"""The page of the HTTP API, and the examples in its description: both from calls that were made."""

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
import httpx2

from generator.markdown import page, section, table
from pinyon.domain.credential import Holder, Role
from pinyon.ports.models import NO_MODELS
from pinyon.settings import read_settings
from pinyon.stores.in_memory import InMemoryStore
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import serving_from
from pinyon.testing import FrozenClock
from pinyon.testing.makers import counting_ids
from pinyon.wiring import Parts, serve_home

BULBS = "My bulbs only show white since last week"
STEP_S = 60.0
ANSWER_CHARS_MAX = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request of the story that the page tells.

    Attributes:
        name: Its route.
        path: `{said}` and the like stand for ids of answers before it, by the `keep` of those.
        keep: Under which name the answer's id is kept.
        shown: It is the one that stands as the route's example.
    """

    name: str
    method: str
    path: str
    body: dict[str, Any] | None = None
    query: dict[str, str] = field(default_factory=dict)
    lines: str = ""
    role: Role = "user"
    headers: dict[str, str] = field(default_factory=dict)
    keep: str = ""
    shown: bool = True


MEMORY = "/v1/memory"
STORY: tuple[Call, ...] = (
    Call(name="me", method="GET", path="/v1/me"),
    Call(
        name="remember",
        method="POST",
        path=f"{MEMORY}/events",
        body={"text": BULBS, "session": "s1"},
        headers={"Idempotency-Key": "message-17"},
        keep="said",
    ),
    Call(
        name="remember",
        method="POST",
        path=f"{MEMORY}/events",
        body={"text": "Have you reset the hub?", "role": "assistant", "session": "s1"},
        shown=False,
    ),
    Call(
        name="recall",
        method="POST",
        path=f"{MEMORY}/search",
        body={"query": "what is wrong with the bulbs?", "k": 5},
    ),
    Call(name="events", method="GET", path=f"{MEMORY}/events", query={"session": "s1"}),
    Call(
        name="write",
        method="POST",
        path=MEMORY,
        body={"text": "Sarah lives in Bristol", "tags": ["home"]},
        keep="bristol",
        shown=False,
    ),
    Call(
        name="write",
        method="POST",
        path=MEMORY,
        body={"text": "Sarah lives in Edinburgh", "supersedes": ["{bristol}"]},
        keep="edinburgh",
    ),
    Call(
        name="write_many",
        method="POST",
        path=f"{MEMORY}/batch",
        body={
            "memories": [
                {"text": "Sarah has a Lumio Hub v2"},
                {
                    "text": "Colours come back when the scene is saved again",
                    "kind": "procedural",
                    "trigger": "bulbs show only white",
                    "steps": ["Open the scene", "Save it again"],
                },
            ]
        },
    ),
    Call(
        name="feedback",
        method="POST",
        path=f"{MEMORY}/feedback",
        body={"ids": ["{edinburgh}"], "outcome": "worked", "query": "where does she live?"},
    ),
    Call(name="export_feedback", method="GET", path=f"{MEMORY}/feedback"),
    Call(
        name="why_not",
        method="POST",
        path=MEMORY + "/{said}/why-not",
        body={"query": "where does Sarah live?"},
    ),
    Call(name="core_facts", method="GET", path=f"{MEMORY}/core"),
    Call(name="material", method="GET", path=f"{MEMORY}/material", query={"limit": "5"}),
    Call(
        name="propose",
        method="POST",
        path=f"{MEMORY}/proposals",
        body={
            "episodes": ["{said}"],
            "facts": [
                {
                    "text": "Sarah's bulbs only show white",
                    "support": "{said}",
                    "quote": "My bulbs only show white",
                    "subject": "bulbs",
                    "attribute": "show",
                    "confidence": 0.9,
                }
            ],
        },
    ),
    Call(name="consolidate", method="POST", path=f"{MEMORY}/consolidate", body={"limit": 100}),
    Call(
        name="reflect",
        method="POST",
        path=f"{MEMORY}/tasks/colours/finish",
        body={"outcome": "worked", "summary": "Saved the scene again. The colours came back."},
    ),
    Call(
        name="turn",
        method="POST",
        path=f"{MEMORY}/turns",
        body={"message": "Which hub do I have, and where do I live?", "session": "s2"},
    ),
    Call(
        name="build_context",
        method="POST",
        path=f"{MEMORY}/context",
        body={"task": "Help Sarah with her hub", "session": "s2", "budget_tokens": 400},
    ),
    Call(name="warm", method="POST", path=f"{MEMORY}/warm"),
    Call(
        name="list",
        method="GET",
        path=MEMORY,
        query={"kind": "semantic", "filter": '{"importance": {"gte": 0.5}}', "limit": "1"},
    ),
    Call(name="show", method="GET", path=MEMORY + "/{edinburgh}"),
    Call(
        name="edit",
        method="PATCH",
        path=MEMORY + "/{edinburgh}",
        body={"importance": 0.9},
        headers={"If-Match": '"1"'},
    ),
    Call(name="history", method="GET", path=MEMORY + "/{bristol}/history"),
    Call(name="undo", method="POST", path=MEMORY + "/{edinburgh}/undo"),
    Call(name="hide", method="POST", path=MEMORY + "/{bristol}/hide"),
    Call(name="release", method="POST", path=MEMORY + "/{bristol}/release"),
    Call(
        name="end",
        method="POST",
        path=MEMORY + "/{bristol}/end",
        body={"at": "2026-03-02T12:00:00+00:00"},
    ),
    Call(name="retract", method="POST", path=MEMORY + "/{bristol}/retract"),
    Call(
        name="publish",
        method="POST",
        path=MEMORY + "/{said}/publish",
        body={"scope": "shared"},
    ),
    Call(
        name="withdraw",
        method="POST",
        path=MEMORY + "/{said}/withdraw",
        body={"scope": "shared"},
    ),
    Call(
        name="start_session",
        method="POST",
        path="/v1/sessions",
        body={"session": "a visit", "mode": "temporary"},
    ),
    Call(name="list_sessions", method="GET", path="/v1/sessions"),
    Call(name="end_session", method="POST", path="/v1/sessions/end", body={"session": "a visit"}),
    Call(name="set_consent", method="PATCH", path="/v1/consent", body={"never": ["health"]}),
    Call(name="consent", method="GET", path="/v1/consent"),
    Call(name="export", method="GET", path=f"{MEMORY}/export"),
    Call(
        name="import_rows",
        method="POST",
        path=f"{MEMORY}/import",
        query={"name": "notes.jsonl"},
        lines='{"text": "Sarah\'s dog chews sensor cables"}\n',
    ),
    Call(
        name="import_catalog",
        method="PUT",
        path="/v1/catalog",
        query={"name": "manual"},
        lines='{"name": "reset.md", "text": "# Reset\\n\\nHold the button for ten seconds."}\n',
    ),
    Call(name="list_catalog", method="GET", path="/v1/catalog"),
    Call(
        name="forget",
        method="POST",
        path=f"{MEMORY}/forget",
        body={"query": "the hub", "dry_run": True},
    ),
    Call(name="forget_one", method="DELETE", path=MEMORY + "/{said}"),
    Call(name="receipts", method="GET", path=f"{MEMORY}/receipts"),
    Call(
        name="create_key",
        method="POST",
        path="/v1/keys",
        body={"user": "tom", "role": "agent", "name": "Tom's assistant"},
        role="admin",
        keep="key",
    ),
    Call(name="list_keys", method="GET", path="/v1/keys", role="admin"),
    Call(name="revoke_key", method="DELETE", path="/v1/keys/{key}", role="admin"),
    Call(
        name="grant",
        method="PUT",
        path="/v1/grants",
        body={"space": "default/project/hub", "user": "sarah", "may": "write"},
        role="admin",
    ),
    Call(name="list_grants", method="GET", path="/v1/grants", role="admin"),
    Call(
        name="revoke_grant",
        method="DELETE",
        path="/v1/grants",
        query={"space": "default/project/hub", "user": "sarah"},
        role="admin",
    ),
    Call(name="list_spaces", method="GET", path="/v1/spaces", role="auditor"),
    Call(
        name="audit",
        method="GET",
        path="/v1/audit",
        query={"space": "default/user/sarah", "limit": "2"},
        role="auditor",
    ),
    Call(
        name="list_jobs",
        method="GET",
        path="/v1/jobs",
        query={"space": "default/user/sarah", "state": "waiting"},
        role="admin",
    ),
    Call(name="healthz", method="GET", path="/healthz"),
    Call(name="readyz", method="GET", path="/readyz"),
)
"""One call of each route, in an order in which each makes sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call as it was made, and its answer."""

    call: Call
    path: str
    body: dict[str, Any] | None
    status: int
    answer: Any
    media_type: str


@cache
def made() -> tuple[tuple[Made, ...], dict[str, Any]]:
    """Return the story as it went, and the description of the API."""
    return anyio.run(_play)


async def _play() -> tuple[tuple[Made, ...], dict[str, Any]]:
    clock = FrozenClock()
    store = InMemoryStore(clock=clock)
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings({}, home=Path(folder), rate_limit=0)
        parts = Parts(store=store, models=NO_MODELS, new_uuid=counting_ids())
        served = serve_home(settings, clock=clock, parts=parts)
        keys = {}
        for role in ("user", "admin", "auditor"):
            holder = Holder.of(role, tenant="default", user="sarah" if role == "user" else None)
            keys[role] = (await served.keyring.create(holder))[1]
        transport = httpx2.ASGITransport(rest_app(serving_from(served, settings)))
        ids: dict[str, str] = {}
        story = []
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            for call in STORY:
                clock.forward(STEP_S)
                story.append(await _made(http, call, keys[call.role], ids))
            described = (await http.get("/openapi.json")).json()
        await served.base.close()
    return tuple(story), described


async def _made(http: httpx2.AsyncClient, call: Call, key: str, ids: dict[str, str]) -> Made:
    path = call.path.format(**ids)
    body = None if call.body is None else json.loads(_named(json.dumps(call.body), ids))
    response = await http.request(
        call.method,
        path,
        params=call.query,
        headers={"Authorization": f"Bearer {key}", **call.headers},
        **({"content": call.lines.encode()} if call.lines else {}),
        **({"json": body} if body is not None else {}),
    )
    if not response.is_success:
        raise RuntimeError(f"{call.method} {path}: {response.text}")
    media_type = response.headers.get("content-type", "")
    answer = response.json() if media_type == "application/json" else response.text
    if call.keep:
        ids[call.keep] = answer["id"]
    if isinstance(answer, dict) and "key" in answer:
        answer["key"] = re.sub(r"_[0-9A-Za-z]{43}$", "_…", answer["key"])
    return Made(
        call=call,
        path=f"{path}?{urlencode(call.query)}" if call.query else path,
        body=body,
        status=response.status_code,
        answer=_still(answer),
        media_type=media_type,
    )


def _named(text: str, ids: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], found[0]), text)


def _still(answer: Any) -> Any:
    """Return an answer in which nothing is measured: how long something took is never the same."""
    if isinstance(answer, dict):
        return {name: 1.0 if name == "ms" else _still(value) for name, value in answer.items()}
    return [_still(one) for one in answer] if isinstance(answer, list) else answer


def examples_json() -> str:
    """Return by route what one sends and what one gets, for the description of the API."""
    shown: dict[str, dict[str, Any]] = {}
    for one in made()[0]:
        if not one.call.shown:
            continue
        example: dict[str, Any] = {}
        if one.body is not None:
            example["request"] = one.body
        elif one.call.lines:
            example |= {"request": one.call.lines, "request_media_type": "application/x-ndjson"}
        if one.status != 204:
            example["response"] = one.answer
            if one.media_type != "application/json":
                example |= {"media_type": one.media_type, "schema": {"type": "string"}}
        shown[one.call.name] = example
    return json.dumps(shown, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def rest_page() -> str:
    """Return the page of the HTTP API."""
    story, described = made()
    by_name = {one.call.name: one for one in story if one.call.shown}
    tags = {tag["name"]: tag["description"] for tag in described["tags"]}
    parts = [
        section(f"{tag.capitalize()}: {about}", *_calls(described, tag, by_name))
        for tag, about in tags.items()
    ]
    return page(
        "HTTP API",
        """
        What `pinyon serve` answers; the [tutorial](../tutorial/http.md) walks through it with
        curl. A server describes itself at `/openapi.json`, with every field.

        Each request but those for health brings a key: `Authorization: Bearer pyn_…` (see [give
        out keys](../howto/give-out-keys.md)). Whose memory it is, the key says; no body and no
        query can name anybody else: a field or a parameter that a call does not know is refused
        (`unknown_field`). A service's key names the user by the header `Pinyon-User`, and may name
        `Pinyon-Agent` and `Pinyon-Project`; names are percent-encoded UTF-8. What says who asks is
        sent once: two such headers are refused.

        An error is `application/problem+json` with a stable `code` (see [errors](errors.md)), a
        `detail` for a person and the `request_id` under which the log has it, which every answer
        has as `X-Request-Id`. Beside those codes HTTP itself can answer `no_such_route` (404),
        `method_not_allowed` (405), `too_slow` (408: the body was not there in time), `not_served`
        (421: another host is meant) and `foreign_origin` (403: a page of another site sent it).
        429, and a store that is busy, say when to come again, in `Retry-After`.

        What keeps something new takes an `Idempotency-Key`: a retry under it, for a day, is
        answered as the first time. What changes a memory takes `If-Match` with the `ETag` that
        was read: where another version is there by now, 409 `version_conflict`, and nothing is
        done.

        A body has at most 1 MiB; imports and catalogs are streams of JSON lines.
        """,
        *parts,
    )


def _calls(described: dict[str, Any], tag: str, by_name: dict[str, Made]) -> Iterator[str]:
    rows = []
    shown = []
    for path, methods in described["paths"].items():
        for method, call in methods.items():
            if tag not in call["tags"]:
                continue
            rows.append((f"`{method.upper()} {path}`", call["description"]))
            one = by_name.get(call["operationId"])
            if one is not None:
                shown.append(_shown(one))
    yield table(("call", "what it does"), rows)
    yield from shown


def _shown(one: Made) -> str:
    lines = [f"{one.call.method} {one.path}"]
    lines += [f"{name}: {value}" for name, value in one.call.headers.items()]
    if one.body is not None:
        lines += ["", json.dumps(one.body, ensure_ascii=False, indent=2)]
    elif one.call.lines:
        lines += ["", one.call.lines.rstrip()]
    answer = one.answer
    if not isinstance(answer, str):
        answer = json.dumps(answer, ensure_ascii=False, indent=2)
    if len(answer) > ANSWER_CHARS_MAX:
        answer = answer[:ANSWER_CHARS_MAX].rsplit("\n", maxsplit=1)[0] + "\n…"
    lines += ["", f"→ {one.status}", *([answer.rstrip()] if answer and one.status != 204 else [])]
    return "```http\n" + "\n".join(lines) + "\n```"
