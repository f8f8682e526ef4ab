"""Background work, for a person."""

from collections.abc import Mapping, Sequence

from rich.markup import escape

from pinyon.domain.job import Attempted, Job, JobState, Outcome
from pinyon.domain.space import Space
from pinyon.domain.times import show_instant
from pinyon.surfaces.cli.terminal import err, out

_SIGNS: Mapping[JobState, str] = {
    "waiting": "[yellow]○[/]",
    "leased": "[cyan]●[/]",
    "done": "[green]✓[/]",
    "dead": "[red]✗[/]",
    "cancelled": "[dim]–[/]",
}
_SAID: Mapping[Outcome, str] = {
    "done": "[green]done[/]",
    "failed": "[yellow]failed; it is tried again[/]",
    "dead": "[red]failed for good[/]",
    "lost": "[dim]cancelled, or taken over[/]",
    "put_off": "[dim]put off[/]",
    "given_back": "[dim]given back[/]",
}


def show_jobs(answers: Sequence[tuple[Space, Job]]) -> None:
    """Print jobs, and whose they are."""
    console = out()
    if not answers:
        console.print("[green]There is no background work.[/]")
    for space, job in answers:
        console.print(
            f"{_SIGNS[job.state]} [bold]{escape(job.task)}[/] {job.state} in {escape(str(space))}",
            soft_wrap=True,
        )
        console.print(f"  [dim]{escape(_history(job))}[/]", soft_wrap=True)


def show_attempted(attempted: Attempted) -> None:
    """Print on stderr how an attempt ended."""
    why = f" ({attempted.error})" if attempted.error else ""
    err().print(
        f"{escape(attempted.job.task)} in {escape(str(attempted.space))}: "
        f"{_SAID[attempted.outcome]}{why} [dim]{attempted.took_s:.2f} s[/]",
        soft_wrap=True,
    )


def show_worked(outcomes: Mapping[Outcome, int]) -> None:
    """Print what became of all that was tried."""
    told = [f"{outcomes[one]:,} {one.replace('_', ' ')}" for one in _SAID if outcomes.get(one)]
    out().print(", ".join(told) or "[dim]there was nothing to do[/]")


def _history(job: Job) -> str:
    told = [job.id, job.priority, f"due {show_instant(job.run_at_us)[:16].replace('T', ' ')}"]
    if job.attempts:
        told.append(f"{job.attempts} attempt" + "s" * (job.attempts != 1))
    return " · ".join([*told, *([job.last_error] if job.last_error else [])])
