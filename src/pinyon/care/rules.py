"""Proposes by rule what to make of episodes: less than a model would, and never of what others say.

A fact is the user's own clause, as it stands. What it takes the place of is told by subject and
attribute, which the same rules read off the facts that are known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from pinyon.care.guards import OPPOSITES
from pinyon.care.speakers import USERS, is_the_users
from pinyon.domain.consolidation import (
    EndProposal,
    FactProposal,
    Material,
    OutcomeProposal,
    PlaybookProposal,
    Proposal,
    Statement,
)
from pinyon.domain.memory import Contradiction, Memory
from pinyon.domain.times import US_PER_S
from pinyon.text.dates import windows_of
from pinyon.text.facets import facets_of
from pinyon.text.normal import fold
from pinyon.text.outcomes import Remedy, outcome_in, remedy_in, tells_of_trouble
from pinyon.text.statements import statements_in
from pinyon.text.statements.vocabulary import attribute_of, is_attribute
from pinyon.text.tokens import is_literal, question_terms

PLAIN, WEAK, REMEDY = 0.9, 0.7, 0.8
"""How sure a proposal is: of what lasts, of what passes or is said by the way, of what helped."""
TRIGGER_CHARS_MAX = 200
SHARED_WORDS_MIN = 2
TURNS_BEFORE = 6

_CORRECTS_BEFORE = re.compile(
    r"(?:\b(?:no|nope|actually|correction|sorry|wait)|不对|不是|其实|更正|说错了)[\s,，:：!！]{0,4}$",
    re.IGNORECASE,
)
_CORRECTS_WITHIN = re.compile(r"\bnot\b|\bnever\b|不是|从来没", re.IGNORECASE)
_CHANGES = re.compile(
    r"\b(?:moved|relocated|switched|upgraded|updated|migrated|changed|now|since)\b|搬|换|改|升级|现在",
    re.IGNORECASE,
)
DATE = "date"
_SPACED_DAY = re.compile(r"\s?([年月日号])\s?")


@dataclass(frozen=True, slots=True)
class _Known:
    """What a known fact says, as far as rules or its metadata tell."""

    fact: Memory
    subject: str
    attribute: str
    value: str
    is_single: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """A statement of an episode."""

    episode: Memory
    statement: Statement

    @property
    def quote(self) -> str:
        """Return the clause as it stands."""
        return self.episode.text[self.statement.start : self.statement.end]


class RuleProposer:
    """A `pinyon.ports.proposer.Proposer` without a model."""

    @property
    def label(self) -> str:
        """Return the rules' name and version."""
        return "rules@1"

    async def propose(self, material: Material) -> Sequence[Proposal]:
        """Return what the users' own words state, how it went, and what they say has helped."""
        own = [one for one in material.episodes if is_the_users(one, material)]
        said = [_Said(one, each) for one in own for each in statements_in(one.text)]
        known = [each for fact in material.facts for each in _known_of(fact)]
        proposals: list[Proposal] = []
        for at, one in enumerate(said):
            if not any(_takes_the_place(later, one) for later in said[at + 1 :]):
                proposals.extend(_of_statement(one, known))
        for episode in own:
            proposals.extend(_of_outcome(episode, material))
        return proposals


def _known_of(fact: Memory) -> Iterator[_Known]:
    """Yield what a fact says; its metadata knows better than the rules do."""
    metadata = dict(fact.metadata)
    subject, attribute = str(metadata.get("subject", "")), str(metadata.get("attribute", ""))
    read = [one for one in statements_in(fact.text) if one.says == "holds"]
    fitting = [one for one in read if (one.subject, one.attribute) == (subject, attribute)]
    if subject and is_attribute(attribute) and not fitting:
        if not any(one.says != "holds" for one in statements_in(fact.text)):
            yield _Known(fact, subject, attribute, fact.text, attribute_of(attribute).is_single)
        return
    for one in fitting or read:
        yield _Known(fact, one.subject, one.attribute, one.value, one.is_single)


def _takes_the_place(later: _Said, one: _Said) -> bool:
    """Return whether what is said later makes that void which was said just before."""
    new, old = later.statement, one.statement
    if old.says != "holds" or new.subject != old.subject:
        return False
    if new.attribute != old.attribute:
        return OPPOSITES.get(new.attribute) == old.attribute and _same(new.value, old.value)
    if new.says != "holds":
        return _names(new.value, old.value)
    if _same(new.value, old.value) or _is_past(
        old.attribute, old.value, one.episode, later.episode
    ):
        return False
    return _names(new.replaces, old.value) if new.replaces else new.is_single and old.is_single


