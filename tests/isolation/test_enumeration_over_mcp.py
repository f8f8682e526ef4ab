"""Every tool, resource and prompt, asked as an intruder would, down to the bytes of the answer."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isolation.canaries import QUESTIONS, open_home
from isolation.checking import everything_in, named_in, overhearing
from isolation.over_http import Served, held_by
from isolation.principals import PRINCIPALS, own_of
from isolation.probes import FORMS, OWNER_FIELDS, PATTERNS, Case
from pinyon.surfaces.mcp import prompts
from pinyon.surfaces.mcp.flat import NUMBER, TEXT, TEXTS, WHOLE, YES_OR_NO
from pinyon.surfaces.mcp.tools import tools_of

pytestmark = pytest.mark.anyio

ASKERS = PRINCIPALS[::4]
TOOLS = tools_of("full")
IDS = frozenset(
    {
        *("id", "ids", "memory_id", "supersedes"),
        *("episode", "episodes", "fact", "playbook", "refines"),
    }
)
INSTANTS = frozenset({"as_of", "since", "until", "at", "expires_at"})
HEADERS = [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")]
VARIES = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.+Z-]+")


@dataclass(frozen=True)
class Asked:
    """A request, and one about what never was that must be answered alike where it is refused."""

    method: str
    params: dict
    twin: dict | None = None
    swapped: tuple[str, str] = ("", "")

    @property
    def what(self):
        """Return which tool, resource or prompt it is about."""
        return self.params.get("name") or self.method


@dataclass
class Report:
    asked: Counter = field(default_factory=Counter)
    answered: Counter = field(default_factory=Counter)
    leaks: list = field(default_factory=list)


def calling(name, arguments):
    return {"name": name, "arguments": arguments}


def asked_of(case: Case) -> Iterator[Asked]:
    """Yield all that an intruder would ask."""
    for tool in TOOLS:
        sound = sound_arguments(case, tool)
        yield Asked("tools/call", calling(tool.name, sound))
        for owner in OWNER_FIELDS:
            yield Asked("tools/call", calling(tool.name, {**sound, owner: case.name()}))
        for one in tool.parameters:
            for foreign, never in values_of(case, one):
                wrapped = [foreign] if one.form == TEXTS else foreign
                twin = None
                if never is not None:
                    other = [never] if one.form == TEXTS else never
                    twin = calling(tool.name, {**sound, one.name: other})
                arguments = calling(tool.name, {**sound, one.name: wrapped})
                yield Asked("tools/call", arguments, twin, (foreign, never or ""))
    yield Asked("resources/read", {"uri": "memory://profile"})
    for foreign, never in foreign_ids(case):
        yield Asked(
            "resources/read",
            {"uri": f"memory://{foreign}"},
            {"uri": f"memory://{never}"},
            (foreign, never),
        )
    for text in (case.foreign().tokens["text"], case.foreign_id(), case.name()):
        for one in prompts.offered(more=True):
            given = dict.fromkeys(prompts.arguments_of(one), text)
            yield Asked("prompts/get", calling(one.name, given))


def sound_arguments(case, tool):
    """Return what a tool needs, all of it the asker's own."""
    needed = {one.name: own_value(case, one) for one in tool.parameters if one.is_required}
    return {**needed, **({"scope": "shared"} if tool.name == "publish_memory" else {})}


def own_value(case, one):
    if one.name in IDS:
        named = case.own_id("active", "old", "new")
        return [named] if one.form == TEXTS else named
    if one.allowed:
        return one.allowed[0]
    return {TEXT: QUESTIONS[0], TEXTS: [QUESTIONS[0]], WHOLE: 5, NUMBER: 0.9, YES_OR_NO: True}[
        one.form
    ]


def foreign_ids(case):
    """Yield another's id in every spelling, each beside one that never was."""
    for form in FORMS:
        yield form(case.foreign_id()), form(case.never())
    yield case.foreign_event(), f"evt_{case.never()}"


def values_of(case, one):
    """Yield what of another's may stand in a parameter, and what never was in its place."""
    if one.form not in (TEXT, TEXTS) or one.allowed:
        return
    held = case.foreign()
    if one.name in IDS:
        yield from foreign_ids(case)
    elif one.name == "session":
        yield held.session, None
    elif one.name == "cursor":
        yield held.cursor, None
        yield f"t0_0_m{case.foreign_id()}", None
    elif one.name not in INSTANTS:
        yield f"what is {held.tokens['text']}, and the lamp of {case.name()}?", None
        yield f"{held.tokens['title']} {case.foreign_id()}", None
    for pattern in PATTERNS:
        yield pattern, None


