"""What users of other memories ran into, tried over HTTP.

Held elsewhere: that an id of another opens nothing, on every route (`tests/isolation`); that no
body, parameter or second header names an owner (`tests/isolation/test_every_route.py`,
`test_headers.py`); that a list is walked to its end and a retry is done once (`test_routes.py`);
that nothing goes out, and that it begins beyond this machine only with a key (`test_process.py`);
a kill, a full disk, a file that is held (`test_interrupted.py`).
"""

import json
from urllib.parse import quote

import httpx2
import pytest

from pinyon.domain.credential import Holder
from pinyon.ports.models import Models
from pinyon.stores.sqlite import SqliteStore
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.server import serving_from
from pinyon.testing import FrozenClock
from pinyon.testing.embedder import HashEmbedder
from pinyon.wiring import Parts, serve_home

pytestmark = pytest.mark.anyio

SAID = "The otter of the safe is called Quixotl"
PATTERNS = ("*", "%", "_", "sara%", "sarah*", "s_rah", ".*", "sarah'--", "sarah\u0000")
NEARLY = ("Sarah", "sarah ", "sarah-doe", "sarah.doe", "sarah_doe", "sarah/agent/x", "sarahs")


@pytest.fixture
async def saras_id(desk):
    said = await desk.ask("POST", "/v1/memory", {"text": SAID})
    await desk.ask("POST", "/v1/memory", {"text": "Nobody's", "scope": "shared", "kind": "catalog"})
    return said.json()["id"]


def named(user):
    return {"role": "service", "headers": {"Pinyon-User": quote(user, safe="")}}


# ── ids are data, never patterns ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("user", [*PATTERNS, *NEARLY])
async def test_a_user_that_is_a_pattern_or_nearly_another_reaches_nobody(desk, saras_id, user):
    found = await desk.ask(
        "POST", "/v1/memory/search", {"query": "otter of the safe"}, **named(user)
    )
    listed = await desk.ask("GET", "/v1/memory", **named(user))
    shown = await desk.ask("GET", f"/v1/memory/{saras_id}", **named(user))
    gone = await desk.ask("POST", "/v1/memory/forget", {"everything": True}, **named(user))

    assert "Quixotl" not in found.text + listed.text + shown.text + gone.text
    assert shown.status_code in (400, 404)
    assert (await desk.ask("GET", f"/v1/memory/{saras_id}")).json()["text"] == SAID


@pytest.mark.parametrize("user", ["", " ", "%00", "%ff", "a" * 300])
async def test_a_user_that_is_none_is_refused_and_never_all(desk, saras_id, user):
    sent = {"role": "service", "headers": {"Pinyon-User": user}}
    for method, path, body in (
        ("GET", "/v1/memory", None),
        ("GET", "/v1/memory/export", None),
        ("POST", "/v1/memory/search", {"query": "otter of the safe"}),
        ("POST", "/v1/memory/forget", {"everything": True}),
    ):
        answer = await desk.ask(method, path, body, **sent)

        assert 400 <= answer.status_code < 500
    assert (await desk.ask("GET", f"/v1/memory/{saras_id}")).json()["text"] == SAID


async def test_whom_a_service_leaves_out_is_nobody_and_not_all(desk, saras_id):
    answer = await desk.ask("GET", "/v1/memory", role="service")

    assert answer.status_code == 403


async def test_metadata_names_no_owner_when_written_and_when_edited(desk, saras_id):
    metadata = {"metadata": {"user_id": "tom", "tenant": "x"}}
    written = await desk.ask("POST", "/v1/memory", {"text": "Mine", **metadata})
    edited = await desk.ask("PATCH", f"/v1/memory/{saras_id}", metadata)
    toms = (await desk.ask("GET", "/v1/memory", **named("tom"))).json()["memories"]

    assert (written.status_code, edited.status_code, toms) == (400, 400, [])


async def test_a_filter_widens_nothing(desk, saras_id):
    for where in ({"user": "sarah"}, {"user_id": "*"}, {"tenant": "acme"}, {"space": "%"}):
        body = {"query": "otter of the safe", "filters": where}
        asked = await desk.ask("POST", "/v1/memory/search", body, **named("tom"))
        params = {"filter": json.dumps(where)}
        listed = await desk.ask("GET", "/v1/memory", params=params, **named("tom"))

        assert "Quixotl" not in asked.text + listed.text
        assert (asked.status_code, listed.status_code) == (400, 400)


# ── lists to their end ───────────────────────────────────────────────────────────────────────


async def test_of_many_memories_all_are_exported_and_all_forgotten(desk):
    texts = [{"text": f"Note {number}"} for number in range(1_205)]
    for start in range(0, len(texts), 1_000):
        part = {"memories": texts[start : start + 1_000]}
        await desk.ask("POST", "/v1/memory/batch", part)
    exported = (await desk.ask("GET", "/v1/memory/export")).text.splitlines()[1:]
    forgotten = await desk.ask("POST", "/v1/memory/forget", {"everything": True})
    left = (await desk.ask("GET", "/v1/memory")).json()["memories"]

    assert len({json.loads(line)["memory"]["text"] for line in exported}) == 1_205
    assert forgotten.json()["receipt"]["counts"]["memories"] == 1_205
    assert left == []


# ── a model that fails ───────────────────────────────────────────────────────────────────────


@pytest.fixture
async def with_model(settings):
    """Give an asker of a server whose model can be made to fail, and the model."""
    model, clock = HashEmbedder(), FrozenClock()
    store = SqliteStore(settings.home, clock=clock, durable=False)
    parts = Parts(store=store, models=Models(embedder=model))
    served = serve_home(settings, clock=clock, parts=parts)
    _, key = await served.keyring.create(Holder.of("user", tenant="acme", user="sarah"))
    app = rest_app(serving_from(served, settings))
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://localhost", headers=headers
    ) as http:
        yield http, model
    await served.base.close()


@pytest.mark.promise("server", "Where a model fails, the answer says what it went without.")
async def test_a_model_that_fails_is_told_in_the_answer_and_readiness(with_model):
    http, model = with_model
    await http.post("/v1/memory", json={"text": "Sarah has a red bicycle"})
    model.fails = True
    written = (await http.post("/v1/memory", json={"text": "Sarah has a blue kite"})).json()
    found = (await http.post("/v1/memory/search", json={"query": "red bicycle"})).json()
    nothing = (await http.post("/v1/memory/search", json={"query": "zzqq flurble"})).json()
    ready = await http.get("/readyz")

    assert written["degraded"] == ["vectors"]
    assert [hit["text"] for hit in found["hits"]] == ["Sarah has a red bicycle"]
    assert "vectors" in found["degraded"]
    assert (nothing["hits"], nothing["empty_because"]) == ([], "degraded")
    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
