"""Commands that move memories in and out."""

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Annotated, TextIO

import anyio
import typer
from rich.markup import escape

from pinyon.client import MemoryClient
from pinyon.domain.answers import Imported
from pinyon.domain.space import Scope
from pinyon.errors import InvalidFile
from pinyon.moving.jsonl import EXPECTED, header, row_of
from pinyon.settings import read_settings
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import (
    Agent,
    AsJson,
    Home,
    Project,
    ScopeOption,
    Tenant,
    User,
    Who,
    scope_of,
)
from pinyon.surfaces.cli.printing import emit, line_of
from pinyon.surfaces.cli.terminal import out, progress_bar
from pinyon.wiring import operate
from pinyon.wiring import restore as restore_home


def import_file(
    file: Annotated[Path, typer.Argument(help="A JSONL file; - is stdin.", show_default=False)],
    user: User = None,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Import an export, or plain rows like {"text": "…", "kind": "semantic"}.

    Importing a file twice is importing it once.
    """

    async def act() -> Imported:
        async with Who(home, tenant, user, agent, project).client() as client:
            with _opened(file) as lines, progress_bar("importing", _count_lines(file)) as bar:
                rows = _rows(lines, str(file))
                return await client.import_rows(
                    rows, scope=scope_of(scope), name=str(file), progress=bar.done
                )

    answer = anyio.run(act)
    if as_json:
        emit(encode.imported(answer))
    else:
        left_out = f", {answer.forgotten:,} forgotten since" if answer.forgotten else ""
        left_out += f", {answer.not_wanted:,} not wanted" if answer.not_wanted else ""
        out().print(f"[green]✓[/] {answer.created:,} new, {answer.equal:,} kept already{left_out}")


def export_file(
    file: Annotated[
        Path | None, typer.Argument(help="Where to; stdout by default.", show_default=False)
    ] = None,
    user: User = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="What was asked and how it went, for tuning.")
    ] = False,
    scope: ScopeOption = "own",
    tenant: Tenant = None,
    agent: Agent = None,
    project: Project = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Export everything that a space holds, as JSONL, without loss.

    With `--feedback` instead what was asked, what was recalled for it, and how it went.
    """

    async def act(target: TextIO) -> int:
        count = 0
        async with Who(home, tenant, user, agent, project).client() as client:
            with progress_bar("exporting", None) as bar:
                async for row in _exported(client, scope_of(scope), feedback=feedback):
                    target.write(line_of(row, target.encoding))
                    # The first row of an export says whose it is.
                    count += "format" not in row
                    bar.done(count)
        return count

    if file is None:
        anyio.run(act, sys.stdout)
        return
    try:
        # Beside its place, under a name of its own, readable by its owner alone.
        descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    except OSError as error:
        raise InvalidFile(str(file), f"it cannot be written ({error.strerror})") from error
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as target:
            count = anyio.run(act, target)
        unfinished.replace(file)
    except OSError as error:
        raise InvalidFile(str(file), f"it cannot be written ({error.strerror})") from error
    finally:
        unfinished.unlink(missing_ok=True)
    if as_json:
        emit({"rows": count, "file": str(file)})
    else:
        out().print(f"[green]✓[/] {count:,} rows to {escape(str(file))}")


async def _exported(
    client: MemoryClient, scope: Scope, *, feedback: bool
) -> AsyncIterator[encode.Json]:
    """Yield the rows of an export, or of feedback."""
    if feedback:
        async for pair in client.export_feedback(scope=scope):
            yield encode.fed_back(pair)
        return
    yield header(client.principal.space(scope))
    async for exported in client.export(scope=scope):
        yield row_of(exported)


def backup(
    target: Annotated[Path, typer.Argument(help="A folder that does not exist yet.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Copy the whole home while it is in use."""

    async def act() -> int:
        async with operate(home) as operator:
            with progress_bar("copying", None) as bar:
                return await operator.backup(target, progress=bar.done)

    count = anyio.run(act)
    if as_json:
        emit({"spaces": count, "folder": str(target)})
    else:
        out().print(f"[green]✓[/] {count:,} spaces copied to {escape(str(target))}")


def restore(
    source: Annotated[Path, typer.Argument(help="A folder that `backup` made.")],
    home: Home = None,
    forgotten_in: Annotated[
        Path | None,
        typer.Option(
            help="The home until now: what was forgotten in it since stays forgotten.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a home of a backup. The home must not exist yet."""
    count = restore_home(source, home, forgotten_in=forgotten_in)
    folder = read_settings(home=home).home
    if as_json:
        emit({"spaces": count, "home": str(folder)})
    else:
        out().print(f"[green]✓[/] {count:,} spaces restored to {escape(str(folder))}")


def _opened(file: Path) -> TextIO:
    if str(file) == "-":
        return open(
            sys.stdin.fileno(), encoding="utf-8-sig", errors="surrogateescape", closefd=False
        )
    try:
        return file.open(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InvalidFile(str(file), f"it cannot be read ({error.strerror})") from error


def _count_lines(file: Path) -> int | None:
    if str(file) == "-" or not sys.stderr.isatty():
        return None
    with file.open("rb") as raw:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: raw.read(1 << 20), b""))


def _rows(lines: TextIO, name: str) -> Iterator[Mapping[str, object] | None]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            yield None
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidFile(name, f"it is no JSON ({error}); {EXPECTED}", line=number) from None
        if not isinstance(row, dict):
            raise InvalidFile(name, f"it holds no JSON object; {EXPECTED}", line=number)
        yield row
