"""The JSON that each command answers is a contract: keys, types and order, held by snapshots.

To change one on purpose, delete its file in `tests/snapshot/`; the next run writes it anew and
fails once, so that the change is looked at.
"""

import json
import re
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parents[1] / "snapshot"
MEASURED = {"score", "relevance", "age", "best", "floor", "ms", "tokens", "bytes"}
OF_THIS_MACHINE = {"pinyon", "python", "platform", "sqlite", "numpy", "home", "file", "folder"}
FOR_A_PERSON = {"summary", "note", "reason", "models", "next_cursor"}
ID = re.compile(r"(mem|evt|rcp)_[0-9a-f]{32}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d")


class Normal:
    """Names ids in the order in which they appear, and says of measures only that they are some."""

    def __init__(self):
        self.ids = {}

    def __call__(self, value, key=""):
        if isinstance(value, dict):
            return {name: self(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self(one) for one in value]
        if key in MEASURED:
            return f"<{type(value).__name__}>"
        if key in OF_THIS_MACHINE | FOR_A_PERSON and isinstance(value, str):
            return "<text>"
        if isinstance(value, int) and key.endswith("_us"):
            return "<instant>"
        return self.text(value) if isinstance(value, str) else value

    def text(self, value):
        named = ID.sub(lambda id_: self.ids.setdefault(id_[0], f"{id_[1]}_{len(self.ids)}"), value)
        kept = named if named.startswith("2026-03-02") else INSTANT.sub("<instant>", named)
        return re.sub(r"\b[0-9a-f]{32}\b", "<hash>", kept)


@pytest.fixture
def answers(pinyon, tmp_path):
    """Tell the story once, and return what each command answered."""
    march = ("--at", "2026-03-02T09:00:00+01:00")
    said = {}
    said["remember"] = pinyon(
        "remember", "My bulbs show only white", *march, "--session", "s1", "--json"
    )
    said["remember_lines"] = pinyon(
        *("remember", "-", "--lines", "--session", "s2", "--json"),
        stdin="I have a Lumio Hub v2\nMy dog chews sensor cables\n",
    )
    pinyon("remember", "Try a reset", *march, "--session", "s1", "--role", "assistant")
    bulbs = said["remember"].json["id"]
    said["write"] = pinyon(
        *("write", "A reset of the hub does not help white bulbs", "--supports", bulbs),
        *("--title", "White bulbs", "--tag", "hub", "--keyword", "zigbee", "--meta", "calls=2"),
        *("--valid-from", "2026-03-02T09:00:00+00:00", "--json"),
    )
    fact = said["write"].json["id"]
    pinyon(
        *("write", "Pair a bulb", "--kind", "procedural", "--trigger", "a new bulb"),
        *("--step", "Open the app", "--step", "Press the button"),
    )
    pinyon("write", "The manual of the hub", "--kind", "catalog")
    said["edit"] = pinyon("edit", fact, "--importance", "0.9", "--pinned", "--json")
    said["recall"] = pinyon("recall", "why are the bulbs white?", "--json")
    said["recall_a_procedure"] = pinyon("recall", "how to pair a bulb?", "-k", "1", "--json")
    said["recall_nothing"] = pinyon("recall", "quarterly tax report", "--json")
    said["why_not"] = pinyon("why-not", bulbs, "which dog?", "--json")
    said["why_not_of_a_hit"] = pinyon("why-not", bulbs, "why are the bulbs white?", "--json")
    said["list"] = pinyon("list", "--limit", "2", "--json")
    said["show"] = pinyon("show", fact, "--json")
    said["history"] = pinyon("history", fact, "--json")
    export = pinyon("export")
    said["import"] = pinyon("import", "-", "--json", stdin=export.out, user="bob")
    said["export"] = pinyon("export", str(tmp_path / "export.jsonl"), "--json")
    said.update(about_standing(pinyon))
    said.update(about_forgetting(pinyon, bulbs))
    said["spaces"] = pinyon("spaces", "--json")
    said["verify"] = pinyon("verify", "--json")
    said["doctor"] = pinyon("doctor", "--json")
    said["backup"] = pinyon("backup", str(tmp_path / "backup"), "--json")
    restored = {"PINYON_HOME": str(tmp_path / "restored")}
    said["restore"] = pinyon("restore", str(tmp_path / "backup"), "--json", **restored)
    said |= of_a_catalog(pinyon, tmp_path)
    said |= of_a_loop(pinyon, tmp_path)
    said |= of_a_person(pinyon)
    return {**{name: one.json for name, one in said.items()}, "export_rows": rows_of(export)}


def about_standing(pinyon):
    """Change how memories stand, and publish one."""
    told = {}
    since = ("--valid-from", "2026-03-02T09:00:00+00:00")
    old = pinyon("write", "Sarah lives in Bristol", *since, "--json").json["id"]
    told["write_conflicting"] = pinyon("write", "Sarah lives in Bath", *since, "--json")
    bath = told["write_conflicting"].json["id"]
    both = ("--supersedes", old, "--supersedes", bath, "--contradiction", "harsh")
    told["write_superseding"] = pinyon("write", "Sarah lives in Edinburgh", *both, "--json")
    new = told["write_superseding"].json["id"]
    told["show_superseded"] = pinyon("show", old, "--json")
    told["recall_superseded"] = pinyon(
        *("recall", "who lives in Bristol?", "--include-superseded", "--json")
    )
    told["undo"] = pinyon("undo", new, "--json")
    told["end"] = pinyon("end", old, "--json")
    told["hide"] = pinyon("hide", bath, "--json")
    told["release"] = pinyon("release", bath, "--json")
    told["retract"] = pinyon("retract", bath, "--json")
    team = pinyon("write", "The team meets on Mondays", *since, "--json").json["id"]
    told["publish"] = pinyon("publish", team, "--project", "lumio", "--json")
    told["show_published"] = pinyon("show", team, "--json")
    (copy,) = told["publish"].json["copies"]
    told["show_copy"] = pinyon("show", copy["id"], "--project", "lumio", "--json")
    told["withdraw"] = pinyon("withdraw", team, "--json")
    return told


def about_forgetting(pinyon, bulbs):
    """Forget what the story told: by what it says, by id, in one go."""
    told = {}
    pinyon("write", "My bulbs show only white", "--supports", bulbs)
    told["forget_dry_run"] = pinyon("forget", bulbs, "--dry-run", "--json")
    told["forget_candidates"] = pinyon("forget", "--query", "white bulbs", "--json")
    told["forget_clear"] = pinyon("forget", "--query", "the team meets on Mondays", "--json")
    export = pinyon("export").out
    told["forget"] = pinyon("forget", bulbs, "--json")
    told["import_forgotten"] = pinyon("import", "-", "--json", stdin=export)
    pinyon("write", "Carol has a cat", user="carol")
    told["forget_all"] = pinyon("forget", "--all", "--yes", "--json", user="carol")
    told["receipts"] = pinyon("receipts", "--json")
    told["receipts_of_all"] = pinyon("receipts", "--json", user="carol")
    return told


def of_a_person(pinyon):
    """Talk in a temporary session, say what is never kept, and how it went."""

    def dave(*args):
        return pinyon(*args, "--json", user="dave")

    tea = dave("write", "Dave drinks tea").json["id"]
    told = {"sessions_start": dave("sessions", "start", "gift", "--mode", "temporary")}
    dave("remember", "A red bicycle for Bob", "--session", "gift")
    told["sessions_list"] = dave("sessions", "list")
    told["sessions_end"] = dave("sessions", "end", "gift")
    told["consent"] = dave("consent", "--never", "diabetes")
    told["remember_not_kept"] = dave("remember", "My diabetes is back")
    told["feedback"] = dave(
        "feedback", tea, "--outcome", "worked", "--query", "what does he drink?"
    )
    told["export_feedback"] = dave("export", "--feedback")
    return told


def of_a_catalog(pinyon, tmp_path):
    """Import a document into a home of its own, and ask it."""
    here = {"PINYON_HOME": str(tmp_path / "library")}
    (tmp_path / "manual").mkdir()
    sections = ("The box\nin the hall.", "Hold the knob\nfor ten seconds.", "It blinks\nred.")
    page = "".join(f"# {at}\n\n{text}\n\n" for at, text in enumerate(sections))
    (tmp_path / "manual" / "knob.md").write_text(page, "utf-8")
    (tmp_path / "manual" / "knob.png").write_bytes(b"")
    return {
        "catalog_import": pinyon("catalog", "import", tmp_path / "manual", "--json", **here),
        "catalog_list": pinyon("catalog", "list", "--json", **here),
        "recall_a_document": pinyon("recall", "which knob?", "--json", **here),
    }


def of_a_loop(pinyon, tmp_path):
    """Keep the steps of an agent in a home of its own, and ask for them."""
    here = {"PINYON_HOME": str(tmp_path / "loop")}
    step = ("--session", "s1", "--at", "2026-03-02T09:00:00+01:00", "--speaker")
    call = ("--role", "tool", "--type", "tool_call", "--message-id", "c1", "--meta", "tries=2")
    pinyon("remember", "Is the hub there?", *step, "Sarah", **here)
    pinyon("remember", "ping the hub", *step, "ping", *call, **here)
    pinyon("remember", "no answer", *step, "ping", "--role", "tool", "--parent", "c1", **here)
    return {
        "events": pinyon("events", "--session", "s1", "--json", **here),
        "events_found": pinyon("events", "--query", "ping", "--limit", "1", "--json", **here),
        "recall_with_events": pinyon("recall", "ping", "--include-events", "--json", **here),
    }


def rows_of(export):
    return [json.loads(line) for line in export.out.splitlines()]


COMMANDS = [
    "remember",
    "remember_lines",
    "write",
    "edit",
    "recall",
    "recall_a_procedure",
    "recall_nothing",
    "recall_a_document",
    "catalog_import",
    "catalog_list",
    "why_not",
    "why_not_of_a_hit",
    "events",
    "events_found",
    "recall_with_events",
    "list",
    "show",
    "history",
    "import",
    "write_conflicting",
    "write_superseding",
    "show_superseded",
    "recall_superseded",
    "undo",
    "end",
    "hide",
    "release",
    "retract",
    "publish",
    "show_published",
    "show_copy",
    "withdraw",
    "forget_dry_run",
    "forget_candidates",
    "forget_clear",
    "forget",
    "forget_all",
    "import_forgotten",
    "receipts",
    "receipts_of_all",
    "export",
    "export_rows",
    "spaces",
    "verify",
    "doctor",
    "backup",
    "restore",
    "sessions_start",
    "sessions_list",
    "sessions_end",
    "consent",
    "remember_not_kept",
    "feedback",
    "export_feedback",
]


@pytest.fixture(scope="module")
def told():
    """The answers, once they were given."""
    return {}


@pytest.fixture
def answer(request, told):
    if not told:
        told.update(request.getfixturevalue("answers"))
    return told


@pytest.mark.parametrize("command", COMMANDS)
def test_an_answer_keeps_its_shape(answer, command):
    shown = json.dumps(Normal()(answer[command]), indent=2, ensure_ascii=False) + "\n"
    path = SNAPSHOTS / f"cli_{command}.json"
    if not path.exists():
        path.write_text(shown, "utf-8")
        pytest.fail(f"{path.name} was written; look at it, and run again")

    assert shown == path.read_text("utf-8")


def test_every_snapshot_is_of_a_command():
    assert {path.stem for path in SNAPSHOTS.glob("cli_*")} == {f"cli_{name}" for name in COMMANDS}
