"""The reference is whole, fresh and true."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from importlib import import_module

import anyio
import pytest
import typer
from typer.testing import CliRunner

from pinyon import settings
from pinyon.domain.change import Enqueue
from pinyon.domain.filter import FIELDS
from pinyon.domain.ids import JobId
from pinyon.domain.job import Job
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.errors import errors_by_code
from pinyon.evaluation.speed.endurance import Survival, Together
from pinyon.evaluation.speed.load import Latency
from pinyon.evaluation.speed.meaning import Meaning, MeaningSpeed, Weight
from pinyon.evaluation.speed.serving import Filled, Idle, Phase, Served, Serving
from pinyon.evaluation.speed.spaces import HomeSpeed, SpaceSpeed
from pinyon.evaluation.speed.starting import Starting
from pinyon.evaluation.timing import Figures
from pinyon.ports.client import OPERATIONS
from pinyon.settings import read_settings
from pinyon.surfaces.cli.main import app
from pinyon.wiring import open_store

GROUP = typer.main.get_command(app).commands
GROUPS = ("catalog", "grants", "jobs", "keys", "mcp", "models", "sessions")
COMMANDS = {
    name: command for name, command in GROUP.items() if not command.hidden and name not in GROUPS
} | {
    f"{group} {name}": command
    for group in GROUPS
    for name, command in GROUP[group].commands.items()
}
COMMANDS["mcp"] = GROUP["mcp"]  # a group, and a command itself
TYPES = {
    "text": str,
    "id": str,
    "instant": str,
    "bool": bool,
    "int": int,
    "number": (int, float),
    "any": object,
}
# Several commands answer alike; what is asked of some of them is told by another name.
DRAWN_AS = {
    "superseding": "written",
    "standing": "memory",
    "not kept": "written",
    "ended": "forget",
}


@pytest.fixture
def reference(root):
    return root / "docs" / "reference"


def test_what_is_made_from_the_code_is_fresh(root):
    checked = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": str(root / "src"),
            "COLUMNS": "40",
            "LC_ALL": "C",
            "NO_COLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stderr


def test_what_is_not_fresh_is_named_with_the_command_that_helps(root, monkeypatch, capsys):
    monkeypatch.syspath_prepend(root / "docs")
    generate = import_module("generate")
    monkeypatch.setitem(generate.PAGES, "reference/errors.md", lambda: "another page")

    assert generate.main(["--check"]) == 1
    assert "docs/reference/errors.md" in capsys.readouterr().err


def test_every_command_and_option_is_documented(reference):
    page = (reference / "cli.md").read_text("utf-8")
    for name, command in COMMANDS.items():
        assert f"\n## pinyon {name}\n" in page
        section = page.split(f"\n## pinyon {name}\n")[1].split("\n## ")[0]
        for param in command.params:
            if param.param_type_name == "option":
                assert all(f"`{option}`" in section for option in param.opts), (name, param.opts)


def test_every_setting_is_documented(reference):
    page = (reference / "settings.md").read_text("utf-8")
    for name, field in settings.Settings.model_fields.items():
        assert f"`PINYON_{name.upper()}`" in page
        assert field.description in page


def test_the_documented_default_of_the_home_is_the_one_that_is_taken(reference, monkeypatch):
    page = (reference / "settings.md").read_text("utf-8")
    monkeypatch.setattr(settings.sys, "platform", "linux")
    assert str(settings.default_home({"HOME": "/h"})) == "/h/.local/share/pinyon"
    assert "`~/.local/share/pinyon`" in page

    monkeypatch.setattr(settings.sys, "platform", "darwin")
    assert str(settings.default_home({"HOME": "/h"})) == "/h/Library/Application Support/pinyon"
    assert "`~/Library/Application Support/pinyon`" in page


def test_every_error_code_is_documented(reference):
    page = (reference / "errors.md").read_text("utf-8")
    for code, error in errors_by_code().items():
        if error.__module__ == "pinyon.errors":
            numbers = rf"{error.exit_code} \| {error.http_status}"
            assert re.search(rf"\| `{code}` \| `{error.__name__}` \|.*\| {numbers} \|", page)


def test_every_operation_and_filter_field_is_documented(reference):
    operations = (reference / "operations.md").read_text("utf-8")
    filters = (reference / "filters.md").read_text("utf-8")

    assert all(f"\n## {one.name}\n" in operations for one in OPERATIONS)
    assert all(f"| `{name}` |" in filters for name in FIELDS)


# ── the shapes of answers ────────────────────────────────────────────────────────────────────────


@pytest.fixture
def shape(reference):
    def read(name):
        return json.loads((reference / "shapes" / f"{name}.json").read_text("utf-8"))

    return read


@pytest.fixture
def fits(shape):
    """Return where an answer is not what its shape says; nothing where it is."""

    def compare(value, drawn, at="answer"):
        if isinstance(drawn, str):
            kind, _, may_be_null = drawn.partition("|")
            if value is None:
                return [] if may_be_null or kind == "any" else [f"{at} is null"]
            if kind.startswith("@"):
                return compare(value, shape(kind[1:]), at)
            wrong = not isinstance(value, TYPES[kind])
            wrong = wrong or (isinstance(value, bool) and kind in ("int", "number"))
            return [f"{at} is {value!r}, not {kind}"] if wrong else []
        if isinstance(drawn, list):
            if not isinstance(value, list):
                return [f"{at} is no list"]
            return [w for n, item in enumerate(value) for w in compare(item, drawn[0], f"{at}.{n}")]
        return compare_keys(value, drawn, at)

    def compare_keys(value, drawn, at):
        (first, *_) = drawn
        if first.startswith("<"):
            return [w for key in value for w in compare(value[key], drawn[first], f"{at}.{key}")]
        known = {key.removesuffix("?"): key for key in drawn}
        needed = {key for key in drawn if not key.endswith("?")}
        wrong = [f"{at}.{key} is not documented" for key in value.keys() - known.keys()]
        wrong += [f"{at}.{key} is missing" for key in needed - value.keys()]
        for key in value.keys() & known.keys():
            wrong += compare(value[key], drawn[known[key]], f"{at}.{key}")
        return wrong

    return compare


@pytest.fixture
def ask(place):
    def run(*args, stdin=None):
        result = CliRunner().invoke(app, [*args, "--json"], input=stdin)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


def test_answers_look_as_they_are_drawn(ask, fits, shape, place):
    user = ("--user", "sarah")
    at = ("--at", "2026-03-03T19:48:00+01:00")
    said = ask("remember", "The bulbs only show white", "--session", "s1", *at, *user)
    call = ("--role", "tool", "--type", "tool_call", "--speaker", "ping", "--meta", "took=3")
    ask("remember", "ping the bulbs", *call, "--message-id", "c1", "--session", "s1", *user)
    ask("remember", "bulbs: 3", "--role", "tool", "--parent", "c1", "--session", "s1", *user)
    many = ask("remember", "-", "--lines", "--session", "s1", *user, stdin="one\ntwo\n")
    steps = ("--trigger", "bulbs show white", "--step", "Save the scene again")
    written = ask("write", "Colours come back", "--kind", "procedural", *steps, *user)
    ask("write", "The hub is a v2", "--meta", "room=hall", "--supports", said["id"], *user)
    ask("write", "Reset", "--kind", "catalog", "--title", "Reset", "--scope", "shared", *user)
    (place / "manual").mkdir()
    (place / "manual" / "pairing.md").write_text("# Pair\n\nPress it.\n\n# Unpair\n\nHold\nit.\n")
    answers = {
        "written": [said, written],
        "remember-lines": [many],
        "recall": [
            ask("recall", "which bulbs only show white?", *user),
            ask("recall", "and reset?", *user),
            ask("recall", "a car", *user),
            ask("recall", "which bulbs are there?", "--include-events", *user),
        ],
        "events": [
            ask("events", "--session", "s1", *user),
            ask("events", "--query", "bulbs", *user),
            ask("events", "--limit", "1", *user),
        ],
        "why-not": [
            ask("why-not", said["id"], "white bulbs", *user),
            ask("why-not", said["id"], "a car", *user),
        ],
        "memory": [
            ask("show", written["id"], *user),
            ask("edit", said["id"], "--tag", "light", *user),
        ],
        "list": [ask("list", *user), ask("list", "--limit", "1", *user)],
        "history": [ask("history", said["id"], *user)],
        "export": [ask("export", "sarah.jsonl", *user)],
        "import": [ask("import", "sarah.jsonl", "--user", "tom")],
        "backup": [ask("backup", "copy")],
        "restore": [ask("restore", "copy", "--home", "restored")],
        "spaces": [ask("spaces")],
        "verify": [ask("verify")],
        "doctor": [ask("doctor")],
        "warm": [ask("warm", *user)],
        "core": [ask("core", *user)],
        "material": [ask("material", *user)],
        "consolidate": [
            ask("consolidate", *user),
            ask("propose", "-", *user, stdin="{}"),
        ],
        "reflect": [
            ask("reflect", "colours", "--outcome", "worked", "--summary", "Saved it. Red.", *user)
        ],
        "turn": [
            ask("turn", "which bulbs only show white?", "--session", "s2", *user),
            ask("turn", "hello", *user),
        ],
        "context": [
            ask("context", "which bulbs show white?", "--session", "s1", *user),
            ask("context", "which bulbs show white?", "--budget", "100", *user),
        ],
        "reembed": [ask("reembed")],
        "catalog-import": [ask("catalog", "import", "manual", *user)],
        "catalog-list": [ask("catalog", "list", *user)],
        "grants": [ask("grants", "add", "default/project/hub", "sarah"), ask("grants", "list")],
        "keys-create": [made := ask("keys", "create", "--expires", "90d", *user)],
        "key": [ask("keys", "revoke", made["id"])],
        "keys-list": [ask("keys", "list")],
        **answers_about_work(ask, user, place),
        "mcp-config": [ask("mcp", "config", "vs-code", *user)],
        "client-changed": [
            ask("mcp", "install", "vs-code", "--path", "mcp.json", *user),
            ask("mcp", "uninstall", "vs-code", "--path", "mcp.json"),
        ],
        "models-list": [ask("models", "list")],
        "models-doctor": [ask("models", "doctor")],
        "demo": [ask("demo")],
        "eval": [ask("eval", "sarah", "--words", "--tenants", "1", "--gate", "leaks==0")],
        "eval-consolidation": [
            ask("eval", "talks", "--consolidation", "--words", "--tenants", "1", "--misses")
        ],
        **answers_about_consent(ask, user, written["id"]),
        **answers_about_standing(ask, user),
        **answers_about_forgetting(ask, user, said["id"]),
    }
    wrong = {
        name: found
        for name, given in answers.items()
        if (found := [w for one in given for w in fits(one, shape(DRAWN_AS.get(name, name)))])
    }

    assert wrong == {}
    alike = {"remember", "write", "show", "edit", "retract", "end", "hide", "release", "undo"}
    alike |= {"sessions-start", "sessions-end", "mcp-install", "mcp-uninstall"}
    granting = {"grants-add", "grants-list", "grants-remove"}
    alike |= {"propose"}
    answered = {*answers, *alike, *granting, "publish", "withdraw", "bench", "models-install"}
    answered |= {"keys-revoke", "serve", "mcp"}  # serving has tests of its own
    answered |= {"jobs-retry", "jobs-cancel"}
    drawn = {name.replace(" ", "-") for name in COMMANDS}
    assert drawn - answered == set(), "a command without a drawn answer"


def answers_about_work(ask, user, place):
    async def enqueue():
        store = open_store(read_settings().home)
        for number in (1, 2):
            job = Job(id=JobId(f"job_{number:032x}"), task="other", run_at_us=number)
            space = Space.of_user("default", "sarah")
            await store.records.apply(space, [Enqueue(job)], by=Actor("test", "test"))
        await store.close()

    anyio.run(enqueue)
    listed = [ask("jobs", "list", *user), ask("jobs", "list", "--state", "waiting")]
    cancelled = ask("jobs", "cancel", listed[0]["jobs"][0]["id"])
    return {
        "jobs-list": listed,
        "job": [cancelled, ask("jobs", "retry", cancelled["id"])],
        "worker": [ask("worker", "--once")],
    }


def answers_about_consent(ask, user, memory_id):
    started = ask("sessions", "start", "gift", "--mode", "temporary", *user)
    ask("remember", "A red bicycle", "--session", "gift", *user)
    listed = ask("sessions", "list", *user)
    given = ("feedback", memory_id, "--outcome", "worked", "--query", "which colours?")
    paused = ask("consent", "--pause", "--never", "diabetes", *user)
    not_kept = ask("remember", "hello", *user)
    return {
        "session": [started, *listed["sessions"]],
        "sessions-list": [listed],
        "consent": [paused, ask("consent", "--resume", *user)],
        "feedback": [ask(*given, *user)],
        "fed-back": [ask("export", "--feedback", *user)],
        "not kept": [not_kept],
        "ended": [ask("sessions", "end", one, *user) for one in ("gift", "none")],
    }


def answers_about_standing(ask, user):
    old = ask("write", "Sarah lives in Bristol", *user)["id"]
    new = ask("write", "Sarah lives in Edinburgh", "--supersedes", old, *user)
    project = ("--project", "lumio", *user)
    published = ask("publish", new["id"], *project)
    return {
        "superseding": [new, ask("write", "Sarah lives in Leeds", *user)],
        "standing": [
            ask("show", new["id"], *user),
            ask("show", published["copies"][0]["id"], *project),
            *(ask(act, new["id"], *user) for act in ("hide", "release", "end", "retract", "undo")),
        ],
        "published": [published, ask("withdraw", new["id"], *project)],
    }


def answers_about_forgetting(ask, user, said):
    ask("write", "The bulbs show white", "--supports", said, *user)
    return {
        "forget": [
            ask("forget", said, "--dry-run", *user),
            ask("forget", "--all", "--dry-run", *user),
            ask("forget", "--query", "bulbs", *user),
            ask("forget", said, *user),
            ask("forget", "--all", "--yes", *user),
        ],
        "receipts": [ask("receipts", *user)],
    }


def test_the_answer_of_bench_has_the_fields_that_are_drawn(shape):
    drawn = shape("bench")
    values = {
        SpaceSpeed: drawn["spaces"][0],
        HomeSpeed: drawn["homes"][0],
        Survival: drawn["kills"],
        Together: drawn["together"],
        Figures: shape("figures"),
        Meaning: shape("meaning"),
        MeaningSpeed: shape("meaning")["spaces"][0],
        Weight: shape("meaning")["weights"][0],
        Starting: shape("meaning")["starting"],
        Serving: shape("bench-serve"),
        Filled: shape("bench-serve")["filled"],
        Served: shape("served"),
        Idle: shape("served")["idle"],
        Phase: shape("phase"),
        Latency: shape("latency"),
    }
    for value, keys in values.items():
        assert [field.name for field in fields(value)] == list(keys)


def test_the_readme_shows_what_the_runs_say(root, monkeypatch):
    monkeypatch.syspath_prepend(root / "docs")
    quality = import_module("generator.quality")

    assert quality.headline(quality.read_results()) in (root / "README.md").read_text("utf-8")
