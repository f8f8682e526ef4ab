"""Consolidation: what episodes are looked at together, and what somebody proposes to make of them.

Whoever proposes, a model or rules, decides nothing: `pinyon.care` holds each proposal against the
material before anything of it is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pinyon.domain.event import Turn
from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Contradiction, Memory

Says = Literal["holds", "ended", "never"]
"""What is said of something: it is so; it was so and no longer is; it never was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a person states in a span of a text, `[start, end)` in characters.

    Attributes:
        subject: Of whom or what: `user`, or a thing or person of the user's (`dog`, `hub`), folded.
        attribute: What of it, of few words: `lives_in`, `has`, `version`, `likes`, ...
        value: How it is, as it is spelt.
        says: Whether it holds.
        is_single: There is only one at a time: a new value takes the place of the old one.
        replaces: The value that is said to hold no more, where one is named.
        category: What it is filed under: `identity`, `preference`, `constraint`, ...; or "".
    """

    start: int
    end: int
    subject: str
    attribute: str
    value: str
    says: Says = "holds"
    is_single: bool = False
    replaces: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is looked at together, all of it of one space.

    Attributes:
        episodes: What waits to be consolidated, oldest first. Only these may support anything.
        around: The turns around them, of whoever spoke, oldest first: for understanding only.
        facts: What is known near them, found by recall: facts that hold.
        playbooks: Procedures that are known near them, with their counts.
    """

    episodes: tuple[Memory, ...]
    around: tuple[Turn, ...] = ()
    facts: tuple[Memory, ...] = ()
    playbooks: tuple[Memory, ...] = ()
    now_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProposal:
    """A fact that an episode is said to state.

    Attributes:
        text: The fact: one thing, with the condition under which it holds, in the user's language.
        support: The episode.
        quote: The user's words that say it, as they stand in the episode.
        subject: As in `Statement`.
        attribute: As in `Statement`.
        confidence: 0-1.
        supersedes: Facts that it takes the place of.
        contradiction: How it stands to those.
        why: Why, in one sentence.
    """

    text: str
    support: MemoryId
    quote: str
    subject: str = ""
    attribute: str = ""
    confidence: float = 1.0
    category: str = ""
    supersedes: tuple[MemoryId, ...] = ()
    contradiction: Contradiction = "natural"
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndProposal:
    """A fact that an episode says holds no more, or never did, without another in its place."""

    fact: MemoryId
    support: MemoryId
    quote: str
    says: Says = "ended"
    confidence: float = 1.0
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybookProposal:
    """A procedure that episodes are said to show.

    Attributes:
        trigger: When to do it.
        steps: What to do, in order.
        supports: The episodes.
        quote: The user's words that say that it worked, or tell the steps.
        refines: The playbook whose steps it betters, where there is one.
    """

    text: str
    trigger: str
    steps: tuple[str, ...]
    supports: tuple[MemoryId, ...]
    quote: str
    confidence: float = 1.0
    refines: MemoryId | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeProposal:
    """How it went with a playbook, as an episode tells."""

    playbook: MemoryId
    outcome: Literal["worked", "failed"]
    support: MemoryId
    quote: str
    confidence: float = 1.0


Proposal = FactProposal | EndProposal | PlaybookProposal | OutcomeProposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A proposal that was not followed, and why: a code that can be counted, no text."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What became of the episodes of a space.

    Attributes:
        episodes: How many were looked at, and wait no more.
        created: Facts and playbooks that are new.
        strengthened: Those that were there, and gained support.
        superseded: Facts that others took the place of, or that ended.
        refined: Playbooks whose steps were bettered.
        outcomes: Playbooks that were counted as worked or failed.
        conflicts: Facts that may say otherwise, and were linked because nobody could tell.
        refused: Why proposals were not followed, and how often.
        made_by: What proposed: `rules@1`, or a model and the version of its prompt.
        left: How many episodes still wait, counted up to 100.
    """

    episodes: int = 0
    created: tuple[MemoryId, ...] = ()
    strengthened: tuple[MemoryId, ...] = ()
    superseded: tuple[MemoryId, ...] = ()
    refined: tuple[MemoryId, ...] = ()
    outcomes: tuple[MemoryId, ...] = ()
    conflicts: tuple[MemoryId, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)
    made_by: str = ""
    left: int = 0
