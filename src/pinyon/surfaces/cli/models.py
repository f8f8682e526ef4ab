"""Commands over the models: which there are, bringing them here, trying them."""

import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import anyio
import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

import pinyon
from pinyon.errors import InvalidValue, ModelUnavailable, PinyonError
from pinyon.models.known import COMPANION, KNOWN, KnownModel, Presence, known, presences
from pinyon.ports.chat import Chat, Form, Message
from pinyon.ports.embedder import Embedder
from pinyon.ports.reranker import Reranker
from pinyon.settings import Settings, read_settings
from pinyon.surfaces import encode
from pinyon.surfaces.cli.options import AsJson
from pinyon.surfaces.cli.printing import emit
from pinyon.surfaces.cli.terminal import err, out
from pinyon.wiring import chat_of, embedder_of, models_folder, reranker_of

app = typer.Typer(help="The models that recall by meaning.", no_args_is_help=True)

TRIED = "Which hub do I have?"
ANSWERS = ("I have a Lumio Hub v2.", "The dog chewed a cable.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying a model: what is wrong with it, "" where nothing is."""

    name: str
    wrong: str
    fingerprint: str = ""
    load_ms: float = 0.0
    run_ms: float = 0.0


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """List the models that Pinyon knows, and which of them are here and in use."""
    settings = read_settings()
    found = presences(models_folder(settings))
    if as_json:
        emit({"models": [_encoded(one, settings) for one in found]})
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("model", "role", "MB", "licence", "state"):
        table.add_column(name, justify="right" if name == "MB" else "left", no_wrap=True)
    table.add_column("what it is for", overflow="fold")
    for one in found:
        model = one.model
        size = str(model.size_mb or "-")
        state = _state(one, settings)
        style = {"in use": "green", "here": ""}.get(state, "dim")
        shown = f"[{style}]{state}[/]" if style else state
        table.add_row(model.name, model.role, size, model.licence, shown, escape(model.about))
    out().print(table)
    if all(one.folder is None for one in found if one.model.setting == "local"):
        out().print("\nMemory goes by words. [dim]`pinyon models install` brings the models.[/]")


@app.command()
def install(
    name: Annotated[
        str, typer.Argument(help="local (with the cross-encoder), multilingual or endpoint.")
    ] = "local",
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A folder or wheel of pinyon-models, instead of the index."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Install a model into the environment that Pinyon runs in, with pip."""
    model = known(name)
    if model is None:
        raise InvalidValue("model", name, "one of " + ", ".join(_settings()))
    wanted = [_from(source) if one == COMPANION else one for one in model.requirements]
    if find_spec("pip") is None:
        by_hand = " ".join(["uv pip install --python", sys.executable, *wanted])
        raise ModelUnavailable(name, f"this environment has no pip to install it with: {by_hand}")
    if not as_json:
        err().print(f"[dim]pip install {escape(' '.join(wanted))}[/]", soft_wrap=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*command, *wanted], check=False).returncode != 0:  # noqa: S603 - our own list
        raise ModelUnavailable(
            name,
            "pip could not install it; from a clone: pinyon models install --from "
            "packages/pinyon-models",
        )
    if as_json:
        emit({"model": model.name, "installed": wanted})
    else:
        out().print(f"[green]✓[/] {model.name} is here. [dim]`pinyon models doctor` tries it.[/]")


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check the files of every model that is here, load it, and let it do something.

    The chat model that is set answers a question, which no memory is in.

    The files of pinyon-models must be the ones that we know; in a folder of your own they need not.
    Exits with 1 where one is broken.
    """
    settings = read_settings()
    here = [one for one in presences(models_folder(settings)) if one.folder is not None]
    trials = anyio.run(_tried, here, settings)
    if as_json:
        emit({"ok": not any(one.wrong for one in trials), "models": _trials(trials)})
    else:
        _show(trials)
    if any(one.wrong for one in trials):
        raise typer.Exit(1)


async def _tried(here: Sequence[Presence], settings: Settings) -> list[Trial]:
    trials = [
        await _trial(one, settings)
        for one in here
        if one.model.setting != "endpoint" or settings.embedder == "endpoint"
    ]
    chat = chat_of(settings)
    if chat is None:
        return trials
    use = partial(_chats, chat, settings.chat_timeout_s)
    return [*trials, await _used(chat.label, lambda: use)]


async def _trial(one: Presence, settings: Settings) -> Trial:
    model = one.model
    # In a folder of one's own other files are what was meant; they have another fingerprint.
    if one.altered and settings.models == "auto":
        wrong = f"{' and '.join(one.altered)} in {one.folder}: not the files that we know"
        return Trial(name=model.name, wrong=wrong)
    return await _used(model.name, partial(_use_of, model, settings))


async def _used(name: str, use_of: Callable[[], Callable[[], Awaitable[str]]]) -> Trial:
    try:
        use = use_of()
        started = time.perf_counter()
        fingerprint = await use()
        loaded = time.perf_counter()
        await use()
    except PinyonError as error:
        return Trial(name=name, wrong=str(error))
    return Trial(
        name=name,
        wrong="",
        fingerprint=fingerprint,
        load_ms=(loaded - started) * 1000,
        run_ms=(time.perf_counter() - loaded) * 1000,
    )


def _use_of(model: KnownModel, settings: Settings) -> Callable[[], Awaitable[str]]:
    """Return what lets a model do what it is for, and gives its fingerprint."""
    if model.role == "reranker":
        return partial(_reranks, reranker_of(settings), model)
    update = {"embedder": model.setting}
    return partial(_embeds, embedder_of(settings.model_copy(update=update)), model)


async def _reranks(reranker: Reranker | None, model: KnownModel) -> str:
    if reranker is None:
        raise ModelUnavailable(model.name, "PINYON_MODELS is off")
    right, wrong = await reranker.score(TRIED, ANSWERS)
    _must(model, right > wrong)
    return reranker.fingerprint


async def _embeds(embedder: Embedder | None, model: KnownModel) -> str:
    if embedder is None:
        raise ModelUnavailable(model.name, "PINYON_MODELS is off")
    question = np.frombuffer((await embedder.embed_question(TRIED)).dense, np.float32)
    right, wrong = (
        float(np.frombuffer(one.dense, np.float32) @ question)
        for one in await embedder.embed(ANSWERS)
    )
    _must(model, right > wrong)
    return embedder.fingerprint


class _Heard(Form):
    """What a chat model is asked for when it is tried."""

    number: int


async def _chats(chat: Chat, timeout_s: float) -> str:
    said = Message("user", "Answer with the number seven, as JSON.")
    # Some models think before they answer, and are cut where they may not.
    await chat.complete([said], form=_Heard, max_tokens=1_000, timeout_s=timeout_s)
    return chat.label


def _must(model: KnownModel, is_right: bool) -> None:
    if not is_right:
        raise ModelUnavailable(model.name, "it answers, but not as it should")


def _show(trials: Sequence[Trial]) -> None:
    if not trials:
        out().print("[yellow]No model is here.[/] [dim]`pinyon models install` brings them.[/]")
    for one in trials:
        if one.wrong:
            out().print(f"[red]✗[/] {one.name}: {escape(one.wrong)}")
        else:
            took = f"loaded in {one.load_ms:,.0f} ms, then {one.run_ms:,.0f} ms a call"
            out().print(f"[green]✓[/] {one.name} [dim]{took} · {escape(one.fingerprint)}[/]")


def _state(one: Presence, settings: Settings) -> str:
    if one.folder is None:
        return "missing"
    if settings.models == "off":
        return "off"
    used = ("local", "multilingual") if settings.embedder == "mixed" else (settings.embedder,)
    is_used = one.model.setting in ("", *used)
    return "in use" if is_used else "here"


def _encoded(one: Presence, settings: Settings) -> encode.Json:
    return {
        "name": one.model.name,
        "role": one.model.role,
        "setting": one.model.setting,
        "about": one.model.about,
        "size_mb": one.model.size_mb,
        "licence": one.model.licence,
        "state": _state(one, settings),
        "folder": None if one.folder is None else str(one.folder),
        "altered": list(one.altered),
    }


def _trials(trials: Sequence[Trial]) -> list[encode.Json]:
    return [
        {
            "name": one.name,
            "ok": not one.wrong,
            "wrong": one.wrong,
            "fingerprint": one.fingerprint,
            "load_ms": round(one.load_ms, 1),
            "run_ms": round(one.run_ms, 1),
        }
        for one in trials
    ]


def _settings() -> list[str]:
    return [model.setting for model in KNOWN if model.setting]


def _from(source: Path | None) -> str:
    """Return what pip is given for the companion: a clone has it beside the sources."""
    if source is not None:
        return str(source)
    beside = Path(pinyon.__file__).parents[2] / "packages" / COMPANION
    return str(beside) if beside.is_dir() else COMPANION
