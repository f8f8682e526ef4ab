"""A chat model's answer becomes proposals, whatever the model; and nothing but proposals."""

import re
from typing import get_args

import pytest

from pinyon.care.model_proposer import NOT_SHOWN, ModelProposer
from pinyon.care.proposed_form import Proposed
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.errors import BadModelOutput, ModelUnavailable
from pinyon.models.strict_schema import strict_schema
from pinyon.prompts.loading import load
from pinyon.testing.makers import memory_of
from pinyon.testing.scripted_chat import ScriptedChat

pytestmark = pytest.mark.anyio

SAID = "I moved to Bath. Saving the scene worked, thanks!"
EPISODE = memory_of(1, SAID, kind="episodic")
OTHER = memory_of(2, "Hello again", kind="episodic")
FACT = memory_of(3, "Sarah lives in Bristol")
PLAYBOOK = memory_of(4, "Make the bulbs white again", kind="procedural")
MATERIAL = Material(
    episodes=(EPISODE, OTHER), facts=(FACT,), playbooks=(PLAYBOOK,), now_us=10 * 3_600_000_000
)

FACT_SAID = {
    "episode": "e1",
    "quote": "I moved to Bath",
    "text": "Sarah lives in Bath",
    "subject": "User",
    "attribute": "lives in",
    "category": "identity",
    "confidence": 0.9,
    "supersedes": ["f1"],
    "contradiction": "natural",
    "why": "She moved.",
}
END_SAID = {
    "fact": "f1",
    "says": "ended",
    "episode": "e1",
    "quote": "I moved to Bath",
    "confidence": 0.8,
    "why": "She left.",
}
PLAYBOOK_SAID = {
    "episodes": ["e1", "e2"],
    "quote": "Saving the scene worked",
    "text": "Make the bulbs white again",
    "trigger": "after a power cut",
    "steps": ["Open the app", " ", "Save the scene"],
    "refines": "p1",
    "confidence": 0.9,
    "why": "It worked.",
}
OUTCOME_SAID = {
    "playbook": "p1",
    "outcome": "worked",
    "episode": "e1",
    "quote": "Saving the scene worked, thanks!",
    "confidence": 1,
}


def answer(**lists):
    return {"facts": [], "ends": [], "playbooks": [], "outcomes": [], **lists}


async def proposed(said, material=MATERIAL):
    return await ModelProposer(ScriptedChat([said])).propose(material)


async def test_what_the_model_says_is_proposed_with_the_ids_of_what_it_was_shown():
    said = answer(facts=[FACT_SAID], playbooks=[PLAYBOOK_SAID], outcomes=[OUTCOME_SAID])

    fact, playbook, outcome = await proposed(said)

    assert fact == FactProposal(
        text="Sarah lives in Bath",
        support=EPISODE.id,
        quote="I moved to Bath",
        subject="user",
        attribute="lives_in",
        confidence=0.9,
        category="identity",
        supersedes=(FACT.id,),
        contradiction="natural",
        why="She moved.",
    )
    assert playbook == PlaybookProposal(
        text="Make the bulbs white again",
        trigger="after a power cut",
        steps=("Open the app", "Save the scene"),
        supports=(EPISODE.id, OTHER.id),
        quote="Saving the scene worked",
        confidence=0.9,
        refines=PLAYBOOK.id,
        why="It worked.",
    )
    assert outcome == OutcomeProposal(
        playbook=PLAYBOOK.id,
        outcome="worked",
        support=EPISODE.id,
        quote="Saving the scene worked, thanks!",
        confidence=1,
    )


async def test_a_fact_that_holds_no_more_is_proposed_to_end():
    (end,) = await proposed(answer(ends=[END_SAID]))

    assert end == EndProposal(
        fact=FACT.id,
        support=EPISODE.id,
        quote="I moved to Bath",
        says="ended",
        confidence=0.8,
        why="She left.",
    )


async def test_what_is_of_no_category_has_none_and_a_playbook_that_is_new_refines_none():
    fact = {**FACT_SAID, "category": "other", "supersedes": []}
    playbook = {**PLAYBOOK_SAID, "refines": ""}

    first, second = await proposed(answer(facts=[fact], playbooks=[playbook]))

    assert (first.category, first.supersedes, second.refines) == ("", (), None)


async def test_the_model_is_shown_all_and_its_label_says_what_it_was_asked_with():
    chat = ScriptedChat([answer()])
    proposer = ModelProposer(chat)

    assert await proposer.propose(MATERIAL) == ()

    for memory in (*MATERIAL.episodes, *MATERIAL.facts, *MATERIAL.playbooks):
        assert memory.text in chat.seen
        assert memory.id not in chat.seen
    assert proposer.label == "consolidate@1 scripted:chat"


async def test_nothing_is_asked_for_nothing():
    chat = ScriptedChat([])

    assert await ModelProposer(chat).propose(Material(episodes=(), now_us=0)) == ()
    assert chat.asked == []


async def test_long_material_is_asked_in_several_calls_that_say_one_thing_once():
    chat = ScriptedChat(lambda _: answer(facts=[{**FACT_SAID, "episode": "e1"}]))
    long = Material(
        episodes=tuple(memory_of(n, f"word{n} " * 200, kind="episodic") for n in range(1, 9)),
        facts=(FACT,),
        now_us=0,
    )

    proposals = await ModelProposer(chat, budget_tokens=1_500).propose(long)

    assert len(chat.asked) > 2
    assert [one.support for one in proposals] == [long.episodes[0].id, NOT_SHOWN]


