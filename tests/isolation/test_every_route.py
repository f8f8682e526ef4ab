"""Every route, whichever there are: who is let in, and that nobody names another there."""

import pytest

from isolation.over_http import ELSEWHERE, URL, Served
from isolation.probes import OWNER_FIELDS
from isolation.routes import BODIES, GIVEN, LOCAL, OPEN, routes_of
from pinyon.domain.credential import ROLES
from pinyon.ports.client import OPERATIONS

pytestmark = pytest.mark.anyio

NAMING = sorted({*OWNER_FIELDS, "agent", "tenant_id", "space_id", "owner_id", "acting_for"})
NO_ID = (
    *("*", "%25", "_", "mem_*", "mem_%25", "..", "%2e%2e", "%2F", "a%2Fb", "core%2F..", "%00"),
    *("mem_1%00", "mem_" + "0" * 31, "mem_" + "0" * 33, "%F0%9F%91%BB", ";user=bob", "bob"),
)
AS_WHAT = {
    "user": {"role": "user", "user": "ann"},
    "agent": {"role": "agent", "user": "ann"},
    "service": {"role": "service"},
    "service for a user": {"role": "service"},
    "admin": {"role": "admin"},
    "admin who is a user": {"role": "admin", "user": "ann"},
    "auditor": {"role": "auditor"},
    "auditor who is a user": {"role": "auditor", "user": "ann"},
}
USERS = {"user", "agent", "service for a user", "admin who is a user"}
ADMINS = {"admin", "admin who is a user"}
AUDITORS = {"auditor", "auditor who is a user"}
LET_IN = {"memory": USERS, "moving": USERS, "personal": USERS, "learning": USERS, "running": ADMINS}
"""By tag, unless a route is named here."""
LET_IN_ELSE = {
    "me": set(AS_WHAT),
    "set_consent": USERS - {"agent"},
    "receipts": USERS - {"agent"},
    "list_spaces": ADMINS | AUDITORS,
    "audit": ADMINS | AUDITORS | USERS - {"agent"},
}


@pytest.fixture
async def keys(served):
    return {what: await served.key(tenant="acme", **holder) for what, holder in AS_WHAT.items()}


def headers_of(what):
    return [("Pinyon-User", "ann")] if what == "service for a user" else []


def closed_routes_of(served):
    """Return the routes that take a credential from everybody."""
    return [route for route in routes_of(served) if route.name not in OPEN | LOCAL]


# ── the list is whole ────────────────────────────────────────────────────────────────────────


async def test_every_route_is_described_and_known_here(served):
    routes = routes_of(served)
    described = {route.name for route in routes}
    unknown = [
        (route.name, missing)
        for route in routes
        for missing in (
            *(name for name in route.needs if name not in GIVEN),
            *(["a body"] if route.takes_body and route.name not in BODIES else []),
        )
    ]

    assert unknown == []
    assert {operation.name for operation in OPERATIONS} <= described
    assert {route.tag for route in routes} - {"health"} == LET_IN.keys()


# ── without a credential ─────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "Without a credential a server answers nothing but whether it works, on this machine too.",
)
@pytest.mark.parametrize(
    "credential",
    [None, "", "Bearer", "Bearer x", "Bearer null", "Basic YW5uOmFubg==",
     f"Bearer pyn_{'0' * 32}_{'A' * 43}", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."],
)  # fmt: skip
async def test_without_a_credential_no_route_answers(served, credential):
    headers = [] if credential is None else [("Authorization", credential)]
    for named in ([], [("Pinyon-User", "ann")], [("X-Forwarded-For", "127.0.0.1")]):
        for route in closed_routes_of(served):
            answer = await served.ask(
                route.method, route.url, headers=[*headers, *named], **route.sound()
            )

            assert (answer.status_code, route.name) == (401, route.name)
            assert answer.headers["www-authenticate"] == 'Bearer realm="pinyon"'


async def test_what_is_counted_is_told_on_this_machine_and_to_an_admin(served, keys):
    away = Served(served.store, peer=ELSEWHERE)
    proxied = [("X-Forwarded-For", "127.0.0.1")]

    assert (await served.ask("GET", "/metrics")).status_code == 200
    assert (await served.ask("GET", "/metrics", headers=proxied)).status_code == 401
    assert (await away.ask("GET", "/metrics")).status_code == 401
    assert (await away.ask("GET", "/metrics", key=keys["admin"])).status_code == 200
    for what in AS_WHAT.keys() - ADMINS:
        given = {"key": keys[what], "headers": headers_of(what)}
        assert (await away.ask("GET", "/metrics", **given)).status_code == 403


async def test_what_else_is_open_is_the_description_and_nothing_of_anybody(served, keys):
    await served.ask("POST", "/v1/memory", key=keys["user"], json={"text": "the lamp is blue"})
    described = await served.ask("GET", "/openapi.json")

    assert described.status_code == 200
    assert "acme" not in described.text
    for path in ("/", "/docs", "/redoc", "/v1", "/openapi.yaml", "/static/"):
        assert (await served.ask("GET", path)).status_code == 404


# ── naming another ───────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "No parameter and no field of a request over HTTP names an owner; on every route it is "
    "refused, and never passed over.",
)
async def test_no_field_of_a_body_names_an_owner(served, keys):
    for route in closed_routes_of(served):
        for name in set(NAMING) - route.fields:
            what = "admin who is a user"
            answer = await served.ask(
                route.method, route.url, key=keys[what], **route.sound(**{name: "bob"})
            )
            told = answer.json()

            assert (answer.status_code, route.name, name) == (400, route.name, name)
            assert told["code"] in ("unknown_field", "bad_input", "reserved_name", "invalid_file")
    spaces = await served.ask("GET", "/v1/spaces", key=keys["admin"])
    assert spaces.json() == {"spaces": []}


