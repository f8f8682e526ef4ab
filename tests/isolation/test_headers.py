"""What only HTTP has: headers that name others, and what one user's requests leave behind."""

from itertools import product
from urllib.parse import quote

import pytest

from isolation.principals import COMPOSED, DECOMPOSED
from pinyon.domain.space import Space

pytestmark = pytest.mark.anyio

ORACLE = "The oracle of the hall is a blue lamp"
ASKED = {"query": "what is the oracle of the hall?"}
NAMES = ("Pinyon-User", "Pinyon-Agent", "Pinyon-Project")

NO_HEADERS = (
    *("Pinyon_User", "X-Pinyon-User", "X-User", "User", "Pinyon-Tenant", "Pinyon-Space"),
    *("X-Tenant", "X-Forwarded-User", "Remote-User", "From", "Pinyon-User-Id"),
)
PAIRS = (("ann", "bob"), ("bob", "ann"), ("ann", "ann"))
NAMED = ("ann", "a%6En", " ann ", "Ann", "*", "carl")

NO_NAMES = ["", "%", "%2", "%ZZ", "%00", "bob%00", "%0A", "%FF", "%C3%28", "%ED%A0%80", "%20", "é",
            "bob%0d%0aPinyon-User: ann", "a" * 201]  # fmt: skip
OTHER_NAMES = ["ann,bob", "bob, ann", "bob%2C%20ann", "bob;ann", "*", "%25", "_", "An%6E", "ANN",
               "%D0%B0nn", "ann%E2%80%8B", "%61nn%2Fagent%2Fa", "..%2Fann", "acme%2Fuser%2Fann",
               "%2561nn", "%EF%BC%A1nn", '"ann"', "null", "ann%20", "%20ann"]  # fmt: skip
"""Names that are not Ann's, however near."""


@pytest.fixture
async def keys(served):
    made = {
        "ann": await served.key("user", tenant="acme", user="ann"),
        "bob": await served.key("user", tenant="acme", user="bob"),
        "bob's agent": await served.key("agent", tenant="acme", user="bob", agent="a"),
        "bob, admin": await served.key("admin", tenant="acme", user="bob"),
        "admin": await served.key("admin", tenant="acme"),
        "auditor": await served.key("auditor", tenant="acme"),
        "service": await served.key("service", tenant="acme"),
        "globex": await served.key("service", tenant="globex"),
    }
    kept = await served.ask("POST", "/v1/memory", key=made["ann"], json={"text": ORACLE})
    made["id"] = kept.json()["id"]
    return made


async def found(served, key, *headers):
    answer = await served.ask("POST", "/v1/memory/search", key=key, headers=headers, json=ASKED)
    assert answer.status_code == 200
    return "oracle" in answer.text.replace(ASKED["query"], "")


async def everything_of(store):
    spaces = await store.registry.spaces()
    return {space: await store.changes.seq(space) for space in spaces}


# ── naming another ───────────────────────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "A header that names a user makes nobody that user: only a service's key may name one, of its "
    "own tenant.",
)
@pytest.mark.parametrize("who", ["bob", "bob's agent", "bob, admin", "admin", "auditor"])
async def test_no_key_but_a_services_names_another(served, keys, who):
    before = await everything_of(served.store)
    asked = [
        ("POST", "/v1/memory/search", ASKED),
        ("GET", "/v1/me", None),
        ("GET", "/v1/keys", None),
        ("POST", "/v1/memory", {"text": "It was me"}),
        ("GET", f"/v1/memory/{keys['id']}", None),
        ("POST", "/v1/memory/forget", {"everything": True}),
    ]
    for named, (method, path, body) in product(NAMED, asked):
        answer = await served.ask(
            method, path, key=keys[who], headers=[("Pinyon-User", named)], json=body
        )

        assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
        assert "oracle" not in answer.text
    assert await everything_of(served.store) == before


async def test_to_repeat_ones_own_name_is_no_harm(served, keys):
    assert await found(served, keys["ann"], ("Pinyon-User", "ann"))
    assert await found(served, keys["ann"], ("pinyon-user", "%61%6E%6E"))
    assert await found(served, keys["service"], ("PINYON-USER", "ann"))


async def test_a_service_of_another_tenant_names_users_of_its_own_alone(served, keys):
    assert not await found(served, keys["globex"], ("Pinyon-User", "ann"))
    await served.ask("POST", "/v1/memory", key=keys["globex"], headers=[("Pinyon-User", "ann")],
                     json={"text": "Of globex"})  # fmt: skip

    assert set(await everything_of(served.store)) == {
        Space.of_user("acme", "ann"),
        Space.of_user("globex", "ann"),
    }


async def test_a_name_that_is_nearly_anns_is_not_hers(served, keys):
    for named in OTHER_NAMES:
        assert not await found(served, keys["service"], ("Pinyon-User", named)), named


