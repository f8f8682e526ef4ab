"""The command line shows nobody what is another's, neither to a person nor to a program."""

import inspect
import re

import anyio
import pytest

from isolation.canaries import HEX, TOKEN
from isolation.checking import everything_in
from isolation.commands import TYPED
from isolation.principals import PRINCIPALS
from isolation.probes import Case
from pinyon.surfaces.cli.main import app
from pinyon.surfaces.cli.serving import serve
from surfaces.conftest import run_here

PROBERS = [0, 1, 9, 25, 27, 31]


def commands_of_a_user():
    groups = [("", app), *((f"{one.name} ", one.typer_instance) for one in app.registered_groups)]
    for before, group in groups:
        for command in group.registered_commands:
            # Who asks is named by user and tenant; a grant only names a user, and a server asks
            # nothing in the name of whom its first key is for.
            if (
                command.callback is not serve
                and {"user", "tenant"} <= inspect.signature(command.callback).parameters.keys()
            ):
                yield before + (command.name or command.callback.__name__.replace("_", "-"))


def test_every_command_that_takes_a_user_is_probed():
    assert sorted(TYPED) == sorted(commands_of_a_user())


def naming(principal):
    named = ["--user", principal.user, "--tenant", principal.tenant]
    named += ["--agent", principal.agent] if principal.agent else []
    return [*named, *(["--project", principal.project] if principal.project else [])]


@pytest.mark.promise(
    "isolation",
    "No command shows what is another's, neither to a person nor to a program.",
)
@pytest.mark.parametrize("number", PROBERS)
def test_no_command_shows_what_is_anothers(home, world, random, number):
    principal = PRINCIPALS[number]
    case = Case(world, principal, random)
    bystanders = [space for space in world.spaces if space not in principal.writes]
    before = anyio.run(everything_in, home, bystanders)
    environ = {"PINYON_HOME": str(home), "PINYON_DURABLE": "false", "PINYON_MODELS": "off"}
    said, betrayed, codes = set(), [], []
    for command, typing in TYPED.items():
        for count, args in enumerate(typing(case)):
            as_json = ["--json"] * (count % 2)
            typed = [*command.split(), *args, *naming(principal), *as_json]
            shown = " ".join(typed).casefold()
            said |= {*TOKEN.findall(shown), *HEX.findall(re.sub("mem_|-", "", shown))}
            answer = run_here(typed, b"", environ)
            codes.append(answer.exit)
            seen = answer.out + answer.err
            betrayed += [(typed, one) for one in world.betrayed(seen, principal, said)]

    assert betrayed == []
    assert len(codes) * len(PROBERS) >= 150
    assert 1 not in codes  # a bug
    assert anyio.run(everything_in, home, bystanders) == before
