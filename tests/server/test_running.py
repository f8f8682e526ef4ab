"""What whoever runs the place may do, and what it says of itself."""

import httpx2
import pytest

from pinyon.domain.change import Enqueue
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.rest.limiting import WINDOW_S, Limiter
from pinyon.surfaces.server import serving_from
from pinyon.testing import FrozenClock
from pinyon.wiring import serve_home

pytestmark = pytest.mark.anyio


async def test_a_key_is_made_used_and_revoked_at_once(desk):
    made = await desk.ask("POST", "/v1/keys", {"user": "tom", "role": "agent"}, role="admin")
    toms = {"Authorization": f"Bearer {made.json()['key']}"}
    before = await desk.ask("GET", "/v1/memory", role=None, headers=toms)
    revoked = await desk.ask("DELETE", f"/v1/keys/{made.json()['id']}", role="admin")
    after = await desk.ask("GET", "/v1/memory", role=None, headers=toms)
    listed = (await desk.ask("GET", "/v1/keys", role="admin")).json()["keys"]

    assert made.status_code == 201
    assert (before.status_code, after.status_code) == (200, 401)
    assert revoked.json()["revoked_at"] is not None
    assert made.json()["id"] in [one["id"] for one in listed]
    assert not any("key" in one for one in listed)


async def test_a_grant_closes_a_shared_space_and_opens_it_again(desk):
    grant = {"space": "acme/shared", "user": "tom", "may": "read"}
    told = {"text": "The office closes at six", "kind": "catalog", "scope": "shared"}
    await desk.ask("PUT", "/v1/grants", grant, role="admin")
    closed = await desk.ask("POST", "/v1/memory", told)
    listed = (await desk.ask("GET", "/v1/grants", role="admin")).json()["grants"]
    taken = await desk.ask(
        "DELETE", "/v1/grants", role="admin", params={"space": "acme/shared", "user": "tom"}
    )
    open_ = await desk.ask("POST", "/v1/memory", told)

    assert (closed.status_code, closed.json()["code"]) == (403, "forbidden")
    assert listed == [grant]
    assert (taken.status_code, open_.status_code) == (204, 201)


async def test_a_journal_is_read_without_a_word_of_any_memory(desk):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    asked = {"space": "acme/user/sarah"}
    by_auditor = await desk.ask("GET", "/v1/audit", role="auditor", params=asked)
    own = await desk.ask("GET", "/v1/audit", params=asked)
    others = await desk.ask("GET", "/v1/audit", params={"space": "acme/user/tom"})
    foreign = await desk.ask("GET", "/v1/audit", role="auditor", params={"space": "x/user/y"})

    (entry,) = by_auditor.json()["entries"]
    assert (entry["action"], entry["surface"]) == ("put", "rest")
    assert entry["actor"].startswith("acme/user/sarah via key_")
    assert own.json() == by_auditor.json()
    assert "dog" not in by_auditor.text
    assert (others.status_code, foreign.status_code) == (403, 403)


@pytest.mark.promise("server", "What a service does in a user's name is journalled as both.")
async def test_the_journal_names_for_whom_a_service_acted_and_by_which_key(desk):
    headers = {"Pinyon-User": "J%C3%BCrgen", "Pinyon-Agent": "app"}
    fact = {"text": "Likes tea"}
    await desk.ask("POST", "/v1/memory", fact, role="service", headers=headers)
    asked = {"space": "acme/user/Jürgen"}
    entries = (await desk.ask("GET", "/v1/audit", role="auditor", params=asked)).json()["entries"]

    assert entries[0]["actor"].startswith("acme/user/Jürgen (app) via key_")


async def test_spaces_are_counted_by_tenant(desk):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    (space,) = (await desk.ask("GET", "/v1/spaces", role="auditor")).json()["spaces"]

    assert (space["space"], space["memories"]) == ("acme/user/sarah", 1)


