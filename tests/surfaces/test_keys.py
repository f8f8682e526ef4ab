"""Keys on the command line: made, listed, revoked, and shown no second time."""

import re

import pytest

SHOWN = re.compile(r"pyn_[0-9a-f]{32}_[0-9A-Za-z]{43}")


@pytest.fixture
def made(pinyon):
    return pinyon("keys", "create", "--role", "agent", "--agent", "app", "--json").json


def test_a_key_is_made_for_whoever_commands_speak_for(made):
    assert SHOWN.fullmatch(made["key"])
    assert made["id"] == f"key_{made['key'][4:36]}"
    assert (made["tenant"], made["role"], made["user"], made["agent"]) == (
        "default", "agent", "sarah", "app",
    )  # fmt: skip


def test_a_key_is_made_for_whom_it_is_told(pinyon):
    named = ("--tenant", "acme", "--user", "Jürgen", "--project", "hub", "--name", "his laptop")
    made = pinyon("keys", "create", *named, "--expires", "2999-01-01T00:00:00Z", "--json").json

    assert (made["tenant"], made["user"], made["project"]) == ("acme", "Jürgen", "hub")
    assert (made["role"], made["name"]) == ("user", "his laptop")
    assert made["expires_at"] == "2999-01-01T00:00:00+00:00"


@pytest.mark.parametrize("role", ["service", "admin", "auditor"])
def test_a_role_that_needs_no_user_takes_none_from_the_environment(pinyon, role):
    assert pinyon("keys", "create", "--role", role, "--json").json["user"] is None


def test_a_person_is_told_that_it_is_shown_once(pinyon):
    said = pinyon("keys", "create", "--name", "a [bold] one", "--expires", "90d")

    (shown,) = SHOWN.findall(said.out)
    assert f"\n{shown}\n" in said.out  # whole, on a line of its own
    assert "shown once" in said.out
    assert "user of default/user/sarah" in said.out
    assert "a [bold] one" in said.out


def test_a_key_is_not_broken_where_the_terminal_is_narrow(pinyon):
    said = pinyon("keys", "create", COLUMNS="20")

    assert SHOWN.search(said.out)


def test_no_list_shows_what_opens_anything(pinyon, made):
    for args in (["list"], ["list", "--json"], ["revoke", made["id"]], ["list", "--json"]):
        said = pinyon("keys", *args)

        assert made["id"] in said.out
        assert made["key"][37:] not in said.out + said.err


def test_keys_are_listed_of_one_tenant_or_of_all(pinyon, made):
    pinyon("keys", "create", "--role", "admin", "--tenant", "acme")
    listed = pinyon("keys", "list", "--json").json["keys"]

    assert [one["tenant"] for one in listed] == ["default", "acme"]
    assert {name: value for name, value in made.items() if name != "key"} == listed[0]
    (of_acme,) = pinyon("keys", "list", "--tenant", "acme", "--json").json["keys"]
    assert of_acme["role"] == "admin"


def test_where_there_are_no_keys_it_says_how_to_begin(pinyon):
    assert "pinyon keys create" in pinyon("keys", "list").out
    assert pinyon("keys", "list", "--json").json == {"keys": []}


def test_a_key_is_revoked_and_stays_on_the_list(pinyon, made):
    revoked = pinyon("keys", "revoke", made["id"], "--json").json
    again = pinyon("keys", "revoke", made["key"][4:36], "--json").json

    assert revoked["revoked_at"] is not None
    assert again == revoked
    assert pinyon("keys", "list", "--json").json["keys"] == [revoked]
    assert "revoked" in pinyon("keys", "list").out


@pytest.mark.parametrize(
    ("args", "exit_code", "code"),
    [
        (["create", "--role", "root"], 2, "invalid_value"),
        (["create", "--role", "service", "--user", "sarah"], 2, "invalid_value"),
        (["create", "--role", "admin", "--agent", "app"], 2, "invalid_value"),
        (["create", "--user", " "], 2, "invalid_name"),
        (["create", "--expires", "0d"], 2, "invalid_value"),
        (["create", "--expires", "soon"], 2, "invalid_time"),
        (["revoke", "key_" + "0" * 32], 5, "not_found"),
        (["revoke", "mem_" + "0" * 32], 2, "invalid_id"),
        (["revoke", "%"], 2, "invalid_id"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(pinyon, args, exit_code, code):
    said = pinyon("keys", *args, "--json")

    assert (said.exit, said.error["code"]) == (exit_code, code)
    assert pinyon("keys", "list", "--json").json == {"keys": []}


def test_without_a_user_it_says_how_to_name_one(pinyon):
    said = pinyon("keys", "create", "--json", user=None)

    assert said.exit == 2
    assert "PINYON_USER" in said.error["message"]