class Asker:
    """A principal who sends requests with its own key."""

    def __init__(self, served, world, principal, key, names):
        self._served, self._world, self._principal = served, world, principal
        self._key = key
        self._headers = HEADERS + [
            (f"Pinyon-{name.title()}", quoted(value)) for name, value in names.items() if value
        ]
        self._said = set()

    async def send(self, method, params):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._served.ask(
            "POST", "/mcp", key=self._key, headers=self._headers, content=json.dumps(body).encode()
        )

    async def ask(self, one: Asked, report: Report):
        """Ask, and its twin, and note what is betrayed."""
        shown = await self._looked_at(one.method, one.params, one, report)
        if one.twin is not None:
            twin = await self._looked_at(one.method, one.twin, one, report)
            refused = is_refused(shown) or is_refused(twin)
            if refused and plain(shown, one.swapped[0]) != plain(twin, one.swapped[1]):
                report.leaks.append(f"{one}: told from what never was: {shown} / {twin}")

    async def _looked_at(self, method, params, one, report):
        answer = await self.send(method, params)
        said = json.dumps(params).casefold()
        self._said |= named_in(said) | named_in(said.replace("-", ""))
        shown = f"{answer.headers.multi_items()}\n{answer.text}"
        report.asked[one.what] += 1
        report.answered[one.what] += not is_refused(answer.text)
        betrayed = self._world.betrayed(shown, self._principal, self._said)
        if betrayed:
            report.leaks.append(f"{own_of(self._principal)}: {one}: it shows {betrayed}: {shown}")
        if answer.status_code >= 500 or '"internal' in answer.text:
            report.leaks.append(f"{one}: it fails: {shown}")
        return answer.text


def is_refused(text):
    """Return whether an answer is an error, of a tool or of the protocol."""
    return '"isError":true' in text or '"error":' in text


def quoted(name):
    return "".join(f"%{byte:02X}" for byte in name.encode())


def plain(text, named):
    """Return an answer without what was asked about and when."""
    text = VARIES.sub("#", text)
    bare = named.casefold().replace("-", "").removeprefix("mem_")
    for form in sorted({named, named.casefold(), bare} - {""}, key=len, reverse=True):
        text = text.replace(form, "NAMED")
    return text


@pytest.fixture
async def store(home):
    opened = open_home(home)
    yield opened
    await opened.close()


@pytest.fixture
async def served(store, models):
    serving = Served(store, models)
    yield serving
    await serving.close()


@pytest.fixture
async def asker(served, world):
    """Return what gives a principal's asker."""

    async def give(principal, way=0, *, key=None):
        holder, names = held_by(principal, way)
        return Asker(served, world, principal, key or await served.key(**holder), names)

    return give


@pytest.mark.promise(
    "isolation",
    "Over MCP as well no tool, resource or prompt shows anything of another's, in no byte of an "
    "answer, or tells it from what never was.",
)
@pytest.mark.parametrize("number", range(len(ASKERS)))
async def test_no_tool_resource_or_prompt_shows_what_is_anothers(world, asker, number):
    principal, report = ASKERS[number], Report()
    case = Case(world, principal, random.Random(number))  # noqa: S311 - the same each time
    one = await asker(principal, number)
    with overhearing() as heard:
        for asked in asked_of(case):
            await one.ask(asked, report)

    assert report.leaks == []
    assert report.asked.keys() == {
        *(tool.name for tool in TOOLS),
        *(prompt.name for prompt in prompts.offered(more=True)),
        "resources/read",
    }
    assert report.answered.total() > 200
    assert [line for line in heard if not world.readers.keys().isdisjoint(named_in(line))] == []


async def test_nothing_of_anothers_is_changed(home, world, models):
    principal = ASKERS[1]
    bystanders = [space for space in world.spaces if space not in principal.writes]
    before = await everything_in(home, bystanders)
    store = open_home(home)
    served = Served(store, models)
    holder, names = held_by(principal, 0)
    one = Asker(served, world, principal, await served.key(**holder), names)
    for asked in asked_of(Case(world, principal, random.Random(7))):  # noqa: S311
        await one.ask(asked, Report())
    await served.close()
    await store.close()

    assert await everything_in(home, bystanders) == before


async def test_a_key_that_opened_anothers_memory_would_be_caught(served, world, asker):
    john, other = PRINCIPALS[0], PRINCIPALS[8]
    stolen = await served.key("user", tenant=other.tenant, user=other.user)
    report = Report()
    one = await asker(john, key=stolen)
    await one.ask(Asked("tools/call", calling("list_memories", {})), report)

    assert report.leaks


# ── whatever is sent ─────────────────────────────────────────────────────────────────────────

ODD = (*PATTERNS, "mem_" + "0" * 32, "evt_" + "f" * 32, "\ud800", "\x00", "[[", "{", '["a", 1]')
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(ODD)
)
VALUES = (
    PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(max_size=5), PLAIN, max_size=3)
)


@st.composite
def requests(draw):
    """Draw a request: mostly of a tool, with what it takes and what it does not."""
    tool = draw(st.sampled_from(TOOLS))
    names = st.sampled_from([*(one.name for one in tool.parameters), *OWNER_FIELDS, "x"])
    arguments = draw(st.dictionaries(names, VALUES, max_size=5) | VALUES)
    method = draw(
        st.sampled_from(["tools/call"] * 6 + ["resources/read", "prompts/get", "tools/list"])
    )
    of = {"resources/read": {"uri": draw(st.text(max_size=30))}, "tools/list": {}}
    return method, of.get(method, {"name": tool.name, "arguments": arguments})


@pytest.mark.promise(
    "mcp", "Whatever is sent as arguments, the answer is JSON-RPC, and never a crash."
)
@given(sent=st.lists(requests(), min_size=5, max_size=15))
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_whatever_is_sent_is_answered_in_json_rpc_and_shows_nothing_of_anothers(
    world, asker, sent
):
    one = await asker(PRINCIPALS[0])
    for method, params in sent:
        answer = await one.send(method, params)
        told = answer.json()

        assert told["jsonrpc"] == "2.0"
        assert ("result" in told) != ("error" in told)
        assert answer.status_code < 500
        assert "internal" not in answer.text
        assert not world.betrayed(answer.text, PRINCIPALS[0])
