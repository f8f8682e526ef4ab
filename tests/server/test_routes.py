"""Each operation has its route, and each route does what it says."""

import json

import pytest

from pinyon.ports.client import OPERATIONS
from pinyon.surfaces.rest.describing import examples

pytestmark = pytest.mark.anyio

ROUTES_BESIDE = {
    "forget_one",
    "me",
    "create_key",
    "list_keys",
    "revoke_key",
    "list_grants",
    "grant",
    "revoke_grant",
    "list_spaces",
    "audit",
    "list_jobs",
    "cancel_job",
    "retry_job",
    "healthz",
    "readyz",
    "metrics",
}
"""Routes that are no operation of a client's."""

BULBS = "My bulbs only show white since last week"


async def described(desk):
    return (await desk.ask("GET", "/openapi.json", role=None)).json()


def calls_of(schema):
    return {
        call["operationId"]: call for path in schema["paths"].values() for call in path.values()
    }


# ── the table ────────────────────────────────────────────────────────────────────────────────


async def test_every_operation_has_a_route_and_every_route_is_known(desk):
    names = set(calls_of(await described(desk)))

    assert names == {operation.name for operation in OPERATIONS} | ROUTES_BESIDE


async def test_every_call_is_described_with_an_example(desk):
    calls = calls_of(await described(desk))
    lacking = {
        name
        for name, call in calls.items()
        if ("requestBody" in call and "request" not in examples().get(name, {}))
        or ("response" not in examples().get(name, {}) and "204" not in call["responses"])
    }

    assert lacking == {"metrics"}  # a page of figures, which has a page of its own


async def test_every_call_says_how_it_fails(desk):
    calls = calls_of(await described(desk))

    assert all("default" in call["responses"] for call in calls.values())
    assert {name for name, call in calls.items() if "security" not in call} == {"healthz", "readyz"}


# ── the three calls ──────────────────────────────────────────────────────────────────────────


async def test_what_was_said_is_found_and_forgotten(desk):
    body = {
        "text": BULBS,
        "role": "user",
        "session": "",
        "occurred_at": None,
        "message_id": None,
        "metadata": {},
    }
    said = await desk.ask("POST", "/v1/memory/events", body)
    question = {
        "query": "what is wrong with the bulbs?",
        "k": 10,
        "intent": None,
        "filters": None,
        "include_superseded": False,
        "as_of": None,
        "explain": False,
    }
    found = await desk.ask("POST", "/v1/memory/search", question)
    gone = await desk.ask("DELETE", f"/v1/memory/{said.json()['id']}")
    again = await desk.ask("POST", "/v1/memory/search", question)

    assert said.status_code == 201
    assert said.json()["created"] is True
    assert (said.json()["redacted"], said.json()["degraded"]) == ([], [])
    assert [hit["text"] for hit in found.json()["hits"]] == [BULBS]
    assert gone.json()["receipt"]["ids"] == [said.json()["id"]]
    assert again.json()["empty_because"] == "empty_store"


async def test_an_answer_is_explained_on_request_in_one_shape(desk):
    await desk.ask("POST", "/v1/memory/events", {"text": BULBS})

    brief = (await desk.ask("POST", "/v1/memory/search", {"query": "bulbs"})).json()
    whole = (
        await desk.ask("POST", "/v1/memory/search", {"query": "bulbs", "explain": True})
    ).json()

    assert brief.keys() == whole.keys()
    assert brief["trace"].keys() == whole["trace"].keys()
    assert brief["hits"][0]["why"].keys() == whole["hits"][0]["why"].keys()
    assert (brief["trace"]["stages"], brief["hits"][0]["why"]["legs"]) == ([], {})
    assert whole["trace"]["stages"]
    assert whole["hits"][0]["why"]["legs"]


@pytest.mark.parametrize(
    ("as_of", "found"),
    [
        (None, ["Sarah lives in Edinburgh"]),
        ("2026-01-01T00:00:00+00:00", ["Sarah lives in Bristol"]),
        ({"valid": "2026-01-01T00:00:00+00:00"}, ["Sarah lives in Bristol"]),
        ({"known": "2020-01-01T00:00:00+00:00"}, []),
    ],
)
async def test_a_question_may_be_about_another_time(desk, as_of, found):
    old = await desk.ask(
        "POST",
        "/v1/memory",
        {"text": "Sarah lives in Bristol", "valid_from": "2025-01-01T00:00:00+00:00"},
    )
    await desk.ask(
        "POST",
        "/v1/memory",
        {"text": "Sarah lives in Edinburgh", "supersedes": [old.json()["id"]]},
    )

    question = {"query": "where does Sarah live?", "as_of": as_of}
    answer = (await desk.ask("POST", "/v1/memory/search", question)).json()

    assert [hit["text"] for hit in answer["hits"]] == found


# ── once, and at a version ───────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "A request repeated under its Idempotency-Key is done once.")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/memory/events", {"text": BULBS}),
        ("/v1/memory", {"text": BULBS}),
        ("/v1/memory/batch", {"memories": [{"text": BULBS}, {"text": "The hub is a v2"}]}),
    ],
)
async def test_a_retry_under_its_key_is_answered_as_the_first_time(desk, path, body):
    headers = {"Idempotency-Key": "abc-1"}
    first = await desk.ask("POST", path, body, headers=headers)
    again = await desk.ask("POST", path, body, headers=headers)
    other = await desk.ask("POST", path, {**body, "scope": "own"}, headers=headers)
    listed = (await desk.ask("GET", "/v1/memory")).json()["memories"]

    assert again.json() == first.json()
    assert len(listed) == len(body.get("memories", [1]))
    assert other.status_code in (201, 400)


