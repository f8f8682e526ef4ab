"""What a question is after: named, it keeps to it; told by its words, it only favours."""

import pytest

from pinyon.domain.filter import parse_filter
from pinyon.domain.question import INTENTS, RecallContext
from pinyon.errors import InvalidValue
from pinyon.ranking.weights import LATELY_US, Weights
from pinyon.recall.approaches import APPROACHES
from pinyon.recall.recaller import Tuning

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True

EVERYTHING = {}
DIALOGUE = {"kind": "episodic", "role": ["user", "assistant", ""]}
PROCEDURES = {"kind": "procedural"}
CALLS = {"or": [{"role": "tool"}, {"event_type": ["tool_call", "tool_result"]}]}
FAILED = {"has_error": True}


def stage_of(answer, name):
    return next((stage for stage in answer.trace.stages if stage.stage == name), None)


# ── the table ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("intent", "keeps", "favours", "order"),
    [
        ("general", EVERYTHING, None, "relevance"),
        ("fact", EVERYTHING, None, "relevance"),
        ("preference", EVERYTHING, None, "relevance"),
        ("cause", EVERYTHING, None, "relevance"),
        ("conversation", DIALOGUE, DIALOGUE, "newest"),
        ("solution", {"kind": ["procedural", "episodic"]}, PROCEDURES, "relevance"),
        ("history", EVERYTHING, None, "oldest"),
        ("tool", {"or": [PROCEDURES, CALLS]}, {"or": [PROCEDURES, CALLS]}, "relevance"),
        ("observation", {"or": [PROCEDURES, CALLS, FAILED]}, {"or": [CALLS, FAILED]}, "relevance"),
        ("catalog", {"kind": "catalog"}, {"kind": "catalog"}, "relevance"),
    ],
)
def test_what_follows_from_each_intent(intent, keeps, favours, order):
    approach = APPROACHES[intent]

    assert approach.keeps == parse_filter(keeps)
    assert approach.favours == (None if favours is None else parse_filter(favours))
    assert approach.order == order


def test_the_table_has_every_intent():
    assert set(APPROACHES) == set(INTENTS)


@pytest.mark.parametrize(
    ("flag", "intents"),
    [
        ("lets_in_history", {"history"}),
        ("as_said", {"history", "conversation"}),
        ("by_turns", {"conversation"}),
    ],
)
def test_what_only_some_intents_do(flag, intents):
    assert {one for one, approach in APPROACHES.items() if getattr(approach, flag)} == intents


# ── named ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
async def names(client):
    """Tell one memory of each sort, all about the hub, and return the name of each by its id."""
    said = {"recallable": True}
    written = {
        "message": await client.remember("the hub is white"),
        "reply": await client.remember("the hub needs a reset", role="assistant", **said),
        "result": await client.remember("hub: 3 lamps", role="tool", **said),
        "call": await client.remember(
            "ping the hub", role="function", event_type="tool_call", **said
        ),
        "procedure": await client.write("reset the hub", kind="procedural"),
        "fact": await client.write("the hub is a Lumio"),
        "failure": await client.write("the hub failed at night"),
        "page": await client.write("the hub takes 5 W", kind="catalog", scope="shared"),
    }
    return {one.id: name for name, one in written.items()}


ALL = {"message", "reply", "result", "call", "procedure", "fact", "failure", "page"}


@pytest.mark.parametrize(
    ("intent", "kept"),
    [
        ("general", ALL),
        ("fact", ALL),
        ("preference", ALL),
        ("cause", ALL),
        ("history", ALL),
        ("conversation", {"message", "reply"}),
        ("solution", {"procedure", "message", "reply", "result", "call"}),
        ("tool", {"procedure", "result", "call"}),
        ("observation", {"procedure", "result", "call", "failure"}),
        ("catalog", {"page"}),
    ],
)
async def test_a_named_intent_keeps_to_what_it_is_about(client, names, intent, kept):
    answer = await client.recall("hub", intent=intent)

    assert {names[hit.memory.id] for hit in answer.hits} == kept
    assert answer.trace.intent == intent


