"""Orders that must come out, in a memory of engineering work: each holds one part of ranking."""

import pytest

import pinyon
from pinyon.domain.question import RecallContext
from pinyon.models.locate import find_late_interaction

pytestmark = pytest.mark.skipif(find_late_interaction() is None, reason="the model is not here")

PORT_TYPE = (
    "Pitfall: the MCP server does not start when PORT comes from the environment as a string; the "
    "Zod schema wants a number, and validation fails. Use z.coerce.number()."
)
ZOD_GUIDE = "Guide to Zod: one schema for each config file; read the validation error from its end."
SEARCH_PORT = "The search engine needs its port as a number too, or its start-up fails."
WEB_CLASH = "The web server failed to start because port 3000 was taken by another project."
OTHERS = (
    "Marta reviews every change to the billing service.",
    "The deploy of the route planner needs two approvals on Fridays.",
    "Migration 0047 adds depot_id and needs a default value.",
    "Unit tests of the label service take six minutes.",
    "The certificate of staging expires in November.",
    "Logs of the ingest job are kept for thirty days.",
)
QUESTION = "MCP start-up fails with a Zod validation error"


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("PINYON_MODELS", "auto")
    with pinyon.open(tmp_path / "home", user="tom", project="hub") as opened:
        yield opened


def order(memory, question, **narrowing):
    return [hit.memory.text for hit in memory.recall(question, **narrowing).hits]


def test_the_pitfall_comes_before_the_guide_and_the_guide_before_what_shares_a_word(memory):
    for text in (WEB_CLASH, SEARCH_PORT, *OTHERS, ZOD_GUIDE, PORT_TYPE):
        memory.write(text)

    came = order(memory, QUESTION)
    wanted = [PORT_TYPE, ZOD_GUIDE, SEARCH_PORT, WEB_CLASH]
    assert came[:4] == wanted


def test_an_exact_code_comes_before_its_neighbours(memory):
    for code in ("E-14", "E-41", "E-44"):
        memory.write(f"The hub showed {code} after the update.")

    assert order(memory, "what happened with E-41?")[0] == "The hub showed E-41 after the update."


def test_what_happened_then_comes_first_where_a_time_is_named(memory):
    for month in ("03", "04", "05"):
        memory.remember(
            f"The nightly build broke again, ticket {month}.",
            session=month,
            occurred_at=f"2026-{month}-14T09:00:00+00:00",
        )

    assert order(memory, "which build broke in April 2026?")[0].endswith("04.")


def test_a_fact_comes_before_what_was_said_in_passing(memory):
    memory.remember("I think staging runs PostgreSQL 16", session="s1")
    memory.write("Staging runs PostgreSQL 16")

    answer = memory.recall("which PostgreSQL does staging run?")
    assert answer.hits[0].memory.kind == "semantic"


def test_what_holds_comes_and_what_it_replaced_does_not(memory):
    old = memory.write("Builds run on Jenkins")
    memory.write("Builds run on GitHub Actions", supersedes=[old.id])

    assert order(memory, "what do builds run on?") == ["Builds run on GitHub Actions"]


def test_ones_own_comes_before_the_catalog_at_a_tie(memory):
    memory.write("The range extender pairs at half the distance", kind="catalog", scope="shared")
    memory.write("The range extender pairs at half the distance.")

    answer = memory.recall("where does the range extender pair?")
    assert [hit.memory.kind for hit in answer.hits] == ["semantic", "catalog"]


def test_the_users_own_words_come_before_a_reply_that_repeats_them(memory):
    memory.remember("My sprint ends on March 29", session="s1")
    memory.remember(
        "Your sprint ends on March 29, so plan the last two days for tests.",
        session="s1",
        role="assistant",
        recallable=True,
    )

    assert order(memory, "when does my sprint end?")[0] == "My sprint ends on March 29"


def test_a_playbook_comes_before_the_complaint_that_it_answers(memory):
    memory.remember("All database connections are taken again and requests hang!", session="s1")
    memory.write(
        "Brings a service back when all its database connections are taken",
        kind="procedural",
        trigger="database connections are taken, requests hang",
        steps=["Find the idle transactions", "End them", "Raise the pool by two"],
    )

    answer = memory.recall("requests hang because all database connections are taken, what to do?")
    assert answer.hits[0].memory.kind == "procedural"


# ── one for each prior: of two that answer alike, which comes first ──────────────────────────

ONE = "The label printer on floor 2 jams on thick paper"
OTHER = "The label printer on floor 3 jams on thick paper"
ASKED = "when does the label printer jam?"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"importance": 0.9}, {"importance": 0.1}),
        ({"confidence": 1.0}, {"confidence": 0.4}),
        ({"trust": "user"}, {"trust": "tool"}),
        ({"trust": "user"}, {"trust": "agent"}),
    ],
    ids=["importance", "confidence", "trust in a tool", "trust in an agent"],
)
def test_what_is_told_of_a_memory_decides_at_a_tie(memory, better, worse):
    memory.write(ONE, **worse)
    memory.write(OTHER, **better)
    assert order(memory, ASKED) == [OTHER, ONE]


