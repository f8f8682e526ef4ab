"""The form in which a chat model says what to make of episodes, with the short ids it was shown.

`prompts/consolidate.md` says what each field is for.
"""

from typing import Annotated, Literal

from pydantic import Field

from pinyon.ports.chat import Form

LISTED_MAX = 20
"""Proposals of one kind in an answer, and what each may list: a model that repeats itself does so
without end."""

Share = Annotated[float, Field(ge=0, le=1)]
Words = Annotated[str, Field(max_length=4_000)]
Named = Annotated[str, Field(max_length=200)]
Id = Annotated[str, Field(max_length=40)]


class ProposedFact(Form):
    """A fact that an episode states, and the facts that it takes the place of."""

    episode: Id
    quote: Words
    text: Words
    subject: Named
    attribute: Named
    category: Literal["identity", "preference", "constraint", "instruction", "other"]
    confidence: Share
    supersedes: Annotated[list[Id], Field(max_length=LISTED_MAX)]
    contradiction: Literal["natural", "harsh"]
    why: Words


class ProposedEnd(Form):
    """A fact that holds no more, or never did."""

    fact: Id
    says: Literal["ended", "never"]
    episode: Id
    quote: Words
    confidence: Share
    why: Words


class ProposedPlaybook(Form):
    """A way of doing something, and the one that it betters."""

    episodes: Annotated[list[Id], Field(min_length=1, max_length=LISTED_MAX)]
    quote: Words
    text: Words
    trigger: Words
    steps: Annotated[list[Words], Field(min_length=1, max_length=LISTED_MAX)]
    refines: Id
    confidence: Share
    why: Words


class ProposedOutcome(Form):
    """How it went with a playbook."""

    playbook: Id
    outcome: Literal["worked", "failed"]
    episode: Id
    quote: Words
    confidence: Share


class Proposed(Form):
    """All that a model proposes."""

    facts: Annotated[list[ProposedFact], Field(max_length=LISTED_MAX)]
    ends: Annotated[list[ProposedEnd], Field(max_length=LISTED_MAX)]
    playbooks: Annotated[list[ProposedPlaybook], Field(max_length=LISTED_MAX)]
    outcomes: Annotated[list[ProposedOutcome], Field(max_length=LISTED_MAX)]