async def test_a_named_intent_holds_for_a_question_without_words_too(client, names):
    answer = await client.recall("what is it?", intent="solution")

    assert {hit.memory.kind for hit in answer.hits} == {"procedural", "episodic"}


async def test_a_solution_favours_procedures(client, names):
    answer = await client.recall("hub", intent="solution")
    favoured = {names[hit.memory.id] for hit in answer.hits if "intent" in hit.why.factors}

    assert favoured == {"procedure"}
    assert names[answer.hits[0].memory.id] == "procedure"


async def test_a_conversation_comes_newest_first(client, clock, ask):
    for text in ("a hub", "a hub and a lamp", "a hub, a lamp and a bulb"):
        clock.forward(3_600)
        await client.remember(text)

    assert await ask("hub", intent="conversation") == [
        "a hub, a lamp and a bulb",
        "a hub and a lamp",
        "a hub",
    ]


async def test_history_comes_oldest_first_with_what_is_over_and_never_what_was_retracted(
    client, clock, ask
):
    async def next_year(text, **details):
        clock.forward(365 * 24 * 3_600)
        return (await client.write(text, **details)).id

    bristol = await next_year("Sarah lives in Bristol")
    studio = await next_year("Sarah lives in a studio")
    wrong = await next_year("Sarah lives in Paris")
    await next_year("Sarah lives in Edinburgh", supersedes=[bristol])
    await client.end(studio)
    await client.retract(wrong)
    clock.forward(1)

    assert await ask("where Sarah lives") == ["Sarah lives in Edinburgh"]
    assert await ask("where Sarah lives", intent="history") == [
        "Sarah lives in Bristol",
        "Sarah lives in a studio",
        "Sarah lives in Edinburgh",
    ]


async def test_history_keeps_out_what_has_expired(client, clock, ask):
    await client.write("the hub is lent out", expires_at="2026-03-02T10:00:00Z")
    clock.forward(7_200)

    assert await ask("hub", intent="history") == []


async def test_an_intent_that_there_is_not_is_refused_with_those_that_there_are(client):
    with pytest.raises(InvalidValue, match="one of " + ", ".join(INTENTS)) as error:
        await client.recall("hub", intent="gossip")

    assert error.value.field == "intent"


@pytest.mark.parametrize("question", ["hub", "what is it?"])
async def test_what_an_intent_keeps_out_is_told_from_what_is_not_there(client, question):
    await client.write("the hub is white")

    answer = await client.recall(question, intent="catalog")

    assert (answer.hits, answer.empty_because) == ((), "filtered")


async def test_why_not_says_that_the_intent_keeps_it_out(client):
    written = await client.write("the hub is white")

    why_not = await client.why_not(written.id, "hub", intent="conversation")

    assert (why_not.came, why_not.stage) == (False, "filter")
    assert why_not.reason != "intent"


# ── told by the words ────────────────────────────────────────────────────────────────────────

HOW = "how did we fix the hub?"


async def test_an_inferred_intent_keeps_nothing_out_and_only_weighs(client, client_of, names):
    answer = await client.recall(HOW)
    without = client_of(tuning=Tuning(weights=Weights(off=("intent",))))
    plain = {hit.memory.id: hit.why for hit in (await without.recall(HOW)).hits}

    assert answer.trace.intent == "solution"
    assert {names[hit.memory.id] for hit in answer.hits} == ALL
    for hit in answer.hits:
        favoured = {"intent": 1.05} if names[hit.memory.id] == "procedure" else {}
        assert hit.why.factors == {**plain[hit.memory.id].factors, **favoured}
        assert hit.why.relevance == plain[hit.memory.id].relevance


async def test_an_inferred_intent_orders_by_relevance(client, clock, ask):
    await client.remember("the hub and the lamp are white")
    clock.forward(3_600)
    await client.remember("a lamp")

    assert (await ask("what did we say about the white hub and lamp?"))[-1] == "a lamp"


