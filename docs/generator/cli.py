"""The page of the command line."""

import inspect
import json
import types
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any, get_args, get_type_hints

import typer

from generator.markdown import LINE_CHARS, page, section, table
from pinyon.settings import PREFIX
from pinyon.surfaces.cli.main import app

SHAPES = Path(__file__).parents[1] / "reference" / "shapes"
SHARED_OPTIONS = ("--user", "--tenant", "--agent", "--project", "--home", "--json")
TYPE_NAMES: Mapping[type, str] = {str: "TEXT", int: "INTEGER", float: "NUMBER", Path: "PATH"}

# What a command answers to --json stands in reference/shapes, in a file of its name; but of these
# it is another file, drawn once for all, or there is more to say.
SHAPE_OF: Mapping[str, str] = {
    "remember": "written",
    "write": "written",
    "show": "memory",
    "edit": "memory",
    "retract": "memory",
    "end": "memory",
    "hide": "memory",
    "release": "memory",
    "undo": "memory",
    "publish": "published",
    "propose": "consolidate",
    "withdraw": "published",
    "sessions start": "session",
    "sessions end": "forget",
    "grants list": "grants",
    "grants add": "grants",
    "grants remove": "grants",
    "keys revoke": "key",
    "jobs retry": "job",
    "jobs cancel": "job",
    "mcp install": "client-changed",
    "mcp uninstall": "client-changed",
}
ANSWER = "Answer with `--json`:"
ANSWERS: Mapping[str, Mapping[str, str]] = {
    "mcp": {},  # it speaks another language
    "remember": {ANSWER: "written", "With `--lines`:": "remember-lines"},
    "export": {
        f"{ANSWER[:-1]} and a FILE; without one the rows go to stdout:": "export",
        "A row with `--feedback`:": "fed-back",
    },
}


def cli_page() -> str:
    """Return the page of the command line."""
    commands = cli_commands()
    shared = _shared()
    hints = _hints(commands["recall"])
    parts = [
        section(
            "Options that many commands share",
            table(
                ("option", "what it does"),
                [(_option_name(shared[name], hints), shared[name].help) for name in SHARED_OPTIONS],
            ),
            f"A command that takes `--user` needs it, or `{PREFIX}USER`.",
        )
    ]
    parts += [_command_section(name, command) for name, command in commands.items()]
    parts.append(_shapes_section(commands))
    return page(
        "Command line",
        """
        `pinyon COMMAND --help` says the same as this page. `pinyon --version` prints the version.
        `python -m pinyon` is the same program.

        Exit codes: 0 is done, also where nothing was found; the others are in
        [errors](errors.md). `verify` and `doctor` exit with 1 where they find something wrong.

        Every command takes `--json` and then answers with one line of JSON on stdout, or with
        [`@error`](#error) on stderr. Below each command its answer is drawn: a word such as `text`,
        `instant` or `bool` stands for a value of that type (ids and instants are texts), `|null`
        says that it may be null, a key that ends in `?` is not always there, `<leg>` stands for any
        key, a list holds any number of what is drawn in it, and `@hit` stands for a drawing under
        [Shapes](#shapes).
        """,
        *parts,
    )


def cli_commands() -> dict[str, Any]:
    """Return the commands of the program, by name, in the order in which it lists them.

    Those of a group have its name before their own.
    """
    group: Any = typer.main.get_command(app)
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        inner = getattr(command, "commands", {})
        if not command.hidden and getattr(command, "invoke_without_command", not inner):
            found[name] = command
        found.update({f"{name} {below}": one for below, one in inner.items()})
    return found


def _command_section(name: str, command: Any) -> str:
    hints = _hints(command)
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in _options(command) if not _is_shared(param)]
    shared = [param.opts[0] for param in _options(command) if _is_shared(param)]
    usage = " ".join(["pinyon", name, *map(_argument_name, arguments), "[OPTIONS]"])
    parts = [dedent(command.help or "").strip(), f"```text\n{usage}\n```"]
    if arguments:
        known = [(f"`{_argument_name(param)}`", param.help or "") for param in arguments]
        parts.append(table(("argument", "what it is"), known))
    if options:
        rows = [
            (_option_name(param, hints), param.help or "", _default(param)) for param in options
        ]
        parts.append(table(("option", "what it does", "default"), rows))
    if shared:
        ordered = [f"`{option}`" for option in SHARED_OPTIONS if option in shared]
        also = "Also" if options else "Options"
        parts.append(f"{also}: {', '.join(ordered)} ([shared](#options-that-many-commands-share)).")
    for words, shape in ANSWERS.get(
        name, {ANSWER: SHAPE_OF.get(name, name.replace(" ", "-"))}
    ).items():
        drawn = f"@{shape}" if shape in SHAPE_OF.values() else _drawn(_shape(shape))
        parts.append(f"{words}\n\n```text\n{drawn}\n```")
    return section(f"pinyon {name}", *parts)


def _is_shared(param: Any) -> bool:
    """Return whether an option means what it means everywhere, as its help says."""
    return param.opts[0] in SHARED_OPTIONS and param.help == _shared()[param.opts[0]].help


@cache
def _shared() -> dict[str, Any]:
    return {
        option: param
        for param in _options(cli_commands()["recall"])
        if (option := param.opts[0]) in SHARED_OPTIONS
    }


def _options(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option" and not p.hidden]


def _hints(command: Any) -> dict[str, Any]:
    return get_type_hints(inspect.unwrap(command.callback))


def _argument_name(param: Any) -> str:
    name = param.metavar or str(param.name).upper()
    shown = name if param.required else f"[{name}]"
    return f"{shown}..." if param.nargs == -1 else shown


def _option_name(param: Any, hints: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    if param.is_flag:
        return names
    return f"{names} {_type_name(hints[param.name])}"


def _type_name(hint: Any) -> str:
    if isinstance(hint, types.UnionType):
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    if isinstance(hint, types.GenericAlias):
        (hint,) = get_args(hint)
    return TYPE_NAMES[hint]


def _default(param: Any) -> str:
    if param.default in (None, "", False) or param.is_flag:
        return ""
    return f"`{param.default}`"


def _shapes_section(commands: Collection[str]) -> str:
    names = sorted(path.stem for path in SHAPES.glob("*.json"))
    return section(
        "Shapes",
        *(
            f"### {name}\n\n```text\n{_drawn(_shape(name))}\n```"
            for name in names
            if name not in {*(one.replace(" ", "-") for one in commands), "remember-lines"}
        ),
    )


def _shape(name: str) -> Any:
    return json.loads((SHAPES / f"{name}.json").read_text("utf-8"))


def _drawn(shape: Any, indent: int = 0) -> str:
    """Return a shape as text: short lists and mappings on one line."""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, list):
        return f"[{_drawn(shape[0], indent)}, …]"
    flat = "{" + ", ".join(f'"{key}": {_drawn(value)}' for key, value in shape.items()) + "}"
    if "\n" not in flat and len(flat) + indent <= LINE_CHARS:
        return flat
    pad = " " * (indent + 2)
    lines = [f'{pad}"{key}": {_drawn(value, indent + 2)}' for key, value in shape.items()]
    return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
