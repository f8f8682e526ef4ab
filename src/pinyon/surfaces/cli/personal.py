"""Commands over sessions, over what a person lets memory keep, and over how it went with it."""

from collections.abc import Sequence
from typing import Annotated

import anyio
import typer
from rich.markup import escape

from pinyon.domain.answers import Forgotten, Noted
from pinyon.domain.consent import Consent
from pinyon.domain.feedback import OUTCOMES
from pinyon.domain.session import SESSION_MODES, Session
from pinyon.domain.times import show_instant
from pinyon.errors import BadInput
from pinyon.surfaces import encode
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
)
from pinyon.surfaces.cli.show_forgetting import show_receipts
from pinyon.surfaces.cli.show_memories import show_not_kept
from pinyon.surfaces.cli.terminal import give, out

app = typer.Typer(
    help="Conversations of which nothing, or nothing for long, is kept.", no_args_is_help=True
)

SessionArgument = Annotated[
    str, typer.Argument(metavar="SESSION", help="The conversation.", show_default=False)
]


@app.command("start")
def start(
    session: SessionArgument,
    mode: Annotated[
        str,
        typer.Option(
            help="normal: kept; temporary: recalled in it only, forgotten when it ends; off: not "
            "kept."
        ),
    ] = "normal",
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say what becomes of what is said in a session.

    One that nobody starts is normal. A temporary one ends by `sessions end`, or 24 hours after its
    last turn.
    """

    async def act() -> Session:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.start_session(session, mode=one_of("mode", mode, SESSION_MODES))

    give(anyio.run(act), as_json=as_json, encoded=encode.session, shown=_show_session)


@app.command("end")
def end(
    session: SessionArgument,
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """End a session; what was said in a temporary one is forgotten, with a receipt."""

    async def act() -> Forgotten:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.end_session(session)

    give(anyio.run(act), as_json=as_json, encoded=encode.forgotten, shown=_show_ended)


@app.command("list")
def list_sessions(
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List the sessions that were started and go on."""

    async def act() -> tuple[Session, ...]:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.list_sessions()

    give(anyio.run(act), as_json=as_json, encoded=encode.sessions, shown=_show_sessions)


def consent(
    user: User = None,
    pause: Annotated[bool, typer.Option("--pause", help="Keep nothing new.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Keep things again.")] = False,
    never: Annotated[
        list[str] | None,
        typer.Option("--never", metavar="TOPIC", help="Never keep this; may be repeated."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="TOPIC", help="Keep this again; may be repeated."),
    ] = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say what memory may keep of the user; without an option, show it.

    Recall goes on while memory is paused. A topic is a word or a short phrase; what speaks of it is
    not kept from now on.
    """
    if pause and resume:
        raise BadInput("--pause and --resume say the opposite; give one of them")

    async def act() -> Consent:
        async with Who(home, tenant, user, agent, project).client() as client:
            if not (pause or resume or never or allow):
                return await client.consent()
            left_out = set(allow or ())
            held = [one for one in (await client.consent()).never if one not in left_out]
            topics = [*held, *(never or ())] if never or allow else None
            return await client.set_consent(paused=pause if pause or resume else None, never=topics)

    give(anyio.run(act), as_json=as_json, encoded=encode.consent, shown=_show_consent)


def feedback(
    memory_ids: Annotated[
        list[str], typer.Argument(metavar="ID", help="Ids of memories.", show_default=False)
    ],
    outcome: Annotated[
        str, typer.Option(help="used (in an answer), worked or failed.", show_default=False)
    ],
    user: User = None,
    query: Annotated[
        str, typer.Option(help="What they were recalled for.", show_default=False)
    ] = "",
    session: Annotated[str, typer.Option(help="The conversation.", show_default=False)] = "",
    key: Key = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Say how it went with memories that were recalled; it weighs in later recalls."""

    async def act() -> Noted:
        async with Who(home, tenant, user, agent, project).client() as client:
            said = one_of("outcome", outcome, OUTCOMES)
            return await client.feedback(memory_ids, said, query=query, session=session, key=key)

    give(anyio.run(act), as_json=as_json, encoded=encode.noted, shown=_show_noted)


_BECOMES = {
    "normal": "what is said is kept",
    "temporary": "what is said is recalled in it only, and forgotten when it ends",
    "off": "nothing that is said is kept",
}


def _show_session(answer: Session) -> None:
    at = show_instant(answer.started_at_us)[:19].replace("T", " ")
    out().print(f"[bold]{escape(answer.name)}[/] {answer.mode}: {_BECOMES[answer.mode]}")
    out().print(f"  [dim]started {at}[/]")


def _show_sessions(answer: Sequence[Session]) -> None:
    if not answer:
        out().print("[yellow]No session was started:[/] what is said in any is kept.")
    for one in answer:
        _show_session(one)


def _show_ended(answer: Forgotten) -> None:
    if answer.receipt is None:
        out().print("[green]✓[/] ended; there was nothing to forget")
    else:
        show_receipts([answer.receipt])


def _show_consent(answer: Consent) -> None:
    if answer.paused:
        out().print("[yellow]Memory is paused:[/] nothing new is kept; recall goes on.")
    else:
        out().print("Memory keeps what is said.")
    for topic in answer.never:
        out().print(f"  never: {escape(topic)}")


def _show_noted(answer: Noted) -> None:
    if answer.not_kept is not None:
        show_not_kept(answer.not_kept)
        return
    sign = "[yellow]=[/] noted before" if answer.repeated else "[green]✓[/] noted"
    out().print(f"{sign}: {answer.outcome} [dim]{', '.join(answer.ids)}[/]")
    if answer.redacted:
        out().print(f"  [yellow]taken out:[/] {', '.join(answer.redacted)}")