def _of_statement(said: _Said, known: Sequence[_Known]) -> Iterator[Proposal]:
    """Yield the fact that a statement is, or the end of what it says holds no more."""
    statement = said.statement
    place = statement.subject, statement.attribute
    placed = [one for one in known if (one.subject, one.attribute) == place]
    named = [one for one in placed if _names(statement.value, one.value)]
    if statement.says == "ended" and named:
        yield from (_end(said, one.fact, "said to hold no more") for one in named)
        return
    if statement.says == "holds":
        old = [
            one
            for one in placed
            if _replaces(statement, one)
            and not _is_past(one.attribute, one.value, one.fact, said.episode)
        ]
        old += [one for one in known if _is_turned(statement, one)]
        yield from (_end(said, one, "said to be otherwise") for one in _other_versions(said, known))
    else:
        old = named if statement.says == "never" else []
    yield FactProposal(
        text=said.quote,
        support=said.episode.id,
        quote=said.quote,
        subject=statement.subject,
        attribute=statement.attribute,
        confidence=_confidence(statement),
        category=statement.category,
        supersedes=tuple(dict.fromkeys(one.fact.id for one in old)),
        contradiction=_contradiction(said) if old else "natural",
        why=f"{statement.subject}: {statement.attribute}, said by the user",
    )


def _end(said: _Said, fact: Memory, why: str) -> EndProposal:
    return EndProposal(
        fact=fact.id,
        support=said.episode.id,
        quote=said.quote,
        says="ended",
        confidence=_confidence(said.statement),
        why=why,
    )


def _replaces(statement: Statement, known: _Known) -> bool:
    """Return whether a statement takes the place of a known fact about the same."""
    if _same(statement.value, known.value):
        return False
    if statement.replaces and _names(statement.replaces, known.value):
        return True
    return statement.is_single and known.is_single


def _is_past(attribute: str, value: str, told_in: Memory, now: Memory) -> bool:
    """Return whether a day that was told of is over: another one is not the same put off.

    A day without a year is the first one after it was told of.
    """
    told_us, now_us = told_in.times.occurred_at_us, now.times.occurred_at_us
    if attribute != DATE or told_us is None or now_us is None:
        return False
    within = datetime.fromtimestamp(told_us / US_PER_S, UTC) + timedelta(days=364)
    ends = [window.end for window in windows_of(_SPACED_DAY.sub(r"\1", value), within)]
    return bool(ends) and max(ends).timestamp() * US_PER_S <= now_us


def _is_turned(statement: Statement, known: _Known) -> bool:
    """Return whether a taste has turned: who dislikes something likes it no more."""
    opposite = OPPOSITES.get(statement.attribute)
    is_opposite = (known.subject, known.attribute) == (statement.subject, opposite)
    return is_opposite and _same(statement.value, known.value)


def _other_versions(said: _Said, known: Sequence[_Known]) -> Iterator[Memory]:
    """Yield facts that something is had which is said to be another one: no v2, no Hub v2."""
    statement = said.statement
    named = f"{statement.subject} {statement.replaces}"
    for one in known:
        is_device = (statement.attribute, one.attribute) == ("version", "has")
        if is_device and statement.replaces and _names(named, one.value):
            yield one.fact


def _confidence(statement: Statement) -> float:
    is_by_the_way = statement.attribute == "has" and len(statement.value.split()) == 1
    return PLAIN if attribute_of(statement.attribute).lasts and not is_by_the_way else WEAK


def _contradiction(said: _Said) -> Contradiction:
    """Return how a statement stands to what it replaces: harsh where that never was so."""
    if said.statement.says == "never":
        return "harsh"
    before = said.episode.text[: said.statement.start]
    corrects = _CORRECTS_BEFORE.search(before[-40:]) or _CORRECTS_WITHIN.search(said.quote)
    return "harsh" if corrects and not _CHANGES.search(said.quote) else "natural"


