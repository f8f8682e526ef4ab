"""What rules propose to make of episodes: facts in the user's words, ends, outcomes, remedies."""

from dataclasses import replace

import pytest

from pinyon.care.rules import RuleProposer
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
)
from pinyon.domain.event import Turn
from pinyon.domain.ids import EventId
from pinyon.domain.memory import Counts, Procedure, Source, Step
from pinyon.ports.proposer import Proposer
from pinyon.testing.makers import memory_of

pytestmark = pytest.mark.anyio

HOUR_US = 3_600_000_000


def said(number, text, *, session="s1", role="user", speaker="", **fields):
    source = Source(session=session, role=role, speaker=speaker)
    return memory_of(number, text, kind="episodic", source=source, **fields)


def turn(number, text, *, session="s1", role="assistant", speaker=""):
    return Turn(
        id=EventId(f"evt_{number:032x}"),
        text=text,
        role=role,
        session=session,
        event_type="message",
        speaker=speaker,
        message_id="",
        parent="",
        occurred_at_us=number * HOUR_US,
        offset_min=0,
        created_at_us=number * HOUR_US,
        metadata=(),
    )


def fact(number, text, **metadata):
    return memory_of(number, text, metadata=tuple(sorted(metadata.items())))


def playbook(number, trigger, *steps):
    procedure = Procedure(trigger=trigger, steps=tuple(map(Step, steps)))
    return memory_of(number, trigger, kind="procedural", procedure=procedure)


async def proposed(*episodes, facts=(), playbooks=(), around=()):
    material = Material(
        episodes=episodes, facts=facts, playbooks=playbooks, around=around, now_us=1_000 * HOUR_US
    )
    return list(await RuleProposer().propose(material))


# ── facts ────────────────────────────────────────────────────────────────────────────────────


def test_it_is_a_proposer_with_a_label():
    proposer: Proposer = RuleProposer()

    assert proposer.label == "rules@1"


async def test_a_fact_is_the_users_clause_as_it_stands():
    episode = said(1, "By the way, I live in Leeds. What's the weather?")

    (one,) = await proposed(episode)

    assert one == FactProposal(
        text="I live in Leeds",
        support=episode.id,
        quote="I live in Leeds",
        subject="user",
        attribute="lives_in",
        confidence=0.9,
        category="identity",
        why="user: lives_in, said by the user",
    )


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("I'm vegan", 0.9),
        ("I have a Hub v2", 0.9),
        ("I've ordered a kettle", 0.7),
        ("my dog chews everything", 0.7),
    ],
)
async def test_what_passes_or_is_said_by_the_way_is_less_sure(text, confidence):
    (one,) = await proposed(said(1, text))

    assert one.confidence == confidence


@pytest.mark.parametrize(
    "episode",
    [
        said(1, "I live in Leeds", role="assistant"),
        said(1, "I live in Leeds", role="tool"),
        said(1, "I live in Leeds", trust="document"),
        said(1, "I live in Leeds", trust="agent"),
        said(1, "My friend Jack hates football"),
        said(1, "Do I live in Leeds?"),
    ],
)
async def test_what_others_say_and_what_is_said_of_others_is_no_fact(episode):
    assert await proposed(episode) == []


async def test_among_several_speakers_only_who_is_named_like_the_user_is_the_user():
    bob, ann = said(1, "I like jazz", speaker="Bob"), said(2, "I like tea", speaker="Ann")

    assert [one.support for one in await proposed(bob, ann)] == [ann.id]
    assert [one.text for one in await proposed(bob)] == ["I like jazz"]
    assert await proposed(bob, around=(turn(2, "hi", role="user", speaker="Ann"),)) == []
    assert len(await proposed(bob, around=(turn(2, "hi", speaker="Bot"),))) == 1


