"""What goes out comes in again: without loss, and twice is once."""

import json
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from pinyon.domain.change import PutEvent
from pinyon.domain.principal import Actor
from pinyon.domain.space import Space
from pinyon.stores.sqlite import SqliteStore
from pinyon.testing.makers import memory_of, put
from pinyon.testing.store_contract.values import event_of, full_memory
from pinyon.text.normal import content_hash
from pinyon.wiring import SystemClock

BY = Actor("acme/user/ann", "test")


@pytest.fixture
def story(pinyon):
    """A user's memories of every kind, some of them changed or repeated since."""
    march = ("--at", "2026-03-02T09:00:00+01:00", "--session", "s1")
    bulbs = pinyon("remember", "My bulbs show only white", *march, "--json").json["id"]
    pinyon("remember", "Try a reset", *march, "--role", "assistant", "--meta", "model=m")
    pinyon("remember", "It did not help", "--session", "s1", "--speaker", "Sarah Jane")
    fact = pinyon("write", "Resets do not help", "--supports", bulbs, "--json").json["id"]
    pinyon("write", "Resets do not help")
    pinyon("edit", fact, "--title", "White bulbs", "--tag", "hub", "--meta", 'note="x"')
    pinyon("edit", fact, "--importance", "0.9", "--pinned")
    pinyon("write", "Pair a bulb", "--kind", "procedural", "--trigger", "new", "--step", "Open")
    pinyon("write", "The manual of the hub", "--kind", "catalog", "--keyword", "zigbee")
    pinyon("write", "She lives in Bristol", "--valid-until", "2027-01-01T00:00:00+00:00")
    return pinyon("export").out


def body(export):
    """Return an export without its header, which names the space."""
    return export.split("\n", 1)[1]


def test_an_export_names_its_format_and_its_space(story):
    header = json.loads(story.split("\n", 1)[0])

    assert header == {"format": "pinyon/1", "space": "default/user/sarah"}


def test_an_import_into_an_empty_home_exports_the_same(pinyon, story, tmp_path):
    other = {"PINYON_HOME": str(tmp_path / "other")}
    pinyon("import", "-", stdin=story, **other)

    assert pinyon("export", **other).out == story


def test_an_import_under_another_name_exports_the_same_but_for_the_header(pinyon, story):
    pinyon("import", "-", "--user", "zoe", "--tenant", "acme", stdin=story)

    assert body(pinyon("export", "--user", "zoe", "--tenant", "acme").out) == body(story)


def test_an_import_is_recalled_from_at_once(pinyon, story):
    pinyon("import", "-", stdin=story, user="zoe")

    question = "do resets help?"
    theirs, ours = (pinyon("recall", question, "--json", user=user) for user in ("zoe", "sarah"))
    assert [hit["id"] for hit in theirs.json["hits"]] == [hit["id"] for hit in ours.json["hits"]]


def test_an_import_verifies_clean(pinyon, story):
    pinyon("import", "-", stdin=story, user="zoe")

    assert pinyon("verify").exit == 0


def test_an_import_brings_the_history_along(pinyon, story):
    pinyon("import", "-", stdin=story, user="zoe")
    (fact,) = pinyon("list", "--filter", '{"tags": "hub"}', "--json", user="zoe").json["memories"]

    versions = pinyon("history", fact["id"], "--json", user="zoe").json["versions"]
    assert [one["title"] for one in versions] == ["", "White bulbs", "White bulbs"]


def test_importing_twice_is_importing_once(pinyon, story):
    rows = story.count("\n") - 1
    first = pinyon("import", "-", "--json", stdin=story, user="zoe").json
    again = pinyon("import", "-", "--json", stdin=story, user="zoe").json

    assert (first, again) == (
        {"created": rows, "equal": 0, "forgotten": 0, "not_wanted": 0},
        {"created": 0, "equal": rows, "forgotten": 0, "not_wanted": 0},
    )
    assert body(pinyon("export", user="zoe").out) == body(story)


def test_importing_into_the_same_home_changes_nothing(pinyon, story):
    pinyon("import", "-", stdin=story)

    assert pinyon("export").out == story


def test_every_field_of_a_memory_and_an_event_comes_back(pinyon, home, tmp_path):
    async def keep():
        store = SqliteStore(home, clock=SystemClock())
        fields = {"parent": "p1", "speaker": "Sarah", "message_id": "m1", "metadata": (("a", 1),)}
        event = event_of(1, "Try it", content_hash=content_hash("Try it"), **fields)
        procedure = replace(full_memory(), catalog=None)
        entry = replace(full_memory(), id=memory_of(8).id, kind="catalog", procedure=None)
        changes = [PutEvent(event), put(procedure), put(entry)]
        await store.records.apply(Space.of_user("acme", "ann"), changes, by=BY)
        await store.close()

    anyio.run(keep)
    ann = ("--tenant", "acme", "--user", "ann")
    export = pinyon("export", *ann).out
    other = {"PINYON_HOME": str(tmp_path / "other")}
    pinyon("import", "-", *ann, stdin=export, **other)

    assert pinyon("export", *ann, **other).out == export


