"""Commands over background work: doing it, and looking after it."""

import signal
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, get_args

import anyio
import typer

from pinyon.domain.job import Attempted, Job, JobState, Outcome
from pinyon.domain.space import Space
from pinyon.settings import read_settings
from pinyon.surfaces import encode_place
from pinyon.surfaces.cli.options import AsJson, Home, one_of
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_working import show_attempted, show_jobs, show_worked
from pinyon.surfaces.cli.terminal import give
from pinyon.wiring import open_worker, operate

app = typer.Typer(help="Background work, and what became of it.", no_args_is_help=True)

STATES: tuple[JobState, ...] = get_args(JobState)

Identifier = Annotated[str, typer.Argument(metavar="ID", help="Id of a job.", show_default=False)]


def worker(
    once: Annotated[
        bool, typer.Option("--once", help="Do what is due, and end when nothing is left.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Do the background work of the home until it is told to end.

    Any number may run, beside `pinyon serve` too, which does it by itself unless PINYON_WORKER is
    off. Told to end, it ends what it began, or gives it back.
    """
    outcomes: Counter[Outcome] = Counter()

    def told(attempted: Attempted) -> None:
        outcomes[attempted.outcome] += 1
        show_attempted(attempted)

    async def act() -> None:
        worker, store = open_worker(read_settings(home=home), told=told)
        stop = anyio.Event()
        try:
            async with anyio.create_task_group() as beside:
                beside.start_soon(_stop_when_told, stop)
                await (worker.run_once(stop) if once else worker.run(stop))
                beside.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await store.close()

    anyio.run(act)
    if as_json:
        emit({outcome: outcomes[outcome] for outcome in get_args(Outcome)})
    else:
        show_worked(outcomes)


async def _stop_when_told(stop: anyio.Event) -> None:
    """Listen for what ends a program; a second time ends it at once."""
    if sys.platform == "win32":
        return
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if stop.is_set():
                raise KeyboardInterrupt
            stop.set()


@app.command("list")
def list_jobs(
    user: Annotated[
        str | None, typer.Option(help="Only of this user's spaces.", show_default=False)
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            help="Only of this tenant; with --user, whose user. [env: PINYON_TENANT]",
            show_default=False,
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(help=f"Only these: {', '.join(STATES)}.", show_default=False),
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List the background work of every space of the home, oldest first in each."""

    async def act() -> Sequence[tuple[Space, Job]]:
        asked = None if state is None else one_of("state", state, STATES)
        whose = tenant if user is None else read_settings(home=home, tenant=tenant).tenant
        async with operate(home) as operator:
            return await operator.all_jobs(tenant=whose, user=user, state=asked)

    give(anyio.run(act), as_json=as_json, encoded=encode_place.placed_jobs, shown=show_jobs)


@app.command("retry")
def retry(identifier: Identifier, home: Home = None, as_json: AsJson = False) -> None:
    """Have a job that is dead, was cancelled, or waits for later tried now."""

    async def act() -> tuple[Space, Job]:
        async with operate(home) as operator:
            space, job = await operator.find_job(identifier)
            await operator.retry_job(space, job.id)
            return await operator.find_job(identifier)

    _give_one(anyio.run(act), as_json=as_json)


@app.command("cancel")
def cancel(identifier: Identifier, home: Home = None, as_json: AsJson = False) -> None:
    """Cancel a job that waits or runs; what it has done by then stays done."""

    async def act() -> tuple[Space, Job]:
        async with operate(home) as operator:
            space, job = await operator.find_job(identifier)
            await operator.cancel_job(space, job.id)
            return await operator.find_job(identifier)

    _give_one(anyio.run(act), as_json=as_json)


def _give_one(answer: tuple[Space, Job], *, as_json: bool) -> None:
    give(
        answer,
        as_json=as_json,
        encoded=encode_place.placed_job,
        shown=lambda one: show_jobs([one]),
    )
