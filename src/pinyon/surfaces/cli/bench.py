"""The command that measures this machine."""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import anyio
import typer
from rich.table import Table

from pinyon.domain.credential import Holder
from pinyon.errors import InvalidValue
from pinyon.evaluation.embedders import model_of
from pinyon.evaluation.speed.babble import words_of
from pinyon.evaluation.speed.endurance import (
    Survival,
    Together,
    survive_kills,
    write_some,
    write_together,
    write_until_killed,
)
from pinyon.evaluation.speed.meaning import Meaning, meaning_of
from pinyon.evaluation.speed.serving import TENANT, Load, Parts, Serving, serving_of
from pinyon.evaluation.speed.spaces import (
    HomeSpeed,
    SpaceSpeed,
    fsync_ms,
    full_home_speed,
    home_speed,
    space_speed,
)
from pinyon.evaluation.speed.starting import recall_first, say_blocked
from pinyon.evaluation.timing import Figures
from pinyon.models.locate import find_late_interaction
from pinyon.ports.models import NO_MODELS, Models
from pinyon.settings import environment_of, read_settings
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import AsJson
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.show_serving import show_serving
from pinyon.surfaces.cli.terminal import err, out
from pinyon.wiring import models_of, open_parts, open_store, serve_home

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
    model: Annotated[
        bool,
        typer.Option("--model/--no-model", help="Recall by meaning too, where its model is there."),
    ] = True,
    serve: Annotated[
        bool, typer.Option("--serve", help="Measure a server under load, and nothing else.")
    ] = False,
    users: Annotated[int, typer.Option(min=1, max=10_000, help="With --serve: how many.")] = 200,
    memories: Annotated[
        int, typer.Option(min=100, max=100_000, help="With --serve: of each user.")
    ] = 10_000,
    seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="With --serve: how long each load lasts.")
    ] = 10,
    connections: Annotated[
        int, typer.Option(min=1, max=256, help="With --serve: connections that ask at once.")
    ] = 16,
    servers: Annotated[
        int, typer.Option(min=1, max=16, help="With --serve: servers on the one home.")
    ] = 1,
    spaces_open: Annotated[
        int,
        typer.Option(
            "--open", min=1, max=10_000, help="With --serve: spaces that the server keeps open."
        ),
    ] = 256,
    keep: Annotated[
        Path | None,
        typer.Option(help="With --serve: where to keep the home, 13 GB, filled for the next time."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure this machine: recall, writes, imports, many spaces, kills. Takes some minutes.

    CPU is that of the whole process; on a busy machine it tells more than the clock on the wall.

    With --serve a home of many users is served by a process of its own, and asked from this one.
    """
    if serve:
        load = Load(seconds=seconds, connections=connections, servers=servers)
        measure = partial(
            _serving,
            users=users,
            memories=memories,
            load=load,
            with_model=model,
            spaces_open=spaces_open,
        )
        with _place(keep, folder) as place:
            served = anyio.run(measure, place)
        if as_json:
            emit(asdict(served))
        else:
            show_serving(served)
        return
    asked_sizes, asked_homes = _numbers("sizes", sizes), _numbers("homes", homes)

    async def act(place: Path) -> encode.Json:
        spaces = [
            await space_speed(open_parts, place / f"space-{size}", size, _tell)
            for size in asked_sizes
        ]
        meaning = await _meaning(place / "meaning", asked_sizes) if model else None
        others = [
            await home_speed(open_parts, place / f"home-{count}", count, _tell)
            for count in asked_homes
        ]
        full = await full_home_speed(open_parts, place / "full", fill, _tell) if fill else None
        survival = await _survival(place / "killed", kills)
        crowd = await _crowd(place / "together", processes)
        disk = fsync_ms(place)
        if not as_json:
            _show(spaces, others if full is None else [*others, full], survival, crowd, disk)
            if meaning is not None:
                _show_meaning(meaning)
        return {
            "spaces": [asdict(one) for one in spaces],
            "meaning": None if meaning is None else asdict(meaning),
            "homes": [asdict(one) for one in others],
            "full_home": None if full is None else asdict(full),
            "kills": asdict(survival),
            "together": asdict(crowd),
            "fsync_ms": asdict(disk),
        }

    with TemporaryDirectory(prefix="pinyon-bench-", dir=folder) as temporary:
        answer = anyio.run(act, Path(temporary))
    if as_json:
        emit(answer)


def bench_child(
    what: str, folder: Path, number: int, count: Annotated[int, typer.Argument()] = 0
) -> None:
    """Do for `bench` what takes a process of its own: write, recall once, or load the model."""
    match what:
        case "until-killed":
            write_until_killed(open_store, folder, number)
        case "some":
            write_some(open_store, folder, number, count)
        case "first-recall":
            asyncio.run(recall_first(open_parts, folder, _models(folder)))
        case "blocked":
            asyncio.run(say_blocked(model_of(_models(folder))))
        case _:
            raise InvalidValue("what", what, "until-killed, some, first-recall or blocked")


@contextmanager
def _place(keep: Path | None, folder: Path | None) -> Iterator[Path]:
    """Give the folder of a home: the one that is kept, or one that goes in the end."""
    if keep is not None:
        yield keep
        return
    with TemporaryDirectory(prefix="pinyon-bench-", dir=folder) as temporary:
        yield Path(temporary) / "home"


async def _serving(
    place: Path, *, users: int, memories: int, load: Load, with_model: bool, spaces_open: int
) -> Serving:
    weights = find_late_interaction() if with_model else None
    if weights is None and with_model:
        _tell("the model is not installed: measuring words only")
    parts = Parts(
        open_home=open_parts,
        new_key=_service_key,
        command=[
            sys.executable,
            "-m",
            "pinyon",
            "serve",
            "--port",
            "0",
            "--tenant",
            TENANT,
            "--json",
        ],
        environment=partial(_environment, spaces_open),
        models=NO_MODELS if weights is None else _models(place),
        vocabulary=() if weights is None else words_of(weights.tokenizer),
    )
    return await serving_of(parts, place, users=users, memories=memories, load=load, tell=_tell)


def _environment(spaces_open: int, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment of a server that keeps so many spaces open."""
    return environment_of({**settings, "spaces_open_max": str(spaces_open)})


async def _service_key(home: Path) -> str:
    """Make a key that acts for every user of a home."""
    served = serve_home(read_settings({}, home=home, models="off"))
    try:
        _, shown = await served.operator.create_key(Holder.of("service", tenant=TENANT))
    finally:
        await served.base.close()
    return shown


async def _meaning(place: Path, sizes: Sequence[int]) -> Meaning | None:
    """Measure recall by meaning, or say that its model is missing."""
    weights = find_late_interaction()
    if weights is None:
        _tell("the model is not installed: measuring words only")
        return None
    return await meaning_of(
        open_parts,
        place,
        _models(place),
        sizes=sizes,
        vocabulary=words_of(weights.tokenizer),
        command=_CHILD,
        tell=_tell,
    )


def _models(home: Path) -> Models:
    """Return the installed models, whatever the environment says about them."""
    return models_of(read_settings({}, home=home, models="auto"))


async def _survival(place: Path, kills: int) -> Survival:
    _tell(f"killing a writer {kills} times")
    return await survive_kills(
        open_store, place, kills=kills, command=[*_CHILD, "until-killed", str(place)]
    )


async def _crowd(place: Path, processes: int) -> Together:
    _tell(f"writing from {processes} processes")
    return await write_together(
        open_store,
        place,
        processes=processes,
        writes=200,
        command=[*_CHILD, "some", str(place)],
    )


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
        console.print(
            f"{one.memories:>9,} memories: {one.import_per_s:,.0f} imported a second and core, "
            f"{one.bytes_per_memory:,.0f} bytes each "
            f"[dim]· stages in ms: {_stages(one.stages_ms)}[/]"
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


def _show_meaning(meaning: Meaning) -> None:
    console = out()
    table = _table("with the model", "CPU p50", "CPU p95", "wall p50", "wall p95", "wall p99")
    for one in meaning.spaces:
        name = f"{one.memories:,} memories"
        _row(table, f"{name}: vector leg", one.vector)
        _row(table, f"{name}: bandwidth", one.bandwidth)
        _row(table, f"{name}: recall", one.recall)
        _row(table, f"{name}: recall, best", one.best)
        _row(table, f"{name}: write", one.write)
    console.print(table)
    for one in meaning.spaces:
        console.print(
            f"{one.memories:>9,} memories: vector leg {one.over_bandwidth:.2f} × bandwidth, first "
            f"recall {one.first_ms:,.0f} ms [dim]· stages in ms: {_stages(one.stages_ms)}; best: "
            f"{_stages(one.best_stages_ms)}[/]"
        )
    for weight in meaning.weights:
        console.print(
            f"{weight.texts}, {weight.tokens:.1f} tokens: {weight.whole_bytes:,.0f} bytes each, "
            f"{weight.dense_bytes:,.0f} without token vectors"
        )
    begun = meaning.starting
    console.print(
        f"{meaning.import_per_s:,.0f} texts imported a second; {begun.processes} processes, from "
        f"start to end with one recall: {begun.first_recall_s:.2f} s, at most "
        f"{begun.first_recall_s_max:.2f} s; loading the model blocks the loop for "
        f"{begun.loop_blocked_ms:.0f} ms, at most {begun.loop_blocked_ms_max:.0f} ms"
    )


def _stages(stages_ms: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {ms:.2f}" for name, ms in stages_ms.items())


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, name in enumerate(names):
        table.add_column(name, justify="left" if place == 0 else "right")
    return table


def _row(table: Table, name: str, timed: Figures) -> None:
    shown = (timed.cpu_p50, timed.cpu_p95, timed.wall_p50, timed.wall_p95, timed.wall_p99)
    table.add_row(name, *(f"{ms:.2f} ms" for ms in shown))