def test_a_fact_that_gained_much_support_comes_back(pinyon):
    rows = "".join(f'{{"text": "Bulb {number} is white"}}\n' for number in range(120))
    pinyon("import", "-", stdin=rows)
    ids = [one["id"] for one in pinyon("list", "--limit", "200", "--json").json["memories"]]
    for part in (ids[:60], ids[60:]):
        supports = [word for one in part for word in ("--supports", one)]
        pinyon("write", "All bulbs are white", *supports)
    export = pinyon("export").out
    pinyon("import", "-", stdin=export, user="zoe")

    assert body(pinyon("export", user="zoe").out) == body(export)


def test_an_export_to_a_file_is_the_one_to_stdout(pinyon, story, tmp_path):
    pinyon("export", tmp_path / "export.jsonl")

    assert (tmp_path / "export.jsonl").read_text("utf-8") == story
    assert [path.name for path in tmp_path.glob("export*")] == ["export.jsonl"]


def test_an_export_replaces_an_older_one(pinyon, story, tmp_path):
    (tmp_path / "export.jsonl").write_text("old")
    said = pinyon("export", tmp_path / "export.jsonl")

    assert said.exit == 0
    assert (tmp_path / "export.jsonl").read_text("utf-8") == story


def test_an_export_into_a_folder_that_is_not_there_is_refused(pinyon, tmp_path):
    said = pinyon("export", tmp_path / "nowhere" / "export.jsonl", "--json")

    assert (said.exit, said.out) == (2, "")
    assert said.error["code"] == "invalid_file"


def test_twelve_hundred_memories_are_all_listed_and_all_exported(pinyon):
    rows = "".join(f'{{"text": "Bulb {number} is white"}}\n' for number in range(1_205))
    imported = pinyon("import", "-", "--json", stdin=rows).json
    listed, cursor = [], []
    while cursor is not None:
        page = pinyon("list", "--limit", "500", *cursor, "--json").json
        listed += [one["id"] for one in page["memories"]]
        cursor = page["next_cursor"] and ["--cursor", page["next_cursor"]]

    assert imported == {"created": 1_205, "equal": 0, "forgotten": 0, "not_wanted": 0}
    assert len(listed) == len(set(listed)) == 1_205
    assert pinyon("export").out.count("\n") == 1_206


PLAIN = (
    '{"text": "I moved to Edinburgh", "kind": "episodic", "session": "s1"}\n'
    '{"text": "Sarah lives in Edinburgh", "tags": ["home"], "importance": 0.9}\n'
    '{"text": "Pair a bulb", "kind": "procedural", "steps": ["Open the app"], "trigger": "new"}\n'
)


def test_plain_rows_are_imported(pinyon):
    said = pinyon("import", "-", "--json", stdin=PLAIN)

    assert said.json == {"created": 3, "equal": 0, "forgotten": 0, "not_wanted": 0}
    kinds = [one["kind"] for one in pinyon("list", "--json").json["memories"]]
    assert kinds == ["procedural", "semantic", "episodic"]


def test_plain_rows_imported_twice_are_there_once(pinyon):
    pinyon("import", "-", stdin=PLAIN)
    said = pinyon("import", "-", "--json", stdin=PLAIN)

    assert said.json == {"created": 0, "equal": 3, "forgotten": 0, "not_wanted": 0}


def test_the_line_ends_of_windows_are_no_obstacle(pinyon):
    said = pinyon("import", "-", "--json", stdin=PLAIN.replace("\n", "\r\n"))

    assert said.json == {"created": 3, "equal": 0, "forgotten": 0, "not_wanted": 0}


def test_a_byte_order_mark_is_no_obstacle(pinyon):
    said = pinyon("import", "-", "--json", stdin="\ufeff" + PLAIN)

    assert (said.exit, said.err) == (0, "")


def test_an_empty_file_is_no_error(pinyon):
    said = pinyon("import", "-", "--json")

    assert said.json == {"created": 0, "equal": 0, "forgotten": 0, "not_wanted": 0}


GOOD = '{"text": "The hub stands in the hall"}\n'
WRONG = {
    "prose": (GOOD + "Dear diary\n", 2),
    "a broken row": (GOOD + '{"text": "Hi"\n', 2),
    "a list": (GOOD + '["Hi"]\n', 2),
    "another's export": (GOOD + '{"id": "1", "memory": "Name is Sarah", "hash": "a"}\n', 2),
    "a chat": (GOOD + '{"role": "user", "content": "Hi"}\n', 2),
    "an unknown field": (GOOD + '{"text": "Hi", "colour": "red"}\n', 2),
    "a newer format": ('{"format": "pinyon/9", "space": "default/user/x"}\n' + GOOD, 1),
    "a field of another type": (GOOD + '{"text": 7}\n', 2),
    "a wrong row after a blank line": (GOOD + "\n" + '{"text": 7}\n', 3),
    "a kind that is none": (GOOD + GOOD + '{"text": "Hi", "kind": "fact"}\n' + GOOD, 3),
    "a time that is none": (GOOD + GOOD + '{"text": "Hi", "occurred_at": "today"}\n' + GOOD, 3),
    "a text that is too long": (GOOD + GOOD + json.dumps({"text": "x " * 30_000}) + "\n", 3),
    "a text that is empty": (GOOD + GOOD + '{"text": ""}\n' + GOOD, 3),
    "an owner in the metadata": (GOOD + '{"text": "Hi", "metadata": {"user_id": "bob"}}\n', 2),
    "bytes": (b"\x89PNG\r\n\x1a\n\x00\x00", 1),
}


