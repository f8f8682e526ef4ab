"""How a command ends: a code for programs, one line on stderr, and nothing on stdout in vain."""

import json

import pytest

import pinyon as package
from pinyon.errors import NotFound

ID = "mem_" + "0" * 32


@pytest.fixture
def written(pinyon):
    return pinyon("write", "The hub stands in the hall", "--json").json["id"]


BAD_INPUT = {
    "no user": (["list"], "invalid_name"),
    "no id": (["show", "mem_1", "--user", "sarah"], "invalid_id"),
    "no instant": (["remember", "Hi", "--user", "sarah", "--at", "yesterday"], "invalid_time"),
    "no offset": (
        ["remember", "Hi", "--user", "sarah", "--at", "2026-03-02T09:00:00"],
        "invalid_time",
    ),
    "no text": (["write", " ", "--user", "sarah"], "invalid_text"),
    "no text on stdin": (["remember", "-", "--user", "sarah"], "invalid_text"),
    "no line on stdin": (["remember", "-", "--lines", "--user", "sarah"], "invalid_text"),
    "no kind": (["write", "Hi", "--user", "sarah", "--kind", "fact"], "invalid_value"),
    "no kind to list": (["list", "--user", "sarah", "--kind", "fact"], "invalid_value"),
    "no shelf": (["list", "--user", "sarah", "--shelf", "top"], "invalid_value"),
    "no scope": (["list", "--user", "sarah", "--scope", "mine"], "invalid_value"),
    "no share": (["write", "Hi", "--user", "sarah", "--importance", "2"], "invalid_value"),
    "no pair": (["write", "Hi", "--user", "sarah", "--meta", "calls"], "invalid_value"),
    "no limit": (["list", "--user", "sarah", "--limit", "0"], "invalid_value"),
    "no number of hits": (["recall", "Hi", "--user", "sarah", "-k", "0"], "invalid_value"),
    "an owner as metadata": (
        ["write", "Hi", "--user", "sarah", "--meta", "user_id=bob"],
        "invalid_value",
    ),
    "no filter": (["list", "--user", "sarah", "--filter", "{"], "invalid_filter"),
    "a filter that is a list": (["list", "--user", "sarah", "--filter", "[]"], "invalid_filter"),
    "an unknown field": (["list", "--user", "sarah", "--filter", '{"hue": 1}'], "unknown_field"),
    "no cursor": (["list", "--user", "sarah", "--cursor", "next"], "invalid_cursor"),
    "nothing to edit": (["edit", ID, "--user", "sarah"], "nothing_to_edit"),
    "no file": (["import", "nothing-of-this-name", "--user", "sarah"], "invalid_file"),
    "no backup": (["restore", "nothing-of-this-name"], "invalid_file"),
    "an unknown option": (["list", "--user", "sarah", "--hue"], "bad_input"),
    "an argument too few": (["show", "--user", "sarah"], "bad_input"),
    "no number": (["list", "--user", "sarah", "--limit", "many"], "bad_input"),
    "an unknown command": (["lst"], "bad_input"),
}


@pytest.fixture(params=BAD_INPUT.values(), ids=BAD_INPUT)
def bad_input(request, pinyon):
    args, code = request.param
    if "edit" in args:
        args = [args[0], pinyon("write", "Hi", "--json").json["id"], *args[2:]]
    return args, code


def test_bad_input_ends_with_2_and_leaves_stdout_empty(pinyon, bad_input):
    said = pinyon(*bad_input[0], user=None)

    assert (said.exit, said.out) == (2, "")
    assert said.err
    assert "Traceback" not in said.err


def test_bad_input_is_told_to_programs_in_json(pinyon, bad_input):
    args, code = bad_input
    said = pinyon(*args, "--json", user=None)

    assert (said.exit, said.out) == (2, "")
    assert said.error["code"] == code
    assert said.error.keys() == {"code", "message"}


@pytest.mark.parametrize(
    ("args", "code", "exit_code"),
    [
        (["show", ID], "not_found", 5),
        (["history", ID], "not_found", 5),
        (["edit", ID, "--title", "Hub"], "not_found", 5),
        (["why-not", ID, "where is the hub?"], "not_found", 5),
        (["write", "It rests on nothing", "--supports", ID], "not_found", 5),
        (["list", "--scope", "agent"], "forbidden", 4),
        (["write", "Hi", "--scope", "project"], "forbidden", 4),
        (["write", "Hub. " * 20_000], "too_large", 7),
        (["remember", "Hi", "--session", "s" * 201], "too_large", 7),
    ],
)
def test_an_error_has_a_code_for_programs(pinyon, written, args, code, exit_code):
    said = pinyon(*args, "--json")

    assert (said.exit, said.out) == (exit_code, "")
    assert said.error["code"] == code