# ── what takes whose place ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "text", "contradiction"),
    [
        ("I live in York", "I've moved to Leeds", "natural"),
        ("I live in York", "We moved from York to Leeds", "natural"),
        ("我住在伦敦", "I live in Leeds", "natural"),
        ("I live in York", "No, I live in Leeds", "harsh"),
        ("my hub is a Hub v2", "my hub is a Hub v3, not a v2", "harsh"),
        ("I use Spotify", "I switched from Spotify to Tidal", "natural"),
        ("I'm allergic to eggs", "I'm not allergic to eggs after all", "harsh"),
        ("我住在佛山", "其实，我住在广州", "harsh"),
        ("I live in York", "Actually, we moved to Leeds", "natural"),
        ("my hub is a Hub v2", "my hub is now a Hub v3, not a v2", "natural"),
    ],
)
async def test_the_same_of_the_same_takes_its_place(before, text, contradiction):
    old = fact(9, before)

    (one,) = await proposed(said(1, text), facts=(old,))

    assert (one.supersedes, one.contradiction) == ((old.id,), contradiction)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("I live in Leeds", "I live in Leeds"),
        ("I live in Leeds", "I work at Acme"),
        ("I work at Acme", "My sister works at Globex"),
        ("I have a Hub v2", "I bought a Hub v3"),
        ("I like tea", "I like coffee"),
        ("During the week I live in York", "I live in Leeds"),
        ("I live in York", "During the week I live in Leeds"),
        ("I used to live in Oslo", "I live in Leeds"),
        ("The thick walls of York weaken the signal", "I live in Leeds"),
        ("I use Vim 9", "I switched from Spotify to Tidal"),
        ("I'm allergic to nuts", "I'm not allergic to eggs"),
    ],
)
async def test_what_may_hold_beside_it_stays(before, text):
    (one,) = await proposed(said(1, text), facts=(fact(9, before),))

    assert (one.supersedes, one.contradiction) == ((), "natural")


async def test_metadata_says_of_what_a_fact_is_where_its_words_do_not():
    named = fact(8, "Home is York", subject="user", attribute="lives_in")
    other = fact(9, "Home is Hull", subject="sister", attribute="lives_in")
    unknown = fact(7, "I live in York", subject="user", attribute="shoe_size")
    over = fact(6, "I used to live in Oslo", subject="user", attribute="lives_in")

    (one,) = await proposed(said(1, "I live in Leeds"), facts=(named, other, unknown, over))

    assert one.supersedes == (named.id, unknown.id)


async def test_metadata_picks_what_is_meant_of_a_fact_that_says_more():
    both = fact(9, "I'm 33 years old and live in York", subject="user", attribute="age")

    assert [
        one.supersedes for one in await proposed(said(1, "I live in Leeds"), facts=(both,))
    ] == [()]
    assert [one.supersedes for one in await proposed(said(1, "I'm 34"), facts=(both,))] == [
        (both.id,)
    ]


async def test_what_is_over_ends_the_fact_that_says_it():
    old, kept = fact(8, "I have a dog"), fact(9, "I have a Hub v2")
    episode = said(1, "I no longer have the dog, sadly")

    assert await proposed(episode, facts=(old, kept)) == [
        EndProposal(
            fact=old.id,
            support=episode.id,
            quote="I no longer have the dog",
            says="ended",
            confidence=0.9,
            why="said to hold no more",
        )
    ]


@pytest.mark.parametrize("text", ["I used to live in Oslo", "I'm not allergic to eggs"])
async def test_what_nobody_knew_and_is_over_is_a_fact(text):
    (one,) = await proposed(said(1, text))

    assert (one.text, one.supersedes) == (text, ())


async def test_who_comes_to_dislike_something_no_longer_likes_it():
    old, kept = fact(8, "I love Chinese food"), fact(9, "I love jazz")

    (new,) = await proposed(said(1, "I hate Chinese food"), facts=(old, kept))

    assert (new.text, new.attribute) == ("I hate Chinese food", "dislikes")
    assert (new.supersedes, new.contradiction) == ((old.id,), "natural")


