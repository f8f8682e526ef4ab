"""The guards of consolidation: what a proposal must stand before anything of it is kept."""

import re
from dataclasses import replace

import pytest

from pinyon.care.guards import End, Fact, Outcome, Playbook, guarded
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
    Statement,
)
from pinyon.domain.memory import Procedure, Source, Step
from pinyon.testing.makers import memory_of
from pinyon.text.normal import content_hash

LIVES = re.compile(r"(?:I live|lives) in (\w+)")
WORKS = re.compile(r"(?:I work|works) at (\w+)")


def reads(text):
    """Read off where somebody lives and works."""
    patterns = {"lives_in": LIVES, "works_at": WORKS}
    return [
        Statement(
            start=found.start(),
            end=found.end(),
            subject="user",
            attribute=attribute,
            value=found[1],
            is_single=True,
        )
        for attribute, pattern in patterns.items()
        for found in pattern.finditer(text)
    ]


SAID_AT_US = 10**12


def said(number, text, **more):
    """Return an episode of later than all facts."""
    episode = memory_of(number, text, kind="episodic", source=Source(role="user"), **more)
    return replace(episode, times=replace(episode.times, occurred_at_us=SAID_AT_US + number))


MOVED = said(1, "We packed for days. I live in Leeds now, near the canal")
REPLY = replace(said(2, "You live in York"), source=Source(role="assistant"), trust="agent")
ASKS = said(3, "Do I live in Leeds? I have a Lumio Hub v2.")
WORKED = replace(
    said(4, "Saving the scene again brought the colours back, thanks"), awaits=("consolidation",)
)
BRISTOL = memory_of(11, "Sarah lives in Bristol")
ACME = memory_of(12, "Sarah works at Acme as CTO")
PLAYBOOK = memory_of(
    13,
    "Colours come back",
    kind="procedural",
    procedure=Procedure(trigger="bulbs show white", steps=(Step("Save the scene again"),)),
)
MATERIAL = Material(
    episodes=(MOVED, REPLY, ASKS, WORKED),
    facts=(BRISTOL, ACME),
    playbooks=(PLAYBOOK,),
    now_us=10**15,
)
LEEDS = FactProposal(
    text="Sarah lives in Leeds near the canal",
    support=MOVED.id,
    quote="I live in Leeds now",
    subject="user",
    attribute="lives_in",
    confidence=0.9,
    supersedes=(BRISTOL.id,),
)
SCENE = PlaybookProposal(
    text="Save the scene again when bulbs show white",
    trigger="The lamp shows white",
    steps=("Save the scene",),
    supports=(WORKED.id,),
    quote="Saving the scene again brought the colours back",
    confidence=0.9,
)


def judged(*proposals, material=MATERIAL, forgotten=()):
    return guarded(material, proposals, reads=reads, forgotten=forgotten)


def refusals(*proposals, **more):
    return [one.reason for one in judged(*proposals, **more).refused]


# ── facts ────────────────────────────────────────────────────────────────────────────────────


LIKES = memory_of(
    31, "Sarah loves Chinese food", metadata=(("attribute", "likes"), ("subject", "user"))
)
JAZZ = memory_of(32, "Sarah loves jazz", metadata=(("attribute", "likes"), ("subject", "user")))
HATES = said(33, "I hate Chinese food", awaits=("consolidation",))


def test_a_taste_that_turns_takes_the_place_of_the_same_taste_only():
    turned = FactProposal(
        text="Sarah hates Chinese food",
        support=HATES.id,
        quote=HATES.text,
        subject="user",
        attribute="dislikes",
        supersedes=(LIKES.id, JAZZ.id),
    )
    material = Material(episodes=(HATES,), facts=(LIKES, JAZZ), now_us=10**15)

    (fact,) = judged(turned, material=material).accepted
    assert (fact.supersedes, fact.conflicts) == ((LIKES,), ())


def spoken_by(episode, speaker):
    return replace(episode, source=replace(episode.source, speaker=speaker))


