"""API keys, for a person."""

from collections.abc import Sequence

from rich.markup import escape

from pinyon.domain.credential import ApiKey
from pinyon.domain.space import Space, encoded_name
from pinyon.domain.times import show_instant
from pinyon.surfaces.cli.terminal import out


def show_created_key(answer: tuple[ApiKey, str]) -> None:
    """Print a key that was made, this once."""
    key, shown = answer
    console = out()
    console.print(f"[green]✓[/] {_holder(key)}", soft_wrap=True)
    console.print(f"\n[bold]{shown}[/]\n", soft_wrap=True)
    console.print("This is shown once and kept nowhere: put it where secrets are kept now.")
    console.print(f"[dim]{_history(key)}[/]", soft_wrap=True)


def show_keys(answers: Sequence[ApiKey]) -> None:
    """Print keys without what opens anything."""
    console = out()
    if not answers:
        console.print("[yellow]There are no keys yet.[/] [dim]Begin with: pinyon keys create[/]")
    for key in answers:
        sign = "[green]●[/]" if key.revoked_at_us is None else "[red]✗[/]"
        console.print(f"{sign} {_holder(key)}", soft_wrap=True)
        console.print(f"  [dim]{_history(key)}[/]", soft_wrap=True)


def _holder(key: ApiKey) -> str:
    """Return for whom a key speaks: `agent of acme/user/sarah (app), backend`."""
    whose = (
        str(Space.of_user(key.tenant, key.user))
        if key.user is not None
        else encoded_name(key.tenant)
    )
    said = f"[bold]{key.role}[/] of {escape(whose)}"
    said += "" if key.agent is None else f" ({escape(key.agent)})"
    said += "" if key.project is None else f", project {escape(key.project)}"
    return said + (f" [dim]“{escape(key.name)}”[/]" if key.name else "")


def _history(key: ApiKey) -> str:
    told = [key.id, f"made {_day(key.created_at_us)}"]
    if key.revoked_at_us is not None:
        told.append(f"revoked {_day(key.revoked_at_us)}")
    elif key.expires_at_us is not None:
        told.append(f"until {_day(key.expires_at_us)}")
    used = key.last_used_at_us
    told.append("never used" if used is None else f"last used {_day(used)}")
    return " · ".join(told)


def _day(at_us: int) -> str:
    return show_instant(at_us)[:16].replace("T", " ")
