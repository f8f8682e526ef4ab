"""Whoever does not know the program is told."""

import pytest
import typer

from pinyon.surfaces.cli.main import app

GROUP = typer.main.get_command(app)
NAMES = sorted(name for name, command in GROUP.commands.items() if not command.hidden)
GROUPS = ("catalog", "grants", "jobs", "keys", "mcp", "models", "sessions")
COMMANDS = {name: GROUP.commands[name] for name in NAMES if name not in GROUPS} | {
    f"{group} {name}": command
    for group in GROUPS
    for name, command in GROUP.commands[group].commands.items()
}
COMMANDS["mcp"] = GROUP.commands["mcp"]  # a group, and a command itself
HOMELESS = {"demo", "bench", "eval", "mcp uninstall"}
HOMELESS |= {*(name for name in COMMANDS if name.startswith("models "))}
each_command = pytest.mark.parametrize("name", sorted(COMMANDS))


def test_without_a_command_it_shows_what_there_is(pinyon):
    said = pinyon(user=None)

    assert (said.exit, said.err) == (0, "")
    assert all(name in said.out for name in NAMES)


def test_help_is_no_error(pinyon):
    said = pinyon("--help")

    assert (said.exit, said.err) == (0, "")
    assert all(name in said.out for name in NAMES)


def test_the_version_is_one_line(pinyon):
    said = pinyon("--version")

    assert (said.exit, said.out.count("\n")) == (0, 1)


@each_command
def test_every_command_says_what_it_does(pinyon, name):
    said = pinyon(*name.split(), "--help")

    words = " ".join(said.out.split())
    assert said.exit == 0
    assert COMMANDS[name].help.split("\n")[0].strip() in words


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"mcp"}))  # it speaks nothing else
def test_every_command_answers_in_json_when_asked(name):
    options = {option for param in COMMANDS[name].params for option in param.opts}

    assert "--json" in options


@each_command
def test_every_option_says_what_it_is_for(name):
    silent = [param.name for param in COMMANDS[name].params if not param.help]

    assert silent == []


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - HOMELESS))
def test_every_command_can_be_pointed_at_a_home(name):
    options = {option for param in COMMANDS[name].params for option in param.opts}

    assert "--home" in options
