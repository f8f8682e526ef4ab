"""Commands over the home as a whole."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.markup import escape

from pinyon import __version__
from pinyon.domain.answers import Reembedded, Verified
from pinyon.models.locate import find_cross_encoder, find_late_interaction
from pinyon.ports.registry import SpaceInfo
from pinyon.ports.store import Health
from pinyon.settings import read_settings
from pinyon.stores.sqlite.store import sqlite_version
from pinyon.surfaces import encode_place
from pinyon.surfaces.cli.options import AsJson, Home
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_homes import show_reembedded, show_spaces, show_verified
from pinyon.surfaces.cli.terminal import out, progress_bar
from pinyon.wiring import models_folder, operate


def spaces(
    tenant: Annotated[
        str | None, typer.Option(help="Only of this tenant.", show_default=False)
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List every space of the home, and what it holds."""

    async def act() -> tuple[SpaceInfo, ...]:
        async with operate(home) as operator:
            return await operator.spaces(tenant=tenant)

    answers = anyio.run(act)
    if as_json:
        emit({"spaces": [encode_place.space(one) for one in answers]})
    else:
        show_spaces(answers)


def verify(
    fix: Annotated[bool, typer.Option("--fix", help="Set right what can be made anew.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Check journal, records and indexes of every space against each other.

    Exits with 1 where something is wrong and was not mended.
    """

    async def act() -> tuple[Verified, ...]:
        async with operate(home) as operator:
            with progress_bar("checking", None) as bar:
                return await operator.verify(fix=fix, progress=bar.done)

    answers = anyio.run(act)
    wrong = any(one.findings for one in answers)
    if as_json:
        emit({"ok": not wrong, "spaces": [encode_place.verified(one) for one in answers]})
    else:
        show_verified(answers)
    if wrong:
        raise typer.Exit(1)


def reembed(
    tenant: Annotated[
        str | None, typer.Option(help="Only of this tenant.", show_default=False)
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Give every memory the vectors of the model that is set now.

    The old vectors answer until a space has all of its new ones. It may be broken off and started
    again; memories that were kept while the model was away get theirs too.
    """

    async def act() -> tuple[Reembedded, ...]:
        async with operate(home) as operator:
            with progress_bar("embedding", None) as bar:
                return await operator.reembed(tenant=tenant, progress=bar.done)

    answers = anyio.run(act)
    if as_json:
        emit({"spaces": [encode_place.reembedded(one) for one in answers]})
    else:
        show_reembedded(answers)


def doctor(home: Home = None, as_json: AsJson = False) -> None:
    """Say what this machine and this home have, and what is not as it should be.

    Works on a broken home too. Exits with 1 where something needs mending.
    """

    async def act() -> Health:
        async with operate(home) as operator:
            return await operator.health()

    folder = read_settings(home=home).home
    health = anyio.run(act)
    facts = {
        "pinyon": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "sqlite": sqlite_version(),
        "numpy": _version("numpy"),
        "home": str(folder),
        "home_exists": folder.exists(),
        "home_writable": _is_writable(folder),
        "models": _models(home),
    }
    if as_json:
        emit({"ok": health.ok, "facts": facts, "notes": list(health.notes)})
    else:
        for name, value in facts.items():
            out().print(f"[dim]{name:<14}[/] {escape(str(value))}")
        for note in health.notes:
            out().print(f"[{'dim' if health.ok else 'red'}]{escape(note)}[/]")
        out().print("[green]all is well[/]" if health.ok else "[red]something needs mending[/]")
    if not health.ok:
        raise typer.Exit(1)


def _models(home: Path | None) -> str:
    settings = read_settings(home=home)
    if settings.models == "off":
        return "off: recall goes by words (PINYON_MODELS is off)"
    folder = models_folder(settings)
    weights = [find_late_interaction(folder), find_cross_encoder(folder)]
    found = [f"{one.fingerprint()} in {one.model.parent}" for one in weights if one is not None]
    if settings.embedder != "local":
        found.insert(0, f"vectors by {settings.embedder}")
    return ", ".join(found) or "none: recall goes by words; `pinyon models install` brings them"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _is_writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return sys.platform == "win32" or os.access(folder, os.W_OK)
