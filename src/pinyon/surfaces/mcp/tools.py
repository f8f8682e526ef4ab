"""The six tools that a model is given unless somebody asks for more."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal

from pinyon.domain.ids import MemoryId
from pinyon.domain.memory import Contradiction, Memory
from pinyon.domain.question import AsOf, Meant, RecallContext
from pinyon.errors import NotFound
from pinyon.surfaces.mcp import answers, block
from pinyon.surfaces.mcp.asked import Asked
from pinyon.surfaces.mcp.more import MORE
from pinyon.surfaces.mcp.tool import Reply, Tool, tool

ToolChoice = Literal["core", "full"]


@tool("recall", answers.Recalled)
async def recall_memory(
    asked: Asked,
    query: Annotated[str, "the question, in the user's own words"],
    k: int = 8,
    include_superseded: Annotated[bool, "also what no longer holds"] = False,
    as_of: Annotated[str, "what was true at this RFC 3339 instant"] = "",
    since: Annotated[str, "only what happened from this instant on"] = "",
    until: Annotated[str, "and before this one"] = "",
) -> Reply:
    """Find what memory knows.

    Call it before answering anything that may depend on what the user said, decided or prefers, or
    on what worked before. One call goes over all kinds of memory.
    """
    answer = await asked.client.recall(
        query,
        k=k,
        given=True,
        include_superseded=include_superseded,
        as_of=AsOf(valid=as_of) if as_of else None,
        filters=happened(since, until),
        context=RecallContext(session=asked.session),
    )
    return answers.recalled(answer, block.of_hits(asked, answer.hits))


def happened(since: str, until: str) -> dict[str, object] | None:
    """Return a filter for what happened from an instant on, and before another; `None` for all."""
    span = {word: at for word, at in (("gte", since), ("lt", until)) if at}
    return {"occurred_at": span} if span else None


@tool("write", answers.Kept)
async def write_memory(
    asked: Asked,
    text: Annotated[str, "one thing, whole in itself, with the condition under which it holds"],
    kind: Annotated[
        Literal["semantic", "procedural", "episodic"], "a fact, a way to do something, an event"
    ] = "semantic",
    supersedes: Annotated[
        Sequence[str], "ids of every memory that this contradicts, no other"
    ] = (),
    contradiction: Annotated[
        Contradiction, "natural: they were true until now; harsh: they never were"
    ] = "natural",
) -> Reply:
    """Keep one lasting thing.

    If it contradicts what memory holds, replace that in the same call, without asking. The answer
    names memories that may say otherwise; decide on each of them.
    """
    written = await asked.client.write(
        text,
        kind=kind,
        supersedes=supersedes,
        contradiction=contradiction,
        trust="agent",  # a model writes here, whatever it was told
        session=asked.session,
    )
    conflicts = await _still_there(asked, written.possible_conflicts)
    return answers.kept(written, block.of_memories(asked, conflicts))


async def _still_there(asked: Asked, ids: Sequence[MemoryId]) -> list[Memory]:
    """Return memories; without those that somebody has forgotten meanwhile."""
    found = []
    for one in ids:
        with suppress(NotFound):
            found.append(await asked.client.show(one))
    return found


@tool("forget", answers.Gone)
async def forget_memory(
    asked: Asked,
    ids: Annotated[Sequence[str], "memories, by id"] = (),
    query: Annotated[str, "or what the memory says"] = "",
    confirmed: Annotated[bool, "the user confirmed the one memory that `query` matched"] = False,
) -> Reply:
    """Erase for good; only when the user explicitly asks to forget.

    What is merely outdated is superseded by write_memory. A query that several match erases nothing
    and lists them.
    """
    meant: Meant = {"query": query} if query else {}
    answer = await asked.client.forget(ids, confirmed=confirmed, **meant)
    return answers.forgotten(answer, block.of_hits(asked, answer.candidates))


@tool("turn", answers.Heard)
async def remember_turn(
    asked: Asked,
    message: Annotated[str, "the exact words"],
    session: Annotated[str, "the conversation"] = "",
    role: Annotated[Literal["user", "assistant", "tool"], "who said it"] = "user",
) -> Reply:
    """Keep what was said in this conversation.

    Call it with each message of the user before you answer: it also brings what memory holds for
    it.
    """
    named = session or asked.session
    if role == "user":
        return answers.heard(await asked.client.turn(message, session=named))
    return answers.said(await asked.client.remember(message, role=role, session=named))


@tool("build_context", answers.Built)
async def build_context(
    asked: Asked,
    task: Annotated[str, "what is to be done or answered"],
    session: Annotated[str, "whose last turns come along"] = "",
    budget_tokens: Annotated[int, "what it may take"] = 2_000,
) -> Reply:
    """Get all that memory has for a task: core facts, the last turns, what answers it.

    Call it once, at the beginning of a task.
    """
    named = session or asked.session
    context = await asked.client.build_context(task, session=named, budget_tokens=budget_tokens)
    return answers.built(context)


@tool("history", answers.Past)
async def memory_history(
    asked: Asked,
    id: str,  # noqa: A002 - its name for a model
) -> Reply:
    """Show what a memory replaced, what replaced it, and who changed it when."""
    answer = await asked.client.history(id)
    return answers.past(answer, block.of_memories(asked, answer.chain))


CORE: tuple[Tool, ...] = (
    recall_memory,
    write_memory,
    forget_memory,
    remember_turn,
    build_context,
    memory_history,
)


def tools_of(choice: ToolChoice) -> tuple[Tool, ...]:
    """Return the tools that are chosen: the core ones, or all."""
    return CORE if choice == "core" else CORE + MORE
