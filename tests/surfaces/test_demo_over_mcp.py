"""The story over MCP: a real client, the real process, and what it answers."""

import json

import pytest
from typer.testing import CliRunner

from pinyon.surfaces.cli.main import app

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def told():
    environ = {"PINYON_MODELS": "off"}
    result = CliRunner().invoke(app, ["demo", "--mcp", "--json"], env=environ)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["exchanges"]


def calls(told, tool):
    return [one for one in told if one["tool"] == tool]


def test_what_sarah_says_is_kept_and_brings_what_helped(told):
    white, devices = calls(told, "remember_turn")

    assert white["answer"].startswith("Kept as mem_")
    assert "Save the scene again" in white["answer"]
    assert "range extender" in devices["answer"]


def test_what_was_misheard_is_never_true_and_what_changed_is_history(told):
    _, denied, moved = calls(told, "write_memory")

    assert denied["arguments"]["contradiction"] == "harsh"
    assert denied["arguments"]["supersedes"]
    assert "It takes the place of " in moved["answer"]


def test_it_knows_where_she_lives_now_and_what_stays_true(told):
    _, lives, walls, _ = calls(told, "recall_memory")

    assert "Sarah lives in Edinburgh" in lives["answer"]
    assert "lives in Bristol" not in lives["answer"]
    assert "thick walls" in walls["answer"]


def test_an_ambiguous_wish_forgets_nothing(told):
    (asked,) = calls(told, "forget_memory")

    assert asked["answer"].startswith("Nothing was forgotten.")
    assert asked["answer"].count("\n[mem_") > 1


def test_tom_hears_nothing_of_it(told):
    assert told[-1]["who"] == "Tom"
    assert "mem_" not in told[-1]["answer"]


def test_a_person_sees_each_call_and_what_it_shows():
    result = CliRunner().invoke(app, ["demo", "--mcp"], env={"PINYON_MODELS": "off"})

    assert "calls remember_turn" in result.output
    assert " mcp install CLIENT" in result.output