@pytest.mark.parametrize(
    "args", [["recall", "quarterly tax report"], ["list"], ["spaces"], ["verify"], ["doctor"]]
)
@pytest.mark.parametrize("held", [True, False], ids=["something else kept", "nothing kept"])
def test_to_find_nothing_is_no_error(pinyon, held, args):
    if held:
        pinyon("write", "The hub stands in the hall")
    said = pinyon(*args, "--json")

    assert (said.exit, said.err) == (0, "")


def test_an_edit_of_another_version_ends_with_6(pinyon, written):
    pinyon("edit", written, "--title", "Hub", "--version", "1")
    late = pinyon("edit", written, "--title", "Hall", "--version", "1", "--json")

    assert (late.exit, late.out) == (6, "")
    assert late.error["code"] == "version_conflict"
    assert pinyon("show", written, "--json").json["title"] == "Hub"


def test_a_key_that_is_used_for_something_else_ends_with_6(pinyon):
    pinyon("write", "The hub stands in the hall", "--key", "k1")
    other = pinyon("write", "The dog chews cables", "--key", "k1", "--json")

    assert (other.exit, other.error["code"]) == (6, "key_reused")


def test_a_retry_under_its_key_is_answered_as_the_first_time(pinyon):
    first = pinyon("remember", "Hello", "--key", "k1", "--json")
    again = pinyon("remember", "Hello", "--key", "k1", "--json")

    assert again.json == first.json


def test_a_finding_of_verify_ends_with_1(pinyon, home, written):
    for path in home.glob("spaces/??/*.db"):
        path.write_bytes(b"This was a database once. " * 1_000)
    said = pinyon("verify", "--json")

    assert (said.exit, said.json["ok"]) == (1, False)


def test_a_broken_file_ends_with_8(pinyon, home, written):
    for path in home.glob("spaces/??/*.db"):
        path.write_bytes(b"This was a database once. " * 1_000)
    said = pinyon("list", "--json")

    assert (said.exit, said.out) == (8, "")
    assert said.error["code"] == "store_corrupt"


@pytest.mark.parametrize("command", [["write", "Hi"], ["list"], ["recall", "Hi"], ["verify"]])
def test_a_home_that_is_a_file_ends_with_8(pinyon, home, command):
    home.write_text("I am no folder")
    said = pinyon(*command, "--json")

    assert (said.exit, said.out) == (8, "")
    assert said.error["code"].startswith("store_")


def test_a_home_that_is_a_file_is_no_traceback_for_doctor(pinyon, home):
    home.write_text("I am no folder")
    said = pinyon("doctor", "--json")

    assert "Traceback" not in said.err
    assert said.exit in (1, 8)


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["for a person", "for a program"])
def test_a_real_process_ends_with_the_code_and_speaks_on_stderr_only(process, as_json):
    done = process("show", ID, *as_json)

    assert (done.returncode, done.stdout) == (5, b"")
    assert b"not_found" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_real_process_speaks_on_stdout_only_when_all_is_well(process):
    done = process("remember", "My bulbs show only white", "--json")

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["created"]
    assert done.stdout.count(b"\n") == 1


def test_a_setting_outside_its_range_ends_with_2(pinyon):
    said = pinyon("list", "--json", PINYON_SPACES_OPEN_MAX="0")

    assert (said.exit, said.error["code"]) == (2, "invalid_setting")


def test_no_message_spills_the_text_of_a_memory(pinyon, written):
    said = [
        pinyon("write", "Hub in the hall. " * 5_000, "--json"),
        pinyon("edit", written, "--importance", "7", "--json"),
        pinyon("edit", written, "--title", "Hub", "--version", "9", "--json"),
    ]

    assert not [one for one in said if "hall" in one.err.lower() or not one.exit]


def test_the_codes_are_those_of_the_library(pinyon, home):
    with package.open(home, user="sarah") as memory, pytest.raises(NotFound):
        memory.show(ID)

    assert pinyon("show", ID).exit == NotFound.exit_code
