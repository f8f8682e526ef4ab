"""The situation of a question: what it lifts, what it is joined with, and when nothing is asked."""

import pytest

from pinyon.domain.memory import Facets, Procedure, Source, Step
from pinyon.domain.question import RECENT_TURNS_MAX, SITUATION, RecallContext
from pinyon.errors import InvalidText, InvalidValue, TooLarge
from pinyon.ports.models import Models
from pinyon.ranking.weights import Weights
from pinyon.recall.planning import TURN_CHARS
from pinyon.testing.embedder import HashEmbedder
from pinyon.testing.makers import ANN, memory_of, put

pytestmark = pytest.mark.anyio
THROUGH_EVERY_CLIENT = True
ON_EVERY_STORE = True


# ── what is of the same ──────────────────────────────────────────────────────────────────────

OF = {
    "session": lambda name: {"source": Source(session=name)},
    "task_id": lambda name: {"source": Source(task=name)},
    "task_type": lambda name: {"facets": Facets(task_type=name)},
    "tool": lambda name: {"procedure": Procedure(steps=(Step("ring"), Step("wait", tool=name)))},
    "project": lambda name: {"project": name},
    "module": lambda name: {"module": name},
}


def test_every_part_of_a_situation_is_tested():
    assert set(OF) == set(SITUATION)


@pytest.mark.parametrize("part", OF)
async def test_what_is_of_the_same_is_lifted_by_one_factor_and_nothing_else(
    store, client, by, part
):
    texts = {"hall": "the zigbee hub in the hall", "attic": "the zigbee hub in the attic"}
    memories = [
        memory_of(number, text, kind="procedural", **OF[part](name))
        for number, (name, text) in enumerate(texts.items(), start=1)
    ]
    await store.records.apply(ANN, [put(memory) for memory in memories], by=by)

    async def asked(**situation):
        answer = await client.recall("zigbee hub", context=RecallContext(**situation))
        return {
            hit.memory.id: (hit.why.factors, hit.score / hit.why.relevance) for hit in answer.hits
        }

    plain, there = await asked(), await asked(**{part: "attic"})
    same, other = memories[1].id, memories[0].id
    factor = part.removesuffix("_id")

    assert there[same][0] == {**plain[same][0], factor: 1 + Weights().nearby}
    assert there[other] == plain[other]
    assert list(there) == [same, other]


async def test_a_situation_keeps_nothing_out(client):
    await client.write("the zigbee hub", project="home", module="radio")

    context = RecallContext(session="s", task_id="t", tool="x", project="p", module="m")
    (hit,) = (await client.recall("zigbee hub", context=context)).hits

    assert not {"session", "task", "tool", "project", "module"} & hit.why.factors.keys()


# ── a question that leans on the turn before ─────────────────────────────────────────────────

HALL, ATTIC = "the lamp in the hall takes an E27 bulb", "the lamp in the attic takes a G9 bulb"
BEFORE = "which bulb does the lamp in the attic take?"
FOLLOW_UP = "and the other one?"


def after(*turns):
    return RecallContext(recent_turns=turns)


@pytest.fixture
async def lamps(client):
    await client.write(HALL)
    await client.write(ATTIC)
    await client.write("Sarah lives in Bristol")


async def test_a_follow_up_finds_what_the_turn_before_was_about(client, lamps):
    alone = await client.recall(FOLLOW_UP)
    answer = await client.recall(FOLLOW_UP, context=after("Hello", BEFORE))

    assert (alone.hits, alone.empty_because) == ((), "below_floor")
    assert {hit.memory.text for hit in answer.hits} == {HALL, ATTIC}
    assert "read in 2 ways" in answer.trace.stages[0].note


async def test_a_hit_of_a_follow_up_names_the_words_of_the_turn_before(client, lamps):
    answer = await client.recall(FOLLOW_UP, context=after(BEFORE))

    assert answer.hits[0].memory.text == ATTIC
    assert set(answer.hits[0].why.matched) == {"attic", "bulb", "lamp", "take"}


