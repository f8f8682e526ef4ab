"""The command that serves a home over HTTP."""

import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import anyio
import typer
from rich.markup import escape

from pinyon.errors import InvalidSetting
from pinyon.settings import login_name, read_settings
from pinyon.surfaces.cli.options import AsJson, Home
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.terminal import err, out

if TYPE_CHECKING:
    from pinyon.surfaces.server import Started

NEEDED = ("fastapi", "limits", "prometheus_client", "structlog", "uvicorn")


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen at; beyond this machine it takes a key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 for any that is free.")] = 7469,
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose the first key is; by default the login name. [env: PINYON_USER]",
            show_default=False,
        ),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(
            help="Of which tenant it is, and a token that names none. [env: PINYON_TENANT]",
            show_default="default",
        ),
    ] = None,
    home: Home = None,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Log lines of JSON rather than for a person.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve the home over HTTP, for programs in any language, until it is told to end.

    Whoever asks needs a key (`pinyon keys create`). Where there is none yet, and only this machine
    can ask, a first one is made and shown, once.
    """
    _check_installed()
    # FastAPI takes half a second to load, which no other command should wait for.
    from pinyon.observing.logs import set_up  # noqa: PLC0415
    from pinyon.surfaces.server import Started, run  # noqa: PLC0415

    settings = read_settings(home=home, tenant=tenant, user=user)
    set_up(as_json=log_json, stream=sys.stderr)

    def told(started: Started) -> None:
        if as_json:
            emit({"url": started.url, "home": str(settings.home), "key": started.first_key})
            sys.stdout.flush()
        else:
            _show_started(started, str(settings.home))

    async def act() -> None:
        first_user = settings.user or login_name()
        await run(settings, host=host, port=port, first_user=first_user, told=told)

    # To keep a message is to hand it to threads and back, which costs less by it.
    anyio.run(act, backend_options={"use_uvloop": find_spec("uvloop") is not None})
    if not as_json:
        err().print("stopped; everything is written")


def _check_installed() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        why = f"{', '.join(missing)} is not installed: pip install 'pinyon[server]'"
        raise InvalidSetting("serve", why)


def _show_started(started: "Started", home: str) -> None:
    say = partial(out().print, soft_wrap=True)
    say(f"[green]✓[/] {escape(home)} is served at [bold]{escape(started.url)}[/]")
    if started.first_key is None:
        say("[dim]keys: pinyon keys list, pinyon keys create[/]")
        return
    say(f"\nThe first key, for [bold]{escape(started.first_user)}[/] as admin; shown this once:\n")
    say(f"  {started.first_key}\n")
    say(
        f'[dim]curl {started.url}/v1/memory/search -H "Authorization: Bearer $KEY" '
        "-H 'Content-Type: application/json' "
        """-d '{"query": "what do you know?"}'[/]"""
    )
