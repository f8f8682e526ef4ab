"""The examples do what they say: run as a newcomer runs them, twice, against a scripted model."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import pinyon

pytest.importorskip("openai")
pytest.importorskip("anthropic")

from pinyon.testing.scripted_model import Call, Reply, ScriptedModel

SOURCES = Path(pinyon.__file__).parents[1]
EXAMPLES = Path(__file__).parents[2] / "examples"
LOOPS = ("openai_loop.py", "anthropic_loop.py")
ID = re.compile(r"mem_[0-9a-f]{32}")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def run(home):
    """Run an example as a process that talks to a scripted model; return what it was sent."""

    def run_it(example, script, *lines):
        with ScriptedModel(script) as model:
            env = {
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(SOURCES),
                "PINYON_HOME": str(home),
                "PINYON_MODELS": "off",
                "OPENAI_BASE_URL": f"{model.url}/v1",
                "OPENAI_API_KEY": "none",
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "none",
            }
            done = subprocess.run(
                [sys.executable, EXAMPLES / example],
                input="".join(f"{line}\n" for line in (*lines, "")),
                env=env,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        assert done.returncode == 0, done.stderr
        return model.asked, done.stdout

    return run_it


def brought(asked):
    """Return what memory put into a request behind the last thing that the user said."""
    messages = asked.body["messages"]
    last = max(
        place
        for place, message in enumerate(messages)
        if message["role"] == "user" and isinstance(message["content"], str)
    )
    return json.dumps(messages[last + 1 :], ensure_ascii=False)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_second_session_sees_what_the_first_one_said(run, loop):
    first, said = run(loop, ["Noted.", "A nice hub."], "I am allergic to peanuts", "My hub is a v2")
    (second,), _ = run(loop, ["A v2."], "Which hub do I have?")

    assert "Noted." in said
    assert "A nice hub." in said
    assert "peanuts" not in first[0].seen.replace("I am allergic to peanuts", "", 1)
    assert "My hub is a v2" in brought(second)
    assert "I am allergic to peanuts" in second.seen
    assert "Which hub do I have?" not in re.sub(r"query.*?\}", "", brought(second))


@pytest.mark.parametrize("loop", LOOPS)
def test_what_the_model_corrects_is_what_the_next_session_sees(run, loop):
    def correct(asked):
        if "My hub is a v2" in brought(asked) and "not_again" not in brought(asked):
            old = ID.search(brought(asked))[0]
            fact = {"text": "The hub of the user is a v3 not_again", "supersedes": [old]}
            return Reply(calls=[Call("write_memory", fact)])
        return Reply("Very well.")

    run(loop, correct, "My hub is a v2")
    run(loop, correct, "The hub broke, now it is a v3")
    (third,), _ = run(loop, ["A v3."], "Which hub is it?")

    assert "v3 not_again" in brought(third)
    assert "My hub is a v2" not in third.seen


@pytest.mark.parametrize("loop", LOOPS)
def test_the_model_looks_into_memory_by_itself(run, loop):
    look = Reply(calls=[Call("recall_memory", {"query": "the hub"}), Call("recall_memory")])
    run(loop, ["Noted."], "My hub is a v2")
    asked, said = run(loop, [look, "A v2."], "Hello there, good morning")

    assert "My hub is a v2" in brought(asked[1])
    assert "error: 'query'" in brought(asked[1])
    assert "A v2." in said


@pytest.mark.parametrize("loop", LOOPS)
def test_what_was_sent_is_never_changed_so_that_prompt_caches_hold(run, loop):
    look = Reply(calls=[Call("recall_memory", {"query": "the hub"})])
    script = ["Noted.", look, "A v2.", "You are welcome."]
    asked, _ = run(loop, script, "My hub is a v2", "Which hub do I have?", "Thanks")

    sent = [[json.dumps(one) for one in request.body["messages"]] for request in asked]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))
    assert len({json.dumps(request.body.get("system")) for request in asked}) == 1


@pytest.mark.parametrize("loop", LOOPS)
def test_the_log_has_both_sides_of_the_conversation(run, home, loop):
    run(loop, ["A nice hub."], "My hub is a v2")

    with pinyon.open(home, user="me") as memory:
        turns = memory.events().turns
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", "My hub is a v2"),
        ("assistant", "A nice hub."),
    ]


def test_the_memory_tools_files_outlive_the_conversation(run, home):
    path = "/memories/sarah.md"
    look = {"command": "view", "path": "/memories"}
    note = {"command": "create", "path": path, "file_text": "- her hub is a v2\n"}
    read = {"command": "view", "path": path}
    calls = [Reply(calls=[Call("memory", given)]) for given in (look, note, look, read)]
    said = [*calls[:2], "Noted.", *calls[2:], "A v2."]
    asked, shown = run("anthropic_memory_tool.py", said, "My hub is a v2", "Which hub do I have?")

    assert asked[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "File created successfully at: /memories/sarah.md" in brought(asked[2])
    assert "- her hub is a v2" in brought(asked[5])
    assert "A v2." in shown
    with pinyon.open(home, user="me") as memory:
        (hit,) = memory.recall("which hub does she have?").hits
    assert hit.memory.text.startswith(path)


@pytest.fixture(scope="module")
def second_run(tmp_path_factory):
    """Return what the demonstration prints where nothing is set, and see that it uses no home."""
    home = tmp_path_factory.mktemp("nothing") / "home"
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCES),
        "PINYON_MODELS": "off",
        "PINYON_HOME": str(home),
    }
    done = subprocess.run(
        [sys.executable, EXAMPLES / "second_run.py"],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert not home.exists()
    return done.stdout


def test_the_second_run_does_not_repeat_the_error_of_the_first(second_run):
    first, second = second_run.split("── run 2\n")

    assert "deploy: exit code 2" in first
    assert second.splitlines()[:2] == [
        "validate_config: the configuration of billing is valid",
        "deploy: billing is deployed",
    ]


def test_the_page_shows_what_the_second_run_prints(second_run):
    page = (EXAMPLES.parent / "docs" / "howto" / "write-a-memory-aware-loop.md").read_text("utf-8")

    assert second_run in page


def test_the_second_run_is_told_what_the_first_one_learned(run):
    deploy = Reply(calls=[Call("deploy", {"service": "billing"})])
    asked, _ = run("second_run.py", [deploy, "Next time validate first."] * 2)

    assert len(asked) == 4
    assert "validate first" not in asked[0].seen
    assert "Deploy the billing service: Next time validate first." in brought(asked[2])
    assert "exit code 2" in brought(asked[3])