@pytest.mark.promise(
    "consolidation", "Where several people speak, nobody else's words become the user's facts."
)
def test_where_several_people_speak_only_who_is_named_like_the_user_is_the_user():
    proposal = replace(LEEDS, supersedes=())

    def refused(speaker, *others):
        asks = [spoken_by(ASKS, other) for other in others]
        material = replace(MATERIAL, episodes=(spoken_by(MOVED, speaker), *asks))
        return refusals(proposal, material=material)

    assert refused("Bob", "Ann") == refused("Bob", "Lena") == ["not_the_users"]
    assert refused("Ann", "Bob") == refused("Bob") == refused("", "Bob") == []


def test_a_fact_that_the_user_said_takes_the_place_of_one_about_the_same():
    (fact,) = judged(LEEDS).accepted

    assert fact == Fact(proposal=LEEDS, supersedes=(BRISTOL,))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"support": BRISTOL.id}, "unknown_support"),
        ({"support": REPLY.id, "quote": "You live in York"}, "not_the_users"),
        ({"quote": "I moved to Leeds"}, "not_quoted"),
        ({"quote": "..."}, "not_quoted"),
        ({"quote": ""}, "not_quoted"),
        ({"support": ASKS.id, "quote": "Do I live in Leeds"}, "a_question"),
        ({"confidence": 0.59}, "unsure"),
        ({"confidence": 1.5}, "unsure"),
        ({"text": "Sarah lives in Edinburgh"}, "not_in_words"),
        ({"text": "Sarah lives in Leeds since 2019"}, "not_in_words"),
        ({"text": "John Doe is a software engineer"}, "not_in_words"),
        ({"text": "…"}, "not_in_words"),
    ],
)
def test_a_fact_without_the_users_words_is_refused(changed, reason):
    assert refusals(replace(LEEDS, **changed)) == [reason]


def test_what_is_quoted_in_another_setting_is_quoted():
    assert judged(replace(LEEDS, quote="“i live  in leeds now,”")).refused == []


def test_what_was_forgotten_is_not_read_off_again():
    for text in (LEEDS.text, LEEDS.quote):
        assert refusals(LEEDS, forgotten={content_hash(text)}) == ["forgotten"]


def test_what_is_about_something_else_stays_as_it_is():
    (fact,) = judged(replace(LEEDS, supersedes=(ACME.id, BRISTOL.id))).accepted

    assert fact.supersedes == (BRISTOL,)


def test_of_what_nobody_can_tell_both_stay_and_are_linked():
    plain = memory_of(14, "Home is a flat with thick walls")
    material = replace(MATERIAL, facts=(plain,))
    (fact,) = judged(replace(LEEDS, supersedes=(plain.id,)), material=material).accepted

    assert (fact.supersedes, fact.conflicts) == ((), (plain,))


def test_an_id_that_was_never_shown_takes_the_place_of_nothing():
    (fact,) = judged(replace(LEEDS, supersedes=(memory_of(99).id,))).accepted

    assert (fact.supersedes, fact.conflicts) == ((), ())


@pytest.mark.parametrize("text", ["Sarah lives in Leeds.", "She lives in Leeds"])
def test_a_fact_that_says_the_same_gains_support(text):
    known = memory_of(15, text)
    material = replace(MATERIAL, facts=(known,))
    (fact,) = judged(replace(LEEDS, text="Sarah lives in Leeds"), material=material).accepted

    assert fact.known == known


def test_the_same_is_not_proposed_twice():
    again = replace(LEEDS, text=LEEDS.text.upper())

    assert refusals(LEEDS, again) == ["repeated"]


def test_what_a_mark_says_it_is_about_counts():
    marked = memory_of(
        16, "The flat by the river", metadata=(("attribute", "lives_in"), ("subject", "user"))
    )
    material = replace(MATERIAL, facts=(marked,))
    (fact,) = judged(replace(LEEDS, supersedes=(marked.id,)), material=material).accepted

    assert fact.supersedes == (marked,)


# ── what ends ────────────────────────────────────────────────────────────────────────────────


def test_a_fact_ends_where_the_user_says_so():
    gone = said(5, "I no longer work at Acme")
    material = replace(MATERIAL, episodes=(gone,))
    ends = EndProposal(fact=ACME.id, support=gone.id, quote="no longer work at Acme")

    assert judged(ends, material=material).accepted == [End(proposal=ends, memory=ACME)]
    unknown = replace(ends, fact=memory_of(99).id)
    other = replace(ends, fact=BRISTOL.id)
    assert refusals(unknown, other, material=material) == ["unknown_fact", "other_subject"]


