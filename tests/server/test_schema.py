"""Whatever fits the description of the API, or nearly, is answered as the description says.

`PINYON_TEST_EXAMPLES` says how many requests are made up for each route; 500 take a quarter of an
hour.
"""

import json
import os

import anyio
import jsonschema_rs  # of schemathesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from pinyon.domain.credential import Holder
from pinyon.errors import errors_by_code
from pinyon.settings import read_settings
from pinyon.surfaces.rest.app import rest_app
from pinyon.surfaces.rest.describing import OPEN, examples
from pinyon.surfaces.server import serving_from
from pinyon.wiring import serve_home

EXAMPLES = int(os.environ.get("PINYON_TEST_EXAMPLES", "3"))
HTTP_CODES = {"bad_input", "method_not_allowed", "no_such_route", "too_large"}
"""What HTTP itself refuses."""
BOUNDED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
HELD = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
    checks.ignored_auth,
]


@schemathesis.serializer("application/x-ndjson")
def as_lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


class Described:
    """An app with its description, asked with a key."""

    def __init__(self, home):
        chosen = read_settings(
            {}, home=home, durable=False, models="off", tenant="acme", rate_limit=0
        )
        served = serve_home(chosen)

        async def key_of(role, user):
            holder = Holder.of(role, tenant="acme", user=user)
            return (await served.keyring.create(holder))[1]

        self.keys = {
            "user": anyio.run(key_of, "user", "sarah"),
            "admin": anyio.run(key_of, "admin", None),
            # Pausing memory for Sarah would leave nothing to look at.
            "tom": anyio.run(key_of, "user", "tom"),
        }
        self.app = rest_app(serving_from(served, chosen), hosts={"*"})
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", self.app)
        self.problem = jsonschema_rs.validator_for(
            self.schema.raw_schema["components"]["schemas"]["Problem"]
        )

    def asked(self, case, role):
        """Send a request, and see that its answer is one that is described; return it."""
        if case.operation.label == "PATCH /v1/consent" and role == "user":
            role = "tom"
        case.headers = {
            name: value
            for name, value in (case.headers or {}).items()
            if not name.lower().startswith(("authorization", "pinyon-"))
        }
        answer = case.call(headers={"Authorization": f"Bearer {self.keys[role]}"})
        case.validate_response(answer, checks=HELD)
        if answer.status_code >= 400:
            told = answer.json()
            self.problem.validate(told)
            assert answer.headers["content-type"] == ["application/problem+json"]
            assert told["status"] == answer.status_code
            assert told["code"] in {*errors_by_code(), *HTTP_CODES}
        return answer


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    return Described(tmp_path_factory.mktemp("described") / "home")


@pytest.mark.promise(
    "server", "Whatever is sent, the answer is one that its description says, and never a bug."
)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("role", ["user", "admin"])
def test_whatever_is_sent_is_answered_as_described(described, role, mode):
    seen = set()
    for found in described.schema.get_all_operations():
        route = found.ok()
        seen.add(route.label)
        if mode == GenerationMode.NEGATIVE and route.path.strip("/") in OPEN:
            continue  # there is nothing to get wrong

        @BOUNDED
        @given(case=route.as_strategy(generation_mode=mode))
        def ask(case):
            described.asked(case, role)

        ask()

    assert len(seen) > 40


def test_whatever_follows_on_an_answer_is_answered_as_described(described):
    """Ids and cursors of answers go into the requests after them."""
    statuses = set()

    class Following(described.schema.as_state_machine()):
        def call(self, case, **more):
            answer = described.asked(case, "user")
            statuses.add(answer.status_code)
            return answer

        def validate_response(self, response, case, additional_checks=(), **more):
            """It was looked at when it came."""

    Following.run(settings=settings(BOUNDED, max_examples=3 * EXAMPLES, stateful_step_count=8))

    assert 200 in statuses


# ── odd types ────────────────────────────────────────────────────────────────────────────────

