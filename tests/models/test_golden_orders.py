"""Orders that must come out, in a memory of engineering work: each holds one part of ranking."""

import pytest

import pinyon
from pinyon.models.locate import find_late_interaction

pytestmark = pytest.mark.skipif(find_late_interaction() is None, reason="the model is not here")

PORT_TYPE = (
    "Pitfall: the MCP server does not start when PORT comes from the environment as a string; the "
    "Zod schema wants a number, and validation fails. Use z.coerce.number()."
)
ZOD_GUIDE = "How we use Zod: one schema for each config file, parsed once at start-up."
SEARCH_PORT = "The search engine listens on port 9200 on the build machines, 9201 on laptops."
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


def test_the_pitfall_comes_before_the_guide_and_both_before_what_shares_a_word(memory):
    for text in (WEB_CLASH, SEARCH_PORT, *OTHERS, ZOD_GUIDE, PORT_TYPE):
        memory.write(text)

    came = order(memory, QUESTION)
    wanted = [PORT_TYPE, ZOD_GUIDE, SEARCH_PORT, WEB_CLASH]
    places = [came.index(text) if text in came else len(came) for text in wanted]
    assert came[:2] == [PORT_TYPE, ZOD_GUIDE]
    assert all(places[1] < place for place in places[2:])


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
