"""The story comes out as it is told, offline and in its own temporary home."""

import json
import os

import pytest
from typer.testing import CliRunner

from pinyon.settings import read_settings
from pinyon.surfaces.cli.demo.scenes import KEY, PAGE
from pinyon.surfaces.cli.main import app
from pinyon.wiring import embedder_of

V2, V3 = "Sarah has a Lumio Hub v2.", "Sarah has a Lumio Hub v3."
BRISTOL, EDINBURGH = (
    "Sarah lives in Bristol, in an old Victorian flat.",
    "Sarah lives in Edinburgh.",
)


@pytest.fixture(scope="module", params=["auto", "off"])
def models(request):
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("PINYON_"):
                patch.delenv(name)
        patch.setenv("PINYON_MODELS", request.param)
        if request.param == "auto" and embedder_of(read_settings()) is None:
            pytest.skip("no model is installed")
        yield request.param


@pytest.fixture(scope="module")
def told(models):
    result = CliRunner().invoke(app, ["demo", "--json"], env={"PINYON_MODELS": models})
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def scene(told):
    def of(title):
        return next(one for one in told["scenes"] if one["title"].startswith(title))

    return of


def steps(scene, name):
    return [step for step in scene["steps"] if step["step"] == name]


def hits(scene, asked=0):
    return steps(scene, "asked")[asked]["recall"]["hits"]


def texts(scene, asked=0):
    return [hit["text"] for hit in hits(scene, asked)]


def test_about_sixty_things_are_remembered(told):
    assert 55 <= told["remembered"] <= 70


def test_time_only_goes_on(told):
    times = [scene["at"] for scene in told["scenes"]]

    assert times == sorted(times)


def test_the_failed_resets_and_what_helped_come_for_the_white_bulbs(scene):
    white = scene("The same trouble")

    assert any("I reset the hub a second time and it did not help" in text for text in texts(white))
    assert any(hit.get("steps", [""])[-1] == "Save the scene again" for hit in hits(white))


def test_the_versions_are_her_own(scene):
    said = texts(scene("A number"))

    assert "Sarah's phone runs iOS 17.4." in said
    assert V2 in said
    assert not any("v3" in text for text in said)


def test_all_five_devices_come_and_the_message_itself_was_kept_first(scene):
    devices = scene("Two things")

    assert steps(devices, "said")[0]["written"]["created"]
    listed = [text for text in texts(devices) if text.startswith("On Sarah's list of devices:")]
    assert len(listed) == 5


def test_a_question_in_other_words_is_answered_where_a_model_is(scene, models):
    pet = scene("In other words")

    assert any("Pickle" in text for text in texts(pet)) is (models == "auto")
    assert all(hit["why"]["matched"] == [] for hit in hits(pet))


def test_a_version_is_found_to_the_letter_and_lost_when_it_is_rewritten(scene):
    letter = scene("To the letter")

    for hit in hits(letter):
        assert "v2.3.1" in " ".join([hit["text"], hit.get("title", ""), *hit.get("steps", [])])
    assert all(hit["score"] < 0.4 for hit in hits(letter, asked=1))


def test_the_catalog_and_her_memory_answer_together(scene):
    kinds = {hit["kind"] for hit in hits(scene("The catalog"))}

    assert "catalog" in kinds
    assert kinds & {"episodic", "semantic"}


def test_what_she_never_had_is_retracted_and_does_not_come_back(scene):
    denial = scene("“No, that is wrong”")
    mistake, right = (step["memory"] for step in steps(denial, "looked"))

    assert texts(denial) == [V3]
    assert (mistake["text"], mistake["status"]) == (V3, "retracted")
    assert (right["text"], right["status"], right["confidence"]) == (V2, "active", 0.9)
    assert mistake["id"] not in [hit["id"] for hit in hits(denial, asked=1)]


def test_the_answer_of_a_write_names_what_it_may_contradict_before_it_is_replaced(scene):
    first, second = (step["written"] for step in steps(scene("She has moved"), "wrote"))

    assert first["possible_conflicts"] == second["superseded"]
    assert first["superseded"] == []
    assert (first["created"], second["created"]) == (True, False)
    assert first["id"] == second["id"]


def test_where_she_lives_comes_before_what_she_said_in_january(scene):
    now, before = hits(scene("She has moved"))

    assert now["text"] == EDINBURGH
    assert before["text"].startswith("I live in Bristol")
    assert before["outdated_by"] == now["id"]


def test_where_she_has_lived_comes_with_when_and_by_what_it_ended(scene):
    was = scene("What was true")
    now, before = hits(was)

    assert (now["text"], before["text"]) == (EDINBURGH, BRISTOL)
    assert before["status"] == "superseded"
    assert before["superseded_by"] == now["id"]
    assert before["superseded_at"].startswith("2026-07-20")


def test_in_may_she_lived_in_bristol(scene):
    assert texts(scene("What was true"), asked=1) == [BRISTOL]