INVENTED = [
    ({"facts": [{**FACT_SAID, "episode": "e9"}]}, "support"),
    ({"facts": [{**FACT_SAID, "episode": "f1"}]}, "support"),
    ({"facts": [{**FACT_SAID, "episode": FACT.id}]}, "support"),
    ({"facts": [{**FACT_SAID, "supersedes": ["f7"]}]}, "supersedes"),
    ({"facts": [{**FACT_SAID, "supersedes": ["p1"]}]}, "supersedes"),
    ({"ends": [{**END_SAID, "fact": "e1"}]}, "fact"),
    ({"ends": [{**END_SAID, "episode": ""}]}, "support"),
    ({"playbooks": [{**PLAYBOOK_SAID, "episodes": ["e1", "x"]}]}, "supports"),
    ({"playbooks": [{**PLAYBOOK_SAID, "refines": "p2"}]}, "refines"),
    ({"outcomes": [{**OUTCOME_SAID, "playbook": "f1"}]}, "playbook"),
    ({"outcomes": [{**OUTCOME_SAID, "episode": "e0"}]}, "support"),
]


@pytest.mark.promise("chat", "It names no memory that it was not shown.")
@pytest.mark.parametrize(("said", "field"), INVENTED)
async def test_an_id_that_was_not_shown_is_nobodys(said, field):
    (proposal,) = await proposed(answer(**said))

    named = getattr(proposal, field)
    assert NOT_SHOWN in (named if isinstance(named, tuple) else (named,))
    assert NOT_SHOWN not in {memory.id for memory in (EPISODE, OTHER, FACT, PLAYBOOK)}


@pytest.mark.parametrize("short", ["E1", " e1 ", "[e1]"])
async def test_an_id_is_read_however_it_is_written(short):
    (fact,) = await proposed(answer(facts=[{**FACT_SAID, "episode": short}]))

    assert fact.support == EPISODE.id


@pytest.mark.parametrize(
    "said",
    [
        {"facts": [{**FACT_SAID, "quote": " "}]},
        {"facts": [{**FACT_SAID, "text": ""}]},
        {"ends": [{**END_SAID, "quote": ""}]},
        {"playbooks": [{**PLAYBOOK_SAID, "quote": ""}]},
        {"playbooks": [{**PLAYBOOK_SAID, "steps": [" "]}]},
        {"outcomes": [{**OUTCOME_SAID, "quote": "\n"}]},
    ],
)
async def test_what_says_nothing_is_not_proposed(said):
    assert await proposed(answer(**said)) == ()


async def test_a_fact_that_another_takes_the_place_of_does_not_end_as_well():
    (fact,) = await proposed(answer(facts=[FACT_SAID], ends=[END_SAID]))

    assert fact.supersedes == (FACT.id,)


async def test_a_playbook_that_worked_and_failed_at_once_did_neither():
    failed = {**OUTCOME_SAID, "outcome": "failed"}

    assert await proposed(answer(outcomes=[OUTCOME_SAID, failed])) == ()


async def test_what_is_said_twice_is_proposed_once():
    said = answer(facts=[FACT_SAID, FACT_SAID], outcomes=[OUTCOME_SAID, OUTCOME_SAID])

    assert len(await proposed(said)) == 2


BAD = {
    "prose": "She moved to Bath, I believe.",
    "truncated": '{"facts": [{"episode": "e1", "quote": "I mo',
    "its own schema": strict_schema(Proposed),
    "the prompt": load("consolidate").body,
    "a fact without a quote": answer(facts=[{"episode": "e1", "text": "Sarah lives in Bath"}]),
    "sure beyond measure": answer(facts=[{**FACT_SAID, "confidence": 100}]),
    "without end": answer(facts=[FACT_SAID] * 1_000),
    "null": {"facts": None, "ends": None, "playbooks": None, "outcomes": None},
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_what_cannot_be_read_is_a_failure_and_no_proposal(bad):
    with pytest.raises(BadModelOutput):
        await ModelProposer(ScriptedChat([bad, bad])).propose(MATERIAL)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_what_can_be_read_the_second_time_is_proposed(bad):
    proposer = ModelProposer(ScriptedChat([bad, answer(facts=[FACT_SAID])]))

    assert len(await proposer.propose(MATERIAL)) == 1


async def test_a_model_that_cannot_be_asked_is_told_as_it_is():
    chat = ScriptedChat([ModelUnavailable("m", "no answer within 1 s")])

    with pytest.raises(ModelUnavailable):
        await ModelProposer(chat).propose(MATERIAL)


def test_the_prompt_holds_no_example_that_a_model_could_take_for_what_was_said():
    body = load("consolidate").body

    assert not re.search(r"\b(e\d|f\d|p\d|for example|e\.g\.|I|my)\b", body)
    assert re.findall(r'"[^"]*"|“[^”]*”', body) == ['"yesterday"']


def test_the_prompt_says_what_every_field_is_for():
    body = load("consolidate").body
    lists = Proposed.model_fields.values()
    forms = [Proposed, *(get_args(one.annotation)[0] for one in lists)]

    for form in forms:
        for name in form.model_fields:
            assert f"`{name}`" in body, name
