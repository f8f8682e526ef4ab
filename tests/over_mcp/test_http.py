"""`/mcp` of a server: who is let in, to whose memory, in either era of the protocol."""

import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from over_mcp.conftest import ERAS, HELLO, calling, environment, refusal, said
from pinyon.domain.credential import Holder
from pinyon.settings import read_settings
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.rest.guards import BODY_BYTES_MAX
from pinyon.surfaces.rest.limiting import Limiter
from pinyon.surfaces.server import mcp_routes, serving_from
from pinyon.wiring import SystemClock, serve_home
from server.conftest import serving as serving_process

pytestmark = pytest.mark.anyio

URL = "http://localhost"
ACCEPT = {"Accept": "application/json, text/event-stream"}
TELL = calling(1, "write_memory", text="Sarah has a dog")


@dataclass
class Desk:
    """A server in this process, and keys to it."""

    app: object
    keys: dict
    seen: list
    serving: object

    @asynccontextmanager
    async def http(self, role="user", headers=None):
        given = {**ACCEPT, **(headers or {})}
        if role is not None:
            given["Authorization"] = f"Bearer {self.keys[role]}"
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, headers=given, base_url=URL) as http:
            yield http

    @asynccontextmanager
    async def client(self, era="legacy", *, path="/mcp", role="user", headers=None):
        async with (
            self.http(role, headers) as http,
            Client(streamable_http_client(URL + path, http_client=http), mode=era) as client,
        ):
            yield client

    async def post(self, body, *, path="/mcp", role="user", headers=None, method="POST"):
        async with self.http(role, headers) as http:
            return await http.request(method, path, json=body)


@pytest.fixture
async def desk(tmp_path):
    """Give a server with a key of each role; Sarah is the user."""
    settings = read_settings(
        {}, home=tmp_path / "home", durable=False, models="off", tenant="acme", rate_limit=0
    )
    served = serve_home(settings)
    keys = {}
    for role in ("admin", "service", "agent", "user", "auditor"):
        user = "sarah" if role in ("user", "agent") else None
        keys[role] = (await served.keyring.create(Holder.of(role, tenant="acme", user=user)))[1]
    seen = []
    serving = serving_from(served, settings)
    app = rest_app(serving, told=seen.append, beside=[mcp_routes(settings)])
    yield Desk(app, keys, seen, serving)
    await served.base.close()


# ── the protocol ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/mcp", "/mcp/sarah"])
@pytest.mark.parametrize("era", ERAS)
async def test_the_sdks_own_client_keeps_and_finds_in_either_era(desk, era, path):
    async with desk.client(era, path=path) as client:
        await client.call_tool("write_memory", {"text": "Sarah lives in Bristol"})
        found = await client.call_tool("recall_memory", {"query": "where does Sarah live?"})
        resource = await client.read_resource("memory://profile")
        prompt = await client.get_prompt("memory_rules")

        assert "Sarah lives in Bristol" in said(found)
        assert "memory of sarah" in client.instructions
        assert resource.contents[0].uri == "memory://profile"
        assert "supersedes" in prompt.messages[0].content.text


async def test_every_request_stands_by_itself_and_no_session_is_given(desk):
    hello = await desk.post(HELLO)
    answer = await desk.post(calling(1, "recall_memory", query="tea"))

    assert (hello.status_code, answer.status_code) == (200, 200)
    assert "mcp-session-id" not in hello.headers
    assert answer.json()["result"]["structuredContent"]["empty_because"] == "empty_store"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_nothing_is_streamed_and_nothing_is_ended(desk, method):
    answer = await desk.post(None, method=method)

    assert answer.status_code == 405
    assert answer.json()["code"] == "method_not_allowed"


async def test_a_notification_is_taken_and_not_answered(desk):
    answer = await desk.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (answer.status_code, answer.content) == (202, b"")


async def test_what_is_written_here_is_the_users_as_rest_has_it(desk):
    await desk.post(TELL)
    async with desk.http() as http:
        (one,) = (await http.get("/v1/memory")).json()["memories"]
        history = (await http.get(f"/v1/memory/{one['id']}/history")).json()

    assert one["space"] == "acme/user/sarah"
    assert one["text"] == "Sarah has a dog"
    assert [act["surface"] for act in history["acts"]] == ["mcp"]


# ── who is let in ────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "mcp",
    "Over HTTP a credential says whose memory it is; a user in the path that is another's is "
    "refused, and so is whoever brings none.",
)
async def test_without_a_credential_nobody_is_let_in(desk):
    for path in ("/mcp", "/mcp/sarah"):
        answer = await desk.post(TELL, path=path, role=None)

        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["www-authenticate"] == 'Bearer realm="pinyon"'


@pytest.mark.promise(
    "mcp",
    "Over HTTP a credential says whose memory it is; a user in the path that is another's is "
    "refused, and so is whoever brings none.",
)
@pytest.mark.parametrize("user", ["john", "SARAH", "sarah ", "*", "%", "", "sarah/x"])
async def test_a_path_that_names_another_user_is_refused(desk, user):
    answer = await desk.post(TELL, path=f"/mcp/{quote(user, safe='')}")

    assert answer.status_code == 403
    assert answer.json()["code"] == "not_allowed"
    assert await memories_of(desk, "sarah") == []