@pytest.mark.parametrize(("content", "line"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_ends_with_2_and_names_the_line(pinyon, tmp_path, content, line):
    file = tmp_path / "wrong.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = pinyon("import", file, "--json")

    assert (said.exit, said.out, said.error["code"]) == (2, "", "invalid_file")
    assert f"line {line}" in said.error["message"]


@pytest.mark.parametrize("name", ["prose", "an unknown field", "a text that is too long", "bytes"])
def test_a_wrong_file_is_named(pinyon, tmp_path, name):
    content, _ = WRONG[name]
    file = tmp_path / "wrong.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    assert "wrong.jsonl" in pinyon("import", file, "--json").error["message"]


@pytest.mark.parametrize("name", ["prose", "a list", "another's export", "a chat", "bytes"])
def test_a_file_of_another_program_is_told_what_one_of_ours_looks_like(pinyon, name):
    said = pinyon("import", "-", "--json", stdin=WRONG[name][0])

    message = said.error["message"]
    assert "pinyon export" in message or '{"text":' in message


def test_a_folder_is_no_import(pinyon, tmp_path):
    said = pinyon("import", tmp_path, "--json")

    assert (said.exit, said.error["code"]) == (2, "invalid_file")


def test_a_mended_file_is_imported_without_doubles(pinyon):
    rows = "".join(f'{{"text": "Bulb {number} is white"}}\n' for number in range(1_500))
    broken = pinyon("import", "-", stdin=rows + "Dear diary\n")
    mended = pinyon("import", "-", "--json", stdin=rows)

    assert broken.exit == 2
    assert sum(mended.json.values()) == 1_500
    assert pinyon("spaces", "--json").json["spaces"][0]["memories"] == 1_500


def test_a_backup_is_restored_to_the_same_export(pinyon, story, tmp_path):
    pinyon("backup", tmp_path / "backup")
    restored = {"PINYON_HOME": str(tmp_path / "restored")}
    pinyon("restore", tmp_path / "backup", **restored)

    assert pinyon("export", **restored).out == story


@pytest.mark.parametrize("file", ["secret.key", "backup.json", "spaces"])
def test_a_tampered_backup_is_refused(pinyon, story, tmp_path, file):
    pinyon("backup", tmp_path / "backup")
    path = tmp_path / "backup" / file
    path = next(path.glob("??/*.db")) if path.is_dir() else path
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    said = pinyon("restore", tmp_path / "backup", "--json", PINYON_HOME=str(tmp_path / "restored"))

    assert (said.exit, said.out, said.error["code"]) == (2, "", "invalid_file")
    assert not Path(tmp_path / "restored").exists()


def test_a_home_that_is_there_is_not_restored_over(pinyon, story, tmp_path):
    pinyon("backup", tmp_path / "backup")
    said = pinyon("restore", tmp_path / "backup", "--json")

    assert (said.exit, said.error["code"]) == (6, "not_empty")
    assert pinyon("export").out == story


def test_a_home_that_was_never_written_is_not_called_corrupt_by_a_backup(pinyon, tmp_path):
    said = pinyon("backup", tmp_path / "backup", "--json")

    assert "store_corrupt" not in said.err


def test_a_home_in_the_users_folder_is_the_same_for_every_command(pinyon, story, tmp_path):
    environ = {"HOME": str(tmp_path), "PINYON_HOME": "~/restored"}
    pinyon("backup", tmp_path / "backup")
    pinyon("restore", tmp_path / "backup", **environ)

    assert pinyon("export", **environ).out == story
    assert pinyon("doctor", "--json", **environ).json["facts"]["home_exists"]


def test_a_folder_whose_name_looks_like_markup_is_told_as_it_is(pinyon, story, tmp_path):
    target = tmp_path / "b[bold]" / "c[" / "d]"
    target.parent.mkdir(parents=True)

    backup = pinyon("backup", target, COLUMNS="1000")
    restored = pinyon("restore", target, PINYON_HOME=f"{target}-home", COLUMNS="1000")
    doctor = pinyon("doctor", PINYON_HOME=f"{target}-home", COLUMNS="1000")

    assert [said.exit for said in (backup, restored, doctor)] == [0, 0, 0]
    assert all(str(target) in said.out for said in (backup, restored, doctor))
