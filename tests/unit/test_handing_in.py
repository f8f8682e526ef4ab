"""Consolidation by somebody else's model: what it is shown, and what comes of what it makes."""

import pytest

from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.errors import InvalidId, InvalidValue, NotWanted

pytestmark = pytest.mark.anyio
ON_EVERY_STORE = True
THROUGH_EVERY_CLIENT = True

SAID = "We packed for days. I live in Leeds now"


def leeds(support, **fields):
    plain = {
        "text": "Ann lives in Leeds",
        "support": support,
        "quote": "I live in Leeds now",
        "subject": "User",
        "attribute": "lives in",
        "confidence": 0.9,
    }
    return FactProposal(**{**plain, **fields})


async def facts_of(client):
    listing = await client.list(kinds=["semantic"], filters={"status": "active"})
    return [one.text for one in listing.memories]


async def test_who_asks_is_shown_what_waits_and_what_is_near_it(client):
    known = await client.write("Ann lives in Bristol")
    first = await client.remember(SAID, session="s")
    await client.remember("You live in York.", role="assistant", session="s")
    await client.remember("The agent painted the hall", role="thought", recallable=True)
    material = await client.material(limit=5)

    assert [one.id for one in material.episodes] == [first.id]
    assert [one.id for one in material.facts] == [known.id]
    assert "You live in York." in [turn.text for turn in material.around]


@pytest.mark.promise(
    "consolidation", "What a client's own model makes of messages passes the guards that all obey."
)
async def test_what_is_handed_in_passes_the_same_guards(client):
    said = await client.remember(SAID)
    reply = await client.remember("I am the king", role="assistant", recallable=True)
    good = await client.propose(facts=[leeds(said.id)])
    bad = await client.propose(
        facts=[
            leeds(said.id, text="Ann lives in Leeds with John Doe"),
            leeds(said.id, quote="I live in Bath"),
            leeds(reply.id, text="Ann is the king", quote="I am the king"),
            leeds("mem_" + "7" * 32),
            leeds(said.id, text="Ann packed", quote="We packed for days", confidence=0.2),
        ]
    )

    assert (len(good.created), good.episodes, good.left) == (1, 0, 2)
    assert dict(bad.refused) == {
        "not_in_words": 1,
        "not_quoted": 1,
        "not_the_users": 1,
        "unknown_support": 1,
        "unsure": 1,
    }
    assert await facts_of(client) == ["Ann lives in Leeds"]
    (fact,) = (await client.list(kinds=["semantic"])).memories
    assert dict(fact.metadata) == {
        "made_by": "handed-in@1",
        "subject": "user",
        "attribute": "lives_in",
    }


async def test_it_may_correct_end_and_refine_what_it_names(client):
    bristol = await client.write("I live in Bristol")
    tea = await client.write("Ann likes tea")
    moved = await client.remember(SAID)
    left = await client.remember("I no longer like tea")
    told = await client.remember("Bulbs white? Saving the scene again fixed it")
    done = await client.propose(
        facts=[leeds(moved.id, supersedes=[bristol.id], why="she moved")],
        ends=[EndProposal(fact=tea.id, support=left.id, quote="no longer like tea")],
        playbooks=[
            PlaybookProposal(
                text="Colours come back",
                trigger="bulbs show white",
                steps=["Save the scene again"],
                supports=[told.id],
                quote="Saving the scene again fixed it",
                confidence=0.9,
            )
        ],
        episodes=[moved.id, left.id],
    )

    assert {*done.superseded} == {bristol.id, tea.id}
    assert (len(done.created), done.episodes, done.left) == (2, 2, 1)


async def test_an_outcome_is_counted_once_and_settles_what_told_it(client):
    playbook = await client.write(
        "Colours come back", kind="procedural", trigger="white", steps=["Save the scene"]
    )
    told = await client.remember("The colours came back, that worked")
    outcome = OutcomeProposal(
        playbook=playbook.id, outcome="worked", support=told.id, quote="that worked"
    )
    first = await client.propose(outcomes=[outcome])
    again = await client.propose(outcomes=[outcome])

    assert (first.outcomes, first.episodes, first.left) == ((playbook.id,), 1, 0)
    assert (again.outcomes, dict(again.refused)) == ((), {"counted_before": 1})
    assert (await client.show(playbook.id)).counts.successes == 1


async def test_an_outcome_that_is_refused_settles_nothing(client):
    playbook = await client.write(
        "Colours come back", kind="procedural", trigger="white", steps=["Save the scene"]
    )
    told = await client.remember("The colours came back, that worked")
    outcome = OutcomeProposal(
        playbook=playbook.id, outcome="worked", support=told.id, quote="it is a miracle"
    )
    refused = await client.propose(outcomes=[outcome])

    assert (dict(refused.refused), refused.episodes, refused.left) == ({"not_quoted": 1}, 0, 1)


async def test_handing_in_twice_changes_nothing(client):
    said = await client.remember(SAID)
    first = await client.propose(facts=[leeds(said.id)], episodes=[said.id])
    again = await client.propose(facts=[leeds(said.id)], episodes=[said.id])

    assert (len(first.created), first.episodes) == (1, 1)
    assert (again.created, again.strengthened, again.episodes) == ((), (), 0)


async def test_while_memory_is_paused_nothing_is_shown_or_taken(client):
    said = await client.remember(SAID)
    await client.set_consent(paused=True)

    assert (await client.material()).episodes == ()
    with pytest.raises(NotWanted):
        await client.propose(facts=[leeds(said.id)])


MALFORMED = {
    "no list": ({"facts": "all of them"}, InvalidValue),
    "another sort": ({"facts": [{"text": "Ann"}]}, InvalidValue),
    "too many": ({"episodes": ["mem_" + "7" * 32] * 101}, InvalidValue),
    "no id": ({"facts": [leeds("Ann")]}, InvalidId),
    "no number": ({"facts": [leeds("7" * 32, confidence="sure")]}, InvalidValue),
    "over one": ({"facts": [leeds("7" * 32, confidence=1.5)]}, InvalidValue),
    "another word": ({"facts": [leeds("7" * 32, contradiction="mild")]}, InvalidValue),
}


@pytest.mark.parametrize(("given", "error"), MALFORMED.values(), ids=MALFORMED)
async def test_what_is_no_proposal_is_refused_as_such(client, given, error):
    with pytest.raises(error):
        await client.propose(**given)


@pytest.mark.looks_inside
@pytest.mark.parametrize("limit", [0, 101, "all", True])
async def test_a_limit_is_a_number_that_can_be_read(client, limit):
    with pytest.raises(InvalidValue):
        await client.material(limit=limit)