@pytest.mark.parametrize("header", NAMES)
async def test_what_is_no_name_is_refused(served, keys, header):
    headers = [("Pinyon-User", "ann")] if header != "Pinyon-User" else []
    for named in NO_NAMES:
        answer = await served.ask(
            "GET", "/v1/me", key=keys["service"], headers=[*headers, (header, named.encode())]
        )

        assert (answer.status_code, named) == (400, named)
        assert answer.json()["code"] in ("invalid_value", "invalid_name")


async def test_a_name_in_two_forms_of_unicode_is_one_user(served, keys):
    text = {"text": "The oracle of the hall is red"}
    headers = [("Pinyon-User", quote(DECOMPOSED))]
    await served.ask("POST", "/v1/memory", key=keys["service"], headers=headers, json=text)

    assert await found(served, keys["service"], ("Pinyon-User", quote(COMPOSED)))


async def test_no_other_header_names_anybody(served, keys):
    for header in NO_HEADERS:
        nobody = await served.ask("GET", "/v1/me", key=keys["service"], headers=[(header, "ann")])

        assert (nobody.json()["user"], header) == (None, header)
        assert not await found(served, keys["bob"], (header, "ann"))


@pytest.mark.promise(
    "isolation",
    "Of what says who asks nothing is taken twice: two credentials, or two names, are refused.",
)
async def test_a_header_that_is_there_twice_is_refused(served, keys):
    for header, pair in product((*NAMES, "Idempotency-Key", "If-Match", "Host", "Origin"), PAIRS):
        twice = [(header, pair[0]), (header.lower(), pair[1])]
        answer = await served.ask(
            "POST", "/v1/memory/search", key=keys["service"], headers=twice, json=ASKED
        )

        assert (answer.status_code, answer.json()["code"]) == (400, "bad_input")
        assert header.lower() in answer.json()["detail"]


async def test_of_two_credentials_none_is_taken(served, keys):
    headers = [("Authorization", f"Bearer {keys['bob']}")]
    answer = await served.ask("GET", "/v1/me", key=keys["ann"], headers=headers)

    assert answer.status_code == 400


@pytest.mark.parametrize("header", ["Pinyon-Agent", "Pinyon-Project"])
async def test_an_agents_key_is_for_its_own_agent_and_project(served, keys, header):
    fixed = await served.key("agent", tenant="acme", user="bob", agent="a", project="p")
    answer = await served.ask("GET", "/v1/me", key=fixed, headers=[(header, "other")])

    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


# ── what a request leaves behind ─────────────────────────────────────────────────────────────


async def test_the_same_idempotency_key_of_two_users_does_not_meet(served, keys):
    headers = [("Idempotency-Key", "k-1")]
    ids = []
    for who in ("ann", "bob"):
        for scope in ("own", "shared"):
            answer = await served.ask(
                "POST", "/v1/memory", key=keys[who], headers=headers,
                json={"text": f"The {scope} lamp of {who}", "scope": scope},
            )  # fmt: skip
            assert answer.json()["created"]
            ids.append(answer.json()["id"])

    assert len(set(ids)) == 4


async def test_a_version_of_anothers_memory_is_answered_as_of_one_that_never_was(served, keys):
    told = []
    for named in (keys["id"], "mem_" + "0" * 32):
        for version in ('"1"', '"2"', "*"):
            answer = await served.ask(
                "PATCH", f"/v1/memory/{named}", key=keys["bob"], json={"title": "Mine"},
                headers=[("If-Match", version), ("X-Request-Id", "r-1")],
            )  # fmt: skip
            told.append((answer.status_code, answer.text.replace(named, "ID"), answer.headers))
    still = await served.ask("GET", f"/v1/memory/{keys['id']}", key=keys["ann"])

    assert told == [told[0]] * 6
    assert told[0][0] == 404
    assert still.headers["etag"] == '"1"'


async def test_a_cursor_of_anothers_list_shows_ones_own_at_most(served, keys):
    for who in ("ann", "bob"):
        for number in range(4):
            await served.ask(
                "POST", "/v1/memory", key=keys[who], json={"text": f"Note {number} of {who}"}
            )
    first = await served.ask("GET", "/v1/memory", key=keys["ann"], params={"limit": 2})
    cursor = first.json()["next_cursor"]
    for who in ("bob", "bob's agent"):
        answer = await served.ask("GET", "/v1/memory", key=keys[who], params={"cursor": cursor})

        assert cursor
        assert "ann" not in answer.text
        assert "oracle" not in answer.text


@pytest.mark.promise(
    "isolation",
    "An answer that is kept is kept for whoever asked: another who asks the same is not given it.",
)
async def test_two_users_who_ask_the_same_are_each_given_their_own(served, keys):
    bobs = [("Pinyon-User", "bob")]
    for _ in range(3):  # the first time fills what is kept
        assert await found(served, keys["ann"])
        assert not await found(served, keys["bob"])
        assert await found(served, keys["service"], ("Pinyon-User", "ann"))
        assert not await found(served, keys["service"], *bobs)
    answer = await served.ask("POST", "/v1/memory/search", key=keys["ann"], json=ASKED)

    assert "cache-control" not in answer.headers or "public" not in answer.headers["cache-control"]
