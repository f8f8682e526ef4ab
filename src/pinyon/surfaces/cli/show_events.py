"""What was said and done, for a person: who, what, when, and what it belongs to."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from pinyon.domain.answers import EventHit, EventListing
from pinyon.domain.event import Turn, turn_of_event
from pinyon.domain.times import show_instant
from pinyon.surfaces.cli.terminal import err, out

_STYLE = {"thought": "magenta", "tool_call": "yellow", "tool_result": "green"}


def show_events(answer: EventListing) -> None:
    """Print turns, one after the other."""
    if not answer.turns:
        out().print(
            "[yellow]There is nothing here.[/] [dim]Begin with: pinyon remember “…” --role tool[/]"
        )
        return
    for turn in answer.turns:
        out().print(escape(turn.text))
        out().print(f"  {_told(turn)}")
    if answer.next_cursor is not None:
        err().print(f"[dim]there is more: --cursor {answer.next_cursor}[/]")


def events_found(hits: Sequence[EventHit]) -> Table:
    """Return the events that a recall brought along, as they stand below its hits."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", width=3, style="dim")
    table.add_column(width=4)
    table.add_column(overflow="fold")
    table.add_row("", "", "[bold]from the event log[/]")
    for hit in hits:
        table.add_row("·", f"{hit.score:.2f}", escape(hit.event.text))
        held = ", ".join(f"“{word}”" for word in hit.matched)
        why = f" · holds {escape(held)}" if held else ""
        table.add_row("", "", f"{_told(turn_of_event(hit.event))}[dim]{why}[/]")
    return table


def _told(turn: Turn) -> str:
    """Return all but the text of a turn, on one line of markup."""
    style = _STYLE.get(turn.event_type, "cyan")
    at = show_instant(turn.occurred_at_us, turn.offset_min)[:16].replace("T", " ")
    role = "" if turn.role == turn.event_type else turn.role
    parts = [
        escape(turn.speaker or role),
        at,
        f"session {escape(turn.session)}" if turn.session else "",
        turn.id,
    ]
    belongs = f" · belongs to {escape(turn.parent)}" if turn.parent else ""
    told = " · ".join(part for part in parts if part)
    return f"[{style}]{escape(turn.event_type)}[/] [dim]{told}{belongs}[/]"