ODD = (
    *(None, True, -5, 2**70, 1.5, -1e308, "", " ", "x", "\x00", "\ud800", "*", "x" * 5_000),
    *([], [None], [0], [[]], ["\ud800"], [{}], {}, {"": []}, {"text": 0}),
)
"""What stands in no field, or in few."""
ODD_IN_A_QUERY = ("", "x", "-1", "9" * 23, "1e9", "\x00", "*", "null", "[]", "x" * 3_000)
JSON = {"Content-Type": "application/json"}


def fields_of(schema, parts):
    """Return the fields of an object, those of objects in it too, each as a path to it."""
    if "$ref" in schema:
        return fields_of(parts[schema["$ref"].rpartition("/")[2]], parts)
    found = []
    for one in (*schema.get("anyOf", ()), schema.get("items", {})):
        found += fields_of(one, parts) if one else []
    for name, held in schema.get("properties", {}).items():
        found += [(name,), *((name, *path) for path in fields_of(held, parts))]
    return found


def with_odd(example, path, odd):
    """Return a body in which something odd stands in a field."""
    name, *rest = path
    if isinstance(example, list):
        return [with_odd(example[0] if example else {}, path, odd)]
    held = example if isinstance(example, dict) else {}
    return {**held, name: with_odd(held.get(name), rest, odd) if rest else odd}


@pytest.mark.anyio
@pytest.mark.promise("server", "What is of no type that a field takes is refused with a code.")
async def test_whatever_stands_in_a_field_is_taken_or_refused_with_a_code(desk):
    described = (await desk.ask("GET", "/openapi.json", role=None)).json()
    parts = described["components"]["schemas"]
    bugs, refused = [], set()
    held = (await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})).json()["id"]
    for path, method, call in calls_of(described, held):
        name, role = call["operationId"], "admin" if call["tags"] == ["running"] else "user"
        body = call.get("requestBody", {}).get("content", {}).get("application/json", {})
        for field in fields_of(body.get("schema", {}), parts):
            for odd in ODD:
                raw = json.dumps(with_odd(examples()[name]["request"], field, odd))
                answer = await desk.ask(method, path, content=raw, headers=JSON, role=role)
                refused |= {(name, field)} if 400 <= answer.status_code < 500 else set()
                bugs += [(name, field, odd)] if answer.status_code >= 500 else []
        await desk.ask("PATCH", "/v1/consent", {"paused": False, "never": []})
        asked = {one["name"]: one for one in call["parameters"] if one["in"] == "query"}
        needed = {one: "acme/user/sarah" for one in asked if asked[one]["required"]}
        for field in asked:
            for odd in ODD_IN_A_QUERY:
                given = {**needed, field: odd}
                answer = await desk.ask(method, path, params=given, role=role)
                bugs += [(name, field, odd)] if answer.status_code >= 500 else []

    assert bugs == []
    assert len(refused) > 100


@pytest.mark.anyio
@pytest.mark.promise("server", "What is no yes or no erases nothing.")
@pytest.mark.parametrize("field", ["everything", "dry_run", "confirmed"])
@pytest.mark.parametrize("odd", ["false", "no", "", 0, 1, [], [True], {}])
async def test_what_is_no_yes_or_no_erases_nothing(desk, field, odd):
    await desk.ask("POST", "/v1/memory", {"text": "Sarah has a dog"})
    meant = {"everything": True} if field == "dry_run" else {"query": "Sarah has a dog"}
    meant = {} if field == "everything" else meant

    refused = await desk.ask("POST", "/v1/memory/forget", {**meant, field: odd})

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_value")
    assert len((await desk.ask("GET", "/v1/memory")).json()["memories"]) == 1


def calls_of(described, memory_id):
    for path, calls in described["paths"].items():
        at = path.replace("{memory_id}", memory_id).replace("{key_id}", "key_" + "0" * 32)
        at = at.replace("{job_id}", "job_" + "0" * 32)
        for method, call in calls.items():
            yield at, method.upper(), {"parameters": [], **call}