async def test_a_key_of_another_request_is_refused(desk):
    headers = {"Idempotency-Key": "abc-1"}
    await desk.ask("POST", "/v1/memory", {"text": BULBS}, headers=headers)

    other = await desk.ask("POST", "/v1/memory", {"text": "The hub"}, headers=headers)

    assert (other.status_code, other.json()["code"]) == (422, "key_reused")


async def test_a_key_where_none_is_kept_is_refused_with_what_to_do(desk):
    said = await desk.ask("POST", "/v1/memory", {"text": BULBS})
    path = f"/v1/memory/{said.json()['id']}/hide"

    refused = await desk.ask("POST", path, headers={"Idempotency-Key": "abc-1"})

    assert refused.status_code == 400
    assert "If-Match" in refused.json()["detail"]


async def test_a_version_is_an_entity_tag_and_another_one_a_conflict(desk):
    path = f"/v1/memory/{(await desk.ask('POST', '/v1/memory', {'text': BULBS})).json()['id']}"
    shown = await desk.ask("GET", path)
    edited = await desk.ask(
        "PATCH", path, {"importance": 0.9}, headers={"If-Match": shown.headers["etag"]}
    )
    late = await desk.ask("POST", f"{path}/hide", headers={"If-Match": shown.headers["etag"]})
    hidden = await desk.ask("POST", f"{path}/hide", headers={"If-Match": edited.headers["etag"]})

    assert [one.headers["etag"] for one in (shown, edited, hidden)] == ['"1"', '"2"', '"3"']
    assert (late.status_code, late.json()["code"]) == (409, "version_conflict")


@pytest.mark.parametrize("tag", ["abc", '"1", "2"', '"-1"', '""', '"99999999999"', '"١"'])
async def test_what_is_no_tag_of_ours_is_refused(desk, tag):
    path = f"/v1/memory/{(await desk.ask('POST', '/v1/memory', {'text': BULBS})).json()['id']}"

    refused = await desk.ask("POST", f"{path}/hide", headers={"If-Match": tag.encode()})

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_value")


# ── lists and streams ────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("server", "A list of over a thousand is walked by its cursor, each row once.")
async def test_a_list_is_walked_to_its_end(desk):
    for start in range(0, 1_205, 1_000):
        texts = [{"text": f"Note {n}"} for n in range(start, min(start + 1_000, 1_205))]
        await desk.ask("POST", "/v1/memory/batch", {"memories": texts})

    seen, cursor = [], None
    while True:
        asked = {"limit": 500, **({"cursor": cursor} if cursor else {})}
        page = (await desk.ask("GET", "/v1/memory", params=asked)).json()
        seen += [one["text"] for one in page["memories"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert len(seen) == len(set(seen)) == 1_205


async def test_a_list_is_filtered_by_json(desk):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog", "importance": 0.9})
    await desk.ask("POST", "/v1/memory", {"text": BULBS, "importance": 0.1})

    asked = {"filter": json.dumps({"importance": {"gte": 0.5}}), "kind": "semantic"}
    found = (await desk.ask("GET", "/v1/memory", params=asked)).json()["memories"]
    wrong = await desk.ask("GET", "/v1/memory", params={"filter": "{"})
    unknown = await desk.ask("GET", "/v1/memory", params={"filter": '{"wool": 1}'})

    assert [one["text"] for one in found] == ["Sarah has a dog"]
    assert wrong.json()["code"] == "invalid_filter"
    assert unknown.json()["code"] == "unknown_field"


async def test_an_export_is_imported_without_loss(desk):
    await desk.ask("POST", "/v1/memory/events", {"text": BULBS, "session": "s1"})
    await desk.ask("POST", "/v1/memory/events", {"text": "Sorry!", "role": "assistant"})
    exported = (await desk.ask("GET", "/v1/memory/export")).content

    tom = {"role": "service", "headers": {"Pinyon-User": "tom"}}
    imported = await desk.ask("POST", "/v1/memory/import", content=exported, **tom)
    again = await desk.ask("POST", "/v1/memory/import", content=exported, **tom)
    back = (await desk.ask("GET", "/v1/memory/export", **tom)).content

    assert (imported.json()["created"], imported.json()["equal"]) == (2, 0)
    assert (again.json()["created"], again.json()["equal"]) == (0, 2)
    assert back.split(b"\n")[1:] == exported.split(b"\n")[1:]


async def test_a_wrong_row_is_named_by_its_line(desk):
    refused = await desk.ask(
        "POST", "/v1/memory/import", content=b'{"text": "ok"}\n\nno json\n', params={"name": "a"}
    )

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_file")
    assert refused.json()["detail"].startswith("a, line 3: it is no JSON")


async def test_documents_become_a_catalog_and_leave_it(desk):
    lines = b'{"name": "a.md", "text": "# Reset\\n\\nHold it."}\n{"name": "b.txt", "text": "Pair."}'
    put = await desk.ask("PUT", "/v1/catalog", content=lines, params={"name": "manual"})
    less = await desk.ask(
        "PUT", "/v1/catalog", content=lines.split(b"\n")[0], params={"name": "manual"}
    )
    listed = (await desk.ask("GET", "/v1/catalog")).json()["documents"]

    assert (put.json()["documents"], put.json()["created"]) == (2, 2)
    assert (less.json()["kept"], less.json()["removed"]) == (1, 1)
    assert [one["name"] for one in listed] == ["a.md"]
