"""What was exchanged over MCP, as a person sees it, and as a program reads it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.padding import Padding

from pinyon.surfaces.cli.terminal import out
from pinyon.surfaces.encode import Json

if TYPE_CHECKING:
    from pinyon.surfaces.cli.demo.over_mcp import Exchange

INDENT = 3


def show_exchanges(exchanges: "Sequence[Exchange]", *, program: str) -> None:
    """Print each call of a tool, what it answered, what that shows, and how one begins oneself."""
    console = out()
    console.print(
        "\nAn MCP client started [bold]pinyon mcp[/] for each of them and spoke to it over its "
        "pipes.\n[dim]What memory answers is fenced as data; each line has its id, its day and "
        "whose word it is.[/]"
    )
    for number, one in enumerate(exchanges, start=1):
        heard = f" hears [italic]“{escape(one.heard)}”[/] and" if one.heard else ""
        console.print(
            f"\n[bold]{number}.[/] {one.who}'s assistant{heard} calls [bold]{one.tool}[/]"
        )
        said = escape(json.dumps(one.arguments, ensure_ascii=False))
        console.print(Padding(f"[dim]{said}[/]", (0, 0, 0, INDENT)))
        console.print(Padding(escape(one.answer), (0, 0, 0, INDENT)))
        console.print(Padding(f"[green]→[/] {escape(one.moral)}", (0, 0, 0, INDENT)))
    console.print(
        f"\nNow yours:\n  {program} mcp install CLIENT    # claude-code, cursor, vs-code, ...\n",
        soft_wrap=True,
        markup=False,
    )


def encode_exchange(one: "Exchange") -> Json:
    """Return one exchange as JSON."""
    return {
        "who": one.who,
        "heard": one.heard,
        "tool": one.tool,
        "arguments": dict(one.arguments),
        "answer": one.answer,
        "moral": one.moral,
    }
