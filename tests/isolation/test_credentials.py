"""Keys over HTTP: what is revoked or past its time opens nothing, and no key another's place."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import anyio
import pytest

from isolation.canaries import open_home
from isolation.over_http import Served
from pinyon.domain.grant import Grant
from pinyon.domain.space import Space
from pinyon.testing import FrozenClock
from pinyon.wiring import operate

pytestmark = pytest.mark.anyio

HERE, THERE = "acme", "globex"


async def status(served, key, path="/v1/me"):
    return (await served.ask("GET", path, key=key)).status_code


def revoke_in(home, identifier):
    async def act():
        async with operate(home) as operator:
            await operator.revoke_key(identifier)

    anyio.run(act)


def id_of(key):
    return f"key_{key[4:36]}"


# ── keys that open nothing any more ──────────────────────────────────────────────────────────


@pytest.mark.promise(
    "isolation",
    "A key that was revoked is refused at the next request, in whichever process it was revoked.",
)
async def test_a_revoked_key_is_refused_at_the_next_request(served):
    admin = await served.key("admin", tenant=HERE)
    key = await served.key("user", tenant=HERE, user="ann")
    before = await status(served, key), await status(served, key, "/v1/memory/core")
    await served.ask("DELETE", f"/v1/keys/{id_of(key)}", key=admin)

    assert before == (200, 200)
    assert await status(served, key) == 401
    assert await status(served, key, "/v1/memory/core") == 401


async def test_a_key_that_another_process_revoked_is_refused_at_the_next_request(served, tmp_path):
    key = await served.key("user", tenant=HERE, user="ann")
    before = await status(served, key)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        done = processes.submit(revoke_in, tmp_path / "served", id_of(key))
        await anyio.to_thread.run_sync(done.result)

    assert before == 200
    assert await status(served, key) == 401


async def test_a_key_past_its_time_is_refused(tmp_path):
    clock = FrozenClock()
    store = open_home(tmp_path / "home")
    served = Served(store, clock=clock)
    in_an_hour = clock.now_us() + 3_600_000_000
    key = await served.key("user", tenant=HERE, user="ann", expires_at_us=in_an_hour)
    before = await status(served, key)
    clock.forward(3_600)

    assert before == 200
    assert await status(served, key) == 401
    await served.close()
    await store.close()


async def test_a_key_of_another_home_opens_nothing(served, tmp_path):
    elsewhere = open_home(tmp_path / "elsewhere")
    other = Served(elsewhere)
    key = await other.key("admin", tenant=HERE, user="ann")

    assert await status(other, key) == 200
    assert await status(served, key) == 401
    await other.close()
    await elsewhere.close()


async def test_what_opens_nothing_is_told_in_the_same_words_whyever(served):
    admin = await served.key("admin", tenant=HERE)
    revoked, good = [await served.key("user", tenant=HERE, user="ann") for _ in range(2)]
    await served.ask("DELETE", f"/v1/keys/{id_of(revoked)}", key=admin)
    last = "A" if good[-1] != "A" else "B"
    told = set()
    for key in (revoked, good[:-1] + last, f"pyn_{'0' * 32}_{'A' * 43}", "nonsense", good[:-1]):
        answer = await served.ask(
            "GET", "/v1/me", key=key, headers=[("X-Request-Id", "r-1"), ("Pinyon-User", "ann")]
        )
        told.add((answer.status_code, answer.text, str(answer.headers)))

    assert len(told) == 1


# ── an admin of one tenant ───────────────────────────────────────────────────────────────────


@pytest.fixture
async def two(served):
    """Give two tenants alike, each with a user, a grant, a key and a journal."""
    for tenant in (HERE, THERE):
        service = await served.key("service", tenant=tenant, name=f"for {tenant}")
        await served.ask(
            "POST", "/v1/memory", key=service, headers=[("Pinyon-User", f"{tenant}er")],
            json={"text": f"A lamp of {tenant}"},
        )  # fmt: skip
        await served.store.registry.grant(Grant(Space.shared(tenant), f"{tenant}er", "write"))
    return {
        "admin": await served.key("admin", tenant=HERE),
        "auditor": await served.key("auditor", tenant=HERE),
        "their key": await served.key("user", tenant=THERE, user=f"{THERE}er"),
    }


@pytest.mark.promise(
    "isolation",
    "Whoever runs one tenant sees and changes nothing of another: no key, grant, space, journal "
    "or job.",
)
async def test_an_admin_sees_nothing_of_another_tenant(served, two):
    for who in ("admin", "auditor"):
        for path in ("/v1/keys", "/v1/grants", "/v1/spaces", "/v1/me"):
            answer = await served.ask("GET", path, key=two[who])
            allowed = who == "admin" or path in ("/v1/spaces", "/v1/me")

            assert answer.status_code == (200 if allowed else 403)
            assert THERE not in answer.text
            assert not allowed or HERE in answer.text


async def test_the_spaces_of_another_tenant_are_refused_like_those_that_never_were(served, two):
    of_theirs = [f"{THERE}/user/{THERE}er", f"{THERE}/shared", f"{THERE}/user/nobody"]
    never = ["nowhere/user/nobody", "nowhere/shared", "acme-corp/shared", "Acme/shared"]
    for method, path in (
        ("GET", "/v1/audit"), ("GET", "/v1/jobs"), ("DELETE", f"/v1/jobs/job_{'0' * 32}"),
        ("POST", f"/v1/jobs/job_{'0' * 32}/retry"),
    ):  # fmt: skip
        told = set()
        for space in (*of_theirs, *never):
            answer = await served.ask(
                method, path, key=two["admin"], params={"space": space},
                headers=[("X-Request-Id", "r-1")],
            )  # fmt: skip
            told.add((answer.status_code, answer.text))

        assert len(told) == 1
        assert "another tenant" in told.pop()[1]


async def test_an_admin_changes_nothing_of_another_tenant(served, two):
    before = await served.store.registry.grants(), await served.store.keys.list_keys(THERE)
    named = id_of(two["their key"])
    asked = [
        ("PUT", "/v1/grants", {"json": {"space": f"{THERE}/shared", "user": "ann"}}),
        ("DELETE", "/v1/grants", {"params": {"space": f"{THERE}/shared", "user": f"{THERE}er"}}),
        ("DELETE", f"/v1/keys/{named}", {}),
        ("DELETE", f"/v1/keys/key_{'0' * 32}", {}),
        ("POST", "/v1/keys", {"json": {"role": "user", "user": "ann", "tenant": THERE}}),
    ]
    told = [
        await served.ask(
            method, path, key=two["admin"], headers=[("X-Request-Id", "r-1")], **sent
        )
        for method, path, sent in asked
    ]  # fmt: skip
    foreign, never = told[2:4]

    assert [answer.status_code for answer in told] == [403, 403, 404, 404, 400]
    assert foreign.text.replace(named, "ID") == never.text.replace(f"key_{'0' * 32}", "ID")
    assert (
        await served.store.registry.grants(),
        await served.store.keys.list_keys(THERE),
    ) == before
    assert await status(served, two["their key"]) == 200


@pytest.mark.parametrize("scope", ["user/bob", "user/ann/agent/a", "shared", "project/p"])
async def test_a_user_reads_no_journal_but_that_of_the_own_spaces(served, scope):
    key = await served.key("user", tenant=HERE, user="ann")
    answer = await served.ask("GET", "/v1/audit", key=key, params={"space": f"{HERE}/{scope}"})

    assert answer.status_code == 403
