"""What stands before every route: whom a request names, where it comes from, how large it is."""

import json

import httpx2
import pytest

from pinyon import wire
from pinyon.domain.credential import Holder
from pinyon.surfaces.rest import guards
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import serving_from
from pinyon.wiring import serve_home

pytestmark = pytest.mark.anyio

BULBS = {"text": "My bulbs only show white"}


def problem_of(response):
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    assert told["request_id"] == response.headers["x-request-id"]
    return told["code"]


# ── whom it names ────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "A request that names another host is refused.")
@pytest.mark.parametrize(
    "host", ["evil.example", "", "localhost.evil.example", "10.0.0.1:80", "127.0.0.1.nip.io"]
)
async def test_a_request_for_another_host_is_refused(desk, host):
    answer = await desk.ask("GET", "/v1/memory", headers={"Host": host})

    assert (answer.status_code, problem_of(answer)) == (421, "not_served")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7469", "127.0.0.1:1", "[::1]:7469"])
async def test_a_request_for_this_machine_is_answered(desk, host):
    assert (await desk.ask("GET", "/v1/memory", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    ("takes_any", "host", "status"),
    [
        (True, "10.0.0.1:7469", 200),
        (True, "[fe80::1]:7469", 200),
        (True, "evil.example", 421),
        (True, "memory.example.com", 200),
        (False, "10.0.0.1:7469", 421),
    ],
)
async def test_beyond_this_machine_addresses_are_answered_and_names_that_are_set(
    desk, settings, takes_any, host, status
):
    app = rest_app(
        serving_from(desk.served, settings),
        hosts={"memory.example.com"},
        takes_any_address=takes_any,
    )
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
        headers = {"Host": host, "Authorization": f"Bearer {desk.keys['user']}"}
        answer = await http.get("http://localhost/v1/memory", headers=headers)

    assert answer.status_code == status


# ── where it comes from ──────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "A page of another site can change nothing, whatever it sends.")
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost.evil", "x"])
async def test_a_page_of_another_site_changes_nothing(desk, origin):
    headers = {"Origin": origin}
    refused = await desk.ask("POST", "/v1/memory", BULBS, headers=headers)
    listed = (await desk.ask("GET", "/v1/memory")).json()

    assert (refused.status_code, problem_of(refused)) == (403, "foreign_origin")
    assert listed["memories"] == []


async def test_a_page_of_this_server_may(desk):
    headers = {"Origin": "http://localhost:7469", "Host": "localhost:7469"}
    answer = await desk.ask("POST", "/v1/memory", BULBS, headers=headers)

    assert answer.status_code == 201


async def test_no_other_site_is_ever_let_in_by_a_header(desk):
    answer = await desk.ask("OPTIONS", "/v1/memory", headers={"Origin": "http://evil.example"})
    read = await desk.ask("GET", "/v1/memory", headers={"Origin": "http://evil.example"})

    assert answer.status_code == 405
    for one in (answer, read):
        assert not [name for name in one.headers if name.startswith("access-control")]


# ── its name ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["abc", "a1-b2_c3.d4", "x" * 64])
async def test_a_request_keeps_the_name_that_it_brings(desk, name):
    answer = await desk.ask("GET", "/healthz", headers={"X-Request-Id": name})

    assert answer.headers["x-request-id"] == name


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a/b", "<b>", "--"])
async def test_a_name_that_is_none_is_replaced(desk, name):
    answer = await desk.ask("GET", "/healthz", headers={"X-Request-Id": name})

    assert len(answer.headers["x-request-id"]) == 16


async def test_what_is_told_of_a_request_is_its_route_and_not_its_path(desk):
    await desk.ask("GET", "/v1/memory/mem_" + "0" * 32)
    told = desk.seen[-1]

    assert (told.route, told.status, told.code) == ("/v1/memory/{memory_id}", 404, "not_found")
    assert told.key_id.startswith("key_")


# ── how large it is ──────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "A body over 1 MiB is refused, however it is sent.")
@pytest.mark.parametrize("told_length", [True, False])
async def test_a_body_that_is_too_large_is_refused(desk, told_length):
    body = json.dumps({"text": "x" * guards.BODY_BYTES_MAX}).encode()

    async def parts():
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    content = body if told_length else parts()
    answer = await desk.ask("POST", "/v1/memory/events", content=content)

    assert (answer.status_code, problem_of(answer)) == (413, "too_large")
    assert (await desk.ask("GET", "/v1/memory")).json()["memories"] == []


async def test_a_body_that_is_too_large_is_taken_in_before_that_is_said(desk):
    taken = []

    async def parts():
        for _ in range(4):
            taken.append(guards.BODY_BYTES_MAX // 2)
            yield b"x" * taken[-1]

    answer = await desk.ask("POST", "/v1/memory/events", content=parts())

    assert answer.status_code == 413
    assert sum(taken) == 2 * guards.BODY_BYTES_MAX


async def test_a_text_that_is_too_large_for_a_memory_says_what_to_do(desk):
    answer = await desk.ask("POST", "/v1/memory/events", {"text": "x " * 200_000})

    assert (answer.status_code, problem_of(answer)) == (413, "too_large")
    assert "characters" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"text":', "bad_input"),
        (b"", "bad_input"),
        (b"[]", "bad_input"),
        (b'"text"', "bad_input"),
        (b'{"text": "\xff\xfe"}', "bad_input"),
        (b'{"text": "a\\u0000b"}', None),
        (b'{"text": "\\ud800"}', None),
        (b'{"text": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", None),
        (b"{}", "bad_input"),
        (b'{"text": "hi", "user": "tom"}', "unknown_field"),
        (b'{"text": 5}', "invalid_text"),
        (b'{"text": "  "}', "invalid_text"),
        (b'{"text": "hi", "occurred_at": "yesterday"}', "invalid_time"),
        (b'{"text": "hi", "metadata": {"user_id": "tom"}}', None),
        (b'{"text": "hi", "importance": NaN}', None),
        (b'{"text": "hi", "importance": 1e999}', None),
    ],
)
async def test_what_is_no_body_is_refused_with_a_code(desk, content, code):
    headers = {"Content-Type": "application/json"}
    answer = await desk.ask("POST", "/v1/memory/events", content=content, headers=headers)

    assert answer.status_code < 500
    if code is not None:
        assert (answer.status_code, problem_of(answer)) == (400, code)


async def test_ids_by_the_thousand_are_bounded(desk):
    body = {"ids": [f"mem_{n:032x}" for n in range(5_000)]}

    answer = await desk.ask("POST", "/v1/memory/forget", body)

    assert answer.status_code in (400, 404, 413)


async def test_a_form_that_is_no_json_is_refused(desk):
    answer = await desk.ask("POST", "/v1/memory/events", data={"text": "hi"})

    assert answer.status_code == 400


# ── a bug ────────────────────────────────────────────────────────────────────────────────────


async def test_a_bug_is_told_without_a_word_of_what_was_asked(desk, monkeypatch):
    def broken(self, principal):
        raise RuntimeError("the text was: my PIN is 4471")

    monkeypatch.setattr(type(desk.served.base), "bound_to", broken)
    answer = await desk.ask("POST", "/v1/memory/events", {"text": "my PIN is 4471"})

    assert (answer.status_code, problem_of(answer)) == (500, "internal")
    assert "4471" not in answer.text
    assert (await desk.ask("GET", "/healthz")).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", wire.MEDIA_TYPE])
async def test_what_is_broken_is_told_without_where_it_lies(settings, accept):
    first = serve_home(settings)
    holder = Holder.of("user", tenant="acme", user="sarah")
    _, key = await first.keyring.create(holder)
    await first.base.acting_for("sarah").write(**BULBS)
    await first.base.close()
    for path in settings.home.glob("spaces/??/*.db"):
        path.write_bytes(b"no database" * 1_000)

    served = serve_home(settings)
    app = rest_app(serving_from(served, settings))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
        headers = {"Accept": accept, "Authorization": f"Bearer {key}"}
        answer = await http.get("http://localhost/v1/memory", headers=headers)
    await served.base.close()

    assert (answer.status_code, problem_of(answer)) == (503, "store_corrupt")
    assert str(settings.home) not in answer.text
