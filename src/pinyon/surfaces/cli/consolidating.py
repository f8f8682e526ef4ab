"""The commands by which what was said and done becomes what is true and what works."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.progress import Progress

from pinyon.care.learning import joined
from pinyon.client import MemoryClient
from pinyon.domain.consolidation import Consolidated, Material
from pinyon.domain.ids import MemoryId
from pinyon.domain.reflection import ENDINGS, Reflected
from pinyon.errors import InvalidValue, NotFound
from pinyon.surfaces import encode_consolidation
from pinyon.surfaces.cli.options import Agent, AsJson, Home, Key, Project, Tenant, User, Who, one_of
from pinyon.surfaces.cli.show_consolidation import (
    Texts,
    show_consolidated,
    show_material,
    show_proposed,
    show_reflected,
)
from pinyon.surfaces.cli.terminal import err, give
from pinyon.surfaces.proposals import proposals_of

AT_ONCE = 20
SHOWN_MAX = 200
"""Memories whose texts are printed; of more only the ids."""


def consolidate(
    user: User = None,
    limit: Annotated[int, typer.Option(help="At most so many messages.")] = 10_000,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Make facts and playbooks of what was said: what is true, what works, what holds no more."""

    async def act() -> tuple[Consolidated, Texts]:
        async with Who(home, tenant, user, agent, project).client() as client:
            done = await client.consolidate(limit=min(limit, AT_ONCE))
            with Progress(console=err(), transient=True, disable=not err().is_terminal) as bar:
                task = bar.add_task("reading", total=min(limit, done.episodes + done.left))
                bar.update(task, completed=done.episodes)
                while done.left and done.episodes < limit:
                    part = await client.consolidate(limit=min(AT_ONCE, limit - done.episodes))
                    done = joined(done, part)
                    total = min(limit, done.episodes + done.left)
                    bar.update(task, completed=done.episodes, total=total)
                    if not part.episodes:
                        break
            return done, await _texts(client, _all_of(done))

    done, texts = anyio.run(act)
    give(
        done,
        as_json=as_json,
        encoded=encode_consolidation.consolidated,
        shown=partial(show_consolidated, texts=texts),
    )


def material(
    user: User = None,
    limit: Annotated[int, typer.Option(help="At most so many messages, up to 100.")] = 20,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Show what waits to be consolidated, and what is known near it, for another model to read."""

    async def act() -> Material:
        async with Who(home, tenant, user, agent, project).client() as client:
            return await client.material(limit=limit)

    give(
        anyio.run(act), as_json=as_json, encoded=encode_consolidation.material, shown=show_material
    )


def propose(
    file: Annotated[
        Path,
        typer.Argument(
            help="A JSON file of episodes, facts, ends, playbooks and outcomes; - is stdin.",
            show_default=False,
        ),
    ],
    user: User = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Hand in what somebody made of `pinyon material`; the guards of consolidation decide."""
    given = proposals_of(_rows(file))

    async def act() -> tuple[Consolidated, Texts]:
        async with Who(home, tenant, user, agent, project).client() as client:
            done = await client.propose(**given)
            return done, await _texts(client, _all_of(done))

    done, texts = anyio.run(act)
    give(
        done,
        as_json=as_json,
        encoded=encode_consolidation.consolidated,
        shown=partial(show_proposed, texts=texts),
    )


def reflect(
    task: Annotated[str, typer.Argument(help="What the task is called.", show_default=False)],
    outcome: Annotated[str, typer.Option(help="worked or failed.", show_default=False)],
    user: User = None,
    summary: Annotated[
        str, typer.Option(help="What was done and what came of it.", show_default=False)
    ] = "",
    session: Annotated[str, typer.Option(help="The conversation.", show_default=False)] = "",
    key: Key = None,
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Learn from a task that is over: a playbook of what worked, pitfalls of what failed."""
    ended = one_of("outcome", outcome, ENDINGS)

    async def act() -> tuple[Reflected, Texts]:
        async with Who(home, tenant, user, agent, project).client() as client:
            done = await client.reflect(
                task, outcome=ended, summary=summary, session=session, key=key
            )
            kept = (*done.created, *done.refined, *done.counted, *done.pitfalls)
            return done, await _texts(client, kept)

    done, texts = anyio.run(act)
    give(
        done,
        as_json=as_json,
        encoded=encode_consolidation.reflected,
        shown=partial(show_reflected, texts=texts),
    )


def _all_of(done: Consolidated) -> Sequence[MemoryId]:
    changed = (*done.superseded, *done.refined, *done.outcomes, *done.conflicts)
    return (*done.created, *done.strengthened, *changed)


async def _texts(client: MemoryClient, ids: Sequence[MemoryId]) -> Texts:
    """Return what memories say; without those that somebody has forgotten meanwhile."""
    texts = {}
    for one in dict.fromkeys(ids[:SHOWN_MAX]):
        with suppress(NotFound):
            texts[one] = (await client.show(one)).text
    return texts


def _rows(file: Path) -> object:
    """Return what a file of proposals holds.

    Raises:
        InvalidValue: It cannot be read, or is no JSON.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        allowed = 'a JSON file: {"facts": [{"text", "support", "quote", ...}], "episodes": [...]}'
        raise InvalidValue("file", str(file), f"{allowed} ({type(error).__name__})") from None