@pytest.mark.parametrize(
    ("question", "named", "intent", "note"),
    [
        (HOW, None, "solution", "looks for what worked"),
        (HOW, "tool", "tool", "is told to look for how a tool was called"),
        ("hub", None, "general", "looks for whatever fits"),
    ],
)
async def test_the_trace_names_what_is_looked_for(client, question, named, intent, note):
    trace = (await client.recall(question, intent=named)).trace

    assert trace.intent == intent
    assert trace.stages[0].note.startswith(note)


# ── what no longer holds ─────────────────────────────────────────────────────────────────────

SAID, HOME = "I live in Bristol, in an old Victorian flat", "Sarah's home is Edinburgh"


@pytest.fixture
async def moved(client, clock):
    await client.remember(SAID, session="s1")
    old = await client.write("Sarah lives in Bristol", session="s1")
    clock.forward(60)
    await client.write(HOME, supersedes=[old.id])


@pytest.mark.parametrize("intent", ["history", "conversation"])
async def test_an_outdated_message_keeps_its_place_where_what_was_said_is_asked_for(
    client, moved, intent
):
    answer = await client.recall("the old Victorian flat in Bristol", intent=intent)

    assert answer.hits[0].memory.text == SAID
    assert stage_of(answer, "outdate") is None
    assert HOME not in [hit.memory.text for hit in answer.hits]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what did I say about the old Victorian flat in Bristol?", None),
        ("the old Victorian flat in Bristol", "fact"),
    ],
)
async def test_an_outdated_message_stands_behind_what_holds_everywhere_else(
    client, moved, question, named
):
    answer = await client.recall(question, intent=named)

    assert [hit.memory.text for hit in answer.hits] == [HOME, SAID]


# ── what was said ────────────────────────────────────────────────────────────────────────────

JUST_NOW = "What did we just say?"


@pytest.fixture
async def talks(client, clock):
    """Talk in three sessions: last spring, an hour ago, and just now."""
    spring = "2025-04-{}T09:00:00+00:00"
    for day in (14, 20):
        await client.remember(f"spring, day {day}", session="s0", occurred_at=spring.format(day))
    await client.remember("an hour ago", session="s1")
    clock.forward(3_600)
    await client.remember("just now", session="s2")
    await client.remember("the very last", session="s2")
    clock.forward(60)


async def test_what_was_said_in_this_session_answers_first(ask, talks):
    context = RecallContext(session="s1")

    assert await ask(JUST_NOW, context=context) == ["an hour ago"]


@pytest.mark.parametrize("session", ["", "another"])
async def test_else_what_was_said_in_the_last_half_hour(ask, talks, session):
    context = RecallContext(session=session)

    assert await ask(JUST_NOW, context=context) == ["the very last", "just now"]


async def test_else_what_is_newest(client, clock, ask, talks):
    clock.forward(LATELY_US / 1_000_000)
    hits = await ask(JUST_NOW)

    assert hits[:3] == ["the very last", "just now", "an hour ago"]
    assert len(hits) == 5


@pytest.mark.parametrize("session", ["", "s1"])
async def test_of_a_time_that_is_named_the_newest_come(ask, talks, session):
    context = RecallContext(session=session)

    assert await ask("what did we talk about in April 2025?", context=context) == [
        "spring, day 20",
        "spring, day 14",
    ]


async def test_a_time_of_which_nothing_is_known_is_told_from_an_empty_store(client, talks):
    answer = await client.recall("what did we talk about in May 2024?")

    assert answer.hits == ()
    assert answer.empty_because != "empty_store"


async def test_what_was_said_in_this_session_counts_more_where_a_matter_is_named(client, clock):
    await client.remember("the hub is white", session="s1")
    clock.forward(3_600)
    await client.remember("the hub is black", session="s2")
    await client.remember("the hub is loud", session="s3")
    clock.forward(60)

    question, context = "what did we say about the hub?", RecallContext(session="s1")
    hits = (await client.recall(question, context=context)).hits

    assert {hit.memory.source.session: hit.why.factors["talk"] for hit in hits[:3]} == {
        "s1": 1.2,
        "s2": 1.1,
        "s3": 1.1,
    }
    assert hits[0].memory.source.session == "s1"
