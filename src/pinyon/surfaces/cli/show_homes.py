"""Spaces, and what was found or done in them, for a person."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from pinyon.domain.answers import (
    Reembedded,
    Verified,
)
from pinyon.ports.registry import SpaceInfo
from pinyon.surfaces.cli.terminal import out


def show_reembedded(answers: Sequence[Reembedded]) -> None:
    """Print which spaces were given new vectors."""
    if not answers:
        out().print("[yellow]There are no spaces yet.[/] [dim]Begin with: pinyon remember “…”[/]")
        return
    for one in answers:
        sign = "[green]✓[/]" if one.made else "[dim]=[/]"
        made = f"{one.made:,} of {one.memories:,} memories" if one.made else "nothing was lacking"
        out().print(f"{sign} {escape(str(one.space))}: [dim]{made}[/]")


def show_spaces(answers: Sequence[SpaceInfo]) -> None:
    """Print every space."""
    if not answers:
        out().print("[yellow]There are no spaces yet.[/] [dim]Begin with: pinyon remember “…”[/]")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("space", overflow="fold")
    for name in ("memories", "events", "kB"):
        table.add_column(name, justify="right")
    for one in answers:
        table.add_row(
            escape(str(one.space)), f"{one.memories:,}", f"{one.events:,}", f"{one.bytes // 1024:,}"
        )
    out().print(table)


def show_verified(answers: Sequence[Verified]) -> None:
    """Print what a check found."""
    console = out()
    for one in answers:
        name = "home" if one.space is None else escape(str(one.space))
        for finding in one.findings:
            console.print(f"[red]✗[/] {name}: {escape(finding)}")
        for finding in one.mended:
            console.print(f"[green]✓[/] {name}: mended: {escape(finding)}")
    wrong = sum(len(one.findings) for one in answers)
    verdict = f"[red]{wrong} findings[/]" if wrong else "[green]all is well[/]"
    console.print(f"{len(answers)} spaces checked, {verdict}")
