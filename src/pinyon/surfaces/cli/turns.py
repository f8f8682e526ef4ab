"""The commands over a turn of a conversation, and over what a prompt gets."""

import json
from pathlib import Path
from typing import Annotated, get_args

import anyio
import typer

from pinyon.domain.turn import MOMENTS, Context, Message, TaskOutcome, TurnMemory
from pinyon.errors import InvalidValue
from pinyon.surfaces import encode_turn
from pinyon.surfaces.cli.options import (
    Agent,
    AsJson,
    Home,
    Key,
    Project,
    Tenant,
    User,
    Who,
    one_of,
    situation_of,
)
from pinyon.surfaces.cli.show_turns import show_context, show_turn
from pinyon.surfaces.cli.terminal import give

OUTCOMES: tuple[TaskOutcome, ...] = get_args(TaskOutcome)

Session = Annotated[str, typer.Option(help="The conversation.", show_default=False)]
History = Annotated[
    Path | None,
    typer.Option(
        help="A JSON file with the messages so far, as they are sent to the model.",
        show_default=False,
    ),
]
Situation = Annotated[
    list[str] | None,
    typer.Option(
        "--context",
        help="key=value of the situation: task_id, task_type, tool, project, module; may be "
        "repeated.",
        show_default=False,
    ),
]


def turn(
    message: Annotated[str, typer.Argument(help="The exact words.", show_default=False)],
    user: User = None,
    session: Session = "",
    at: Annotated[
        str, typer.Option(help=f"Where in a loop it is ({', '.join(MOMENTS)}).")
    ] = "message",
    outcome: Annotated[
        str, typer.Option(help="Of a task that is done: worked or failed.", show_default=False)
    ] = "",
    history: History = None,
    context: Situation = None,
    k: Annotated[int, typer.Option(help="At most so many memories.")] = 8,
    budget: Annotated[int, typer.Option(help="At most so many tokens.")] = 1_500,
    always: Annotated[
        bool, typer.Option("--always", help="Recall for whatever is said, a greeting too.")
    ] = False,
    message_id: Annotated[
        str, typer.Option(help="The message's own id; a second one with it is a retry.")
    ] = "",
    key: Key = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Keep what was said, and show what memory brings for it, as a model gets it."""

    async def act() -> TurnMemory:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.turn(
                message,
                at=one_of("at", at, MOMENTS),
                key=key,
                session=session,
                history=_messages(history),
                context=situation_of(context),
                k=k,
                budget_tokens=budget,
                if_needed=not always,
                outcome=one_of("outcome", outcome, OUTCOMES),
                message_id=message_id,
            )

    give(anyio.run(act), as_json=as_json, encoded=encode_turn.turn_memory, shown=show_turn)


def build_context(
    task: Annotated[
        str, typer.Argument(help="What is to be done or answered.", show_default=False)
    ],
    user: User = None,
    session: Session = "",
    history: History = None,
    context: Situation = None,
    budget: Annotated[int, typer.Option(help="What it may take, in tokens.")] = 2_000,
    k: Annotated[int, typer.Option(help="How many memories are looked at.")] = 20,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what a prompt gets from memory: core facts, the last turns, what answers the task."""

    async def act() -> Context:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.build_context(
                task,
                session=session,
                history=_messages(history),
                context=situation_of(context),
                budget_tokens=budget,
                k=k,
            )

    give(anyio.run(act), as_json=as_json, encoded=encode_turn.context, shown=show_context)


def _messages(path: Path | None) -> list[Message]:
    """Return the messages of a file.

    Raises:
        InvalidValue: It cannot be read, or holds no list of messages.
    """
    if path is None:
        return []
    allowed = 'a JSON list of messages: [{"role": "user", "content": "..."}]'
    try:
        messages = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidValue("history", str(path), f"{allowed} ({error})") from error
    if not isinstance(messages, list):
        raise InvalidValue("history", str(path), allowed)
    return messages