# ── playbooks ────────────────────────────────────────────────────────────────────────────────


def test_a_playbook_rests_on_what_the_user_said():
    (playbook,) = judged(SCENE).accepted

    assert playbook == Playbook(proposal=SCENE)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"supports": (BRISTOL.id,)}, "unknown_support"),
        ({"supports": (REPLY.id,)}, "not_the_users"),
        ({"supports": ()}, "not_quoted"),
        ({"quote": "resetting the hub helped"}, "not_quoted"),
        ({"confidence": 0.79}, "unsure"),
        ({"steps": ()}, "no_steps"),
        ({"trigger": " "}, "no_steps"),
        ({"steps": ("Save the scene", "Reboot Kubernetes")}, "not_in_words"),
        ({"refines": memory_of(99).id}, "unknown_playbook"),
    ],
)
def test_a_playbook_without_that_is_refused(changed, reason):
    assert refusals(replace(SCENE, **changed)) == [reason]


def test_playbooks_meet_by_their_trigger():
    (known,) = judged(replace(SCENE, trigger="Bulbs show white.")).accepted
    (refined,) = judged(replace(SCENE, refines=PLAYBOOK.id)).accepted

    assert (known.known, refined.known) == (PLAYBOOK, PLAYBOOK)
    assert refusals(SCENE, replace(SCENE, text="Otherwise")) == ["repeated"]
    assert refusals(SCENE, forgotten={content_hash(SCENE.text)}) == ["forgotten"]


def test_an_outcome_is_of_a_playbook_that_was_shown():
    worked = OutcomeProposal(
        playbook=PLAYBOOK.id, outcome="worked", support=WORKED.id, quote="brought the colours back"
    )
    unknown = replace(worked, playbook=memory_of(99).id)

    assert judged(worked).accepted == [Outcome(proposal=worked, memory=PLAYBOOK)]
    assert refusals(unknown, replace(worked, quote="no")) == ["unknown_playbook", "not_quoted"]


def test_an_outcome_of_an_episode_that_was_read_before_is_not_counted_again():
    told = OutcomeProposal(
        playbook=PLAYBOOK.id, outcome="worked", support=MOVED.id, quote=MOVED.text
    )

    assert refusals(told) == ["counted_before"]


def later(fact):
    return replace(fact, times=replace(fact.times, occurred_at_us=SAID_AT_US + 10**6))


@pytest.mark.promise("consolidation", "A message that comes in late changes nothing said later.")
def test_what_was_said_later_is_neither_replaced_nor_ended_by_what_comes_in_late():
    replaces = replace(LEEDS, supersedes=(BRISTOL.id,))
    left = said(44, "I no longer live in Bristol")
    ends = EndProposal(fact=BRISTOL.id, support=left.id, quote=left.text)
    material = replace(MATERIAL, episodes=(MOVED, left), facts=(later(BRISTOL),))

    assert refusals(replaces, material=material) == ["outdated"]
    assert judged(replaces).refused == []
    assert refusals(ends, material=material) == ["outdated"]


PETS = memory_of(41, "I have a brown dog", metadata=(("attribute", "has"), ("subject", "user")))
HUB = memory_of(42, "I have a Lumio Hub v2", metadata=(("attribute", "has"), ("subject", "user")))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I have a cat", []),
        ("I have a cat, the brown dog is gone", [PETS]),
        ("I have a Lumio Hub v3", [HUB]),
        ("I have a cat and no Lumio", [HUB]),
    ],
)
def test_of_what_there_may_be_several_of_only_what_is_named_is_replaced(words, expected):
    episode = said(43, words)
    proposal = FactProposal(
        text=words,
        support=episode.id,
        quote=words,
        subject="user",
        attribute="has",
        supersedes=(PETS.id, HUB.id),
    )
    material = Material(episodes=(episode,), facts=(PETS, HUB), now_us=10**15)

    (fact,) = judged(proposal, material=material).accepted
    assert (list(fact.supersedes), fact.conflicts) == (expected, ())
