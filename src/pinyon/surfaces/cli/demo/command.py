"""The command that tells the story."""

import shutil
import sys
import time
from pathlib import Path
from typing import Annotated

import anyio
import typer

from pinyon.settings import read_settings
from pinyon.surfaces.cli.demo.scenes import scenes
from pinyon.surfaces.cli.demo.showing import encode_scene, show_scene
from pinyon.surfaces.cli.demo.steps import Scene
from pinyon.surfaces.cli.demo.story import a_home, tell
from pinyon.surfaces.cli.options import AsJson
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.terminal import out, progress_bar
from pinyon.wiring import embedder_of


def demo(
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each answer came about.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Watch an assistant remember: a story over seven months, in a temporary home, offline."""

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
