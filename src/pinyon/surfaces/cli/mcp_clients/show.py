"""What connects a client, and what was changed in its file: for a person, and as JSON."""

import json
import sys
from functools import partial
from pathlib import Path

from rich.markup import escape

from pinyon.surfaces.cli.mcp_clients.client_file import Change
from pinyon.surfaces.cli.mcp_clients.offer import Offer
from pinyon.surfaces.cli.terminal import err, out
from pinyon.surfaces.encode import Json


def encoded_offer(offer: Offer) -> Json:
    """Return an offer as JSON."""
    return {
        "client": offer.client.id,
        "path": str(offer.path),
        "entry": dict(offer.entry),
        "snippet": offer.snippet,
        "command": offer.command or None,
        "next": list(offer.next),
    }


def show_offer(offer: Offer) -> None:
    """Print an offer: the snippet on stdout, what to do with it on stderr."""
    sys.stdout.write(_holdable(offer, sys.stdout.encoding))
    sys.stdout.flush()
    say = partial(err().print, soft_wrap=True)
    say(f"\nIt goes into {escape(str(offer.path))}; `pinyon mcp install` puts it there.")
    if offer.command:
        say(f"{offer.client.title} writes it itself when told so:\n  {escape(offer.command)}")
    for one in offer.next:
        say(escape(one))


def _holdable(offer: Offer, encoding: str | None) -> str:
    """Return a snippet with escapes for what an encoding cannot hold; it says the same."""
    is_unicode = (encoding or "").lower().replace("-", "").startswith("utf")
    if is_unicode or offer.snippet.isascii():
        return offer.snippet
    is_toml = offer.client.dialect == "toml"
    return "".join(
        char if char.isascii() else f"\\U{ord(char):08X}" if is_toml else json.dumps(char)[1:-1]
        for char in offer.snippet
    )


def encoded_change(
    client: str, change: Change, kept: Path | None, then: tuple[str, ...], *, dry_run: bool
) -> Json:
    """Return what was changed as JSON."""
    return {
        "client": client,
        "path": str(change.path),
        "changed": change.changes and not dry_run,
        "backup": None if kept is None else str(kept),
        "diff": change.diff(),
        "next": list(then) if change.changes else [],
    }


def show_change(change: Change, kept: Path | None, then: tuple[str, ...], *, dry_run: bool) -> None:
    """Print what was changed, or would be."""
    say, path = partial(out().print, soft_wrap=True), escape(str(change.path))
    if not change.changes:
        say(f"[green]✓[/] {path} is so already; nothing was done")
        return
    if dry_run:
        sys.stdout.write(change.diff())
        sys.stdout.flush()
        err().print("This is what would change; nothing was.")
        return
    say(f"[green]✓[/] {path} is written")
    if kept is not None:
        say(f"[dim]what was there before: {escape(str(kept))}[/]")
    for one in then:
        say(escape(one))