def test_the_thick_walls_stay(scene):
    walls = hits(scene("What stays true"))

    assert walls[0]["text"] == "The thick walls of the Victorian flat weaken Zigbee."
    assert {hit["status"] for hit in walls} == {"active"}
    assert {hit["outdated_by"] for hit in walls} == {None}


def test_a_page_that_gives_orders_is_kept_and_not_recalled(scene):
    page = scene("A web page")

    assert steps(page, "said")[0]["written"]["quarantined"]
    assert steps(page, "looked")[0]["memory"]["text"] == PAGE
    assert steps(page, "looked")[0]["memory"]["shelf"] == "quarantined"
    assert hits(page) == []


def test_a_key_is_kept_nowhere(scene):
    key = scene("A key")
    said, searched = key["steps"]

    assert said["written"]["redacted"] == ["secret"]
    assert "[redacted:secret]" in said["kept_as"]
    assert KEY not in said["kept_as"]
    assert (searched["text"], searched["holding"]) == (KEY, 0)
    assert searched["files"] > 2


def test_facts_come_of_what_was_said_and_a_question_teaches_nothing(scene):
    first, second = steps(scene("What is said becomes"), "learnt")

    assert [one["text"] for one in first["memories"]] == [
        "I work at Forth Analytics now",
        "I prefer warm light in the evening",
    ]
    assert first["consolidate"]["episodes"] == 3
    assert len(second["consolidate"]["superseded"]) == 1
    assert [(hit["text"], hit["status"]) for hit in hits(scene("What is said becomes"))] == [
        ("I work at Firth Analytics, not Forth", "active"),
        ("I work at Forth Analytics now", "retracted"),
    ]


def test_a_playbook_that_failed_twice_falls_behind_one_that_worked(scene):
    learnt = steps(scene("What failed twice"), "learnt")
    (taught,) = steps(scene("What failed twice"), "taught")
    worked, pitfall = taught["memories"]
    order = [hit["id"] for hit in hits(scene("What failed twice"))]

    (failed,) = {one["id"] for step in learnt for one in step["memories"]}
    assert [step["memories"][0]["failures"] for step in learnt] == [1, 2]
    assert (worked["successes"], pitfall["category"]) == (1, "pitfall")
    assert order.index(worked["id"]) < order.index(failed)


def test_somebody_else_finds_nothing_and_is_told_why(scene):
    (asked,) = steps(scene("Somebody else"), "asked")

    assert asked["recall"]["hits"] == []
    assert asked["recall"]["empty_because"] == "below_floor"


def test_what_is_forgotten_is_what_the_preview_showed(scene):
    forget = scene("Forget it")
    preview = steps(forget, "previewed")[0]["forget"]["preview"]
    receipt = steps(forget, "forgot")[0]["receipt"]

    assert receipt["complete"]
    assert receipt["ids"] == [memory["id"] for memory in preview["gone"]]
    assert receipt["masked"] == [memory["id"] for memory in preview["masked"]]
    assert len(receipt["ids"]) == 2


def test_the_words_that_said_it_are_covered_and_the_rest_of_the_message_stays(scene):
    (now,) = [step["memory"]["text"] for step in steps(scene("Forget it"), "looked")]

    covered, rest = now.split(" ", 1)
    assert covered == "█" * len("Pickle, my dog, chewed through a cable.")
    assert rest == "The leak sensor under the sink is dead since then."


def test_what_is_forgotten_is_recalled_no_more_and_stands_in_no_file(scene):
    forget = scene("Forget it")
    before, after = steps(forget, "searched")

    assert any("Pickle" in text for text in texts(forget))
    assert texts(forget, asked=1) == []
    assert before["holding"] > 0
    assert after["holding"] == 0
    assert after["files"] >= before["files"] > 2


def test_what_it_says_to_type_next_can_be_typed(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.argv", [".venv/bin/pinyon", "demo"])

    output = CliRunner().invoke(app, ["demo"]).output

    assert '\n  .venv/bin/pinyon remember --user you "The hub' in output


@pytest.mark.parametrize("columns", [80, 100])
def test_it_reads_well_in_a_terminal(models, columns):
    environ = {"COLUMNS": str(columns), "TERM": "dumb", "PINYON_MODELS": models}

    result = CliRunner().invoke(app, ["demo", "--explain"], env=environ)

    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "without memory:" in said
    assert "Nothing that is remembered answers this." in said
    assert f"may say otherwise, untouched: “{BRISTOL}”" in said
    assert "the mistake now: semantic retracted" in said
    assert "replaced 2026-07-20 09:00 by mem_" in said
    assert "kept in quarantine" in said
    assert "2 ids erased, 1 message covered in part, complete: yes" in said
    assert "“Pickle” stands in none" in said
    story = result.stdout.split("Now yours:")[0]
    assert max(map(len, story.splitlines())) <= columns
