"""`pinyon eval --consolidation`: how good the facts are that come of conversations."""

import json

import pytest

from pinyon.evaluation.consolidation.figures import KNOWN
from unit.test_playing_conversations import TALK, WANTED, write


@pytest.fixture
def talk(tmp_path):
    return write(tmp_path / "talk")


@pytest.fixture
def measure(pinyon, talk):
    """Run the command on the small folder, by rules and words."""
    return lambda *args: pinyon("eval", talk, "--consolidation", "--words", *args, user=None)


def test_figures_are_shown_as_a_table(measure):
    said = measure()

    first, *lines = said.out.splitlines()
    assert (said.exit, said.err) == (0, "")
    assert first == "talk: 9 messages of 1 person, 3 facts expected · made by rules@1"
    shown = {line.split()[0]: line.split() for line in lines if line}
    assert shown.keys() >= set(KNOWN)
    assert shown["recall"][1:5] == ["100.0", "3", "of", "3"]
    assert shown["junk"][1] == "0"
    assert shown["playbooks(recall)"][1] == "–"
    assert "by" not in shown
    assert all(len(line) <= 80 for line in lines)


def test_figures_are_told_to_a_program(measure):
    told = measure("--json").json

    assert set(told["metrics"]) == set(told["counts"]) == set(KNOWN)
    assert (told["messages"], told["expected"], told["tenants"]) == (9, 3, 1)
    assert told["config"] == {"chat": "off", "embedder": None, "consolidate_every": 20}
    assert told["by_language"]["en"]["recall"] == told["by_person"]["ann"]["recall"] == 1
    assert (told["compared"], told["gates"], told["made_by"]) == ({}, [], "rules@1")
    assert "misses" not in told


def test_what_is_brought_along_is_measured_by_name(pinyon):
    said = pinyon(
        "eval", "talks", "--consolidation", "--words", "--tenants", "nils,晓晴", user=None
    )

    assert said.exit == 0
    assert said.out.startswith("talks: ")
    assert "by language" in said.out
    assert "by person" in said.out
    assert "晓晴" in said.out


def test_nothing_is_kept_in_the_home(measure, home):
    measure()

    assert not home.exists()


def test_what_was_missed_or_wrong_is_said_by_message(pinyon, tmp_path):
    missing = {"expects": "fact", "message": "a5", "quote": "The lamp", "value": "lamp"}
    folder = write(tmp_path / "talk", TALK, [*WANTED, {**missing, "id": "lamp"}])
    args = ("eval", folder, "--consolidation", "--words", "--misses")
    said, told = pinyon(*args, user=None), pinyon(*args, "--json", user=None)

    assert said.out.splitlines()[-2:] == [
        "ann/a5 The lamp shows only white light again",
        "  missed: The lamp",
    ]
    assert told.json["misses"] == [
        {
            "key": ["ann", "a5"],
            "text": "The lamp shows only white light again",
            "wrongs": [["missed", "The lamp"]],
        }
    ]


# ── gates ────────────────────────────────────────────────────────────────────────────────────


def test_gates_that_hold_are_said_and_end_well(measure):
    said = measure(
        "--gate", "precision>=0.95", "--gate", "recall[person=*]==1", "--gate", "junk==0"
    )

    assert said.exit == 0
    assert "✓ passed precision>=0.95: 1" in said.out
    assert "✓ passed recall[person=*]==1: recall[person=ann] 1" in said.out


@pytest.mark.parametrize("as_json", [True, False])
def test_a_gate_that_fails_ends_with_3(measure, as_json):
    said = measure("--gate", "facts>=100", *(["--json"] if as_json else []))

    assert said.exit == 3
    if as_json:
        assert said.json["gates"] == [
            {"gate": "facts>=100", "name": "facts", "found": 3, "passed": False}
        ]
        assert "gate failed: facts>=100: facts 3" in said.err
    else:
        assert "✗ failed facts>=100: 3" in said.out


@pytest.mark.parametrize("gate", ["recall@10>=0.9", "precision", "recall[person=zoe]>=0.5"])
def test_a_gate_that_means_nothing_is_refused(measure, gate):
    said = measure("--gate", gate)

    assert said.exit == 2
    assert "invalid_value" in said.err


# ── runs ─────────────────────────────────────────────────────────────────────────────────────


def test_two_runs_are_compared_item_by_item(measure, tmp_path, talk):
    run = tmp_path / "run.jsonl"
    assert measure("--out", run).exit == 0
    lines = [json.loads(line) for line in run.read_text("utf-8").splitlines()]
    worse = [
        {**line, "metrics": {**line["metrics"], "recall": 0.0}}
        if line.get("id") == "expected ann/york"
        else line
        for line in lines
    ]
    run.write_text("\n".join(map(json.dumps, worse)), "utf-8")

    said = measure("--compare", run)
    told = measure("--compare", run, "--json", "--gate", "delta(recall)>=0").json
    assert [line["type"] for line in lines[:2]] == ["run", "expected"]
    assert (told["compared"]["recall"]["better"], told["compared"]["junk"]["worse"]) == (1, 0)
    assert told["gates"][0]["passed"]
    assert "compared" in said.out


def test_a_run_of_questions_is_no_run_of_this_suite(measure, tmp_path):
    run = tmp_path / "run.jsonl"
    run.write_text('{"type": "question", "id": "q", "metrics": {}}', "utf-8")
    said = measure("--compare", run)

    assert said.exit == 2
    assert "invalid_file" in said.err


# ── what is refused ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "others",
    [
        ("--data", "there"),
        ("--without", "keyword"),
        ("--report", "page.html"),
        ("--record",),
        ("--quality", "best"),
    ],
)
def test_options_that_only_measure_recall_are_refused(measure, others):
    said = measure(*others)

    assert said.exit == 2
    assert "left out with --consolidation" in said.err


def test_what_is_nowhere_is_refused(pinyon, tmp_path):
    said = pinyon("eval", tmp_path / "nowhere", "--consolidation", user=None)

    assert said.exit == 2
    assert "it is no folder, and none of sarah, talks" in " ".join(said.err.split())
