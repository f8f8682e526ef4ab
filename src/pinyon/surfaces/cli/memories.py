"""Commands over one user's memories."""

import sys
from functools import partial
from typing import Annotated

import anyio
import typer

from pinyon.domain.answers import History, Listing, Recall, Warmed, WhyNot, Written
from pinyon.domain.draft import Annotations, Draft
from pinyon.domain.event import EVENT_TYPES
from pinyon.domain.memory import Memory
from pinyon.errors import InvalidText, TooLarge
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import (
    Agent,
    AsJson,
    AsOfOption,
    At,
    Deadline,
    FilterOption,
    Home,
    IfNeeded,
    IncludeEvents,
    IncludeSuperseded,
    IntentOption,
    K,
    Key,
    Kinds,
    KnownAt,
    MemoryIdArgument,
    Near,
    Project,
    QualityOption,
    ScopeOption,
    Tags,
    Tenant,
    User,
    Version,
    Who,
    contradiction_of,
    filters_of,
    kind_of,
    metadata_of,
    narrowing_of,
    scope_of,
    shelf_of,
)
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_memories import (
    show_core_facts,
    show_history,
    show_listing,
    show_memory,
    show_recall,
    show_warmed,
    show_why_not,
    show_written,
)
from pinyon.surfaces.cli.terminal import give
from pinyon.write.form import body_text

Text = Annotated[str, typer.Argument(help="The text; - reads it from stdin.", show_default=False)]
Question = Annotated[str, typer.Argument(help="What you want to know.", show_default=False)]
Metadata = Annotated[
    list[str] | None, typer.Option("--meta", help="key=value; may be repeated.", show_default=False)
]


def remember(
    text: Text,
    user: User = None,
    at: At = None,
    session: Annotated[str, typer.Option(help="The conversation.", show_default=False)] = "",
    role: Annotated[str, typer.Option(help="Who spoke: user, assistant, tool, ...")] = "user",
    speaker: Annotated[
        str, typer.Option(help="The speaker's name, or the tool's.", show_default=False)
    ] = "",
    message_id: Annotated[
        str, typer.Option(help="The message's own id; a second one with it is a retry.")
    ] = "",
    event_type: Annotated[
        str,
        typer.Option(
            "--type",
            help=f"What it is ({', '.join(EVENT_TYPES)}); by default the role tells.",
            show_default=False,
        ),
    ] = "",
    parent: Annotated[
        str,
        typer.Option(
            help="What it belongs to, as a result to its call: an id, or a message id of the "
            "session.",
            show_default=False,
        ),
    ] = "",
    recallable: Annotated[
        bool | None, typer.Option(help="Make it a memory whoever spoke, or do not.")
    ] = None,
    tag: Tags = None,
    meta: Metadata = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="With -: each line of stdin is a message.")
    ] = False,
    key: Key = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Keep what was said.

    A user's words become an episodic memory; what others say goes to the session's log.
    """
    texts = _texts(text, lines=lines)

    async def act() -> list[Written]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return [
                await client.remember(
                    _said(one, number, of=len(texts)),
                    session=session,
                    role=role,
                    recallable=recallable,
                    key=key if len(texts) == 1 or key is None else f"{key}:{number}",
                    speaker=speaker,
                    occurred_at=at,
                    message_id=message_id,
                    event_type=event_type,
                    parent_event=parent,
                    tags=tag or (),
                    metadata=metadata_of(meta),
                )
                for number, one in enumerate(texts)
            ]

    _show_all(anyio.run(act), "remembered", as_json=as_json, many=lines)


def write(
    text: Text,
    user: User = None,
    kind: Annotated[
        str, typer.Option(help="semantic, procedural, catalog or episodic.")
    ] = "semantic",
    title: Annotated[str, typer.Option(help="A title; counts twice in recall.")] = "",
    tag: Tags = None,
    keyword: Annotated[
        list[str] | None, typer.Option("--keyword", help="A word it is found by; may be repeated.")
    ] = None,
    trigger: Annotated[str, typer.Option(help="For a procedure: when to do it.")] = "",
    step: Annotated[
        list[str] | None, typer.Option("--step", help="For a procedure: a step; repeat in order.")
    ] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.", show_default=False)] = None,
    confidence: Annotated[float, typer.Option(help="0 to 1.")] = 1.0,
    pinned: Annotated[bool, typer.Option("--pinned", help="Always at hand.")] = False,
    at: At = None,
    valid_from: Annotated[str | None, typer.Option(help="True since; RFC 3339.")] = None,
    valid_until: Annotated[str | None, typer.Option(help="True until; RFC 3339.")] = None,
    session: Annotated[str, typer.Option(help="The conversation.", show_default=False)] = "",
    supports: Annotated[
        list[str] | None, typer.Option("--supports", help="Id of a memory it rests on.")
    ] = None,
    supersedes: Annotated[
        list[str] | None,
        typer.Option("--supersedes", help="Id of a memory that it replaces; may be repeated."),
    ] = None,
    contradiction: Annotated[
        str, typer.Option(help="natural: those were true until now; harsh: they never were.")
    ] = "natural",
    meta: Metadata = None,
    key: Key = None,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a fact, a procedure or a catalog entry, perhaps in the place of others.

    One that holds already is not repeated: it gains support. What it supersedes stays as history.
    """
    (body,) = _texts(text, lines=False)
    draft = Draft(
        text=body,
        kind=kind_of(kind),
        title=title,
        tags=tag or (),
        keywords=keyword or (),
        trigger=trigger,
        steps=step or (),
        importance=importance,
        confidence=confidence,
        pinned=pinned,
        occurred_at=at,
        valid_from=valid_from,
        valid_until=valid_until,
        session=session,
        supporting=supports or (),
        supersedes=supersedes or (),
        contradiction=contradiction_of(contradiction),
        metadata=metadata_of(meta),
    )

    async def act() -> list[Written]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return list(await client.write_many([draft], scope=scope_of(scope), key=key))

    _show_all(anyio.run(act), "written", as_json=as_json, many=False)


