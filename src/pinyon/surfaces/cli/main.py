"""The program: registers the commands, and turns every error into a message and an exit code."""

import io
import os
import sys
import traceback
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from pinyon import __version__
from pinyon.errors import BadInput, PinyonError
from pinyon.surfaces.cli import (
    catalog,
    consolidating,
    event_log,
    files,
    forgetting,
    grants,
    homes,
    keys,
    memories,
    models,
    personal,
    standing,
    turns,
    working,
)
from pinyon.surfaces.cli.bench import bench, bench_child
from pinyon.surfaces.cli.demo.command import demo
from pinyon.surfaces.cli.evaluation import evaluate
from pinyon.surfaces.cli.mcp import mcp
from pinyon.surfaces.cli.mcp_clients import commands as mcp_clients
from pinyon.surfaces.cli.printing import emit_error
from pinyon.surfaces.cli.serving import serve
from pinyon.surfaces.cli.terminal import err, show_error

app = typer.Typer(
    name="pinyon",
    help="Long-term memory for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 done, 1 bug, 2 bad input, 3 a gate of eval failed, 4 not allowed, "
    "5 not found, 6 conflict, 7 refused, 8 unavailable.",
)


@app.callback(invoke_without_command=True)
def main(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Long-term memory for AI agents."""
    if show_version:
        sys.stdout.write(f"pinyon {__version__}\n")
        raise typer.Exit


app.command()(demo)
app.command()(memories.remember)
app.command()(memories.write)
app.command()(memories.recall)
app.command()(turns.turn)
app.command("context")(turns.build_context)
app.command()(consolidating.consolidate)
app.command()(consolidating.material)
app.command()(consolidating.propose)
app.command()(consolidating.reflect)
app.command()(memories.core)
app.command()(memories.warm)
app.command("why-not")(memories.why_not)
app.command()(memories.show)
app.command("list")(memories.list_memories)
app.command()(event_log.events)
app.command()(memories.history)
app.command()(memories.edit)
app.command("retract")(standing.retract)
app.command()(standing.end)
app.command("hide")(standing.hide)
app.command("release")(standing.release)
app.command("undo")(standing.undo)
app.command()(forgetting.forget)
app.command()(forgetting.receipts)
app.command()(standing.publish)
app.command()(standing.withdraw)
app.command()(personal.feedback)
app.command()(personal.consent)
app.command("import")(files.import_file)
app.command("export")(files.export_file)
app.command()(files.backup)
app.command()(files.restore)
app.command()(homes.spaces)
app.command()(homes.verify)
app.command()(homes.reembed)
app.command()(homes.doctor)
app.command()(serve)
app.command()(working.worker)
app.add_typer(catalog.app, name="catalog")
app.add_typer(grants.app, name="grants")
app.add_typer(working.app, name="jobs")
app.add_typer(keys.app, name="keys")
mcp_clients.app.callback(invoke_without_command=True)(mcp)
app.add_typer(mcp_clients.app, name="mcp")
app.add_typer(models.app, name="models")
app.add_typer(personal.app, name="sessions")
app.command("eval")(evaluate)
app.command()(bench)
app.command("bench-child", hidden=True)(bench_child)


def _end(error: PinyonError) -> NoReturn:
    if "--json" in sys.argv:
        emit_error(error)
    else:
        show_error(error)
    sys.exit(error.exit_code)


def _end_misused(error: TyperException) -> NoReturn:
    if len(sys.argv) == 1:
        # Asked for nothing, it shows what there is.
        sys.stdout.write(error.format_message() + "\n")
        sys.exit(0)
    why = error.format_message().rstrip(".")
    _end(BadInput(f"{why}; `pinyon COMMAND --help` shows what there is"))


def run() -> None:
    """Run the program: errors of ours are told in one line, others are bugs and say so."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal of few characters gets an escape rather than nothing at all.
            stream.reconfigure(errors="backslashreplace")
    try:
        ended = app(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(ended)
    except PinyonError as error:
        _end(error)
    except typer.Exit as told:
        sys.exit(told.exit_code)
    except TyperException as error:
        _end_misused(error)
    except (typer.Abort, EOFError):
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has heard enough. Python would complain once more when it flushes
        # what is left, so that goes to nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception:  # noqa: BLE001 - the one place where a bug ends
        traceback.print_exc()
        err().print("[red]This is a bug in Pinyon.[/] Please report it with the lines above.")
        sys.exit(1)
