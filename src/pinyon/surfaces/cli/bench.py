"""The command that measures this machine."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import anyio
import typer
from rich.table import Table

from pinyon.errors import InvalidValue
from pinyon.evaluation.endurance import (
    Survival,
    Together,
    survive_kills,
    write_some,
    write_together,
    write_until_killed,
)
from pinyon.evaluation.speed import (
    HomeSpeed,
    SpaceSpeed,
    fsync_ms,
    full_home_speed,
    home_speed,
    space_speed,
)
from pinyon.evaluation.timing import Figures
from pinyon.surfaces.cli import encode
from pinyon.surfaces.cli.options import AsJson
from pinyon.surfaces.cli.terminal import err, out
from pinyon.wiring import open_parts, open_store

_CHILD = [sys.executable, "-m", "pinyon", "bench-child"]


def bench(
    sizes: Annotated[
        str, typer.Option(help="Memories a space, with commas.")
    ] = "1000,10000,100000",
    homes: Annotated[
        str, typer.Option(help="Other spaces in the home, with commas.")
    ] = "1,200,2000",
    fill: Annotated[
        int, typer.Option(help="Memories of a full home, 100,000 a space; 0 leaves it out.")
    ] = 0,
    kills: Annotated[int, typer.Option(help="How often a writing process is killed.")] = 10,
    processes: Annotated[int, typer.Option(help="Processes that write at once.")] = 4,
    folder: Annotated[
        Path | None, typer.Option(help="Where to; a temporary folder by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure this machine: recall, writes, imports, many spaces, kills. Takes some minutes.

    CPU is that of the whole process; on a busy machine it tells more than the clock on the wall.
    """
    asked_sizes, asked_homes = _numbers("sizes", sizes), _numbers("homes", homes)

    async def act(place: Path) -> encode.Json:
        spaces = [
            await space_speed(open_parts, place / f"space-{size}", size, _tell)
            for size in asked_sizes
        ]
        others = [
            await home_speed(open_parts, place / f"home-{count}", count, _tell)
            for count in asked_homes
        ]
        full = None
        if fill:
            full = await full_home_speed(open_parts, place / "full", fill, _tell)
        _tell(f"killing a writer {kills} times")
        killed, together = place / "killed", place / "together"
        survival = await survive_kills(
            open_store, killed, kills=kills, command=[*_CHILD, "until-killed", str(killed)]
        )
        _tell(f"writing from {processes} processes")
        crowd = await write_together(
            open_store,
            together,
            processes=processes,
            writes=200,
            command=[*_CHILD, "some", str(together)],
        )
        disk = fsync_ms(place)
        if not as_json:
            _show(spaces, others if full is None else [*others, full], survival, crowd, disk)
        return {
            "spaces": [asdict(one) for one in spaces],
            "homes": [asdict(one) for one in others],
            "full_home": None if full is None else asdict(full),
            "kills": asdict(survival),
            "together": asdict(crowd),
            "fsync_ms": asdict(disk),
        }

    with TemporaryDirectory(prefix="pinyon-bench-", dir=folder) as temporary:
        answer = anyio.run(act, Path(temporary))
    if as_json:
        encode.emit(answer)


def bench_child(
    what: str, folder: Path, number: int, count: Annotated[int, typer.Argument()] = 0
) -> None:
    """Write for `bench`: until killed, or a number of times."""
    if what == "until-killed":
        write_until_killed(open_store, folder, number)
    else:
        write_some(open_store, folder, number, count)


def _tell(what: str) -> None:
    err().print(f"[dim]{what} ...[/]")


def _numbers(name: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part]
    except ValueError:
        raise InvalidValue(name, text, "whole numbers with commas between") from None


def _show(
    spaces: Sequence[SpaceSpeed],
    homes: Sequence[HomeSpeed],
    survival: Survival,
    crowd: Together,
    disk: Figures,
) -> None:
    console = out()
    table = _table("one space", "CPU p50", "CPU p95", "wall p50", "wall p95", "wall p99")
    for one in spaces:
        name = f"{one.memories:,} memories"
        _row(table, f"{name}: keyword leg", one.keyword)
        _row(table, f"{name}: whole recall", one.recall)
        _row(table, f"{name}: durable write", one.write)
        _row(table, f"{name}: the store's part", one.write_store)
    for home in homes:
        _row(table, f"among {home.others:,} spaces: keyword leg", home.keyword)
        _row(table, f"among {home.others:,} spaces: write", home.write)
    _row(table, "the disk confirms 4 kB", disk)
    console.print(table)
    for one in spaces:
        stages = ", ".join(f"{name} {ms:.2f}" for name, ms in one.stages_ms.items())
        console.print(
            f"{one.memories:>9,} memories: {one.import_per_s:,.0f} imported a second and core, "
            f"{one.bytes_per_memory:,.0f} bytes each [dim]· stages in ms: {stages}[/]"
        )
    console.print(
        f"{survival.kills} kills: {survival.written:,} writes and {survival.erased:,} erasures "
        f"acknowledged, {survival.lost} lost, {survival.back} back, "
        f"{survival.findings} findings of verify"
    )
    console.print(
        f"{crowd.processes} processes × {crowd.writes_each} writes: {crowd.lost} lost, "
        f"{crowd.failed} failed, {crowd.wall_s:.1f} s"
    )


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right")
    return table


def _row(table: Table, name: str, timed: Figures) -> None:
    shown = (timed.cpu_p50, timed.cpu_p95, timed.wall_p50, timed.wall_p95, timed.wall_p99)
    table.add_row(name, *(f"{ms:.2f} ms" for ms in shown))