async def memories_of(desk, user):
    headers = {"Pinyon-User": quote(user)}
    async with desk.http("service", headers) as http:
        return [one["text"] for one in (await http.get("/v1/memory")).json()["memories"]]


@pytest.mark.parametrize("user", ["jürgen", "a/b", "50% off", "*"])
async def test_a_service_names_the_user_by_its_header_and_the_path_may_say_it_again(desk, user):
    headers = {"Pinyon-User": quote(user, safe="")}
    path = f"/mcp/{quote(user, safe='')}"
    async with desk.client(path=path, role="service", headers=headers) as client:
        await client.call_tool("write_memory", {"text": f"{user} has a dog"})
        other = await desk.post(TELL, path="/mcp/sarah", role="service", headers=headers)
        instructions = client.instructions

    assert other.status_code == 403
    assert f"memory of {user}" in instructions
    assert await memories_of(desk, user) == [f"{user} has a dog"]
    assert await memories_of(desk, "sarah") == []


@pytest.mark.parametrize("role", ["service", "admin", "auditor"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/sarah"])
async def test_a_credential_that_speaks_for_no_user_has_no_memory_to_offer(desk, role, path):
    answer = await desk.post(TELL, path=path, role=role)

    assert answer.status_code == 403


@pytest.mark.promise("mcp", "No argument of a tool, and no parameter of a path, names a user.")
@pytest.mark.parametrize("name", ["user_id", "user", "tenant", "agent", "project", "scope"])
async def test_an_argument_that_names_a_user_is_refused(desk, name):
    asked = calling(1, "recall_memory", query="tea", **{name: "john"})
    answer = (await desk.post(asked)).json()["result"]
    by_query = await desk.post(TELL, path=f"/mcp?{name}=john")

    assert answer["isError"]
    assert answer["content"][0]["text"].startswith("unknown_field: ")
    assert by_query.status_code == 400
    assert by_query.json()["code"] == "unknown_field"


async def test_a_tool_does_no_more_than_its_credential_may(desk):
    async with desk.client(role="agent") as client:
        kept = await client.call_tool("write_memory", {"text": "Sarah has a dog"})
        gone = await client.call_tool("forget_memory", {"ids": [kept.structured_content["id"]]})

    assert said(kept).startswith("Kept as")
    assert said(gone).startswith("Forgotten")


# ── guards ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "elsewhere.example"}, 421, "not_served"),
        ({"Origin": "https://elsewhere.example"}, 403, "foreign_origin"),
        ({"Content-Length": str(BODY_BYTES_MAX + 1)}, 413, "too_large"),
    ],
)
async def test_the_guards_of_the_server_stand_before_it(desk, headers, status, code):
    answer = await desk.post(TELL, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_who_asks_too_often_waits(desk):
    object.__setattr__(desk.serving, "limiter", Limiter(0.1, SystemClock()))
    answers = [await desk.post(TELL) for _ in range(2)]

    assert [one.status_code for one in answers] == [200, 429]
    assert int(answers[1].headers["retry-after"]) >= 1


async def test_the_log_names_the_route_and_neither_user_nor_text(desk):
    await desk.post(TELL, path="/mcp/sarah")
    (told,) = desk.seen

    assert (told.operation, told.route, told.status) == ("mcp", "/mcp/{user_id:path}", 200)
    assert told.key_id.startswith("key_")
    assert "dog" not in str(told)


@pytest.mark.parametrize("body", ["no JSON", "[]", "[1]", "null", '{"jsonrpc": "1.0"}', "{", ""])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "1999-01-01", "\x7f"])
async def test_what_is_no_message_is_an_error_of_the_protocol(desk, body, version):
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    async with desk.http(headers=headers) as http:
        answer = await http.post("/mcp", content=body)

    assert 400 <= answer.status_code < 500
    assert answer.json()["jsonrpc"] == "2.0"
    assert "error" in answer.json()


async def test_a_bug_is_told_by_its_code_and_logged_without_a_word(desk, monkeypatch, caplog):
    async def broken(*_args, **_kwargs):
        raise RuntimeError("a text of Sarah's")

    monkeypatch.setattr("pinyon.client.MemoryClient.history", broken)
    async with desk.client() as client:
        answer = await client.call_tool("memory_history", {"id": "mem_" + "0" * 32})

    assert refusal(answer).startswith("internal: ")
    assert "Sarah" not in refusal(answer) + caplog.text
    assert "RuntimeError in broken" in caplog.text


# ── a process ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_is_a_process_answers_in_either_era(tmp_path, era):
    with serving_process(tmp_path / "home") as server:
        headers = {"Authorization": f"Bearer {server.key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(f"{server.url}/mcp", http_client=http), mode=era) as one,
        ):
            await one.call_tool("write_memory", {"text": "Sarah lives in Bristol"})
            found = await one.call_tool("recall_memory", {"query": "where does Sarah live?"})

        assert "Sarah lives in Bristol" in said(found)
        assert server.end() == 0


def test_a_server_does_not_load_the_sdk_before_somebody_asks():
    script = "import sys, pinyon.surfaces.server; print('mcp' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment("no-home"),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "False\n"