def test_a_younger_episode_comes_before_an_old_one(memory):
    memory.remember(ONE, session="a", occurred_at="2019-03-02T09:00:00+00:00")
    memory.remember(OTHER, session="b")
    assert order(memory, ASKED) == [OTHER, ONE]


def test_a_fact_that_was_used_comes_before_one_that_never_was(memory):
    memory.write(OTHER)
    for _ in range(3):
        memory.recall(ASKED, given=True)
    memory.write(ONE)
    assert order(memory, ASKED)[0] == OTHER


def test_what_holds_comes_before_its_own_history(memory):
    old = memory.write("The label printer takes paper of 80 grams")
    memory.write("The label printer takes paper of 90 grams", supersedes=[old.id])
    came = order(memory, "which paper does the label printer take?", include_superseded=True)
    assert came[0].endswith("90 grams")


@pytest.mark.parametrize(
    ("near", "context"),
    [
        ({"session": "s7"}, RecallContext(session="s7")),
        ({"task": "t7"}, RecallContext(task_id="t7")),
        ({"project": "labels"}, RecallContext(project="labels")),
        ({"module": "feeder"}, RecallContext(module="feeder")),
    ],
    ids=["session", "task", "project", "module"],
)
def test_what_is_of_the_same_situation_comes_first(memory, near, context):
    memory.write(OTHER, **near)
    memory.write(ONE)
    assert order(memory, ASKED, context=context)[0] == OTHER


def test_a_procedure_that_takes_the_tool_at_hand_comes_first(memory):
    for name, tool in (("by hand", "brush"), ("by air", "compressor")):
        memory.write(
            f"Clears a jam of the label printer {name}",
            kind="procedural",
            trigger="the label printer jams",
            steps=["Clear the path"],
            tools=[tool],
        )
    for name, tool in (("by hand", "brush"), ("by air", "compressor")):
        came = order(memory, "clear the label printer", context=RecallContext(tool=tool))
        assert came[0].endswith(name)


def test_what_the_user_likes_comes_first_where_advice_is_asked_for(memory):
    memory.remember("The running shoes at the harbour come in grey and black", session="a")
    memory.remember("I prefer running shoes in grey and black", session="b")
    asked = "which running shoes would you suggest?"
    assert order(memory, asked)[0].startswith("I prefer")


# ── one for each intent: what is wanted comes first, where words alone do not decide ─────────

SAID = "The pump of the greenhouse stops after ten minutes, we said, for the float is stuck"
FACT = "The pump of the greenhouse is a Aqua 300"
PLAYBOOK = "Gets the pump of the greenhouse going again"
MANUAL = "The pump Aqua 300 lifts water 3 metres and takes 45 watts"


@pytest.fixture
def greenhouse(memory):
    old = memory.write("The pump of the greenhouse is a Brook 12")
    memory.remember(SAID, session="s1")
    memory.write(FACT, supersedes=[old.id])
    memory.write(
        PLAYBOOK,
        kind="procedural",
        trigger="the pump stops",
        steps=["Free the float", "Restart it"],
    )
    memory.write(MANUAL, kind="catalog", scope="shared")
    memory.remember(
        "pump_control returned error 14: float switch open",
        session="s1", role="tool", recallable=True, event_type="tool_result",
    )  # fmt: skip
    return memory


@pytest.mark.parametrize(
    ("intent", "first"),
    [
        ("fact", FACT),
        ("general", FACT),
        ("preference", FACT),
        ("cause", FACT),
        ("conversation", SAID),
        ("solution", PLAYBOOK),
        ("history", "The pump of the greenhouse is a Brook 12"),
        ("tool", PLAYBOOK),
        ("observation", "pump_control returned error 14: float switch open"),
        ("catalog", MANUAL),
    ],
)
def test_a_named_intent_brings_what_it_is_after(greenhouse, intent, first):
    asked = "which is the pump of the greenhouse?"
    if intent == "observation":
        asked = "pump error 14, float switch open"
    assert order(greenhouse, asked, intent=intent)[0] == first


def test_an_intent_that_is_only_inferred_keeps_nothing_out(greenhouse):
    came = order(greenhouse, "how did we get the pump of the greenhouse going again?")
    assert came[0] == PLAYBOOK
    assert {SAID, FACT, MANUAL} <= set(came)


def test_each_of_two_things_that_are_asked_for_is_answered_at_the_top(memory):
    for what in ("height", "weight", "colour", "maker", "year"):
        memory.write(f"The {what} of the harbour crane is in the {what} log of the crane")
    memory.write("Mila turned seven")
    came = order(memory, "What is the weight of the harbour crane? And how old is Mila?")
    assert "Mila turned seven" in came[:2]
    assert came[0].startswith("The weight") or came[1].startswith("The weight")