async def test_a_device_that_is_another_version_is_not_had_as_the_old_one():
    old, kept = fact(8, "I have a Lumio Hub v2"), fact(9, "I have a Lumio Hub v1")

    end, new = await proposed(said(1, "My hub is a v3, not a v2"), facts=(old, kept))

    assert end.fact == old.id
    assert new.attribute == "version"


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I live in York", "We moved to Leeds", [2]),
        ("I live in York", "I don't live in York any more", [2]),
        ("I use Spotify", "I switched from Spotify to Tidal", [2]),
        ("I use Vim 9", "I switched from Spotify to Tidal", [1, 2]),
        ("I live in York", "I used to live in Oslo", [1, 2]),
        ("I live in York", "I live in York!", [1, 2]),
        ("I used to live in Oslo", "I live in York", [1, 2]),
        ("I have a brown dog", "I no longer have the dog", [2]),
        ("I love Chinese food", "I hate Chinese food", [2]),
        ("I love Chinese food", "I hate jazz", [1, 2]),
        ("I like tea", "I like coffee", [1, 2]),
        ("I like tea", "I live in York", [1, 2]),
    ],
)
async def test_of_what_is_looked_at_together_the_last_word_counts(first, second, kept):
    episodes = {1: said(1, first), 2: said(2, second)}

    supports = [one.support for one in await proposed(*episodes.values())]

    assert supports == [episodes[number].id for number in kept]


DAYS = 24
"""Hours; a memory's number is its time in hours."""


@pytest.mark.parametrize(
    ("old", "new", "months", "is_replaced"),
    [
        ("My flight is on 3 March", "My flight is on 5 March", 1, True),
        ("My flight is on 3 March", "My flight is on 9 July", 5, False),
        ("回杭州那趟是 3 月 3 号", "回杭州那趟是 3 月 5 号", 1, True),
        ("回杭州那趟是 3 月 3 号", "回杭州那趟是 7 月 9 号", 5, False),
        ("My flight is on Saturday", "My flight is on 9 July", 5, True),
        ("I live in York", "I live in Leeds", 5, True),
    ],
)
async def test_the_day_of_another_event_is_not_that_of_one_that_is_over(
    old, new, months, is_replaced
):
    known = fact(1, old)
    later = said(months * 30 * DAYS, new)

    alone = [one.supersedes for one in await proposed(later, facts=(known,))]
    together = [one.text for one in await proposed(said(1, old), later)]

    assert alone == [(known.id,) if is_replaced else ()]
    assert len(together) == (1 if is_replaced else 2)


# ── how it went ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "outcome"), [("that worked, thanks", "worked"), ("no luck", "failed")]
)
async def test_how_it_went_counts_for_the_playbook_that_was_talked_about(text, outcome):
    known = playbook(9, "The bulbs show only white after a power cut", "Save the scene again")
    around = (turn(1, "Save the scene of your bulbs again after the power cut."),)
    episode = said(2, text)

    assert await proposed(episode, playbooks=(known,), around=around) == [
        OutcomeProposal(
            playbook=known.id, outcome=outcome, support=episode.id, quote=text, confidence=0.9
        )
    ]


async def test_it_counts_for_none_where_two_may_be_meant_or_none_was():
    bulbs, app = playbook(8, "The bulbs show only white"), playbook(9, "The app shows E-41")
    about_bulbs = (turn(1, "Try the bulbs: do they show white?"),)
    elsewhere = (turn(1, "The bulbs show only white", session="s2"),)
    later = (turn(3, "The bulbs show only white"),)

    assert await proposed(said(2, "no luck"), playbooks=(bulbs, app), around=about_bulbs) == []
    assert await proposed(said(2, "no luck"), playbooks=(bulbs,), around=elsewhere) == []
    assert await proposed(said(2, "no luck"), playbooks=(bulbs,), around=later) == []
    assert await proposed(said(2, "no luck"), playbooks=(app,), around=about_bulbs) == []


async def test_a_code_is_enough_to_tell_what_is_talked_about():
    known = playbook(9, "E-41")
    episodes = (said(1, "What does E-41 mean?"), said(2, "that fixed it"))

    assert [one.playbook for one in await proposed(*episodes, playbooks=(known,))] == [known.id]


SENSOR = replace(
    playbook(9, "a leak sensor drops off the network", "Pair the sensor again"),
    text="A leak sensor comes back when it is paired again.",
)
DROPPED = (turn(1, "My leak sensor dropped off the network again", role="user"),)
MOVED = said(2, "Moving the hub closer to the leak sensor fixed it, thanks!")