async def test_no_parameter_of_a_query_names_an_owner(served, keys):
    for route in closed_routes_of(served):
        sound = route.sound()
        for name in set(NAMING) - route.takes:
            sent = {**sound, "params": {**sound["params"], name: "bob"}}
            answer = await served.ask(
                route.method, route.url, key=keys["admin who is a user"], **sent
            )

            assert (answer.status_code, route.name, name) == (400, route.name, name)
            assert answer.json()["code"] == "unknown_field"


async def test_a_parameter_that_is_there_twice_is_refused(served, keys):
    for route in routes_of(served):
        for name in route.takes_once:
            params = [*route.params.items(), (name, "own"), (name, "shared")]
            sound = {**route.sound(), "params": params}
            answer = await served.ask(
                route.method, route.url, key=keys["admin who is a user"], **sound
            )

            assert (answer.status_code, name) == (400, name)


# ── roles ────────────────────────────────────────────────────────────────────────────────────


def test_every_role_is_tried():
    assert {holder["role"] for holder in AS_WHAT.values()} == set(ROLES)


@pytest.mark.promise(
    "isolation",
    "Who runs the place reads no memory, and who has a memory does not run the place: each role "
    "is let in where it belongs, and nowhere else.",
)
@pytest.mark.parametrize("what", AS_WHAT)
async def test_each_role_is_let_in_where_it_belongs(served, keys, what):
    let_in, expected = set(), set()
    for route in closed_routes_of(served):
        answer = await served.ask(
            route.method, route.url, key=keys[what], headers=headers_of(what), **route.sound()
        )
        let_in |= {route.name} if answer.status_code != 403 else set()
        may = LET_IN_ELSE.get(route.name) or LET_IN[route.tag]
        expected |= {route.name} if what in may else set()

        assert answer.status_code not in (401, 500)
        if answer.status_code == 403:
            assert answer.json()["code"] == "not_allowed"

    assert let_in == expected


@pytest.mark.parametrize("meant", [{"session": "s"}, {"document": "d"}, {"everything": True}])
async def test_an_agent_forgets_single_memories_alone(served, keys, meant):
    answer = await served.ask("POST", "/v1/memory/forget", key=keys["agent"], json=meant)
    single = await served.ask("POST", "/v1/memory/forget", key=keys["agent"], json={"query": "x"})

    assert answer.status_code == 403
    assert single.status_code == 200


# ── paths ────────────────────────────────────────────────────────────────────────────────────


async def test_no_path_leads_to_what_is_no_id(served, keys):
    held = await served.ask(
        "POST", "/v1/memory", key=keys["user"], json={"text": "the lamp is blue"}
    )
    other = await served.key("user", tenant="acme", user="bob")
    mine = held.json()["id"]
    tried = [*NO_ID, f"{mine}%00", f"{mine}%20", f"x%2F..%2F{mine}", f"..%2Fmemory%2F{mine}"]
    for route in routes_of(served):
        if "{memory_id}" not in route.path:
            continue
        for named in (*tried, mine):
            url = route.path.replace("{memory_id}", named)
            answer = await served.ask(route.method, url, key=other, **route.sound())

            assert (answer.status_code in (400, 404, 405), url) == (True, url)
            assert "blue" not in answer.text
    still = await served.ask("GET", f"/v1/memory/{mine}", key=keys["user"])
    assert (still.json()["status"], still.headers["etag"]) == ("active", '"1"')


@pytest.mark.parametrize(
    "path",
    ["/v1/memory/", "//v1/memory", "/v1//memory", "/v1/%2e/memory", "/v1/memory/%2E%2E/memory",
     "/v1/memory/%2e%2e/me", "/V1/memory", "/v1/Memory", "/v1/memory;x", "/v1%2Fmemory%2F%2Fcore"],
)  # fmt: skip
async def test_a_path_is_taken_to_the_letter(served, keys, path):
    answer = await served.ask("GET", f"{URL}{path}", key=keys["user"])

    assert answer.status_code in (400, 404)
