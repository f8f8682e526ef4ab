"""The options that many commands share, and what they amount to."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from pinyon.client import MemoryClient
from pinyon.domain.memory import CONTRADICTIONS, KINDS, SHELVES, Contradiction, Kind, Shelf
from pinyon.domain.principal import Principal
from pinyon.domain.question import (
    INTENTS,
    QUALITIES,
    SITUATION,
    AsOf,
    Filters,
    Narrowing,
    Quality,
    RecallContext,
)
from pinyon.domain.space import SCOPES, Scope
from pinyon.errors import InvalidFilter, InvalidName, InvalidValue
from pinyon.settings import read_settings
from pinyon.wiring import open_client

Word = TypeVar("Word", bound=str)

Home = Annotated[
    Path | None,
    typer.Option(help="Directory of the memories. [env: PINYON_HOME]", show_default=False),
]
User = Annotated[
    str | None,
    typer.Option(help="Whose memory. [env: PINYON_USER]", show_default=False),
]
Tenant = Annotated[
    str | None,
    typer.Option(help="Tenant of the user. [env: PINYON_TENANT]", show_default="default"),
]
Agent = Annotated[
    str | None, typer.Option(help="Which of the user's agents acts.", show_default=False)
]
Project = Annotated[
    str | None, typer.Option(help="Which project is worked on.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer as one line of JSON.")]
ScopeOption = Annotated[
    str, typer.Option("--scope", help="Which space: own, agent, project or shared.")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help=f"Only this kind ({', '.join(KINDS)}); may be repeated."),
]
FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        help='Only what passes, as JSON: {"importance": {"gte": 0.5}, "tags": "home"}.',
        show_default=False,
    ),
]
K = Annotated[int, typer.Option("-k", "--k", help="At most so many hits.")]
IncludeSuperseded = Annotated[
    bool, typer.Option("--include-superseded", help="Also what no longer holds, marked.")
]
AsOfOption = Annotated[
    str | None,
    typer.Option("--as-of", help="What was true at this instant (RFC 3339).", show_default=False),
]
KnownAt = Annotated[
    str | None,
    typer.Option("--known-at", help="What was known at this instant.", show_default=False),
]
QualityOption = Annotated[
    str,
    typer.Option(
        "--quality",
        help="default; best: a slower model reads question and memories together; judged: the chat "
        "model says which of the best few answer.",
    ),
]
IntentOption = Annotated[
    str | None,
    typer.Option(
        "--intent",
        help=f"Keep to what is wanted: {', '.join(INTENTS)}. By default the words tell, and weigh.",
        show_default=False,
    ),
]
Deadline = Annotated[
    int | None,
    typer.Option("--deadline", help="Milliseconds it may take; what is late is left out."),
]
IfNeeded = Annotated[
    bool,
    typer.Option("--if-needed", help="Leave a message alone that memory cannot help with."),
]
IncludeEvents = Annotated[
    bool, typer.Option("--include-events", help="Also what happened, from the event log.")
]
Near = Annotated[
    list[str] | None,
    typer.Option(
        "--context",
        help=f"The situation, as key=value: {', '.join(SITUATION)}; turn=TEXT, repeated, is what "
        "was said last.",
        show_default=False,
    ),
]
Key = Annotated[
    str | None,
    typer.Option("--key", help="Idempotency key: a retry under it is answered, not repeated."),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", help="When it happened, as 2026-03-02T09:00:00+00:00.", show_default=False
    ),
]
MemoryIdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of a memory.", show_default=False)
]
Version = Annotated[
    int | None, typer.Option(help="The version you read; another one is a conflict.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]


@dataclass(frozen=True, slots=True)
class Who:
    """For whom a command acts, and where."""

    home: Path | None = None
    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None

    def client(self) -> MemoryClient:
        """Open the client.

        Raises:
            InvalidName: No user is named, or a name is none.
        """
        settings = read_settings(home=self.home, tenant=self.tenant, user=self.user)
        if not settings.user and self.user is None:
            raise InvalidName("user", "", "is not given (--user NAME, or PINYON_USER)")
        principal = Principal.of_home(
            tenant=settings.tenant, user=settings.user, agent=self.agent, project=self.project
        )
        return open_client(settings, principal, surface="cli")


def quality_of(text: str) -> Quality:
    """Read a quality."""
    return one_of("quality", text, QUALITIES)


def narrowing_of(
    *,
    kinds: Sequence[str] | None,
    filter_json: str | None,
    include_superseded: bool,
    valid_at: str | None,
    known_at: str | None,
    quality: str,
    intent: str | None,
    context: Sequence[str] | None,
    deadline: int | None,
    if_needed: bool = False,
    include_events: bool = False,
) -> Narrowing:
    """Return what a question is narrowed down by."""
    return Narrowing(
        kinds=[kind_of(one) for one in kinds or ()],
        filters=filters_of(filter_json),
        as_of=as_of(valid_at, known_at),
        include_superseded=include_superseded,
        quality=quality_of(quality),
        intent=None if intent is None else one_of("intent", intent, INTENTS),
        context=situation_of(context),
        deadline_ms=deadline,
        if_needed=if_needed,
        include_events=include_events,
    )


def situation_of(pairs: Sequence[str] | None) -> RecallContext:
    """Read the situation in which it is asked."""
    given: dict[str, str] = {}
    turns: list[str] = []
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not sign or key not in (*SITUATION, "turn"):
            raise InvalidValue("context", pair, "key=value, of " + ", ".join((*SITUATION, "turn")))
        if key == "turn":
            turns.append(value)
        else:
            given[key] = value
    return RecallContext(recent_turns=tuple(turns), **given)


def scope_of(text: str) -> Scope:
    """Read a scope."""
    return one_of("scope", text, SCOPES)


def kind_of(text: str) -> Kind:
    """Read a kind."""
    return one_of("kind", text, KINDS)


def shelf_of(text: str) -> Shelf:
    """Read a shelf."""
    return one_of("shelf", text, SHELVES)


def contradiction_of(text: str) -> Contradiction:
    """Read how a memory stands to those that it supersedes."""
    return one_of("contradiction", text, CONTRADICTIONS)


def one_of(field: str, text: str, allowed: Sequence[Word]) -> Word:
    """Read a word of a few."""
    for word in allowed:
        if word == text:
            return word
    raise InvalidValue(field, text, "one of " + ", ".join(allowed))


def filters_of(text: str | None) -> Filters | None:
    """Read a filter."""
    if text is None:
        return None
    try:
        read = json.loads(text)
    except ValueError:
        raise InvalidFilter("the filter is no JSON") from None
    if not isinstance(read, dict):
        raise InvalidFilter("the filter is no JSON object")
    return read


def as_of(valid: str | None, known: str | None) -> AsOf | None:
    """Return the time that is asked for, if any."""
    return None if valid is None and known is None else AsOf(valid=valid, known=known)


def metadata_of(pairs: list[str] | None) -> dict[str, object]:
    """Read `key=value` pairs; a value that is JSON is taken as such, any other as text."""
    read: dict[str, object] = {}
    for pair in pairs or []:
        key, sign, value = pair.partition("=")
        if not sign:
            raise InvalidValue("metadata", pair, "key=value")
        try:
            read[key] = json.loads(value)
        except ValueError:
            read[key] = value
    return read
