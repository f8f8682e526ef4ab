"""The story comes out as it is told, offline and in its own temporary home."""

import json

import pytest
from typer.testing import CliRunner

from pinyon.surfaces.cli.main import app


@pytest.fixture(scope="module")
def told():
    result = CliRunner().invoke(app, ["demo", "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def texts(scene):
    return [hit["text"] for hit in scene["hits"]]


def test_about_sixty_things_are_remembered(told):
    assert 55 <= told["remembered"] <= 70


def test_the_failed_resets_and_what_helped_come_for_the_white_bulbs(told):
    scene = told["scenes"][0]

    assert any("I reset the hub a second time and it did not help" in text for text in texts(scene))
    assert any(hit.get("steps", [""])[-1] == "Save the scene again" for hit in scene["hits"])


def test_the_versions_are_her_own(told):
    scene = told["scenes"][1]

    assert "Sarah's phone runs iOS 17.4." in texts(scene)
    assert "Sarah has a Lumio Hub v2." in texts(scene)
    assert not any("v3" in text for text in texts(scene))


def test_all_five_devices_come_and_the_message_itself_was_kept_first(told):
    scene = told["scenes"][2]

    assert scene["remembered"]["created"]
    assert (
        len([text for text in texts(scene) if text.startswith("On Sarah's list of devices:")]) == 5
    )


def test_a_question_in_other_words_is_answered(told):
    scene = told["scenes"][3]

    assert any("Pickle" in text for text in texts(scene))
    assert all(hit["why"]["matched"] == [] for hit in scene["hits"])


def test_a_version_is_found_to_the_letter_and_lost_when_it_is_rewritten(told):
    scene = told["scenes"][4]

    for hit in scene["hits"]:
        assert "v2.3.1" in " ".join([hit["text"], hit.get("title", ""), *hit.get("steps", [])])
    assert all(hit["score"] < 0.4 for hit in scene["rewritten_hits"])


def test_the_catalog_and_her_memory_answer_together(told):
    scene = told["scenes"][5]

    kinds = {hit["kind"] for hit in scene["hits"]}
    assert "catalog" in kinds
    assert kinds & {"episodic", "semantic"}


def test_somebody_else_finds_nothing_and_is_told_why(told):
    scene = told["scenes"][6]

    assert (scene["hits"], scene["empty_because"]) == ([], "below_floor")


def test_what_it_says_to_type_next_can_be_typed(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.argv", [".venv/bin/pinyon", "demo"])

    output = CliRunner().invoke(app, ["demo"]).output

    assert '\n  .venv/bin/pinyon remember --user you "The hub' in output


def test_it_reads_well_in_a_terminal():
    result = CliRunner().invoke(app, ["demo"], env={"COLUMNS": "100", "TERM": "dumb"})

    assert result.exit_code == 0
    assert "without memory:" in result.stdout
    assert "Nothing that is remembered answers this." in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