async def test_jobs_are_listed_and_one_that_is_none_cannot_be_cancelled(desk):
    asked = {"space": "acme/user/sarah"}
    listed = await desk.ask("GET", "/v1/jobs", role="admin", params=asked)
    none = await desk.ask("DELETE", f"/v1/jobs/job_{'0' * 32}", role="admin", params=asked)

    assert listed.json() == {"jobs": []}
    assert (none.status_code, none.json()["code"]) == (404, "not_found")


async def test_a_job_is_tried_again(desk):
    job = Job(id=JobId(f"job_{1:032x}"), task="other", run_at_us=1)
    space = Space.of_user("acme", "sarah")
    by = Actor("test", "test")
    await desk.served.store.records.apply(space, [Enqueue(job)], by=by)
    asked = {"space": str(space)}
    await desk.ask("DELETE", f"/v1/jobs/{job.id}", role="admin", params=asked)

    again = await desk.ask("POST", f"/v1/jobs/{job.id}/retry", role="admin", params=asked)
    none = await desk.ask("POST", f"/v1/jobs/job_{'0' * 32}/retry", role="admin", params=asked)
    hers = await desk.ask("POST", f"/v1/jobs/{job.id}/retry", params=asked)

    (listed,) = (await desk.ask("GET", "/v1/jobs", role="admin", params=asked)).json()["jobs"]
    assert [one.status_code for one in (again, none, hers)] == [204, 404, 403]
    assert listed["state"] == "waiting"


# ── what it says of itself ───────────────────────────────────────────────────────────────────


async def test_it_lives_and_says_what_it_does_without(desk):
    lives = await desk.ask("GET", "/healthz", role=None)
    ready = await desk.ask("GET", "/readyz", role=None)

    assert lives.json() == {"status": "ok"}
    assert ready.status_code == 200
    assert ready.json() == {
        "status": "degraded",
        "because": ["no model: recall goes by words"],
    }


async def test_it_is_not_ready_where_the_home_cannot_be_read_and_still_lives(desk, settings):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    (settings.home / "secret.key").unlink()
    served = serve_home(settings)
    app = rest_app(serving_from(served, settings))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as http:
        ready, lives = [await http.get(f"http://localhost/{n}") for n in ("readyz", "healthz")]
    await served.base.close()

    assert (ready.status_code, lives.status_code) == (503, 200)
    assert ready.json() == {"status": "unavailable", "because": ["store_corrupt"]}


@pytest.mark.parametrize(
    ("headers", "role", "status"),
    [
        ({}, None, 200),
        ({"X-Forwarded-For": "10.0.0.1"}, None, 401),
        ({"X-Forwarded-For": "10.0.0.1"}, "user", 403),
        ({"X-Forwarded-For": "10.0.0.1"}, "admin", 200),
    ],
)
async def test_figures_are_for_this_machine_and_for_admins(desk, headers, role, status):
    answer = await desk.ask("GET", "/metrics", role=role, headers=headers)

    assert answer.status_code == status


async def test_figures_are_of_what_was_done(desk):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    await desk.ask("POST", "/v1/memory/search", {"query": "a dog"})
    page = (await desk.ask("GET", "/metrics", role=None)).text

    assert "sarah" not in page.lower()
    assert "acme" not in page
    assert "dog" not in page


# ── how often ────────────────────────────────────────────────────────────────────────────────


async def test_who_asks_too_often_is_told_when_to_come_again(desk):
    desk.limit(0.2)
    answers = [await desk.ask("GET", "/v1/memory") for _ in range(3)]
    other = await desk.ask("GET", "/v1/memory", role="agent")

    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= WINDOW_S
    assert other.status_code == 200


async def test_without_a_limit_nothing_is_counted(desk):
    caller = await desk.served.authenticator.caller(f"Bearer {desk.keys['user']}")

    assert await Limiter(0, FrozenClock()).wait_s(caller) == 0