def recall(
    question: Question,
    user: User = None,
    k: K = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show how it came about.")] = False,
    quality: QualityOption = "default",
    kind: Kinds = None,
    filter_json: FilterOption = None,
    include_superseded: IncludeSuperseded = False,
    valid_at: AsOfOption = None,
    known_at: KnownAt = None,
    intent: IntentOption = None,
    context: Near = None,
    deadline: Deadline = None,
    if_needed: IfNeeded = False,
    include_events: IncludeEvents = False,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question, best first; or none, and why."""
    narrowing = narrowing_of(
        kinds=kind,
        filter_json=filter_json,
        include_superseded=include_superseded,
        valid_at=valid_at,
        known_at=known_at,
        quality=quality,
        intent=intent,
        context=context,
        deadline=deadline,
        if_needed=if_needed,
        include_events=include_events,
    )

    async def act() -> Recall:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.recall(question, k=k, **narrowing)

    shown = partial(show_recall, explain=explain)
    give(anyio.run(act), as_json=as_json, encoded=encode.recall, shown=shown)


def core(
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what an agent should know whatever is asked: standing orders, limits, who it is for."""

    async def act() -> tuple[Memory, ...]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.core_facts()

    give(anyio.run(act), as_json=as_json, encoded=encode.core_facts, shown=show_core_facts)


def warm(
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Load the model and a user's memories as a recall would, and say how long it took.

    A program that stays open does so once (`client.warm()`); here it also fills the disk's cache.
    """

    async def act() -> Warmed:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.warm()

    give(anyio.run(act), as_json=as_json, encoded=encode.warmed, shown=show_warmed)


def why_not(
    memory_id: MemoryIdArgument,
    question: Question,
    user: User = None,
    k: K = 10,
    quality: QualityOption = "default",
    kind: Kinds = None,
    filter_json: FilterOption = None,
    include_superseded: IncludeSuperseded = False,
    valid_at: AsOfOption = None,
    known_at: KnownAt = None,
    intent: IntentOption = None,
    context: Near = None,
    deadline: Deadline = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say why a memory did not come when a question was asked."""
    narrowing = narrowing_of(
        kinds=kind,
        filter_json=filter_json,
        include_superseded=include_superseded,
        valid_at=valid_at,
        known_at=known_at,
        quality=quality,
        intent=intent,
        context=context,
        deadline=deadline,
    )

    async def act() -> WhyNot:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.why_not(memory_id, question, k=k, **narrowing)

    give(anyio.run(act), as_json=as_json, encoded=encode.why_not, shown=show_why_not)


def show(
    memory_id: MemoryIdArgument,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show one memory whole."""

    async def act() -> Memory:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.show(memory_id)

    give(anyio.run(act), as_json=as_json, encoded=encode.memory, shown=show_memory)


def list_memories(
    user: User = None,
    kind: Kinds = None,
    limit: Annotated[int, typer.Option(help="At most so many.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(help="Where the last list ended.", show_default=False)
    ] = None,
    shelf: Annotated[str, typer.Option(help="open, hidden, archived or quarantined.")] = "open",
    filter_json: FilterOption = None,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first, whatever their status."""

    async def act() -> Listing:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.list(
                kinds=[kind_of(one) for one in kind or ()],
                filters=filters_of(filter_json),
                scope=scope_of(scope),
                shelf=shelf_of(shelf),
                cursor=cursor,
                limit=limit,
            )

    give(anyio.run(act), as_json=as_json, encoded=encode.listing, shown=show_listing)


def history(
    memory_id: MemoryIdArgument,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what a memory superseded, how it changed, and who changed it."""

    async def act() -> History:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.history(memory_id)

    give(anyio.run(act), as_json=as_json, encoded=encode.history, shown=show_history)


def edit(
    memory_id: MemoryIdArgument,
    user: User = None,
    title: Annotated[str | None, typer.Option(help="A new title.")] = None,
    tag: Tags = None,
    keyword: Annotated[list[str] | None, typer.Option("--keyword", help="Keywords.")] = None,
    category: Annotated[str | None, typer.Option(help="A category.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    pinned: Annotated[bool | None, typer.Option(help="Always at hand, or no longer.")] = None,
    expires: Annotated[str | None, typer.Option(help="Passed over from then on.")] = None,
    meta: Metadata = None,
    version: Version = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Set what a memory is filed under. What it says never changes in place."""
    given = {
        "title": title,
        "tags": tag,
        "keywords": keyword,
        "category": category,
        "importance": importance,
        "confidence": confidence,
        "pinned": pinned,
        "expires_at": expires,
        "metadata": metadata_of(meta) if meta else None,
    }
    annotations: Annotations = {n: v for n, v in given.items() if v is not None}  # type: ignore[assignment]

    async def act() -> Memory:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.edit(memory_id, version=version, **annotations)

    give(anyio.run(act), as_json=as_json, encoded=encode.memory, shown=show_memory)


def _texts(text: str, *, lines: bool) -> list[str]:
    if text != "-":
        return [text]
    read = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    if not lines:
        return [read.rstrip("\n")]
    texts = [line.rstrip("\r") for line in read.split("\n") if line.strip()]
    if not texts:
        raise InvalidText("stdin", "holds no line; write one message on each")
    return texts


def _said(text: str, number: int, *, of: int) -> str:
    """Return a line of several, looked at first, so that one that is refused is named."""
    try:
        return body_text("text", text)
    except (InvalidText, TooLarge) as error:
        if of > 1:
            error.args = (f"line {number + 1}: {error}",)
        raise


def _show_all(answers: list[Written], verb: str, *, as_json: bool, many: bool) -> None:
    if not as_json:
        for answer in answers:
            show_written(answer, verb)
    elif many:
        emit({"results": [encode.written(answer) for answer in answers]})
    else:
        emit(encode.written(answers[0]))
