"""The command that tells the story."""

import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import typer

from pinyon.settings import read_settings
from pinyon.surfaces.cli.demo.scenes import scenes
from pinyon.surfaces.cli.demo.show_over_mcp import encode_exchange, show_exchanges
from pinyon.surfaces.cli.demo.showing import encode_scene, show_scene
from pinyon.surfaces.cli.demo.steps import Scene
from pinyon.surfaces.cli.demo.story import TENANT, a_home, tell
from pinyon.surfaces.cli.mcp import check_installed
from pinyon.surfaces.cli.options import AsJson
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.terminal import out, progress_bar
from pinyon.wiring import embedder_of


def demo(
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each answer came about.")
    ] = False,
    over_mcp: Annotated[
        bool, typer.Option("--mcp", help="Tell it over MCP: a real client, and `pinyon mcp`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Watch an assistant remember: a story over seven months, in a temporary home, offline."""
    if over_mcp:
        anyio.run(partial(_over_mcp, as_json=as_json))
        return

    async def act() -> None:
        async with a_home() as home:
            started = time.perf_counter()
            with progress_bar("remembering", None) as bar:
                count = await tell(home, bar.done)
            took_s = time.perf_counter() - started
            told = [scene async for scene in scenes(home)]
        if as_json:
            emit({"remembered": count, "scenes": [encode_scene(scene) for scene in told]})
        else:
            _show(told, count, took_s, explain=explain)

    anyio.run(act)


async def _over_mcp(*, as_json: bool) -> None:
    check_installed()
    from pinyon.surfaces.cli.demo.over_mcp import told_over_mcp  # noqa: PLC0415 - it loads the SDK

    async with a_home() as home:
        with progress_bar("remembering", None) as bar:
            await tell(home, bar.done)
        exchanges = await told_over_mcp(home.folder, TENANT)
    if as_json:
        emit({"exchanges": [encode_exchange(one) for one in exchanges]})
    else:
        show_exchanges(exchanges, program=_program())


def _show(told: list[Scene], count: int, took_s: float, *, explain: bool) -> None:
    console = out()
    console.print(
        f"\n[bold]Sarah[/] has talked to her smart-home assistant since January, [bold]Tom[/] to "
        f"his since February.\n[dim]{count} things remembered in {took_s:.1f} s: no key, no "
        "account, no server, no network.[/]"
    )
    if embedder_of(read_settings()) is None:
        console.print(
            "[yellow]No model is here, so that all goes by words and scene 4 stays empty: "
            "`pinyon models install` brings them.[/]"
        )
    for number, scene in enumerate(told, start=1):
        show_scene(number, scene, explain=explain)
    program = _program()
    console.print(
        "\nNow yours:\n"
        f'  {program} remember --user you "The hub in the office is a v3"\n'
        f'  {program} recall --user you "which hub is in the office?" --explain\n',
        soft_wrap=True,
        markup=False,
    )


def _program() -> str:
    """Return what to type for this program: its environment need not be the active one."""
    if shutil.which("pinyon"):
        return "pinyon"
    return sys.argv[0] if Path(sys.argv[0]).stem == "pinyon" else "python -m pinyon"