def _of_outcome(episode: Memory, material: Material) -> Iterator[Proposal]:
    """Yield how it went with the one playbook that was talked about, and what is said to help."""
    outcome = outcome_in(episode.text)
    if not outcome:
        return
    before = _said_before(episode, material)
    about = " ".join((*(text for text, _ in before), episode.text))
    fitting = [one for one in material.playbooks if _share(_about_playbook(one), about)]
    remedy = remedy_in(episode.text)
    helped = "" if remedy is None else episode.text[remedy.start : remedy.end]
    if len(material.playbooks) == 1 and fitting:
        yield from _of_known(fitting[0], episode, outcome, remedy)
    troubles = [text for text, is_the_users in before if is_the_users and _is_trouble(text)]
    if remedy is None or not troubles:
        return
    if any(_share(_about_playbook(one), f"{troubles[-1]} {helped}") for one in material.playbooks):
        return
    start, end = remedy.sentence
    yield PlaybookProposal(
        text=episode.text[start:end],
        trigger=troubles[-1].strip()[:TRIGGER_CHARS_MAX],
        steps=(episode.text[remedy.start : remedy.end],),
        supports=(episode.id,),
        quote=episode.text[start:end],
        confidence=REMEDY,
        why="the user says what helped",
    )


def _of_known(
    known: Memory, episode: Memory, outcome: Literal["worked", "failed"], remedy: Remedy | None
) -> Iterator[Proposal]:
    """Yield how it went with a playbook; where it fails and something else helps, better steps."""
    helped = "" if remedy is None else episode.text[remedy.start : remedy.end]
    if remedy is not None and not _is_of(helped, known):
        if known.counts.failures <= known.counts.successes:
            return  # it may be right all the same, for another cause
        start, end = remedy.sentence
        yield PlaybookProposal(
            text=known.text,
            trigger=known.procedure.trigger if known.procedure is not None else "",
            steps=(helped,),
            supports=(episode.id,),
            quote=episode.text[start:end],
            confidence=REMEDY,
            refines=known.id,
            why="the user says what helped where it had failed",
        )
    yield OutcomeProposal(
        playbook=known.id,
        outcome=outcome,
        support=episode.id,
        quote=episode.text.strip(),
        confidence=PLAIN,
    )


def _said_before(episode: Memory, material: Material) -> list[tuple[str, bool]]:
    """Return the last turns of the session before an episode, and which of them are a user's."""
    at_us = episode.times.occurred_at_us or material.now_us
    session = episode.source.session
    turns = [
        (turn.occurred_at_us, turn.text, turn.role.lower() in USERS)
        for turn in material.around
        if turn.session == session and turn.occurred_at_us < at_us
    ]
    turns += [
        (one.times.occurred_at_us or 0, one.text, one.source.role.lower() in USERS)
        for one in material.episodes
        if one.source.session == session and (one.times.occurred_at_us or at_us) < at_us
    ]
    return [(text, is_the_users) for _, text, is_the_users in sorted(set(turns))][-TURNS_BEFORE:]


def _is_trouble(text: str) -> bool:
    return tells_of_trouble(text) or facets_of(text).has_error


def _about_playbook(playbook: Memory) -> str:
    trigger = playbook.procedure.trigger if playbook.procedure is not None else ""
    return f"{trigger} {playbook.title} {playbook.text}"


def _is_of(helped: str, playbook: Memory) -> bool:
    """Return whether what is said to have helped may be what a playbook says to do.

    What both say of the trouble tells nothing: "moving the sensor" is no "pair the sensor again".
    """
    procedure = playbook.procedure
    if not helped or procedure is None or not procedure.current_steps:
        return True
    steps = " ".join(step.instruction for step in procedure.current_steps)
    trouble = _words(procedure.trigger)
    told = _words(f"{playbook.title} {playbook.text} {steps}") - trouble
    does = _words(helped) - trouble
    return not does or bool(does & told)


def _share(one: str, other: str) -> bool:
    """Return whether two texts share a literal (an error's code, a version) or some words."""
    shared = set(question_terms(one).words) & set(question_terms(other).words)
    return len(shared) >= SHARED_WORDS_MIN or any(map(is_literal, shared))


def _same(one: str, other: str) -> bool:
    return _words(one) == _words(other)


def _names(said: str, value: str) -> bool:
    """Return whether all that is said stands in a value: "Hub v2" in "a Lumio Hub v2"."""
    return _words(said) <= _words(value)


def _words(text: str) -> set[str]:
    return set(question_terms(text).words) or {fold(text)}


RULES = RuleProposer()
