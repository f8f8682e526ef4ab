"""The command that makes facts and playbooks of what was said."""

from typing import Annotated

import anyio
import typer
from rich.progress import Progress

from pinyon.care.learning import joined
from pinyon.domain.consolidation import Consolidated
from pinyon.surfaces import encode_consolidation
from pinyon.surfaces.cli.options import Agent, AsJson, Home, Project, Tenant, User, Who
from pinyon.surfaces.cli.show_consolidation import show_consolidated
from pinyon.surfaces.cli.terminal import err, give

AT_ONCE = 20


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

    async def act() -> Consolidated:
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
            return done

    give(
        anyio.run(act),
        as_json=as_json,
        encoded=encode_consolidation.consolidated,
        shown=show_consolidated,
    )