async def test_what_helped_in_its_place_is_no_success_of_a_playbook_for_the_same_trouble():
    assert await proposed(MOVED, playbooks=(SENSOR,), around=DROPPED) == []


@pytest.mark.promise(
    "consolidation", "Where a playbook fails and something else helps, that is its next version."
)
async def test_what_helps_where_a_playbook_had_failed_is_its_next_version():
    failed = replace(SENSOR, counts=Counts(failures=2, successes=1))
    better, worked = await proposed(MOVED, playbooks=(failed,), around=DROPPED)
    paired = said(2, "Pairing it again fixed it")
    (again,) = await proposed(paired, playbooks=(failed,), around=DROPPED)

    assert (better.refines, better.steps) == (
        SENSOR.id,
        ("Moving the hub closer to the leak sensor",),
    )
    assert (better.trigger, better.quote) == (SENSOR.procedure.trigger, MOVED.text)
    assert (worked.playbook, worked.outcome) == (again.playbook, again.outcome)


async def test_what_helped_and_is_no_step_of_a_playbook_does_not_count_for_it():
    known = playbook(9, "Requests hang, no connection is left", "Terminate idle sessions")
    around = (turn(1, "Requests hang, no connection is left", role="user"),)
    own, other = said(2, "Terminating the sessions fixed it"), said(2, "Pruning images fixed it")

    assert [type(one) for one in await proposed(own, playbooks=(known,), around=around)] == [
        OutcomeProposal
    ]
    assert await proposed(other, playbooks=(known,), around=around) == []


# ── what helped ──────────────────────────────────────────────────────────────────────────────


async def test_what_the_user_says_helped_becomes_a_playbook():
    trouble = turn(1, "The bulbs failed again and show only white", role="user")
    episode = said(2, "Great. Saving the scene again fixed it!")

    assert await proposed(episode, around=(trouble,)) == [
        PlaybookProposal(
            text="Saving the scene again fixed it!",
            trigger="The bulbs failed again and show only white",
            steps=("Saving the scene again",),
            supports=(episode.id,),
            quote="Saving the scene again fixed it!",
            confidence=0.8,
            why="the user says what helped",
        )
    ]


async def test_the_trouble_may_be_an_episode_of_its_own():
    episodes = (said(1, "还是不行，灯只有白光"), said(2, "把场景重新保存一下就好了"))

    (one,) = await proposed(*episodes)

    assert (one.trigger, one.steps) == ("还是不行，灯只有白光", ("把场景重新保存",))


async def test_a_playbook_for_another_trouble_of_the_same_talk_stands_in_no_ones_way():
    known = playbook(9, "Requests hang, no connection is left", "Terminate idle sessions")
    around = (
        turn(1, "Requests hang, no connection is left", role="user"),
        turn(2, "The deploy to heron keeps dying", role="user"),
    )

    (one,) = await proposed(
        said(3, "Pruning the images fixed it"), playbooks=(known,), around=around
    )

    assert (one.trigger, one.steps) == (
        "The deploy to heron keeps dying",
        ("Pruning the images",),
    )


async def test_without_a_trouble_or_with_a_playbook_for_it_there_is_none():
    known = playbook(9, "The bulbs show only white")
    trouble = turn(1, "The bulbs failed again and show only white", role="user")
    helped = said(2, "Saving the scene again fixed it")

    assert await proposed(helped) == []
    assert await proposed(helped, around=(turn(1, "hello there", role="user"),)) == []
    assert await proposed(helped, around=(turn(1, "Error: the bulbs failed", role="tool"),)) == []
    assert [type(one) for one in await proposed(helped, around=(trouble,), playbooks=(known,))] == [
        OutcomeProposal
    ]


async def test_five_passes_propose_the_same():
    episodes = (said(1, "I live in Leeds"), said(2, "no luck"), said(3, "I like tea"))
    first = await proposed(*episodes)

    assert all([await proposed(*episodes) == first for _ in range(4)])