async def test_a_complete_question_is_not_joined(client, lamps, ask):
    question = "where does Sarah live?"
    answer = await client.recall(question, context=after(BEFORE))

    assert [hit.memory.text for hit in answer.hits] == ["Sarah lives in Bristol"]
    assert not {"lamp", "bulb"} & {*answer.trace.terms, *answer.trace.dropped_terms}


@pytest.mark.parametrize("embedder", [None, HashEmbedder()], ids=["by words", "by meaning"])
async def test_both_readings_count(client_of, embedder):
    client = client_of(models=Models(embedder=embedder))
    verbatim = "and the other one"
    for text in (HALL, ATTIC, verbatim, "Sarah's dog chews sensor cables"):
        await client.write(text)

    answer = await client.recall(FOLLOW_UP, context=after(BEFORE))
    relevance = {hit.memory.text: hit.why.relevance for hit in answer.hits}

    assert {ATTIC, verbatim} <= set(relevance)
    assert relevance[verbatim] == pytest.approx(1, abs=0.01)


async def test_only_the_last_two_turns_are_joined_and_each_is_cut(client, lamps):
    long = "hall ".ljust(TURN_CHARS, ".") + " Bristol"
    answer = await client.recall(FOLLOW_UP, context=after("Sarah", BEFORE, long))
    terms = {*answer.trace.terms, *answer.trace.dropped_terms, *answer.trace.unknown_terms}

    assert {"lamp", "hall"} <= terms
    assert not {"sarah", "bristol"} & terms


@pytest.mark.parametrize("turns", [(FOLLOW_UP,), (" ", "\n")])
async def test_a_turn_that_says_nothing_more_is_not_joined(client, lamps, turns):
    answer = await client.recall(FOLLOW_UP, context=after(*turns))

    assert "read in" not in answer.trace.stages[0].note


async def test_the_question_itself_among_the_turns_takes_nobodys_place(client, lamps, ask):
    context = after(BEFORE, "Thanks", FOLLOW_UP)

    assert (await ask(FOLLOW_UP, context=context))[0] == ATTIC


async def test_so_many_turns_may_be_told_and_no_more(client, lamps):
    await client.recall(FOLLOW_UP, context=after(*["hm"] * RECENT_TURNS_MAX))

    with pytest.raises(TooLarge) as error:
        await client.recall(FOLLOW_UP, context=after(*["hm"] * (RECENT_TURNS_MAX + 1)))

    assert error.value.field == "recent_turns"


# ── whether memory can help ──────────────────────────────────────────────────────────────────

BRINGS_ITS_MATTER = "translate hello to Japanese"


@pytest.fixture
async def phrasebook(client):
    await client.write("I translate hello to Japanese with the blue phrasebook")
    await client.write("my wifi password is on the fridge")


async def test_what_memory_cannot_help_with_is_left_alone(client, phrasebook):
    answer = await client.recall(BRINGS_ITS_MATTER, if_needed=True)

    assert (answer.hits, answer.empty_because) == ((), "not_needed")
    assert [stage.stage for stage in answer.trace.stages] == ["need"]
    assert answer.trace.stages[0].note == "nothing that was said before can help"
    assert (answer.trace.terms, answer.trace.intent) == ((), "general")


async def test_what_is_ones_own_is_looked_up(client, phrasebook):
    answer = await client.recall("what is my wifi password", if_needed=True)

    assert answer.hits[0].memory.text == "my wifi password is on the fridge"
    assert (answer.trace.stages[0].stage, answer.trace.stages[1].stage) == ("need", "plan")
    assert answer.trace.stages[0].note == "memory may help"


async def test_who_asks_on_purpose_is_always_answered(client, phrasebook):
    answer = await client.recall(BRINGS_ITS_MATTER)

    assert answer.hits[0].memory.text.startswith("I translate")
    assert "need" not in [stage.stage for stage in answer.trace.stages]


@pytest.mark.looks_inside
async def test_what_is_no_quality_no_text_and_no_yes_or_no_is_refused(client):
    with pytest.raises(InvalidValue, match="include_superseded"):
        await client.recall("zigbee", include_superseded="yes")
    with pytest.raises(InvalidValue, match="quality"):
        await client.recall("zigbee", quality="fast")
    with pytest.raises(InvalidText, match="tool"):
        await client.recall("zigbee", context=RecallContext(tool=5))
